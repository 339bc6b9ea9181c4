//! A deque whose owner takes the last item without synchronising with the thief: both get it.

use super::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::sync::{Arc, thread};

/// Items are numbers from `top` up to, but not including, `bottom`.
struct Deque {
    top: AtomicUsize,
    bottom: AtomicUsize,
    taken: [AtomicUsize; 2],
}

impl Deque {
    fn take(&self, item: usize) {
        let times = self.taken[item].fetch_add(1, SeqCst);
        assert_eq!(times, 0, "item {item} was taken twice");
    }

    fn pop(&self) {
        let last = self.bottom.load(SeqCst) - 1;
        self.bottom.store(last, SeqCst);
        let top = self.top.load(SeqCst);
        if top <= last {
            // If they are equal, a thief may take the same item: `top` must decide.
            self.take(last);
        } else {
            self.bottom.store(top, SeqCst);
        }
    }

    fn steal(&self) {
        let top = self.top.load(SeqCst);
        if top < self.bottom.load(SeqCst) && self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok() {
            self.take(top);
        }
    }
}

pub fn run() {
    let taken = [(); 2].map(|()| AtomicUsize::new(0));
    let deque = Arc::new(Deque { top: AtomicUsize::new(0), bottom: AtomicUsize::new(2), taken });
    let thief = {
        let deque = Arc::clone(&deque);
        thread::spawn(move || {
            deque.steal();
            deque.steal();
        })
    };
    deque.pop();
    deque.pop();
    thief.join().unwrap();
}
