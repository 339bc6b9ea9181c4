//! A path through the program, as data: what the model of a bug says, in the order of execution.
//!
//! A path has all that is needed to run the program again without a solver: the values of globals in the beginning, of
//! constants, and of functions where they are used; of variables where they get arbitrary values; and which way is
//! taken at each choice. Of a sequentialised program, the tags say where each piece belongs in the original order.

use dally_bpl::ast::{Stmt, StmtId};
use dally_bpl::check::{FunctionId, VarId};
use dally_text::source::Span;
use dally_text::symbol::Sym;

use crate::value::ModelValue;

/// An execution that ends with a failure.
#[derive(Clone, Debug)]
pub struct Path {
    /// The globals in the beginning.
    pub globals: Vec<Binding>,
    /// The constants that are used.
    pub constants: Vec<Binding>,
    /// Functions without a body (or whose body calls itself), where they are used.
    pub functions: Vec<Application>,
    /// Values that matter to quantifiers: for which the body of a `forall` does not hold, if there is one, and for which that of
    /// an `exists` does.
    pub witnesses: Vec<Binding>,
    /// What comes out where something is divided by zero.
    pub divisions: Vec<Division>,
    /// What is executed.
    pub steps: Vec<Step>,
    /// What does not hold in the end.
    pub failure: Failed,
    /// Whether the solver has checked all axioms. It may not be able to, where they have quantifiers: then there may be no
    /// such execution.
    pub certain: bool,
    /// Axioms about what is used that the solver has not been asked about, or cannot check: they could forbid the execution.
    pub left_out: Vec<Span>,
    /// Whether with those there is no such execution: they forbid it, or contradict each other where no trigger lets them.
    pub forbidden: bool,
}

/// What does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// What it is: an assertion, a postcondition, …
    pub message: &'static str,
    /// Where.
    pub span: Span,
}

/// A function at one point.
#[derive(Clone, Debug)]
pub struct Application {
    /// The function.
    pub function: FunctionId,
    /// The arguments.
    pub args: Vec<ModelValue>,
    /// The result.
    pub value: ModelValue,
}

/// A division by zero, which has some value.
#[derive(Clone, Debug)]
pub struct Division {
    /// Whether it is the remainder that is asked for.
    pub remainder: bool,
    /// What is divided.
    pub dividend: ModelValue,
    /// What comes out.
    pub value: ModelValue,
}

/// A step of a path.
#[derive(Clone, Debug)]
pub struct Step {
    /// The activation of a procedure that makes it: they are numbered as they begin. Iterations of a loop are no
    /// activations of their own.
    pub activation: usize,
    /// What happens.
    pub kind: StepKind,
    /// The construct of the program that is executed.
    pub site: Site,
    /// Its place in the text; statements that a translation has added have none.
    pub span: Span,
}

/// The construct of the program that a step executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Site {
    /// A statement without an identity, or a step that is no statement.
    Added,
    /// A statement.
    Statement(StmtId),
    /// The effect of a procedure without a body.
    Effect(Sym),
}

impl Site {
    pub(crate) fn of(stmt: &Stmt) -> Site {
        stmt.id.map_or(Site::Added, Site::Statement)
    }
}

/// A variable and its value.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The variable.
    pub var: VarId,
    /// Its value in the model.
    pub value: ModelValue,
}

/// What happens in a step.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// A procedure begins, with what its parameters, results and local variables are.
    Enter {
        /// Its name.
        procedure: Sym,
        /// The variables, parameters first.
        variables: Vec<Binding>,
    },
    /// It ends.
    Leave,
    /// A statement that needs nothing from the model.
    Statement,
    /// Variables get arbitrary values.
    Havoc(Vec<Binding>),
    /// One of several ways is taken, at a `goto`, an `if (*)` or a `while (*)`: which, counted from 0.
    Choice(usize),
    /// A condition is tested, of an `if` or a `while`: whether it holds. A translation makes one of each assertion, at the
    /// same place of the text: there, it holds if the assertion fails.
    Branch(bool),
    /// A tag of a sequentialised program.
    Tag {
        /// `begins`, `pauses`, `resumes` or `ends`.
        name: String,
        /// The procedure of a task that begins.
        procedure: Option<String>,
        /// Where the piece belongs.
        place: Vec<ModelValue>,
    },
}
