//! The budget of a command: time, memory and Ctrl-C, from its start on.
//!
//! A search is told to end, and reports its coverage. While files are read and a program is compiled there is no coverage
//! to report. So the watcher, a thread, reports the verdict then and ends the process: the front ends need no limits of
//! their own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dally_explore::{Exit, Limit};
use dally_smt::Processes;

/// The time between two looks at the limits, and near the limit on memory: a program may allocate a gigabyte in a second.
const LOOK_EVERY: Duration = Duration::from_millis(10);
const LOOK_OFTEN: Duration = Duration::from_millis(1);

/// The resident memory that is always allowed, in bytes: the code of the program, tables of fixed size, and stacks. It takes
/// half of this without optimisation; the limits of the search apply earlier.
const ALWAYS: u64 = 64 << 20;

/// The limits of a command.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunLimits {
    pub(crate) time: Option<Duration>,
    /// In bytes; solvers count.
    pub(crate) memory: Option<usize>,
}

/// The budget of a running command.
#[derive(Clone)]
pub(crate) struct Budget {
    shared: Arc<Shared>,
    /// Becomes true at Ctrl-C.
    pub(crate) cancelled: Arc<AtomicBool>,
    /// Becomes true when a running step must stop.
    pub(crate) interrupt: Arc<AtomicBool>,
}

/// Reports a limit that was reached before the program was loaded.
type Reporter = Box<dyn Fn(Limit) -> Exit + Send + Sync>;

/// The parts of a budget that the watcher needs.
struct Shared {
    started: Instant,
    limits: RunLimits,
    report: Option<Reporter>,
    /// The solvers that the command runs.
    solvers: Arc<Processes>,
    /// True once the program is compiled, or was rejected. While a limit is reported, the lock is held.
    is_loaded: Mutex<bool>,
    /// True if the process has more memory than the limit allows.
    is_out_of_memory: AtomicBool,
}

impl Budget {
    /// Starts the clock. If a limit is reached before the program is [loaded](Self::loaded), `report` tells the user, and the
    /// process ends.
    pub(crate) fn start(
        limits: RunLimits,
        report: impl Fn(Limit) -> Exit + Send + Sync + 'static,
    ) -> Result<Self, String> {
        let budget = Self::new(limits, Some(Box::new(report)), Arc::default(), Arc::default());
        on_interrupt(&budget.cancelled, &budget.interrupt)
            .map_err(|error| format!("cannot watch for Ctrl-C: {error}"))?;
        let watcher = budget.clone();
        // The thread is detached and ends with the process. If it cannot be started, the search checks limits between steps.
        drop(std::thread::Builder::new().spawn(move || watcher.watch()));
        Ok(budget)
    }

    /// A budget for part of a command, which the caller interrupts.
    pub(crate) fn unwatched(
        limits: RunLimits,
        cancelled: Arc<AtomicBool>,
        interrupt: Arc<AtomicBool>,
    ) -> Self {
        Self::new(limits, None, cancelled, interrupt)
    }

    fn new(
        limits: RunLimits,
        report: Option<Reporter>,
        cancelled: Arc<AtomicBool>,
        interrupt: Arc<AtomicBool>,
    ) -> Self {
        let shared = Shared {
            started: Instant::now(),
            limits,
            report,
            solvers: Arc::default(),
            is_loaded: Mutex::default(),
            is_out_of_memory: AtomicBool::default(),
        };
        Budget { shared: Arc::new(shared), cancelled, interrupt }
    }

    /// The program is compiled, or was rejected. From now on the caller reports limits.
    pub(crate) fn loaded(&self) {
        let mut is_loaded = self.shared.lock();
        if !*is_loaded && self.shared.exceeds_memory() {
            self.shared.end(Limit::Memory);
        }
        *is_loaded = true;
    }

    /// The result of a part of loading. If it is an error, the caller reports it, and the watcher no longer does.
    pub(crate) fn loading<T, E>(&self, result: Result<T, E>) -> Result<T, E> {
        result.inspect_err(|_| self.loaded())
    }

