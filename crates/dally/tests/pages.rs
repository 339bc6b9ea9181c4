//! Pages of traces in a real browser: a script uses the page as a reader would, and the test looks at what it saw.
//!
//! `scripts/test` installs Chromium where it can. Without it, these tests say that they are skipped.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr, reason = "test code")]

use std::path::{Path, PathBuf};
use std::process::Command;

use dally_testing::HOSTILE;
use serde_json::Value;

/// The folder for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn dally(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_dally"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    if found.is_none() {
        eprintln!("skipped: there is no Chromium to open the page in (apt-get install chromium)");
    }
    found
}

/// Opens a page in a browser, runs the script of the tests in it, and returns what that saw.
fn walk(browser: &str, page: &Path, query: &str) -> Value {
    let text = std::fs::read_to_string(page).unwrap();
    let nonce = text.split("nonce-").nth(1).and_then(|rest| rest.split('\'').next()).unwrap();
    let errors = "window.pageErrors = [];\
                  addEventListener('error', (e) => window.pageErrors.push(String(e.message)));\
                  addEventListener('securitypolicyviolation', (e) => window.pageErrors.push(e.violatedDirective));";
    let walk = include_str!("pages/walk.js");
    let text = text.replacen("<body>", &format!("<body><script nonce=\"{nonce}\">{errors}</script>"), 1);
    let query = serde_json::to_string(query).unwrap();
    let script =
        format!("<script nonce=\"{nonce}\">document.body.dataset.query = {query};{walk}</script></body>");
    let (before, after) = text.rsplit_once("</body>").unwrap();
    let walked = page.with_extension("walked.html");
    std::fs::write(&walked, format!("{before}{script}{after}")).unwrap();
    let profile = page.with_extension("profile");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args(["--disable-component-update", "--disable-sync", "--window-size=1400,900", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", walked.display()))
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(profile);
    let document = String::from_utf8_lossy(&output.stdout);
    let seen = document.split("data-seen=\"").nth(1).and_then(|rest| rest.split('"').next());
    let seen = seen.unwrap_or_else(|| panic!("the script did not end: {document:.2000}"));
    let seen = seen.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["errors"], Value::Array(vec![]), "{seen:#}");
    assert_eq!(seen["requests"], 0, "{seen:#}");
    assert_eq!(seen["images"], 0, "{seen:#}");
    // The data, the script of the page, and the two of the test.
    assert_eq!(seen["scripts"], 4, "{seen:#}");
    seen
}

#[test]
fn a_page_can_be_read_stepped_searched_and_folded() {
    let Some(browser) = browser() else { return };
    let page = folder("deposit").join("deposit.html");
    dally(&["check", "--html", page.to_str().unwrap(), "examples/deposit.bpl"]);
    let seen = walk(browser, &page, "balance");
    assert_eq!(
        seen["lanes"],
        serde_json::json!(["maintask 0", "deposittask 1", "deposittask 2"]),
        "{seen:#}"
    );
    assert_eq!(seen["deviations"], 1);
    assert_eq!(seen["first"], seen["back"]);
    assert_ne!(seen["first"], seen["second"]);
    assert_eq!(seen["delay"], "row delay selected", "{seen:#}");
    assert!(seen["here"].as_str().unwrap().contains("yield"), "{seen:#}");
    for what in ["folded", "unfolded", "marks", "arrow"] {
        assert_eq!(seen[what], true, "{what}: {seen:#}");
    }
    assert!(seen["match"].as_str().unwrap().contains("balance"), "{seen:#}");
    assert_eq!(seen["end"], "row failure selected");
    assert!(seen["values"].as_str().unwrap().contains("balance10"), "{seen:#}");
}

#[test]
fn a_page_of_p_has_messages_and_states() {
    let Some(browser) = browser() else { return };
    let page = folder("german").join("german.html");
    dally(&["check", "--html", page.to_str().unwrap(), "--test", "ThreeClients", "examples/p/german.p"]);
    let seen = walk(browser, &page, "eGrant");
    assert_eq!(seen["arrow"], true, "{seen:#}");
    assert!(seen["values"].as_str().unwrap().contains("monitor CoherentWatching"), "{seen:#}");
}

/// A trace of this many steps, all of whose names and values are `name`, and whose statements are `text`.
fn trace(steps: usize, name: &str, text: &str) -> Value {
    let location = serde_json::json!({ "file": name, "line": 1, "column": 1 });
    let change = serde_json::json!({ "variable": name, "shared": true, "value": name });
    let step = |number: usize| {
        serde_json::json!({
            "number": number, "task": number % 3, "name": name,
            "delayed": if number % 50 == 3 { vec![serde_json::json!({ "task": 0, "name": name })] } else { vec![] },
            "statements": [{
                "location": location, "text": text, "procedure": name, "depth": 1, "changes": [change],
                "posts": if number < 3 { vec![serde_json::json!({ "task": number, "name": name })] } else { vec![] },
            }],
            "end": { "how": "yields" },
        })
    };
    let scheduled = |number: usize| serde_json::json!({ "task": number % 3, "cost": 0 });
    serde_json::json!({
        "version": 1,
        "program": { "files": [name], "hash": name, "entry": null, "preempt": false },
        "failure": { "kind": "assertion", "message": text, "location": location },
        "cost": 0,
        "schedule": { "policy": "rr", "initial": 0, "steps": (0..steps).map(scheduled).collect::<Vec<_>>() },
        "steps": (0..steps).map(|nth| step(nth + 1)).collect::<Vec<_>>(),
        "globals": [change],
        "notes": [text],
    })
}

/// Writes a trace to a file, and shows it in a format.
fn shown(name: &str, trace: &Value, format: &str) -> String {
    let file = folder(name).join("trace.json");
    std::fs::write(&file, trace.to_string()).unwrap();
    dally(&["show", "--format", format, file.to_str().unwrap()])
}

#[test]
fn a_page_of_ten_thousand_steps_draws_only_what_is_in_view() {
    let text = "balance := seen + amount; // one more line of the program";
    let page = shown("long", &trace(10_000, "account", text), "html");
    let page_bytes = page.len();
    assert!(page_bytes < 5_000_000, "{page_bytes} bytes");
    let Some(browser) = browser() else { return };
    let file = folder("long").join("long.html");
    std::fs::write(&file, page).unwrap();
    let seen = walk(browser, &file, "balance");
    eprintln!("10,000 steps: {} bytes, drawn after {} ms", page_bytes, seen["loaded"]);
    assert!(seen["rows"].as_u64().is_some_and(|rows| rows < 200), "{seen:#}");
    assert_eq!(seen["found"], "10001 matches", "{seen:#}");
}

#[test]
fn a_real_execution_of_ten_thousand_steps_fits_on_a_page() {
    let folder = folder("real");
    let (program, page) = (folder.join("steps.bpl"), folder.join("steps.html"));
    let text = "procedure main() {\n  var i: int;\n  i := 0;\n  while (i < 10000) { i := i + 1; yield; }\n  \
                assert i == 0;\n}\n";
    std::fs::write(&program, text).unwrap();
    dally(&["check", "--no-sample", "--html", page.to_str().unwrap(), program.to_str().unwrap()]);
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.len() < 5_000_000, "{} bytes", text.len());
    assert!(text.matches("\"number\":").count() > 9_900, "{}", text.matches("\"number\":").count());
    let Some(browser) = browser() else { return };
    let seen = walk(browser, &page, "yield");
    eprintln!("a real execution of 10,000 steps: {} bytes, drawn after {} ms", text.len(), seen["loaded"]);
    assert!(seen["rows"].as_u64().is_some_and(|rows| rows < 200), "{seen:#}");
}

