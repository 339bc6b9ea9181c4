//! Expressions.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::{Checker, FunctionId, Ref, State, Ty, TyKind, VarKind};
use crate::ast::{Expr, ExprId, ExprList, Ident};
use crate::codes;
use crate::float::Format;

/// The singular of a noun in messages.
fn singular(plural: &str) -> &str {
    match plural {
        "indices" => "index",
        other => other.strip_suffix('s').unwrap_or(other),
    }
}

impl Checker<'_> {
    /// Resolves an expression and infers its type.
    ///
    /// Left-deep chains are walked in a loop, so recursion is only as deep as the text nests.
    pub(super) fn expr(&mut self, expr: ExprId) -> Ty {
        let bottom = self.spine.len();
        let mut at = expr;
        while let Some(left) = self.ast.exprs.left_part(at) {
            self.spine.push(at);
            at = left;
        }
        let mut ty = dally_text::stack::grow(|| self.atom(at));
        self.set_type(at, ty);
        while self.spine.len() > bottom {
            let Some(node) = self.spine.pop() else { break };
            ty = dally_text::stack::grow(|| self.extend(node, ty));
            self.set_type(node, ty);
        }
        ty
    }

    fn set_type(&mut self, expr: ExprId, ty: Ty) {
        self.info.expr_types[expr.index()] = ty;
        if self.info.types.has_infer(ty) {
            self.pending_exprs.push(expr);
        }
        if let Some(mentioned) = &mut self.trigger {
            mentioned.exprs.push(expr);
        }
    }

    /// The type of an expression without a leftmost operand.
    fn atom(&mut self, id: ExprId) -> Ty {
        match self.ast.exprs[id] {
            Expr::Bool(_) => Ty::BOOL,
            Expr::Int(_) => Ty::INT,
            Expr::Real(_) => Ty::REAL,
            Expr::Float(text) => {
                let Format { significand, exponent } = Format::of(self.text(text)).unwrap_or(Format::SINGLE);
                self.info.types.intern(TyKind::Float(significand, exponent))
            }
            Expr::Bv(_, width) => self.info.types.intern(TyKind::Bv(width)),
            Expr::Rounding(_) => Ty::ROUNDING,
            Expr::Str(_) => Ty::STR,
            Expr::Name(name) => self.name(id, name),
            Expr::Call(function, args) => self.call(id, function, args),
            Expr::Unary(op, operand) => self.unary(id, op, operand),
            Expr::Ite(condition, then, otherwise) => self.if_then_else(condition, then, otherwise),
            Expr::Old(inner) => self.old(id, inner),
            Expr::ToInt(inner) => self.convert(inner, Ty::REAL, Ty::INT),
            Expr::ToReal(inner) => self.convert(inner, Ty::INT, Ty::REAL),
            Expr::Binder(binder) => self.binder(id, binder),
            Expr::Let(binding) => self.binding(id, binding),
            Expr::Code(code) => self.code(id, code),
            Expr::Wildcard => self.unknowns.fresh(&mut self.info.types),
            // These have a leftmost operand: see `extend`.
            _ => Ty::ERROR,
        }
    }

    /// The type of an expression whose leftmost operand has the type `left`.
    fn extend(&mut self, id: ExprId, left: Ty) -> Ty {
        match self.ast.exprs[id] {
            Expr::Binary(op, first, second) => self.binary(id, op, (first, left), second),
            Expr::Select(base, indices) => self.select(base, left, indices, "indexing"),
            Expr::Store(base, indices, value) => {
                let element = self.select(base, left, indices, "updating");
                let ty = self.expr(value);
                self.expect_type(Code::TYPE_MISMATCH, self.span(value), ty, element, "the new value");
                left
            }
            Expr::Extract(base, high, low) => self.extract(id, base, left, high, low),
            Expr::Coerce(_, target) => {
                let target = self.ty(target);
                self.expect_type(Code::TYPE_MISMATCH, self.span(id), left, target, "the expression");
                target
            }
            Expr::Field(base, field) => self.field(
                Ident { name: field, span: self.last_name(id, base, field) },
                self.span(base),
                left,
            ),
            Expr::FieldUpdate(base, field, value) => {
                let start = self.span(base).end;
                let span = Span::new(start, self.span(value).start.max(start));
                let element = self.field(Ident { name: field, span }, self.span(base), left);
                let ty = self.expr(value);
                self.expect_type(Code::TYPE_MISMATCH, self.span(value), ty, element, "the new value");
                left
            }
            Expr::Is(base, constructor) => {
                let span = self.last_name(id, base, constructor);
                self.is_constructor(base, left, Ident { name: constructor, span });
                Ty::BOOL
            }
            _ => Ty::ERROR,
        }
    }

    /// The span of the name at the end of an expression that begins with `base`.
    fn last_name(&self, id: ExprId, base: ExprId, name: Sym) -> Span {
        let (whole, base) = (self.span(id), self.span(base));
        // In parentheses, the expression does not end with the name: use everything after `base`.
        let start = match whole.start == base.start {
            true => whole.end.saturating_sub(self.text(name).len() as u32),
            false => base.end,
        };
        Span::new(start.min(whole.end), whole.end)
    }

    fn name(&mut self, id: ExprId, name: Sym) -> Ty {
        let span = self.span(id);
        let Some(var) = self.lookup(Ident { name, span }) else { return Ty::ERROR };
        self.info.expr_refs[id.index()] = Some(Ref::Var(var));
        if let Some(mentioned) = &mut self.trigger {
            mentioned.vars.insert(var);
        }
        let (kind, ty) = (self.info[var].kind, self.info[var].ty);
        if kind == VarKind::Global && self.state == State::None {
            let message = format!("the global variable `{}` cannot be read here", self.text(name));
            let help =
                "axioms, functions and pure procedures cannot read globals; pass the value as an argument";
            self.error(Diagnostic::new(codes::GLOBAL_IN_STATELESS_CONTEXT, span, message).help(help));
        }
        ty
    }

    fn old(&mut self, id: ExprId, inner: ExprId) -> Ty {
        if self.state != State::Two {
            let help = "`old(e)` is the value of `e` on entry: use it in postconditions and bodies only";
            let message = "`old` is not allowed here";
            self.error(Diagnostic::new(codes::MISPLACED_OLD, self.span(id), message).help(help));
        }
        self.expr(inner)
    }

    fn convert(&mut self, inner: ExprId, from: Ty, to: Ty) -> Ty {
        let ty = self.expr(inner);
        self.expect_type(Code::TYPE_MISMATCH, self.span(inner), ty, from, "the argument");
        to
    }

    fn if_then_else(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Ty {
        let ty = self.expr(condition);
        self.expect_type(Code::NOT_BOOL, self.span(condition), ty, Ty::BOOL, "the condition");
        let then_ty = self.expr(then);
        let other = self.expr(otherwise);
        self.expect_type(Code::TYPE_MISMATCH, self.span(otherwise), other, then_ty, "the `else` branch");
        then_ty
    }

    /// The function of this name; reports one that is not declared.
    pub(super) fn function(&mut self, name: Ident) -> Option<FunctionId> {
        if let Some(function) = self.function_names.get(&name.name) {
            return Some(*function);
        }
        let text = self.text(name.name);
        let help = if self.info.procedure(name.name).is_some() {
            Some(format!("`{text}` is a procedure: write `call x := {text}(…);`"))
        } else if self.var_of[name.name.index()].is_some() {
            Some(format!("`{text}` is a variable: to index a map, write `{text}[…]`"))
        } else {
            self.suggest(name.name, |c| c.function_names.keys().copied().collect::<Vec<_>>().into_iter())
        };
        let message = format!("there is no function `{text}`");
        self.error(Diagnostic::new(Code::UNKNOWN_FUNCTION, name.span, message).maybe_help(help));
        None
    }

    fn call(&mut self, id: ExprId, name: Sym, args: ExprList) -> Ty {
        let span = self.span(id);
        // The span of the name, without the arguments.
        let name_span = Span::new(span.start, span.end.min(span.start + self.text(name).len() as u32));
        let Some(function) = self.function(Ident { name, span: name_span }) else {
            for arg in self.ast.exprs.list(args) {
                self.expr(*arg);
            }
            return Ty::ERROR;
        };
        self.info.expr_refs[id.index()] = Some(Ref::Function(function));
        let instance = self.instantiate(self.info[function].type_params);
        let expected = self.info[function].params.len();
        if args.len() != expected {
            self.report_count(
                name_span,
                &format!("`{}`", self.text(name)),
                "arguments",
                expected,
                args.len(),
            );
        }
        for (i, arg) in self.ast.exprs.list(args).iter().enumerate() {
            let ty = self.expr(*arg);
            if let Some(param) = self.info[function].params.get(i).copied() {
                let param = self.in_instance(param, &instance);
                if !self.unify(ty, param) {
                    let what = format!("argument {} of `{}`", i + 1, self.text(name));
                    self.expect_type(Code::TYPE_MISMATCH, self.span(*arg), ty, param, &what);
                }
            }
        }
        self.in_instance(self.info[function].result, &instance)
    }

    pub(super) fn report_count(&mut self, span: Span, who: &str, what: &str, expected: usize, found: usize) {
        let what = if expected == 1 { singular(what) } else { what };
        let message = format!("{who} takes {expected} {what}, found {found}");
        self.report(Code::WRONG_COUNT, span, message);
    }

    /// Checks the indices of a map; the type of the element.
    pub(super) fn select(&mut self, base: ExprId, map: Ty, indices: ExprList, doing: &str) -> Ty {
        let list = self.ast.exprs.list(indices);
        let span = self.span(base);
        let Some(element) = self.element(span, map, list, doing) else {
            for index in list {
                self.expr(*index);
            }
            return Ty::ERROR;
        };
        element
    }

    /// The type of an element of a map, after its indices have been checked.
    pub(super) fn element(&mut self, span: Span, map: Ty, indices: &[ExprId], doing: &str) -> Option<Ty> {
        let mut map = self.unknowns.shallow(&self.info.types, map);
        if let TyKind::Infer(_) = self.info.types.kind(map) {
            let args: Vec<Ty> = indices.iter().map(|_| self.unknowns.fresh(&mut self.info.types)).collect();
            let value = self.unknowns.fresh(&mut self.info.types);
            let shape = self.info.types.intern(TyKind::Map(0, args.into(), value));
            self.unify(map, shape);
            map = shape;
        }
        let TyKind::Map(params, args, value) = self.info.types.kind(map) else {
            if map != Ty::ERROR {
                let message = format!("{doing} a value of type `{}`, which is not a map", self.show(map));
                self.report(Code::NOT_APPLICABLE, span, message);
            }
            return None;
        };
        let (params, arity, value) = (*params, args.len(), *value);
        if arity != indices.len() {
            self.report_count(span, "this map", "indices", arity, indices.len());
            return None;
        }
        let instance: Vec<Ty> = (0..params).map(|_| self.unknowns.fresh(&mut self.info.types)).collect();
        for (i, index) in indices.iter().enumerate() {
            let found = self.expr(*index);
            let TyKind::Map(_, args, _) = self.info.types.kind(map) else { return None };
            let expected = args[i];
            let expected = self.info.types.open(expected, &instance);
            if !self.unify(found, expected) {
                let what = format!("index {}", i + 1);
                self.expect_type(Code::TYPE_MISMATCH, self.span(*index), found, expected, &what);
            }
        }
        Some(self.info.types.open(value, &instance))
    }

    fn extract(&mut self, id: ExprId, base: ExprId, ty: Ty, high: u32, low: u32) -> Ty {
        if high < low {
            let message = format!("the bounds {high}:{low} select no bits: the first must be higher");
            self.report(codes::BAD_EXTRACT, self.span(id), message);
            return Ty::ERROR;
        }
        let ty = self.unknowns.shallow(&self.info.types, ty);
        let enough = match self.info.types.kind(ty) {
            TyKind::Bv(width) => *width >= high,
            TyKind::Error | TyKind::Infer(_) => true,
            _ => false,
        };
        if !enough {
            let found = self.show(ty);
            let bits = if high == 1 { "bit" } else { "bits" };
            let message = format!("expected a bitvector of at least {high} {bits}, found type `{found}`");
            self.report(Code::NOT_APPLICABLE, self.span(base), message);
        }
        self.info.types.intern(TyKind::Bv(high - low))
    }
}
