//! The analysis of footprints: a least fixed point, backwards over the code.

use rustc_hash::FxHashMap;

use dally_step::effect::Object;

use super::{Footprints, Point};
use crate::code::{Address, Code, Domain, Op, Place, Procedure};
use crate::value::Value;

/// The footprints of each address: of steps outside and inside atomic sections, and of the rest of the call.
const KINDS: usize = 3;
const FUTURE: usize = 2;

/// Analyses a program. Returns `None` if nothing is known of it.
pub(super) fn footprints(code: &Code) -> Option<Footprints> {
    let level = only_level(code)?;
    let is_known = code.constraints.is_empty()
        && code.hot.is_empty()
        && code.scripts.is_none()
        && code.kinds.is_empty()
        && !code.plain.iter().any(|op| matches!(op, Op::Zield));
    if !is_known {
        return None;
    }
    let globals = code.globals.len() as u32;
    // The ids, the ends, and the mark.
    let words = (globals as usize + 3).div_ceil(64);
    let has_handles = code.plain.iter().any(|op| matches!(op, Op::Post(_, _, true)));
    let mut footprints = Footprints {
        words,
        globals,
        arbitrary: vec![0; words],
        maps: vec![0; words],
        frees_ids: has_handles && !code.numbers_tasks,
        reuses_ids: !code.numbers_tasks,
        ..Footprints::default()
    };
    for (global, variable) in (0..).zip(&code.globals) {
        if variable.domain == Domain::Map {
            Footprints::add(&mut footprints.maps, global);
        }
    }
    for global in can_become_arbitrary(code) {
        Footprints::add(&mut footprints.arbitrary, global);
    }
    let yields = code.preemption.at_level(u32::from(level)).yields;
    let count = code.plain.len() * KINDS;
    let mut analysis = Analysis {
        code,
        footprints: &footprints,
        yields,
        has_atomic: code.plain.contains(&Op::AtomicBegin),
        rows: vec![0; count * 2 * words],
        returns: vec![0; count],
        changed: true,
    };
    while std::mem::take(&mut analysis.changed) {
        for procedure in code.procedures.iter().rev() {
            for address in (procedure.entry..procedure.end).rev() {
                analysis.visit(procedure, address);
            }
        }
    }
    let Analysis { rows, returns, .. } = analysis;
    (footprints.rows, footprints.points) = shared(&rows, &returns, 2 * words);
    Some(footprints)
}

/// The level of all tasks, if there is one level and one buffer.
fn only_level(code: &Code) -> Option<u16> {
    let first = code.entries.first()?;
    let posts_at = code.plain.iter().filter_map(|op| match op {
        Op::Post(_, level, _) => *level,
        _ => None,
    });
    let mut levels = code.entries.iter().map(|entry| entry.level).chain(posts_at);
    let one_buffer = code.entries.iter().all(|entry| entry.buffer == first.buffer);
    (one_buffer && levels.all(|level| level == first.level)).then_some(first.level)
}

/// The globals that an instruction may give an arbitrary value: by `havoc`, or by the result of a call. The result of
/// an expression is never arbitrary, unless it is a map.
fn can_become_arbitrary(code: &Code) -> impl Iterator<Item = u32> + '_ {
    (0..code.plain.len()).filter_map(|address| match code.plain[address] {
        Op::Set(Place::Global(global)) => {
            let before = code.plain[..address].iter().rev().find(|op| !matches!(op, Op::Set(_)));
            (!before.is_some_and(|op| is_value(*op))).then_some(global)
        }
        Op::Take(Place::Global(global)) => Some(global),
        _ => None,
    })
}

/// Returns true if the instruction ends an expression whose value is not arbitrary.
fn is_value(op: Op) -> bool {
    match op {
        Op::Const(value) => value != Value::Unset,
        Op::Load(_) | Op::Stack(_) | Op::Not | Op::Neg | Op::Arith(_) | Op::Eq | Op::Ne | Op::Compare(_) => {
            true
        }
        Op::Floor | Op::ToReal | Op::Bv(..) | Op::Extract(..) | Op::Concat(_) | Op::ZeroExtend => true,
        Op::SignExtend(..) | Op::Wide(_) | Op::Select(_, false) => true,
        Op::Construct(..) | Op::Is(_) | Op::Apply(..) | Op::Again(..) | Op::Pick(..) => true,
        Op::ThreadId | Op::ChildId => true,
        _ => false,
    }
}

struct Analysis<'c> {
    code: &'c Code,
    footprints: &'c Footprints,
    /// True if inserted yields are scheduling points.
    yields: bool,
    /// True if there are atomic sections.
    has_atomic: bool,
    rows: Vec<u64>,
    /// The ways in which a step returns from the call.
    returns: Vec<u8>,
    changed: bool,
}

