//! The explorer in a real browser: a script uses the page as a reader would, and the test looks at what it saw.
//!
//! `scripts/test` installs Chromium where it can. Without it, these tests say that they are skipped.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr, reason = "test code")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::Receiver;

use dally_testing::HOSTILE;
use serde_json::Value;

/// A running `dally explore`, which ends with the test.
struct Explorer {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn explore(arguments: &[&str]) -> Explorer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dally"))
        .arg("explore")
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.strip_prefix("exploring at http://127.0.0.1:").unwrap_or_else(|| panic!("{line}"));
    let (port, rest) = address.split_once('/').unwrap();
    let (port, token) = (port.parse().unwrap(), rest.split('/').next().unwrap().to_owned());
    Explorer { child, port, token }
}

/// Sends a request to the explorer. Returns the head and the body of the answer.
fn request(explorer: &Explorer, method: &str, path: &str, body: &[u8]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", explorer.port)).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        explorer.port,
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    (String::from_utf8_lossy(&answer[..end]).into_owned(), answer[end + 4..].to_vec())
}

/// Passes requests on to the explorer until the browser has ended, and adds the script of the test to the page: the page
/// allows no script but its own.
fn serve_until(
    explorer: &Explorer,
    listener: &TcpListener,
    ended: &Receiver<std::io::Result<Output>>,
) -> Output {
    for stream in listener.incoming() {
        if let Ok(output) = ended.try_recv() {
            return output.unwrap();
        }
        pass_on(explorer, stream.unwrap());
    }
    unreachable!("a listener does not end")
}

fn pass_on(explorer: &Explorer, mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut length) = (String::new(), 0);
    if reader.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header).unwrap_or(0) == 0 || header == "\r\n" {
            break;
        }
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let (head, mut answer) = request(explorer, method, path, &body);
    if method == "GET" && head.contains("text/html") {
        answer = with_script(&String::from_utf8(answer).unwrap(), &explorer.token).into_bytes();
    }
    let status = head.lines().next().unwrap_or_default();
    let kind = head.lines().find(|line| line.to_ascii_lowercase().starts_with("content-type")).unwrap_or("");
    let head = format!("{status}\r\n{kind}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", answer.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&answer));
}

fn with_script(page: &str, nonce: &str) -> String {
    let errors = "window.pageErrors = [];\
                  addEventListener('error', (e) => window.pageErrors.push(String(e.message)));\
                  addEventListener('unhandledrejection', (e) => window.pageErrors.push(String(e.reason)));\
                  addEventListener('securitypolicyviolation', (e) => window.pageErrors.push(e.violatedDirective));";
    let page = page.replacen("<body>", &format!("<body><script nonce=\"{nonce}\">{errors}</script>"), 1);
    let script = include_str!("pages/explore.js");
    let (before, after) = page.rsplit_once("</body>").unwrap();
    format!("{before}<script nonce=\"{nonce}\">{script}</script></body>{after}")
}

/// Uses the explorer of a program in a browser. `None` without a browser.
fn walk(name: &str, arguments: &[&str]) -> Option<Value> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())
    else {
        eprintln!("skipped: there is no Chromium to open the page in (apt-get install chromium)");
        return None;
    };
    let explorer = explore(arguments);
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/{}/", listener.local_addr().unwrap(), explorer.token);
    let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explorer").join(name);
    let output = std::thread::scope(|scope| {
        let (send, receive) = std::sync::mpsc::channel();
        scope.spawn(move || {
            let output = Command::new(browser)
                .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
                .args([
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--window-size=1400,900",
                ])
                .args(["--virtual-time-budget=60000", "--dump-dom"])
                .arg(format!("--user-data-dir={}", profile.display()))
                .arg(&url)
                .output();
            let _ = std::fs::remove_dir_all(profile);
            let _ = send.send(output);
            // Wakes the proxy, which then ends.
            drop(TcpStream::connect(url.split('/').nth(2).unwrap()));
        });
        serve_until(&explorer, &listener, &receive)
    });
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    let seen = document.split("data-seen=\"").nth(1).and_then(|rest| rest.split('"').next());
    let seen = seen.unwrap_or_else(|| panic!("the script did not end: {document:.3000}"));
    let seen = seen.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["errors"], Value::Array(vec![]), "{seen:#}");
    assert_eq!(
        (&seen["foreign"], &seen["images"], &seen["scripts"]),
        (&0.into(), &0.into(), &3.into()),
        "{seen:#}"
    );
    Some(seen)
}

