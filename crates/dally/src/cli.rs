//! The flags, each defined once. Help and completions are derived from the definitions.

mod c;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use dally_bpl::ProgramOptions;
use dally_explore::{SchedulerName, StrategyName};
use dally_schedule::sample::names::SAMPLERS;
use dally_schedule::table::{Family, STRATEGIES};
use dally_schedule::{PORTFOLIO, Vocabulary};
use dally_text::source::SourceMap;
use dally_trace::{FORMATS, OutputFormat, Source};

pub(crate) use c::{CArgs, ExternalArg};

/// dally finds bugs in asynchronous programs, and proves their absence where it can, by exploring few delays.
#[derive(Debug, Parser)]
#[command(
    name = "dally",
    version,
    about = "Finds bugs in asynchronous programs by exploring few delays",
    long_about = "dally finds bugs in asynchronous programs by exploring few delays.\n\n\
                  A deterministic scheduler fixes one order of tasks; each time it is told to delay the task \
                  that it would run next, one more deviation is explored. Programs are written in Boogie with \
                  asynchronous calls (.bpl), also in the spellings of c2s and Corral, in P (.p, .pproj, or a \
                  folder), or in C with threads (.c, .i).",
    after_help = "Exit codes:\n  \
                  0  no bug, and no error\n  \
                  1  a bug was found\n  \
                  2  usage or input error\n  \
                  3  inconclusive, or a construct that is not supported",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true)]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Check),
    Replay(Replay),
    Show(Show),
    Print(Print),
    Sequentialize(Sequentialize),
    Verify(Verify),

    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  dally completions bash > ~/.local/share/bash-completion/completions/dally"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// The program, and the flags with which it is loaded.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ProgramArgs {
    /// The files of the program; `-` is standard input [default: the project or the only program in the current folder]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// Where execution starts; by default the procedures marked {:entrypoint}, or main
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// Let the scheduler preempt a task before each statement that accesses a shared variable
    #[arg(long)]
    pub(crate) preempt: bool,

    /// The test of a P program to run; optional if there is only one
    #[arg(long, value_name = "NAME")]
    pub(crate) test: Option<String>,

    #[command(flatten)]
    pub(crate) c: CArgs,
}

impl Command {
    /// The program of the command, if its files may be left out.
    pub(crate) fn program_mut(&mut self) -> Option<&mut ProgramArgs> {
        match self {
            Self::Check(Check { program, .. })
            | Self::Sequentialize(Sequentialize { program, .. })
            | Self::Verify(Verify { program, .. }) => Some(program),
            Self::Replay(_) | Self::Show(_) | Self::Print(_) | Self::Completions { .. } => None,
        }
    }
}

impl ProgramArgs {
    /// Without files, selects the program in the current folder.
    pub(crate) fn find_files(&mut self) -> Result<(), String> {
        if self.files.is_empty() {
            self.files.push(crate::language::program_in(std::path::Path::new("."))?);
        }
        Ok(())
    }

    /// The files and flags, as a trace records them.
    pub(crate) fn source(&self, sources: &SourceMap) -> Source {
        Source {
            files: self.files.clone(),
            relative: Vec::new(),
            hash: Source::hash(sources),
            entry: self.entry.clone(),
            preempt: self.preempt,
            test: self.test.clone(),
            flags: self.c.recorded(),
        }
    }

    /// The options that all engines share.
    pub(crate) fn options(&self) -> ProgramOptions {
        ProgramOptions { entry: self.entry.clone(), preempt: self.preempt }
    }
}

/// The files to which the trace of a bug is written.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TraceFiles {
    /// Write the trace of a bug to this file, for dally replay and dally show
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<String>,

    /// Write the trace of a bug to this file, as a page for a browser
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
}

impl TraceFiles {
    /// The files, each with its flag.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let files = [("--trace", &self.trace), ("--html", &self.html)];
        files.into_iter().filter_map(|(flag, file)| Some((flag, file.as_deref()?)))
    }
}

