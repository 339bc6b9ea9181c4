//! The results of checking.

use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use super::types::{Ty, Types};
use crate::ast::{Ast, ExprId, FunId, Literal, MachineKind, StmtId, Temperature, TypeId};

/// The number of an event: `null`, `halt`, then those of the program.
pub(crate) type EventId = u32;
/// `null`: the absence of an event.
pub(crate) const NULL_EVENT: EventId = 0;
/// `halt`.
pub(crate) const HALT: EventId = 1;

/// A set of events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct EventSet(Vec<u64>);

impl EventSet {
    /// Adds an event.
    pub(crate) fn insert(&mut self, event: EventId) {
        let word = event as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (event % 64);
    }

    /// Adds all events of another set.
    pub(crate) fn extend(&mut self, other: &EventSet) {
        other.iter().for_each(|e| self.insert(e));
    }

    /// Returns true if the event is in the set.
    #[inline]
    pub(crate) fn contains(&self, event: EventId) -> bool {
        self.0.get(event as usize / 64).is_some_and(|w| w & (1 << (event % 64)) != 0)
    }

    /// Returns true if the set is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    /// The events in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = EventId> + '_ {
        (0..self.0.len() as u32 * 64).filter(|e| self.contains(*e))
    }

    /// The first event that is not in the other set.
    pub(crate) fn first_outside(&self, other: &EventSet) -> Option<EventId> {
        self.iter().find(|e| !other.contains(*e))
    }

    /// The first event in both sets.
    pub(crate) fn first_shared(&self, other: &EventSet) -> Option<EventId> {
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
pub(crate) enum Use {
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

/// An enumeration.
#[derive(Clone, Debug)]
pub(crate) struct EnumInfo {
    /// The least value, which is the default.
    pub(crate) least: i64,
    /// Its elements.
    pub(crate) elements: Vec<ElementInfo>,
}

/// An element of an enumeration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementInfo {
    /// Its name.
    pub(crate) name: Sym,
    /// Its value.
    pub(crate) value: i64,
}

/// An event.
#[derive(Clone, Debug)]
pub(crate) struct EventInfo {
    /// Its name.
    pub(crate) name: Sym,
    /// The type of its payload.
    pub(crate) payload: Ty,
}

/// An interface.
#[derive(Clone, Debug)]
pub(crate) struct InterfaceInfo {
    /// Its name.
    pub(crate) name: Sym,
    /// The type of its constructor's argument.
    pub(crate) payload: Ty,
    /// The events that it receives.
    pub(crate) receives: EventSet,
}

/// The reaction of a state to an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Handler {
    /// Deferred: it stays in the queue.
    Defer,
    /// Ignored: it is removed from the queue.
    Ignore,
    /// A function handles it.
    Do(FunId),
    /// A transition to a state, with an optional transition function.
    Goto(u32, Option<FunId>),
}

/// The declared reaction of a state to an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reaction {
    /// The event.
    pub(crate) event: EventId,
    /// The reaction.
    pub(crate) handler: Handler,
    /// The span of the event's name in the handler.
    pub(crate) span: Span,
}

/// A state.
#[derive(Clone, Debug)]
pub(crate) struct StateInfo {
    /// Its name.
    pub(crate) name: Sym,
    /// The span of its declaration.
    pub(crate) span: Span,
    /// Its liveness annotation.
    pub(crate) temperature: Temperature,
    /// The entry function.
    pub(crate) entry: Option<FunId>,
    /// The exit function.
    pub(crate) exit: Option<FunId>,
    /// The reactions to events.
    pub(crate) handlers: Vec<Reaction>,
}

/// A machine or monitor.
#[derive(Clone, Debug)]
pub(crate) struct MachineInfo {
    /// Its name.
    pub(crate) name: Sym,
    /// The span of its declaration.
    pub(crate) span: Span,
    /// Its kind.
    pub(crate) kind: MachineKind,
    /// Its interface; none for a monitor.
    pub(crate) interface: Option<u32>,
    /// Its variables.
    pub(crate) fields: Vec<Slot>,
    /// Its states.
    pub(crate) states: Vec<StateInfo>,
    /// Its start state.
    pub(crate) start: Option<u32>,
    /// The type of its constructor's argument.
    pub(crate) payload: Ty,
    /// The events that it receives.
    pub(crate) receives: EventSet,
    /// The events that it sends.
    pub(crate) sends: EventSet,
    /// The events that a monitor observes.
    pub(crate) observes: EventSet,
    /// The interfaces that it may create.
    pub(crate) creates: Vec<u32>,
    /// All of its functions and handlers.
    pub(crate) funs: Vec<FunId>,
}

impl MachineInfo {
    /// Returns true if the machine is a monitor.
    pub(crate) fn is_monitor(&self) -> bool {
        self.kind != MachineKind::Machine
    }
}

/// A variable of a function, machine or program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Its name.
    pub(crate) name: Sym,
    /// Its type.
    pub(crate) ty: Ty,
}

