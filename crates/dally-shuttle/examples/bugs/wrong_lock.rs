//! One counter under two locks, by mistake: an increment is lost.

use super::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::sync::{Arc, Mutex, thread};

#[derive(Default)]
struct Shared {
    right: Mutex<()>,
    wrong: Mutex<()>,
    counter: AtomicUsize,
}

fn increment(lock: &Mutex<()>, counter: &AtomicUsize) {
    let _guard = lock.lock().unwrap();
    let seen = counter.load(SeqCst);
    counter.store(seen + 1, SeqCst);
}

pub fn run() {
    let shared = Arc::new(Shared::default());
    let threads = [true, true, true, false].map(|right| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            increment(if right { &shared.right } else { &shared.wrong }, &shared.counter);
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(shared.counter.load(SeqCst), 4, "an increment is lost");
}
