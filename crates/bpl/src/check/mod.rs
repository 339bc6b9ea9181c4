//! Names and types.
//!
//! [`check`] resolves every name and gives every expression its type, as Boogie's own resolver and type
//! checker do, and reports all errors. An expression that is wrong gets the type [`TyKind::Error`], which
//! fits everything, so that one mistake is reported once.
//!
//! Deviations from Boogie:
//! 1. Asynchronous calls, `wait` and the type `task` are ours (`asynchrony.rs`).
//! 2. `modifies` clauses may be left out: `frame.rs` has the rule.
//! 3. A `uses` clause only groups axioms; nothing is pruned.
//! 4. A program from the time before Boogie had reals, in which `/` divides integers, is read as it was then,
//!    with a warning: one that speaks of no reals, and has type errors unless it is read so.

mod asynchrony;
mod attr;
mod body;
mod call;
mod collect;
mod components;
mod datatype;
mod expr;
mod frame;
mod frame_set;
mod info;
mod labels;
mod operator;
mod quantifier;
mod scope;
mod spec;
mod stmt;
mod ty;
mod types;
mod unify;

pub use components::components;
pub use frame_set::Frame;
pub use info::*;
pub use ty::{Ty, TyCon, TyConInfo, TyKind, Types};

use dally_text::code::Code;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Ast, ExprId};
use dally_text::diagnostic::{Diagnostic, Diagnostics, did_you_mean};
use dally_text::source::Span;
use dally_text::symbol::Sym;

/// Resolves names and checks types.
pub fn check(ast: &Ast) -> (Info, Diagnostics) {
    let (info, diagnostics) = check_with(ast, Division::Real);
    if !diagnostics.is_empty() && operator::may_predate_reals(ast) {
        let (info, old) = check_with(ast, Division::Old);
        if old.are_warnings() {
            return (info, old);
        }
    }
    (info, diagnostics)
}

fn check_with(ast: &Ast, division: Division) -> (Info, Diagnostics) {
    let mut checker = Checker::new(ast, division);
    checker.collect_extern();
    checker.collect_types();
    checker.collect_names();
    checker.check_datatypes();
    checker.check_decls();
    checker.check_frames();
    (checker.info, checker.diagnostics)
}

/// Which states an expression may speak of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// None: axioms and functions.
    None,
    /// One: preconditions.
    One,
    /// Two: postconditions and bodies, where `old` makes sense.
    Two,
}

/// What `/` of integers is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Division {
    /// A real.
    Real,
    /// An integer, as `div`: so it was before there were reals.
    Old,
}

struct Checker<'a> {
    ast: &'a Ast,
    division: Division,
    info: Info,
    diagnostics: Diagnostics,
    /// The variable that a name means here, by symbol.
    var_of: Vec<Option<VarId>>,
    /// What names meant outside, to be restored when a scope ends.
    shadowed: Vec<(Sym, Option<VarId>)>,
    /// The number of the current scope, how many there have been, and the scope of each variable.
    scope: u32,
    scopes: u32,
    scope_of_var: Vec<u32>,
    /// The type that a name means, by symbol.
    type_of_name: FxHashMap<Sym, types::TypeName>,
    type_vars: scope::TypeVars,
    function_names: FxHashMap<Sym, FunctionId>,
    unknowns: unify::Unknowns,
    /// Expressions and variables whose types still have unknown parts.
    pending_exprs: Vec<ExprId>,
    pending_vars: Vec<VarId>,
    /// Expressions on the way down the left side.
    spine: Vec<ExprId>,
    state: State,
    /// While a trigger is checked: what it mentions.
    trigger: Option<quantifier::Mentioned>,
    /// Procedures with a `modifies` clause.
    held_to_frame: FxHashSet<ProcedureId>,
    /// What each body assigns to and calls, for the frame conditions.
    effects: Vec<frame::Effects>,
    /// The body that is being checked.
    current: Option<body::Current>,
    uses_asynchrony: bool,
    /// Names declared with `{:extern}` that another declaration stands in for, with the index of theirs.
    overridden: FxHashSet<(usize, Sym)>,
    /// The assumption variables, and whether they have been assigned to.
    assumptions: FxHashMap<VarId, bool>,
    /// Ids given with `:id`, each once.
    ids: FxHashSet<Sym>,
    /// Looking for similar names costs time: only the first errors are worth it.
    suggestions: u32,
}