/// The bounds on schedules of a sequentialisation.
#[derive(Clone, Debug, Args)]
pub(crate) struct BoundArgs {
    /// The maximum number of delays (dfs, df, dfw)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=MOST_ROUNDS - 1))]
    pub(crate) delays: Option<u32>,

    /// The number of rounds (all but buffers) [default for dfs, df and dfw: one more than the delays]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=MOST_ROUNDS))]
    pub(crate) rounds: Option<u32>,

    /// The number of rounds of the tasks of each level (buffers)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=MOST_ROUNDS))]
    pub(crate) yields: Option<u32>,

    /// The number of rounds through all buffers (buffers)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=MOST_ROUNDS))]
    pub(crate) zields: Option<u32>,

    /// Let each posted task be delayed before it starts; otherwise buffers and synce run tasks in the order of posts
    #[arg(long)]
    pub(crate) reorder: bool,
}

impl BoundArgs {
    /// The error for a flag that does not bound this translation, if one is given.
    pub(crate) fn without_meaning(&self, to: Translation) -> Option<String> {
        let by_delays = matches!(to, Translation::Dfs | Translation::Df | Translation::Dfw);
        let buffers = to == Translation::Buffers;
        let bounds = [
            ("--delays", self.delays.is_some() && !by_delays),
            ("--rounds", self.rounds.is_some() && buffers),
            ("--yields", self.yields.is_some() && !buffers),
            ("--zields", self.zields.is_some() && !buffers),
        ];
        let (flag, _) = bounds.into_iter().find(|(_, wrong)| *wrong)?;
        let own = match to {
            Translation::Dfs | Translation::Df | Translation::Dfw => "use --delays or --rounds",
            Translation::LalReps | Translation::Synce => "use --rounds",
            Translation::Buffers => "use --zields and --yields",
        };
        Some(format!("{flag} does not bound `{}`: {own}", to.name()))
    }

    /// The flags that are given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let flags = [
            ("--delays", self.delays.is_some()),
            ("--rounds", self.rounds.is_some()),
            ("--yields", self.yields.is_some()),
            ("--zields", self.zields.is_some()),
            ("--reorder", self.reorder),
        ];
        flags.into_iter().filter_map(|(flag, given)| given.then_some(flag)).collect()
    }
}

/// The definition of the command line. Help hides flags that a command does not support.
pub(crate) fn command() -> clap::Command {
    let without_tests = |command: clap::Command| command.mut_arg("test", |test| test.hide(true));
    let command = <Cli as clap::CommandFactory>::command();
    command.mut_subcommand("verify", without_tests).mut_subcommand("sequentialize", without_tests)
}