#[test]
fn a_boogie_program_is_walked_through() {
    let Some(seen) = walk("deposit", &["examples/deposit.bpl"]) else { return };
    assert_eq!(seen["start"], "0 steps, 0 delays spent under rr", "{seen:#}");
    assert_eq!(seen["offers"], serde_json::json!(["main (task 0)"]), "{seen:#}");
    assert_eq!(seen["afterProposed"], "1 step, 0 delays spent under rr", "{seen:#}");
    assert_eq!(seen["path"].as_array().unwrap().len(), 1, "{seen:#}");
    assert_eq!(seen["afterDelay"], "2 steps, 1 delay spent under rr", "{seen:#}");
    assert_eq!((&seen["back"], &seen["first"]), (&seen["afterProposed"], &seen["start"]), "{seen:#}");
    assert_eq!(seen["failed"], "failure", "{seen:#}");
    assert!(seen["failure"].as_str().unwrap().contains("assertion"), "{seen:#}");
    assert!(seen["values"].as_str().unwrap().contains("balance = "), "{seen:#}");
    assert_eq!(seen["bookmarked"], seen["afterProposed"], "{seen:#}");
    assert!(seen["refused"].as_str().unwrap().contains("task 99 cannot run here"), "{seen:#}");
}

#[test]
fn programs_in_p_and_c_are_walked_through() {
    for (name, file) in [("p", "examples/p/switch_led.p"), ("c", "examples/c/lost_wakeup.c")] {
        let Some(seen) = walk(name, &[file]) else { return };
        assert_eq!(seen["failed"], "failure", "{file}: {seen:#}");
        assert_eq!(
            (&seen["back"], &seen["first"]),
            (&seen["afterProposed"], &seen["start"]),
            "{file}: {seen:#}"
        );
    }
}

#[test]
fn the_variables_of_machines_are_shown() {
    let explorer = explore(&["--test", "TwoPhaseCommit___participants_2", "examples/p/two_phase_commit.p"]);
    let path = br#"{"steps":[{"task":0,"choices":[]}]}"#;
    let (head, answer) = request(&explorer, "POST", &format!("/{}/view", explorer.token), path);
    assert!(head.contains("200 OK"), "{head}");
    let view: Value = serde_json::from_slice(&answer).unwrap();
    let values = view["values"].as_array().unwrap();
    let names: Vec<&str> = values.iter().filter_map(|value| value["variable"].as_str()).collect();
    assert!(names.contains(&"Main(0).votes"), "{names:?}");
}

#[test]
fn texts_of_programs_stay_texts() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explorer-hostile");
    std::fs::create_dir_all(&folder).unwrap();
    // The name of the file, statements, outputs and the message of the failure.
    let file = folder.join("<img src=x onerror=window.pageErrors.push('file')> '\"&.c");
    let text = |text: &str| {
        let escape = |c: char| match c {
            '\\' | '"' | '?' => format!("\\{c}"),
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '%' => "%%".to_owned(),
            '\0' => "\\001".to_owned(),
            c => c.to_string(),
        };
        text.chars().map(escape).collect::<String>()
    };
    let prints: String = HOSTILE.iter().map(|it| format!("  printf(\"{}\\n\");\n", text(it))).collect();
    let message = "</script><script>window.pageErrors.push('message')</script>";
    let program = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\nint x; // <img src=x>\n\
         void *other(void *unused) {{ x = 1; return unused; }}\n\
         int main(void) {{\n  pthread_t thread;\n  pthread_create(&thread, NULL, other, NULL);\n{prints}  \
         x = 2;\n  assert(x == 1 && \"{message}\");\n}}\n"
    );
    std::fs::write(&file, program).unwrap();
    let Some(seen) = walk("hostile", &[file.to_str().unwrap()]) else { return };
    assert_eq!(seen["failed"], "failure", "{seen:#}");
    assert!(seen["failure"].as_str().unwrap().contains(message), "{seen:#}");
}

#[test]
fn a_saved_path_is_replayed() {
    let explorer = explore(&["examples/deposit.bpl"]);
    let ask = |question: &str, body: &[u8]| -> Value {
        let (head, answer) = request(&explorer, "POST", &format!("/{}/{question}", explorer.token), body);
        assert!(head.contains("200 OK"), "{head}");
        serde_json::from_slice(&answer).unwrap()
    };
    // A path to a bug, and the start of it.
    let found = ask("find", b"{\"steps\":[]}");
    let mut start = found.clone();
    start["steps"].as_array_mut().unwrap().truncate(1);
    for (path, name, exit) in [(found, "explored.json", 1), (start, "explored_start.json", 0)] {
        let trace = ask("trace", path.to_string().as_bytes());
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&file, trace.to_string()).unwrap();
        let replayed = Command::new(env!("CARGO_BIN_EXE_dally"))
            .arg("replay")
            .arg(&file)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .output()
            .unwrap();
        let (said, error) =
            (String::from_utf8_lossy(&replayed.stdout), String::from_utf8_lossy(&replayed.stderr));
        assert_eq!(replayed.status.code(), Some(exit), "{error}");
        let headline =
            if exit == 1 { "the bug is confirmed" } else { "the path is confirmed: no step of it fails" };
        assert!(said.contains(headline), "{said}");
    }
}
