//! The thread pool of a search.
//!
//! Threads are started once, since starting a thread takes as long as exploring some hundred
//! states. Waking a sleeping thread is nearly as slow, and the phases of a wave are short. So a
//! thread that waits for another one, or for the next phase, first spins and looks for work, and
//! only then sleeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::{ThreadPool, Yield};

/// The stack of each thread, large enough for a step of any program.
const STACK: usize = 8 << 20;

/// More threads than this for each core would only wait for each other.
const THREADS_PER_CORE: usize = 4;

/// The threads of a search.
#[derive(Clone, Debug)]
pub(crate) struct Team {
    /// None for a single thread, which is the caller's.
    pool: Option<Arc<ThreadPool>>,
}

impl Team {
    /// A team of `threads` threads, or of fewer if the machine has few cores. If the system refuses
    /// to start threads, the caller's thread does all work.
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

    /// Runs `work` on a thread of the team, so that [`for_each_thread`] can share parts of it.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// Calls `run` for each item: on this thread if `threads` is 1, otherwise by work stealing.
pub(crate) fn for_each<T: Send>(work: Vec<T>, threads: usize, run: impl Fn(T) + Sync) {
    if threads == 1 { work.into_iter().for_each(run) } else { for_each_thread(work, run) }
}

/// Calls `run` for each item, in parallel. The calling thread takes the last item.
pub(crate) fn for_each_thread<T: Send>(mut work: Vec<T>, run: impl Fn(T) + Sync) {
    let own = work.pop();
    if work.is_empty() {
        own.map(run);
        return;
    }
    let left = AtomicUsize::new(work.len());
    rayon::in_place_scope(|scope| {
        for item in work {
            scope.spawn(|_| {
                run(item);
                left.fetch_sub(1, Ordering::Relaxed);
            });
        }
        own.map(&run);
        spin_until(|| left.load(Ordering::Relaxed) == 0);
    });
}

/// Runs `work`, which calls [`for_each_thread`] repeatedly, and lets idle threads spin in between.
pub(crate) fn with_spinning_threads<T>(work: impl FnOnce() -> T) -> T {
    let (done, this) = (Arc::new(AtomicBool::new(false)), rayon::current_thread_index());
    let seen = Arc::clone(&done);
    // The other threads stop by themselves. This thread must not wait for them: if other processes
    // need the cores, they may not even be running.
    rayon::spawn_broadcast(move |other| {
        if Some(other.index()) != this {
            spin_until(|| seen.load(Ordering::Relaxed));
        }
    });
    // The broadcast reaches this thread too. It handles its share now, because it may have no other
    // opportunity.
    rayon::yield_now();
    let result = work();
    done.store(true, Ordering::Relaxed);
    result
}

/// Idle turns before a spinning thread goes to sleep: several times as long as waking a thread
/// takes.
const IDLE_TURNS: usize = 1 << 10;

/// Looks for work until `done` holds, or gives up after a while, since another thread may need the
/// core to make `done` hold.
fn spin_until(done: impl Fn() -> bool) {
    let mut idle = 0;
    while idle < IDLE_TURNS && !done() {
        match rayon::yield_now() {
            Some(Yield::Executed) => idle = 0,
            Some(Yield::Idle) | None => idle += 1,
        }
        std::hint::spin_loop();
    }
}
