//! How often a program is asked while its trace is recorded.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::sync::atomic::{AtomicUsize, Ordering};

use dally_explore::{Delays, Failure, Options, Program, SchedulerName, Search, Successors, TaskId};
use dally_text::source::SourceMap;
use dally_trace::{Explain, Explained, Source, Taken};

/// A task that counts to the limit, where it fails or, as a lasso, stays.
#[derive(Default)]
struct Counter {
    stays: bool,
    steps: AtomicUsize,
    explained: AtomicUsize,
}

impl Program for Counter {
    type State = u32;

    fn initial(&self, out: &mut Successors<u32>) {
        out.push(0).posts(TaskId(0));
    }

    fn enabled(&self, _: &u32, tasks: &mut Vec<TaskId>) {
        tasks.push(TaskId(0));
    }

    fn step(&self, count: &u32, _: TaskId, out: &mut Successors<u32>) {
        self.steps.fetch_add(1, Ordering::Relaxed);
        match *count {
            9 if self.stays => out.push(9).accepting(),
            9 => out.push(9).fails(Failure::assertion("nine")),
            count => out.push(count + 1),
        };
    }
}

impl Explain for Counter {
    fn task_name(&self, _: &u32, _: TaskId) -> String {
        "counter".to_owned()
    }

    fn explain(&self, _: &Taken<'_, u32>) -> Explained {
        self.explained.fetch_add(1, Ordering::Relaxed);
        Explained::default()
    }
}

#[test]
fn each_step_is_taken_once_and_explained_once() {
    let round_robin = Delays::named(&"rr".parse::<SchedulerName>().unwrap());
    for stays in [false, true] {
        let counter = Counter { stays, ..Counter::default() };
        let options = Options::default();
        let report = match stays {
            false => Search::new(&counter, &round_robin, &options, &()).run(),
            true => {
                let liveness = dally_explore::Liveness::default();
                dally_explore::Cycles::new(&counter, &round_robin, &options, liveness, &()).run()
            }
        };
        let bug = report.bug().unwrap();
        counter.steps.store(0, Ordering::Relaxed);
        let trace =
            dally_trace::trace(&counter, bug, &SourceMap::default(), Source::default(), false).unwrap();
        assert_eq!(trace.steps.len(), 10);
        assert_eq!(counter.steps.into_inner(), 10);
        assert_eq!(counter.explained.into_inner(), 10);
    }
}
