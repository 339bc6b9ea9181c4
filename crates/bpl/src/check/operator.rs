//! Operators, fields and constructors.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::{Checker, DatatypeInfo, Division, Ty, TyCon, TyKind};
use crate::ast::{Ast, BinaryOp, Expr, ExprId, Ident, TypeExpr, UnaryOp};
use crate::codes;

impl Checker<'_> {
    pub(super) fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId) -> Ty {
        if op == UnaryOp::Not {
            self.no_boolean_trigger(id, "boolean operators are");
        }
        let ty = self.expr(operand);
        let fits = match op {
            UnaryOp::Not => self.unify(ty, Ty::BOOL),
            UnaryOp::Neg => self.number(ty).is_some(),
        };
        if !fits {
            let symbol = if op == UnaryOp::Neg { "-" } else { "!" };
            let message = format!("`{symbol}` does not apply to type `{}`", self.show_known(ty));
            self.report(Code::NOT_APPLICABLE, self.span(id), message);
        }
        if op == UnaryOp::Not { Ty::BOOL } else { ty }
    }

    fn show_known(&mut self, ty: Ty) -> String {
        let ty = self.known(ty);
        self.show(ty)
    }

    /// The type, if it is numeric; an unknown type becomes `int`.
    fn number(&mut self, ty: Ty) -> Option<Ty> {
        let ty = self.unknowns.shallow(&self.info.types, ty);
        match self.info.types.kind(ty) {
            TyKind::Int | TyKind::Real | TyKind::Float(..) | TyKind::Error => Some(ty),
            TyKind::Infer(_) => self.unify(ty, Ty::INT).then_some(Ty::INT),
            _ => None,
        }
    }

    pub(super) fn binary(&mut self, id: ExprId, op: BinaryOp, left: (ExprId, Ty), second: ExprId) -> Ty {
        self.check_trigger_operator(id, op);
        let (a, b) = (left.1, self.expr(second));
        let result = match op {
            BinaryOp::Iff | BinaryOp::Implies | BinaryOp::And | BinaryOp::Or => {
                (self.unify(a, Ty::BOOL) && self.unify(b, Ty::BOOL)).then_some(Ty::BOOL)
            }
            BinaryOp::Eq | BinaryOp::Neq => self.comparable(a, b).then_some(Ty::BOOL),
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => {
                self.same_numbers(a, b).map(|_| Ty::BOOL)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.same_numbers(a, b),
            BinaryOp::Div | BinaryOp::Mod => {
                (self.unify(a, Ty::INT) && self.unify(b, Ty::INT)).then_some(Ty::INT)
            }
            BinaryOp::Pow => (self.unify(a, Ty::REAL) && self.unify(b, Ty::REAL)).then_some(Ty::REAL),
            BinaryOp::RealDiv => self.divide(id, a, b),
            BinaryOp::Concat => self.concat(a, b),
        };
        result.unwrap_or_else(|| {
            let (a, b) = (self.show_known(a), self.show_known(b));
            let message = format!("`{}` does not apply to types `{a}` and `{b}`", op.spelling());
            self.error(
                Diagnostic::new(Code::NOT_APPLICABLE, self.span(id), message)
                    .with(self.span(left.0), format!("`{a}`"))
                    .with(self.span(second), format!("`{b}`")),
            );
            // The result type of most operators does not depend on the operands.
            match op.precedence() {
                crate::ast::Precedence::Iff
                | crate::ast::Precedence::Implies
                | crate::ast::Precedence::Logical
                | crate::ast::Precedence::Relational => Ty::BOOL,
                _ => Ty::ERROR,
            }
        })
    }

    /// Returns true if values of these types can be compared: some instance of their type variables makes them equal.
    fn comparable(&mut self, a: Ty, b: Ty) -> bool {
        if a == b {
            return true;
        }
        let before = self.unknowns.now();
        if self.unify(a, b) {
            return true;
        }
        // Keep the solutions of older unknowns, as Boogie does, but not the instances of the type variables.
        let found = self.unknowns.undo(before);
        let comparable = self.comparable_for_some(a, b);
        self.unknowns.undo(before);
        self.unknowns.redo(&found);
        comparable
    }

    /// Returns true if some instance of the type variables makes the types equal.
    fn comparable_for_some(&mut self, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.known(a), self.known(b));
        let params = self.info.types.params_in(&[a, b]);
        if params.is_empty() {
            return false;
        }
        let instance: FxHashMap<u32, Ty> =
            params.into_iter().map(|p| (p, self.unknowns.fresh(&mut self.info.types))).collect();
        let a = self.info.types.subst(a, &|p| instance.get(&p).copied());
        let b = self.info.types.subst(b, &|p| instance.get(&p).copied());
        self.unify(a, b)
    }

    fn same_numbers(&mut self, a: Ty, b: Ty) -> Option<Ty> {
        let b_known = self.unknowns.shallow(&self.info.types, b);
        let a_known = self.unknowns.shallow(&self.info.types, a);
        // An unknown type becomes the other one.
        if let TyKind::Infer(_) = self.info.types.kind(a_known) {
            let number = self.number(b_known)?;
            return self.unify(a_known, number).then_some(number);
        }
        let number = self.number(a_known)?;
        self.unify(b_known, number).then_some(number)
    }

    /// `/` takes ints and reals, with a real result, or two floats of one type.
    fn divide(&mut self, id: ExprId, a: Ty, b: Ty) -> Option<Ty> {
        let (a, b) = (self.number(a)?, self.number(b)?);
        match (self.info.types.kind(a), self.info.types.kind(b)) {
            (TyKind::Float(..), _) | (_, TyKind::Float(..)) => self.unify(a, b).then_some(a),
            (TyKind::Int, TyKind::Int) if self.division == Division::Old => {
                let message = "`/` of integers is interpreted as `div`, since the program has no reals";
                self.error(
                    Diagnostic::new(codes::OLD_DIVISION, self.span(id), message)
                        .help("write `div`: the result of Boogie's `/` is a real"),
                );
                Some(Ty::INT)
            }
            _ => Some(Ty::REAL),
        }
    }

    fn concat(&mut self, a: Ty, b: Ty) -> Option<Ty> {
        let a = self.unknowns.shallow(&self.info.types, a);
        let b = self.unknowns.shallow(&self.info.types, b);
        match (self.info.types.kind(a), self.info.types.kind(b)) {
            (TyKind::Bv(m), TyKind::Bv(n)) => {
                let width = m.saturating_add(*n);
                Some(self.info.types.intern(TyKind::Bv(width)))
            }
            (TyKind::Error, _) | (_, TyKind::Error) => Some(Ty::ERROR),
            (TyKind::Infer(_), TyKind::Bv(_) | TyKind::Infer(_)) | (TyKind::Bv(_), TyKind::Infer(_)) => {
                Some(self.unknowns.fresh(&mut self.info.types))
            }
            _ => None,
        }
    }

    /// The datatype and its type arguments; reports a type that is not a datatype.
    fn datatype(&mut self, ty: Ty, span: Span) -> Option<(TyCon, Vec<Ty>)> {
        let ty = self.unknowns.shallow(&self.info.types, ty);
        if let TyKind::Con(con, args) = self.info.types.kind(ty)
            && self.info.datatypes.contains_key(con)
        {
            return Some((*con, args.to_vec()));
        }
        if ty != Ty::ERROR {
            let message = format!("expected a datatype, found type `{}`", self.show_known(ty));
            self.report(Code::NOT_APPLICABLE, span, message);
        }
        None
    }

    /// The type of a field of a value of this type.
    pub(super) fn field(&mut self, field: Ident, base: Span, ty: Ty) -> Ty {
        let Some((con, args)) = self.datatype(ty, base) else { return Ty::ERROR };
        let datatype: &DatatypeInfo = &self.info.datatypes[&con];
        let first = datatype.type_params.first;
        if let Some(at) = datatype.field(field.name) {
            let ty = self.info[at.constructor].params[at.index];
            return self.info.types.subst_params(ty, first, &args);
        }
        let fields = move |c: &Self| {
            let constructors = c.info.datatypes[&con].constructors.iter();
            constructors.flat_map(|c| c.fields.clone()).collect::<Vec<_>>().into_iter()
        };
        self.unknown_member(con, field, "field", fields);
        Ty::ERROR
    }

    pub(super) fn is_constructor(&mut self, base: ExprId, ty: Ty, constructor: Ident) {
        let Some((con, _)) = self.datatype(ty, self.span(base)) else { return };
        let function = self.function_names.get(&constructor.name);
        if function.and_then(|f| self.info[*f].constructs).is_some_and(|c| c.datatype == con) {
            return;
        }
        let constructors = move |c: &Self| {
            let constructors = c.info.datatypes[&con].constructors.iter();
            constructors.map(|constructor| c.info[constructor.function].name).collect::<Vec<_>>().into_iter()
        };
        self.unknown_member(con, constructor, "constructor", constructors);
    }

    fn unknown_member<I: Iterator<Item = Sym>>(
        &mut self,
        con: TyCon,
        name: Ident,
        what: &str,
        known: impl FnOnce(&Self) -> I,
    ) {
        let datatype = self.text(self.info.types.constructors[con.index()].name);
        let message = format!("the datatype `{datatype}` has no {what} `{}`", self.text(name.name));
        let help = self.suggest(name.name, known);
        self.error(Diagnostic::new(Code::UNKNOWN_FIELD, name.span, message).maybe_help(help));
    }
}

/// Returns true if the program divides with `/` and mentions no reals: it may predate Boogie's reals.
pub(super) fn may_predate_reals(ast: &Ast) -> bool {
    let divides = ast.exprs.iter().any(|e| matches!(e, Expr::Binary(BinaryOp::RealDiv, ..)));
    divides
        && !ast.exprs.iter().any(|e| matches!(e, Expr::Real(_) | Expr::ToReal(_) | Expr::Float(_)))
        && !ast.types.iter().any(|t| matches!(t, TypeExpr::Real | TypeExpr::Float(..)))
}