/// A variable of a function by its slot in the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    /// The index of the slot.
    pub(crate) slot: u32,
    /// Its type.
    pub(crate) ty: Ty,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct FunInfo {
    /// The machine to which it belongs.
    pub(crate) owner: Option<u32>,
    /// Its parameters.
    pub(crate) params: Vec<Local>,
    /// Its other variables.
    pub(crate) vars: Vec<Local>,
    /// The slots of its frame, including the variables of the cases of `receive` inside of it.
    pub(crate) slots: Vec<Slot>,
    /// The type of its result.
    pub(crate) ret: Ty,
    /// The functions that it calls.
    pub(crate) callees: Vec<FunId>,
    /// The interfaces that it creates itself.
    pub(crate) creates: Vec<u32>,
    /// Its effects, including those of its callees.
    pub(crate) effects: Effects,
}

/// The effects of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Effects {
    /// It raises an event or goes to another state.
    pub(crate) leaves: bool,
    /// It sends, announces, creates, receives or chooses.
    pub(crate) acts: bool,
}

/// One case of a `receive`.
#[derive(Clone, Debug)]
pub(crate) struct CaseInfo {
    /// Its events.
    pub(crate) events: Vec<EventId>,
    /// The handler.
    pub(crate) fun: FunId,
}

/// The linked machines of a test.
#[derive(Clone, Debug)]
pub(crate) struct Linked {
    /// The bound interfaces.
    pub(crate) bound: Vec<Bound>,
    /// The monitors.
    pub(crate) monitors: Vec<Monitor>,
}

/// A monitor of a test.
#[derive(Clone, Debug)]
pub(crate) struct Monitor {
    /// The machine.
    pub(crate) machine: u32,
    /// The interfaces that it observes.
    pub(crate) observed: Vec<u32>,
}

/// An interface and the machine that implements it.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// The interface.
    pub(crate) interface: u32,
    /// The machine that implements it.
    pub(crate) machine: u32,
    /// The interfaces that the machine creates.
    pub(crate) links: Vec<Link>,
}

/// The effect of a `new` in a module: `rename` may replace the interface that it names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The interface that the machine names.
    pub(crate) named: u32,
    /// The interface that is created.
    pub(crate) created: u32,
}

/// Values of global parameters.
pub(crate) type Assignment = Vec<AssignedParam>;

/// The value of a global parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AssignedParam {
    /// The parameter.
    pub(crate) param: u32,
    /// Its value.
    pub(crate) value: Literal,
}

/// A test that can be run.
#[derive(Clone, Debug)]
pub struct TestInfo {
    /// Its name, with the values of its parameters.
    pub name: String,
    /// The span of its declaration.
    pub span: Span,
    /// The values of the global parameters.
    pub(crate) params: Assignment,
    /// The interface of the main machine.
    pub(crate) main: u32,
    /// The machines.
    pub(crate) linked: Linked,
}

/// The results of checking a program.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    /// The types.
    pub(crate) types: Types,
    /// The type of each expression.
    pub(crate) expr_types: Vec<Ty>,
    /// The meanings of names in expressions.
    pub(crate) uses: Vec<Use>,
    /// The meanings of names in statements.
    pub(crate) stmt_uses: Vec<Use>,
    /// The resolved type expressions.
    pub(crate) written: FxHashMap<TypeId, Ty>,
    /// The cases of each `receive`.
    pub(crate) cases: FxHashMap<StmtId, Vec<CaseInfo>>,
    /// The enumerations.
    pub(crate) enums: Vec<EnumInfo>,
    /// The events.
    pub(crate) events: Vec<EventInfo>,
    /// The interfaces.
    pub(crate) interfaces: Vec<InterfaceInfo>,
    /// The machines.
    pub(crate) machines: Vec<MachineInfo>,
    /// The functions.
    pub(crate) funs: Vec<FunInfo>,
    /// The global parameters.
    pub(crate) params: Vec<Slot>,
    /// The tests.
    pub(crate) tests: Vec<TestInfo>,
    /// The stub of each foreign function that has one.
    pub(crate) stubs: FxHashMap<FunId, FunId>,
    /// The pure functions whose bodies only P's verifier can evaluate.
    pub(crate) verifier_only: FxHashSet<FunId>,
}

impl Info {
    /// The head of a function, as a program writes it.
    pub(crate) fn signature(&self, ast: &Ast, fun: FunId) -> String {
        let (decl, info) = (&ast.funs[fun.index()], &self.funs[fun.index()]);
        let show = |ty| self.types.show(ty, &ast.symbols);
        let params = decl.params.iter().zip(&info.params);
        let params: Vec<_> = params
            .map(|(param, local)| format!("{}: {}", ast.text(param.name.sym), show(local.ty)))
            .collect();
        let name = decl.name.map_or("", |name| ast.text(name.sym));
        let head = format!("fun {name}({})", params.join(", "));
        if info.ret == Types::NULL { head } else { format!("{head}: {}", show(info.ret)) }
    }

    /// The type of an expression.
    pub(crate) fn ty(&self, expr: ExprId) -> Ty {
        self.expr_types[expr.index()]
    }

    /// The meaning of the name in an expression.
    pub(crate) fn use_of(&self, expr: ExprId) -> Use {
        self.uses[expr.index()]
    }
}
