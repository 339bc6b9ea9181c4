//! Public suites of Boogie programs, run with `dally verify`: cases, outcomes and tables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::files;

/// A program of a suite.
#[derive(Clone, Debug)]
pub struct Case {
    /// The suite, a row of the table.
    pub suite: String,
    /// The program, as reports name it.
    pub name: String,
    /// The flags of `dally verify`, with the files.
    pub flags: Vec<String>,
    /// The recorded result.
    pub expected: Expected,
}

/// The result that a suite has recorded for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// None.
    Unknown,
    /// No execution fails.
    Clean,
    /// An execution fails.
    Bug,
    /// Boogie's own: so many procedures are verified, and there are errors at these lines.
    Modular {
        /// The procedures without an error.
        verified: usize,
        /// True if there are errors.
        errors: bool,
        /// The lines of errors, and those related to them.
        lines: BTreeSet<u64>,
        /// The procedures in whose text there are errors.
        failing: BTreeSet<String>,
    },
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// A verdict for each entry point, as recorded.
    Decided,
    /// No verdict for an entry point.
    Inconclusive,
    /// A construct that is not supported.
    Unsupported,
    /// The program is rejected.
    Rejected,
    /// A procedure is proved for which Boogie reports an error: it may not find the proof.
    Stronger,
    /// A verdict that contradicts the recorded one.
    Wrong,
    /// The output cannot be read, or the program has crashed.
    Crashed,
}

/// The columns of the table.
const COLUMNS: [(Outcome, &str); 7] = [
    (Outcome::Decided, "decided"),
    (Outcome::Stronger, "stronger"),
    (Outcome::Inconclusive, "inconclusive"),
    (Outcome::Unsupported, "unsupported"),
    (Outcome::Rejected, "rejected"),
    (Outcome::Wrong, "wrong"),
    (Outcome::Crashed, "crashed"),
];

/// The result for one entry point.
struct Result {
    entry: String,
    verdict: String,
    message: String,
    line: Option<u64>,
}

/// A run of a case.
#[derive(Clone, Debug)]
pub struct Run {
    /// The suite.
    pub suite: String,
    /// The result of the run.
    pub outcome: Outcome,
    /// The number of bugs, all of them replayed.
    pub bugs: usize,
    /// Why it is not decided, or what is wrong.
    pub detail: String,
    /// The time that it took.
    pub seconds: f64,
}

/// Runs `dally verify` on a case, for at most this many seconds.
pub fn run(dally: &Path, case: &Case, seconds: u64) -> Run {
    let started = Instant::now();
    let mut command = Command::new(dally);
    command.args(["verify", "--json", "--memory", "3G", "--time", &format!("{seconds}s")]).args(&case.flags);
    let output = command.output();
    let seconds = started.elapsed().as_secs_f64();
    let text = output.as_ref().map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let errors = output.map(|o| String::from_utf8_lossy(&o.stderr).into_owned()).unwrap_or_default();
    let results: Option<Vec<Result>> = text.lines().map(read).collect();
    let (outcome, detail) = match results.as_deref() {
        Some([]) | None => (Outcome::Crashed, errors.lines().next().unwrap_or("no output").to_owned()),
        Some(results) => judge(results, &case.expected),
    };
    let bugs = results.iter().flatten().filter(|r| r.verdict == "bug").count();
    Run { suite: case.suite.clone(), outcome, bugs, detail, seconds }
}

/// One line of the output.
fn read(line: &str) -> Option<Result> {
    let json: serde_json::Value = serde_json::from_str(line).ok()?;
    let entry = json["entry"].as_str().unwrap_or("").to_owned();
    let prefix = if entry.is_empty() { String::new() } else { format!("{entry}: ") };
    let message: String = json["message"].as_str().unwrap_or("").chars().take(240).collect();
    Some(Result {
        entry,
        verdict: json["verdict"].as_str()?.to_owned(),
        message: prefix + &message.replace('\n', " "),
        line: json["failure"]["location"]["line"].as_u64(),
    })
}

