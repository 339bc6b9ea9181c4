//! Runs `dally verify` on the tests of Corral.
//!
//! ```text
//! corral PATH/test [DALLY]
//! ```
//!
//! `Files` in `regression` and `fwdbck` lists programs with a bug (`b`) and correct ones (`c`).
//! Corral's flags, in the `config` of a program, are translated. DALLY is the path of the program;
//! by default it is in the folder of this benchmark.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A program, its expected verdict, and flags.
struct Case {
    name: String,
    expected: char,
    flags: Vec<String>,
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let ([root] | [root, _]) = &args[..] else { return println!("usage: corral PATH/test [DALLY]") };
    let root = PathBuf::from(root);
    let dally = match dally_bench::dally(args.get(1).map(String::as_str)) {
        Ok(dally) => dally,
        Err(missing) => return println!("{missing}"),
    };
    let cases: Vec<Case> = ["regression", "fwdbck"].iter().flat_map(|suite| cases(&root, suite)).collect();
    let (mut same, mut slowest) = (0, 0.0f64);
    println!("| program | recorded | dally | seconds |\n|---|---|---|---|");
    for case in &cases {
        let started = Instant::now();
        let output = Command::new(&dally).arg("verify").args(&case.flags).output();
        let seconds = started.elapsed().as_secs_f64();
        let found = match output.ok().and_then(|o| o.status.code()) {
            Some(0) => 'c',
            Some(1) => 'b',
            _ => '?',
        };
        same += usize::from(found == case.expected);
        slowest = slowest.max(seconds);
        let mark = if found == case.expected { "" } else { " **" };
        println!("| {} | {} | {found}{mark} | {seconds:.2} |", case.name, case.expected);
    }
    println!("\n{same} of {} as recorded; the slowest took {slowest:.1} s", cases.len());
}

fn cases(root: &Path, suite: &str) -> Vec<Case> {
    let list = std::fs::read_to_string(root.join(suite).join("Files")).unwrap_or_default();
    let case = |line: &str| {
        let mut words = line.split_whitespace();
        let file = words.next()?.replace('\\', "/");
        let expected = words.next()?.chars().next()?;
        let flags = flags(&root.join(suite).join(&file));
        Some(Case { name: format!("{suite}/{file}"), expected, flags })
    };
    list.lines().filter_map(case).collect()
}

/// Translates Corral's flags to those of `dally verify`.
fn flags(program: &Path) -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(program.with_file_name(name)).unwrap_or_default();
    let config = read("config") + "\n" + &read("config.txt");
    let mut words: Vec<&str> = config.split(|c: char| c.is_whitespace()).filter(|w| !w.is_empty()).collect();
    words.dedup();
    let value = |flag: &str| words.iter().find_map(|w| w.strip_prefix(flag)).map(str::to_owned);
    // Corral unrolls loops further where it needs to, without a flag.
    let recursion = value("/recursionBound:").or_else(|| value("/maxStaticLoopBound:"));
    let mut flags: Vec<String> =
        ["--scheduler", "lal-reps", "--time", "60s", "--rounds"].map(Into::into).into();
    flags.push(value("/k:").unwrap_or_else(|| "1".into()));
    flags.extend(["--recursion".into(), recursion.unwrap_or_else(|| "1".into())]);
    if !words.contains(&"/cooperative") {
        flags.push("--preempt".into());
    }
    for (theirs, ours) in [("/main:", "--entry"), ("/stackDepthBound:", "--calls")] {
        flags.extend(value(theirs).into_iter().flat_map(|v| [ours.to_owned(), v]));
    }
    flags.push(program.display().to_string());
    let parts =
        words.iter().filter_map(|w| w.strip_prefix("/concat:")).map(|name| program.with_file_name(name));
    flags.extend(parts.filter(|part| part != program).map(|part| part.display().to_string()));
    flags
}
