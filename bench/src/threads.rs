//! What a second thread is worth.
//!
//! Two cores are seldom twice as fast as one: they share caches, memory and the power of the chip. How fast they are at
//! the most is seen from two searches that have nothing to do with each other, run at once.

use std::thread;
use std::time::{Duration, Instant};

use crate::cpu::{Took, timed};

/// Rounds go on for so long, if there are neither too few nor too many.
const PATIENCE: Duration = Duration::from_secs(45);
const FEWEST_ROUNDS: usize = 8;
const MOST_ROUNDS: usize = 25;

/// The shortest of several runs, taken in turns, so that what else goes on hits all alike.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// With one thread.
    pub one: Took,
    /// With two.
    pub two: Took,
    /// On the wall, two searches at once with one thread each.
    pub apart: Duration,
}

impl Threads {
    /// Times `search`, which loads what it needs, and is told how many threads to use.
    pub fn time<R: Send>(search: impl Fn(usize) -> (R, Took) + Sync) -> Self {
        let round = || {
            let ((_, one), (_, two)) = (search(1), search(2));
            let both = || {
                thread::scope(|scope| {
                    scope.spawn(|| search(1));
                    search(1);
                });
            };
            Self { one, two, apart: timed(both).1.wall }
        };
        let begun = Instant::now();
        let mut best = round();
        // The shorter a run, the more it varies, and the less it costs.
        for rounds in 1.. {
            if rounds >= FEWEST_ROUNDS && begun.elapsed() > PATIENCE || rounds >= MOST_ROUNDS {
                break;
            }
            let again = round();
            let shorter = |a: Took, b: Took| if b.wall < a.wall { b } else { a };
            best.one = shorter(best.one, again.one);
            best.two = shorter(best.two, again.two);
            best.apart = best.apart.min(again.apart);
        }
        best
    }

    /// How much faster two threads are.
    pub fn speed_up(&self) -> f64 {
        self.one.wall.as_secs_f64() / self.two.wall.as_secs_f64()
    }

    /// How much faster they can be on this machine.
    pub fn limit(&self) -> f64 {
        2.0 * self.one.wall.as_secs_f64() / self.apart.as_secs_f64()
    }
}
