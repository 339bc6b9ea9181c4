//! A lock-free stack that reuses its nodes: between a thread's load of the head and its compare-exchange, others pop two
//! nodes and push the first one back (ABA), so the exchange succeeds with a successor that is in use.

use super::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use super::sync::{Arc, thread};

/// No node.
const NONE: usize = usize::MAX;

/// Nodes are indices; at the beginning, 0 is on top of 1 on top of 2.
struct Stack {
    head: AtomicUsize,
    next: [AtomicUsize; 3],
    owners: [AtomicUsize; 3],
}

impl Stack {
    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            if head == NONE {
                return None;
            }
            let next = self.next[head].load(SeqCst);
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                let owners = self.owners[head].fetch_add(1, SeqCst);
                assert_eq!(owners, 0, "node {head} has two owners");
                return Some(head);
            }
        }
    }

    fn push(&self, node: usize) {
        self.owners[node].fetch_sub(1, SeqCst);
        loop {
            let head = self.head.load(SeqCst);
            self.next[node].store(head, SeqCst);
            if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
}

pub fn run() {
    let stack = Arc::new(Stack {
        head: AtomicUsize::new(0),
        next: [1, 2, NONE].map(AtomicUsize::new),
        owners: [(); 3].map(|()| AtomicUsize::new(0)),
    });
    let slow = {
        let stack = Arc::clone(&stack);
        thread::spawn(move || {
            stack.pop();
            stack.pop();
        })
    };
    let quick = {
        let stack = Arc::clone(&stack);
        thread::spawn(move || {
            let first = stack.pop();
            stack.pop();
            if let Some(first) = first {
                stack.push(first);
            }
        })
    };
    slow.join().unwrap();
    quick.join().unwrap();
}
