//! A solver as a child process.
//!
//! The run waits for an answer within its [`SolverBudget`], then kills the process.
//!
//! A failed write is not an error by itself. Whether a solver that terminates early is noticed by a broken pipe or by the
//! end of its output depends on timing; so only the reading side reports it, with exit status and error output.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use dally_verify::{QueryMode, Solver, SolverError};

use crate::answer::Scan;
use crate::dialect::{DIALECTS, Dialect, Named};
#[cfg(unix)]
use crate::guard::Guard;
use crate::pipes;
use crate::processes::Processes;

/// How long a solver may take.
#[derive(Clone, Debug, Default)]
pub struct SolverBudget {
    /// The time for one query.
    pub query: Option<Duration>,
    /// The end of the whole run.
    pub until: Option<Instant>,
    /// Set to end the run as soon as possible.
    pub cancelled: Arc<AtomicBool>,
    /// Set if the answer is no longer needed: its query ends as if the run were cancelled.
    pub decided: Arc<AtomicBool>,
    /// All processes with this budget.
    pub processes: Arc<Processes>,
}

/// A solver that is running.
pub struct Process {
    name: String,
    dialect: &'static Dialect,
    child: Child,
    #[cfg(unix)]
    guard: Guard,
    input: Sender<String>,
    output: Receiver<Vec<u8>>,
    errors: Receiver<Vec<u8>>,
    /// Output that no answer has consumed.
    pending: Vec<u8>,
    scan: Scan,
    log: Option<Box<dyn Write>>,
    budget: SolverBudget,
    /// True once it has answered the greeting.
    greeted: bool,
    /// True once the process and its group are gone: their number may now belong to others.
    reaped: bool,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process")
            .field("name", &self.name)
            .field("child", &self.child)
            .finish_non_exhaustive()
    }
}

/// A solver must echo this before its answers count: there are programs that print `unsat` without a question.
const GREETING: &str = "dally";
/// A solver echoes this after the answers that are skipped.
const SKIPPED: &str = "skipped";
/// Longest answer, in bytes.
const MOST_OUTPUT: usize = 1 << 30;
/// Shown of the output or the error output of a solver that failed, in characters.
const MOST_SHOWN: usize = 200;
/// Time for a process to terminate after it has closed its output.
const GRACE: Duration = Duration::from_secs(5);
/// Period at which the budget is checked while waiting.
pub(crate) const EVERY: Duration = Duration::from_millis(50);

impl Process {
    /// Starts a solver: a program by its name or path, perhaps followed by flags. All commands are written to `log`, so that
    /// they can be run again.
    pub fn start(
        name: &str,
        log: Option<Box<dyn Write>>,
        budget: SolverBudget,
    ) -> Result<Process, SolverError> {
        Process::start_variant(name, "", log, budget)
    }

