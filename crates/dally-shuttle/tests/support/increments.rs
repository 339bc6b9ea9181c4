//! A program whose executions tests and benchmarks count.

use std::sync::Arc;

use shuttle::sync::Mutex;
use shuttle::thread;

/// Threads that each lock a counter and increment it several times.
#[allow(unreachable_pub, reason = "benchmarks include this file in a library")]
pub fn increments(threads: usize, times: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let counter = Arc::new(Mutex::new(0));
        let increment = |_| {
            let counter = Arc::clone(&counter);
            thread::spawn(move || (0..times).for_each(|_| *counter.lock().unwrap() += 1))
        };
        let threads: Vec<_> = (0..threads).map(increment).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}
