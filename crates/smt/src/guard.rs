//! The guard of a solver, which ends it with the run.
//!
//! A run that is killed cannot clean up. So each solver has a guard: a shell that leads the solver's process group, and
//! waits for the end of a pipe whose other end only this process holds. The pipe closes when this process ends, however it
//! ends, and the guard then kills its group: itself, the solver, and all processes that the solver has started. Unlike a
//! parent-death signal, this does not depend on the thread that started the solver, and works on every Unix system. The
//! group exists before the solver does, so there is no moment at which the solver could be left alone.

use std::io;
use std::process::{Child, Command, Stdio};

use std::os::unix::process::CommandExt;

/// The shell reads until the end of its input.
const SCRIPT: &str = "while read -r line; do :; done; kill -s KILL 0";

/// The leader of a solver's process group.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    /// Starts a guard.
    pub(crate) fn start() -> io::Result<Guard> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "dally: solver guard"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C then reaches dally only, which reports what is known.
        command.process_group(0).current_dir("/").spawn().map(Guard)
    }

    /// Makes a process a member of the group.
    pub(crate) fn adopt(&self, command: &mut Command) {
        if let Ok(group) = i32::try_from(self.0.id()) {
            command.process_group(group);
        }
    }

    /// Kills the group. Its number stays reserved until the guard is dropped.
    pub(crate) fn kill(&self) {
        let _ = i32::try_from(self.0.id()).map(|group| {
            nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL)
        });
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // The end of its input would end it, too.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "test code")]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn the_group_ends_with_the_pipe() {
        let mut guard = Guard::start().unwrap();
        let mut command = Command::new("sleep");
        guard.adopt(command.arg("100"));
        let mut member = command.spawn().unwrap();
        // As the end of this process would.
        drop(guard.0.stdin.take());
        assert_eq!(member.wait().unwrap().signal(), Some(9));
    }
}
