//! How many executions there are.
use dally_shuttle::{Config, Strategy, explore};
use shuttle::sync::Mutex;
use shuttle::thread;
use std::sync::Arc;

fn increments(threads: usize, times: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let counter = Arc::new(Mutex::new(0));
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                let counter = Arc::clone(&counter);
                thread::spawn(move || {
                    for _ in 0..times {
                        *counter.lock().unwrap() += 1;
                    }
                })
            })
            .collect();
        for handle in handles {
            handle.join().unwrap();
        }
        assert_eq!(*counter.lock().unwrap(), threads * times);
    }
}

#[test]
fn orientation() {
    for (s, k) in [("rr", 3), ("rtc", 2), ("preemptions", 1)] {
        let config = Config { strategies: vec![s.parse().unwrap()], delays: Some(k), schedules: None, ..Config::default() };
        let r = explore(&config, increments(4, 5));
        println!("{r}");
    }
    let t = explore(&Config::default(), || {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::new(Mutex::new(0));
        let (l, o) = (lock.clone(), other.clone());
        let t = thread::Builder::new().name("second".into()).spawn(move || { let _o = o.lock().unwrap(); let _l = l.lock().unwrap(); }).unwrap();
        let _l = lock.lock().unwrap();
        let _o = other.lock().unwrap();
        drop((_l, _o));
        t.join().unwrap();
    });
    println!("{t}");
    let t = explore(&Config::default(), || {
        let lock = Arc::new(Mutex::new(0));
        let l = lock.clone();
        let t = thread::spawn(move || { let n = *l.lock().unwrap(); *l.lock().unwrap() = n + 1; });
        let n = *lock.lock().unwrap(); 
        *lock.lock().unwrap() = n + 1;
        t.join().unwrap();
        assert_eq!(*lock.lock().unwrap(), 2, "an increment was lost");
    });
    println!("{t}");
}
