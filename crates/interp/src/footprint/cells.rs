//! Cells of maps as objects: `M[e]`, where `e` has only constants and variables of the call.
//!
//! A forward analysis of the operand stack of each statement finds the accesses to one element of a map. Such
//! an access is not one to the whole map, but to a *cell*: the map, and the index as code. In a state, the index has a value,
//! and two cells of a map with different values are different objects. Going backwards, an assignment to a variable in
//! the index, a call or a post makes an access to a cell one to the whole map.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use crate::code::{Address, Arith, Code, Domain, Op, Procedure, VarStorage};
use crate::value::Value;

/// The most cells of a program. Accesses to further ones are accesses to their maps.
const MOST_CELLS: usize = 256;
/// The most instructions of an index.
const MOST_OPS: usize = 7;

/// An index: constants, variables of the call, and sums, differences and products of them, in postfix order.
type Index = SmallVec<[Op; 3]>;

/// A cell of a map.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) map: u32,
    /// The procedure whose variables the index has; `None` if it has none.
    procedure: Option<u32>,
    index: Index,
}

impl Cell {
    /// Returns true if the value of the index depends on a local variable.
    pub(super) fn depends_on(&self, local: u32) -> bool {
        self.index.contains(&Op::Load(VarStorage::Local(local)))
    }

    /// Returns true if the index has variables of a call.
    pub(super) fn is_local(&self) -> bool {
        self.procedure.is_some()
    }

    /// An error that tests must notice: the index has a value of its own.
    #[cfg(test)]
    pub(super) fn forge(&mut self, number: i64) {
        self.index = smallvec![Op::Const(Value::Int(number))];
    }

    /// The value of the index in a call with these variables; `None` if it is not known.
    pub(super) fn value(&self, variables: &[Value]) -> Option<Value> {
        let mut stack: SmallVec<[Value; 4]> = SmallVec::new();
        for op in &self.index {
            let value = match *op {
                Op::Const(value) => value,
                Op::Load(VarStorage::Local(local)) => *variables.get(local as usize)?,
                Op::Arith(op) => match (stack.pop()?, stack.pop()?) {
                    (Value::Int(b), Value::Int(a)) => Value::Int(match op {
                        Arith::Add => a.checked_add(b)?,
                        Arith::Sub => a.checked_sub(b)?,
                        Arith::Mul => a.checked_mul(b)?,
                        Arith::Div | Arith::Mod | Arith::Quotient => return None,
                    }),
                    _ => return None,
                },
                _ => return None,
            };
            stack.push(value);
        }
        // Other values may have several representations.
        stack.pop().filter(|value| matches!(value, Value::Int(_) | Value::Bool(_) | Value::Bv(_)))
    }
}

/// An access to a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The number of the cell.
    pub(super) cell: u32,
    pub(super) writes: bool,
}

/// The accesses to cells.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) all: Vec<Cell>,
    /// By the address of the access, with that of the load.
    accesses: FxHashMap<Address, (Address, Access)>,
    /// The addresses that load a map of which only cells are used.
    loads: FxHashSet<Address>,
}

/// A value on the operand stack.
#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Unknown,
    Index(Index),
    /// The map that was loaded there.
    Map(u32, Address),
    /// That map with another value at an index.
    Updated(u32, Address, Index),
}

impl Cells {
    /// Finds the accesses to cells of a program.
    pub(super) fn of(code: &Code) -> Self {
        let mut cells = Cells::default();
        for (number, procedure) in (0..).zip(&code.procedures) {
            let mut found = Found { code, number, whole: FxHashSet::default(), uses: Vec::new() };
            found.procedure(procedure);
            let Found { mut whole, uses, .. } = found;
            for Use { load, at, cell, writes } in uses {
                match cells.number(cell) {
                    Some(cell) => {
                        cells.loads.insert(load);
                        cells.accesses.insert(at, (load, Access { cell, writes }));
                    }
                    None => {
                        whole.insert(load);
                    }
                }
            }
            cells.loads.retain(|load| !whole.contains(load));
            cells.accesses.retain(|_, (load, _)| !whole.contains(load));
        }
        cells
    }

    /// The access to a cell at an address.
    pub(super) fn access(&self, at: Address) -> Option<Access> {
        self.accesses.get(&at).map(|(_, access)| *access)
    }

