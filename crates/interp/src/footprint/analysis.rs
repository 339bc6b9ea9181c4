//! The analysis of footprints: a least fixed point, backwards over the code.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use dally_bpl::Points;
use dally_step::effect::Object;

use super::cells::{Access, Cells};
use super::{Footprints, Point};
use crate::code::{Address, Code, Domain, Op, Procedure, VarStorage};
use crate::value::Value;

/// The footprints of each address: of steps outside and inside atomic sections, and of the rest of the call.
const KINDS: usize = 3;
const FUTURE: usize = 2;

/// Analyses a program. Returns `None` if nothing is known of it. `widens` is always true, except in tests, which see that
/// cells have to be widened.
pub(super) fn footprints(code: &Code, widens: fn(Widens) -> bool) -> Option<Footprints> {
    let is_known = code.constraints.is_empty()
        && code.hot.is_empty()
        && code.scripts.is_none()
        && code.kinds.is_empty()
        && !code.plain.iter().any(|op| matches!(op, Op::Post(_, _, Some(_), _)))
        && !code.entries.is_empty();
    if !is_known {
        return None;
    }
    let globals = code.globals.len() as u32;
    let raised = posted_levels(code);
    let cells = Cells::of(code);
    // The ids, the ends, and the mark; posts at levels, zields, and cells.
    let words = (globals as usize + 4 + raised.len() + cells.all.len()).div_ceil(64);
    let has_handles = code.plain.iter().any(|op| matches!(op, Op::Post(.., true)));
    let mut footprints = Footprints {
        words,
        globals,
        arbitrary: vec![0; words],
        maps: vec![0; words],
        frees_ids: has_handles && !code.keeps_ids,
        reuses_ids: !code.keeps_ids,
        is_flat: is_flat(code, &raised),
        raised,
        cells: cells.all.clone(),
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
    // Levels that have the same scheduling points share their footprints.
    let mut analysed: Vec<Points> = Vec::new();
    let levels = code.entries.iter().map(|entry| entry.level).chain(footprints.raised.clone());
    for level in levels.collect::<Vec<u16>>() {
        let inserted = code.preemption.at_level(u32::from(level));
        let table = analysed.iter().position(|other| *other == inserted).unwrap_or_else(|| {
            let points = analyse(&mut footprints, &Analysed { code, cells: &cells, inserted, widens });
            footprints.points.push(points);
            analysed.push(inserted);
            analysed.len() - 1
        });
        footprints.tables.push((level, table));
    }
    Some(footprints)
}

/// The steps of tasks at one level.
struct Analysed<'c> {
    code: &'c Code,
    cells: &'c Cells,
    inserted: Points,
    widens: fn(Widens) -> bool,
}

