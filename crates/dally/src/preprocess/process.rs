//! The compiler as a child process with limits.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time for one file.
const MOST_TIME: Duration = Duration::from_secs(10);
/// The longest preprocessed text, in bytes.
const MOST_TEXT: u64 = 64 << 20;
/// The longest error output, in bytes.
const MOST_ERRORS: u64 = 1 << 20;
/// The time between the end of the output and that of the process.
const GRACE: Duration = Duration::from_secs(1);
/// The period at which the process is checked.
const EVERY: Duration = Duration::from_millis(1);
/// Variables that change which headers the compiler finds, or what it writes.
const VARIABLES: [&str; 6] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
];

/// A run of the compiler.
pub(super) struct Ran {
    /// Its output, if it succeeded.
    pub(super) text: Option<String>,
    pub(super) errors: String,
}

/// Runs the compiler. An error is a message.
pub(super) fn run(compiler: &[String], flags: &[String]) -> Result<Ran, String> {
    let Some((program, first)) = compiler.split_first() else {
        return Err("no compiler is named".to_owned());
    };
    let mut command = Command::new(program);
    command.args(first).args(flags).env("LC_ALL", "C");
    VARIABLES.iter().for_each(|variable| {
        command.env_remove(variable);
    });
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The compiler starts processes of its own, which are killed with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| {
        format!(
            "C files are preprocessed by a C compiler, and `{program}` cannot be run: {error}; install one, name one \
             with --cc or in the environment variable CC, or give a preprocessed file (.i)"
        )
    })?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err("the pipes of the compiler cannot be opened".to_owned());
    };
    let (text, errors) = (collect(stdout, MOST_TEXT), collect(stderr, MOST_ERRORS));
    let ended = wait(&mut child, &text);
    kill(&mut child);
    let success = ended.ok_or_else(|| {
        format!("`{program}` was stopped: preprocessing took longer than {} seconds", MOST_TIME.as_secs())
    })?;
    let (text, errors) = (text.join().unwrap_or_default(), errors.join().unwrap_or_default());
    if text.len() as u64 > MOST_TEXT {
        return Err(format!("the preprocessed text is longer than {} MiB", MOST_TEXT >> 20));
    }
    let lossy = crate::input::in_ascii;
    Ok(Ran { text: success.then(|| lossy(text)), errors: lossy(errors) })
}

/// Reads a pipe up to a limit, and then closes it.
fn collect(pipe: impl Read + Send + 'static, most: u64) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // Output that was read before an error is shown.
        let _ = pipe.take(most + 1).read_to_end(&mut bytes);
        bytes
    })
}

/// Waits until the process ends. Returns whether it succeeded, or none if it has not ended in time.
fn wait(child: &mut Child, text: &JoinHandle<Vec<u8>>) -> Option<bool> {
    let started = Instant::now();
    let mut closed = None;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status.success());
        }
        if started.elapsed() > MOST_TIME {
            return None;
        }
        // The output is closed at its end, and at the limit.
        if text.is_finished() && closed.get_or_insert_with(Instant::now).elapsed() > GRACE {
            return Some(false);
        }
        std::thread::sleep(EVERY);
    }
}

fn kill(child: &mut Child) {
    #[cfg(unix)]
    let _ = i32::try_from(child.id()).map(|group| {
        nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL)
    });
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_missing_compiler_is_explained() {
        let message = run(&words("/no/such/compiler"), &[]).err().unwrap();
        assert!(message.contains("`/no/such/compiler` cannot be run"), "{message}");
        assert!(message.contains("--cc"), "{message}");
    }

    #[test]
    fn output_is_limited() {
        let message = run(&words("cat /dev/zero"), &[]).err().unwrap();
        assert_eq!(message, "the preprocessed text is longer than 64 MiB");
    }

    #[test]
    fn failures_have_no_text() {
        let ran = run(&words("cat /no/such/file"), &[]).unwrap();
        assert!(ran.text.is_none() && ran.errors.contains("/no/such/file"));
    }
}
