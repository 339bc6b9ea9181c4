//! Steps as schedulers observe them: the states before and after, by the names of the program.
//!
//! A view of a state is made only when a scheduler asks for it, so that the others do not pay for it.

use dally_schedule::{DelayingScheduler, Did, Observed, StateView, Symbol};
use smallvec::SmallVec;

use crate::policy::Happened;
use crate::successors::{Event, Turn};
use crate::{Label, Program};

/// The states around a step.
pub trait Sight {
    /// The state before it; `None` for the initial state, or if the program has no names.
    fn before(&self) -> Option<Box<dyn StateView + '_>>;

    /// The state after it; `None` if the program has no names.
    fn after(&self) -> Option<Box<dyn StateView + '_>>;
}

/// The states around a step of a program.
pub(crate) struct Between<'a, P: Program> {
    pub(crate) program: &'a P,
    /// `None` for the initial state.
    pub(crate) before: Option<&'a P::State>,
    pub(crate) after: &'a P::State,
}

impl<P: Program> Sight for Between<'_, P> {
    fn before(&self) -> Option<Box<dyn StateView + '_>> {
        self.program.view(self.before?)
    }

    fn after(&self) -> Option<Box<dyn StateView + '_>> {
        self.program.view(self.after)
    }
}

impl Happened<'_> {
    /// Lets a scheduler that looks observe the step.
    #[inline]
    pub(crate) fn show(&self, scheduler: &mut impl DelayingScheduler) {
        if scheduler.looks() {
            self.describe(scheduler);
        }
    }

    #[cold]
    #[inline(never)]
    fn describe(&self, scheduler: &mut impl DelayingScheduler) {
        let Some(sight) = self.sight else { return };
        let Some(after) = sight.after() else { return };
        let before = sight.before();
        let mut did: SmallVec<[Did; 8]> = SmallVec::new();
        if let (Some(task), Some(before)) = (self.task, &before) {
            did.extend(before.next_event(task).map(Did::Received));
        }
        let event = |label: Label| Symbol(label.0);
        did.extend(self.events.iter().filter_map(|happened| match *happened {
            Event::Posted(task, _) => Some(Did::Posted(task)),
            Event::Woken(to, label) => Some(Did::Sent { to, event: label.map(event) }),
            Event::Ended(task) => Some(Did::Ended(task)),
            Event::Sealed | Event::Unsealed | Event::Chose(..) => None,
        }));
        if let Some(task) = self.task {
            let place = after.place(task);
            let was = before.as_ref().and_then(|before| before.place(task));
            did.extend(place.filter(|_| place != was).map(Did::Entered));
            match self.turn {
                Turn::Yields => {}
                Turn::Blocks(_) => did.push(Did::Blocked),
                Turn::Completes => did.push(Did::Completed),
            }
        }
        scheduler.observe(&Observed {
            task: self.task,
            did: &did,
            before: before.as_deref(),
            after: &*after,
        });
    }
}
