//! Memory of benchmarks: its peak, and settings of the allocator.

use std::process::{Command, ExitCode};

/// The peak resident memory of this process in bytes, where `/proc` exists.
pub fn peak() -> Option<u64> {
    peak_of("self")
}

/// The peak resident memory so far of the process with this number in `/proc`, in bytes.
pub fn peak_of(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// The delay in milliseconds after which mimalloc returns freed memory to the system; negative for
/// never.
const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";

/// Runs a benchmark in a child process whose allocator keeps freed memory, unless the environment
/// sets the allocator's variable.
///
/// A search allocates hundreds of megabytes and frees them when it is done. By default the
/// allocator would return them to the system one second later, during the next search, which then
/// waits for the system to clear new pages. That took between nothing and a third of the measured
/// time.
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
