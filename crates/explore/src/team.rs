//! The threads of a search. They are started once: to start a thread takes as long as to explore some hundred states.

use std::sync::Arc;

use rayon::ThreadPool;

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
    rayon::scope(|scope| {
        for one in work {
            scope.spawn(|_| run(one));
        }
        own.map(&run);
    });
}
