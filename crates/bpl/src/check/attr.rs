//! Attributes: all arguments are checked as expressions, and those that dally interprets also for their form.

use dally_text::code::Code;
use dally_text::diagnostic::{self, Diagnostic};
use dally_text::source::Span;

use super::{Checker, State, TyKind, VarInfo, VarKind};
use crate::ast::{Attr, AttrArg, Attrs, ExprId};
use crate::codes;
use crate::preemption::{self, SUPPRESSING};

/// The attributes that dally interprets, and in which a misspelling is likely to be noticed too late.
const OURS: [&str; 18] = [
    "async",
    "atomic",
    "await",
    "buffer",
    "constraint",
    "daemon",
    "entrypoint",
    "hot",
    "level",
    "noyield",
    "nozield",
    "range",
    "seal",
    "thread_local",
    "unseal",
    "wait",
    "yield",
    "zield",
];

/// Attributes of other tools (Boogie, Civl, Corral, c2s) that are near one of dally's.
const OTHERS: [&str; 4] = ["yields", "asyncs", "layer", "levels"];

/// Returns true if the names differ by one slip, or two if they are long. In short names, one letter makes another word.
fn is_near(written: &str, ours: &str) -> bool {
    let allowed = match ours.len() {
        0..4 => return false,
        4..8 => 1,
        _ => 2,
    };
    written.len() <= 20
        && written.chars().next() == ours.chars().next()
        && written.len().abs_diff(ours.len()) <= allowed
        && diagnostic::distance(written, ours) <= allowed
}

impl Checker<'_> {
    /// Checks the arguments of attributes inside of an expression, as part of it.
    pub(super) fn attr_exprs(&mut self, attrs: &Attrs) {
        for attr in attrs {
            for arg in &attr.args {
                if let AttrArg::Expr(e) = arg {
                    self.expr(*e);
                }
            }
        }
    }

    /// Checks the arguments of attributes outside of expressions.
    pub(super) fn attrs(&mut self, attrs: &Attrs) {
        if attrs.is_empty() {
            return;
        }
        // Attributes may refer to the state in every context.
        let state = if self.state == State::None { State::One } else { self.state };
        self.in_state(state, |c| c.attr_exprs(attrs));
        for attr in attrs {
            self.known_attr(attr);
        }
        self.finish();
    }

    /// Warns if an attribute is nearly one of dally's, unless another tool is known to have it.
    fn near_attr(&mut self, attr: &Attr) {
        let name = self.text(attr.name);
        if OURS.contains(&name) || OTHERS.contains(&name) || !self.near_attrs.insert(attr.span) {
            return;
        }
        let Some(near) = OURS.iter().find(|ours| is_near(name, ours)) else { return };
        let message = format!("`:{name}` has no effect: no such attribute is known");
        let diagnostic = Diagnostic::new(codes::NEAR_ATTRIBUTE, attr.span, message);
        self.diagnostics.push(diagnostic.help(format!("did you mean `:{near}`?")));
    }

    fn known_attr(&mut self, attr: &Attr) {
        self.near_attr(attr);
        let arg = match attr.args[..] {
            [AttrArg::Expr(e)] => Some(e),
            _ => None,
        };
        match self.text(attr.name) {
            "minimize" | "maximize" => {
                let number = |c: &Self, e: ExprId| {
                    let ty = c.info.type_of(e);
                    matches!(
                        c.info.types.kind(ty),
                        TyKind::Int | TyKind::Real | TyKind::Bv(_) | TyKind::Error | TyKind::Infer(_)
                    )
                };
                if !arg.is_some_and(|e| number(self, e)) {
                    let message = "the attribute takes one argument: an int, a real or a bitvector";
                    self.report(codes::BAD_ATTRIBUTE, attr.span, message);
                }
            }
            "verified_under" | "constraint" => {
                let bool_arg = arg.is_some_and(|e| {
                    let ty = self.info.type_of(e);
                    matches!(self.info.types.kind(ty), TyKind::Bool | TyKind::Error)
                });
                if !bool_arg {
                    let message = "the attribute takes one argument, a bool";
                    self.report(codes::BAD_ATTRIBUTE, attr.span, message);
                }
            }
            name if SUPPRESSING.contains(&name) && !preemption::are_levels(self.ast, &attr.args) => {
                let message = format!("the arguments of `:{name}` are levels, such as `{{:{name} 1}}`");
                self.report(codes::BAD_ATTRIBUTE, attr.span, message);
            }
            _ => {}
        }
    }

    /// Checks the attributes of a statement or clause, including `:id`.
    pub(super) fn stmt_attrs(&mut self, attrs: &Attrs, span: Span) {
        if attrs.is_empty() {
            return;
        }
        self.attrs(attrs);
        if let Some(Attr { args, .. }) = self.ast.attr(attrs, "id")
            && let [AttrArg::Str(id)] = args[..]
            && !self.ids.insert(id)
        {
            let message = format!("another statement has the id `{}`", self.text(id));
            self.report(Code::DUPLICATE, span, message);
        }
    }

    /// Returns true if dally interprets one of the attributes for each variable that has them.
    pub(super) fn are_about_variables(&self, attrs: &Attrs) -> bool {
        ["range", "assumption", "hot", "constraint"].iter().any(|name| self.ast.attr(attrs, name).is_some())
    }

    /// Checks the attributes of a variable that dally interprets.
    pub(super) fn var_attrs(&mut self, attrs: &Attrs, var: super::VarId, where_clause: Option<ExprId>) {
        self.range_attr(attrs, var);
        self.hot_attr(attrs, var);
        self.constraint_attr(attrs, var);
        if self.ast.attr(attrs, "assumption").is_none() {
            return;
        }
        let VarInfo { ty, span, kind, .. } = self.info[var].clone();
        if !matches!(kind, VarKind::Global | VarKind::Local) {
            return;
        }
        self.assumptions.entry(var).or_insert(false);
        if where_clause.is_some() {
            let message = "an assumption variable cannot have a `where` clause";
            self.report(codes::BAD_ASSUMPTION_VARIABLE, span, message);
        }
        if ty != super::Ty::BOOL {
            self.report(
                codes::BAD_ASSUMPTION_VARIABLE,
                span,
                "an assumption variable must be of type `bool`",
            );
        }
    }

    /// Records an assumption variable up front, since procedures before its declaration may assign to it.
    pub(super) fn note_assumption(&mut self, name: dally_text::symbol::Sym, attrs: &Attrs) {
        if self.ast.attr(attrs, "assumption").is_some()
            && let Some(var) = self.info.global(name)
        {
            self.assumptions.insert(var, false);
        }
    }

    /// Checks that a function is not both inlined and defined.
    pub(super) fn function_attrs(&mut self, function: &crate::ast::Function, attrs: &Attrs) {
        self.attrs(attrs);
        let has = |c: &Self, name: &str| c.ast.attr(attrs, name).is_some();
        let (inline, define) = (has(self, "inline"), has(self, "define"));
        let span = function.name.span;
        if inline && define {
            self.report(codes::BAD_ATTRIBUTE, span, "a function cannot have both `:inline` and `:define`");
        }
        if define && !function.type_params.is_empty() {
            self.report(codes::BAD_ATTRIBUTE, span, "a function with `:define` cannot have type variables");
        }
    }
}
