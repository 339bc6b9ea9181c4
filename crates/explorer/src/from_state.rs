//! A program that begins in a state of another.

use dally_explore::{Choose, DrawnPath, Failure, Fingerprint, Program, Successors, TaskId};

/// The executions of a program from a state on. Reduction is not used: it is about short searches.
pub(crate) struct FromState<'a, P: Program> {
    program: &'a P,
    state: P::State,
    /// The tasks that have not completed.
    live: Vec<TaskId>,
}

impl<'a, P: Program> FromState<'a, P> {
    pub(crate) fn new(program: &'a P, state: P::State, live: Vec<TaskId>) -> Self {
        FromState { program, state, live }
    }
}

impl<P: Program> Program for FromState<'_, P> {
    type State = P::State;

    fn initial(&self, out: &mut Successors<P::State>) {
        let successor = out.push(self.state.clone());
        self.live.iter().fold(successor, |successor, task| successor.posts(*task));
    }

    fn enabled(&self, state: &P::State, tasks: &mut Vec<TaskId>) {
        self.program.enabled(state, tasks);
    }

    fn step(&self, state: &P::State, task: TaskId, out: &mut Successors<P::State>) {
        self.program.step(state, task, out);
    }

    fn resume(&self, state: &P::State, task: TaskId, path: &[u32], out: &mut Successors<P::State>) {
        self.program.resume(state, task, path, out);
    }

    fn draw(
        &self,
        state: &P::State,
        task: TaskId,
        by: Choose<'_>,
        out: &mut Successors<P::State>,
    ) -> DrawnPath {
        self.program.draw(state, task, by, out)
    }

    fn deadlock(&self, state: &P::State) -> Option<Failure> {
        self.program.deadlock(state)
    }

    fn is_excluded(&self, state: &P::State) -> bool {
        self.program.is_excluded(state)
    }

    fn properties(&self) -> u32 {
        self.program.properties()
    }

    fn starves(&self, property: u32, state: &P::State) -> Failure {
        self.program.starves(property, state)
    }

    fn fingerprint(&self, state: &P::State) -> Fingerprint {
        self.program.fingerprint(state)
    }

    fn heap_bytes(&self, state: &P::State) -> usize {
        self.program.heap_bytes(state)
    }

    fn shared_bytes(&self) -> usize {
        self.program.shared_bytes()
    }
}
