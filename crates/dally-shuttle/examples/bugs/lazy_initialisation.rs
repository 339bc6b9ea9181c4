//! A value that is initialised on first use, checked without the lock only: two threads initialise it.

use super::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use super::sync::{Arc, thread};

#[derive(Default)]
struct Lazy {
    made: AtomicBool,
    times: AtomicUsize,
}

impl Lazy {
    fn get(&self) {
        if !self.made.load(SeqCst) {
            self.times.fetch_add(1, SeqCst);
            self.made.store(true, SeqCst);
        }
    }
}

pub fn run() {
    let lazy = Arc::new(Lazy::default());
    let users = [(); 2].map(|()| {
        let lazy = Arc::clone(&lazy);
        thread::spawn(move || lazy.get())
    });
    for user in users {
        user.join().unwrap();
    }
    assert_eq!(lazy.times.load(SeqCst), 1, "made more than once");
}
