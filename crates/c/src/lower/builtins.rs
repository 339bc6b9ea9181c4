//! The operations that the library is made of.

use dally_bpl::ast::{AttrArg, BinaryOp as B, StmtKind as Bpl};

use super::Lowerer;
use super::memory::{OBJECT, STACK};
use super::places::{Place, Value};
use super::term::{self, Range, T, Term};
use crate::hir::{BinaryOp, Builtin, Expr, ExprKind};
use crate::types::{IntType, TypeId};

/// Returns true if an atomic operation asks for an order weaker than sequential consistency. The order is its last operand.
fn has_weak_order(builtin: Builtin, args: &[Expr]) -> bool {
    /// `__ATOMIC_SEQ_CST`
    const SEQUENTIAL: i128 = 5;
    let ordered = matches!(
        builtin,
        Builtin::AtomicLoad
            | Builtin::AtomicStore
            | Builtin::AtomicExchange
            | Builtin::AtomicCompareExchange
            | Builtin::AtomicFetch(_)
            | Builtin::AtomicFetchNand
            | Builtin::AtomicNandFetch
            | Builtin::AtomicUpdate(_)
            | Builtin::Fence
    );
    let mut order = args.last();
    while let Some(Expr { kind: ExprKind::Cast(inner), .. }) = order {
        order = Some(inner);
    }
    ordered && order.is_some_and(|e| matches!(e.kind, ExprKind::Int(n) if n < SEQUENTIAL))
}

/// Returns true for a constant that is not zero.
fn is_true(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Cast(inner) => is_true(inner),
        ExprKind::Int(n) => *n != 0,
        _ => false,
    }
}