    /// Returns true if only cells of the map that is loaded here are used.
    pub(super) fn is_load(&self, at: Address) -> bool {
        self.loads.contains(&at)
    }

    /// The number of a cell, if there is room for it.
    fn number(&mut self, cell: Cell) -> Option<u32> {
        let known = self.all.iter().position(|other| *other == cell);
        let number = known.or_else(|| {
            (self.all.len() < MOST_CELLS).then(|| {
                self.all.push(cell);
                self.all.len() - 1
            })
        });
        number.map(|number| number as u32)
    }
}

/// A use of a map that was loaded.
struct Use {
    load: Address,
    at: Address,
    cell: Cell,
    writes: bool,
}

/// The analysis of a procedure.
struct Found<'c> {
    code: &'c Code,
    number: u32,
    /// The addresses that load a map which is used as a whole.
    whole: FxHashSet<Address>,
    uses: Vec<Use>,
}

impl Found<'_> {
    fn procedure(&mut self, procedure: &Procedure) {
        let mut stacks: FxHashMap<Address, Vec<Operand>> = FxHashMap::default();
        let mut open = vec![procedure.entry, procedure.assuming_entry];
        for address in &open {
            stacks.insert(*address, Vec::new());
        }
        while let Some(address) = open.pop() {
            let mut stack = stacks[&address].clone();
            let effect = self.code.plain_effect(procedure, address);
            let operands = stack.split_off(stack.len().saturating_sub(effect.pops as usize));
            let result = self.execute(address, &operands);
            for exit in &effect.exits {
                let mut after = stack.clone();
                after.resize(stack.len() + exit.pushes as usize, result.clone());
                let grown = match stacks.get_mut(&exit.to) {
                    Some(known) => known
                        .iter_mut()
                        .zip(&after)
                        .fold(false, |grown, (old, new)| self.join(old, new) | grown),
                    None => stacks.insert(exit.to, after).is_none(),
                };
                if grown {
                    open.push(exit.to);
                }
            }
        }
    }

    fn join(&mut self, old: &mut Operand, new: &Operand) -> bool {
        if old == new || *old == Operand::Unknown && matches!(new, Operand::Unknown | Operand::Index(_)) {
            return false;
        }
        self.use_whole(old);
        self.use_whole(new);
        std::mem::replace(old, Operand::Unknown) != Operand::Unknown
    }

    fn use_whole(&mut self, operand: &Operand) {
        if let Operand::Map(_, load) | Operand::Updated(_, load, _) = operand {
            self.whole.insert(*load);
        }
    }

    /// Executes an instruction. Returns what it pushes.
    fn execute(&mut self, address: Address, operands: &[Operand]) -> Operand {
        let is_map = |global: u32| self.code.globals[global as usize].domain == Domain::Map;
        match (self.code.plain[address as usize], operands) {
            (op @ (Op::Const(_) | Op::Load(VarStorage::Local(_))), []) => Operand::Index(smallvec![op]),
            (Op::Load(VarStorage::Global(global)), []) if is_map(global) => Operand::Map(global, address),
            (op @ Op::Arith(_), [Operand::Index(a), Operand::Index(b)]) if a.len() + b.len() < MOST_OPS => {
                let mut index = a.clone();
                index.extend(b.iter().copied().chain([op]));
                Operand::Index(index)
            }
            (Op::Select(1, _), [Operand::Map(map, load), Operand::Index(index)]) => {
                self.access(address, (*map, *load), index, false);
                Operand::Unknown
            }
            (Op::Store(1), [Operand::Map(map, load), Operand::Index(index), value]) => {
                self.use_whole(value);
                Operand::Updated(*map, *load, index.clone())
            }
            (Op::Set(VarStorage::Global(global)), [Operand::Updated(map, load, index)]) if global == *map => {
                self.access(address, (*map, *load), index, true);
                Operand::Unknown
            }
            _ => {
                operands.iter().for_each(|operand| self.use_whole(operand));
                Operand::Unknown
            }
        }
    }

    fn access(&mut self, at: Address, (map, load): (u32, Address), index: &Index, writes: bool) {
        self.uses.retain(|used| used.at != at);
        let is_local = index.iter().any(|op| matches!(op, Op::Load(_)));
        let cell = Cell { map, procedure: is_local.then_some(self.number), index: index.clone() };
        self.uses.push(Use { load, at, cell, writes });
    }
}