    /// Starts a solver with further options: commands after those that its dialect needs.
    pub(crate) fn start_variant(
        name: &str,
        options: &str,
        log: Option<Box<dyn Write>>,
        budget: SolverBudget,
    ) -> Result<Process, SolverError> {
        let named = Named::new(name);
        let mut command = command(&named);
        #[cfg(unix)]
        let guard = Guard::start().map_err(|error| SolverError::Broken(no_guard(&error)))?;
        #[cfg(unix)]
        guard.adopt(&mut command);
        let mut child = command.spawn().map_err(|error| SolverError::Broken(not_started(&named, &error)))?;
        budget.processes.enter(child.id());
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(SolverError::Broken(format!("the pipes of the solver `{name}` cannot be opened")));
        };
        let mut process = Process {
            name: name.to_owned(),
            dialect: named.dialect,
            child,
            #[cfg(unix)]
            guard,
            input: pipes::writer(stdin),
            output: pipes::reader(stdout),
            errors: pipes::collector(stderr),
            pending: Vec::new(),
            scan: Scan::default(),
            log,
            budget,
            greeted: false,
            reaped: false,
        };
        process.send(process.dialect.setup)?;
        process.send(options)?;
        process.send(&format!("(echo \"{GREETING}\")\n"))?;
        Ok(process)
    }

    /// The error for a solver that has closed its output: how it terminated, and what it printed.
    fn terminated(&mut self) -> SolverError {
        let status = self.exit_status();
        // Processes that it started may hold its error output open.
        self.kill();
        let errors = self.errors.recv_timeout(GRACE).unwrap_or_default();
        let mut message = format!("the solver `{}` terminated unexpectedly ({status})", self.name);
        for (what, bytes) in [("output", &self.pending), ("error output", &errors)] {
            let text = shortened(String::from_utf8_lossy(bytes).trim());
            if !text.is_empty() {
                message.push_str(&format!("; its {what} is `{text}`"));
            }
        }
        SolverError::Broken(message)
    }

    /// How the process terminated. Its output is closed, so that it is about to.
    fn exit_status(&mut self) -> String {
        let deadline = Instant::now() + GRACE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
                Ok(None) => return "it closed its output".to_owned(),
                Err(error) => return error.to_string(),
            }
        }
    }

    /// Kills the solver and all processes that it has started.
    fn kill(&mut self) {
        if std::mem::replace(&mut self.reaped, true) {
            return;
        }
        #[cfg(unix)]
        self.guard.kill();
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.budget.processes.leave(self.child.id());
    }

    /// Sends a query. The process counts as busy until its answer is read.
    pub(crate) fn ask(&mut self, query: &str) -> Result<(), SolverError> {
        self.budget.processes.set_busy(self.child.id(), Some(query));
        self.send(query)
    }

    /// Skips the answers to all commands so far, after an error: it may be that of a command before the query, whose own answer
    /// must not be taken for that of the next. A process that does not get there is killed.
    fn skip_answers(&mut self, started: Instant) {
        let waiting = Instant::now();
        let is_in_time = |process: &Process| {
            waiting.elapsed() < GRACE && process.budget.check(started).is_ok() && !process.reaped
        };
        if self.greeted && !self.reaped && self.send(&format!("(echo \"{SKIPPED}\")\n")).is_ok() {
            while is_in_time(self) {
                if self.poll(EVERY).is_ok_and(|answer| answer.is_some_and(|a| a.trim_matches('"') == SKIPPED))
                {
                    return;
                }
            }
        }
        self.kill();
    }

    /// The next answer, if it arrives within this time.
    pub(crate) fn poll(&mut self, patience: Duration) -> Result<Option<String>, SolverError> {
        loop {
            if let Some(answer) = self.next_answer()? {
                if std::mem::replace(&mut self.greeted, true) {
                    self.budget.processes.set_busy(self.child.id(), None);
                    return Ok(Some(answer));
                }
                self.check_greeting(&answer)?;
                continue;
            }
            if self.pending.len() > MOST_OUTPUT {
                let message = format!("an answer of the solver `{}` is longer than 1 GiB", self.name);
                return Err(SolverError::Broken(message));
            }
            match self.output.recv_timeout(patience) {
                Ok(bytes) => self.pending.extend(bytes),
                Err(RecvTimeoutError::Disconnected) => return Err(self.terminated()),
                Err(RecvTimeoutError::Timeout) => return Ok(None),
            }
        }
    }

    /// The first answer of the output so far, which is not an error.
    fn next_answer(&mut self) -> Result<Option<String>, SolverError> {
        let Some(end) = self.scan.end(&self.pending) else { return Ok(None) };
        self.scan = Scan::default();
        let rest = self.pending.split_off(end);
        let answer = std::mem::replace(&mut self.pending, rest);
        let Ok(answer) = String::from_utf8(answer) else {
            return Err(SolverError::Broken(format!("an answer of the solver `{}` is not UTF-8", self.name)));
        };
        let answer = answer.trim();
        if answer.starts_with("(error") || answer == "unsupported" {
            let error = answer.strip_prefix("(error").and_then(|t| t.strip_suffix(')')).unwrap_or(answer);
            let error: String = error.trim().trim_matches('"').chars().take(300).collect();
            let message = format!("the solver `{}` reports an error: {error}", self.name);
            return Err(SolverError::Broken(message));
        }
        Ok(Some(answer.to_owned()))
    }

    /// Checks that the process echoes the greeting.
    fn check_greeting(&self, answer: &str) -> Result<(), SolverError> {
        // Some solvers keep the quotation marks.
        if answer.trim_matches('"') == GREETING {
            return Ok(());
        }
        let answer = shortened(answer);
        Err(SolverError::Broken(format!(
            "`{}` does not answer as a solver does, but with `{answer}`",
            self.name
        )))
    }
}

impl SolverBudget {
    /// Fails if a query that started then has used up its time, or the run has.
    pub(crate) fn check(&self, started: Instant) -> Result<(), SolverError> {
        if self.cancelled.load(Ordering::Relaxed) || self.decided.load(Ordering::Relaxed) {
            return Err(SolverError::Cancelled);
        }
        let now = Instant::now();
        if self.until.is_some_and(|until| now >= until) {
            return Err(SolverError::Time);
        }
        if self.query.is_some_and(|most| now.duration_since(started) >= most) {
            return Err(SolverError::QueryTime);
        }
        Ok(())
    }
}

