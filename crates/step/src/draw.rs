//! Drawing one execution of a step.
//!
//! A sampler resolves each nondeterministic choice when the task reaches it; nothing is enumerated. Where
//! an assumption refutes the drawn option, the choice takes the next option, cyclically: a program that
//! writes a condition as a `goto` to two assumptions would otherwise end most walks. The step is then
//! executed again up to that choice, since a drawn step sets no marks to backtrack to.

use dally_explore::{Choose, Drawn, DrawnPath};
use smallvec::SmallVec;

use crate::engine::{Offered, Reached, Step, Task};

/// The limit on the executions of a drawn step that assumptions discard.
const MAX_DISCARDED: u32 = 1 << 10;

/// The choices of a drawn step.
pub struct Draws<'d> {
    choose: Choose<'d>,
    taken: SmallVec<[Draw; 4]>,
    /// The number of choices that this execution has made. The choices after it were made by the previous
    /// execution, and are made again.
    made: usize,
    discarded: u32,
}

/// The options of a choice that were tried: `tried` of them, from `first` on, cyclically. The last one is
/// taken.
#[derive(Clone, Copy)]
struct Draw {
    first: u64,
    tried: u64,
    options: u64,
    is_value: bool,
}

impl Draw {
    fn option(self) -> u64 {
        (self.first + self.tried) % self.options
    }
}

impl<'d> Draws<'d> {
    /// Draws options by this function of their number.
    pub fn new(choose: Choose<'d>) -> Self {
        Draws { choose, taken: SmallVec::new(), made: 0, discarded: 0 }
    }

    /// The options taken.
    pub fn drawn(&self) -> DrawnPath {
        let made = self.taken[..self.made].iter();
        let drawn = |draw: &Draw| Drawn {
            option: draw.option() as u32,
            options: draw.options as u32,
            is_value: draw.is_value,
        };
        made.map(drawn).collect()
    }

    /// Takes an option of the next choice. Returns `None` if no option is left.
    fn take(&mut self, choice: Offered<'_>) -> Option<u64> {
        let Offered { options, is_value, next_option } = choice;
        if self.made == self.taken.len() {
            let first = if options > 1 { (self.choose)(options) % options } else { 0 };
            self.taken.push(Draw { first, tried: 0, options, is_value });
        }
        let draw = &mut self.taken[self.made];
        while draw.tried < options {
            let option = draw.option();
            let next = next_option(option);
            if next == option {
                self.made += 1;
                return Some(option);
            }
            draw.tried += next.min(options) - option;
        }
        None
    }

    /// After a discarded execution: lets the last choice with an option left take it. Returns false if
    /// there is none, or too many executions were discarded.
    fn next(&mut self) -> bool {
        self.made = 0;
        self.discarded += 1;
        while let Some(draw) = self.taken.last_mut() {
            draw.tried += 1;
            if draw.tried < draw.options {
                return self.discarded < MAX_DISCARDED;
            }
            self.taken.pop();
        }
        false
    }

    /// Executes a step, which `start` begins, until one execution is not discarded. Returns its task and
    /// its end.
    pub fn execute<'m, T: Task<'m>>(&mut self, mut start: impl FnMut() -> Option<T>) -> Option<(T, T::End)> {
        loop {
            let task = start()?;
            let mut draw = |choice: Offered<'_>| self.take(choice);
            let mut step = Step::drawing(task, &mut draw);
            if let Some(Reached::End(end)) = step.next_outcome() {
                return Some((step.into_task(), end));
            }
            if !self.next() {
                return None;
            }
        }
    }
}

impl std::fmt::Debug for Draws<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Draws").field("drawn", &self.drawn()).finish_non_exhaustive()
    }
}
