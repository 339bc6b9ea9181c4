//! Locals whose values nobody will read: where a task stops, they are forgotten, so that states that differ in
//! nothing else are one.
//!
//! The classic backward analysis, procedure by procedure, on the plain code.

use crate::code::{Address, Code, Op, Place, Procedure};

/// Procedures for which the analysis would need more memory than this, in words, keep all values.
const MOST_WORDS: usize = 1 << 22;

/// Finds the dead locals of each place where a task may stop, or where a call returns to.
pub(super) fn find_dead_locals(code: &mut Code) {
    let mut dead = vec![Vec::new(); code.procedures.len()];
    for (procedure, dead) in code.procedures.iter().zip(&mut dead) {
        if let Some(live) = Liveness::of(code, procedure) {
            *dead = live.dead(code);
        }
    }
    code.dead = vec![0; code.ops.len() + 1];
    // The first list is empty.
    code.dead_lists = vec![Box::default()];
    for (address, list) in dead.into_iter().flatten().filter(|(_, list)| !list.is_empty()) {
        code.dead[address as usize] = code.dead_lists.len() as u32;
        code.dead_lists.push(list);
    }
}

/// For each instruction of a procedure, the locals that may be read from there on.
struct Liveness<'a> {
    procedure: &'a Procedure,
    /// How many words a set takes.
    words: usize,
    /// The sets, one after another; the last one is that of the end.
    sets: Vec<u64>,
}

impl<'a> Liveness<'a> {
    fn of(code: &Code, procedure: &'a Procedure) -> Option<Self> {
        let words = procedure.variables.len().div_ceil(64);
        let instructions = (procedure.end - procedure.entry) as usize;
        let size = (instructions + 1).checked_mul(words).filter(|size| (1..=MOST_WORDS).contains(size))?;
        let mut this = Liveness { procedure, words, sets: vec![0; size] };
        while this.pass(code) {}
        Some(this)
    }

    fn set(&self, address: Address) -> &[u64] {
        let from = (address - self.procedure.entry) as usize * self.words;
        &self.sets[from..from + self.words]
    }

    /// Goes backward through the code once; whether anything is new.
    fn pass(&mut self, code: &Code) -> bool {
        let mut changed = false;
        for address in (self.procedure.entry..self.procedure.end).rev() {
            let live = self.before(code, address);
            let from = (address - self.procedure.entry) as usize * self.words;
            let set = &mut self.sets[from..from + self.words];
            changed |= *set != live[..];
            set.copy_from_slice(&live);
        }
        changed
    }

    /// What is live before an instruction.
    fn before(&self, code: &Code, address: Address) -> Vec<u64> {
        let mut live = vec![0; self.words];
        let mut add = |to: Address| live.iter_mut().zip(self.set(to)).for_each(|(a, b)| *a |= b);
        let op = code.ops[address as usize];
        match op {
            Op::Jump(to) => add(to),
            Op::JumpUnless(to)
            | Op::AndThen(to)
            | Op::OrElse(to)
            | Op::AwaitEnd(to)
            | Op::Each(_, to)
            | Op::Again(_, to) => {
                add(to);
                add(address + 1);
            }
            Op::Choose(list) | Op::FollowTo(_, list) => {
                code.targets[list as usize].iter().for_each(|target| add(target.to));
            }
            Op::Return => {}
            _ => add(address + 1),
        }
        let bit = |local: u32| (local as usize / 64, 1_u64 << (local % 64));
        match op {
            Op::Set(Place::Local(local)) => {
                let (word, bit) = bit(local);
                live[word] &= !bit;
            }
            Op::Load(Place::Local(local))
            | Op::Take(Place::Local(local))
            | Op::AssumeEq(Place::Local(local))
            | Op::AssumeIs(Place::Local(local), _)
            | Op::Wait(local) => {
                // What it turns out to be may still be known elsewhere only.
                let given = self.procedure.variables[local as usize].given;
                for (word, bit) in [local].into_iter().chain(given).map(bit) {
                    live[word] |= bit;
                }
            }
            Op::Return => {
                let Procedure { ins, outs, .. } = *self.procedure;
                for (word, bit) in (ins..ins + outs).map(bit) {
                    live[word] |= bit;
                }
            }
            _ => {}
        }
        live
    }

    /// The addresses where the procedure may be left for a while, with what is dead there.
    fn dead(&self, code: &Code) -> Vec<(Address, Box<[u32]>)> {
        let locals = 0..self.procedure.variables.len() as u32;
        let range = self.procedure.entry..self.procedure.end;
        range
            .filter_map(|address| match code.ops[address as usize] {
                Op::Wait(_) | Op::Await => Some(address),
                Op::Yield | Op::Zield | Op::Interrupt | Op::AtomicEnd | Op::Call(_) => Some(address + 1),
                _ => None,
            })
            .map(|address| {
                let set = self.set(address);
                let is_dead = |local: &u32| set[*local as usize / 64] & (1 << (local % 64)) == 0;
                (address, locals.clone().filter(is_dead).collect())
            })
            .collect()
    }
}