/// Analyses steps. Adds their footprints to the rows, and returns their numbers.
fn analyse(footprints: &mut Footprints, analysed: &Analysed<'_>) -> Vec<Point> {
    let Analysed { code, cells, inserted, widens: may_widen } = *analysed;
    let width = 2 * footprints.words;
    let count = code.plain.len() * KINDS;
    let mut analysis = Analysis {
        code,
        footprints,
        cells,
        inserted,
        widens: Widens::Nothing,
        may_widen,
        has_atomic: code.plain.contains(&Op::AtomicBegin),
        rows: vec![0; count * width],
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
    shared(&rows, &returns, width, &mut footprints.rows)
}

/// The levels that posts name, ascending.
fn posted_levels(code: &Code) -> Vec<u16> {
    let named = code.plain.iter().filter_map(|op| match op {
        Op::Post(_, level, ..) => *level,
        _ => None,
    });
    let mut levels: Vec<u16> = named.collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// Returns true if all tasks have one level and one buffer.
fn is_flat(code: &Code, raised: &[u16]) -> bool {
    let first = &code.entries[0];
    let one_buffer = code.entries.iter().all(|entry| entry.buffer == first.buffer);
    let mut levels = code.entries.iter().map(|entry| entry.level).chain(raised.iter().copied());
    let zields = code.plain.iter().any(|op| matches!(op, Op::Zield | Op::ZieldByLevel));
    one_buffer && levels.all(|level| level == first.level) && !zields
}

/// The globals that an instruction may give an arbitrary value: by `havoc`, or by the result of a call. The result of
/// an expression is never arbitrary, unless it is a map.
fn can_become_arbitrary(code: &Code) -> impl Iterator<Item = u32> + '_ {
    // A function of maps has an arbitrary result where its arguments are not known.
    let partial = code.plain.iter().any(|op| matches!(op, Op::IsKnown(_)));
    (0..code.plain.len()).filter_map(move |address| match code.plain[address] {
        Op::Set(VarStorage::Global(global)) => {
            let before = code.plain[..address].iter().rev().find(|op| !matches!(op, Op::Set(_)));
            let is_known = |op: &Op| is_value(*op) && !(partial && matches!(op, Op::Apply(..)));
            (!before.is_some_and(is_known)).then_some(global)
        }
        Op::Take(VarStorage::Global(global)) => Some(global),
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

/// Cells whose index has no value before an instruction, or another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Widens {
    Nothing,
    /// Cells whose index has this variable.
    Assigned(u32),
    /// Cells whose index has variables of another call.
    Calls,
}

struct Analysis<'c> {
    code: &'c Code,
    footprints: &'c Footprints,
    cells: &'c Cells,
    inserted: Points,
    /// The cells that become whole maps in what is included.
    widens: Widens,
    may_widen: fn(Widens) -> bool,
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
        let mut row: SmallVec<[u64; 8]> = SmallVec::from_slice(&self.rows[from * width..][..width]);
        self.widen(&mut row);
        for (nth, more) in row.into_iter().enumerate() {
            self.include_word(to, nth, more);
        }
    }

    /// Replaces cells by their maps.
    fn widen(&self, row: &mut [u64]) {
        if self.widens == Widens::Nothing || !(self.may_widen)(self.widens) {
            return;
        }
        for (number, cell) in (0..).zip(&self.cells.all) {
            let object = self.footprints.cell(number);
            let is_widened = match self.widens {
                Widens::Nothing => false,
                Widens::Assigned(local) => cell.depends_on(local),
                Widens::Calls => cell.is_local(),
            };
            for set in row.chunks_mut(self.footprints.words).filter(|_| is_widened) {
                if Footprints::has(set, object) {
                    Footprints::remove(set, object);
                    Footprints::add(set, cell.map);
                }
            }
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
            if let Object::Shared(global) = object
                && !self.cells.is_load(address)
            {
                self.minds(to, global);
            }
        }
        let access = self.cells.access(address);
        if let Some(Access { cell, writes }) = access {
            let object = self.footprints.cell(cell);
            self.minds(to, object);
            if writes {
                self.changes(to, object);
            }
        }
        let is_map = |global: u32| Footprints::has(&self.footprints.maps, global);
        let hidden = match op {
            Op::Take(VarStorage::Global(global)) => Some(global),
            // An arbitrary map gets the value; other variables as for reads.
            Op::AssumeEq(VarStorage::Global(global)) | Op::AssumeIs(VarStorage::Global(global), _)
                if is_map(global) =>
            {
                Some(global)
            }
            Op::Post(_, level, ..) => {
                if let Some(nth) = level.and_then(|level| self.footprints.raised.binary_search(&level).ok()) {
                    self.changes(to, self.footprints.posts_at(nth));
                }
                Some(self.footprints.ids())
            }
            Op::Seal | Op::Unseal | Op::Follow(_) | Op::FollowTo(..) => Some(self.footprints.everything()),
            _ => None,
        };
        let shared = effect.writes.iter().filter_map(|object| match object {
            // Only a cell is written.
            Object::Shared(_) if access.is_some() => None,
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
        let op = self.code.plain[address as usize];
        self.widens = match op {
            Op::Set(VarStorage::Local(local)) | Op::Take(VarStorage::Local(local)) | Op::Wait(local) => {
                Widens::Assigned(local)
            }
            _ => Widens::Nothing,
        };
        match (op, kind) {
            (Op::Yield, 0) => {}
            (Op::YieldByLevel, 0) if self.inserted.yields => {}
            (op @ (Op::Zield | Op::ZieldByLevel), 0 | FUTURE) if op == Op::Zield || self.inserted.zields => {
                self.changes(to, self.footprints.zields());
                if kind == FUTURE {
                    self.include(to, next(kind));
                }
            }
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
                self.widens = Widens::Calls;
                self.include_objects(to, entry);
                self.widens = Widens::Nothing;
                let returns = if kind == FUTURE { 1 << FUTURE } else { self.returns[entry] };
                (0..KINDS).filter(|way| returns & 1 << way != 0).for_each(|way| self.include(to, next(way)));
            }
            (Op::Post(callee, _, _, handle), FUTURE) => {
                self.widens = Widens::Calls;
                self.include_objects(to, Self::index(self.code.procedures[callee as usize].entry, FUTURE));
                self.widens = Widens::Nothing;
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

/// Stores equal footprints once, behind the rows that there are already.
fn shared(rows: &[u64], returns: &[u8], width: usize, distinct: &mut Vec<u64>) -> Vec<Point> {
    let mut numbers = FxHashMap::<&[u64], u32>::default();
    let first = (distinct.len() / width) as u32;
    let mut number = |index: usize| {
        let row = &rows[index * width..][..width];
        let next = first + numbers.len() as u32;
        *numbers.entry(row).or_insert_with(|| {
            distinct.extend_from_slice(row);
            next
        })
    };
    (0..returns.len() / KINDS)
        .map(|address| {
            let index = address * KINDS;
            Point {
                step: [number(index), number(index + 1)],
                returns: [returns[index], returns[index + 1]],
                future: number(index + FUTURE),
            }
        })
        .collect()
}
