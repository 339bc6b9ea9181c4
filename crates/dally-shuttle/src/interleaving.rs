//! The interleaving of a failing execution around its delays and its end, as a table with a column for each thread.

use std::collections::BTreeSet;
use std::fmt;

use crate::report::TaskName;
use crate::{Departure, Site};

/// The steps shown before and after a delay.
const AROUND: usize = 4;

/// The steps shown at the end of an execution.
const LAST: usize = 6;

/// Steps around more delays than this are not shown.
const MOST_DELAYS: usize = 8;

/// Threads have columns of their own if there are at most this many.
const MOST_COLUMNS: usize = 4;

/// One step of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Its number, from 1.
    pub step: usize,
    /// The task that takes it.
    pub task: TaskName,
    /// The operation that begins the step, and its location, if it is known.
    pub place: Option<Site>,
    /// The deviations before the step.
    pub departures: Vec<Departure>,
}

/// The indices of the steps to show, of an execution with this many steps that deviates before some of them.
pub(crate) fn steps_to_show(steps: usize, departures: impl Iterator<Item = usize>) -> BTreeSet<usize> {
    let around = departures.take(MOST_DELAYS).flat_map(|at| at.saturating_sub(AROUND)..at + AROUND);
    around.chain(steps.saturating_sub(LAST)..steps).filter(|step| *step < steps).collect()
}

/// Some moments, as a table.
pub(crate) struct Table<'a>(pub(crate) &'a [Moment]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tasks: Vec<&TaskName> = self.0.iter().map(|moment| &moment.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        let has_columns = tasks.len() <= MOST_COLUMNS;
        let heads: Vec<String> = match has_columns {
            true => tasks.iter().map(ToString::to_string).collect(),
            false => vec!["thread, and operation".to_owned()],
        };
        let column = |moment: &Moment| match has_columns {
            true => tasks.binary_search(&&moment.task).unwrap_or(0),
            false => 0,
        };
        let cell = |moment: &Moment| match has_columns {
            true => operation(moment),
            false => format!("{}: {}", moment.task, operation(moment)),
        };
        let mut widths: Vec<usize> = heads.iter().map(|head| head.chars().count()).collect();
        for moment in self.0 {
            let width = &mut widths[column(moment)];
            *width = (*width).max(cell(moment).chars().count());
        }
        row(f, "step", &heads, &widths)?;
        let mut last = 0;
        for moment in self.0 {
            if moment.step > last + 1 {
                writeln!(f, "     …")?;
            }
            last = moment.step;
            for departure in &moment.departures {
                writeln!(f, "     ~ {departure}")?;
            }
            let mut cells = vec![String::new(); heads.len()];
            cells[column(moment)] = cell(moment);
            row(f, &moment.step.to_string(), &cells, &widths)?;
        }
        Ok(())
    }
}

fn operation(moment: &Moment) -> String {
    match &moment.place {
        Some(Site { file, line, operation: Some(operation) }) => format!("{file}:{line} {operation}"),
        Some(place) => place.to_string(),
        None => "begins, or continues in a library".to_owned(),
    }
}

fn row(f: &mut fmt::Formatter<'_>, step: &str, cells: &[String], widths: &[usize]) -> fmt::Result {
    let mut line = format!("{step:>6}");
    for (cell, width) in cells.iter().zip(widths) {
        line.push_str(&format!("  {cell:<width$}"));
    }
    writeln!(f, "{}", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(step: usize, id: usize, line: u32) -> Moment {
        let place = Some(Site { file: "a.rs".to_owned(), line, operation: Some("lock".to_owned()) });
        Moment { step, task: TaskName { id, name: None }, place, departures: Vec::new() }
    }

    #[test]
    fn each_thread_has_a_column() {
        let mut second = moment(5, 2, 20);
        let task = TaskName { id: 1, name: None };
        second.departures.push(Departure::Delayed { task, place: None, begun: false });
        let table = Table(&[moment(1, 1, 7), second]).to_string();
        let expected = "  step  thread 1     thread 2\n     1  a.rs:7 lock\n     …\n     ~ thread 1 is delayed\n     \
                        5               a.rs:20 lock\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn many_threads_share_a_column() {
        let moments: Vec<_> = (1..7).map(|id| moment(id, id, 3)).collect();
        let table = Table(&moments).to_string();
        assert!(table.contains("     6  thread 6: a.rs:3 lock\n"), "{table}");
    }

    #[test]
    fn steps_near_delays_and_the_end_are_shown() {
        let shown: Vec<_> = steps_to_show(30, [10].into_iter()).into_iter().collect();
        assert_eq!(shown, (6..14).chain(24..30).collect::<Vec<_>>());
        assert!(steps_to_show(0, [3].into_iter()).is_empty());
    }
}
