//! Rules: a user's order of tasks, written over the names of a program.
//!
//! [TR15 §2] lets testers write *domain-specific* schedulers, whose state changes "in response to specific events that
//! occur during execution". Here such a scheduler is a list of rules around any other scheduler, the base:
//!
//! ```
//! use dally_schedule::rules::RuleSet;
//!
//! let rules: RuleSet = "Coordinator before Participant, Timer last; after eTimeout run Leader first".parse()?;
//! assert_eq!(rules.list().len(), 3);
//! # Ok::<(), dally_schedule::rules::RuleError>(())
//! ```
//!
//! `parse.rs` reads them, [`check`](RuleSet::check) compares their names with those of a program, `order.rs` prepares them
//! for it, and [`Ruled`] is the scheduler. `docs/schedulers.md` has the syntax.

mod check;
mod error;
mod order;
mod parse;
mod predicate;
mod print;
mod scheduler;
mod token;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

pub use error::RuleError;
pub use scheduler::Ruled;

/// A list of rules without contradictions. It prints as text that reads back as the same rules.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// As they print.
    text: Arc<str>,
    list: Arc<[Rule]>,
}

/// A rule, with its place in the text that it was read from.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its place in the text, in bytes.
    pub span: Range<usize>,
    /// Its meaning.
    pub kind: RuleKind,
}

/// A name in a rule.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place in the text, in bytes.
    pub span: Range<usize>,
}

/// The kinds of rules.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the fields are the parts of the sentence that the variant documents")]
pub enum RuleKind {
    /// `A before B and C before D`: tasks of an earlier group run before those of a later one.
    Before(Vec<Vec<Name>>),
    /// `A first`, `A last`: before all tasks, or after all tasks, of which the rules do not say so.
    Extreme { names: Vec<Name>, first: bool },
    /// `after eTimeout run Leader first`: reacts to what happened.
    After { trigger: Trigger, run: Target, first: bool },
    /// `Node that receives eToken runs until it sends`: the task runs before all others.
    Until { who: Whom, event: Name, until: Until },
    /// `keep A and B together`: once one of them runs, they all run before the others.
    Together(Vec<Name>),
    /// `never delay A while p`: a seal.
    Never { whom: Whom, condition: Option<Predicate> },
    /// `delay only A and B`: a seal of all other tasks.
    Only(Vec<Name>),
    /// `delay of A costs 3`.
    Cost { whom: Whom, cost: u32 },
}

/// The tasks that a rule is about.
#[derive(Clone, Debug)]
pub enum Whom {
    /// All tasks.
    Any,
    /// The tasks of these names.
    Named(Vec<Name>),
}

/// The event to which a rule reacts.
#[derive(Clone, Debug)]
pub enum Trigger {
    /// An event is sent.
    Sent(Name),
    /// An event is taken from the queue.
    Received(Name),
    /// A task is created.
    Created(Name),
    /// A task completes.
    Completed(Name),
    /// A task waits.
    Blocked(Name),
    /// A task stops at a place: a state of a machine, or a procedure.
    Entered(Name, Name),
}

/// The tasks that a reaction moves.
#[derive(Clone, Debug)]
pub enum Target {
    /// The tasks of this name.
    Named(Name),
    /// The task whose step it reacts to.
    It,
    /// The receiver of the event, or the created task.
    Receiver,
}

/// When a task has run long enough.
#[derive(Clone, Debug)]
pub enum Until {
    /// It sends this event, or any.
    Sends(Option<Name>),
    /// It takes this event from its queue, or any.
    Receives(Option<Name>),
    /// It waits.
    Blocks,
    /// It completes.
    Completes,
    /// It stops at this place.
    Enters(Name),
}

/// A condition on a state.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// `A in S`: a task of this name has stopped at this place; or the monitor, or variable, has this value.
    In(Name, Name),
    /// `x`, `x == 3`, `x != true`: the value of a variable.
    Variable(Name, Comparison, Literal),
    /// `queue A > 2`: the number of events that wait for a task of this name.
    Queue(Name, Comparison, i64),
    /// `not p`
    Not(Box<Predicate>),
    /// `p and q`
    And(Box<Predicate>, Box<Predicate>),
    /// `p or q`
    Or(Box<Predicate>, Box<Predicate>),
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A value in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Literal {
    Bool(bool),
    Int(i64),
    Text(String),
}

impl RuleSet {
    fn new(list: Vec<Rule>) -> Self {
        let words: Vec<String> = list.iter().map(|rule| rule.kind.to_string()).collect();
        RuleSet { text: words.join("; ").into(), list: list.into() }
    }

    /// The rules.
    pub fn list(&self) -> &[Rule] {
        &self.list
    }

    /// True if rules of this list forbid delays: what a search covers is then modulo seals.
    pub fn has_seals(&self) -> bool {
        self.list.iter().any(|rule| matches!(rule.kind, RuleKind::Never { .. } | RuleKind::Only(_)))
    }
}

impl FromStr for RuleSet {
    type Err = RuleError;

    /// Reads rules, and reports the first error.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        parse::rules(text).map_err(|errors| errors.into_iter().next().unwrap_or_default())
    }
}

impl RuleSet {
    /// Reads rules, and reports all errors, contradictions between rules included.
    pub fn parse(text: &str) -> Result<Self, Vec<RuleError>> {
        parse::rules(text)
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for RuleSet {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for RuleSet {}

impl Hash for RuleSet {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.text.hash(hasher);
    }
}