impl Analysis<'_> {
    fn index(address: Address, kind: usize) -> usize {
        address as usize * KINDS + kind
    }

    /// Adds what follows an instruction.
    fn include(&mut self, to: usize, from: usize) {
        self.include_objects(to, from);
        self.include_returns(to, self.returns[from]);
    }

    fn include_objects(&mut self, to: usize, from: usize) {
        let width = 2 * self.footprints.words;
        for nth in 0..width {
            let more = self.rows[from * width + nth];
            self.include_word(to, nth, more);
        }
    }

    fn include_word(&mut self, to: usize, nth: usize, more: u64) {
        let word = &mut self.rows[to * 2 * self.footprints.words + nth];
        self.changed |= more & !*word != 0;
        *word |= more;
    }

    fn include_returns(&mut self, to: usize, more: u8) {
        self.changed |= more & !self.returns[to] != 0;
        self.returns[to] |= more;
    }

    fn changes(&mut self, to: usize, object: u32) {
        self.include_word(to, object as usize / 64, 1 << (object % 64));
    }

    fn minds(&mut self, to: usize, object: u32) {
        self.include_word(to, self.footprints.words + object as usize / 64, 1 << (object % 64));
    }

    fn visit(&mut self, procedure: &Procedure, address: Address) {
        for kind in 0..KINDS {
            self.touch(procedure, address, Self::index(address, kind));
            self.follow(procedure, address, kind);
        }
    }

    /// Adds the objects that an instruction touches.
    fn touch(&mut self, procedure: &Procedure, address: Address, to: usize) {
        let op = self.code.plain[address as usize];
        let effect = self.code.plain_effect(procedure, address);
        for object in effect.reads {
            if let Object::Shared(global) = object {
                self.minds(to, global);
            }
        }
        let is_map = |global: u32| Footprints::has(&self.footprints.maps, global);
        let hidden = match op {
            Op::Take(Place::Global(global)) => Some(global),
            // An arbitrary map gets the value; other variables as for reads.
            Op::AssumeEq(Place::Global(global)) | Op::AssumeIs(Place::Global(global), _)
                if is_map(global) =>
            {
                Some(global)
            }
            Op::Post(..) => Some(self.footprints.ids()),
            Op::Seal | Op::Unseal | Op::Follow(_) | Op::FollowTo(..) => Some(self.footprints.everything()),
            _ => None,
        };
        let shared = effect.writes.iter().filter_map(|object| match object {
            Object::Shared(global) => Some(*global),
            Object::Local(_) | Object::Task(_) => None,
        });
        for object in shared.chain(hidden) {
            self.changes(to, object);
            self.minds(to, object);
        }
    }

    /// Adds the footprints of what follows an instruction.
    fn follow(&mut self, procedure: &Procedure, address: Address, kind: usize) {
        let to = Self::index(address, kind);
        let next = |kind| Self::index(address + 1, kind);
        match (self.code.plain[address as usize], kind) {
            (Op::Yield, 0) => {}
            (Op::YieldByLevel, 0) if self.yields => {}
            (Op::AtomicBegin, 0 | 1) => self.include(to, next(1)),
            (Op::AtomicEnd, 1) => {
                self.include(to, next(0));
                self.include(to, next(1));
            }
            // A task stops at a condition that does not hold.
            (Op::AwaitEnd(_), 0 | 1) => self.include(to, next(kind)),
            (Op::Wait(_), 0) => {}
            (Op::Wait(_), _) => {
                // A wait outside of atomic sections is a scheduling point. The task goes on only after the end of the
                // other, so it cannot observe an earlier one.
                if kind == 1 || self.has_atomic {
                    self.minds(to, self.footprints.ends());
                }
                self.include(to, next(kind));
            }
            (Op::Return, FUTURE) => {}
            (Op::Return, _) => self.include_returns(to, 1 << kind),
            (Op::Call(callee), _) => {
                let entry = Self::index(self.code.procedures[callee as usize].entry, kind);
                self.include_objects(to, entry);
                let returns = if kind == FUTURE { 1 << FUTURE } else { self.returns[entry] };
                (0..KINDS).filter(|way| returns & 1 << way != 0).for_each(|way| self.include(to, next(way)));
            }
            (Op::Post(callee, _, handle), FUTURE) => {
                self.include(to, Self::index(self.code.procedures[callee as usize].entry, FUTURE));
                if handle {
                    self.changes(to, self.footprints.ends());
                }
                self.include(to, next(FUTURE));
            }
            _ => {
                let exits = self.code.plain_effect(procedure, address).exits;
                exits.iter().for_each(|exit| self.include(to, Self::index(exit.to, kind)));
            }
        }
    }
}

/// Stores equal footprints once.
fn shared(rows: &[u64], returns: &[u8], width: usize) -> (Vec<u64>, Vec<Point>) {
    let mut numbers = FxHashMap::<&[u64], u32>::default();
    let mut distinct = Vec::new();
    let mut number = |index: usize| {
        let row = &rows[index * width..][..width];
        let next = numbers.len() as u32;
        *numbers.entry(row).or_insert_with(|| {
            distinct.extend_from_slice(row);
            next
        })
    };
    let points = (0..returns.len() / KINDS)
        .map(|address| {
            let index = address * KINDS;
            Point {
                step: [number(index), number(index + 1)],
                returns: [returns[index], returns[index + 1]],
                future: number(index + FUTURE),
            }
        })
        .collect();
    (distinct, points)
}
