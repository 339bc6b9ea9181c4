//! What checking finds out about a program.

use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::types::{Ty, Types};
use crate::ast::{ExprId, FunId, Literal, MachineKind, StmtId, Temperature, TypeId};

/// An event, by number: `null` and `halt`, then those of the program.
pub type EventId = u32;
/// `null`, which stands for nothing to do.
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

    /// Whether the event is in it.
    #[inline]
    pub fn contains(&self, event: EventId) -> bool {
        self.0.get(event as usize / 64).is_some_and(|w| w & (1 << (event % 64)) != 0)
    }

    /// Whether it has no events.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    /// The events, ascending.
    pub fn iter(&self) -> impl Iterator<Item = EventId> + '_ {
        (0..self.0.len() as u32 * 64).filter(|e| self.contains(*e))
    }

    /// The first event that the other does not have.
    pub fn first_outside(&self, other: &EventSet) -> Option<EventId> {
        self.iter().find(|e| !other.contains(*e))
    }

    /// The first event that both have.
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

/// What a name in an expression stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Use {
    /// Nothing in particular.
    #[default]
    Nothing,
    /// A variable of the function, by its place in the frame.
    Local(u32),
    /// A variable of the machine.
    Field(u32),
    /// A parameter of the program.
    Param(u32),
    /// An element of an enumeration: its value.
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
    /// What it carries.
    pub payload: Ty,
}

/// An interface.
#[derive(Clone, Debug)]
pub struct InterfaceInfo {
    /// Its name.
    pub name: Sym,
    /// What its constructor takes.
    pub payload: Ty,
    /// What it receives.
    pub receives: EventSet,
}

/// What a state does about an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handler {
    /// It waits for another state.
    Defer,
    /// It is dropped.
    Ignore,
    /// A function handles it.
    Do(FunId),
    /// The machine goes to another state, perhaps doing something on the way.
    Goto(u32, Option<FunId>),
}

/// A state.
#[derive(Clone, Debug)]
pub struct StateInfo {
    /// Its name.
    pub name: Sym,
    /// Where.
    pub span: Span,
    /// Whether a monitor may stay here.
    pub temperature: Temperature,
    /// What is done on entry.
    pub entry: Option<FunId>,
    /// What is done on exit.
    pub exit: Option<FunId>,
    /// What is done about events.
    pub handlers: Vec<(EventId, Handler, Span)>,
}

/// A machine or monitor.
#[derive(Clone, Debug)]
pub struct MachineInfo {
    /// Its name.
    pub name: Sym,
    /// Where.
    pub span: Span,
    /// What kind it is.
    pub kind: MachineKind,
    /// Its interface; monitors have none.
    pub interface: Option<u32>,
    /// Its variables.
    pub fields: Vec<(Sym, Ty)>,
    /// Its states.
    pub states: Vec<StateInfo>,
    /// Its first state.
    pub start: Option<u32>,
    /// What its constructor takes.
    pub payload: Ty,
    /// What it receives.
    pub receives: EventSet,
    /// What it sends.
    pub sends: EventSet,
    /// What a monitor observes.
    pub observes: EventSet,
    /// The interfaces that it may create.
    pub creates: Vec<u32>,
    /// All of its functions and handlers.
    pub funs: Vec<FunId>,
}

impl MachineInfo {
    /// Whether it is a monitor.
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
    /// All that its frame holds, with the variables of the cases inside of it.
    pub slots: Vec<Slot>,
    /// What it returns.
    pub ret: Ty,
    /// The functions that it calls.
    pub callees: Vec<FunId>,
    /// The interfaces that it creates itself.
    pub creates: Vec<u32>,
    /// What it does, itself or through others.
    pub effects: Effects,
}

/// What a function does.
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
    /// What is done.
    pub fun: FunId,
}

/// The machines of a test, put together.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Each interface with its machine, and what the interfaces that it creates are bound to.
    pub bound: Vec<Bound>,
    /// The monitors, with the interfaces that they watch.
    pub monitors: Vec<(u32, Vec<u32>)>,
}

/// An interface with its machine.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The interface.
    pub interface: u32,
    /// The machine behind it.
    pub machine: u32,
    /// The interfaces that the machine creates, and which are created.
    pub links: Vec<(u32, u32)>,
}

/// A test that can be run.
#[derive(Clone, Debug)]
pub struct TestInfo {
    /// Its name, with the values of its parameters.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The values of the parameters of the program.
    pub params: Vec<(u32, Literal)>,
    /// The machine with which it begins.
    pub main: u32,
    /// What it runs.
    pub linked: Linked,
}

/// What checking finds out.
#[derive(Clone, Debug)]
pub struct Info {
    /// The types.
    pub types: Types,
    /// The type of each expression.
    pub expr_types: Vec<Ty>,
    /// What the names in expressions stand for.
    pub uses: Vec<Use>,
    /// What the names in statements stand for.
    pub stmt_uses: Vec<Use>,
    /// What the types that are written stand for.
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
    /// The parameters of the program.
    pub params: Vec<(Sym, Ty)>,
    /// The tests.
    pub tests: Vec<TestInfo>,
}

impl Info {
    /// The type of an expression.
    pub fn ty(&self, expr: ExprId) -> Ty {
        self.expr_types[expr.index()]
    }

    /// What a name stands for.
    pub fn use_of(&self, expr: ExprId) -> Use {
        self.uses[expr.index()]
    }

    /// The test of this name.
    pub fn test(&self, name: &str) -> Option<&TestInfo> {
        self.tests.iter().find(|t| t.name == name)
    }
}
