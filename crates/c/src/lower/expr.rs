//! Expressions. Statements for side effects, checks and scheduling points are emitted on the way; the rest stays a
//! term. Operands are evaluated from left to right.

use super::Lowerer;
use super::emit::Return;
use super::objects::Storage;
use super::places::{Base, Place, Value};
use super::term::{self, Range, T};
use crate::hir::{BinaryOp, Builtin, Expr, ExprKind, Stmt, StmtKind, Update};
use crate::types::{Type, TypeId};

impl Lowerer<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, e: &Expr) -> Value {
        dally_text::stack::grow(|| self.value_node(e))
    }

    fn value_node(&mut self, e: &Expr) -> Value {
        match &e.kind {
            ExprKind::Int(n) => Value::constant(*n),
            ExprKind::Float(_) => {
                self.unsupported("floating-point numbers");
                Value::constant(0)
            }
            ExprKind::Function(function) => Value::constant(self.function_address(*function)),
            ExprKind::Load(lvalue) => self.load_lvalue(lvalue),
            ExprKind::Decay(lvalue) => {
                let array = self.place(lvalue);
                Value::Address(self.first_element(array))
            }
            ExprKind::AddressOf(lvalue) => Value::Address(self.place(lvalue)),
            ExprKind::Unary(op, a) => {
                let value = self.value(a);
                self.unary(*op, value, a.ty)
            }
            ExprKind::Binary(op, a, b) => {
                let left = self.value(a);
                let right = self.value(b);
                self.binary(*op, left, right, a.ty)
            }
            ExprKind::PointerAdd(pointer, n) => {
                let pointer_value = self.value(pointer);
                let n = self.value(n);
                self.pointer_add(pointer_value, n, pointer.ty)
            }
            ExprKind::PointerDiff(a, b) => self.pointer_difference(a, b),
            ExprKind::And(a, b) => self.logical(a, b, true),
            ExprKind::Or(a, b) => self.logical(a, b, false),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then.as_deref(), otherwise, e.ty)
            }
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.value(b)
            }
            ExprKind::Cast(a) if self.is_void(e.ty) => {
                self.effect(a);
                Value::Void
            }
            ExprKind::Cast(a) => {
                // A pointer that is cast to an integer and back is the same.
                let a = match &a.kind {
                    ExprKind::Cast(p)
                        if self.is_cut_address(p.ty, a.ty) && self.program.types.pointee(e.ty).is_some() =>
                    {
                        p
                    }
                    _ => a,
                };
                let value = self.value(a);
                self.convert(value, a.ty, e.ty)
            }
            ExprKind::Assign(target, value) => self.assign(target, value, true),
            ExprKind::Update(update) => self.update(update, true),
            ExprKind::Call(callee, args) => self.call_expr(callee, args, e.ty),
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, e),
            ExprKind::Block(stmts) => self.block_value(stmts),
            ExprKind::Member(..) => {
                let place = self.place(e);
                self.load(&place)
            }
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::String(_)
            | ExprKind::Compound(..)
            | ExprKind::Deref(_) => self.load_lvalue(e),
        }
    }

    /// Evaluates an expression for its effects.
    pub(super) fn effect(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Assign(target, value) => {
                self.assign(target, value, false);
            }
            ExprKind::Update(update) => {
                self.update(update, false);
            }
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.effect(b);
            }
            ExprKind::Cast(a) if !self.is_float(e.ty) => self.effect(a),
            ExprKind::Conditional(condition, then, otherwise) if !self.is_simple(e) => {
                let condition = self.value(condition);
                let condition = self.condition(condition);
                let condition = self.expr(&condition, true);
                self.begin();
                then.iter().for_each(|then| self.effect(then));
                let first = self.end();
                self.begin();
                self.effect(otherwise);
                let second = self.end();
                self.push_if(condition, first, second);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) if !self.is_simple(b) => {
                let value = self.value(a);
                let mut condition = self.condition(value);
                if matches!(e.kind, ExprKind::Or(..)) {
                    condition = term::not(condition);
                }
                self.when(&condition, |l| l.effect(b));
            }
            ExprKind::Call(..) => {
                self.proc.unused = true;
                self.value(e);
                self.proc.unused = false;
            }
            // A read of memory may fail; one of a variable has no effect.
            ExprKind::Load(_) if self.is_simple(e) => {}
            _ => {
                self.value(e);
            }
        }
    }

    fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(self.program.types.unqualified(ty)), Type::Void)
    }

    fn load_lvalue(&mut self, lvalue: &Expr) -> Value {
        let storage = match lvalue.kind {
            ExprKind::Local(local) => self.proc.frames.last().and_then(|f| f.locals.get(&local)),
            ExprKind::Global(global) => self.globals.get(global.index()),
            _ => None,
        };
        if let Some(Storage::Bound(value)) = storage {
            return value.clone();
        }
        let place = self.place(lvalue);
        self.load(&place)
    }

    /// A pointer plus a number of elements.
    fn pointer_add(&mut self, pointer: Value, n: Value, ty: TypeId) -> Value {
        let pointee = self.program.types.pointee(ty);
        let size = pointee.and_then(|t| self.program.types.size(t)).unwrap_or(1);
        let (n, range) = self.ranged(n);
        if let Value::Address(place) = &pointer {
            if let Some(element) = self.element_at(place, &n, range) {
                return Value::Address(element);
            }
            if let Base::Memory(address) = &place.base {
                let address = term::add(address.clone(), term::mul(n, term::int(i128::from(size))));
                return Value::Address(Place::memory(address, pointee.unwrap_or(place.ty)));
            }
        }
        let (address, _) = self.ranged(pointer);
        let address = term::add(address, term::mul(n, term::int(i128::from(size))));
        Value::Int(address, Range { low: 0, high: i128::from(u64::MAX) })
    }

    fn pointer_difference(&mut self, a: &Expr, b: &Expr) -> Value {
        let size = self.program.types.pointee(a.ty).and_then(|t| self.program.types.size(t)).unwrap_or(1);
        let (a, b) = (self.value(a), self.value(b));
        let (a, b) = (self.int(a), self.int(b));
        let (a, b) = (self.stable(a), self.stable(b));
        self.observe_distance(&a, &b);
        let bytes = term::sub(a, b);
        let elements = match size {
            0 | 1 => bytes,
            _ => term::binary(dally_bpl::ast::BinaryOp::Div, bytes, term::int(i128::from(size))),
        };
        Value::Int(elements, Range { low: i128::from(i64::MIN), high: i128::from(i64::MAX) })
    }

    // Control inside of expressions.

    fn logical(&mut self, a: &Expr, b: &Expr, is_and: bool) -> Value {
        let left = self.value(a);
        let left = self.condition(left);
        if let term::Term::Bool(known) = *left {
            if known != is_and {
                return Value::Bool(left);
            }
            let right = self.value(b);
            return Value::Bool(self.condition(right));
        }
        if self.is_simple(b) || self.proc.awaits {
            let right = self.value(b);
            let right = self.condition(right);
            return Value::Bool(if is_and { term::and(left, right) } else { term::or(left, right) });
        }
        let result = self.temporary(true);
        let condition = if is_and { left } else { term::not(left) };
        let condition = self.expr(&condition, true);
        self.begin();
        let right = self.value(b);
        let right = self.condition(right);
        self.set(result, &right);
        let then = self.end();
        self.begin();
        self.set(result, &term::boolean(!is_and));
        let otherwise = self.end();
        self.push_if(condition, then, otherwise);
        Value::Bool(term::var(result))
    }

    fn conditional(&mut self, condition: &Expr, then: Option<&Expr>, otherwise: &Expr, ty: TypeId) -> Value {
        let first = self.value(condition);
        // `c ?: b`
        let first = match then {
            None => {
                let (t, range) = self.ranged(first);
                Value::Int(self.stable(t), range)
            }
            Some(_) => first,
        };
        let test = self.condition(first.clone());
        if let term::Term::Bool(known) = *test {
            return match (known, then) {
                (true, Some(then)) => self.value(then),
                (true, None) => first,
                (false, _) => self.value(otherwise),
            };
        }
        let simple = self.proc.awaits || then.is_none_or(|t| self.is_simple(t)) && self.is_simple(otherwise);
        if simple && !self.is_record(ty) && !self.is_void(ty) {
            let a = then.map_or(first, |then| self.value(then));
            let b = self.value(otherwise);
            if let (Value::Bool(a), Value::Bool(b)) = (&a, &b) {
                return Value::Bool(term::ite(test, a.clone(), b.clone()));
            }
            let ((a, ra), (b, rb)) = (self.ranged(a), self.ranged(b));
            // `c ? 1 : 0`
            return match (a.as_int(), b.as_int()) {
                (Some(1), Some(0)) => Value::Bool(test),
                (Some(0), Some(1)) => Value::Bool(term::not(test)),
                _ => Value::Int(term::ite(test, a, b), ra.join(rb)),
            };
        }
        self.conditional_statement(&test, (first, then), otherwise, ty)
    }

    fn conditional_statement(
        &mut self,
        test: &T,
        (first, then): (Value, Option<&Expr>),
        otherwise: &Expr,
        ty: TypeId,
    ) -> Value {
        let result = match self.is_void(ty) {
            true => None,
            false => self.temporary_object(ty),
        };
        let test = self.expr(test, true);
        self.begin();
        let value = then.map_or(first, |then| self.value(then));
        self.keep(result, value, ty);
        let a = self.end();
        self.begin();
        let value = self.value(otherwise);
        self.keep(result, value, ty);
        let b = self.end();
        self.push_if(test, a, b);
        match result {
            Some(object) => self.load(&Place::of_object(object, ty)),
            None => Value::Void,
        }
    }

    /// Stores a value in a temporary object, if there is one.
    pub(super) fn keep(&mut self, result: Option<super::objects::ObjectId>, value: Value, ty: TypeId) {
        if let Some(object) = result
            && !matches!(value, Value::Void)
        {
            self.store(&Place::of_object(object, ty), value);
        }
    }

    /// The value of `({ … })`.
    fn block_value(&mut self, stmts: &[Stmt]) -> Value {
        self.settle();
        self.scoped(super::scopes::Scope::List(stmts.as_ptr()), |l| l.last_value(stmts))
    }

    fn last_value(&mut self, stmts: &[Stmt]) -> Value {
        match stmts.split_last() {
            Some((Stmt { kind: StmtKind::Expr(last), span }, rest)) => {
                self.statements(rest);
                let outer = self.proc.span;
                if self.library_depth() == 0 {
                    self.proc.span = *span;
                }
                let value = self.value(last);
                self.proc.span = outer;
                value
            }
            _ => {
                self.statements(stmts);
                Value::Void
            }
        }
    }

    // Assignments.

    fn assign(&mut self, target: &Expr, value: &Expr, used: bool) -> Value {
        let outer = self.enter_lvalue(target);
        let place = self.place(target);
        let result = self.assign_place(&place, value, used);
        self.proc.lvalue = outer;
        result
    }

    pub(super) fn assign_place(&mut self, place: &Place, value: &Expr, used: bool) -> Value {
        if let Some(variable) = self.own_variable(place)
            && self.call_into(variable, place, value)
        {
            return Value::Int(term::var(variable), self.range_of(place.ty, None));
        }
        let mut new = self.value(value);
        if let Value::Record(_) = new {
            self.store(place, new);
            return Value::Record(place.clone());
        }
        if place.bits.is_some() {
            new = self.fit_bits(place, new);
        }
        self.store_used(place, new, used)
    }

    /// Wraps a value to the width of a bit-field.
    pub(super) fn fit_bits(&mut self, place: &Place, value: Value) -> Value {
        let (Some(bits), Some(mut int)) = (place.bits, self.program.types.as_int(place.ty)) else {
            return value;
        };
        int.bits = bits.width;
        let (t, range) = self.ranged(value);
        let t = self.wrapped(t, range, int);
        Value::Int(t, Range::of(int))
    }

    /// Stores a value, and returns it if it is used.
    fn store_used(&mut self, place: &Place, new: Value, used: bool) -> Value {
        if !used {
            self.store(place, new);
            return Value::Void;
        }
        if let Some(variable) = self.own_variable(place) {
            let (t, range) = self.ranged(new);
            self.set(variable, &t);
            return Value::Int(term::var(variable), range);
        }
        let (t, range) = self.ranged(new);
        let new = Value::Int(self.stable(t), range);
        self.store(place, new.clone());
        new
    }

    fn update(&mut self, update: &Update, used: bool) -> Value {
        let outer = self.enter_lvalue(&update.target);
        let target = self.place(&update.target);
        let target = self.settled_place(target);
        let operand = self.value(&update.operand);
        let atomic = self.program.types.is_atomic(update.target.ty);
        if atomic {
            let operand_place = &target;
            self.access_point(operand_place);
            self.proc.atomic += 1;
        }
        let result = self.update_place(&target, update, operand, used);
        if atomic {
            self.proc.atomic -= 1;
        }
        self.proc.lvalue = outer;
        result
    }

    fn update_place(&mut self, target: &Place, update: &Update, operand: Value, used: bool) -> Value {
        let old = self.load(target);
        let old = match used && update.old {
            true => {
                let (t, range) = self.ranged(old);
                let temporary = self.temporary(false);
                self.set(temporary, &t);
                Value::Int(term::var(temporary), range)
            }
            false => old,
        };
        let new =
            self.updated(update.op, old.clone(), (operand, update.operand.ty), target.ty, update.compute);
        let new = if target.bits.is_some() { self.fit_bits(target, new) } else { new };
        if update.old {
            self.store(target, new);
            return old;
        }
        self.store_used(target, new, used)
    }

    /// The value of `old op operand`, computed in one type and converted back to another.
    pub(super) fn updated(
        &mut self,
        op: BinaryOp,
        old: Value,
        (operand, operand_ty): (Value, TypeId),
        ty: TypeId,
        compute: TypeId,
    ) -> Value {
        if self.program.types.pointee(ty).is_some() {
            let (n, range) = self.ranged(operand);
            let n = match op {
                BinaryOp::Sub => Value::Int(term::neg(n), Range { low: -range.high, high: -range.low }),
                _ => Value::Int(n, range),
            };
            return self.pointer_add(old, n, ty);
        }
        let _ = operand_ty;
        let old = self.convert(old, ty, compute);
        let new = self.binary(op, old, operand, compute);
        self.convert(new, compute, ty)
    }

    /// A place that may be used in several statements.
    pub(super) fn settled_place(&mut self, mut place: Place) -> Place {
        match &mut place.base {
            Base::Memory(address) => *address = self.stable(address.clone()),
            Base::Variables(_, steps) => {
                for step in steps {
                    if let super::places::Projection::Element(index, _) = step {
                        *index = self.stable(index.clone());
                    }
                }
            }
        }
        place
    }

    /// A scheduling point, if other threads may access the place.
    pub(super) fn access_point(&mut self, place: &Place) {
        let shared = match &place.base {
            Base::Variables(object, _) => self.object(*object).shared,
            Base::Memory(_) => true,
        };
        if shared {
            self.scheduling_point();
        }
    }

    // Simple expressions.

    /// Returns true if the evaluation of an expression emits no statements.
    pub(super) fn is_simple(&self, e: &Expr) -> bool {
        dally_text::stack::grow(|| self.is_simple_node(e))
    }

    fn is_simple_node(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Function(_) => true,
            ExprKind::Load(lvalue) => self.is_simple_load(lvalue),
            ExprKind::Decay(lvalue) | ExprKind::AddressOf(lvalue) => self.is_simple_place(lvalue),
            ExprKind::Unary(_, a) => !self.options.overflow && !self.is_float(a.ty) && self.is_simple(a),
            ExprKind::Binary(op, a, b) => {
                let may_fail = match op {
                    BinaryOp::Div | BinaryOp::Rem => !matches!(b.kind, ExprKind::Int(n) if n != 0),
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.options.overflow,
                    _ => false,
                };
                !may_fail && !self.is_float(a.ty) && self.is_simple(a) && self.is_simple(b)
            }
            ExprKind::Cast(a) => {
                let may_fail = self.is_float(a.ty) || self.is_float(e.ty) || self.is_cut_address(a.ty, e.ty);
                !may_fail && self.is_simple(a)
            }
            ExprKind::PointerAdd(a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.is_simple(a) && self.is_simple(b)
            }
            ExprKind::Builtin(
                Builtin::SelfId | Builtin::Threads | Builtin::Ended | Builtin::ThreadResult,
                args,
            ) => args.iter().all(|a| self.is_simple(a)),
            ExprKind::Conditional(a, Some(b), c) => {
                !self.is_record(e.ty) && self.is_simple(a) && self.is_simple(b) && self.is_simple(c)
            }
            _ => false,
        }
    }

    fn is_simple_place(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::String(_) => true,
            ExprKind::Member(record, _) => self.is_simple_place(record),
            ExprKind::Deref(pointer) => self.is_simple(pointer),
            _ => false,
        }
    }

    /// Returns true for variables that are not shared, and for elements of them with a constant index.
    fn is_simple_load(&self, e: &Expr) -> bool {
        let object_is_simple = |l: &Self, storage: Option<&Storage>| match storage {
            Some(Storage::Variables(object)) => {
                !l.object(*object).shared || l.proc.atomic > 0 || !l.facts.threaded
            }
            Some(Storage::Bound(_)) => true,
            _ => false,
        };
        match &e.kind {
            ExprKind::Local(local) => {
                object_is_simple(self, self.proc.frames.last().and_then(|f| f.locals.get(local)))
            }
            ExprKind::Global(global) => object_is_simple(self, self.globals.get(global.index())),
            ExprKind::Member(record, _) => self.is_simple_load(record),
            ExprKind::Deref(pointer) => match &pointer.kind {
                // `*p`, `p->f` of a parameter that is bound to a place.
                ExprKind::Load(inner) => match inner.kind {
                    ExprKind::Local(local) => self.is_bound_to_variables(local),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    fn is_bound_to_variables(&self, local: crate::hir::LocalId) -> bool {
        let storage = self.proc.frames.last().and_then(|f| f.locals.get(&local));
        let Some(Storage::Bound(Value::Address(place))) = storage else { return false };
        let Base::Variables(object, steps) = &place.base else { return false };
        let constant = steps.iter().all(|s| match s {
            super::places::Projection::Field(_) => true,
            super::places::Projection::Element(index, _) => index.is_constant(),
        });
        constant && (!self.object(*object).shared || self.proc.atomic > 0 || !self.facts.threaded)
    }

    /// The number of library functions around the current statement.
    pub(super) fn library_depth(&self) -> usize {
        self.proc.frames.iter().filter(|f| matches!(f.returns, Return::Inline(_))).count()
    }
}
