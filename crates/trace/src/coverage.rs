//! Coverage: the parts of a program, and whether executions have reached them.

use dally_text::source::Span;
use serde::Serialize;

/// A part of a program that executions may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageItem {
    /// Its kind.
    pub kind: ItemKind,
    /// Its place in the text; [`Span::NONE`] if it has none.
    pub span: Span,
    /// Its name. Of a statement, the procedure that it belongs to; of a branch, the outcome.
    pub name: String,
    /// True if an execution has reached it.
    pub reached: bool,
}

/// The kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// A procedure or function.
    Procedure,
    /// A statement.
    Statement,
    /// One outcome of a condition, or one option of a choice.
    Branch,
    /// An event, which is reached if it is sent, raised or announced.
    Event,
    /// A state of a state machine.
    State,
    /// The reaction of a state to an event.
    Handler,
    /// A change from one state to another.
    Transition,
}

impl ItemKind {
    /// All kinds.
    pub const ALL: [ItemKind; 7] = [
        ItemKind::Procedure,
        ItemKind::Statement,
        ItemKind::Branch,
        ItemKind::Event,
        ItemKind::State,
        ItemKind::Handler,
        ItemKind::Transition,
    ];

    /// The word for one of them.
    pub fn word(self) -> &'static str {
        match self {
            Self::Procedure => "procedure",
            Self::Statement => "statement",
            Self::Branch => "branch",
            Self::Event => "event",
            Self::State => "state",
            Self::Handler => "handler",
            Self::Transition => "transition",
        }
    }

    /// The word for several of them.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Procedure => "procedures",
            Self::Statement => "statements",
            Self::Branch => "branches",
            Self::Event => "events",
            Self::State => "states",
            Self::Handler => "handlers",
            Self::Transition => "transitions",
        }
    }
}