/// Compares the results of all entry points with the recorded one.
fn judge(results: &[Result], expected: &Expected) -> (Outcome, String) {
    let is = |result: &&Result, words: &[&str]| words.contains(&result.verdict.as_str());
    let bugs: Vec<&Result> = results.iter().filter(|r| is(r, &["bug"])).collect();
    let clean = results.iter().filter(|r| is(r, &["proved", "no-bug"])).count();
    let undecided = [
        ("inconclusive", Outcome::Inconclusive),
        ("unsupported", Outcome::Unsupported),
        ("error", Outcome::Rejected),
    ];
    let undecided = undecided.iter().find_map(|(word, outcome)| {
        Some((*outcome, results.iter().find(|r| is(r, &[word]))?.message.clone()))
    });
    let wrong = match expected {
        Expected::Unknown => None,
        Expected::Clean => bugs.first().map(|bug| bug.message.clone()),
        Expected::Bug => (clean == results.len()).then(|| "the recorded bug is missed".to_owned()),
        Expected::Modular { verified, errors, lines, .. } => {
            // An error may be reported without its place, by the message of `{:msg}`.
            let is_known =
                |bug: &&&Result| lines.is_empty() || bug.line.is_some_and(|line| lines.contains(&line));
            let unknown = if *errors { bugs.iter().find(|bug| !is_known(bug)) } else { bugs.first() };
            match unknown {
                Some(bug) => Some(format!("not recorded: {}", bug.message)),
                None if undecided.is_none() && clean < *verified => {
                    Some(format!("{clean} procedures are verified, {verified} are recorded"))
                }
                None => None,
            }
        }
    };
    match (wrong, undecided) {
        (Some(detail), _) => (Outcome::Wrong, detail),
        (None, Some(undecided)) => undecided,
        (None, None) => match expected {
            Expected::Modular { verified, failing, .. } => match beyond(results, failing) {
                proved if !proved.is_empty() => (
                    Outcome::Stronger,
                    format!("proved, though Boogie reports an error: {}", proved.join(", ")),
                ),
                _ if clean > *verified => {
                    (Outcome::Stronger, format!("{clean} procedures are verified, {verified} are recorded"))
                }
                _ => (Outcome::Decided, String::new()),
            },
            _ => (Outcome::Decided, String::new()),
        },
    }
}

/// The procedures that are proved, all bodies of them, and have an error in Boogie's record.
fn beyond(results: &[Result], failing: &BTreeSet<String>) -> Vec<String> {
    let proves = |name: &&String| {
        let is_own = |result: &&Result| {
            let rest = result.entry.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("$implementation"))
        };
        let mut own = results.iter().filter(is_own).peekable();
        own.peek().is_some() && own.all(|result| ["proved", "no-bug"].contains(&result.verdict.as_str()))
    };
    failing.iter().filter(proves).cloned().collect()
}

/// The percentage of programs that are decided, and what is counted.
pub fn summary(runs: &[Run]) -> String {
    let count = |outcome| runs.iter().filter(|run| run.outcome == outcome).count();
    let percent = |n: usize| 100.0 * n as f64 / runs.len().max(1) as f64;
    let (decided, stronger) = (count(Outcome::Decided), count(Outcome::Stronger));
    format!(
        "{} of {} programs ({:.1} %) have a verdict for each entry point: {decided} ({:.1} %) as recorded, and {stronger} in \
         which a procedure is proved for which Boogie finds no proof. {} are wrong.",
        decided + stronger,
        runs.len(),
        percent(decided + stronger),
        percent(decided),
        count(Outcome::Wrong),
    )
}

/// The table: a row for each suite.
pub fn table(runs: &[Run]) -> String {
    let mut suites: Vec<&str> = Vec::new();
    for run in runs {
        if !suites.contains(&run.suite.as_str()) {
            suites.push(&run.suite);
        }
    }
    let row = |suite: &str| {
        let own: Vec<&Run> = runs.iter().filter(|run| run.suite == suite).collect();
        let count = |outcome| own.iter().filter(|run| run.outcome == outcome).count();
        let mut seconds: Vec<f64> = own.iter().map(|run| run.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let mut cells = vec![suite.to_owned(), own.len().to_string()];
        cells.extend(COLUMNS.iter().map(|(outcome, _)| count(*outcome).to_string()));
        cells.push(own.iter().map(|run| run.bugs).sum::<usize>().to_string());
        cells.push(format!("{:.2}", seconds.get(seconds.len() / 2).copied().unwrap_or(0.0)));
        cells.push(format!("{:.1}", seconds.last().copied().unwrap_or(0.0)));
        cells
    };
    let mut header = vec!["suite", "programs"];
    header.extend(COLUMNS.iter().map(|(_, word)| *word));
    header.extend(["bugs", "median s", "slowest s"]);
    crate::table(&header, &suites.into_iter().map(row).collect::<Vec<_>>())
}

/// The word for an outcome.
pub fn word(outcome: Outcome) -> &'static str {
    COLUMNS.iter().find(|(other, _)| *other == outcome).map_or("", |(_, word)| word)
}

