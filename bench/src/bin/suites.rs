//! Runs `dally verify` on public suites of Boogie programs.
//!
//! ```text
//! suites corral PATH/test | c2s PATH/test/old/regressions | boogie PATH/Test
//!        [--seconds N] [--only TEXT] [--dally PATH]
//! ```
//!
//! Corral's `Files` list programs with a bug and correct ones; Corral's flags are translated. Programs of its other suites have
//! no recorded result: they start where they say, or in each procedure that has a body. The comments of c2s's programs have
//! their options and results. Boogie's programs are verified by contracts (`--modular`), if Boogie's flags mean that: so many
//! procedures must be verified as Boogie has recorded, and each bug must be at a line that it reports. The percentage of decided
//! programs is printed with the number of programs that are left out, by reason: those in folders about Civl and termination, with
//! constructs of Civl, without a recorded result of verification, and with flags of Boogie that do something else.
//!
//! Columns: *decided* programs have a verdict for each entry point, as recorded if there is a record; *stronger* ones too, but
//! a procedure is proved for which Boogie reports an error; *wrong* verdicts contradict the record; for the others, the verdict of
//! an entry point is missing. *Bugs* counts entry points; a bug is always replayed. `--seconds` limits each
//! program, 120 unless it is given; `--only` selects programs by a part of their names; DALLY is the program, by default the one
//! beside this benchmark.

use std::collections::BTreeMap;
use std::path::Path;

use dally_bench::verify_suites::{self, Case, Outcome, Suite};

struct Arguments {
    cases: Vec<Case>,
    left_out: BTreeMap<String, usize>,
    seconds: u64,
    dally: Option<String>,
}

fn arguments() -> Option<Arguments> {
    let mut words = std::env::args().skip(1);
    let (mut positional, mut seconds, mut only, mut dally) = (Vec::new(), 120, None, None);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => seconds = words.next()?.parse().ok()?,
            "--only" => only = Some(words.next()?),
            "--dally" => dally = Some(words.next()?),
            _ => positional.push(word),
        }
    }
    let [suite, root] = <[String; 2]>::try_from(positional).ok()?;
    let root = Path::new(&root);
    let all = |cases| Suite { cases, left_out: BTreeMap::new() };
    let Suite { mut cases, left_out } = match suite.as_str() {
        "corral" => all(verify_suites::corral(root)),
        "c2s" => all(verify_suites::c2s(root)),
        "boogie" => verify_suites::boogie(root),
        _ => return None,
    };
    cases.retain(|case| only.as_ref().is_none_or(|only| case.name.contains(only)));
    Some(Arguments { cases, left_out, seconds, dally })
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let Some(Arguments { cases, left_out, seconds, dally }) = arguments() else {
        return println!("usage: suites corral|c2s|boogie PATH [--seconds N] [--only TEXT] [--dally PATH]");
    };
    let dally = match dally_bench::dally(dally.as_deref()) {
        Ok(dally) => dally,
        Err(missing) => return println!("{missing}"),
    };
    let mut runs = Vec::new();
    for case in &cases {
        let run = verify_suites::run(&dally, case, seconds);
        if run.outcome != Outcome::Decided {
            println!(
                "{}: {} ({:.1} s): {}",
                verify_suites::word(run.outcome),
                case.name,
                run.seconds,
                run.detail
            );
        }
        runs.push(run);
    }
    println!("\n{}", verify_suites::table(&runs));
    let all: Vec<_> =
        runs.iter().map(|run| verify_suites::Run { suite: "all".to_owned(), ..run.clone() }).collect();
    println!("{}", verify_suites::table(&all));
    println!("{}", verify_suites::summary(&runs));
    for (reason, programs) in left_out {
        println!("left out: {programs} programs, {reason}");
    }
}
