//! The speed-up of a second thread.
//!
//! Two cores are seldom twice as fast as one, because they share caches, memory bandwidth and
//! power. Two independent searches that run at the same time show the largest speed-up that the
//! machine allows.

use std::thread;
use std::time::{Duration, Instant};

use crate::cpu::{Took, timed};

/// Rounds are repeated for this long, within the limits below.
const DURATION: Duration = Duration::from_secs(45);
const MIN_ROUNDS: usize = 8;
const MAX_ROUNDS: usize = 25;

/// The shortest times of several rounds. Each round measures all three, so that other load on the
/// machine affects them alike.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// One search with one thread.
    pub one: Took,
    /// One search with two threads.
    pub two: Took,
    /// Wall-clock time of two independent searches at the same time, with one thread each.
    pub independent: Duration,
}

impl Threads {
    /// Times `search`, whose argument is the number of threads.
    pub fn time<R: Send>(search: impl Fn(usize) -> (R, Took) + Sync) -> Self {
        let round = || {
            let ((_, one), (_, two)) = (search(1), search(2));
            let both = || {
                thread::scope(|scope| {
                    scope.spawn(|| search(1));
                    search(1);
                });
            };
            Self { one, two, independent: timed(both).1.wall }
        };
        let begun = Instant::now();
        let mut best = round();
        // Short runs vary more, and more rounds of them fit into the duration.
        for rounds in 1.. {
            if rounds >= MIN_ROUNDS && begun.elapsed() > DURATION || rounds >= MAX_ROUNDS {
                break;
            }
            let again = round();
            let shorter = |a: Took, b: Took| if b.wall < a.wall { b } else { a };
            best.one = shorter(best.one, again.one);
            best.two = shorter(best.two, again.two);
            best.independent = best.independent.min(again.independent);
        }
        best
    }

    /// The speed-up of two threads.
    pub fn speed_up(&self) -> f64 {
        self.one.wall.as_secs_f64() / self.two.wall.as_secs_f64()
    }

    /// The largest speed-up that the machine allows.
    pub fn limit(&self) -> f64 {
        2.0 * self.one.wall.as_secs_f64() / self.independent.as_secs_f64()
    }
}