/// Search for a bug: few delays first
///
/// Explores the executions of the program in the order of the number of delays that they need. The search stops at the
/// first bug, when all executions are covered, or when a budget is exhausted, and reports which. A bug is reported with
/// its schedule.
#[derive(Debug, Args)]
#[command(after_help = check_help())]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    /// Print the names of the tests of a P program, and exit
    #[arg(long)]
    pub(crate) list_tests: bool,

    /// The order of tasks from which delays deviate [default: rr, and rtc for P]
    #[arg(long, value_name = "NAMES")]
    pub(crate) scheduler: Option<String>,

    /// Search for cycles that violate a liveness property (hot states of P monitors, globals marked {:hot}). HOW is map,
    /// ndfs, iterative-ndfs or off [default: map if the program declares a liveness property]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "map",
          hide_possible_values = true)]
    pub(crate) liveness: Option<LivenessArg>,

    /// Report unfair cycles too: they may starve an enabled task, or never take an option of `$$` or `choose`
    #[arg(long)]
    pub(crate) unfair: bool,

    /// The maximum number of delays; by default the bound is raised until the search ends
    #[arg(long, value_name = "K")]
    pub(crate) delays: Option<u32>,

    /// The maximum cost of an execution: its delays, and its choices of values other than the first
    #[arg(long, value_name = "K")]
    pub(crate) bound: Option<u32>,

    /// Explore exactly the executions within the bound: store each state once per scheduler state
    #[arg(long)]
    pub(crate) exact: bool,

    /// Explore all orders of steps, also of steps that commute
    #[arg(long)]
    pub(crate) no_reduction: bool,

    /// The unit of the bound
    #[arg(long, value_name = "WHAT", default_value = "delays", value_parser = bounded())]
    pub(crate) bounded: Bounded,

    /// Sample random executions instead of searching: by all samplers in turn, or by those of a list
    #[arg(long, value_name = "SAMPLERS", num_args = 0..=1, require_equals = true, default_missing_value = PORTFOLIO)]
    pub(crate) sample: Option<String>,

    /// The number of executions to sample [default: 10,000 if there is no --time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) walks: Option<u64>,

    /// Cut executions off after this many steps [default: no limit in the search, 10,000 in samples]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) steps: Option<u32>,

    /// Leave out the states in which this Boogie expression over the globals is false; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub(crate) constraint: Vec<String>,

    /// The cost of a chosen value other than the first, if there are more than two; --exact implies 0 [default: 1]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub(crate) choice_cost: Option<u8>,

    /// Choices among at most this many values cost nothing
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) free_options: u32,

    /// Stop after this time, such as 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) time: Option<std::time::Duration>,

    /// Stop when the search holds this much memory, such as 4G; by default, most of the free memory
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<bytesize::ByteSize>,

    /// The number of threads, which does not affect the result [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Search systematically only; by default, long searches sample random executions as well
    #[arg(long)]
    pub(crate) no_sample: bool,

    /// The seed of --sample, and of `--scheduler random`, also in a portfolio
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) written: TraceFiles,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Check {
    /// The number of threads: as many as there are cores, unless it is given.
    pub(crate) fn thread_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    /// The cost of a chosen value other than the first.
    pub(crate) fn cost_of_choices(&self) -> u32 {
        let default = if self.exact || self.bounded.0.is_some() { 0 } else { 1 };
        self.choice_cost.map_or(default, u32::from)
    }

    /// The given flags that have a meaning in some languages only.
    pub(crate) fn language_flags(&self) -> Vec<&'static str> {
        let flags = [
            ("--entry", self.program.entry.is_some()),
            ("--preempt", self.program.preempt),
            ("--test", self.program.test.is_some()),
            ("--list-tests", self.list_tests),
            ("--constraint", !self.constraint.is_empty()),
        ];
        let given = flags.into_iter().filter_map(|(flag, given)| given.then_some(flag));
        given.chain(self.program.c.given()).collect()
    }
}

