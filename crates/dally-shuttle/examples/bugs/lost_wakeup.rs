//! A consumer checks the flag before it takes the lock to wait: a notification in between is lost.

use super::sync::atomic::{AtomicBool, Ordering::SeqCst};
use super::sync::{Arc, Condvar, Mutex, thread};

#[derive(Default)]
struct Mailbox {
    full: AtomicBool,
    lock: Mutex<()>,
    arrival: Condvar,
}

pub fn run() {
    let mailbox = Arc::new(Mailbox::default());
    let consumer = {
        let mailbox = Arc::clone(&mailbox);
        thread::spawn(move || {
            if !mailbox.full.load(SeqCst) {
                let guard = mailbox.lock.lock().unwrap();
                let _guard = mailbox.arrival.wait(guard).unwrap();
            }
        })
    };
    mailbox.full.store(true, SeqCst);
    mailbox.arrival.notify_one();
    consumer.join().unwrap();
}
