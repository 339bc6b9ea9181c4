//! The instructions of compiled programs. Each P machine executes them on its own stack of values.
//!
//! The stack holds all intermediate results, so a function can stop at any instruction and resume later.

use dally_step::dead::Dead;
use dally_text::source::Span;

use crate::ast::Binary;
use crate::check::info::{EventId, EventSet};
use crate::check::types::Ty;
use crate::value::Value;

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// Pushes a constant.
    Const(u32),
    /// Pushes a variable of the function.
    Local(u32),
    /// Pushes a variable of the machine.
    Field(u32),
    /// Pops into a variable of the function.
    SetLocal(u32),
    /// Pops into a variable of the machine.
    SetField(u32),
    /// Changes a part of a variable: pops the operands of the change, then the indices of the path.
    Update(u32, Change),
    Pop,
    Jump(u32),
    /// Pops a text, which a trace shows.
    Print,
    /// [`Format`](Op::Format) and [`Print`](Op::Print): the text is made only for a trace.
    PrintFormat(u32, u32),
    /// Pops a condition.
    JumpIfNot(u32),
    /// Jumps if the top equals the flag; otherwise pops it.
    JumpIf(bool, u32),
    Neg,
    Not,
    Binary(Binary),
    /// A field of a tuple.
    Item(u32),
    /// An element of a collection.
    Index,
    Keys,
    Values,
    Sizeof,
    /// Pops this many values, and pushes a tuple of them with these field names.
    Tuple(u32, u32),
    /// Fails if the top does not have this shape.
    Cast(u32),
    /// Fails if this variable, which holds the payload of an event, does not have this shape.
    Takes(u32, u32),
    ToInt,
    ToFloat,
    /// Fails if the reference on the top lacks a permission of the view; otherwise restricts it to the
    /// view.
    View(u32),
    /// Pops the upper bound or the collection to choose from.
    Choose,
    Nondet,
    /// A fair nondeterministic choice of a boolean.
    FairNondet,
    /// Pops this many values, and pushes the text of this constant with the values in its placeholders.
    Format(u32, u32),
    This,
    Call(u32),
    /// Pops the result, and returns it.
    Return,
    /// A scheduling point.
    Yield,
    /// Pops the payload of the constructor, and pushes the new machine.
    New(u32),
    /// With a machine, an event and its payload on the stack: announces the event to monitors, then reaches
    /// a scheduling point.
    Send,
    /// Pops the operands left by `Send`, and enqueues the event.
    Enqueue,
    Announce,
    Raise,
    /// Pops the payload of the entry function.
    Goto(u32),
    Receive(u32),
    /// Marks an assertion among [`Code::sites`] as reached.
    Reach(u32),
    /// Pops the message of a failed assertion, and fails.
    Fail,
    /// The body of a foreign function without a stub, or an expression of P's verifier: cannot be executed.
    Foreign(u32),
    /// Forbids delays from here on, or allows them again.
    Seal(bool),
    Assume(Option<u32>),
    /// Pushes the next element of the collection in this variable, with the counter in the following
    /// variable; jumps if none is left.
    Foreach(u32, u32),
    /// With an event and its payload on the stack: fails if the payload is not of the event's type.
    Conform,
}

/// The kind of a change to a part of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Set,
    Insert,
    Add,
    Remove,
}

/// The runtime description of a type. Parts are indices into [`Code::shapes`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Any,
    Bool,
    Int,
    Float,
    Str,
    Event,
    Machine,
    /// With the list of its field names.
    Tuple(u32, Vec<u32>),
    Seq(u32),
    Set(u32),
    Map(u32, u32),
}

/// A variable and the path to a part of it.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// True for a variable of the machine, false for one of the function.
    pub(crate) field: bool,
    pub(crate) variable: u32,
    pub(crate) steps: Vec<PathStep>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum PathStep {
    Item(u32),
    /// The index is on the stack.
    Index,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) entry: u32,
    /// The end of its code.
    pub(crate) end: u32,
    pub(crate) params: u32,
    /// The initial values of the variables that are not parameters.
    pub(crate) defaults: Vec<Value>,
    /// Names and types of the variables; those introduced by the compiler have no name.
    pub(crate) variables: Vec<(String, Ty)>,
}

