//! Two threads advance a number in turns. It reaches the forbidden value after five steps in a certain order, hence with at
//! least three delays.

use super::sync::atomic::{AtomicU32, Ordering::SeqCst};
use super::sync::{Arc, thread};

fn advance(number: &AtomicU32, from: u32) {
    let advanced = number.compare_exchange(from, from + 1, SeqCst, SeqCst);
    assert_ne!(advanced, Ok(4), "the number is 5");
}

pub fn run() {
    let number = Arc::new(AtomicU32::new(0));
    let runners = [[0, 2, 4].as_slice(), &[1, 3]].map(|steps| {
        let number = Arc::clone(&number);
        thread::spawn(move || steps.iter().for_each(|from| advance(&number, *from)))
    });
    for runner in runners {
        runner.join().unwrap();
    }
}
