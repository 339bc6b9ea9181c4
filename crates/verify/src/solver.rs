//! What the verifier needs of a solver.

/// A solver for SMT-LIB 2 that keeps what it is told.
///
/// The verifier knows nothing of processes: who implements this decides how a solver is reached, how long a question
/// may take, and what is logged.
pub trait Solver {
    /// Gives commands that have no answer.
    fn tell(&mut self, commands: &str) -> Result<(), SolverError>;

    /// Gives a command, and waits for its answer: one word, or one list with all of its parentheses.
    fn ask(&mut self, command: &str) -> Result<String, SolverError>;

    /// Lets it give up soon on what is asked from now on, or no longer: then it does not know. One that cannot do that takes
    /// its time.
    fn hurry(&mut self, _hurry: bool) -> Result<(), SolverError> {
        Ok(())
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverError {
    /// Everything together took too long.
    Time,
    /// One question took too long.
    Question,
    /// Somebody wants the run to end.
    Cancelled,
    /// The solver cannot be used: it is missing, has ended, or says what makes no sense. The message says which.
    Broken(String),
}

impl std::fmt::Display for SolverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SolverError::Time => f.write_str("the time for the solver is up"),
            SolverError::Question => f.write_str("a question took the solver too long"),
            SolverError::Cancelled => f.write_str("interrupted"),
            SolverError::Broken(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for SolverError {}
