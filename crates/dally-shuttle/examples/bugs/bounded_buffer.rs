//! A buffer of capacity 1 with one condition variable for producers and consumers: a notification may wake a thread
//! of the same kind, which waits again, and all threads are blocked.

use super::sync::{Arc, Condvar, Mutex, thread};

#[derive(Default)]
struct Buffer {
    full: Mutex<bool>,
    changed: Condvar,
}

impl Buffer {
    /// Waits until the buffer is (not) full, and makes it the opposite.
    fn turn(&self, full: bool) {
        let mut state = self.full.lock().unwrap();
        while *state != full {
            state = self.changed.wait(state).unwrap();
        }
        *state = !full;
        self.changed.notify_one();
    }
}

pub fn run() {
    let buffer = Arc::new(Buffer::default());
    let threads = [true, true, false, false].map(|consumes| {
        let buffer = Arc::clone(&buffer);
        thread::spawn(move || buffer.turn(consumes))
    });
    for thread in threads {
        thread.join().unwrap();
    }
}
