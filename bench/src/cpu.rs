//! CPU time, as Linux counts it: on a machine that others use too, the clock on the wall says little.

use std::time::{Duration, Instant};

/// CPU time of this process and of the children that it has waited for, in this order.
fn used() -> Option<[Duration; 2]> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the process, in parentheses, may hold spaces; the times are fields 14 to 17.
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    let time = |user: usize| Some(Duration::from_millis(10 * (ticks(user)? + ticks(user + 1)?)));
    Some([time(11)?, time(13)?])
}

/// How long something took.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// In this process.
    pub cpu: Duration,
    /// In its children.
    pub children: Duration,
    /// On the wall.
    pub wall: Duration,
}

/// Does something, and says how long it took. Where CPU time is unknown, it is that of the wall.
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