impl Lowerer<'_> {
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &[Expr], e: &Expr) -> Value {
        self.facts.weak_orders |= has_weak_order(builtin, args);
        match builtin {
            Builtin::Yield => {
                if self.facts.threaded {
                    self.plain_yield();
                }
                Value::Void
            }
            Builtin::Post(..)
            | Builtin::Zield
            | Builtin::Seal
            | Builtin::Unseal
            | Builtin::Line(_)
            | Builtin::Mask(_) => self.event_builtin(builtin, args),
            Builtin::Await => self.await_condition(args),
            Builtin::AtomicBegin => {
                self.atomic_point();
                self.push(Bpl::AtomicBegin);
                self.count_section(1);
                Value::Void
            }
            Builtin::AtomicEnd => {
                self.count_section(-1);
                self.push(Bpl::AtomicEnd);
                Value::Void
            }
            Builtin::Check | Builtin::Fail | Builtin::Assume | Builtin::Restrict | Builtin::Unsupported => {
                self.verdict(builtin, args)
            }
            Builtin::Nondet => self.nondet(e.ty, "nondeterministic values"),
            Builtin::Choose => self.choose(args),
            Builtin::Spawn
            | Builtin::SelfId
            | Builtin::Threads
            | Builtin::Ended
            | Builtin::ThreadResult
            | Builtin::ExitThread
            | Builtin::ExitProgram => self.thread_builtin(builtin, args),
            Builtin::Allocate
            | Builtin::Release
            | Builtin::ObjectSize
            | Builtin::Copy
            | Builtin::Move
            | Builtin::Overlap
            | Builtin::Fill
            | Builtin::Access
            | Builtin::Alloca => self.memory_builtin(builtin, args),
            Builtin::Fence => {
                args.iter().for_each(|a| self.effect(a));
                Value::Void
            }
            Builtin::Print => self.print(args),
            Builtin::VaArguments => self.extra_address(),
            _ => self.atomic_builtin(builtin, args),
        }
    }

    /// The scheduling point before an atomic section.
    fn atomic_point(&mut self) {
        // The library function that contains this call is not itself atomic with what follows.
        if self.facts.threaded {
            self.always_yield();
        }
    }

    /// Counts the atomic sections that the task is in, where interrupts need to know.
    fn count_section(&mut self, change: i128) {
        if self.facts.events.active {
            let section = self.sym("$section");
            self.set(section, &term::add(term::var(section), term::int(change)));
        }
    }

    fn await_condition(&mut self, args: &[Expr]) -> Value {
        let Some(condition) = args.first() else { return Value::Void };
        self.settle();
        self.proc.atomic += 1;
        self.proc.awaits = true;
        let condition = self.value(condition);
        let condition = self.condition(condition);
        let ends = self.ends(&condition);
        let condition = self.expr(&condition, true);
        self.proc.awaits = false;
        self.proc.atomic -= 1;
        self.proc.touched = true;
        let waits = self.waits(args);
        self.push_check(Bpl::Await(condition), waits.into_iter().chain(ends));
        Value::Void
    }

    /// `{:ends n}`, if the condition is that thread `n` has ended. Where there are other tasks, numbers of threads are not those of
    /// tasks.
    fn ends(&mut self, condition: &T) -> Option<dally_bpl::ast::Attr> {
        let Term::Select(map, thread) = &**condition else { return None };
        let is_ended = matches!(&**map, Term::Var(name) if *name == self.sym("$ended"));
        if !is_ended || self.facts.events.active || !matches!(&**thread, Term::Var(_) | Term::Int(_)) {
            return None;
        }
        let thread = self.expr(thread, false);
        Some(self.attr("ends", vec![AttrArg::Expr(thread)]))
    }

    /// `{:waits "mutex m", m.__owner}`: what a thread waits for, and the variable that says which thread has it.
    fn waits(&mut self, args: &[Expr]) -> Option<dally_bpl::ast::Attr> {
        let [_, text, rest @ ..] = args else { return None };
        let mut text = self.literal(text)?;
        let name = rest.first().and_then(|e| self.target_text(e));
        match name {
            Some(name) => text.push_str(&name),
            None => text = text.trim_end().to_owned(),
        }
        let text = self.sym(&text.replace('\\', "\\\\").replace('"', "\\\""));
        let mut shown = vec![AttrArg::Str(text)];
        for operand in rest.get(1).map_or(Vec::new(), |e| self.owner(e)) {
            shown.push(AttrArg::Expr(self.expr(&operand, false)));
        }
        Some(self.attr("waits", shown))
    }

    /// The variable that holds the owner of a lock, and its index if that is a variable or constant.
    fn owner(&mut self, e: &Expr) -> Vec<T> {
        let ExprKind::Load(lvalue) = &e.kind else { return Vec::new() };
        let place = self.place(lvalue);
        let is_simple = |index: &T| index.is_constant() || matches!(**index, term::Term::Var(_));
        let (object, steps) = match &place.base {
            super::places::Base::Variables(object, steps) => (*object, steps),
            super::places::Base::Memory(address) if is_simple(address) => {
                return vec![self.runtime_var("$mem"), address.clone()];
            }
            super::places::Base::Memory(_) => return Vec::new(),
        };
        let Some(scalar) = self.scalar(object, steps) else { return Vec::new() };
        let variable = scalar.leaf.var;
        match scalar.index {
            _ if !self.global_names.contains(self.ast.text(variable)) => Vec::new(),
            None => vec![term::var(variable)],
            Some(index) if is_simple(&index) => vec![term::var(variable), index],
            Some(_) => Vec::new(),
        }
    }

    fn verdict(&mut self, builtin: Builtin, args: &[Expr]) -> Value {
        let (condition, texts) = match (builtin, args) {
            (Builtin::Fail | Builtin::Unsupported, texts) => (None, texts),
            (_, [condition, texts @ ..]) => (Some(condition), texts),
            _ => (None, &[][..]),
        };
        let condition = match condition {
            Some(condition) => {
                let value = self.value(condition);
                self.condition(value)
            }
            None => term::boolean(false),
        };
        let texts: Vec<String> = texts.iter().filter_map(|text| self.literal(text)).collect();
        let text = match texts.concat().trim_end_matches(": ") {
            "" => "an assertion does not hold".to_owned(),
            text => text.to_owned(),
        };
        match builtin {
            Builtin::Assume => {
                self.point_before_assumption(&condition);
                self.assume(&condition);
            }
            Builtin::Restrict => self.assume(&condition),
            Builtin::Unsupported => self.unsupported(&text),
            _ => self.check(&condition, &text),
        }
        Value::Void
    }

    /// The text of a string literal, or of a parameter that stands for one.
    fn literal(&mut self, e: &Expr) -> Option<String> {
        let found = match &e.kind {
            ExprKind::Decay(inner) | ExprKind::Cast(inner) => return self.literal(inner),
            ExprKind::String(string) => *string,
            ExprKind::Load(_) => {
                let value = self.value(e);
                match value {
                    Value::Address(Place { base: super::places::Base::Memory(address), .. }) => {
                        match &*address {
                            term::Term::Str(string) => *string,
                            _ => return None,
                        }
                    }
                    Value::Int(address, _) => match &*address {
                        term::Term::Str(string) => *string,
                        _ => return None,
                    },
                    _ => return None,
                }
            }
            _ => return None,
        };
        let bytes = &self.program.strings[found.index()];
        Some(String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned())
    }

    fn choose(&mut self, args: &[Expr]) -> Value {
        let count = args.first().map(|n| self.value(n));
        let count = count.map_or(1, |n| self.int(n).as_int().unwrap_or(2)).max(1);
        let result = self.temporary(false);
        self.pick(result, 0, count - 1);
        Value::Int(term::var(result), Range { low: 0, high: count - 1 })
    }

    fn terms(&mut self, args: &[Expr]) -> Vec<T> {
        let mut terms = Vec::new();
        for arg in args {
            let value = self.value(arg);
            terms.push(self.int(value));
        }
        terms
    }

    fn memory_builtin(&mut self, builtin: Builtin, args: &[Expr]) -> Value {
        let terms = self.terms(args);
        let pointers = Range::of(IntType { bits: 64, signed: false });
        match (builtin, &terms[..]) {
            (Builtin::Allocate, [size, zero, ..]) => {
                let result = self.temporary(false);
                let allocate = if self.options.reuse { "$allocate_or_reuse" } else { "$allocate" };
                self.call(vec![Some(result)], allocate, &[size.clone(), zero.clone()]);
                Value::Int(term::var(result), pointers)
            }
            (Builtin::Alloca, [size, ..]) => match self.stack_object("", size) {
                super::objects::Storage::Memory(address) => Value::Int(address, pointers),
                _ => Value::Void,
            },
            (Builtin::Release, [pointer, ..]) => {
                self.release(pointer);
                Value::Void
            }
            (Builtin::ObjectSize, [pointer, ..]) => {
                let object = term::binary(B::Div, pointer.clone(), term::int(OBJECT));
                let sizes = self.runtime_var("$size");
                Value::Int(term::select(sizes, object), pointers)
            }
            (Builtin::Copy, [to, from, size, ..]) => {
                self.copy_bytes(to, from, size);
                Value::Void
            }
            (Builtin::Access, [pointer, size, ..]) => {
                self.access_bytes(pointer, size);
                Value::Void
            }
            (Builtin::Move, [to, from, size, ..]) => {
                self.move_bytes(to, from, size);
                Value::Void
            }
            (Builtin::Overlap, [p, q, size, ..]) => {
                let (p, q, size) =
                    (self.stable(p.clone()), self.stable(q.clone()), self.stable(size.clone()));
                let before = |a: &T, b: &T| {
                    term::and(
                        term::binary(B::Lt, a.clone(), b.clone()),
                        term::binary(B::Lt, b.clone(), term::add(a.clone(), size.clone())),
                    )
                };
                Value::Bool(term::or(before(&p, &q), before(&q, &p)))
            }
            (Builtin::Fill, [pointer, byte, size, ..]) => {
                self.fill(pointer, byte, size);
                Value::Void
            }
            _ => Value::Void,
        }
    }

    /// `free(p)`
    fn release(&mut self, pointer: &T) {
        let pointer = self.stable(pointer.clone());
        self.scheduling_point();
        let not_null = self.differs(pointer.clone(), 0);
        self.when(&not_null, |l| {
            let object = term::binary(B::Div, pointer.clone(), term::int(OBJECT));
            let sizes = l.runtime_var("$size");
            let size = term::select(sizes, object.clone());
            let not_released = l.differs(size.clone(), -1);
            l.check(&not_released, "double free: the object was already released");
            let offset = term::binary(B::Mod, pointer.clone(), term::int(OBJECT));
            let is_heap = term::binary(B::Ge, object.clone(), term::int(super::FIRST_HEAP));
            let is_start = term::and(term::eq(offset, term::int(0)), l.differs(size, 0));
            let kind = term::select(l.runtime_var("$zeroed"), object);
            let not_stack = term::binary(B::Lt, kind, term::int(STACK));
            let is_allocated = term::and(term::and(is_heap, is_start), not_stack);
            l.check(&is_allocated, "free of a pointer that was not allocated");
            l.call(Vec::new(), "$release", std::slice::from_ref(&pointer));
        });
    }

    // Atomic accesses.

    fn atomic_builtin(&mut self, builtin: Builtin, args: &[Expr]) -> Value {
        let Some((pointer, rest)) = args.split_first() else { return Value::Void };
        let ty = self.program.types.pointee(pointer.ty).unwrap_or(pointer.ty);
        let ty = self.program.types.unqualified(ty);
        let pointer = self.value(pointer);
        let mut place = self.target(pointer, ty);
        if self.program.types.as_int(place.ty).is_none() {
            place.ty = ty;
        }
        if builtin == Builtin::AtomicLoad {
            rest.iter().for_each(|a| self.effect(a));
            return self.indivisible(&place, |l| l.snapshot(&place));
        }
        let place = self.settled_place(place);
        if matches!(builtin, Builtin::AtomicCompareExchange) {
            return self.compare_exchange(&place, rest, ty);
        }
        let mut values = Vec::new();
        for arg in rest {
            let value = self.value(arg);
            values.push((self.stable_value(value), arg.ty));
        }
        if builtin == Builtin::AtomicStore {
            if let Some((value, from)) = values.first().cloned() {
                let value = self.convert(value, from, ty);
                self.indivisible(&place, |l| l.store(&place, value));
            }
            return Value::Void;
        }
        self.indivisible(&place, |l| l.read_modify_write(builtin, &place, &values, ty))
    }

    /// A scheduling point if the place is shared, and one step.
    pub(super) fn indivisible<A>(&mut self, place: &Place, access: impl FnOnce(&mut Self) -> A) -> A {
        self.access_point(place);
        self.proc.atomic += 1;
        let result = access(self);
        self.proc.atomic -= 1;
        result
    }

    /// The value of a place; a struct is copied. A union is not: it has no variables, and is read in one step later.
    pub(super) fn snapshot(&mut self, place: &Place) -> Value {
        if !self.is_record(place.ty) {
            return self.load(place);
        }
        let Some(object) = self.temporary_object(place.ty) else { return Value::Record(place.clone()) };
        let copy = Place::of_object(object, self.program.types.unqualified(place.ty));
        self.copy_record(&copy, place);
        Value::Record(copy)
    }

    /// The value of a place in temporaries, which later stores do not change.
    fn kept(&mut self, place: &Place) -> Value {
        match self.snapshot(place) {
            Value::Record(copy) => {
                if let super::places::Base::Memory(_) = copy.base {
                    self.unsupported("an atomic exchange of a union");
                }
                Value::Record(copy)
            }
            old => {
                let (old, range) = self.ranged(old);
                let temporary = self.temporary(false);
                self.set(temporary, &old);
                Value::Int(term::var(temporary), range)
            }
        }
    }

    /// Compares the members of two structs. Padding is ignored.
    fn equal_records(&mut self, a: &Place, b: &Place) -> T {
        let mut all = term::boolean(true);
        for leaf in self.leaves_of(a.ty).unwrap_or_default() {
            for n in 0..leaf.count() {
                let (x, y) = (self.load(&self.part(a, &leaf, n)), self.load(&self.part(b, &leaf, n)));
                let same = self.binary(BinaryOp::Eq, x, y, leaf.ty);
                let same = self.condition(same);
                all = term::and(all, same);
            }
        }
        all
    }

    fn read_modify_write(
        &mut self,
        builtin: Builtin,
        place: &Place,
        values: &[(Value, TypeId)],
        ty: TypeId,
    ) -> Value {
        let old = self.kept(place);
        let arg = |l: &mut Self, n: usize| match values.get(n) {
            Some((value, from)) => l.convert(value.clone(), *from, ty),
            None => Value::constant(0),
        };
        match builtin {
            Builtin::AtomicExchange => {
                let new = arg(self, 0);
                self.store(place, new);
                old
            }
            Builtin::AtomicFetch(op) | Builtin::AtomicUpdate(op) => {
                let operand = arg(self, 0);
                let new = self.atomic_operation(op, old.clone(), operand, ty);
                let new = self.stable_value(new);
                self.store(place, new.clone());
                if matches!(builtin, Builtin::AtomicFetch(_)) { old } else { new }
            }
            Builtin::AtomicFetchNand | Builtin::AtomicNandFetch => {
                let operand = arg(self, 0);
                let both = self.binary(BinaryOp::BitAnd, old.clone(), operand, ty);
                let new = self.unary(crate::hir::UnaryOp::BitNot, both, ty);
                let new = self.stable_value(new);
                self.store(place, new.clone());
                if builtin == Builtin::AtomicFetchNand { old } else { new }
            }
            Builtin::SyncValCas | Builtin::SyncBoolCas => {
                let (expected, new) = (arg(self, 0), arg(self, 1));
                let same = self.binary(BinaryOp::Eq, old.clone(), expected, ty);
                let same = self.condition(same);
                self.when(&same, |l| l.store(place, new));
                if builtin == Builtin::SyncBoolCas { Value::Bool(same) } else { old }
            }
            _ => old,
        }
    }

    /// The new value of an atomic operation. Pointers are counted in bytes; integers wrap silently (C11 7.17.7.5).
    fn atomic_operation(&mut self, op: BinaryOp, old: Value, operand: Value, ty: TypeId) -> Value {
        let is_pointer = self.program.types.pointee(ty).is_some();
        if !is_pointer && !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            return self.binary(op, old, operand, ty);
        }
        let ((a, range), (b, other)) = (self.ranged(old), self.ranged(operand));
        let (new, range_of_new) = match op {
            BinaryOp::Sub => (term::sub(a, b), range.corners(other, i128::checked_sub)),
            _ => (term::add(a, b), range.corners(other, i128::checked_add)),
        };
        let Some(int) = self.program.types.as_int(ty).filter(|_| !is_pointer) else {
            return Value::Int(new, range);
        };
        let wide = range_of_new.unwrap_or(Range { low: i128::MIN, high: i128::MAX });
        Value::Int(self.wrapped(new, wide, int), Range::of(int))
    }

    fn compare_exchange(&mut self, place: &Place, rest: &[Expr], ty: TypeId) -> Value {
        let [expected, desired, weak, ..] = rest else { return Value::constant(0) };
        let pointer = self.value(expected);
        let mut expected = self.target(pointer, ty);
        expected.ty = ty;
        let expected = self.settled_place(expected);
        let from = desired.ty;
        let desired = self.value(desired);
        let desired = self.convert(desired, from, ty);
        let desired = self.stable_value(desired);
        let wanted = self.snapshot(&expected);
        let wanted = self.stable_value(wanted);
        self.access_point(place);
        self.proc.atomic += 1;
        let old = self.kept(place);
        let same = match (&old, &wanted) {
            (Value::Record(old), Value::Record(wanted)) => self.equal_records(old, wanted),
            _ => {
                let same = self.binary(BinaryOp::Eq, old.clone(), wanted, ty);
                self.condition(same)
            }
        };
        let result = self.temporary(true);
        self.set(result, &same);
        if self.options.spurious && is_true(weak) {
            self.when(&term::var(result), |l| {
                let fails = l.temporary(false);
                l.pick(fails, 0, 1);
                l.set(result, &term::eq(term::var(fails), term::int(0)));
            });
        }
        let condition = self.expr(&term::var(result), true);
        self.begin();
        self.store(place, desired);
        let then = self.end();
        self.begin();
        self.store(&expected, old);
        let otherwise = self.end();
        self.push_if(condition, then, otherwise);
        self.proc.atomic -= 1;
        Value::Bool(term::var(result))
    }

    /// `printf`: the arguments are evaluated, and shown in traces. Literal strings become part of the format.
    fn print(&mut self, args: &[Expr]) -> Value {
        let Some((format, rest)) = args.split_first() else { return Value::constant(0) };
        let Some(mut text) = self.literal(format) else {
            args.iter().for_each(|arg| self.effect(arg));
            self.caveat_nondet("the arguments of formats that are not literals are not read", true);
            return Value::constant(0);
        };
        let mut shown = Vec::new();
        for arg in rest {
            // A width that is an argument is shown with the argument behind it.
            let may_insert = self.program.types.pointee(arg.ty).is_some() && !text.contains('*');
            let literal = if may_insert { self.literal(arg) } else { None };
            if let Some(literal) = literal {
                text = substitute(&text, shown.len(), &literal);
            } else if self.is_float(arg.ty) {
                text = substitute(&text, shown.len(), "?");
            } else {
                let value = self.value(arg);
                let term = self.print_term(value);
                shown.push(self.stable(term));
            }
        }
        let text = self.sym(&text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
        let mut parts = vec![AttrArg::Str(text)];
        parts.extend(shown.iter().map(|t| AttrArg::Expr(self.expr(t, false))));
        let attr = self.attr("print", parts);
        self.print_stmt(attr);
        Value::constant(0)
    }

    fn print_term(&mut self, value: Value) -> T {
        match value {
            Value::Address(Place { base: super::places::Base::Variables(..), .. }) | Value::Record(_) => {
                term::int(0)
            }
            other => self.int(other),
        }
    }
}

/// Replaces the n-th conversion of a format by a text.
fn substitute(format: &str, n: usize, text: &str) -> String {
    let mut result = String::new();
    let mut rest = format;
    let mut seen = 0;
    while let Some(start) = rest.find('%') {
        let after = &rest[start + 1..];
        if let Some(tail) = after.strip_prefix('%') {
            result.push_str(&rest[..start + 2]);
            rest = tail;
            continue;
        }
        let length = after.find(|c: char| c.is_ascii_alphabetic() && !"hlLqjzt".contains(c));
        let end = length.map_or(rest.len(), |length| start + 1 + length + 1);
        if seen == n {
            result.push_str(&rest[..start]);
            result.push_str(&text.replace('%', "%%"));
            result.push_str(&rest[end..]);
            return result;
        }
        seen += 1;
        result.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}