/// A statement whose executions are marked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Site {
    /// An assertion that executions are expected to reach: one other than `assert false`.
    Assertion(Span),
    /// An assumption. `assume false` in a branch has no site: it marks a branch that is not of interest.
    Assumption(Span),
}

/// Code that is not P's.
#[derive(Clone, Debug)]
pub(crate) enum Foreign {
    /// A foreign function without a stub.
    Function {
        name: String,
        /// The text of a stub: of the function, and of the foreign types that it mentions.
        stub: String,
    },
    /// An expression of P's verifier.
    Expression,
}

/// The action of a state on an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    Unhandled,
    Defer,
    Ignore,
    Do(u32),
    Goto(u32, Option<u32>),
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) hot: bool,
    pub(crate) cold: bool,
    pub(crate) entry: Option<u32>,
    pub(crate) exit: Option<u32>,
    /// By event.
    pub(crate) actions: Vec<Action>,
    /// The places of the handlers of events in the text.
    pub(crate) handlers: Vec<(EventId, Span)>,
}

#[derive(Clone, Debug)]
pub(crate) struct MachineCode {
    pub(crate) name: String,
    pub(crate) states: Vec<State>,
    pub(crate) start: u32,
    /// The initial values of the variables, their names and types.
    pub(crate) fields: Vec<Value>,
    pub(crate) variables: Vec<(String, Ty)>,
}

/// A machine behind an interface.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) machine: u32,
    /// The permissions of a reference to it: as `new` returns it, and as `this`.
    pub(crate) view: u32,
    pub(crate) own_view: u32,
    pub(crate) sends: EventSet,
    /// By interface: the machine that `new` creates.
    pub(crate) links: Vec<u32>,
    /// By event: the monitors that see it.
    pub(crate) monitors: Vec<Vec<u32>>,
}

/// The cases of a `receive`.
#[derive(Clone, Debug)]
pub(crate) struct Cases {
    /// By event: the address of its case.
    pub(crate) targets: Vec<Option<u32>>,
}

/// An event.
#[derive(Clone, Debug)]
pub(crate) struct EventCode {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The type of the payload, and its default.
    pub(crate) payload: Ty,
    pub(crate) default: Value,
}

/// A compiled test.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    /// The statement of each instruction.
    pub(crate) spans: Vec<Span>,
    /// The dead variables of functions, at each address where a call resumes.
    pub(crate) dead: Dead,
    pub(crate) constants: Vec<Value>,
    /// The statements whose executions are marked, for warnings that a verdict is vacuous.
    pub(crate) sites: Vec<Site>,
    pub(crate) paths: Vec<Path>,
    pub(crate) functions: Vec<Function>,
    /// True if the program has seals. Steps then do not commute: a seal is about all tasks.
    pub(crate) has_seals: bool,
    /// The operands of [`Op::Foreign`].
    pub(crate) foreign: Vec<Foreign>,
    pub(crate) machines: Vec<MachineCode>,
    pub(crate) kinds: Vec<Kind>,
    /// The kind of the main machine.
    pub(crate) main: u32,
    /// The machines that are monitors; the flag marks those that only report coverage.
    pub(crate) monitors: Vec<(u32, bool)>,
    /// The monitors with hot states, which they must leave again and again.
    pub(crate) liveness: Vec<u32>,
    pub(crate) cases: Vec<Cases>,
    pub(crate) views: Vec<EventSet>,
    /// The names of the fields of tuples; the first list is empty.
    pub(crate) names: Vec<Vec<String>>,
    /// Shapes, with the text of the type.
    pub(crate) shapes: Vec<(Shape, String)>,
    /// The events.
    pub(crate) events: Vec<EventCode>,
    /// By event: the shape of the payload.
    pub(crate) event_shapes: Vec<u32>,
}

impl Code {
    pub(crate) fn action(&self, machine: u32, state: u32, event: EventId) -> Action {
        self.machines[machine as usize].states[state as usize].actions[event as usize]
    }
}