impl<'a> Checker<'a> {
    fn new(ast: &'a Ast, division: Division) -> Self {
        let info = Info {
            expr_types: vec![Ty::ERROR; ast.exprs.len()],
            expr_refs: vec![None; ast.exprs.len()],
            ..Info::default()
        };
        Checker {
            ast,
            division,
            info,
            diagnostics: Diagnostics::default(),
            var_of: vec![None; ast.symbols.len()],
            shadowed: Vec::new(),
            scope: 0,
            scopes: 0,
            scope_of_var: Vec::new(),
            type_of_name: FxHashMap::default(),
            type_vars: scope::TypeVars::default(),
            function_names: FxHashMap::default(),
            unknowns: unify::Unknowns::default(),
            pending_exprs: Vec::new(),
            pending_vars: Vec::new(),
            spine: Vec::new(),
            state: State::None,
            trigger: None,
            held_to_frame: FxHashSet::default(),
            effects: Vec::new(),
            current: None,
            uses_asynchrony: false,
            overridden: FxHashSet::default(),
            assumptions: FxHashMap::default(),
            ids: FxHashSet::default(),
            suggestions: 20,
        }
    }

    fn text(&self, name: Sym) -> &'a str {
        self.ast.text(name)
    }

    fn show(&self, ty: Ty) -> String {
        self.info.types.display(self.ast, ty)
    }

    fn span(&self, expr: ExprId) -> Span {
        self.ast.exprs.span(expr)
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.error(Diagnostic::new(code, span, message));
    }

    fn report_duplicate(&mut self, what: &str, name: Sym, span: Span, first: Option<Span>) {
        let mut diagnostic =
            Diagnostic::new(Code::DUPLICATE, span, format!("{what} `{}` is declared twice", self.text(name)));
        if let Some(first) = first.filter(|s| *s != Span::NONE) {
            diagnostic = diagnostic.with(first, "first declared here");
        }
        self.error(diagnostic);
    }

    /// "did you mean", from names of the same kind.
    fn suggest<I: Iterator<Item = Sym>>(
        &mut self,
        name: Sym,
        candidates: impl FnOnce(&Self) -> I,
    ) -> Option<String> {
        self.suggestions = self.suggestions.checked_sub(1)?;
        did_you_mean(self.text(name), candidates(self).map(|c| self.ast.text(c)))
    }

    /// Makes the type of an expression equal to what it should be.
    fn unify(&mut self, a: Ty, b: Ty) -> bool {
        a == b || self.unknowns.unify(&mut self.info.types, a, b)
    }

    /// Reports `found` where `expected` should be, unless they can be made equal.
    fn expect_type(&mut self, code: Code, span: Span, found: Ty, expected: Ty, what: &str) {
        if self.unify(found, expected) {
            return;
        }
        let (found, expected) = (self.known(found), self.known(expected));
        let (found, expected) = (self.show(found), self.show(expected));
        let message = format!("{what} should be of type `{expected}`, but is of type `{found}`");
        let help = match (&found[..], &expected[..]) {
            ("real", "int") => Some("`/` divides reals, and `div` integers; `int(e)` rounds down".to_owned()),
            ("int", "real") => Some("`real(e)` makes a real of an integer".to_owned()),
            _ => None,
        };
        self.error(Diagnostic::new(code, span, message).label(format!("`{found}`")).maybe_help(help));
    }

    /// The type with what has been found out about it.
    fn known(&mut self, ty: Ty) -> Ty {
        self.unknowns.deep(&mut self.info.types, ty)
    }

    /// Ends an expression: what is still unknown about its types does not matter, and becomes `int`.
    fn finish(&mut self) {
        let mut resolution = unify::Resolution::or(Ty::INT);
        for e in std::mem::take(&mut self.pending_exprs) {
            let ty = &mut self.info.expr_types[e.index()];
            *ty = resolution.resolve(&self.unknowns, &mut self.info.types, *ty);
        }
        for v in std::mem::take(&mut self.pending_vars) {
            let ty = &mut self.info.vars[v.index()].ty;
            *ty = resolution.resolve(&self.unknowns, &mut self.info.types, *ty);
        }
        self.unknowns.clear();
    }

    /// Checks an expression that must be of this type, as a whole.
    fn whole(&mut self, expr: ExprId, expected: Ty, code: Code, what: &str) {
        let ty = self.expr(expr);
        self.expect_type(code, self.span(expr), ty, expected, what);
        self.finish();
    }

    /// Checks a condition.
    fn condition(&mut self, expr: ExprId, what: &str) {
        self.whole(expr, Ty::BOOL, Code::NOT_BOOL, what);
    }

    /// Runs `f` where expressions may speak of these states.
    fn in_state<R>(&mut self, state: State, f: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.state, state);
        let result = f(self);
        self.state = outer;
        result
    }
}