/// A number of bytes, with a unit: a plain number is hardly meant to be bytes.
fn size(text: &str) -> Result<bytesize::ByteSize, String> {
    if text.trim().bytes().last().is_some_and(|last| last.is_ascii_digit() || last == b'.') {
        return Err(format!("memory unit needed, for example {0}G or {0}M", text.trim()));
    }
    text.parse()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LivenessArg {
    /// Maximal accepting predecessors, kept from bound to bound
    Map,
    /// Nested depth-first search at the given bound; without a bound, on the fly
    Ndfs,
    /// Nested depth-first search at each bound
    IterativeNdfs,
    /// No search for cycles
    Off,
}

/// Joins flags whose value is optional and their values with `=`: without it, the next argument could be a file as
/// well as a value. A number after `--choice-cost` is its value; write `./0` for a file of that name.
pub(crate) fn join_optional_values(
    arguments: impl Iterator<Item = std::ffi::OsString>,
) -> Vec<std::ffi::OsString> {
    let mut joined = Vec::new();
    let mut arguments = arguments.peekable();
    while let Some(mut argument) = arguments.next() {
        let is_value: fn(&str) -> bool = match argument.to_str() {
            Some("--liveness") => |next| LivenessArg::from_str(next, false).is_ok(),
            Some("--choice-cost") => {
                |next| !next.is_empty() && next.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => |_| false,
        };
        if let Some(value) = arguments.next_if(|next| next.to_str().is_some_and(is_value)) {
            argument.push("=");
            argument.push(value);
        }
        joined.push(argument);
    }
    joined
}

/// The unit of the bound: delays, or the unit of a baseline.
#[derive(Clone, Debug)]
pub(crate) struct Bounded(pub(crate) Option<StrategyName>);

/// `delays`, and the baselines of the table of strategies.
fn bounded() -> impl TypedValueParser<Value = Bounded> {
    let baselines = STRATEGIES.iter().filter(|row| row.family == Family::Baseline);
    let baselines = baselines.map(|row| PossibleValue::new(row.keyword).help(row.deviation));
    let delays = PossibleValue::new("delays").help("deviates from the order of the scheduler");
    PossibleValuesParser::new(std::iter::once(delays).chain(baselines))
        .map(|name| Bounded((name != "delays").then(|| StrategyName::known_or_custom(&name))))
}

/// The examples of `dally check`, and the table of schedulers.
fn check_help() -> String {
    let examples = "\
Examples:
  dally check program.bpl                       deepen until a bug, a proof, or Ctrl-C
  dally check --delays 2 --time 1m program.bpl  within a bound and a budget
  dally check --scheduler portfolio program.bpl several orders of tasks, side by side
  dally check --trace bug.json program.bpl      write the trace; then: dally replay bug.json
  dally check --html bug.html program.bpl       write the trace as a page for a browser
  dally check --test T project.pproj            a test of a P program
  dally check main.c queue.c                    a C program with threads
  dally check --liveness --unfair program.p     executions that never make progress
  dally check --sample --time 1m program.p      random executions instead of a search";
    let schedulers: String = Vocabulary::SCHEDULERS
        .rows()
        .map(|row| format!("  {}\n      {}\n", row.forms.join(", "), row.order))
        .collect();
    let names = |schedulers: Vec<SchedulerName>| {
        let names: Vec<String> = schedulers.iter().map(ToString::to_string).collect();
        names.join(", ")
    };
    let portfolio = names(SchedulerName::portfolio());
    let for_p = names(SchedulerName::message_portfolio());
    let samplers: String =
        SAMPLERS.iter().map(|row| format!("  {}\n      {}\n", row.forms.join(", "), row.order)).collect();
    format!(
        "{examples}\n\nSamplers, one or a list such as random,pct:3:\n{samplers}\nSchedulers, one or a list such as \
         rr,rtc:\n{schedulers}  {PORTFOLIO}\n      {portfolio}; for P: {for_p}"
    )
}

/// Run a trace again, step by step, and confirm its bug
///
/// If the program has changed since, says whether the schedule of the trace still fails. Files are searched relative to
/// the trace, then in the current folder. Several traces, or a folder of them, serve as regression tests: the exit
/// code is 1 if any still fails, 3 if some cannot be followed any more, and 0 if all pass.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally check --trace bug.json program.bpl   write a trace\n  \
                  dally replay bug.json                      confirm the bug and print the trace\n  \
                  dally replay traces                        which traces in this folder still fail?")]
pub(crate) struct Replay {
    /// Traces that dally check or dally verify has written, or folders of them
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<String>,

    /// Print which traces still fail, as one object
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// The format in which the trace is printed
    #[arg(long, value_name = "NAME", default_value = FORMATS[0].name, value_parser = formats())]
    pub(crate) format: &'static OutputFormat,

    /// Write the trace to this file, as a page for a browser
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) html: Option<String>,
}

/// Show a trace: as text, as a page for a browser, or as a picture
///
/// Shows what the trace has recorded, without running the program. The page has the source text beside the steps if the
/// files of the program are found and have not changed: relative to the trace, then in the current folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally show bug.json                       the steps as text\n  \
                  dally show --html bug.json -o bug.html    a page: open it in a browser\n  \
                  dally show --svg bug.json > bug.svg       a picture for a document\n  \
                  dally show --mermaid bug.json             a sequence diagram for Markdown")]
pub(crate) struct Show {
    /// A trace that dally check or dally verify has written
    #[arg(value_name = "TRACE")]
    pub(crate) file: String,

    /// The format
    #[arg(long, value_name = "NAME", value_parser = formats(), group = "shown_as")]
    format: Option<&'static OutputFormat>,

    /// Every step as text, for people; this is the default
    #[arg(long, group = "shown_as")]
    text: bool,

    /// A page for a browser, in one file
    #[arg(long, group = "shown_as")]
    html: bool,

    /// A picture for documents
    #[arg(long, group = "shown_as")]
    svg: bool,

    /// A sequence diagram in the notation of Mermaid
    #[arg(long, group = "shown_as")]
    mermaid: bool,

    /// The trace as data
    #[arg(long, group = "shown_as")]
    json: bool,

    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<String>,
}

impl Show {
    /// The format that the flags select.
    pub(crate) fn format(&self) -> &'static OutputFormat {
        let flags = [
            ("text", self.text),
            ("html", self.html),
            ("svg", self.svg),
            ("mermaid", self.mermaid),
            ("json", self.json),
        ];
        let named = flags.iter().find(|(_, given)| *given).and_then(|(name, _)| OutputFormat::named(name));
        self.format.or(named).unwrap_or(&FORMATS[0])
    }
}

