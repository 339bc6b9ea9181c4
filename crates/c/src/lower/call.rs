//! Calls: of user functions, of library functions, which are inlined, and through pointers.
//!
//! A library function is one atomic piece: its arguments are evaluated, then there is a scheduling point if it touches
//! shared data, and none inside. A pointer parameter whose argument is the address of a place stands for the place.

use dally_bpl::ast::{BinaryOp, StmtKind as Bpl};
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::Lowerer;
use super::emit::{Frame, Return};
use super::memory::OBJECT;
use super::objects::{Leaf, ObjectId, Storage};
use super::places::{Base, Place, Value};
use super::term::{self, T, Term};
use crate::hir::{Expr, ExprKind, Function, FunctionId, LocalId, Stmt, StmtKind};
use crate::types::{Type, TypeId};

/// Library functions that call each other deeper than this are recursive.
const MOST_INLINED: usize = 40;

impl Lowerer<'_> {
    pub(super) fn function(&self, id: FunctionId) -> &Function {
        &self.program.functions[id.index()]
    }

    /// The address of a function.
    pub(super) fn function_address(&mut self, function: FunctionId) -> i128 {
        self.function_numbers[function.index()] * OBJECT
    }

    /// The function at a constant address.
    pub(super) fn function_at(&self, address: &T) -> Option<FunctionId> {
        let number = address.as_int().filter(|a| a % OBJECT == 0)? / OBJECT;
        let index = self.function_numbers.iter().position(|n| *n == number)?;
        Some(FunctionId(index as u32))
    }

    pub(super) fn call_expr(&mut self, callee: &Expr, args: &[Expr], ty: TypeId) -> Value {
        let unused = std::mem::take(&mut self.proc.unused);
        let direct = self.callee(callee);
        if let Some(function) = direct {
            let values = self.arguments(function, args);
            self.proc.unused = unused;
            if self.function(function).library {
                self.proc.arguments = args.iter().map(|arg| self.target_text(arg)).collect();
            }
            return self.call_function(function, values, ty);
        }
        let pointer = self.value(callee);
        let pointer = self.int(pointer);
        if let Some(function) = self.function_at(&pointer) {
            let values = self.arguments(function, args);
            return self.call_function(function, values, ty);
        }
        let pointer = self.stable(pointer);
        let mut values = Vec::new();
        for arg in args {
            let value = self.value(arg);
            values.push((self.stable_value(value), arg.ty));
        }
        self.dispatch(&pointer, &values, ty)
    }

    fn callee(&self, callee: &Expr) -> Option<FunctionId> {
        match &callee.kind {
            ExprKind::Function(function) => Some(*function),
            ExprKind::Cast(inner) => self.callee(inner),
            _ => None,
        }
    }

    /// The arguments of a call, with their types.
    fn arguments(&mut self, function: FunctionId, args: &[Expr]) -> Vec<(Value, TypeId)> {
        let params = self.function(function).params.len();
        let reads_all = self.reads_extra_arguments(function);
        let mut values = Vec::new();
        for (number, arg) in args.iter().enumerate() {
            if number >= params && !reads_all {
                self.effect(arg);
                continue;
            }
            let value = self.value(arg);
            values.push((value, arg.ty));
        }
        values
    }

    /// A value that may be used in several statements.
    pub(super) fn stable_value(&mut self, value: Value) -> Value {
        match value {
            Value::Int(t, range) => Value::Int(self.stable(t), range),
            Value::Bool(t) => match t.is_constant() {
                true => Value::Bool(t),
                false => {
                    let t = self.int(Value::Bool(t));
                    Value::Int(self.stable(t), super::term::Range { low: 0, high: 1 })
                }
            },
            Value::Address(place) => Value::Address(self.settled_place(place)),
            Value::Record(place) => Value::Record(self.settled_place(place)),
            Value::Void => Value::Void,
        }
    }

    /// Calls a function with evaluated arguments.
    pub(super) fn call_function(
        &mut self,
        function: FunctionId,
        args: Vec<(Value, TypeId)>,
        ty: TypeId,
    ) -> Value {
        let callee = self.function(function);
        let (has_body, library) = (callee.body.is_some(), callee.library);
        match (has_body, library) {
            (true, true) if callee.name == "__dally_read_string" && is_literal(&args) => Value::Void,
            (true, true) => self.inline(function, args, ty),
            (true, false) => {
                self.proc.unused = false;
                self.call_procedure(function, args, None, ty)
            }
            (false, _) => {
                self.proc.unused = false;
                self.external(function, ty)
            }
        }
    }

    /// `x := f(…)` for a variable of the thread: the result goes into it directly.
    pub(super) fn call_into(&mut self, variable: Sym, place: &Place, value: &Expr) -> bool {
        let ExprKind::Call(callee, args) = &value.kind else { return false };
        let Some(function) = self.callee(callee) else { return false };
        let Function { library, body, result, .. } = self.function(function);
        let types = &self.program.types;
        if *library || body.is_none() || types.unqualified(*result) != types.unqualified(place.ty) {
            return false;
        }
        let result = *result;
        let values = self.arguments(function, args);
        self.call_procedure(function, values, Some(variable), result);
        true
    }

    fn call_procedure(
        &mut self,
        function: FunctionId,
        args: Vec<(Value, TypeId)>,
        into: Option<Sym>,
        ty: TypeId,
    ) -> Value {
        let mut args = args;
        let extra = args.split_off(args.len().min(self.function(function).params.len()));
        let mut terms = self.argument_terms(function, args);
        let area = self.reads_extra_arguments(function).then(|| self.store_extra(&extra));
        terms.extend(area.clone());
        let callee = self.function(function);
        let (name, result, atomic) =
            (self.procedure_names[function.index()].clone(), callee.result, is_atomic(callee));
        let mut outs: Vec<Option<Sym>> = Vec::new();
        let mut object = None;
        if !matches!(self.program.types.get(result), Type::Void) {
            match into {
                Some(variable) => outs.push(Some(variable)),
                None => match self.temporary_object(result) {
                    Some(id) => {
                        outs.extend(self.object(id).leaves.iter().map(|l| Some(l.var)));
                        object = Some(id);
                    }
                    // A union: its address is returned.
                    None => outs.push(Some(self.temporary(false))),
                },
            }
        }
        let address = outs.first().copied().flatten();
        if self.facts.exits.contains(&function) {
            outs.push(self.proc.exits);
        }
        if atomic {
            self.scheduling_point();
        }
        self.call(outs, &name, &terms);
        area.iter().for_each(|area| self.release_extra(area));
        if let (true, Some(exits)) = (self.facts.exits.contains(&function), self.proc.exits) {
            self.when(&term::var(exits), super::Lowerer::leave);
        }
        let _ = ty;
        match (object, address) {
            (Some(object), _) => self.load(&Place::of_object(object, result)),
            (None, Some(address)) if into.is_none() => {
                Value::Record(Place::memory(term::var(address), result))
            }
            _ => Value::Void,
        }
    }

    /// The arguments of a procedure: the scalars of each parameter.
    pub(super) fn argument_terms(&mut self, function: FunctionId, args: Vec<(Value, TypeId)>) -> Vec<T> {
        let params: Vec<TypeId> = {
            let callee = self.function(function);
            callee.params.iter().map(|p| callee.locals[p.index()].ty).collect()
        };
        let mut terms = Vec::new();
        let mut args = args.into_iter();
        for param in params {
            let argument = args.next();
            match self.leaves_of(param).filter(|_| self.is_record(param)) {
                Some(leaves) => self.record_argument(argument.map(|a| a.0), param, &leaves, &mut terms),
                None => {
                    let value = match argument {
                        Some((Value::Record(Place { base: Base::Memory(address), .. }), _)) => address,
                        Some((value, ty)) => {
                            let value = self.convert(value, ty, param);
                            self.int(value)
                        }
                        None => term::int(0),
                    };
                    terms.push(value);
                }
            }
        }
        terms
    }

    fn record_argument(&mut self, argument: Option<Value>, ty: TypeId, leaves: &[Leaf], terms: &mut Vec<T>) {
        let Some(Value::Record(place)) = argument else {
            return terms.extend(leaves.iter().map(Self::zero_of));
        };
        // Arrays are passed as maps.
        if leaves.iter().any(Leaf::is_map)
            && let Some(object) = self.temporary_object(ty)
        {
            self.copy_record(&Place::of_object(object, ty), &place);
            return terms.extend(self.object(object).leaves.iter().map(|leaf| term::var(leaf.var)));
        }
        for leaf in leaves {
            let value = self.load(&self.part(&place, leaf, 0));
            terms.push(self.int(value));
        }
    }

    /// Leaves the procedure, since the thread ends.
    pub(super) fn leave(&mut self) {
        self.leave_all_scopes();
        self.release_stack();
        self.push(Bpl::Return);
    }

    /// Calls the function whose address a pointer holds.
    fn dispatch(&mut self, pointer: &T, args: &[(Value, TypeId)], ty: TypeId) -> Value {
        let is_candidate =
            |f: &Function| f.params.len() == args.len() || f.params.len() < args.len() && f.variadic;
        let candidates: Vec<FunctionId> =
            self.facts.addressed.iter().copied().filter(|f| is_candidate(self.function(*f))).collect();
        let result = match self.program.types.get(ty) {
            Type::Void => None,
            _ => self.temporary_object(ty),
        };
        self.dispatch_among(pointer, &candidates, args, (result, ty));
        match result {
            Some(object) => self.load(&Place::of_object(object, ty)),
            None => Value::Void,
        }
    }

    fn dispatch_among(
        &mut self,
        pointer: &T,
        candidates: &[FunctionId],
        args: &[(Value, TypeId)],
        (result, ty): (Option<ObjectId>, TypeId),
    ) {
        let Some((first, rest)) = candidates.split_first() else {
            let not_null = self.differs(pointer.clone(), 0);
            self.check(&not_null, "a null function pointer is called");
            return self.check(&term::boolean(false), "a wild function pointer is called");
        };
        let address = self.function_address(*first);
        let condition = term::binary(BinaryOp::Eq, pointer.clone(), term::int(address));
        let condition = self.expr(&condition, true);
        self.begin();
        let value = self.call_function(*first, args.to_vec(), ty);
        self.keep(result, value, ty);
        let then = self.end();
        self.begin();
        self.dispatch_among(pointer, rest, args, (result, ty));
        let otherwise = self.end();
        self.push_if(condition, then, otherwise);
    }

    /// A function without a body: its result is arbitrary.
    fn external(&mut self, function: FunctionId, ty: TypeId) -> Value {
        let Function { name, span, .. } = self.function(function);
        let (name, span) = (name.clone(), *span);
        if self.options.external_unsupported {
            self.unsupported(&format!("the external function `{name}`"));
            return Value::constant(0);
        }
        if name.starts_with("__CPROVER_uninterpreted_") {
            self.unsupported(&format!("the uninterpreted function `{name}`"));
            return Value::constant(0);
        }
        self.warn_external(&name, span);
        match self.program.types.get(self.program.types.unqualified(ty)) {
            Type::Void => Value::Void,
            Type::Record(_) => match self.temporary_object(ty) {
                Some(object) => Value::Record(Place::of_object(object, ty)),
                None => {
                    self.unsupported(&format!("the union that the external function `{name}` returns"));
                    Value::Void
                }
            },
            Type::Pointer(_) => {
                self.caveat_nondet(&format!("the external function `{name}` was given a null result"), true);
                Value::constant(0)
            }
            _ => self.nondet(ty, &format!("the external function `{name}`")),
        }
    }

    // Inlining.

    fn inline(&mut self, function: FunctionId, args: Vec<(Value, TypeId)>, _ty: TypeId) -> Value {
        if self.proc.frames.len() > MOST_INLINED {
            self.unsupported("a recursive function of the library");
            return Value::constant(0);
        }
        let program = self.program;
        let callee = &program.functions[function.index()];
        let Some(body) = &callee.body else { return Value::Void };
        let unused = std::mem::take(&mut self.proc.unused);
        let mut frame = Frame::new(function, Return::Procedure);
        frame.arguments = std::mem::take(&mut self.proc.arguments);
        let mut args = args;
        let extra = args.split_off(args.len().min(callee.params.len()));
        self.bind(function, args, &mut frame);
        let area = self.reads_extra_arguments(function).then(|| self.store_extra(&extra));
        frame.extra.clone_from(&area);
        self.settle();
        let (start, stack) = (self.block_len(), self.proc.stack.len());
        let touched = std::mem::replace(&mut self.proc.touched, false);
        if self.proc.atomic == 0 {
            self.proc.dirty_before = self.proc.dirty;
        }
        self.proc.atomic += 1;
        let value = self.inline_body(callee, body, frame, unused);
        self.proc.atomic -= 1;
        self.release_from(stack);
        area.iter().for_each(|area| self.release_extra(area));
        if self.proc.touched && self.proc.atomic == 0 && self.facts.threaded {
            self.insert_yield(start);
        }
        self.proc.touched |= touched;
        value
    }

    fn inline_body(&mut self, callee: &Function, body: &[Stmt], mut frame: Frame, unused: bool) -> Value {
        // A body that only returns a value needs no variable for it.
        if let [Stmt { kind: StmtKind::Return(Some(value)), .. }] = body {
            frame.returns = Return::Inline(self.end_label());
            self.proc.frames.push(frame);
            let value = self.value(value);
            self.proc.frames.pop();
            return value;
        }
        let end = self.fresh("$end");
        frame.returns = Return::Inline(end);
        let is_void = matches!(self.program.types.get(callee.result), Type::Void);
        frame.result = if is_void || unused { None } else { self.temporary_object(callee.result) };
        let result = frame.result;
        self.proc.frames.push(frame);
        let mark = self.proc.temporaries;
        match body.split_last() {
            Some((Stmt { kind: StmtKind::Return(value), .. }, rest)) => {
                self.statements(rest);
                if let Some(value) = value {
                    let value = self.value(value);
                    self.keep(result, value, callee.result);
                }
            }
            _ => self.statements(body),
        }
        self.proc.temporaries = mark;
        let jumped = self.proc.frames.pop().is_some_and(|f| f.jumped);
        if jumped {
            self.push_label(end);
        }
        match result {
            Some(object) => self.load(&Place::of_object(object, callee.result)),
            None => Value::Void,
        }
    }

    fn end_label(&mut self) -> Sym {
        self.sym("$end")
    }

    /// Binds the parameters of an inlined function.
    fn bind(&mut self, function: FunctionId, args: Vec<(Value, TypeId)>, frame: &mut Frame) {
        let program = self.program;
        let callee = &program.functions[function.index()];
        let places =
            args.iter().any(|(v, _)| matches!(v, Value::Address(Place { base: Base::Variables(..), .. })));
        for (param, (value, ty)) in callee.params.iter().zip(args) {
            let local = &callee.locals[param.index()];
            let value = self.convert(value, ty, local.ty);
            let storage = match self.facts.is_mutated(function, *param) {
                true => {
                    let object = self.inlined_local(function, *param);
                    self.keep(object, value, local.ty);
                    object.map(Storage::Variables)
                }
                false => {
                    let value = self.stable_value(value);
                    Some(Storage::Bound(if places { self.copied(value) } else { value }))
                }
            };
            frame.locals.extend(storage.map(|s| (*param, s)));
        }
    }

    /// A copy of a value that another argument may change.
    fn copied(&mut self, value: Value) -> Value {
        match value {
            Value::Int(t, range) if matches!(*t, Term::Var(_)) => {
                let temporary = self.temporary(false);
                self.set(temporary, &t);
                Value::Int(term::var(temporary), range)
            }
            other => other,
        }
    }

    /// The variables of a local of an inlined function: those of an earlier expansion are used again.
    pub(super) fn inlined_local(&mut self, function: FunctionId, local: LocalId) -> Option<ObjectId> {
        if let Some(known) = self.proc.inlined.get(&(function, local)) {
            return Some(*known);
        }
        let program = self.program;
        let callee = &program.functions[function.index()];
        let declared = &callee.locals[local.index()];
        let name =
            format!("{}${}", callee.name, if declared.name.is_empty() { "tmp" } else { &declared.name });
        let object = self.local_object(&name, declared.ty)?;
        self.proc.inlined.insert((function, local), object);
        Some(object)
    }

    /// Releases the stack objects that were made since.
    fn release_from(&mut self, stack: usize) {
        for address in self.proc.stack.split_off(stack) {
            self.call(Vec::new(), "$release", &[term::var(address)]);
        }
    }
}

impl Frame {
    pub(super) fn new(function: FunctionId, returns: Return) -> Frame {
        Frame {
            function,
            locals: FxHashMap::default(),
            arguments: Vec::new(),
            result: None,
            returns,
            jumped: false,
            labels: FxHashMap::default(),
            exits: Vec::new(),
            scopes: std::rc::Rc::default(),
            open: Vec::new(),
            addresses: FxHashMap::default(),
            extra: None,
        }
    }
}

/// Returns true if the first argument is a string literal: it can be read.
fn is_literal(args: &[(Value, TypeId)]) -> bool {
    match args.first() {
        Some((Value::Int(address, _), _)) => matches!(**address, Term::Str(_)),
        Some((Value::Address(Place { base: Base::Memory(address), .. }), _)) => {
            matches!(**address, Term::Str(_))
        }
        _ => false,
    }
}

/// SV-COMP: functions of these names are atomic.
pub(super) fn is_atomic(function: &Function) -> bool {
    let name = &function.name;
    name.starts_with("__VERIFIER_atomic_")
        && name != "__VERIFIER_atomic_begin"
        && name != "__VERIFIER_atomic_end"
}
