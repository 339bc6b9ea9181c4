//! A solver as a child process, over SMT-LIB 2.
//!
//! One thread writes to its input, one reads its output and one its error output, so that a solver that neither reads nor
//! answers cannot block the run: it waits for an answer within its limits, then kills the process.
//!
//! A failed write is not an error by itself. Whether a solver that terminates early is noticed by a broken pipe or by the
//! end of its output depends on timing; so only the reading side reports it, with exit status and error output.

use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use dally_verify::{Solver, SolverError};

/// How long a run may take, and who may end it.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// For one question.
    pub(crate) query: Option<Duration>,
    /// For everything.
    pub(crate) until: Option<Instant>,
    pub(crate) cancelled: Arc<AtomicBool>,
}

/// A solver that is running.
#[derive(Debug)]
pub(crate) struct Process {
    name: String,
    child: Child,
    input: Sender<String>,
    output: Receiver<Vec<u8>>,
    errors: Receiver<Vec<u8>>,
    /// What has been read and not been used.
    pending: Vec<u8>,
    log: Option<BufWriter<std::fs::File>>,
    limits: Limits,
    /// True once it has answered the greeting.
    greeted: bool,
    /// True once the process and its group are gone: their number may now belong to others.
    reaped: bool,
}

/// What a solver must say before its answers count: there are programs that say `unsat` without being asked.
const PASSWORD: &str = "dally";

/// An answer that is longer than this makes no sense.
const MOST_OUTPUT: usize = 1 << 30;
/// Kept of the error output, in bytes.
const MOST_ERRORS: usize = 1 << 12;
/// Shown of the output or the error output of a solver that terminated, in characters.
const MOST_SHOWN: usize = 200;
/// Time for a process to terminate after it has closed its output.
const GRACE: Duration = Duration::from_secs(5);
/// Period at which the limits are checked while waiting.
const EVERY: Duration = Duration::from_millis(50);

/// Which solver to start: the one that was asked for, or the one of the environment, or z3.
pub(crate) fn name(asked: Option<&str>) -> String {
    let environment = || std::env::var("DALLY_SOLVER").ok().filter(|name| !name.is_empty());
    asked.map(str::to_owned).or_else(environment).unwrap_or_else(|| "z3".to_owned())
}

/// A program and its own flags: `z3 smt.random_seed=1`, unless that is the name of a file.
fn words(name: &str) -> (&str, Vec<&str>) {
    let mut words = name.split_whitespace();
    match words.next() {
        Some(program) if !Path::new(name).exists() => (program, words.collect()),
        _ => (name, Vec::new()),
    }
}

/// The name of a program without its folder and its flags.
fn program(name: &str) -> &str {
    let (name, _) = words(name);
    Path::new(name).file_stem().and_then(|s| s.to_str()).unwrap_or(name)
}

fn is_z3(name: &str) -> bool {
    program(name).starts_with("z3")
}

/// How a solver is started, so that it reads commands from its input. A group of its own has all that it starts.
fn command(name: &str) -> Command {
    let (path, own) = words(name);
    let flags: &[&str] = match program(name) {
        p if p.starts_with("z3") => &["-in", "-smt2"],
        p if p.starts_with("cvc5") => &["--lang=smt2", "--incremental", "--produce-models", "--quiet"],
        p if p.starts_with("yices") => &["--incremental"],
        _ => &[],
    };
    let mut command = Command::new(path);
    command.args(flags).args(own).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C is for dally, which says what is known then.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// How often z3 looks for values for which quantifiers do not hold, as a rule ([`greeting`]), and where that is the question.
const TURNS: u32 = 10;
const MOST_TURNS: u32 = 1000;

/// What a solver wants to hear first.
fn greeting(name: &str) -> &'static str {
    if is_z3(name) {
        // Its own choice of settings, and long searches for models of quantifiers, cost more than they find. Its older
        // arithmetic, that of Boogie and Dafny, and to try first that a condition holds, which is to follow one path,
        // together take a tenth to a half less on most programs of the papers, and a third of it on the tests of Corral.
        "(set-option :print-success false)\n\
         (set-option :auto_config false)\n\
         (set-option :smt.mbqi.max_iterations 10)\n\
         (set-option :smt.arith.solver 2)\n\
         (set-option :smt.phase_selection 1)\n"
    } else {
        "(set-logic ALL)\n"
    }
}

