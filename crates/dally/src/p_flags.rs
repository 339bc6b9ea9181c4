//! The flags of P's own checker: `p check -tc NAME -s 1000`.
//!
//! People who know them type them here as well. A flag that dally has under another name is translated, before the
//! command line is parsed; every other flag of `p check` is answered with what dally has instead.

use std::ffi::OsString;

/// The meaning of a flag of `p check`.
enum Meaning {
    /// The flag of dally with the same value, and a suffix for its unit.
    Same { flag: &'static str, unit: &'static str },
    /// The flag of dally with this value, to which that of P is appended.
    Strategy { value: &'static str, counts: bool },
    /// A switch without effect here.
    Nothing,
    /// No such flag: what there is instead.
    Instead(&'static str),
}

/// A row: the flag, its short form, and its meaning.
type Row = (&'static str, &'static str, Meaning);

const SAMPLING: &str =
    "--sample takes random executions, such as --sample=random or --sample=pct:3 (see --help)";

const fn instead(flag: &'static str, short: &'static str, what: &'static str) -> Row {
    (flag, short, Meaning::Instead(what))
}

const TABLE: &[Row] = &[
    ("--testcase", "-tc", Meaning::Same { flag: "--test", unit: "" }),
    ("--timeout", "-t", Meaning::Same { flag: "--time", unit: "s" }),
    ("--memout", "-m", Meaning::Same { flag: "--memory", unit: "G" }),
    ("--schedules", "-s", Meaning::Same { flag: "--walks", unit: "" }),
    ("--iterations", "-i", Meaning::Same { flag: "--walks", unit: "" }),
    ("--max-steps", "-ms", Meaning::Same { flag: "--steps", unit: "" }),
    ("--verbose", "-v", Meaning::Nothing),
    ("--debug", "-d", Meaning::Nothing),
    ("--sch-random", "", Meaning::Strategy { value: "random", counts: false }),
    ("--sch-pct", "", Meaning::Strategy { value: "pct:", counts: true }),
    ("--sch-fairpct", "", Meaning::Strategy { value: "pct:", counts: true }),
    instead("--sch-probabilistic", "-sp", SAMPLING),
    instead("--sch-pos", "", SAMPLING),
    instead("--sch-feedback", "", SAMPLING),
    instead("--sch-feedbackpct", "", SAMPLING),
    instead("--sch-feedbackpos", "", SAMPLING),
    instead("--sch-rl", "", SAMPLING),
    instead("--sch-pex", "", SAMPLING),
    instead("--replay", "-r", "`dally replay FILE` replays what `check --trace FILE` has written"),
    instead("--outdir", "-o", "`--trace FILE` writes the trace of a bug"),
    instead("--mode", "-md", "`dally check` has one mode: it explores by increasing number of delays"),
    instead("--explore", "", "the search stops at the first bug; fix it, and run `dally check` again"),
    instead("--fail-on-maxsteps", "", "a liveness property says what must happen: see docs/liveness.md"),
    instead("--liveness-temperature-threshold", "", "--liveness finds cycles without a threshold"),
    instead("--graph", "", "`dally replay --format sequence` draws the messages of a trace"),
    instead("--graph-bug", "", "`dally replay --format sequence` draws the messages of a trace"),
    instead("--xml-trace", "", "`--trace FILE` writes the trace as JSON"),
];

/// Translates the flags of `p check` in a command line of `dally check`. An error is a message.
pub(crate) fn translate(arguments: Vec<OsString>, command: &clap::Command) -> Result<Vec<OsString>, String> {
    let Some(check) = command.find_subcommand("check").filter(|_| is_check(&arguments)) else {
        return Ok(arguments);
    };
    let known: Vec<String> =
        check.get_arguments().filter_map(|arg| arg.get_long()).map(|long| format!("--{long}")).collect();
    let mut translated = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or("");
        if text == "--" {
            translated.push(argument);
            break;
        }
        let (flag, value) = text.split_once('=').map_or((text, None), |(flag, value)| (flag, Some(value)));
        let row = TABLE.iter().find(|(long, short, _)| flag == *long || flag == *short && !flag.is_empty());
        // A flag that dally has is dally's.
        let Some((_, _, meaning)) = row.filter(|_| !known.iter().any(|own| own == flag)) else {
            translated.push(argument);
            continue;
        };
        let (flag, value) = (flag.to_owned(), value.map(str::to_owned));
        let mut value_of = || {
            let value = value.clone().or_else(|| arguments.next().and_then(|next| next.into_string().ok()));
            value.ok_or_else(|| format!("a value is required for `{flag}`"))
        };
        match meaning {
            Meaning::Same { flag: own, unit } if known.iter().any(|known| known == own) => {
                translated.push(format!("{own}={}{unit}", value_of()?).into());
            }
            Meaning::Strategy { value, counts } if known.iter().any(|known| known == "--sample") => {
                let count = if *counts { value_of()? } else { String::new() };
                translated.push(format!("--sample={value}{count}").into());
            }
            Meaning::Nothing => {}
            Meaning::Same { .. } => {
                return Err(answer(
                    &flag,
                    "the search covers all schedules within a bound: see --delays and --time",
                ));
            }
            Meaning::Strategy { .. } => return Err(answer(&flag, SAMPLING)),
            Meaning::Instead(instead) => return Err(answer(&flag, instead)),
        }
    }
    translated.extend(arguments);
    // `p check` always samples; here a number of executions needs --sample.
    let has = |flag: &str| translated.iter().any(|argument| argument.to_string_lossy().starts_with(flag));
    if has("--walks=") && !has("--sample") {
        let check = translated.iter().position(|argument| argument == "check").unwrap_or(0);
        translated.insert(check + 1, "--sample".into());
    }
    Ok(translated)
}

fn is_check(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1);
    loop {
        match words.next().map(|word| word.to_string_lossy()).as_deref() {
            // A flag of all commands, with its value.
            Some("--color") => drop(words.next()),
            Some(flag) if flag.starts_with('-') => {}
            command => return command == Some("check"),
        }
    }
}

