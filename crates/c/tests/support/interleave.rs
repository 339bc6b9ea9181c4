//! All interleavings of the code of some threads, one instruction at a time.

use std::collections::HashSet;

use super::threads::{CELLS, Op, Outcomes};

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Thread {
    at: usize,
    registers: [i64; 2],
    hidden: i64,
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct State {
    cells: [i64; CELLS],
    owners: [Option<usize>; 2],
    semaphore: i64,
    threads: Vec<Thread>,
    /// The thread inside of an atomic section.
    atomic: Option<usize>,
}

/// The outcomes of the threads; the first one is `main`, which starts the others and waits for them at its end. The
/// first `observed` cells are part of the sum.
pub(crate) fn outcomes(codes: &[Vec<Op>], observed: usize) -> Outcomes {
    let mut found = Outcomes::default();
    let start = State { threads: vec![Thread::default(); codes.len()], ..State::default() };
    let mut seen: HashSet<State> = HashSet::from([start.clone()]);
    let mut todo = vec![start];
    while let Some(state) = todo.pop() {
        let mut blocked = true;
        for (thread, code) in codes.iter().enumerate() {
            if state.atomic.is_some_and(|a| a != thread) {
                continue;
            }
            let Some(op) = code.get(state.threads[thread].at) else { continue };
            // To lock a mutex twice is a bug at once.
            found.deadlock |= matches!(op, Op::Lock(m) if state.owners[*m] == Some(thread));
            let mut next = Vec::new();
            let enabled = step(&state, thread, op, &mut next);
            blocked &= !enabled;
            todo.extend(next.into_iter().filter(|s| seen.insert(s.clone())));
        }
        let done = |t: usize| state.threads[t].at == codes[t].len();
        if (0..codes.len()).all(done) {
            found.sums.insert(sum(&state, observed));
        } else if blocked {
            found.deadlock = true;
        }
    }
    found
}

fn sum(state: &State, observed: usize) -> i64 {
    let result = |t: &Thread| t.registers[0] + 11 * t.registers[1];
    let mut sum = result(&state.threads[0]);
    for thread in &state.threads[1..] {
        sum = sum * 121 + result(thread);
    }
    state.cells[..observed].iter().fold(sum, |sum, cell| sum * 31 + cell)
}

/// The states after an instruction; false if the thread is blocked.
fn step(state: &State, thread: usize, op: &Op, next: &mut Vec<State>) -> bool {
    let mut s = state.clone();
    let at = state.threads[thread].at + 1;
    s.threads[thread].at = at;
    let t = &mut s.threads[thread];
    match op {
        Op::Read(r, c) => t.registers[*r] = s.cells[*c],
        Op::Write(c, n) => s.cells[*c] = *n,
        Op::Store(c, r, n) => s.cells[*c] = t.registers[*r] % 7 + n,
        Op::Fetch(c) => t.hidden = s.cells[*c],
        Op::PutBack(c, n) => s.cells[*c] = (std::mem::take(&mut t.hidden) + n) % 7,
        Op::FetchAdd(r, c, n) => {
            t.registers[*r] = s.cells[*c];
            s.cells[*c] += n;
        }
        Op::Cas(r, c, old, new) => {
            let equal = s.cells[*c] == *old;
            t.registers[*r] = i64::from(equal);
            if equal {
                s.cells[*c] = *new;
            }
        }
        Op::Lock(m) if s.owners[*m].is_some() => return false,
        Op::Lock(m) => s.owners[*m] = Some(thread),
        Op::Unlock(m) => s.owners[*m] = None,
        Op::TryLock(m, end) if s.owners[*m].is_some() => t.at = *end,
        Op::TryLock(m, _) => s.owners[*m] = Some(thread),
        Op::Begin => s.atomic = Some(thread),
        Op::End => s.atomic = None,
        Op::Unless(r, n, end) => {
            if t.registers[*r] != *n {
                t.at = *end;
            }
        }
        Op::Maybe(end) => {
            let mut other = s.clone();
            other.threads[thread].at = *end;
            next.push(other);
        }
        Op::Jump(end) => t.at = *end,
        Op::Compute(r, how, n) => t.registers[*r] = how.value(t.registers[*r], *n),
        Op::ReadAt(r, index) => t.registers[*r] = s.cells[(t.registers[*index] & 1) as usize],
        Op::WriteAt(r, n) => s.cells[(t.registers[*r] & 1) as usize] = *n,
        Op::Spin(c, n) => {
            // The loop goes on: not blocked, but nothing changes.
            if s.cells[*c] != *n {
                return true;
            }
        }
        Op::Post => s.semaphore += 1,
        Op::Wait if s.semaphore == 0 => return false,
        Op::Wait => s.semaphore -= 1,
        // The execution is discarded, with those of other threads.
        Op::Assume(r, n) if t.registers[*r] == *n => return true,
        Op::Assume(..) => {}
    }
    next.push(s);
    true
}
