//! The options that every engine for a program shares.

/// How a program is executed: options of the explorer and of the translations alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramOptions {
    /// The procedure in which execution starts; by default those marked `{:entrypoint}`, or `main`.
    pub entry: Option<String>,
    /// If true, tasks may be preempted before each statement that accesses a shared variable
    /// ([`Preemption`](crate::Preemption)).
    pub preempt: bool,
}

impl ProgramOptions {
    /// The default options, with preemption.
    pub fn preemptive() -> Self {
        Self { entry: None, preempt: true }
    }
}
