//! CPU time from `/proc`: on a shared machine, wall-clock time says little.

use std::time::{Duration, Instant};

/// The CPU time of this process, and that of the children it has waited for.
fn used() -> Option<[Duration; 2]> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the process, in parentheses, can contain spaces; the times are fields 14 to 17.
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    let time = |user: usize| Some(Duration::from_millis(10 * (ticks(user)? + ticks(user + 1)?)));
    Some([time(11)?, time(13)?])
}

/// The duration of some work.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// CPU time of this process.
    pub cpu: Duration,
    /// CPU time of its children.
    pub children: Duration,
    /// Wall-clock time.
    pub wall: Duration,
}

/// Runs and times some work. Uses wall-clock time where CPU time is not available.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Took) {
    let (before, start) = (used(), Instant::now());
    let result = work();
    let wall = start.elapsed();
    let took = match (before, used()) {
        (Some([own, children]), Some([own_after, children_after])) => {
            Took { cpu: own_after - own, children: children_after - children, wall }
        }
        _ => Took { cpu: wall, children: wall, wall },
    };
    (result, took)
}
