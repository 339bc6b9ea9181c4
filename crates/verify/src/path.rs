//! A path through the program, as data: an execution as a model describes it.
//!
//! A path contains all that is needed to run the program again without a solver: the initial values of globals, the values of
//! constants, of functions at the points where they are applied, and of variables where they become arbitrary; and the outcome
//! of each nondeterministic choice. In a sequentialised program, tags say where each piece belongs in the original order.

use dally_bpl::ast::{Stmt, StmtId};
use dally_bpl::check::{FunctionId, VarId};
use dally_text::source::Span;
use dally_text::symbol::Sym;

use crate::value::ModelValue;

/// An execution that ends with a failure.
#[derive(Clone, Debug)]
pub struct Path {
    /// The initial values of globals.
    pub globals: Vec<Binding>,
    /// The constants in use.
    pub constants: Vec<Binding>,
    /// Functions without a body (or with a recursive one), at the points where they are applied.
    pub functions: Vec<Application>,
    /// Skolem constants of quantifiers: values for which the body of a `forall` fails, if it does, or that of an `exists` holds.
    pub witnesses: Vec<Binding>,
    /// The results of divisions by zero.
    pub divisions: Vec<Division>,
    /// The steps, in the order of execution.
    pub steps: Vec<PathElement>,
    /// The condition that fails in the end.
    pub failure: Failed,
    /// True if the solver has checked all axioms. It may not be able to check quantifiers: then there may be no such execution.
    pub certain: bool,
    /// True if an axiom matters to the symbols in use.
    pub uses_axioms: bool,
    /// Axioms about symbols in use that the solver has not seen or cannot check: they may exclude the execution.
    pub left_out: Vec<Span>,
    /// True if they do exclude it: with them the query is unsatisfiable.
    pub forbidden: bool,
}

/// A condition that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The kind of the condition: an assertion, a postcondition, …
    pub message: &'static str,
    /// Its place in the text.
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

/// A division by zero, whose result is arbitrary.
#[derive(Clone, Debug)]
pub struct Division {
    /// True for the remainder.
    pub remainder: bool,
    /// The dividend.
    pub dividend: ModelValue,
    /// The result.
    pub value: ModelValue,
}

/// A step of a path.
#[derive(Clone, Debug)]
pub struct PathElement {
    /// The activation of a procedure that makes it, numbered in the order of calls. Iterations of a loop belong to the activation of
    /// their procedure.
    pub activation: usize,
    /// The event.
    pub kind: StepKind,
    /// The construct of the program that is executed.
    pub site: Site,
    /// Its place in the text; statements that a translation has added have none.
    pub span: Span,
}

/// The construct of the program that a step executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Site {
    /// No statement, or a statement without an identity.
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

/// The event of a step.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// A procedure is called; its parameters, results and local variables have these values.
    Enter {
        /// Its name.
        procedure: Sym,
        /// The variables, parameters first.
        variables: Vec<Binding>,
    },
    /// A procedure returns.
    Leave,
    /// A statement that needs no value from the model.
    Statement,
    /// Variables become arbitrary.
    Havoc(Vec<Binding>),
    /// A nondeterministic choice at a `goto`, an `if (*)` or a `while (*)`: the index of its outcome.
    Choice(usize),
    /// The value of the guard of an `if` or a `while`. A translation makes a conditional of each assertion, whose guard holds if the
    /// assertion fails.
    Branch(bool),
    /// A tag of a sequentialised program.
    Tag {
        /// `begins`, `pauses`, `resumes` or `ends`.
        name: String,
        /// The procedure of a task that begins.
        procedure: Option<String>,
        /// The position of the piece.
        place: Vec<ModelValue>,
    },
}
