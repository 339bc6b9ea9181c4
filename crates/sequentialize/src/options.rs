//! The options of a translation.

use dally_bpl::ProgramOptions;

/// How far executions may deviate from the scheduler's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most delays in all; free if none.
    pub delays: Option<u32>,
    /// The number of rounds, at least one.
    pub rounds: u32,
}

impl Bounds {
    /// At most this many delays, and as many rounds as they can reach.
    pub fn delays(delays: u32) -> Bounds {
        Bounds { delays: Some(delays), rounds: delays.saturating_add(1) }
    }

    /// This many rounds, and any number of delays.
    pub fn rounds(rounds: u32) -> Bounds {
        Bounds { delays: None, rounds: rounds.max(1) }
    }
}

/// The translations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The depth-first scheduler of [POPL11 §3.2].
    Dfs(Bounds),
    /// The depth-first scheduler of [SPIN14 §3].
    Df(Bounds),
    /// The depth-first scheduler of [SPIN14 §3] that exploits synchronisation.
    Dfw(Bounds),
    /// Context-bounded search: rounds of DF, and free delays.
    LalReps {
        /// The number of rounds.
        rounds: u32,
    },
    /// Prioritised task buffers, [FSE12 §3].
    Buffers {
        /// Rounds through all buffers, K₁.
        zields: u32,
        /// Rounds of the tasks of each level, K₂.
        yields: u32,
    },
    /// Levels and buffers encoded in shared memory, and then `LalReps`.
    Synce {
        /// The number of rounds.
        rounds: u32,
    },
}

impl Target {
    /// The same, with at least one round.
    #[must_use]
    pub(crate) fn with_rounds(self) -> Target {
        let bounds = |b: Bounds| Bounds { rounds: b.rounds.max(1), ..b };
        match self {
            Target::Dfs(b) => Target::Dfs(bounds(b)),
            Target::Df(b) => Target::Df(bounds(b)),
            Target::Dfw(b) => Target::Dfw(bounds(b)),
            Target::LalReps { rounds } => Target::LalReps { rounds: rounds.max(1) },
            Target::Synce { rounds } => Target::Synce { rounds: rounds.max(1) },
            Target::Buffers { zields, yields } => {
                Target::Buffers { zields: zields.max(1), yields: yields.max(1) }
            }
        }
    }

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Target::Dfs(_) => "dfs",
            Target::Df(_) => "df",
            Target::Dfw(_) => "dfw",
            Target::LalReps { .. } => "lal-reps",
            Target::Buffers { .. } => "buffers",
            Target::Synce { .. } => "synce",
        }
    }

    /// Describes the executions that the translation covers.
    pub fn describe(self) -> String {
        let bounds = |b: Bounds| {
            let plural = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
            match b.delays {
                Some(delays) => {
                    format!("with at most {} in {}", plural(delays, "delay"), plural(b.rounds, "round"))
                }
                None => format!("in {}", plural(b.rounds, "round")),
            }
        };
        match self {
            Target::Dfs(b) => format!("the depth-first scheduler of [POPL11] {}", bounds(b)),
            Target::Df(b) => format!("the depth-first scheduler of [SPIN14] {}", bounds(b)),
            Target::Dfw(b) => {
                format!("the depth-first scheduler of [SPIN14] that exploits waits, {}", bounds(b))
            }
            Target::LalReps { rounds } => {
                format!("context-bounded search, as of Lal and Reps, {}", bounds(Bounds::rounds(rounds)))
            }
            Target::Buffers { zields, yields } => format!(
                "prioritised task buffers [FSE12]: K₁ = {zields} through the buffers, K₂ = {yields} for each level"
            ),
            Target::Synce { rounds } => format!(
                "levels and buffers encoded in shared memory [FSE12 §6], {}",
                bounds(Bounds::rounds(rounds))
            ),
        }
    }
}

/// The options of a translation.
#[derive(Clone, Debug)]
pub struct TranslationOptions {
    /// The translation.
    pub to: Target,
    /// The entry point, and preemption.
    pub program: ProgramOptions,
    /// True to let each posted task be postponed before it begins: [FSE12 §5] needs it to reach all orders of tasks.
    pub reorder: bool,
    /// True to replace a post by more than one level up by a chain of posts; otherwise it is unsupported.
    pub chains: bool,
}

impl TranslationOptions {
    /// The default options.
    pub fn new(to: Target) -> TranslationOptions {
        TranslationOptions { to, program: ProgramOptions::default(), reorder: false, chains: true }
    }
}
