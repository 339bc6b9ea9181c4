//! The results of checking.

use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::types::{Ty, Types};
use crate::ast::{ExprId, FunId, Literal, MachineKind, StmtId, Temperature, TypeId};

/// The number of an event: `null`, `halt`, then those of the program.
pub type EventId = u32;
/// `null`: the absence of an event.
pub const NULL_EVENT: EventId = 0;
/// `halt`.
pub const HALT: EventId = 1;

/// A set of events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventSet(Vec<u64>);

impl EventSet {
    /// Adds an event.
    pub fn insert(&mut self, event: EventId) {
        let word = event as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (event % 64);
    }

    /// Adds all events of another set.
    pub fn extend(&mut self, other: &EventSet) {
        other.iter().for_each(|e| self.insert(e));
    }

    /// Returns true if the event is in the set.
    #[inline]
    pub fn contains(&self, event: EventId) -> bool {
        self.0.get(event as usize / 64).is_some_and(|w| w & (1 << (event % 64)) != 0)
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    /// The events in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = EventId> + '_ {
        (0..self.0.len() as u32 * 64).filter(|e| self.contains(*e))
    }

    /// The first event that is not in the other set.
    pub fn first_outside(&self, other: &EventSet) -> Option<EventId> {
        self.iter().find(|e| !other.contains(*e))
    }

    /// The first event in both sets.
    pub fn first_shared(&self, other: &EventSet) -> Option<EventId> {
        self.iter().find(|e| other.contains(*e))
    }
}

impl FromIterator<EventId> for EventSet {
    fn from_iter<I: IntoIterator<Item = EventId>>(events: I) -> Self {
        let mut set = EventSet::default();
        events.into_iter().for_each(|e| set.insert(e));
        set
    }
}

/// The meaning of a name in an expression or statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Use {
    /// Not a name.
    #[default]
    Nothing,
    /// A variable of the function, by its slot in the frame.
    Local(u32),
    /// A variable of the machine.
    Field(u32),
    /// A global parameter.
    Param(u32),
    /// An element of an enumeration, by its value.
    Element(i64),
    /// An event.
    Event(EventId),
    /// A function.
    Fun(FunId),
    /// An interface.
    Interface(u32),
    /// A field of a tuple.
    Item(u32),
    /// A state of the machine.
    State(u32),
}

/// An event.
#[derive(Clone, Debug)]
pub struct EventInfo {
    /// Its name.
    pub name: Sym,
    /// The type of its payload.
    pub payload: Ty,
}

/// An interface.
#[derive(Clone, Debug)]
pub struct InterfaceInfo {
    /// Its name.
    pub name: Sym,
    /// The type of its constructor's argument.
    pub payload: Ty,
    /// The events that it receives.
    pub receives: EventSet,
}

/// The reaction of a state to an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handler {
    /// Deferred: it stays in the queue.
    Defer,
    /// Ignored: it is removed from the queue.
    Ignore,
    /// A function handles it.
    Do(FunId),
    /// A transition to a state, with an optional transition function.
    Goto(u32, Option<FunId>),
}

/// A state.
#[derive(Clone, Debug)]
pub struct StateInfo {
    /// Its name.
    pub name: Sym,
    /// The span of its declaration.
    pub span: Span,
    /// Its liveness annotation.
    pub temperature: Temperature,
    /// The entry function.
    pub entry: Option<FunId>,
    /// The exit function.
    pub exit: Option<FunId>,
    /// The reactions to events.
    pub handlers: Vec<(EventId, Handler, Span)>,
}

/// A machine or monitor.
#[derive(Clone, Debug)]
pub struct MachineInfo {
    /// Its name.
    pub name: Sym,
    /// The span of its declaration.
    pub span: Span,
    /// Its kind.
    pub kind: MachineKind,
    /// Its interface; none for a monitor.
    pub interface: Option<u32>,
    /// Its variables.
    pub fields: Vec<(Sym, Ty)>,
    /// Its states.
    pub states: Vec<StateInfo>,
    /// Its start state.
    pub start: Option<u32>,
    /// The type of its constructor's argument.
    pub payload: Ty,
    /// The events that it receives.
    pub receives: EventSet,
    /// The events that it sends.
    pub sends: EventSet,
    /// The events that a monitor observes.
    pub observes: EventSet,
    /// The interfaces that it may create.
    pub creates: Vec<u32>,
    /// All of its functions and handlers.
    pub funs: Vec<FunId>,
}