/// Parses the name of an output format.
fn formats() -> impl TypedValueParser<Value = &'static OutputFormat> {
    let names = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    let named = |name: String| OutputFormat::named(&name).unwrap_or(&FORMATS[0]);
    PossibleValuesParser::new(names).map(named)
}

/// Check a program and print it in canonical form
///
/// Parses the files as one program, resolves names, checks types, and prints the program in canonical form: one
/// layout, one spelling of each asynchronous construct. All syntax errors are reported at once; if there are none, all
/// errors of names and types.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally print program.bpl           check it and print it\n  \
                  dally print library.bpl main.bpl  several files are one program\n  \
                  generator | dally print -         read standard input\n  \
                  dally print program.c             the Boogie program that a C program is lowered to\n  \
                  dally print --json program.bpl    errors as JSON, for editors and scripts\n\n\
                  Spellings that mean the same:\n  \
                  call {:async} p(e);        async call p(e);\n  \
                  call {:async} t := p(e);   call {:async t} r := p(e);\n  \
                  call r := wait(t);         assume {:wait r, t} true;\n  \
                  yield;                     assume {:yield} true;  call corral_yield();")]
pub(crate) struct Print {
    /// The files of the program; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) c: CArgs,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Translate an asynchronous program into a sequential one
///
/// The sequential program has no tasks. A post becomes a call with guessed values of the shared variables, and the
/// guesses are checked at the end. Its executions are the executions of the asynchronous program under one scheduler
/// within a bound, so that any verifier for sequential Boogie programs can check it: the asynchronous program has a bug
/// within the bound if the last assertion of the procedure marked {:entrypoint} can fail.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally sequentialize --to dfw --delays 1 program.bpl      to standard output\n  \
                  dally sequentialize --to lal-reps --rounds 3 program.bpl context-bounded, as Corral's /k:3\n  \
                  dally sequentialize --to buffers --zields 2 --yields 2 driver.bpl\n\n\
                  Translations and their bounds:\n  \
                  dfs       the depth-first scheduler [POPL11]: --delays K\n  \
                  df        depth-first, a yielding task before the tasks that it has posted [SPIN14]: --delays K\n  \
                  dfw       df, where waiting costs no delay [SPIN14]: --delays K\n  \
                  lal-reps  df in R rounds with any number of delays: --rounds R\n  \
                  buffers   priorities and several task buffers [FSE12]: --zields K --yields K\n  \
                  synce     as buffers, encoded in shared memory, for comparison: --rounds R\n\
                  The default is 1 delay; without --delays, 2 rounds of each kind.\n\n\
                  docs/sequentialize.md shows a translation, and how to map a path back to an execution.")]
pub(crate) struct Sequentialize {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    /// The translation
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Translation::Dfw)]
    pub(crate) to: Translation,

    #[command(flatten)]
    pub(crate) bounds: BoundArgs,

    /// Report posts by more than one level up as unsupported, instead of translating them to chains (buffers)
    #[arg(long)]
    pub(crate) no_chains: bool,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Decide with an SMT solver whether an assertion can fail, for all inputs at once
