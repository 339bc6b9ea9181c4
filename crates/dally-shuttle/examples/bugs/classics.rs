//! Small programs of SCTBench \[Thomson, Donaldson, Betts: Concurrency testing using controlled schedulers, 2016\],
//! ported from C: their bugs and their numbers of threads are those of the originals.

use super::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use super::sync::{Arc, Condvar, Mutex, thread};

type Threads = Vec<thread::JoinHandle<()>>;

fn start(threads: &mut Threads, body: impl FnOnce() + Send + 'static) {
    threads.push(thread::spawn(body));
}

fn join(threads: Threads) {
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// `account_bad`: the balance is checked while a deposit or a withdrawal is missing.
pub fn account() {
    let balance = Arc::new(Mutex::new(10_i32));
    let done = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let mut threads = Threads::new();
    for (nth, change) in [5, -3].into_iter().enumerate() {
        let (balance, done) = (Arc::clone(&balance), Arc::clone(&done));
        start(&mut threads, move || {
            *balance.lock().unwrap() += change;
            done[nth].store(true, SeqCst);
        });
    }
    start(&mut threads, move || {
        let balance = balance.lock().unwrap();
        if done[0].load(SeqCst) && !done[1].load(SeqCst) {
            assert_ne!(*balance, 15, "the withdrawal is missing");
        }
    });
    join(threads);
}

/// `bluetooth_driver_bad`: the driver stops between the check and the use of a worker.
pub fn bluetooth() {
    struct Driver {
        stopping: AtomicBool,
        pending: AtomicUsize,
        stopped: AtomicBool,
        event: AtomicBool,
    }
    fn leave(driver: &Driver) {
        if driver.pending.fetch_sub(1, SeqCst) == 1 {
            driver.event.store(true, SeqCst);
        }
    }
    let driver = Arc::new(Driver {
        stopping: AtomicBool::new(false),
        pending: AtomicUsize::new(1),
        stopped: AtomicBool::new(false),
        event: AtomicBool::new(false),
    });
    let worker = Arc::clone(&driver);
    let adder = thread::spawn(move || {
        if worker.stopping.load(SeqCst) {
            return;
        }
        worker.pending.fetch_add(1, SeqCst);
        assert!(!worker.stopped.load(SeqCst), "the driver is used after it was stopped");
        leave(&worker);
    });
    driver.stopping.store(true, SeqCst);
    leave(&driver);
    if driver.event.load(SeqCst) {
        driver.stopped.store(true, SeqCst);
    }
    adder.join().unwrap();
}

/// `carter01_bad`: two locks are taken in different orders, depending on counters.
pub fn carter() {
    let locks = Arc::new([Mutex::new(()), Mutex::new(())]);
    let counts = Arc::new([Mutex::new(0), Mutex::new(0)]);
    let mut threads = Threads::new();
    for nth in 0..2 {
        let (locks, counts) = (Arc::clone(&locks), Arc::clone(&counts));
        start(&mut threads, move || {
            let outer = locks[nth].lock().unwrap();
            *counts[nth].lock().unwrap() += 1;
            let other = *counts[1 - nth].lock().unwrap();
            if other > 0 {
                drop(locks[1 - nth].lock().unwrap());
            }
            drop(outer);
        });
    }
    for nth in 0..2 {
        let locks = Arc::clone(&locks);
        start(&mut threads, move || drop(locks[nth].lock().unwrap()));
    }
    join(threads);
}

/// `circular_buffer_bad`: the receiver takes for granted that the sender is ahead.
pub fn circular_buffer() {
    let buffer = Arc::new(Mutex::new((std::collections::VecDeque::new(), true, false)));
    let sender = Arc::clone(&buffer);
    let sending = thread::spawn(move || {
        for item in 0..3 {
            let mut state = sender.lock().unwrap();
            if state.1 {
                state.0.push_back(item);
                (state.1, state.2) = (false, true);
            }
        }
    });
    for expected in 0..3 {
        let mut state = buffer.lock().unwrap();
        if state.2 {
            assert_eq!(state.0.pop_front(), Some(expected), "an item is missing");
            (state.1, state.2) = (true, false);
        }
    }
    sending.join().unwrap();
}

/// `deadlock01_bad`: two locks in different orders.
pub fn deadlock() {
    let locks = Arc::new([Mutex::new(0), Mutex::new(0)]);
    let mut threads = Threads::new();
    for nth in 0..2 {
        let locks = Arc::clone(&locks);
        start(&mut threads, move || {
            let mut one = locks[nth].lock().unwrap();
            let mut two = locks[1 - nth].lock().unwrap();
            *one += 1;
            *two += 1;
        });
    }
    join(threads);
}

/// `lazy01_bad`: the last thread expects that not all of the others have run.
pub fn lazy() {
    let data = Arc::new(Mutex::new(0));
    let mut threads = Threads::new();
    for increment in [1, 2] {
        let data = Arc::clone(&data);
        start(&mut threads, move || *data.lock().unwrap() += increment);
    }
    start(&mut threads, move || assert!(*data.lock().unwrap() < 3, "both threads have run"));
    join(threads);
}

/// `queue_bad`: a flag says that the queue has items, and another thread takes one meanwhile.
pub fn queue() {
    let queue = Arc::new((Mutex::new(Vec::new()), AtomicUsize::new(0)));
    let mut threads = Threads::new();
    let producer = Arc::clone(&queue);
    start(&mut threads, move || {
        for item in 0..4 {
            producer.0.lock().unwrap().push(item);
            producer.1.fetch_add(1, SeqCst);
        }
    });
    for _ in 0..2 {
        let queue = Arc::clone(&queue);
        start(&mut threads, move || {
            for _ in 0..2 {
                if queue.1.load(SeqCst) > 0 {
                    let item = queue.0.lock().unwrap().pop();
                    queue.1.fetch_sub(1, SeqCst);
                    assert!(item.is_some(), "the queue is empty");
                }
            }
        });
    }
    join(threads);
}

/// `reorder_N_bad`: N − 1 threads set two variables, and one sees the first without the second.
pub fn reorder(setters: usize) {
    let variables = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let mut threads = Threads::new();
    for _ in 0..setters {
        let variables = Arc::clone(&variables);
        start(&mut threads, move || {
            variables[0].store(1, SeqCst);
            variables[1].store(1, SeqCst);
        });
    }
    start(&mut threads, move || {
        let (one, two) = (variables[0].load(SeqCst), variables[1].load(SeqCst));
        assert!(one == two, "the first variable is set, the second one is not");
    });
    join(threads);
}

/// `stack_bad`: a counter of the items is checked outside of the critical section.
pub fn stack() {
    let stack = Arc::new((Mutex::new(Vec::new()), AtomicBool::new(false)));
    let pusher = Arc::clone(&stack);
    let pushing = thread::spawn(move || {
        for item in 0..5 {
            pusher.0.lock().unwrap().push(item);
            pusher.1.store(true, SeqCst);
        }
    });
    for _ in 0..5 {
        if stack.1.load(SeqCst) {
            assert!(stack.0.lock().unwrap().pop().is_some(), "the stack is empty");
        }
    }
    pushing.join().unwrap();
}

/// `stringbuffer-jdk1.4`: the length of the other buffer is read before its characters, in two critical sections.
pub fn string_buffer() {
    let other = Arc::new(Mutex::new("abc".to_owned()));
    let eraser = Arc::clone(&other);
    let erasing = thread::spawn(move || eraser.lock().unwrap().truncate(1));
    let length = other.lock().unwrap().len();
    let copied = other.lock().unwrap().get(..length).map(str::to_owned);
    assert!(copied.is_some(), "the buffer became shorter");
    erasing.join().unwrap();
}

/// `sync01_bad`: a thread waits for a notification that may come before.
pub fn notified_before() {
    let shared = Arc::new((Mutex::new(0), Condvar::new()));
    let waiter = Arc::clone(&shared);
    let waiting = thread::spawn(move || {
        let mut number = waiter.0.lock().unwrap();
        if *number == 0 {
            drop(number);
            number = waiter.1.wait(waiter.0.lock().unwrap()).unwrap();
        }
        *number -= 1;
    });
    *shared.0.lock().unwrap() += 1;
    shared.1.notify_one();
    waiting.join().unwrap();
}
