//! The interface of a solver.

/// An incremental solver for SMT-LIB 2.
///
/// The verifier does not know processes: an implementation decides how a solver is reached, how long a query may take,
/// and what is logged.
pub trait Solver {
    /// Sends commands that have no answer.
    fn send(&mut self, commands: &str) -> Result<(), SolverError>;

    /// Sends a command and waits for its answer: one word, or one balanced list.
    fn query(&mut self, command: &str) -> Result<String, SolverError>;

    /// Sets how the queries that follow are answered. A solver that has no such modes ignores this.
    fn set_mode(&mut self, _mode: QueryMode) -> Result<(), SolverError> {
        Ok(())
    }
}

/// How a query is answered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum QueryMode {
    /// Quantifiers are instantiated by their triggers, and the solver searches for a few rounds for a model in which they
    /// hold.
    #[default]
    Models,
    /// Quantifiers are instantiated by their triggers only: a query that quantifiers do not refute has the answer
    /// `unknown`, soon, with a model that may violate them.
    Triggers,
    /// The search for models is longer, and the effort is limited: a query that exceeds it has the answer `unknown`.
    Limited,
}

/// The reasons why a query has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverError {
    /// The time for the whole run is up.
    Time,
    /// The time for one query is up.
    QueryTime,
    /// The memory is used up.
    Memory,
    /// The run has been cancelled.
    Cancelled,
    /// The solver cannot be used: it is missing, has terminated, or its answer is malformed. The message says which.
    Broken(String),
}

impl std::fmt::Display for SolverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SolverError::Time => f.write_str("the time for the solver is up"),
            SolverError::QueryTime => f.write_str("the time for one query is up"),
            SolverError::Memory => f.write_str("the memory is used up"),
            SolverError::Cancelled => f.write_str("interrupted"),
            SolverError::Broken(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for SolverError {}
