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

    /// Limits the effort of the queries that follow, or lifts the limit: a query that exceeds it has the answer `unknown`.
    /// A solver without such a limit ignores this.
    fn limit_effort(&mut self, _limited: bool) -> Result<(), SolverError> {
        Ok(())
    }
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
