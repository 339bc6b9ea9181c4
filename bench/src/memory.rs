//! Memory: how much a benchmark takes, and that it keeps it.

use std::process::{Command, ExitCode};

/// The most memory that this process has had, in bytes, where the system tells.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Tells mimalloc after how many milliseconds it gives memory back that was freed; negative for never.
const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";

/// Runs a benchmark in a process that keeps its memory, unless the variable of the allocator says otherwise.
///
/// A search takes hundreds of megabytes, and frees them at its end. The allocator would give them back a second later, in the
/// middle of the next search, which then has to wait for the system to clear them again: sometimes it took a third of the
/// time, sometimes nothing. What is compared are searches.
pub fn kept(benchmark: impl FnOnce()) -> ExitCode {
    if std::env::var_os(PURGE_DELAY).is_some() {
        benchmark();
        return ExitCode::SUCCESS;
    }
    let again = std::env::current_exe().and_then(|this| {
        Command::new(this).args(std::env::args_os().skip(1)).env(PURGE_DELAY, "-1").status()
    });
    match again {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
