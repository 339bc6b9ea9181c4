//! Priority levels of tasks, for the scheduler `priority`.

use shuttle::current;
use shuttle::scheduler::TaskId;

/// The priority level of a task: under `priority(S)`, tasks of a higher level run before those of a lower one.
///
/// It is a label of shuttle, so tasks inherit the level of the task that spawned them. The scheduler reads it when a task
/// is new.
///
/// ```
/// use dally_shuttle::Level;
///
/// dally_shuttle::check(|| {
///     Level::set_for_children(7);
///     let urgent = shuttle::thread::spawn(|| {});
///     Level::set_for_children(0);
///     urgent.join().unwrap();
/// });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub u32);

impl Level {
    /// The tasks that the current one spawns from now on have this level.
    pub fn set_for_children(level: u32) {
        let set = move |_: TaskId, labels: &mut current::Labels| {
            labels.insert(Self(level));
        };
        current::set_label_for_task(current::me(), current::ChildLabelFn(std::sync::Arc::new(set)));
    }

    pub(crate) fn of(task: TaskId) -> u32 {
        current::get_label_for_task(task).map_or(0, |Self(level)| level)
    }
}
