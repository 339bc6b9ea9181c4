//! The format `text`: which task ran when, where the delays were spent, and which variables changed.
//!
//! The summary comes first. Each step has its number on the left, counted from 1; consecutive steps of one task form one
//! block. Each statement has its line number, and its file if the program has several, on the left and its assignments
//! on the right.

use std::collections::BTreeSet;

use crate::left_out::are_left_out;
use crate::look::{Look, Page, Style};
use crate::sequence;
use crate::summary::summary;
use crate::{Change, End, Kind, Location, Statement, StatementKind, TaskName, Trace, TraceStep};

/// A trace for people. Control characters of the trace are escaped.
pub fn text(trace: &Trace, look: &Look) -> String {
    let mut page = Page::new(look);
    let trace = &*trace.shortened();
    given(trace, &mut page);
    summary(trace, &Places::of(trace), &mut page);
    if trace.schedule.cycle.is_some_and(|from| from > 0) {
        page.line(Style::Plain, "  ── stem");
    }
    let after = trace.left_out.map_or(trace.steps.len(), |left_out| left_out.after.min(trace.steps.len()));
    let (first, last) = trace.steps.split_at(after);
    let resumed = after + trace.left_out.map_or(0, |left_out| left_out.steps);
    let layout = Layout::of(trace);
    layout.steps(first, 0, &mut page);
    gap(trace, after, resumed, &mut page);
    layout.steps(last, resumed, &mut page);
    if trace.schedule.cycle.is_some() {
        page.line(Style::Plain, "  └─ back to the start of the cycle");
    }
    conclusion(trace, &mut page);
    if !trace.messages.is_empty() {
        page.end_line();
        if leaves_out(trace) {
            page.line(Style::Plain, "  messages of the steps shown:");
        }
        sequence::chart(trace, look, &mut page);
    }
    page.finish()
}

/// Marks the first step of a cycle.
const CYCLE: &str = "  ┌─ cycle: these steps repeat for ever";

/// Columns left for the text of a statement before its changes.
const TEXT: usize = 41;

/// How places in the source are written.
pub(crate) struct Places {
    /// True if a place needs the name of its file.
    with_file: bool,
    /// True if the last parts of the names of files tell them apart.
    short: bool,
}

impl Places {
    pub(crate) fn of(trace: &Trace) -> Self {
        let statements = trace.steps.iter().flat_map(|step| &step.statements);
        let locations = statements.filter_map(|statement| statement.location.as_ref());
        let files: BTreeSet<&str> =
            locations.chain(&trace.failure.location).map(|location| location.file.as_str()).collect();
        let short: BTreeSet<&str> = files.iter().map(|file| last_part(file)).collect();
        // A folder or project on the command line has several files.
        let is_named = |file: &&str| trace.program.files.iter().any(|named| named == file);
        let single = trace.program.files.len() < 2 && files.iter().all(is_named);
        Places { with_file: !single, short: short.len() == files.len() }
    }

    pub(crate) fn show(&self, location: &Location) -> String {
        let Location { file, line, .. } = location;
        let file = if self.short { last_part(file) } else { file };
        if self.with_file { format!("{file}:{line}") } else { line.to_string() }
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The columns of the steps.
struct Layout<'a> {
    trace: &'a Trace,
    places: Places,
    /// The width of the numbers of steps.
    numbers: usize,
    /// The width of places in the source.
    width: usize,
}

impl<'a> Layout<'a> {
    fn of(trace: &'a Trace) -> Self {
        let places = Places::of(trace);
        let statements = trace.steps.iter().flat_map(|step| &step.statements);
        let shown = statements.filter_map(|statement| shown_at(statement)).map(|at| places.show(at));
        let width = shown.map(|place| place.chars().count()).max().unwrap_or(0).max(4);
        Layout { trace, places, numbers: trace.schedule.steps.len().to_string().len(), width }
    }

