//! Two deposits that read the balance and write it back in two critical sections: one of them is lost.

use super::sync::{Arc, Mutex, thread};

fn deposit(balance: &Mutex<u32>, amount: u32) {
    let seen = *balance.lock().unwrap();
    *balance.lock().unwrap() = seen + amount;
}

pub fn run() {
    let balance = Arc::new(Mutex::new(0));
    let deposits = [10, 5].map(|amount| {
        let balance = Arc::clone(&balance);
        thread::spawn(move || deposit(&balance, amount))
    });
    for deposit in deposits {
        deposit.join().unwrap();
    }
    assert_eq!(*balance.lock().unwrap(), 15, "a deposit is lost");
}