fn answer(flag: &str, instead: &str) -> String {
    format!("`{flag}` is a flag of P's checker, and dally has no such flag: {instead}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check() -> clap::Command {
        let arg = |name: &'static str| clap::Arg::new(name).long(name);
        let check = ["test", "time", "memory", "seed", "walks", "steps", "sample"].map(arg);
        clap::Command::new("dally").subcommand(clap::Command::new("check").args(check))
    }

    fn translated(line: &str, command: &clap::Command) -> Result<String, String> {
        let arguments = translate(line.split(' ').map(OsString::from).collect(), command)?;
        Ok(arguments.join(" ".as_ref()).into_string().unwrap_or_default())
    }

    #[test]
    fn flags_of_p_become_flags_of_dally() {
        for (typed, expected) in [
            (
                "dally check -tc T -s 100 -ms 50 a.pproj",
                "dally check --sample --test=T --walks=100 --steps=50 a.pproj",
            ),
            ("dally check --testcase=T -v --timeout 60 .", "dally check --test=T --time=60s ."),
            ("dally check --memout 4 --seed 3 .", "dally check --memory=4G --seed 3 ."),
            ("dally check --sch-random --sch-pct 3 .", "dally check --sample=random --sample=pct:3 ."),
            ("dally --color never check -tc T .", "dally --color never check --test=T ."),
            ("dally check -- -tc", "dally check -- -tc"),
            ("dally print -s a.bpl", "dally print -s a.bpl"),
        ] {
            assert_eq!(translated(typed, &check()).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn other_flags_of_p_are_answered() {
        for (typed, expected) in [
            ("dally check -r x.schedule", "`dally replay FILE` replays"),
            ("dally check --sch-rl .", "--sample takes random"),
            ("dally check -tc", "a value is required for `-tc`"),
        ] {
            let said = translated(typed, &check()).unwrap_or_default();
            let error = translated(typed, &check()).err().unwrap_or(said);
            assert!(error.contains(expected), "{error}");
        }
        let bare = clap::Command::new("dally").subcommand(clap::Command::new("check"));
        let error = translated("dally check -s 100 .", &bare).err().unwrap_or_default();
        assert!(error.contains("see --delays"), "{error}");
    }

    #[test]
    fn flags_are_distinct() {
        let mut flags: Vec<&str> = TABLE.iter().flat_map(|(long, short, _)| [*long, *short]).collect();
        flags.retain(|flag| !flag.is_empty());
        let count = flags.len();
        flags.sort_unstable();
        flags.dedup();
        assert_eq!(flags.len(), count);
    }
}
