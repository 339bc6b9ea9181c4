//! Statements and the bodies of functions.

use dally_bpl::ast::{Attrs, VarDecl};

use super::Lowerer;
use super::call::is_atomic;
use super::emit::{Frame, Procedure, Return, ident};
use super::memory::STACK;
use super::objects::{Object, Storage};
use super::places::{Place, Value};
use super::scopes::Scope;
use super::term;
use crate::hir::{Expr, ExprKind, FunctionId, LocalId, Stmt, StmtKind};
use crate::types::{Type, TypeId};

impl Lowerer<'_> {
    pub(super) fn statements(&mut self, stmts: &[Stmt]) {
        for (index, stmt) in stmts.iter().enumerate() {
            self.assumed = stmts.get(index + 1).and_then(|next| self.assumed_range(stmt, next));
            self.statement(stmt);
        }
    }

    pub(super) fn statement(&mut self, stmt: &Stmt) {
        dally_text::stack::grow(|| self.statement_node(stmt));
    }

    fn statement_node(&mut self, stmt: &Stmt) {
        // Statements of the library have the span of the call.
        let outer = self.proc.span;
        if self.library_depth() == 0 {
            self.proc.span = stmt.span;
        }
        let (temporaries, slots) = (self.proc.temporaries, self.slot_count());
        self.block_statement(stmt, |l| l.statement_kind(stmt));
        self.proc.temporaries = temporaries;
        self.forget_slots(slots);
        self.proc.span = outer;
    }

    fn statement_kind(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => self.effect(e),
            StmtKind::Declare(local, init) => self.initialise(*local, init.as_ref()),
            StmtKind::Vla(local, count) => self.variable_array(*local, count),
            StmtKind::Block(stmts) => self.statements(stmts),
            StmtKind::If(condition, then, otherwise) => {
                self.if_statement(condition, then, otherwise.as_deref());
            }
            StmtKind::While(condition, body) => self.loop_statement(Some(condition), None, body),
            StmtKind::For(condition, step, body) => {
                self.loop_statement(condition.as_ref(), step.as_ref(), body);
            }
            StmtKind::DoWhile(body, condition) => self.do_while(body, condition),
            StmtKind::Switch(e, body) => self.switch(e, body),
            StmtKind::Case(low, high) => self.case_label(*low, *high),
            StmtKind::Default => self.default_label(),
            StmtKind::Break => self.break_statement(),
            StmtKind::Continue => self.continue_statement(),
            StmtKind::Goto(label) => {
                self.jump_to_label(*label);
                let label = self.label(*label);
                self.push_goto(label);
            }
            StmtKind::Label(label) => {
                let label = self.label(*label);
                self.push_label(label);
            }
            StmtKind::Return(value) => self.return_statement(value.as_ref()),
            StmtKind::Empty => {}
        }
    }

    fn return_statement(&mut self, value: Option<&Expr>) {
        let Some(frame) = self.proc.frames.last() else { return };
        let (result, returns, function) = (frame.result, frame.returns, frame.function);
        let ty = self.function(function).result;
        if let Some(value) = value {
            match result {
                Some(object) => {
                    let target = Place::of_object(object, ty);
                    match self.own_variable(&target) {
                        Some(variable) if self.call_into(variable, &target, value) => {}
                        _ => {
                            let value = self.value(value);
                            self.keep(result, value, ty);
                        }
                    }
                }
                None => self.return_union(value, ty),
            }
        }
        match returns {
            Return::Procedure => self.return_from_procedure(),
            Return::Inline(label) => {
                self.push_goto(label);
                self.proc.frames.last_mut().into_iter().for_each(|f| f.jumped = true);
            }
        }
    }

    /// A union is returned as the address of a copy.
    fn return_union(&mut self, value: &Expr, ty: TypeId) {
        let value = self.value(value);
        if let (Value::Record(place), Some(address)) = (value, self.proc.union_result) {
            let size = self.program.types.size(ty).unwrap_or(0);
            self.call(vec![Some(address)], "$allocate", &[term::int(i128::from(size)), term::int(STACK)]);
            self.copy_record(&Place::memory(term::var(address), ty), &place);
        }
    }

    fn variable_array(&mut self, local: LocalId, count: &Expr) {
        let Some(function) = self.proc.frames.last().map(|f| f.function) else { return };
        let Local { name, ty } = self.local_of(function, local);
        let size = self.program.types.pointee(ty).and_then(|t| self.program.types.size(t)).unwrap_or(1);
        let count = self.value(count);
        let count = self.int(count);
        let bytes = term::mul(count, term::int(i128::from(size)));
        let address = match self.library_depth() {
            0 => self.begin_array(local, &bytes),
            _ => match self.stack_object(&name, &bytes) {
                Storage::Memory(address) => Some(address),
                _ => None,
            },
        };
        if let Some(address) = address {
            let value = Value::Int(address, super::term::Range { low: 0, high: i128::from(u64::MAX) });
            self.bind_local(local, Storage::Bound(value));
        }
    }

    pub(super) fn local_of(&self, function: FunctionId, local: LocalId) -> Local {
        let declared = &self.function(function).locals[local.index()];
        Local { name: declared.name.clone(), ty: declared.ty }
    }

    pub(super) fn bind_local(&mut self, local: LocalId, storage: Storage) {
        if let Some(frame) = self.proc.frames.last_mut() {
            frame.locals.insert(local, storage);
        }
    }

    /// The storage of a local, made when it is first needed.
    pub(super) fn local_storage(&mut self, local: LocalId) -> Option<Storage> {
        let frame = self.proc.frames.last()?;
        let (function, inlined) = (frame.function, self.library_depth() > 0);
        if let Some(storage) = frame.locals.get(&local)
            && !(inlined && matches!(storage, Storage::Memory(_)))
        {
            return Some(storage.clone());
        }
        let Local { name, ty } = self.local_of(function, local);
        let storage = match self.facts.in_memory_local(function, local) {
            true => {
                let size = self.program.types.size(ty).unwrap_or(1);
                self.stack_object(&name, &term::int(i128::from(size)))
            }
            false if inlined => Storage::Variables(self.inlined_local(function, local)?),
            false => {
                Storage::Variables(self.local_object(if name.is_empty() { "$literal" } else { &name }, ty)?)
            }
        };
        self.bind_local(local, storage.clone());
        Some(storage)
    }

    // Functions.

    /// Lowers a function to a procedure.
    pub(super) fn declare_function(&mut self, function: FunctionId) {
        let program = self.program;
        let callee = &program.functions[function.index()];
        let Some(body) = &callee.body else { return };
        self.proc = Procedure::new(self.procedure_names[function.index()].clone());
        self.proc.span = callee.span;
        let mut frame = Frame::new(function, Return::Procedure);
        frame.scopes = self.find_scopes(function);
        self.proc.frames.push(frame);
        let outs = self.results(function);
        let ins = self.parameters(function);
        if let Some(exits) = self.proc.exits {
            self.set(exits, &term::boolean(false));
        }
        let mark = self.proc.temporaries;
        self.scoped(Scope::List(body.as_ptr()), |l| l.statements(body));
        self.proc.temporaries = mark;
        if !self.has_left() {
            self.proc.span = callee.span;
            self.missing_result(callee.result);
            self.release_at_return();
        }
        let attrs = match is_atomic(callee) {
            true => [self.attr("atomic", Vec::new())].into_iter().collect(),
            false => Attrs::NONE,
        };
        self.declare_procedure(ins, outs, attrs);
    }

    /// The results of a procedure: the scalars of the result, and whether the thread ends.
    /// A function that ends without `return`: a pointer is null, as for threads whose result is not used.
    fn missing_result(&mut self, ty: TypeId) {
        let Some(object) = self.proc.frames.last().and_then(|f| f.result) else { return };
        if self.program.types.pointee(ty).is_some() {
            self.store(&Place::of_object(object, ty), Value::constant(0));
        }
    }

    fn results(&mut self, function: FunctionId) -> Vec<VarDecl> {
        let ty = self.function(function).result;
        let mut outs = Vec::new();
        if !matches!(self.program.types.get(ty), Type::Void) {
            match self.leaves_of(ty) {
                Some(mut leaves) => {
                    for leaf in &mut leaves {
                        leaf.var = self.fresh(&format!("$return{}", leaf.suffix));
                        let attrs = self.arbitrary_range(leaf);
                        outs.push(self.var_decl(leaf.var, leaf.is_map(), attrs));
                    }
                    let object = self.add_object(Object { shared: false, leaves });
                    self.proc.frames.last_mut().into_iter().for_each(|f| f.result = Some(object));
                }
                None => {
                    let address = self.fresh("$return");
                    outs.push(self.var_decl(address, false, Attrs::NONE));
                    self.proc.union_result = Some(address);
                }
            }
        }
        if self.facts.exits.contains(&function) {
            let exits = self.fresh("$exits");
            let ty = self.type_expr(dally_bpl::ast::TypeExpr::Bool);
            let var = dally_bpl::ast::Var { name: ident(exits), ty, where_clause: None };
            outs.push(VarDecl { attrs: Attrs::NONE, var });
            self.proc.exits = Some(exits);
        }
        outs
    }

    /// The parameters of a procedure. Those that are assigned to or in memory are copied.
    fn parameters(&mut self, function: FunctionId) -> Vec<VarDecl> {
        let params = self.function(function).params.clone();
        let mut ins = Vec::new();
        for param in params {
            let Local { name, ty } = self.local_of(function, param);
            let name = if name.is_empty() { "unnamed".to_owned() } else { name };
            let in_memory = self.facts.in_memory_local(function, param);
            let mutated = self.facts.is_mutated(function, param);
            let Some(mut leaves) = self.leaves_of(ty) else {
                self.union_parameter(param, &name, ty, &mut ins);
                continue;
            };
            let copied = in_memory || mutated;
            for leaf in &mut leaves {
                let wanted = format!("{name}{}{}", leaf.suffix, if copied { "$in" } else { "" });
                leaf.var = self.fresh(&wanted);
                let shown = format!("{}{name}{}", if copied { "$" } else { "" }, leaf.suffix);
                let attrs = self.describe(leaf.var, &shown, leaf.ty).into_iter().collect();
                ins.push(self.var_decl(leaf.var, leaf.is_map(), attrs));
            }
            let object = self.add_object(Object { shared: false, leaves });
            if !copied {
                self.bind_local(param, Storage::Variables(object));
                continue;
            }
            self.copy_parameter(param, &Place::of_object(object, ty));
        }
        ins.extend(self.extra_parameter(function));
        ins
    }

    fn copy_parameter(&mut self, param: LocalId, from: &Place) {
        let to = match self.local_storage(param) {
            Some(Storage::Variables(object)) => Place::of_object(object, from.ty),
            Some(Storage::Memory(address)) => Place::memory(address, from.ty),
            _ => return,
        };
        self.proc.atomic += 1;
        let value = self.load(from);
        self.store(&to, value);
        self.proc.atomic -= 1;
    }

    /// A union is passed as the address of the argument, and copied.
    fn union_parameter(&mut self, param: LocalId, name: &str, ty: TypeId, ins: &mut Vec<VarDecl>) {
        let address = self.fresh(&format!("{name}$in"));
        ins.push(self.var_decl(address, false, Attrs::NONE));
        self.copy_parameter(param, &Place::memory(term::var(address), ty));
    }
}

/// The name and type of a local.
pub(super) struct Local {
    pub(super) name: String,
    pub(super) ty: TypeId,
}

/// The variable that an lvalue is part of.
pub(super) fn root_local(e: &Expr) -> Option<LocalId> {
    match &e.kind {
        ExprKind::Local(local) | ExprKind::Compound(local, _) => Some(*local),
        ExprKind::Member(record, _) => root_local(record),
        ExprKind::Deref(pointer) => root_of_pointer(pointer),
        _ => None,
    }
}

/// The variable of an array whose element a pointer is.
fn root_of_pointer(e: &Expr) -> Option<LocalId> {
    match &e.kind {
        ExprKind::Decay(array) | ExprKind::AddressOf(array) => root_local(array),
        ExprKind::PointerAdd(pointer, _) | ExprKind::Cast(pointer) => root_of_pointer(pointer),
        _ => None,
    }
}
