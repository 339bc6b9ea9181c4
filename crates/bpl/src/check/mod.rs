//! Name resolution and type checking.
//!
//! [`check`] resolves every name and infers the type of every expression, as Boogie's resolver and type checker do,
//! and reports all errors. An ill-typed expression gets the type [`TyKind::Error`], which is compatible with every
//! type, so that one mistake is reported once.
//!
//! Deviations from Boogie:
//! 1. Asynchronous calls, `wait` and the type `task` are extensions (`asynchrony.rs`).
//! 2. `modifies` clauses are optional: `frame.rs` has the rule.
//! 3. A `uses` clause only groups axioms; nothing is pruned.
//! 4. Programs that predate Boogie's reals divide integers with `/`. In a program that mentions no reals and is
//!    ill-typed otherwise, `/` means `div`, with a warning.

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
pub use info::{
    BodyVars, Construction, ConstructorInfo, DatatypeInfo, FieldPosition, FunctionId, FunctionInfo, Info,
    ProcedureId, ProcedureInfo, Ref, VarId, VarInfo, VarKind,
};
pub use ty::{Ty, TyCon, TyConInfo, TyKind, Types};

use dally_text::code::Code;
use dally_text::diagnostic::{Diagnostic, Diagnostics, did_you_mean};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Ast, ExprId};

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
    checker.check_constraints();
    checker.check_frames();
    (checker.info, checker.diagnostics)
}

/// The number of states that an expression may refer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// No state: axioms and functions.
    None,
    /// One state: preconditions.
    One,
    /// Two states, the second by `old`: postconditions and bodies.
    Two,
}

/// The meaning of `/` on integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Division {
    /// The result is a real.
    Real,
    /// As `div`: in programs that predate reals.
    Old,
}

struct Checker<'a> {
    ast: &'a Ast,
    division: Division,
    info: Info,
    diagnostics: Diagnostics,
    /// The variable that a name denotes in the current scope, by symbol.
    var_of: Vec<Option<VarId>>,
    /// The outer meanings of shadowed names, restored when a scope ends.
    shadowed: Vec<scope::Shadowed<VarId>>,
    /// The current scope, the number of scopes so far, and the scope of each variable.
    scope: u32,
    scopes: u32,
    scope_of_var: Vec<u32>,
    /// The type that a name denotes.
    type_of_name: FxHashMap<Sym, types::TypeName>,
    type_vars: scope::TypeVars,
    function_names: FxHashMap<Sym, FunctionId>,
    unknowns: unify::Unknowns,
    /// Expressions and variables whose types still have unknown parts.
    pending_exprs: Vec<ExprId>,
    pending_vars: Vec<VarId>,
    /// A stack for the descent along leftmost operands.
    spine: Vec<ExprId>,
    state: State,
    /// The names that the current trigger mentions; none outside of triggers.
    trigger: Option<quantifier::Mentioned>,
    /// Procedures with a `modifies` clause.
    held_to_frame: FxHashSet<ProcedureId>,
    /// The effects of each body, for the frame conditions.
    effects: Vec<frame::Effects>,
    /// The body that is being checked.
    current: Option<body::Current>,
    uses_asynchrony: bool,
    /// Names in `{:extern}` declarations that another declaration overrides, with the declaration's index.
    overridden: FxHashSet<(usize, Sym)>,
    /// The assumption variables; true once assigned to.
    assumptions: FxHashMap<VarId, bool>,
    /// The ids given with `:id`, which must be distinct.
    ids: FxHashSet<Sym>,
    /// The attributes that were compared with those of dally: variables of one declaration share them.
    near_attrs: FxHashSet<Span>,
    /// The number of suggestions so far. The search for similar names is slow, so only the first errors get one.
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
            near_attrs: FxHashSet::default(),
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

    /// A suggestion among names of the same kind.
    fn suggest<I: Iterator<Item = Sym>>(
        &mut self,
        name: Sym,
        candidates: impl FnOnce(&Self) -> I,
    ) -> Option<String> {
        self.suggestions = self.suggestions.checked_sub(1)?;
        did_you_mean(self.text(name), candidates(self).map(|c| self.ast.text(c)))
    }

    /// Unifies two types; returns false if that is impossible.
    fn unify(&mut self, a: Ty, b: Ty) -> bool {
        a == b || self.unknowns.unify(&mut self.info.types, a, b)
    }

    /// Unifies `found` with `expected`, and reports a mismatch.
    fn expect_type(&mut self, code: Code, span: Span, found: Ty, expected: Ty, what: &str) {
        if self.unify(found, expected) {
            return;
        }
        let (found, expected) = (self.known(found), self.known(expected));
        let (found, expected) = (self.show(found), self.show(expected));
        let message = format!("{what} should be of type `{expected}`, but is of type `{found}`");
        let help = match (&found[..], &expected[..]) {
            ("real", "int") => Some("use `div` to divide integers, or `int(e)` to round down".to_owned()),
            ("int", "real") => Some("convert with `real(e)`".to_owned()),
            _ => None,
        };
        self.error(Diagnostic::new(code, span, message).label(format!("`{found}`")).maybe_help(help));
    }

    /// The type with all solved unknowns replaced.
    fn known(&mut self, ty: Ty) -> Ty {
        self.unknowns.deep(&mut self.info.types, ty)
    }

    /// Ends the inference of an expression. Unsolved types cannot matter, and become `int`.
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

    /// Checks a complete expression that must have the type `expected`.
    fn whole(&mut self, expr: ExprId, expected: Ty, code: Code, what: &str) {
        let ty = self.expr(expr);
        self.expect_type(code, self.span(expr), ty, expected, what);
        self.finish();
    }

    /// Checks a condition.
    fn condition(&mut self, expr: ExprId, what: &str) {
        self.whole(expr, Ty::BOOL, Code::NOT_BOOL, what);
    }

    /// Runs `f` in a context where expressions may refer to these states.
    fn in_state<R>(&mut self, state: State, f: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.state, state);
        let result = f(self);
        self.state = outer;
        result
    }
}
