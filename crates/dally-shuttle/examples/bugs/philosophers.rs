//! Three philosophers, each of whom takes the left fork, then the right one: a deadlock.

use super::sync::{Arc, Mutex, thread};

pub fn run() {
    let forks = Arc::new([(); 3].map(|()| Mutex::new(())));
    let philosophers = [0, 1, 2].map(|seat| {
        let forks = Arc::clone(&forks);
        thread::spawn(move || {
            let _left = forks[seat].lock().unwrap();
            let _right = forks[(seat + 1) % 3].lock().unwrap();
        })
    });
    for philosopher in philosophers {
        philosopher.join().unwrap();
    }
}