    /// Consecutive steps, the first of which is step `from` of the schedule, from 0.
    fn steps(&self, steps: &[TraceStep], from: usize, page: &mut Page) {
        let mut last: Option<&TraceStep> = None;
        for (nth, step) in (from..).zip(steps) {
            if self.trace.schedule.cycle == Some(nth) {
                page.line(Style::Plain, CYCLE);
                last = None;
            }
            for delayed in &step.delayed {
                self.margin(None, page);
                page.line(Style::Deviation, &format!("~ delay: {}", name(delayed)));
            }
            let mut number = Some(nth + 1);
            let again = last.is_some_and(|l| l.task == step.task) && step.delayed.is_empty();
            if !again {
                self.margin(number.take(), page);
                page.line(Style::Task, &titled(&step.name, step.task));
            }
            for statement in &step.statements {
                self.margin(number.take(), page);
                self.statement(statement, page);
            }
            if let Some(note) = note(step) {
                self.margin(number.take(), page);
                page.line(Style::Plain, &format!("  {}   {note}", " ".repeat(self.width)));
            }
            last = Some(step);
        }
    }

    /// The left margin, with the number of a step on its first line.
    fn margin(&self, number: Option<usize>, page: &mut Page) {
        let number = number.map_or(String::new(), |number| number.to_string());
        page.put(Style::Place, &format!("  {number:>width$}  ", width = self.numbers));
    }

    fn statement(&self, statement: &Statement, page: &mut Page) {
        let place = shown_at(statement).map_or(String::new(), |at| self.places.show(at));
        let indent = "  ".repeat(statement.depth.saturating_sub(1).min(10));
        let style = match statement.kind {
            StatementKind::Choice => Style::Deviation,
            StatementKind::Print => Style::Value,
            _ => Style::Plain,
        };
        page.put(Style::Place, &format!("  {place:>width$}   {indent}", width = self.width));
        page.put(style, &statement.text);
        let mut notes: Vec<String> = statement.changes.iter().map(change).collect();
        if statement.kind != StatementKind::Create {
            notes.extend(statement.posts.iter().map(|task| format!("posts {}", name(task))));
        }
        if !notes.is_empty() {
            page.pad_to(self.numbers + self.width + 9 + TEXT);
            page.put(Style::Value, &notes.join(", "));
        }
        page.end_line();
    }
}

/// The place that is shown beside an entry: that of a statement.
fn shown_at(statement: &Statement) -> Option<&Location> {
    let is_statement = matches!(statement.kind, StatementKind::Statement | StatementKind::Return);
    statement.location.as_ref().filter(|_| is_statement)
}

/// The placeholder for steps that are left out. A cycle may begin among them.
fn gap(trace: &Trace, from: usize, to: usize, page: &mut Page) {
    let missing = |many: usize, page: &mut Page| {
        if many > 0 {
            page.line(Style::Plain, &format!("  {}", are_left_out(many, "step")));
        }
    };
    match trace.schedule.cycle.filter(|cycle| (from..to).contains(cycle)) {
        Some(cycle) => {
            missing(cycle - from, page);
            page.line(Style::Plain, CYCLE);
            missing(to - cycle, page);
        }
        None => missing(to - from, page),
    }
}

/// True if steps or statements are left out.
fn leaves_out(trace: &Trace) -> bool {
    let mut statements = trace.steps.iter().flat_map(|step| &step.statements);
    trace.left_out.is_some() || statements.any(|statement| statement.left_out.is_some())
}

/// The values that come from outside the program.
fn given(trace: &Trace, page: &mut Page) {
    // Solvers may give values to hundreds of terms.
    const MOST: usize = 20;
    if trace.given.is_empty() {
        return;
    }
    let shown = trace.given.iter().take(MOST).map(|g| format!("{} = {}", g.term, g.value));
    let shown: Vec<String> = shown.collect();
    let rest = if trace.given.len() > MOST { ", …" } else { "" };
    page.line(Style::Plain, &format!("  where {}{rest}", shown.join(", ")));
}

pub(crate) fn name(task: &TaskName) -> String {
    titled(&task.name, task.task)
}

/// The name of a task with its number, unless the name has it.
pub fn titled(name: &str, task: u32) -> String {
    if name.ends_with(&format!("({task})")) { name.to_owned() } else { format!("{name} (task {task})") }
}

fn change(change: &Change) -> String {
    format!("{} = {}", change.variable, change.value)
}

fn note(step: &TraceStep) -> Option<String> {
    match step.end {
        End::Blocks { task: Some(task) } => Some(format!("… blocks on task {task}")),
        End::Blocks { task: None } => Some("… blocks".to_owned()),
        End::Completes => Some("… terminates".to_owned()),
        End::Yields | End::Fails => None,
    }
}

fn conclusion(trace: &Trace, page: &mut Page) {
    // Longer lists of values are shown one below the other.
    const LINE: usize = 90;
    let kind = match trace.failure.kind {
        Kind::Assertion | Kind::Path => "",
        Kind::Deadlock => " deadlock:",
        Kind::Liveness => " liveness:",
        Kind::Runtime => " run-time error:",
    };
    page.line(Style::Failure, &format!("  {}{kind} {}", trace.failure.kind.mark(), trace.failure.message));
    let globals: Vec<String> = trace.globals.iter().map(change).collect();
    let joined = globals.join(", ");
    if joined.chars().count() > LINE {
        page.line(Style::Plain, "    with");
        globals.iter().for_each(|global| page.line(Style::Plain, &format!("      {global}")));
    } else if !globals.is_empty() {
        page.line(Style::Plain, &format!("    with {joined}"));
    }
    trace.notes.iter().for_each(|note| page.line(Style::Plain, &format!("    {note}")));
}

#[cfg(test)]
pub(crate) mod tests {
    use dally_explore::{FailureKind, Schedule, ScheduleStep, StrategyName, TaskId};

