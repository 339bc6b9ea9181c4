//! Expressions.

use dally_bpl::ast::{BinaryOp, BinderId, BinderKind, Expr, ExprId, LetId, UnaryOp};
use dally_bpl::check::{ConstructorInfo, Ref, Ty, TyKind, VarId};
use dally_text::symbol::Sym;

use super::procedure::OldValue;
use super::{Compiler, Meaning};
use crate::builtin::FloatKind;
use crate::code::{Arith, Compare, Domain, Op, VarStorage, WideOp};
use crate::value::Value;
use crate::wide;

const TOO_WIDE: &str = "bitvectors of more than a million bits cannot be evaluated";

impl Compiler<'_> {
    /// Compiles an expression: it leaves one value on the stack.
    ///
    /// Left-nested chains are compiled in a loop, so recursion is as deep as the text nests.
    pub(super) fn expr(&mut self, e: ExprId) {
        let mut spine = Vec::new();
        let mut at = e;
        while let Some(left) = self.ast.exprs.left_part(at) {
            spine.push(at);
            at = left;
        }
        dally_text::stack::grow(|| self.atom(at));
        while let Some(node) = spine.pop() {
            dally_text::stack::grow(|| self.extend(node));
        }
    }

    fn atom(&mut self, e: ExprId) {
        let span = self.ast.exprs.span(e);
        if let Some(value) = self.constant(e) {
            self.emit(Op::Const(value));
            return;
        }
        match self.ast.exprs[e] {
            Expr::Name(name) => self.name(e, name),
            Expr::Call(_, args) => {
                if let Some(Ref::Function(function)) = self.info.meaning(e) {
                    let args = self.ast.exprs.list(args);
                    self.apply(e, function, args);
                }
            }
            Expr::Unary(op, inner) => {
                self.expr(inner);
                let is_float = self.is_float(self.info.type_of(inner));
                let op = match op {
                    UnaryOp::Not => Op::Not,
                    UnaryOp::Neg if is_float => self.float_operator(FloatKind::Neg, 1),
                    UnaryOp::Neg => Op::Neg,
                };
                self.emit(op);
            }
            Expr::Ite(condition, then, otherwise) => {
                self.expr(condition);
                let to_else = self.emit(Op::JumpUnless(0));
                self.expr(then);
                let to_end = self.emit(Op::Jump(0));
                self.depth -= 1;
                self.patch(to_else);
                self.expr(otherwise);
                self.patch(to_end);
            }
            Expr::Old(inner) => {
                let outer = std::mem::replace(&mut self.frame.in_old, true);
                self.expr(inner);
                self.frame.in_old = outer;
            }
            Expr::Binder(binder) => self.binder(e, binder),
            Expr::Let(binding) => self.binding(e, binding),
            Expr::Int(_) | Expr::Bool(_) => self.give_up(e, "this literal cannot be evaluated"),
            Expr::Bv(..) => self.give_up(e, TOO_WIDE),
            Expr::Real(_) => self.give_up(e, "a real of so many digits cannot be evaluated"),
            Expr::ToInt(inner) => {
                self.expr(inner);
                self.emit(Op::Floor);
            }
            Expr::ToReal(inner) => {
                self.expr(inner);
                self.emit(Op::ToReal);
            }
            Expr::Float(_) | Expr::Rounding(_) => {
                self.give_up(e, "floating-point numbers of so many bits cannot be evaluated");
            }
            Expr::Str(_) => self.give_up(e, "strings cannot be evaluated"),
            Expr::Code(_) => self.give_up(e, "code expressions cannot be evaluated"),
            Expr::Wildcard => {
                self.emit(Op::Const(Value::Unset));
            }
            _ => unreachable!("{span:?} begins with another expression"),
        }
    }

    /// Reports an expression that cannot be evaluated, and pushes a placeholder.
    pub(super) fn give_up(&mut self, e: ExprId, message: &str) {
        self.unsupported(self.ast.exprs.span(e), message);
        self.emit(Op::Const(Value::Unset));
    }

    fn name(&mut self, e: ExprId, name: Sym) {
        let Some(Ref::Var(var)) = self.info.meaning(e) else { return };
        match self.meanings.get(&var).copied() {
            Some(Meaning::Const(value)) => {
                self.emit(Op::Const(value));
            }
            Some(Meaning::Stack(index)) => {
                self.emit(Op::Stack(index));
            }
            Some(Meaning::VarStorage(place @ (VarStorage::Global(_) | VarStorage::ThreadLocal(_))))
                if self.frame.in_old =>
            {
                let place = self.old_value(var, place, name);
                self.emit(Op::Load(place));
            }
            Some(Meaning::VarStorage(place)) => {
                self.emit(Op::Load(place));
            }
            None => {
                let text = self.text(name);
                let message = format!("the constant `{text}` has no defined value");
                self.give_up(e, &message);
            }
        }
    }

    /// The hidden local that holds the value of a global at procedure entry.
    fn old_value(&mut self, var: VarId, place: VarStorage, name: Sym) -> VarStorage {
        if let Some(old) = self.frame.old.iter().find(|old| old.var == var) {
            return old.local;
        }
        let local = self.hidden(name);
        self.frame.old.push(OldValue { var, place, local });
        local
    }

    fn extend(&mut self, e: ExprId) {
        match self.ast.exprs[e] {
            Expr::Binary(op, left, right) => self.binary(e, op, left, right),
            Expr::Select(_, indices) => {
                let count = self.indices(e, self.ast.exprs.list(indices));
                let map = matches!(self.info.types.kind(self.info.type_of(e)), TyKind::Map(..));
                self.emit(Op::Select(count, map));
            }
            Expr::Store(_, indices, value) => {
                let count = self.indices(e, self.ast.exprs.list(indices));
                self.expr(value);
                self.emit(Op::Store(count));
            }
            Expr::Extract(base, high, low) => {
                let width = self.width_of(self.info.type_of(base));
                self.emit(match width {
                    0..=64 => Op::Extract(high as u8, low as u8),
                    _ => Op::Wide(WideOp::Extract(high, low)),
                });
            }
            Expr::Coerce(..) => {}
            Expr::Field(base, field) => {
                let field = self.field(base, field);
                self.emit(Op::Field(field));
            }
            Expr::FieldUpdate(base, field, value) => {
                let field = self.field(base, field);
                self.expr(value);
                self.emit(Op::FieldUpdate(field));
            }
            Expr::Is(base, constructor) => {
                let found = self.constructors_of(base).into_iter().find(|(name, _)| *name == constructor);
                self.emit(Op::Is(found.map_or(u32::MAX, |(_, number)| number)));
            }
            _ => {}
        }
    }

    fn indices(&mut self, e: ExprId, indices: &[ExprId]) -> u8 {
        if indices.len() > 255 {
            self.unsupported(self.ast.exprs.span(e), "a map with more than 255 indices");
        }
        for index in indices {
            self.expr(*index);
        }
        indices.len().min(255) as u8
    }

    fn binary(&mut self, e: ExprId, op: BinaryOp, left: ExprId, right: ExprId) {
        let jump = match op {
            BinaryOp::And => Some(Op::AndThen(0)),
            BinaryOp::Or => Some(Op::OrElse(0)),
            BinaryOp::Implies => {
                self.emit(Op::Not);
                Some(Op::OrElse(0))
            }
            _ => None,
        };
        if let Some(jump) = jump {
            let jump = self.emit(jump);
            self.expr(right);
            return self.patch(jump);
        }
        self.expr(right);
        let (left_ty, right_ty) = (self.info.type_of(left), self.info.type_of(right));
        if self.is_float(left_ty) && !matches!(op, BinaryOp::Eq | BinaryOp::Neq) {
            return self.float_binary(e, op);
        }
        let numbers = matches!(self.info.types.kind(left_ty), TyKind::Int | TyKind::Real);
        if matches!(op, BinaryOp::Eq | BinaryOp::Neq) && self.is_finite_map(left_ty) {
            let message = "maps over a finite type cannot be compared";
            self.unsupported(self.ast.exprs.span(e), message);
        }
        let op = match op {
            BinaryOp::Eq | BinaryOp::Iff => Op::Eq,
            BinaryOp::Neq => Op::Ne,
            BinaryOp::Concat => self.concat(e, left_ty, right_ty),
            BinaryOp::Lt if numbers => Op::Compare(Compare::Lt),
            BinaryOp::Le if numbers => Op::Compare(Compare::Le),
            BinaryOp::Gt if numbers => Op::Compare(Compare::Gt),
            BinaryOp::Ge if numbers => Op::Compare(Compare::Ge),
            BinaryOp::Add if numbers => Op::Arith(Arith::Add),
            BinaryOp::Sub if numbers => Op::Arith(Arith::Sub),
            BinaryOp::Mul if numbers => Op::Arith(Arith::Mul),
            BinaryOp::Div => Op::Arith(Arith::Div),
            BinaryOp::RealDiv if self.info.type_of(e) == Ty::INT => Op::Arith(Arith::Div),
            BinaryOp::RealDiv if self.info.type_of(e) == Ty::REAL => Op::Arith(Arith::Quotient),
            BinaryOp::Mod => Op::Arith(Arith::Mod),
            _ => {
                self.unsupported(self.ast.exprs.span(e), "powers cannot be evaluated");
                Op::Eq
            }
        };
        self.emit(op);
    }

    fn is_float(&self, ty: Ty) -> bool {
        matches!(self.info.types.kind(ty), TyKind::Float(..))
    }

    /// An operator on floating-point numbers. Equality is not among them: as in Boogie, it is that of values.
    fn float_binary(&mut self, e: ExprId, op: BinaryOp) {
        let kind = match op {
            BinaryOp::Lt => FloatKind::Compare(Compare::Lt),
            BinaryOp::Le => FloatKind::Compare(Compare::Le),
            BinaryOp::Gt => FloatKind::Compare(Compare::Gt),
            BinaryOp::Ge => FloatKind::Compare(Compare::Ge),
            BinaryOp::Add => FloatKind::Add,
            BinaryOp::Sub => FloatKind::Sub,
            BinaryOp::Mul => FloatKind::Mul,
            BinaryOp::RealDiv => FloatKind::Div,
            _ => {
                self.unsupported(self.ast.exprs.span(e), "this operator cannot be evaluated");
                FloatKind::Eq
            }
        };
        let operator = self.float_operator(kind, 2);
        self.emit(operator);
    }

    fn width_of(&self, ty: Ty) -> u32 {
        match self.info.types.kind(ty) {
            TyKind::Bv(width) => *width,
            _ => 0,
        }
    }

    fn concat(&mut self, e: ExprId, left: Ty, right: Ty) -> Op {
        let (left, right) = (self.width_of(left), self.width_of(right));
        match left.saturating_add(right) {
            0..=64 => Op::Concat(right as u8),
            65..=wide::MAX_WIDTH => Op::Wide(WideOp::Concat(right)),
            _ => {
                self.unsupported(self.ast.exprs.span(e), TOO_WIDE);
                Op::Eq
            }
        }
    }

    /// Returns true if a map has finitely many indices: two such maps may be equal and have different
    /// defaults.
    fn is_finite_map(&mut self, ty: Ty) -> bool {
        let TyKind::Map(_, indices, _) = self.info.types.kind(ty) else { return false };
        indices.iter().all(|index| !matches!(self.domain(*index), Domain::Unbounded | Domain::Map))
    }

    /// The constructors of the datatype that an expression has, by name.
    fn constructors_of(&mut self, base: ExprId) -> Vec<(Sym, u32)> {
        let ty = self.info.type_of(base);
        let TyKind::Con(con, _) = self.info.types.kind(ty) else { return Vec::new() };
        let constructors = self.info.datatypes.get(con).map(|d| d.constructors.clone()).unwrap_or_default();
        constructors.iter().map(|c| (self.info[c.function].name, self.constructor(c.function))).collect()
    }

    /// The list with the position of a field in each constructor.
    pub(super) fn field(&mut self, base: ExprId, field: Sym) -> u32 {
        let ty = self.info.type_of(base);
        self.field_of(ty, field)
    }

    pub(super) fn field_of(&mut self, ty: Ty, field: Sym) -> u32 {
        let mut places = Vec::new();
        if let TyKind::Con(con, _) = self.info.types.kind(ty)
            && let Some(datatype) = self.info.datatypes.get(con)
        {
            for ConstructorInfo { function: constructor, fields } in datatype.constructors.clone() {
                if let Some(place) = fields.iter().position(|f| *f == field) {
                    places.push((self.constructor(constructor), place as u32));
                }
            }
        }
        if let Some(known) = self.code.fields.iter().position(|f| *f == places) {
            return known as u32;
        }
        self.code.fields.push(places);
        self.code.fields.len() as u32 - 1
    }

    /// A lambda with a constant body is a constant map; all others are tabulated.
    fn binder(&mut self, e: ExprId, id: BinderId) {
        let binder = self.ast.exprs.binder(id);
        if binder.kind != BinderKind::Lambda {
            return self.quantifier(e, id);
        }
        let bound = self.info.bound_vars(e);
        let constant = !self.ast.exprs.any(binder.body, &mut |part| match self.info.meaning(part) {
            Some(Ref::Var(var)) => bound.contains(&var),
            _ => false,
        });
        if constant {
            self.expr(binder.body);
            self.emit(Op::ConstantMap);
            return;
        }
        self.table(e, id);
    }

    fn binding(&mut self, e: ExprId, binding: LetId) {
        let binding = self.ast.exprs.binding(binding);
        let values = self.ast.exprs.list(binding.values);
        let vars = self.info.bound_vars(e);
        let first = self.depth;
        for value in values {
            self.expr(*value);
        }
        for (i, var) in vars.iter().enumerate() {
            self.meanings.insert(*var, Meaning::Stack(first + i as u32));
        }
        self.expr(binding.body);
        self.emit(Op::Slide(values.len().min(255) as u8));
    }
}
