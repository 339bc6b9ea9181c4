//! Writers that each write two values, and a checker, created last, that must run between the two writes of the
//! first of them. In creation order that costs a delay for each writer.

use super::sync::atomic::{AtomicU32, Ordering::SeqCst};
use super::sync::{Arc, thread};

pub fn run(writers: usize) {
    let values = Arc::new([(); 2].map(|()| AtomicU32::new(0)));
    let write = |_| {
        let values = Arc::clone(&values);
        thread::spawn(move || values.iter().for_each(|value| value.store(1, SeqCst)))
    };
    let mut threads: Vec<_> = (0..writers).map(write).collect();
    let values = Arc::clone(&values);
    threads.push(thread::spawn(move || {
        let first = values[0].load(SeqCst);
        assert_eq!(first, values[1].load(SeqCst), "read between the writes");
    }));
    for thread in threads {
        thread.join().unwrap();
    }
}
