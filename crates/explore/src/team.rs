//! The threads of a search. They are started once: to start a thread takes as long as to explore some hundred states, and so
//! does waking one. So those who wait for each other, or for the next phase of a wave, linger for a while before they go to
//! sleep.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::{ThreadPool, Yield};

/// Deep enough for whatever a program computes in a step.
const STACK: usize = 8 << 20;

/// More threads than this for each core only wait for each other.
const THREADS_PER_CORE: usize = 4;

/// Some threads that wait for work.
#[derive(Clone, Debug)]
pub(crate) struct Team {
    /// None for a single thread, which is that of the caller.
    pool: Option<Arc<ThreadPool>>,
}

impl Team {
    /// A team of so many, or fewer if the machine has few cores, or of one, if there are no threads to be had.
    pub(crate) fn new(threads: usize) -> Self {
        let name = |nth| format!("dally-{nth}");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(cores.saturating_mul(THREADS_PER_CORE));
        let build = || {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            builder.stack_size(STACK).thread_name(name).build().ok().map(Arc::new)
        };
        Self { pool: if threads > 1 { build() } else { None } }
    }

    pub(crate) fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Does something of which [`for_each_thread`] gives parts to the others.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// Does all of the work, shared if there are several threads: whoever is free takes up something.
pub(crate) fn for_each<T: Send>(work: Vec<T>, threads: usize, run: impl Fn(T) + Sync) {
    if threads == 1 { work.into_iter().for_each(run) } else { for_each_thread(work, run) }
}

/// Does the work of each thread: this one does the last.
pub(crate) fn for_each_thread<T: Send>(mut work: Vec<T>, run: impl Fn(T) + Sync) {
    let own = work.pop();
    if work.is_empty() {
        own.map(run);
        return;
    }
    let left = AtomicUsize::new(work.len());
    rayon::in_place_scope(|scope| {
        for one in work {
            scope.spawn(|_| {
                run(one);
                left.fetch_sub(1, Ordering::Relaxed);
            });
        }
        own.map(&run);
        linger(|| left.load(Ordering::Relaxed) == 0);
    });
}

/// Does something of which [`for_each_thread`] gives parts to the others time and again: in between they linger.
pub(crate) fn together<T>(work: impl FnOnce() -> T) -> T {
    let (done, this) = (Arc::new(AtomicBool::new(false)), rayon::current_thread_index());
    let seen = Arc::clone(&done);
    // Nobody waits for them to notice: they may not be running at all, if others need the cores.
    rayon::spawn_broadcast(move |other| {
        if Some(other.index()) != this {
            linger(|| seen.load(Ordering::Relaxed));
        }
    });
    // This thread was told as well: it listens now, since it may have no other time to.
    rayon::yield_now();
    let result = work();
    done.store(true, Ordering::Relaxed);
    result
}

/// How often somebody who lingers looks for work in vain: this takes some times as long as to wake somebody from sleep.
const PATIENCE: usize = 1 << 10;

/// Looks for work until something has come about. Gives up after a while: others may need the core to bring it about.
fn linger(come_about: impl Fn() -> bool) {
    let mut in_vain = 0;
    while in_vain < PATIENCE && !come_about() {
        match rayon::yield_now() {
            Some(Yield::Executed) => in_vain = 0,
            Some(Yield::Idle) | None => in_vain += 1,
        }
        std::hint::spin_loop();
    }
}
