//! A lock that prefers readers: while one holds it, other readers overtake a waiting writer.

use super::sync::{Arc, Condvar, Mutex, thread};

#[derive(Default)]
struct State {
    readers: usize,
    writer_waits: bool,
    /// The number of readers that entered while the writer waited.
    overtakers: usize,
}

#[derive(Default)]
struct Lock {
    state: Mutex<State>,
    free: Condvar,
}

impl Lock {
    fn read(&self) {
        let mut state = self.state.lock().unwrap();
        state.readers += 1;
        if state.writer_waits {
            state.overtakers += 1;
            assert!(state.overtakers < 2, "the writer starves");
        }
        drop(state);
        let mut state = self.state.lock().unwrap();
        state.readers -= 1;
        if state.readers == 0 {
            self.free.notify_all();
        }
    }

    fn write(&self) {
        let mut state = self.state.lock().unwrap();
        while state.readers > 0 {
            state.writer_waits = true;
            state = self.free.wait(state).unwrap();
        }
        state.writer_waits = false;
    }
}

pub fn run() {
    let lock = Arc::new(Lock::default());
    let first = {
        let lock = Arc::clone(&lock);
        thread::spawn(move || lock.read())
    };
    let writer = {
        let lock = Arc::clone(&lock);
        thread::spawn(move || lock.write())
    };
    let others = {
        let lock = Arc::clone(&lock);
        thread::spawn(move || {
            lock.read();
            lock.read();
        })
    };
    for thread in [first, writer, others] {
        thread.join().unwrap();
    }
}
