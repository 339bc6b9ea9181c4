//! A token circulates in a ring. A guard that finds it nowhere, because it checks one place after the other or the token is
//! between two, creates a new one: then there are two.

use super::sync::{Arc, Mutex, thread};

const NODES: usize = 3;

pub fn run() {
    let places = Arc::new([true, false, false].map(Mutex::new));
    let nodes = [0, 1, 2].map(|node| {
        let places = Arc::clone(&places);
        thread::spawn(move || {
            if std::mem::take(&mut *places[node].lock().unwrap()) {
                *places[(node + 1) % NODES].lock().unwrap() = true;
            }
        })
    });
    let guard = {
        let places = Arc::clone(&places);
        thread::spawn(move || {
            if !places.iter().any(|place| *place.lock().unwrap()) {
                *places[0].lock().unwrap() = true;
            }
        })
    };
    for node in nodes {
        node.join().unwrap();
    }
    guard.join().unwrap();
    let tokens = places.iter().filter(|place| *place.lock().unwrap()).count();
    assert_eq!(tokens, 1, "there are {tokens} tokens");
}