    /// The solvers that the command runs: their memory counts.
    pub(crate) fn solvers(&self) -> &Arc<Processes> {
        &self.shared.solvers
    }

    /// The time at which the budget ends.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.shared.limits.time.and_then(|time| self.shared.started.checked_add(time))
    }

    /// The limit that is reached, if one is.
    pub(crate) fn reached(&self) -> Option<Limit> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Limit::Cancelled);
        }
        if self.shared.is_out_of_memory.load(Ordering::Relaxed) {
            return Some(Limit::Memory);
        }
        self.until().is_some_and(|until| Instant::now() >= until).then_some(Limit::Time)
    }

    /// Looks at the limits from time to time, until one is reached.
    fn watch(self) {
        loop {
            std::thread::sleep(self.shared.pause());
            let is_loaded = self.shared.lock();
            if self.shared.exceeds_memory() {
                self.shared.is_out_of_memory.store(true, Ordering::Relaxed);
            }
            let Some(limit) = self.reached() else { continue };
            if !*is_loaded {
                self.shared.end(limit);
            }
            self.interrupt.store(true, Ordering::Relaxed);
            return;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn exceeds_memory(&self) -> bool {
        let allowed = self.limits.memory.map(|memory| allowed(memory as u64));
        allowed.zip(self.resident()).is_some_and(|(allowed, now)| now > allowed)
    }

    /// The resident memory of the process and its solvers.
    fn resident(&self) -> Option<u64> {
        resident().map(|own| own + self.solvers.resident())
    }

    /// The time until the next look.
    fn pause(&self) -> Duration {
        let half = self.limits.memory.map(|memory| allowed(memory as u64) / 2);
        let is_near = half.zip(self.resident()).is_some_and(|(half, now)| now > half);
        if is_near { LOOK_OFTEN } else { LOOK_EVERY }
    }

    /// Reports a limit, and ends the process.
    fn end(&self, limit: Limit) {
        if let Some(report) = &self.report {
            std::process::exit(report(limit).code().into());
        }
    }
}

/// Sets both flags at Ctrl-C or a termination signal. A second signal ends the process.
fn on_interrupt(cancelled: &Arc<AtomicBool>, interrupt: &Arc<AtomicBool>) -> Result<(), ctrlc::Error> {
    let (cancelled, interrupt) = (Arc::clone(cancelled), Arc::clone(interrupt));
    let handler = move || {
        interrupt.store(true, Ordering::Relaxed);
        if cancelled.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    match ctrlc::set_handler(handler) {
        // A program that embeds dally runs several commands, or has a handler of its own.
        Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        result => result,
    }
}

/// The memory that a command may hold without a limit of its own: most of the free memory, on systems that report it.
pub(crate) fn free_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    // A search counts only what it holds itself.
    Some(kib * 1024 / 5 * 3)
}

/// The limit on memory that a flag sets, or the default.
pub(crate) fn memory(flag: Option<bytesize::ByteSize>) -> Option<usize> {
    match flag {
        Some(memory) => Some(usize::try_from(memory.as_u64()).unwrap_or(usize::MAX)),
        None => free_memory(),
    }
}

/// The resident memory that is allowed under a limit.
fn allowed(memory: u64) -> u64 {
    memory.max(ALWAYS)
}

/// The resident memory of the process in bytes, on systems that report it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_limits_allow_for_tables_of_fixed_size() {
        assert_eq!(allowed(1), ALWAYS);
        assert_eq!(allowed(100 << 20), 100 << 20);
    }

    #[test]
    fn memory_that_is_used_is_resident() {
        let Some(before) = resident() else { return };
        let block = vec![1_u8; 64 << 20];
        assert!(block.iter().step_by(4096).all(|byte| *byte == 1));
        assert!(resident().is_some_and(|after| after >= before + (48 << 20)));
    }
}