#[test]
fn texts_of_programs_stay_texts_in_every_format() {
    let long = "x".repeat(1_000_000);
    let hostile = HOSTILE.iter().copied().chain([&*long]);
    for (nth, text) in hostile.enumerate() {
        let trace = trace(4, text, text);
        let name = format!("hostile{nth}");
        let svg = shown(&name, &trace, "svg");
        roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg:.500}"));
        assert!(!svg.contains("<script") && !svg.contains("<img"), "{svg:.500}");
        let mermaid = shown(&name, &trace, "mermaid");
        let starts = ["sequenceDiagram", "    participant t", "    Note ", "    t"];
        for line in mermaid.lines() {
            assert!(starts.iter().any(|start| line.starts_with(start)), "{line}");
            assert!(!line.contains(['<', '>', '"', '\'', '`', '{', '%']) || line.contains("->>"), "{line}");
        }
        assert!(!mermaid.contains("    Note over t0: injected"), "{mermaid}");
        for picture in [&svg, &mermaid] {
            assert!(!picture.chars().any(|c| c.is_control() && c != '\n'), "{picture:.500}");
            assert!(!picture.contains(['\u{202e}', '\u{2066}', '\u{200b}']), "{picture:.500}");
        }
    }
}

#[test]
fn texts_of_programs_stay_texts_in_the_browser() {
    let Some(browser) = browser() else { return };
    // One page for all texts: a browser takes a second to start.
    let all = HOSTILE.join(" ");
    let page = shown("hostile", &trace(6, &all, &all), "html");
    let file = folder("hostile").join("hostile.html");
    std::fs::write(&file, page).unwrap();
    let seen = walk(browser, &file, "script");
    assert!(seen["failure"].as_str().unwrap().contains("<img src=x"), "{seen:#}");
}