impl Solver for Process {
    fn send(&mut self, commands: &str) -> Result<(), SolverError> {
        if let Some(log) = &mut self.log {
            let written = log.write_all(commands.as_bytes()).and_then(|()| log.flush());
            written.map_err(|error| SolverError::Broken(format!("cannot write the log: {error}")))?;
        }
        // Fails if the solver has closed its input: the end of its output tells why.
        let _ = self.input.send(commands.to_owned());
        Ok(())
    }

    fn query(&mut self, command: &str) -> Result<String, SolverError> {
        let started = Instant::now();
        self.ask(command)?;
        loop {
            self.budget.check(started)?;
            match self.poll(EVERY) {
                Ok(None) => {}
                Ok(Some(answer)) => return Ok(answer),
                Err(error) => {
                    self.skip_answers(started);
                    return Err(error);
                }
            }
        }
    }

    fn set_mode(&mut self, mode: QueryMode) -> Result<(), SolverError> {
        let Some(modes) = &self.dialect.modes else { return Ok(()) };
        self.send(match mode {
            QueryMode::Models => modes.models,
            QueryMode::Triggers => modes.triggers,
            QueryMode::Limited => modes.limited,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The beginning of a text that a solver printed.
fn shortened(text: &str) -> String {
    text.chars().take(MOST_SHOWN).collect()
}

fn command(named: &Named<'_>) -> Command {
    let mut command = Command::new(named.program);
    command.args(named.dialect.flags).args(&named.flags);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The message for a guard that cannot be started.
#[cfg(unix)]
fn no_guard(error: &std::io::Error) -> String {
    format!("the shell `/bin/sh`, which ends solvers together with dally, cannot be started: {error}")
}

/// The message for a solver that cannot be started, and how to install one.
fn not_started(named: &Named<'_>, error: &std::io::Error) -> String {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => format!("the solver `{}` is not installed", named.program),
        _ => format!("the solver `{}` cannot be started: {error}", named.program),
    };
    let known: Vec<&str> = DIALECTS.iter().flat_map(|dialect| dialect.programs.first().copied()).collect();
    format!(
        "{why}\n  \
         Debian, Ubuntu: sudo apt-get install z3\n  \
         macOS:          brew install z3\n  \
         pip:            pip install z3-solver\n  \
         Another solver: --solver NAME, or the environment variable DALLY_SOLVER ({})",
        known.join(", ")
    )
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "test code")]
mod tests {
    use super::*;

    /// Starts a shell script, which removes its own file, as a solver without limits.
    fn start(name: &str, script: &str) -> Process {
        let path = std::env::temp_dir().join(format!("dally-smt-{}-{name}", std::process::id()));
        std::fs::write(&path, format!("rm \"$0\"\n{script}")).unwrap();
        let budget = SolverBudget::default();
        Process::start(&format!("sh {}", path.display()), None, budget).unwrap()
    }

    /// A solver that has started a process, answers one query, and none after that. The process shares the error output
    /// of the solver, and writes to it in the end.
    const PARENT: &str = "(sleep 120; echo survived >&2) & echo dally; echo sat; exec cat > /dev/null";

    /// Waits until all processes that hold the error output are gone, and returns what they wrote.
    fn last_words(mut process: Process) -> Vec<u8> {
        let errors = std::mem::replace(&mut process.errors, std::sync::mpsc::channel().1);
        drop(process);
        errors.recv().unwrap()
    }

    #[test]
    fn processes_that_a_solver_has_started_are_killed_after_a_timeout() {
        type Exceed = fn(&mut SolverBudget);
        let limits: [(&str, Exceed, SolverError); 3] = [
            ("query", |budget| budget.query = Some(Duration::ZERO), SolverError::QueryTime),
            ("until", |budget| budget.until = Some(Instant::now()), SolverError::Time),
            ("cancelled", |budget| budget.cancelled.store(true, Ordering::Relaxed), SolverError::Cancelled),
        ];
        for (name, exceed, error) in limits {
            let mut process = start(name, PARENT);
            // The answer comes after the process has been started.
            assert_eq!(process.query("(check-sat)\n").unwrap(), "sat");
            exceed(&mut process.budget);
            assert_eq!(process.query("(check-sat)\n"), Err(error));
            assert_eq!(String::from_utf8_lossy(&last_words(process)), "", "{name}");
        }
    }

    #[test]
    fn processes_that_a_solver_has_started_are_killed_after_it_terminates() {
        let mut process = start("ends", "(sleep 120; echo survived >&2) > /dev/null & echo left >&2; exit 7");
        let Err(SolverError::Broken(message)) = process.query("(check-sat)\n") else { panic!("no error") };
        assert!(
            message.ends_with("terminated unexpectedly (exit status: 7); its error output is `left`"),
            "{message}"
        );
    }
}