impl Process {
    pub(crate) fn start(name: &str, log: Option<PathBuf>, limits: Limits) -> Result<Process, SolverError> {
        let child = command(name).spawn();
        let mut child = child.map_err(|error| SolverError::Broken(missing(name, &error)))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(SolverError::Broken(format!("the solver `{name}` cannot be reached")));
        };
        let log = match log {
            None => None,
            Some(path) => Some(BufWriter::new(std::fs::File::create(&path).map_err(|error| {
                SolverError::Broken(format!("cannot write `{}`: {error}", path.display()))
            })?)),
        };
        let mut process = Process {
            name: name.to_owned(),
            child,
            input: writer(stdin),
            output: reader(stdout),
            errors: collector(stderr),
            pending: Vec::new(),
            log,
            limits,
            greeted: false,
            reaped: false,
        };
        process.tell(greeting(name))?;
        process.tell(&format!("(echo \"{PASSWORD}\")\n"))?;
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
            let text = String::from_utf8_lossy(bytes);
            let text: String = text.trim().chars().take(MOST_SHOWN).collect();
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
        let _ = i32::try_from(self.child.id()).map(|group| {
            nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL)
        });
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// One answer, as soon as it is complete.
    fn answer(&mut self) -> Result<String, SolverError> {
        let started = Instant::now();
        let mut scanned = Scan::default();
        loop {
            if let Some(end) = scanned.end(&self.pending) {
                let rest = self.pending.split_off(end);
                let answer = std::mem::replace(&mut self.pending, rest);
                return match String::from_utf8(answer) {
                    Ok(text) => Ok(text),
                    Err(_) => Err(SolverError::Broken(format!("the solver `{}` answers no text", self.name))),
                };
            }
            if self.pending.len() > MOST_OUTPUT {
                return Err(SolverError::Broken(format!("the solver `{}` does not stop talking", self.name)));
            }
            self.wait(started)?;
        }
    }

    /// One answer that is no error.
    fn accepted(&mut self) -> Result<String, SolverError> {
        let answer = self.answer()?;
        let answer = answer.trim();
        if answer.starts_with("(error") || answer == "unsupported" {
            let said = answer.strip_prefix("(error").and_then(|t| t.strip_suffix(')')).unwrap_or(answer);
            let said: String = said.trim().trim_matches('"').chars().take(300).collect();
            return Err(SolverError::Broken(format!(
                "the solver `{}` does not accept this: {said}",
                self.name
            )));
        }
        Ok(answer.to_owned())
    }

    /// Waits for more output.
    fn wait(&mut self, started: Instant) -> Result<(), SolverError> {
        loop {
            if self.limits.cancelled.load(Ordering::Relaxed) {
                return Err(SolverError::Cancelled);
            }
            let now = Instant::now();
            if self.limits.until.is_some_and(|until| now >= until) {
                return Err(SolverError::Time);
            }
            if self.limits.query.is_some_and(|most| now.duration_since(started) >= most) {
                return Err(SolverError::Question);
            }
            match self.output.recv_timeout(EVERY) {
                Ok(bytes) => {
                    self.pending.extend(bytes);
                    return Ok(());
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.terminated()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Solver for Process {
    fn tell(&mut self, commands: &str) -> Result<(), SolverError> {
        if let Some(log) = &mut self.log {
            let written = log.write_all(commands.as_bytes()).and_then(|()| log.flush());
            written.map_err(|error| SolverError::Broken(format!("cannot write the log: {error}")))?;
        }
        // Fails if the solver has closed its input: the end of its output tells why.
        let _ = self.input.send(commands.to_owned());
        Ok(())
    }

    fn ask(&mut self, command: &str) -> Result<String, SolverError> {
        self.tell(command)?;
        if !std::mem::replace(&mut self.greeted, true) {
            let said = self.accepted()?;
            // Some keep the quotation marks.
            if said.trim_matches('"') != PASSWORD {
                let said: String = said.chars().take(200).collect();
                let message = format!("`{}` does not answer as a solver does, but with `{said}`", self.name);
                return Err(SolverError::Broken(message));
            }
        }
        self.accepted()
    }

    fn hurry(&mut self, hurry: bool) -> Result<(), SolverError> {
        // A measure of work, which is the same on all machines: a second or two.
        const WORK: u32 = 4_000_000;
        if !is_z3(&self.name) {
            return Ok(());
        }
        // What is asked in a hurry is about axioms: values for which they do not hold are what there is to find.
        let (work, turns) = if hurry { (WORK, MOST_TURNS) } else { (0, TURNS) };
        self.tell(&format!("(set-option :rlimit {work})\n(set-option :smt.mbqi.max_iterations {turns})\n"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Why a solver cannot be started, and how to get one.
fn missing(name: &str, error: &std::io::Error) -> String {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => format!("the solver `{}` is not installed", words(name).0),
        _ => format!("the solver `{name}` cannot be started: {error}"),
    };
    format!(
        "{why}\n  \
         Debian, Ubuntu: sudo apt-get install z3\n  \
         macOS:          brew install z3\n  \
         pip:            pip install z3-solver\n  \
         Another solver: --solver NAME, or the environment variable DALLY_SOLVER (z3, cvc5, yices-smt2)"
    )
}

/// Writes to the input of a solver. The thread terminates when the sender is dropped, or the solver closes its input.
fn writer(mut stdin: ChildStdin) -> Sender<String> {
    let (sender, receiver) = mpsc::channel::<String>();
    std::thread::spawn(move || {
        for text in receiver {
            if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// Reads the output of a solver in pieces.
fn reader(mut stdout: ChildStdout) -> Receiver<Vec<u8>> {
    // The bound holds back a solver that prints without end.
    let (sender, receiver) = mpsc::sync_channel(64);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(n) = stdout.read(&mut buffer) {
            if n == 0 || sender.send(buffer[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Reads the error output of a solver to its end, and sends the beginning of it.
fn collector(mut stderr: ChildStderr) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let (mut kept, mut buffer) = (Vec::new(), vec![0; 1 << 12]);
        while let Ok(n @ 1..) = stderr.read(&mut buffer) {
            let room = MOST_ERRORS - kept.len();
            kept.extend(&buffer[..n.min(room)]);
        }
        // Fails if the process has been dropped meanwhile.
        let _ = sender.send(kept);
    });
    receiver
}

/// How far an answer has been looked through.
#[derive(Debug, Default)]
struct Scan {
    at: usize,
    depth: usize,
    quote: Option<u8>,
    begun: bool,
}

impl Scan {
    /// Where the first word or list ends, if all of it is there.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(byte) = bytes.get(self.at) {
            self.at += 1;
            if let Some(quote) = self.quote {
                self.quote = self.quote.filter(|_| *byte != quote);
                continue;
            }
            match byte {
                b'"' | b'|' => {
                    self.quote = Some(*byte);
                    self.begun = true;
                }
                b'(' => {
                    self.depth += 1;
                    self.begun = true;
                }
                b')' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.begun = true;
                    if self.depth == 0 {
                        return Some(self.at);
                    }
                }
                b if b.is_ascii_whitespace() => {
                    if self.begun && self.depth == 0 {
                        return Some(self.at);
                    }
                }
                _ => self.begun = true,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Scan;

    #[test]
    fn answers_end_where_they_end() {
        let end = |text: &str| Scan::default().end(text.as_bytes());
        assert_eq!(end("sat\n"), Some(4));
        assert_eq!(end("sat"), None);
        assert_eq!(end("((x \")\") (y |)|))\nsat\n"), Some(17));
        assert_eq!(end("((x 1)"), None);
        assert_eq!(end("\n\n"), None);
    }
}
