//! Where the parts of a translated program come from.
//!
//! Passes record what they derive as they do so: names in [`Ast::derived`](dally_bpl::ast::Ast), statements by the
//! [`StmtId`] that copies keep. A counterexample is taken back to the source by these, never by the text of a name.

use dally_bpl::Program;
use dally_bpl::ast::{Ast, Derivation, Role, StmtId};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

/// From the variables, procedures and statements of a translated program to those of its source.
///
/// Names of the source are the same [`Sym`] in both programs.
#[derive(Clone, Debug)]
pub struct Origins {
    derived: FxHashMap<Sym, Derivation>,
    /// The number of names in the source: names with a higher index are those of the translation.
    names: usize,
    /// The places of the statements of the source.
    statements: Vec<Span>,
    lowered: Lowered,
}

/// Statements that passes have made of constructs that are not statements, or of assertions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lowered {
    effects: FxHashMap<StmtId, Sym>,
    checks: FxHashMap<StmtId, Check>,
}

impl Lowered {
    /// Notes that a statement is the effect of a procedure without a body.
    pub(crate) fn effect(&mut self, stmt: StmtId, procedure: Sym) {
        self.effects.insert(stmt, procedure);
    }

    /// Notes that a statement checks a condition; what is known of it already stays.
    pub(crate) fn check(&mut self, stmt: StmtId, check: Check) {
        self.checks.entry(stmt).or_insert(check);
    }
}

/// A condition that the source checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// The message if the check fails.
    pub message: &'static str,
    /// Its place in the source.
    pub span: Span,
}

/// The source of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A statement, at this place.
    Statement(Span),
    /// The effect of a procedure without a body.
    Effect(Sym),
}

/// The source of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// The procedure of the source.
    pub name: Sym,
    /// True for the inner one of the two procedures that a procedure with a contract becomes: it runs as part of the outer
    /// one.
    pub inner: bool,
}

impl Origins {
    /// The origins of a program that has not been translated: each part is its own source.
    pub fn identity(program: &Program) -> Origins {
        Origins::new(&program.ast, FxHashMap::default(), Lowered::default())
    }

    pub(crate) fn new(source: &Ast, derived: FxHashMap<Sym, Derivation>, lowered: Lowered) -> Origins {
        Origins { derived, names: source.symbols.len(), statements: source.stmt_spans().to_vec(), lowered }
    }

    /// The variable of the source whose values a variable holds; none for a variable that a translation has added.
    pub fn variable(&self, name: Sym) -> Option<Sym> {
        self.follow(name, |role| role == Role::Copy)
    }

    /// The procedure of the source whose statements a procedure runs; none for a procedure that a translation has added.
    pub fn procedure(&self, name: Sym) -> Option<Procedure> {
        let mut inner = false;
        let name = self.follow(name, |role| {
            inner |= role == Role::Body;
            matches!(role, Role::Version | Role::Body)
        })?;
        Some(Procedure { name, inner })
    }

    /// The source of a statement; none for a statement that a translation has added.
    pub fn statement(&self, stmt: StmtId) -> Option<Source> {
        let effect = self.lowered.effects.get(&stmt).copied().map(Source::Effect);
        effect.or_else(|| self.statements.get(stmt.index()).copied().map(Source::Statement))
    }

    /// The condition of the source that a statement checks, if it does: a translation makes a conditional of each, whose
    /// guard holds if the check fails.
    pub fn check(&self, stmt: StmtId) -> Option<Check> {
        self.lowered.checks.get(&stmt).copied()
    }

    /// The name of the source at the end of a chain of derivations of these roles.
    fn follow(&self, mut name: Sym, mut allowed: impl FnMut(Role) -> bool) -> Option<Sym> {
        while let Some(derivation) = self.derived.get(&name) {
            if !allowed(derivation.role) {
                return None;
            }
            name = derivation.from;
        }
        (name.index() < self.names).then_some(name)
    }
}
