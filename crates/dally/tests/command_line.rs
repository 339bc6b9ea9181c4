//! The command line itself: standard input, missing files, flags, exit codes.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use std::process::{Command, Output};

use common::dally;

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn standard_input_is_read() {
    let output = dally(&["print", "-"], b"procedure main(){async call p();} procedure p(){}");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("  call {:async} p();\n"));
}

#[test]
fn several_files_are_one_program() {
    let path = std::env::temp_dir().join(format!("dally-library-{}.bpl", std::process::id()));
    std::fs::write(&path, "function twice(x: int): int;").unwrap();
    let output = dally(&["print", path.to_str().unwrap(), "-"], b"axiom twice(1) == 2;");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn missing_files_are_input_errors() {
    let output = dally(&["print", "does/not/exist.bpl"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error[E0008]: cannot read `does/not/exist.bpl`: "));

    let output = dally(&["print", "--json", "does/not/exist.bpl"], b"");
    assert_eq!(output.status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["diagnostics"][0]["code"], "E0008");
    assert!(report["diagnostics"][0]["location"].is_null());
}

#[test]
fn usage_errors_have_exit_code_2() {
    for args in [&["print"][..], &["frobnicate"], &["print", "--no-such-flag", "x"], &[]] {
        assert_eq!(dally(args, b"").status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn c_files_may_have_another_encoding() {
    let file = std::env::temp_dir().join(format!("dally-encoding-{}.c", std::process::id()));
    let text = b"#include <err.h>\n#include <wait.h>\n// \xb2\xe2\nint main(void) {\n  char text[] = \"\xb2\xe2\xca\";\n  \
        warn(\"%s\", text);\n  if (sizeof text != 4) return *(int *)0;\n  errx(1, 0);\n}\n";
    std::fs::write(&file, text).unwrap();
    let output = dally(&["check", file.to_str().unwrap()], b"");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn invalid_utf8_is_reported_with_its_location() {
    let output = dally(&["print", "--json", "-"], b"axiom true;\naxiom \xff\xfe;");
    assert_eq!(output.status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["diagnostics"][0]["code"], "E0001");
    assert_eq!(report["diagnostics"][0]["location"]["line"], 2);
    assert_eq!(report["diagnostics"][0]["location"]["column"], 7);
}

#[test]
fn json_has_the_program_or_the_errors() {
    let output = dally(&["print", "--json", "-"], b"axiom true;");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["verdict"], &report["program"]), (&"ok".into(), &"axiom true;\n".into()));

    let output = dally(&["print", "--json", "-"], b"procedure p() { yield; } yield invariant I();");
    assert_eq!(output.status.code(), Some(3));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verdict"], "unsupported");
    assert!(output.stderr.is_empty());
}

#[test]
fn colours_are_for_terminals_or_on_request() {
    let plain = dally(&["print", "-"], b"axiom x;");
    assert!(!text(&plain.stderr).contains('\u{1b}'));
    let coloured = dally(&["print", "--color", "always", "-"], b"axiom x;");
    assert!(text(&coloured.stderr).contains('\u{1b}'));
}

#[test]
fn help_shows_examples() {
    let help = dally(&["print", "--help"], b"");
    assert!(text(&help.stdout).contains("async call p(e);"));
    let version = dally(&["--version"], b"");
    assert!(text(&version.stdout).starts_with("dally "));
    let script = dally(&["completions", "bash"], b"");
    assert!(text(&script.stdout).contains("complete -F _dally"));
}

fn in_root(args: &[&str]) -> Output {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_dally")).args(args).current_dir(root).output().unwrap()
}

#[test]
fn the_readme_shows_what_is_printed() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let output = in_root(&["check", "examples/deposit.bpl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with(shown), "{}", text(&output.stdout));
    assert_eq!(in_root(&["print", "examples/deposit.bpl"]).status.code(), Some(0));
}

#[test]
fn a_trace_replays() {
    let folder = std::env::temp_dir().join(format!("dally-replay-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (program, trace) = (folder.join("p.bpl"), folder.join("t.json"));
    let (program, trace) = (program.to_str().unwrap(), trace.to_str().unwrap());
    std::fs::write(program, "var x: int; procedure main() { x := 1; assert x == 2; }").unwrap();
    assert_eq!(dally(&["check", "--trace", trace, program], b"").status.code(), Some(1));
    let replayed = dally(&["replay", trace], b"");
    assert_eq!(replayed.status.code(), Some(1));
    assert!(text(&replayed.stdout).starts_with("the bug is confirmed: an assertion does not hold"));
    let json = std::fs::read_to_string(trace).unwrap();
    for (from, to, why) in [
        ("\"policy\": \"rr\"", "\"policy\": \"best\"", "no scheduler `best`"),
        ("\"cost\": 0,\n  \"sch", "\"cost\": 3,\n  \"sch", "its cost is not"),
    ] {
        assert!(json.contains(from), "{json}");
        std::fs::write(trace, json.replace(from, to)).unwrap();
        let edited = dally(&["replay", trace], b"");
        assert!(text(&edited.stderr).contains(why), "{}", text(&edited.stderr));
    }
    std::fs::write(trace, json).unwrap();
    std::fs::write(trace, "{}").unwrap();
    assert!(text(&dally(&["replay", trace], b"").stderr).contains("is not a dally trace"));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A program with more states than fit in memory.
const HUGE: &[u8] = b"var x, y, z: int; procedure main() { x, y, z := 0, 0, 0; again: yield; goto a, b, c;
    a: x := x + 1; goto again; b: y := y + 1; goto again; c: z := z + 1; goto again; }";

#[test]
fn a_search_that_exhausts_its_budget_reports_its_coverage() {
    let memory = dally(&["check", "--memory", "16M", "-"], HUGE);
    assert_eq!(memory.status.code(), Some(3), "{}", text(&memory.stderr));
    assert!(text(&memory.stdout).starts_with("inconclusive: the memory is used up"));
    // A search for cycles on the fly.
    let hot = [&b"var {:hot} h: bool; "[..], HUGE].concat();
    let memory = dally(&["check", "--memory", "16M", "--liveness", "ndfs", "-"], &hot);
    assert!(
        text(&memory.stdout).starts_with("inconclusive: the memory is used up"),
        "{}",
        text(&memory.stdout)
    );
    let time = dally(&["check", "--time", "300ms", "-"], HUGE);
    assert!(text(&time.stdout).starts_with("inconclusive: the time is up"), "{}", text(&time.stdout));
    // One step with 2^64 outcomes.
    let wide = b"var a, b, c, d: bv16; procedure main() { assume a != b && c != d; }";
    let output = dally(&["check", "--time", "300ms", "-"], wide);
    assert!(text(&output.stdout).starts_with("inconclusive: the time is up"), "{}", text(&output.stdout));
    // Steps that exhaust the memory with values or with outcomes; and one that runs long.
    let large: [&[u8]; 2] = [
        b"procedure main() { var i: int; i := 1; while (i > 0) { i := i * 2; } }",
        b"procedure main() { while (*) { call {:async} main(); } }",
    ];
    for large in large {
        let output = dally(&["check", "--memory", "16M", "-"], large);
        let output = text(&output.stdout);
        assert!(output.starts_with("inconclusive: the memory is used up"), "{output}");
    }
    // The step has 256 executions of some million calls each. Its fuel suffices for many seconds, so that the clock ends
    // it first on any machine.
    let slow = b"function f(n: int, m: int): int { if n <= 0 then m else f(n - 1, m) + f(n - 2, m) }
                 procedure main() { var {:range 0, 255} x: int; havoc x; assert f(30, x) >= 0; }";
    let output = dally(&["check", "--time", "200ms", "-"], slow);
    assert!(text(&output.stdout).starts_with("inconclusive: the time is up"), "{}", text(&output.stdout));
}

/// Budgets hold while a program is read and compiled. The first limit is far below what the syntax tree takes, and the
/// second is over before the program is read.
#[test]
fn budgets_cover_reading_and_compiling() {
    let statements = "x := x + 1; ".repeat(400_000);
    let boogie = format!("var x: int; procedure main() modifies x; {{ {statements} }}");
    let folder = std::env::temp_dir().join(format!("dally-budgets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("large.p");
    let statements = "x = x + 1; ".repeat(400_000);
    let p = format!("machine Main {{ start state S {{ entry {{ var x: int; {statements} }} }} }}");
    std::fs::write(&file, p).unwrap();
    let p = file.to_str().unwrap();
    let early = "could be read and compiled";
    for (flags, input) in [(["check", "-"], boogie.as_bytes()), (["check", p], b"")] {
        let output = dally(&[flags[0], "--memory", "1M", flags[1]], input);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.starts_with("inconclusive: the memory is used up") && said.contains(early), "{said}");
    }
    for command in ["check", "verify"] {
        let output = dally(&[command, "--time", "1ms", "--json", "-"], boogie.as_bytes());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((output.status.code(), &report["verdict"]), (Some(3), &"inconclusive".into()), "{report}");
        assert!(report["message"].as_str().unwrap().contains("the time is up"), "{report}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bad_flags_are_explained() {
    let scheduler = dally(&["check", "--scheduler", "rrr", "-"], b"procedure main() { }");
    assert_eq!(scheduler.status.code(), Some(2));
    assert!(text(&scheduler.stderr).contains("rr"), "{}", text(&scheduler.stderr));
    let missing = dally(&["check", "--json", "does/not/exist.bpl"], b"");
    let report: serde_json::Value = serde_json::from_slice(&missing.stdout).unwrap();
    assert_eq!((&report["verdict"], &report["diagnostics"][0]["code"]), (&"error".into(), &"E0008".into()));
    let entry = dally(&["check", "--entry", "mian", "-"], b"procedure main() { }");
    assert_eq!(entry.status.code(), Some(2));
    assert!(text(&entry.stderr).contains("there is no procedure `mian` to start in"));
    assert_eq!(dally(&["check", "--time", "soon", "-"], b"").status.code(), Some(2));
}

#[test]
fn flags_without_effect_are_refused() {
    for (args, why) in [
        (&["--no-sample", "--seed", "7"][..], "--seed goes with `--scheduler random`"),
        (&["--bounded", "depth", "--scheduler", "rr"], "go with `--bounded delays`"),
        (&["--seed", "7", "--scheduler", "random:1"], "has a seed already"),
        (&["--bounded", "nothing", "--delays", "1"], "--delays is a bound"),
        (&["--scheduler", "rr;"], "a scheduler is missing"),
        (&["--exact", "--scheduler", "dfw"], "bound the delays, such as --delays 2"),
        (&["--exact", "--scheduler", "pct:1,3", "--delays", "2"], "leave out --exact, or give a --time"),
        (&["--scheduler", "bounded-bag:0"], "a bag without room"),
        (&["--scheduler", "nothing-like-it"], "and `portfolio`"),
        (&["--scheduler", "pct:1,4294967295"], "drawn from 1000 steps"),
        (&["--threads", "0"], "0 is not in 1..=1024"),
    ] {
        let output = dally(&[&["check"], args, &["-"]].concat(), b"procedure main() { }");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(why), "{args:?}: {}", text(&output.stderr));
    }
    for args in [
        &["--seed", "7", "--scheduler", "portfolio"][..],
        &["--exact", "--scheduler", "dfw", "--delays", "1"],
    ] {
        let output = dally(&[&["check"], args, &["-"]].concat(), b"procedure main() { }");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn seals_fix_only_the_order_of_schedulers() {
    let sealed = "var x: int;
        procedure p() { x := 1; yield; x := 2; }
        procedure q() { assert x != 1; }
        procedure {:entrypoint} main() { x := 0; SEAL call {:async} p(); call {:async} q(); yield; }";
    for (seal, flags, code) in [
        ("assume {:seal} true;", &[][..], 0),
        ("assume {:seal} true;", &["--bounded", "nothing"], 1),
        ("assume {:seal} true;", &["--bounded", "depth"], 1),
        ("assume {:seal} true;", &["--exact"], 0),
        ("if (*) { assume {:seal} true; }", &["--exact"], 1),
        ("assume {:seal} true; assume {:unseal} true;", &[], 1),
    ] {
        let folder = folder("seals", &[("seals.bpl", &sealed.replace("SEAL", seal))]);
        let (program, trace) = (folder.join("seals.bpl"), folder.join("trace.json"));
        let (program, trace) = (program.to_str().expect("text"), trace.to_str().expect("text"));
        let output = dally(&[&["check", "--trace", trace], flags, &[program]].concat(), b"");
        assert_eq!(output.status.code(), Some(code), "{seal} {flags:?}: {}", text(&output.stderr));
        if code == 1 {
            let again = dally(&["replay", trace], b"");
            assert_eq!(again.status.code(), Some(1), "{seal} {flags:?}: {}", text(&again.stderr));
        }
    }
}

#[test]
fn flags_of_other_translations_are_refused() {
    for (flags, says) in [
        ("--to lal-reps --delays 2", "--delays does not bound `lal-reps`: use --rounds"),
        ("--to buffers --delays 1", "--delays does not bound `buffers`: use --zields and --yields"),
        ("--to buffers --rounds 2", "--rounds does not bound `buffers`: use --zields and --yields"),
        ("--to synce --delays 1", "--delays does not bound `synce`: use --rounds"),
        ("--to synce --yields 1", "--yields does not bound `synce`: use --rounds"),
        ("--to synce --no-chains", "--no-chains is for `buffers`"),
        ("--to dfs --yields 2", "--yields does not bound `dfs`: use --delays or --rounds"),
        ("--to dfs --zields 2", "--zields does not bound `dfs`: use --delays or --rounds"),
        ("--to dfw --no-chains", "--no-chains is for `buffers`"),
        ("--no-chains", "`dfw` makes no chains of posts"),
        ("--delays 1000", "1000 is not in 0..=999"),
        ("--rounds 1001", "1001 is not in 1..=1000"),
    ] {
        let mut args = vec!["sequentialize", "-"];
        args.extend(flags.split(' '));
        let out = dally(&args, b"procedure main() {}");
        assert_eq!(out.status.code(), Some(2), "{flags}");
        assert!(text(&out.stderr).contains(says), "{flags}: {}", text(&out.stderr));
        assert!(out.stdout.is_empty(), "{flags}");
    }
    for flags in [
        "--to dfs --delays 1 --rounds 2",
        "--to buffers --zields 1 --yields 1 --no-chains",
        "--to synce --rounds 1",
    ] {
        let mut args = vec!["sequentialize", "-"];
        args.extend(flags.split(' '));
        assert_eq!(dally(&args, b"procedure main() {}").status.code(), Some(0), "{flags}");
    }
}

#[test]
fn help_shows_only_flags_with_an_effect() {
    for (command, shown) in [("check", true), ("verify", false), ("sequentialize", false)] {
        let help = dally(&[command, "--help"], b"");
        assert_eq!(text(&help.stdout).contains("--test"), shown, "{command}");
    }
    for command in ["verify", "sequentialize"] {
        let out = dally(&[command, "--test", "T", "-"], b"procedure main() {}");
        assert_eq!(out.status.code(), Some(2), "{command}");
        assert!(text(&out.stderr).contains("P programs"), "{command}: {}", text(&out.stderr));
    }
    let sequential = dally(&["verify", "--delays", "1", "--reorder", "-"], b"procedure main() {}");
    assert_eq!(sequential.status.code(), Some(0));
    let says = "the program is sequential: --delays and --reorder make no difference";
    assert!(text(&sequential.stderr).contains(says), "{}", text(&sequential.stderr));
}

#[test]
fn sequential_programs_can_be_explored() {
    let levels = "var a: bool;
                  procedure main() { a := false; call {:async} {:level 1} p(); yield; call {:async} q(); }
                  procedure p() { a := true; yield; call {:async} {:level 0} q(); }
                  procedure q() { call {:async} r(); }
                  procedure r() { assert a; }";
    let flat = "var a: bool;
                procedure main() { a := false; call {:async} p(); yield; assert a; }
                procedure p() { a := true; yield; assert a; }";
    for (program, flags, exit) in [
        (levels, "--to buffers --yields 1", 0),
        (&levels.replace("assert a", "assert !a"), "--to buffers --yields 1", 1),
        (&flat.replace("p(); yield", "{:level 1} p(); yield"), "--to buffers", 0),
        (flat, "--to buffers", 1),
        (flat, "--to dfs", 1),
        (flat, "--to dfw", 1),
    ] {
        let args: Vec<&str> = ["sequentialize", "-"].into_iter().chain(flags.split(' ')).collect();
        let sequential = dally(&args, program.as_bytes());
        let found = dally(&["check", "-"], &sequential.stdout);
        let says = format!("{}{}", text(&found.stdout), text(&found.stderr));
        assert_eq!(found.status.code(), Some(exit), "{flags} {program}: {says}");
    }
}

#[test]
fn a_portfolio_reports_the_coverage_of_each_scheduler() {
    let output = in_root(&["check", "--scheduler", "portfolio", "examples/deposit.bpl"]);
    for scheduler in ["rr", "rr:reverse", "rtc", "random:1"] {
        let covered = |end: &str| text(&output.stdout).contains(&format!("under {scheduler}{end}: "));
        assert!(covered("") || covered(" (not completed)"), "{}", text(&output.stdout));
    }
    let output = in_root(&["check", "--json", "--scheduler", "portfolio", "examples/deposit.bpl"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["others"].as_array().unwrap().len(), 3);
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let one = in_root(&["check", "--json", "--threads", "1", "examples/deposit.bpl"]);
    let two = in_root(&["check", "--json", "--threads", "2", "examples/deposit.bpl"]);
    let json = |o: &Output| serde_json::from_slice::<serde_json::Value>(&o.stdout).unwrap();
    assert_eq!(json(&one)["trace"], json(&two)["trace"]);
    assert_eq!(json(&one)["coverage"]["states"], json(&two)["coverage"]["states"]);
}

#[test]
fn a_bug_is_reported_even_if_its_trace_cannot_be_written() {
    let sealed = b"procedure a() { yield; assert false; }
                   procedure main() { assume {:seal} true; call {:async} a(); assume {:unseal} true; }";
    assert_eq!(dally(&["check", "-"], sealed).status.code(), Some(1));
    let choices = b"procedure main() { var x: int; havoc {:range 0, 3} x; assert x < 2; }";
    assert_eq!(dally(&["check", "--choice-cost", "-"], choices).status.code(), Some(1));
    // A number after the flag is its value.
    for (flags, cost) in
        [(&["--choice-cost", "0"][..], 0), (&["--choice-cost=0"], 0), (&["--choice-cost", "3"], 3)]
    {
        let output = dally(&[&["check", "--json"], flags, &["-"]].concat(), choices);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["trace"]["cost"], cost, "{flags:?}: {json}");
    }
    let too_long = "x".repeat(300);
    let unwritable = dally(&["check", "--trace", &too_long, "-"], choices);
    assert!(text(&unwritable.stdout).starts_with("bug: "));
    assert!(text(&unwritable.stderr).contains("cannot write"));
    assert_eq!(unwritable.status.code(), Some(1), "the exit code is that of the bug");
    // The first of many outcomes is explained without enumerating the others.
    let many = b"var m: [int]bool; procedure main() { var i: int; var b: bool; m := (lambda i: int :: false); i := 0;
                 while (i < 16) { havoc b; m[i] := b; i := i + 1; } assert false; }";
    assert_eq!(dally(&["check", "-"], many).status.code(), Some(1));
}

/// A temporary folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("dally-{name}-{}", std::process::id()));
    for (file, content) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

#[test]
fn p_projects_are_read_with_their_includes() {
    let folder = folder(
        "project",
        &[
            (
                "a/a.pproj",
                "<Project><InputFiles><PFile>./src/</PFile><PFile>t.p</PFile></InputFiles>\
              <IncludeProject>../b/b.pproj</IncludeProject></Project>",
            ),
            ("a/src/deep/main.p", "machine Main { start state S { entry { new Helper(); } } }"),
            ("a/src/._main.p", "\u{0}"),
            ("a/src/native/code.cs", ""),
            ("e/notes.txt", ""),
            ("a/t.p", "test One [main=Main]: { Main, Helper }; test Two [main=Main]: { Main, Helper };"),
            (
                "b/b.pproj",
                "<Project><PFile>b.p</PFile><IncludeProject>../a/a.pproj</IncludeProject></Project>",
            ),
            ("b/b.p", "machine Helper { start state S { } } test Own [main=Helper]: { Helper };"),
            ("c/c.pproj", "<Project></Project>"),
        ],
    );
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for program in [path("a/a.pproj"), path("a")] {
        let listed = dally(&["check", "--list-tests", &program], b"");
        assert_eq!(text(&listed.stdout), "One\nTwo\n", "{}", text(&listed.stderr));
        let json = dally(&["check", "--list-tests", "--json", &program], b"");
        assert_eq!(text(&json.stdout), "[\"One\",\"Two\"]\n");
        let checked = dally(&["check", "--test", "Two", &program], b"");
        assert!(text(&checked.stdout).starts_with("proved: "), "{}", text(&checked.stderr));
        let unknown = dally(&["check", "--test", "Twoo", &program], b"");
        assert!(text(&unknown.stderr).contains("did you mean `Two`?"), "{}", text(&unknown.stderr));
        assert!(text(&dally(&["check", &program], b"").stderr).contains("has 2 tests: One, Two"));
    }
    for (program, why) in [
        (path("c/c.pproj"), "error[E0612]: `"),
        (path("c"), "has no element `PFile`"),
        (path("e"), "there are no P programs here"),
        (path("d.pproj"), "error[E0008]: cannot read"),
        (path("none.p"), "error[E0008]: cannot read"),
    ] {
        let output = dally(&["check", &program], b"");
        assert_eq!(output.status.code(), Some(2), "{program}");
        assert!(text(&output.stderr).contains(why), "{program}: {}", text(&output.stderr));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_files_of_a_program_are_in_one_language() {
    let (c, p) = ("examples/c/bank_account.c", "examples/p/elevator_door.p");
    for (files, why) in [
        (
            [c, p],
            "cannot read `examples/p/elevator_door.p` as part of a C program: it belongs to a P program",
        ),
        ([p, c], "cannot read `examples/c/bank_account.c` as part of a P program: it belongs to a C program"),
        (
            ["-", c],
            "cannot read a C program from standard input (`-`): its files have names that end in `.c` or `.i`",
        ),
    ] {
        let output = in_root(&[&["check"], &files[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{files:?}");
        assert!(text(&output.stderr).contains(why), "{files:?}: {}", text(&output.stderr));
    }
}

#[test]
fn flags_are_for_one_language() {
    let example = "examples/p/elevator_door.p";
    for (args, why) in [
        (&["--preempt", example][..], " is for Boogie programs"),
        (&["--entry", "main", example], " is for Boogie programs"),
        (&["--test", "T", "examples/deposit.bpl"], " is for P programs"),
        (&["--list-tests", "examples/deposit.bpl"], " is for P programs"),
    ] {
        let output = in_root(&[&["check"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(why), "{args:?}: {}", text(&output.stderr));
    }
    let portfolio = in_root(&["check", "--scheduler", "portfolio", "examples/p/elevator_door_fixed.p"]);
    for scheduler in ["under rtc: ", "under rr: ", "under random:1: "] {
        assert!(text(&portfolio.stdout).contains(scheduler), "{}", text(&portfolio.stdout));
    }
}

#[test]
fn liveness_takes_one_of_its_values_or_none() {
    let retry = "examples/liveness/retry.p";
    for args in [
        &["check", retry][..],
        &["check", "--liveness", retry],
        &["check", "--liveness", "iterative-ndfs", retry],
        &["check", "--liveness=ndfs", retry],
        &["check", retry, "--liveness"],
    ] {
        let output = in_root(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains("cycle: these steps repeat for ever"), "{args:?}");
    }
    let output = in_root(&["check", "--liveness", "off", retry]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("liveness was not checked"), "{}", text(&output.stdout));
    for args in [
        &["check", "--liveness=never", retry][..],
        &["check", "--liveness", "off", "--unfair", retry],
        &["check", "--liveness", "--exact", retry],
        &["check", "--liveness", "--bounded", "depth", retry],
        &["check", "--unfair", "examples/deposit.bpl"],
    ] {
        assert_eq!(in_root(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_trace_with_a_wrong_cycle_does_not_replay() {
    let file = std::env::temp_dir().join(format!("dally-loop-{}.json", std::process::id()));
    let path = file.to_str().unwrap();
    let found = in_root(&["check", "--unfair", "--trace", path, "examples/liveness/retry_fixed.p"]);
    assert_eq!(found.status.code(), Some(1), "{}", text(&found.stderr));
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(in_root(&["replay", path]).status.code(), Some(1));
    // The cycle is unfair to `$$`, and starts at neither of the other steps.
    let (never_taken, moves_on) =
        ("it never takes some option of a fair choice", "does not end in the state in which it begins");
    for (field, value, why) in
        [("unfair", false.into(), never_taken), ("loop", 0.into(), moves_on), ("loop", 1000.into(), moves_on)]
    {
        let mut changed = trace.clone();
        let place = if field == "loop" { &mut changed["schedule"] } else { &mut changed };
        place[field] = value;
        std::fs::write(&file, changed.to_string()).unwrap();
        let output = in_root(&["replay", path]);
        assert_eq!(output.status.code(), Some(2), "{field}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn empty_names_are_refused() {
    for (flags, why) in [
        (&["--trace", "-"][..], "--trace: `-` is not a file"),
        (&["--trace", ""], "--trace: the name of the file is empty"),
        (&["--solver", " "], "--solver: it names no solver"),
    ] {
        let (code, said) = common::verify("procedure main() { }", flags);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
}