///
/// An asynchronous program is first translated into a sequential one, as by dally sequentialize. Loops and recursion are
/// unrolled up to a bound, which is raised until a bug or a proof is found. Calls are inlined only if a counterexample
/// needs them.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally verify program.bpl                       deepen until a bug, a proof, or Ctrl-C\n  \
                  dally verify --delays 2 --time 1m program.bpl  within a bound and a budget\n  \
                  dally verify --scheduler lal-reps --rounds 3 --preempt --recursion 2 program.bpl\n  \
                  dally verify --smt-log log program.bpl         log all queries, to run them again\n\n\
                  Bounds that are not given are raised until a bug or a proof is found.\n\n\
                  The solver is z3, unless --solver or the environment variable DALLY_SOLVER names another\n\
                  (z3, cvc5, yices-smt2, or a path; flags of the solver may follow; several with commas between them).\n\
                  If a query takes long, solvers with other options start beside it: the first answer counts.")]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    /// The translation to sequential programs [default: dfw, or buffers if the program has levels or buffers]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) scheduler: Option<Translation>,

    #[command(flatten)]
    pub(crate) bounds: BoundArgs,

    /// The maximum number of iterations of a loop, and of nested calls of one procedure; by default unbounded
    #[arg(long, visible_alias = "unroll", value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) recursion: Option<u32>,

    /// The maximum depth of calls, recursive or not; by default unbounded
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) calls: Option<u32>,

    /// Stop after this time, such as 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) time: Option<std::time::Duration>,

    /// Stop when dally and its solvers together hold this much memory, such as 4G; by default, most of the free memory
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<bytesize::ByteSize>,

    /// The time limit of a solver query
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) query_time: Option<std::time::Duration>,

    /// The solver: z3, cvc5, yices-smt2, or a path; flags of the solver may follow, as in "z3 -T:5". Of several
    /// (z3,cvc5), the others start if a query takes long, and the first answer counts
    #[arg(long, value_name = "PROGRAM", value_delimiter = ',')]
    pub(crate) solver: Vec<String>,

    #[command(flatten)]
    pub(crate) written: TraceFiles,

    /// Show the whole trace of a bug; by default about a page of it
    #[arg(long)]
    pub(crate) full_trace: bool,

    /// Write the queries of each solver process to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) smt_log: Option<String>,

    /// Report each completed bound at once, on standard error; by default on terminals, if the run is long
    #[arg(long)]
    pub(crate) progress: bool,

    /// Inline all calls up to the recursion bound before the first query, for comparison
    #[arg(long)]
    pub(crate) full_inlining: bool,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Each round copies all variables, so that larger numbers are hardly intended.
const MOST_ROUNDS: i64 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Translation {
    /// The depth-first scheduler of [POPL11 §3.2]
    Dfs,
    /// The depth-first scheduler of [SPIN14 §3]
    Df,
    /// As df, but waiting costs no delay
    Dfw,
    /// Context-bounded search
    LalReps,
    /// Priorities and several task buffers
    Buffers,
    /// Priorities and task buffers, encoded in shared memory
    Synce,
}

impl Translation {
    /// Its name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On terminals, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Applies the choice to all output.
    pub(crate) fn write_global(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}
