//! Speed of `dally verify`, compared with the times that the papers report for their tools.
//!
//! ```text
//! verifier [DALLY]
//! ```
//!
//! - \[SPIN14\] Fig. 9: a chain of N awaited calls, each of which increments a global, and an
//!   assertion on it (c2s and Corral).
//! - \[FSE12\] Figs. 7 and 8 for several N, with `buffers` and with `synce` (ASYNCCHECKER and
//!   SYNCE), with the number of yields of the paper; zields and rounds are deepened iteratively.
//! - \[FSE12 §6\] third experiment: a driver and its hardware that drop a read request; the
//!   assertion is that none is dropped.
//! - A generated program of 5,000 lines with 200 procedures, whose assertion is 30 calls deep: lazy
//!   and full inlining.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

const FIG_7: &str = include_str!("../../../examples/fse12_fig7.bpl");
const FIG_8: &str = include_str!("../../../examples/fse12_fig8.bpl");
const DRIVER: &str = include_str!("../../../examples/driver.bpl");

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let dally = match dally_bench::dally(std::env::args().nth(1).as_deref()) {
        Ok(dally) => dally,
        Err(missing) => return println!("{missing}"),
    };
    println!("| program | flags | verdict | seconds | paper |\n|---|---|---|---|---|");
    for (n, paper) in [(10, "0.8"), (50, "2.1"), (200, "58.9"), (1000, "")] {
        show(&dally, &format!("Fig. 9, N = {n}"), &chain(n), "--delays 0", paper);
    }
    show(
        &dally,
        "Fig. 9, N = 10",
        &chain(10),
        "--scheduler df --delays 10",
        "more than 100; Corral 2020: 4.0",
    );
    let paper = |figures: &[&'static str], n: usize| figures.get(n - 1).copied().unwrap_or("");
    for n in 1..=10 {
        let text = FIG_7.replace("axiom N == 3;", &format!("axiom N == {n};"));
        let figure = paper(&["1.2", "1.2", "1.25", "1.34"], n);
        show(&dally, &format!("Fig. 7, N = {n}"), &text, "--yields 1 --time 60s", figure);
        if n <= 4 {
            let figure = paper(&["1.5", "2.1", "13.6", "384.2"], n);
            show(&dally, &format!("Fig. 7, N = {n}"), &text, "--scheduler synce --time 20s", figure);
        }
    }
    for n in 1..=6 {
        let text = FIG_8.replace("assert x != 4;", &format!("assert x != {};", 2 * n));
        let figure = paper(&["1.1", "1.7", "7.23", "256.6"], n);
        show(&dally, &format!("Fig. 8, N = {n}"), &text, "--yields 1 --time 60s", figure);
        if n <= 3 {
            show(&dally, &format!("Fig. 8, N = {n}"), &text, "--scheduler synce --time 20s", "");
        }
    }
    let driver = DRIVER.replace("  finished := 0; //", "  assert finished == n;\n  finished := 0; //");
    show(&dally, "driver", &driver, "--yields 1 --time 60s", "440");
    let deep = deep(200, 30);
    let lazy = show(&dally, "200 procedures", &deep, "--recursion 1 --time 60s", "");
    let full = show(&dally, "200 procedures", &deep, "--recursion 1 --time 60s --full-inlining", "");
    println!(
        "\nfull inlining took {:.1} times as long as lazy inlining, or reached the time limit",
        full / lazy
    );
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn show(dally: &PathBuf, name: &str, text: &str, flags: &str, paper: &str) -> f64 {
    let file = std::env::temp_dir().join(format!("dally-verifier-{}.bpl", std::process::id()));
    if std::fs::write(&file, text).is_err() {
        return f64::NAN;
    }
    let started = Instant::now();
    let output = Command::new(dally).arg("verify").args(flags.split_whitespace()).arg(&file).output();
    let seconds = started.elapsed().as_secs_f64();
    let _ = std::fs::remove_file(&file);
    let stdout = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let verdict = stdout.split(':').next().unwrap_or("").lines().next().unwrap_or("");
    println!("| {name} | {flags} | {verdict} | {seconds:.2} | {paper} |");
    seconds
}

/// Nested awaited calls.
fn chain(n: usize) -> String {
    let wait = |i: usize| format!("call {{:async}} t := p{i}(); call wait(t);");
    let mut text =
        format!("var g: int;\nprocedure main() {{ var t: task; g := 0; {} assert g == {n}; }}\n", wait(1));
    for i in 1..=n {
        let next = if i < n { wait(i + 1) } else { String::new() };
        let _ = writeln!(text, "procedure p{i}() {{ var t: task; g := g + 1; {next} }}");
    }
    text
}

/// Procedures of 25 lines. The first `depth` form a chain of calls, and an assertion fails in the
/// last of them. All procedures also call others, which are irrelevant to the assertion.
fn deep(procedures: usize, depth: usize) -> String {
    let mut text =
        String::from("var g: int;\nvar h: int;\n\nprocedure main()\n{\n  havoc g;\n  call p0(g);\n}\n");
    for i in 0..procedures {
        let _ = writeln!(text, "\nprocedure p{i}(x: int)\n{{\n  var y: int;\n  y := x;");
        for line in 0..14 {
            let _ = writeln!(text, "  if (y > {}) {{ h := h + y; }}", line * 7 + i);
        }
        if i + 1 < depth {
            let _ = writeln!(text, "  if (x == {i}) {{ call p{}(x + 1); }}", i + 1);
        }
        if i + 1 == depth {
            let _ = writeln!(text, "  assert x != {i};");
        }
        // Irrelevant calls: no assertion, and much to inline.
        let irrelevant =
            if i < depth { vec![depth + i % 5, depth + 5 + i % 7] } else { vec![i + 17, i + 23, i + 31] };
        for callee in irrelevant.into_iter().filter(|callee| *callee < procedures) {
            let _ = writeln!(text, "  if (h == {callee}) {{\n    call p{callee}(h);\n  }}");
        }
        text.push_str("  g := g + 1;\n}\n");
    }
    text
}
