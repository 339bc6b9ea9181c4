//! The flags of `dally sequentialize` and `dally verify`, which share translations and their bounds.

use clap::{Args, ValueEnum};

use super::{CaseFiles, ProgramArgs, TraceFiles, size};

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
                  dally verify --modular program.bpl             each procedure against its contract\n  \
                  dally verify --smt-log log program.bpl         log all queries, to run them again\n\n\
                  Bounds that are not given are raised until a bug or a proof is found.\n\n\
                  The solver is z3, unless --solver or the environment variable DALLY_SOLVER names another\n\
                  (z3, cvc5, yices-smt2, or a path; flags of the solver may follow; several with commas between them).\n\
                  If a query takes long, solvers with other options start beside it: the first answer counts.")]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    /// Verify each procedure by itself, as Boogie does: calls have the effects that contracts allow, and loops those that
    /// their invariants allow. Starts in each procedure that has a body, or in those of --entry
    #[arg(long)]
    pub(crate) modular: bool,

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

    /// Which globals to track; the others are arbitrary, and tracked where that turns out to be necessary. auto: all, and
    /// few beside it where a search takes long; all; or the names of maps to begin with, besides globals that are no maps
    #[arg(long, value_name = "auto|all|NAME,…", default_value = "auto", value_parser = track)]
    pub(crate) track: Track,

    /// Stop after this time, such as 30s or 5m
    #[arg(long, value_name = "TIME", value_parser = super::time)]
    pub(crate) time: Option<std::time::Duration>,

    /// Stop when dally and its solvers together hold this much memory, such as 4G; by default, most of the free memory
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<bytesize::ByteSize>,

    /// The time limit of a solver query
    #[arg(long, value_name = "TIME", value_parser = super::time)]
    pub(crate) query_time: Option<std::time::Duration>,

    /// The solver: z3, cvc5, yices-smt2, or a path; flags of the solver may follow, as in "z3 -T:5". Of several
    /// (z3,cvc5), the others start if a query takes long, and the first answer counts
    #[arg(long, value_name = "PROGRAM", value_delimiter = ',')]
    pub(crate) solver: Vec<String>,

    #[command(flatten)]
    pub(crate) written: TraceFiles,

    #[command(flatten)]
    pub(crate) cases: CaseFiles,

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

impl Verify {
    /// The flags, where those of the program include all that decides how it is loaded.
    pub(crate) fn settled(&self) -> Verify {
        let mut settled = self.clone();
        (settled.program.modular, settled.program.monomorphic) = (self.modular, true);
        settled.program.c.all_values = crate::language::Language::of(&self.program.files).name == "C";
        settled
    }
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

/// The globals that `dally verify` tracks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Track {
    /// All; few beside it where a search takes long.
    Auto,
    All,
    /// These maps at first.
    Only(Vec<String>),
}

fn track(text: &str) -> Result<Track, String> {
    match text {
        "auto" => Ok(Track::Auto),
        "all" => Ok(Track::All),
        _ => Ok(Track::Only(text.split(',').map(|name| name.trim().to_owned()).collect())),
    }
}
