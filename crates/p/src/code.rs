//! The instructions that programs are compiled to: a machine with a stack of values for each machine of P.
//!
//! Whatever a function is in the middle of is on its stack, so that it can stop anywhere and go on later.

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
    /// Changes a part of a variable: pops what is needed, and the indices of the path.
    Update(u32, Change),
    Pop,
    Jump(u32),
    /// Pops a condition.
    JumpIfNot(u32),
    /// Jumps if the top is so, and pops it if not.
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
    /// Pops so many values, and pushes their tuple with these names.
    Tuple(u32, u32),
    /// Fails if the top does not have this shape.
    Cast(u32),
    /// Fails if this variable, which has what an event carries, does not have this shape.
    Takes(u32, u32),
    ToInt,
    ToFloat,
    /// Fails unless the machine may be sent all that the view says; from now on it may be sent no more.
    View(u32),
    /// Pops what there is to choose from.
    Choose,
    Nondet,
    /// Likewise, and it is fair.
    FairNondet,
    /// Pops so many values, and pushes the text of this constant with these in its places.
    Format(u32, u32),
    This,
    Call(u32),
    /// Pops the result, and returns it.
    Return,
    /// Others may run here.
    Yield,
    /// Pops what the constructor takes, and pushes the new machine.
    New(u32),
    /// With a machine, an event and what it carries on the stack: monitors see it, then others may run.
    Send,
    /// Pops what was left by `Send`, and puts the event into the queue.
    Enqueue,
    Announce,
    Raise,
    /// Pops what the entry takes.
    Goto(u32),
    Receive(u32),
    /// An assertion does not hold: pops its message.
    Fail,
    Assume,
    /// Pushes the next element of the collection in this variable, counting in the next one; or jumps.
    Foreach(u32, u32),
    /// With an event and what it carries on the stack: fails if that is not of the event's type.
    Conform,
}

/// How a part of a variable changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Set,
    Insert,
    Add,
    Remove,
}

/// What values of a type look like, as far as it can be told when a program runs. Parts are shapes by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Any,
    Bool,
    Int,
    Float,
    Str,
    Event,
    Machine,
    /// With its names.
    Tuple(u32, Vec<u32>),
    Seq(u32),
    Set(u32),
    Map(u32, u32),
}

/// A variable and the way to a part of it.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// Of the machine, or of the function.
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
    /// Where its code ends.
    pub(crate) end: u32,
    pub(crate) params: u32,
    /// The values of the other variables at the beginning.
    pub(crate) defaults: Vec<Value>,
    /// Names and types of the variables; those of our own have no name.
    pub(crate) variables: Vec<(String, Ty)>,
}

/// What a state does about an event.
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
}

#[derive(Clone, Debug)]
pub(crate) struct MachineCode {
    pub(crate) name: String,
    pub(crate) states: Vec<State>,
    pub(crate) start: u32,
    /// The variables at the beginning, their names and types.
    pub(crate) fields: Vec<Value>,
    pub(crate) variables: Vec<(String, Ty)>,
}

/// A machine behind an interface.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) machine: u32,
    /// What those may send who hold a reference to it: when it is created, and when it names itself.
    pub(crate) view: u32,
    pub(crate) own_view: u32,
    pub(crate) sends: EventSet,
    /// By interface: what is created.
    pub(crate) links: Vec<u32>,
    /// By event: the monitors that see it.
    pub(crate) monitors: Vec<Vec<u32>>,
}

/// What a `receive` waits for.
#[derive(Clone, Debug)]
pub(crate) struct Cases {
    /// By event: where its case begins.
    pub(crate) targets: Vec<Option<u32>>,
}

/// A compiled test.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    /// The statement of each instruction.
    pub(crate) spans: Vec<Span>,
    /// The dead variables of functions, at each address where a call goes on.
    pub(crate) dead: Dead,
    pub(crate) constants: Vec<Value>,
    pub(crate) paths: Vec<Path>,
    pub(crate) functions: Vec<Function>,
    pub(crate) machines: Vec<MachineCode>,
    pub(crate) kinds: Vec<Kind>,
    /// The kind with which it begins.
    pub(crate) main: u32,
    /// The machines that are monitors, and whether they only tell what is covered.
    pub(crate) monitors: Vec<(u32, bool)>,
    /// Those of them that have hot states, and must not stay in them.
    pub(crate) liveness: Vec<u32>,
    pub(crate) cases: Vec<Cases>,
    pub(crate) views: Vec<EventSet>,
    /// The names of the fields of tuples; the first list is empty.
    pub(crate) names: Vec<Vec<String>>,
    /// With the text of the type.
    pub(crate) shapes: Vec<(Shape, String)>,
    /// Names, what events carry, and what they carry if nothing is said.
    pub(crate) events: Vec<(String, Ty, Value)>,
    /// The shapes of what they carry.
    pub(crate) event_shapes: Vec<u32>,
}

impl Code {
    pub(crate) fn action(&self, machine: u32, state: u32, event: EventId) -> Action {
        self.machines[machine as usize].states[state as usize].actions[event as usize]
    }
}