fn read_text(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Corral's tests. Those of `regression` and `fwdbck` have recorded results; the others start where they say, or in each
/// procedure that has a body.
pub fn corral(root: &Path) -> Vec<Case> {
    let listed = ["regression", "fwdbck"].iter().flat_map(|suite| listed(root, suite));
    let others = [
        "AliasAnalysis",
        "av-regressions",
        "propinst-regressions",
        "old-regressions/c-smack",
        "old-regressions/c#",
        "old-regressions/sdv",
    ];
    let others = others.iter().flat_map(|suite| {
        let files =
            files::below(&root.join(suite), "bpl").into_iter().filter(|file| has_body(&read_text(file)));
        files.map(|file| Case {
            suite: (*suite).to_owned(),
            name: shown(root, &file),
            flags: [start(&file), vec![file.display().to_string()]].concat(),
            expected: Expected::Unknown,
        })
    });
    listed.chain(others).collect()
}

/// Some files are parts of programs, and have declarations only.
fn has_body(text: &str) -> bool {
    text.contains('{') && text.contains("assert") || text.contains("implementation")
}

fn shown(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

/// Where a program starts that does not say so: in each procedure that has a body. A large program of SMACK starts in its main
/// procedure. Corral always has a bound on recursion, 1 by default.
fn start(file: &Path) -> Vec<String> {
    let text = read_text(file);
    let is_main = |line: &str| {
        let line = line.trim_start();
        (line.starts_with("procedure") || line.starts_with("implementation")) && line.contains(" main(")
    };
    let says = text.contains("{:entrypoint") || text.lines().any(is_main);
    let entry = match says {
        true => None,
        false if text.contains(" uorb_main(") => Some("uorb_main"),
        false => Some("*"),
    };
    let mut flags: Vec<String> = ["--recursion", "2"].map(Into::into).into();
    flags.extend(entry.into_iter().flat_map(|entry| ["--entry".to_owned(), entry.to_owned()]));
    flags
}

/// The programs of a list of Corral: `b` for a bug, `c` for a correct program.
fn listed(root: &Path, suite: &str) -> Vec<Case> {
    let case = |line: &str| {
        let mut words = line.split_whitespace();
        let file = words.next()?.replace('\\', "/");
        let expected = match words.next()?.chars().next()? {
            'b' => Expected::Bug,
            'c' => Expected::Clean,
            _ => Expected::Unknown,
        };
        let flags = corral_flags(&root.join(suite).join(&file));
        Some(Case { suite: suite.to_owned(), name: format!("{suite}/{file}"), flags, expected })
    };
    read_text(&root.join(suite).join("Files")).lines().filter_map(case).collect()
}

/// Translates Corral's flags, in the `config` of a program, to those of `dally verify`.
fn corral_flags(program: &Path) -> Vec<String> {
    let read = |name: &str| read_text(&program.with_file_name(name));
    let config = read("config") + "\n" + &read("config.txt");
    let mut words: Vec<&str> = config.split_whitespace().collect();
    words.dedup();
    let value = |flag: &str| words.iter().find_map(|w| w.strip_prefix(flag)).map(str::to_owned);
    // Corral unrolls loops further where it needs to, without a flag.
    let recursion = value("/recursionBound:").or_else(|| value("/maxStaticLoopBound:"));
    let mut flags: Vec<String> = ["--scheduler", "lal-reps", "--rounds"].map(Into::into).into();
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

/// The old regression tests of c2s, with the options in their comments. Its bounds are those of `dally verify`; in R rounds, a
/// task has at most R - 1 delays.
pub fn c2s(root: &Path) -> Vec<Case> {
    let case = |file: PathBuf| {
        let text = read_text(&file);
        let after = |marker: &str| -> Vec<String> {
            let lines = text.lines().filter_map(|line| line.split_once(marker));
            lines.flat_map(|(_, rest)| rest.split_whitespace().map(str::to_owned)).collect()
        };
        let expected = match after("@c2s-expected").first().map(String::as_str) {
            Some("Verified") => Expected::Clean,
            Some("Got") => Expected::Bug,
            _ => Expected::Unknown,
        };
        let mut flags = after("@c2s-options");
        let value = |flags: &[String], flag: &str| {
            let at = flags.iter().position(|word| word == flag)?;
            flags.get(at + 1).cloned()
        };
        if let (None, Some(rounds)) = (value(&flags, "--delays"), value(&flags, "--rounds")) {
            let delays = rounds.parse::<u64>().unwrap_or(1).saturating_sub(1);
            flags.extend(["--delays".to_owned(), delays.to_string()]);
        }
        // The limit of the benchmark applies instead.
        if let Some(at) = flags.iter().position(|word| word == "--timeout") {
            flags.drain(at..flags.len().min(at + 2));
        }
        flags.push(file.display().to_string());
        Case { suite: "c2s".to_owned(), name: shown(root, &file), flags, expected }
    };
    files::below(root, "bpl").into_iter().map(case).collect()
}

/// Flags of Boogie with which it does something else than verify each procedure by its contract.
const OTHERWISE: [&str; 17] = [
    "noVerify",
    "infer",
    "instrumentInfer",
    "contractInfer",
    "inline:",
    "inlineDepth",
    "loopUnroll",
    "soundLoopUnrolling",
    "stratifiedInline",
    "extractLoops",
    "smoke",
    "proc:",
    "verifySnapshots",
    "doModSetAnalysis",
    "inferModifies",
    "proverOpt:PROVER_PATH",
    "trackVerificationCoverage",
];

/// Folders of Boogie's tests about something else: Civl, and termination.
const ELSEWHERE: [&str; 2] = ["civl", "measure"];

/// Constructs of Civl, in programs of other folders.
const CIVL: [&str; 3] = ["{:linear", "Map_Get(", "{:layer"];

/// The programs of a suite, and how many are left out, by reason.
pub struct Suite {
    /// The programs that are run.
    pub cases: Vec<Case>,
    /// The reasons why others are not, with their number.
    pub left_out: BTreeMap<String, usize>,
}

/// Boogie's tests, if Boogie verifies each procedure by its contract.
pub fn boogie(root: &Path) -> Suite {
    let library = root.with_file_name("Source").join("Core");
    let mut suite = Suite { cases: Vec::new(), left_out: BTreeMap::new() };
    for program in files::below(root, "bpl") {
        match boogie_case(root, &library, &program) {
            Ok(case) => suite.cases.push(case),
            Err(reason) => *suite.left_out.entry(reason).or_default() += 1,
        }
    }
    suite
}

/// A program, or the reason why it is left out.
fn boogie_case(root: &Path, library: &Path, program: &Path) -> std::result::Result<Case, String> {
    let elsewhere =
        ELSEWHERE.iter().find(|name| program.components().any(|c| c.as_os_str() == Path::new(name)));
    if let Some(folder) = elsewhere {
        return Err(format!("in the folder `{folder}`"));
    }
    let text = read_text(program);
    if CIVL.iter().any(|word| text.contains(word)) {
        return Err("uses constructs of Civl".to_owned());
    }
    let runs: Vec<&str> =
        text.lines().filter(|line| line.contains("RUN:") && line.contains("boogie")).collect();
    let words: Vec<&str> = runs.iter().flat_map(|line| line.split_whitespace()).collect();
    let flags: Vec<&str> = words.iter().filter_map(|w| w.strip_prefix(['-', '/'])).collect();
    if runs.is_empty() {
        return Err("not run by Boogie's tests itself".to_owned());
    }
    if let Some(flag) = OTHERWISE.iter().find(|other| flags.iter().any(|flag| flag.starts_with(*other))) {
        return Err(format!("Boogie's flag `{}` does something else", flag.trim_end_matches(':')));
    }
    let expected = ["bpl.expect", "bpl.p.expect"].iter().find_map(|extension| {
        recorded(&read_text(&program.with_extension(extension)), &files::name(program), &text)
    });
    let Some(expected) = expected else {
        return Err("no result of verification is recorded, or a time-out".to_owned());
    };
    let libraries = flags.iter().filter_map(|flag| flag.strip_prefix("lib:"));
    let libraries: BTreeSet<PathBuf> = libraries.map(|name| library.join(format!("{name}.bpl"))).collect();
    let mut arguments = vec!["--modular".to_owned(), program.display().to_string()];
    arguments.extend(libraries.iter().map(|path| path.display().to_string()));
    let folder = program.strip_prefix(root).ok().and_then(|path| path.components().next());
    Ok(Case {
        suite: folder.map(|c| c.as_os_str().to_string_lossy().into_owned()).unwrap_or_default(),
        name: shown(root, program),
        flags: arguments,
        expected,
    })
}

/// The recorded output of Boogie; none if it does not end with a result.
fn recorded(output: &str, file: &str, text: &str) -> Option<Expected> {
    let result =
        output.lines().find_map(|line| line.strip_prefix("Boogie program verifier finished with "))?;
    let mut words = result.split_whitespace();
    let verified = words.next()?.parse().ok()?;
    let errors = words.nth(1)? != "0";
    if verified == 0 && !errors {
        return None;
    }
    // Other counts, such as those of time-outs, are of Boogie and its solver.
    if result.contains("time out") || result.contains("out of") || result.contains("inconclusive") {
        return None;
    }
    let prefix = format!("{file}(");
    let at = |line: &str| line.strip_prefix(&prefix)?.split([',', ')']).next()?.parse().ok();
    let failing = output.lines().filter(|line| line.contains(": Error: ")).filter_map(at);
    let failing = failing.filter_map(|line| procedure_at(text, line)).collect();
    Some(Expected::Modular { verified, errors, lines: output.lines().filter_map(at).collect(), failing })
}

/// The name of the procedure whose text has a line.
fn procedure_at(text: &str, line: u64) -> Option<String> {
    let declared = |line: &str| {
        let line = line.trim_start().trim_start_matches("pure ");
        let rest = line.strip_prefix("procedure").or_else(|| line.strip_prefix("implementation"))?;
        // Attributes have braces, and no parentheses that matter here.
        let rest =
            rest.rsplit_once("} ").filter(|(before, _)| !before.contains('(')).map_or(rest, |(_, r)| r);
        Some(rest.trim().split(['(', '<']).next()?.trim().to_owned())
    };
    text.lines().take(usize::try_from(line).ok()?).filter_map(declared).last().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(verdict: &str, line: u64) -> Result {
        let entry = "p".to_owned();
        Result { entry, verdict: verdict.to_owned(), message: String::new(), line: Some(line) }
    }

    #[test]
    fn an_error_is_one_of_the_procedure_around_it() {
        let text = "procedure {:x \"}\"} p(a: int)\n{\n}\n  implementation q<a>(x: a)\n{\n}\n";
        assert_eq!(procedure_at(text, 2).as_deref(), Some("p"));
        assert_eq!(procedure_at(text, 5).as_deref(), Some("q"));
        let failing = ["p".to_owned()].into();
        assert_eq!(beyond(&[result("proved", 0)], &failing), ["p"]);
        assert!(beyond(&[result("bug", 0)], &failing).is_empty());
    }

    #[test]
    fn results_are_compared_by_procedure_and_line() {
        let output = "a.bpl(3,5): Error: this assertion could not be proved\n\
                      Boogie program verifier finished with 1 verified, 1 error\n";
        let expected = recorded(output, "a.bpl", "").unwrap();
        let failing = BTreeSet::new();
        assert_eq!(expected, Expected::Modular { verified: 1, errors: true, lines: [3].into(), failing });
        let judged = |results: &[Result]| judge(results, &expected).0;
        assert_eq!(judged(&[result("bug", 3), result("proved", 0)]), Outcome::Decided);
        assert_eq!(judged(&[result("bug", 4), result("proved", 0)]), Outcome::Wrong);
        assert_eq!(judged(&[result("proved", 0), result("proved", 0)]), Outcome::Stronger);
        assert_eq!(judged(&[result("inconclusive", 0), result("proved", 0)]), Outcome::Inconclusive);
        assert_eq!(judged(&[result("bug", 3), result("bug", 3)]), Outcome::Wrong);
    }

    #[test]
    fn a_missed_bug_is_wrong() {
        assert_eq!(judge(&[result("no-bug", 0)], &Expected::Bug).0, Outcome::Wrong);
        assert_eq!(judge(&[result("inconclusive", 0)], &Expected::Bug).0, Outcome::Inconclusive);
        assert_eq!(judge(&[result("bug", 1)], &Expected::Clean).0, Outcome::Wrong);
        assert_eq!(judge(&[result("bug", 1)], &Expected::Unknown).0, Outcome::Decided);
    }
}