impl MachineInfo {
    /// Returns true if the machine is a monitor.
    pub fn is_monitor(&self) -> bool {
        self.kind != MachineKind::Machine
    }
}

/// A variable of a function.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Its name.
    pub name: Sym,
    /// Its type.
    pub ty: Ty,
}

/// A function.
#[derive(Clone, Debug)]
pub struct FunInfo {
    /// The machine to which it belongs.
    pub owner: Option<u32>,
    /// Its parameters: their places in the frame.
    pub params: Vec<(u32, Ty)>,
    /// Its other variables: their places in the frame.
    pub vars: Vec<(u32, Ty)>,
    /// The slots of its frame, including the variables of the cases of `receive` inside of it.
    pub slots: Vec<Slot>,
    /// The type of its result.
    pub ret: Ty,
    /// The functions that it calls.
    pub callees: Vec<FunId>,
    /// The interfaces that it creates itself.
    pub creates: Vec<u32>,
    /// Its effects, including those of its callees.
    pub effects: Effects,
}

/// The effects of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// It raises an event or goes to another state.
    pub leaves: bool,
    /// It sends, announces, creates, receives or chooses.
    pub acts: bool,
}

/// One case of a `receive`.
#[derive(Clone, Debug)]
pub struct CaseInfo {
    /// Its events.
    pub events: Vec<EventId>,
    /// The handler.
    pub fun: FunId,
}

/// The linked machines of a test.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The bound interfaces.
    pub bound: Vec<Bound>,
    /// The monitors, with the interfaces that they observe.
    pub monitors: Vec<(u32, Vec<u32>)>,
}

/// An interface and the machine that implements it.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The interface.
    pub interface: u32,
    /// The machine that implements it.
    pub machine: u32,
    /// The interfaces that the machine creates by name, and those that are created instead.
    pub links: Vec<(u32, u32)>,
}

/// A test that can be run.
#[derive(Clone, Debug)]
pub struct TestInfo {
    /// Its name, with the values of its parameters.
    pub name: String,
    /// The span of its declaration.
    pub span: Span,
    /// The values of the global parameters.
    pub params: Vec<(u32, Literal)>,
    /// The interface of the main machine.
    pub main: u32,
    /// The machines.
    pub linked: Linked,
}

/// The results of checking a program.
#[derive(Clone, Debug)]
pub struct Info {
    /// The types.
    pub types: Types,
    /// The type of each expression.
    pub expr_types: Vec<Ty>,
    /// The meanings of names in expressions.
    pub uses: Vec<Use>,
    /// The meanings of names in statements.
    pub stmt_uses: Vec<Use>,
    /// The resolved type expressions.
    pub written: FxHashMap<TypeId, Ty>,
    /// The cases of each `receive`.
    pub cases: FxHashMap<StmtId, Vec<CaseInfo>>,
    /// The least value of each enumeration, and its elements.
    pub enums: Vec<(i64, Vec<(Sym, i64)>)>,
    /// The events.
    pub events: Vec<EventInfo>,
    /// The interfaces.
    pub interfaces: Vec<InterfaceInfo>,
    /// The machines.
    pub machines: Vec<MachineInfo>,
    /// The functions.
    pub funs: Vec<FunInfo>,
    /// The global parameters.
    pub params: Vec<(Sym, Ty)>,
    /// The tests.
    pub tests: Vec<TestInfo>,
}

impl Info {
    /// The type of an expression.
    pub fn ty(&self, expr: ExprId) -> Ty {
        self.expr_types[expr.index()]
    }

    /// The meaning of the name in an expression.
    pub fn use_of(&self, expr: ExprId) -> Use {
        self.uses[expr.index()]
    }

    /// The test of this name.
    pub fn test(&self, name: &str) -> Option<&TestInfo> {
        self.tests.iter().find(|t| t.name == name)
    }
}