    use super::*;
    use crate::{Failed, LeftOut, Source, VERSION};

    /// A lasso of two steps, and of those that are left out between them.
    pub(crate) fn trace(left_out: Option<LeftOut>, cycle: usize) -> Trace {
        let task = TaskName { task: 0, name: "main".to_owned() };
        let step = |end| TraceStep {
            number: 1,
            variables: Vec::new(),
            task: task.task,
            name: task.name.clone(),
            delayed: Vec::new(),
            statements: Vec::new(),
            end,
        };
        let steps = 2 + left_out.map_or(0, |left_out| left_out.steps);
        Trace {
            version: VERSION,
            program: Source::default(),
            failure: Failed { kind: FailureKind::Liveness.into(), message: "m".to_owned(), location: None },
            cost: 0,
            schedule: Schedule {
                steps: vec![ScheduleStep::new(TaskId(0), 0); steps],
                cycle: Some(cycle),
                ..Schedule::new(StrategyName::Exhaustive)
            },
            unfair: false,
            steps: vec![step(End::Yields), step(End::Completes)],
            left_out,
            initial: Vec::new(),
            globals: Vec::new(),
            given: Vec::new(),
            solved: false,
            inputs: None,
            messages: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn lines(left_out: Option<LeftOut>, cycle: usize) -> String {
        let text = text(&trace(left_out, cycle), &Look::default());
        let short = text.lines().map(|line| match line.trim() {
            line if line.starts_with('┌') => "cycle",
            // Without the number of the step.
            line => line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start(),
        });
        let lines: Vec<&str> = short.filter(|line| !line.starts_with(['─', '└', '✗'])).collect();
        lines.join("|")
    }

    #[test]
    fn a_cycle_is_marked_at_its_first_step_even_if_that_is_left_out() {
        let left_out = Some(LeftOut { after: 1, steps: 1000 });
        assert_eq!(lines(None, 1), "main (task 0)|cycle|main (task 0)|… terminates");
        let all = "main (task 0)|cycle|… 1,000 steps are left out …|main (task 0)|… terminates";
        assert_eq!(lines(left_out, 1), all);
        let some = "main (task 0)|… 1 step is left out …|cycle|… 999 steps are left out …|main (task 0)|… terminates";
        assert_eq!(lines(left_out, 2), some);
        let none = "main (task 0)|… 1,000 steps are left out …|cycle|main (task 0)|… terminates";
        assert_eq!(lines(left_out, 1001), none);
    }
}
