//! Two related values, each with its own lock: a reader runs between the two stages of the first writer. With many writers
//! created before the reader, a single order does not find the bug.

use super::sync::{Arc, Mutex, thread};

pub fn run(writers: usize) {
    let values = Arc::new((Mutex::new(0), Mutex::new(0)));
    let write = |_| {
        let values = Arc::clone(&values);
        thread::spawn(move || {
            *values.0.lock().unwrap() = 1;
            let first = *values.0.lock().unwrap();
            *values.1.lock().unwrap() = first + 1;
        })
    };
    let mut threads: Vec<_> = (0..writers).map(write).collect();
    let values = Arc::clone(&values);
    threads.push(thread::spawn(move || {
        let first = *values.0.lock().unwrap();
        if first > 0 {
            assert_eq!(*values.1.lock().unwrap(), first + 1, "read between the stages");
        }
    }));
    for thread in threads {
        thread.join().unwrap();
    }
}
