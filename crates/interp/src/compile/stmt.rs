//! Statements.

use dally_bpl::Points;
use dally_bpl::ast::{
    Access, Accesses, Async, BinaryOp, Block, Call, Expr, ExprId, ExprList, Guard, Ident, If, Lhs,
    LoopSpecKind, Stmt, StmtKind, UnaryOp, Unpack, While,
};
use dally_bpl::check::{Ref, Ty, TyKind, VarId};
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::script::ScriptTarget;
use super::{Compiler, Meaning};
use crate::code::{Address, Op, VarStorage};
use crate::value::Value;

/// A statement that a `break` may leave.
#[derive(Debug)]
pub(super) struct Enclosing {
    label: Option<Sym>,
    is_loop: bool,
    /// The number of atomic sections around it.
    atomic: u32,
    /// Jumps to its end.
    breaks: Vec<Address>,
}

/// A jump to a label that may come later.
#[derive(Debug)]
pub(super) struct Goto {
    label: Ident,
    atomic: u32,
    from: From,
}

#[derive(Debug)]
enum From {
    Jump(Address),
    /// A list of targets, and the index in it.
    Choice(u32, usize),
}

impl Compiler<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        let mut label = None;
        // An `await` at the end of one branch does not precede the first statement of the next.
        self.frame.awaited = false;
        for stmt in &block.stmts {
            self.span = stmt.span;
            dally_text::stack::grow(|| self.stmt(stmt, label));
            label = match &stmt.kind {
                StmtKind::Label(name) => Some(name.name),
                _ => None,
            };
        }
    }

    fn stmt(&mut self, stmt: &Stmt, label: Option<Sym>) {
        // There is no preemption between an `await` and the statement after it in the same block.
        let awaited = std::mem::take(&mut self.frame.awaited);
        if self.is_preempted() && !awaited && (self.ast.begins_section(stmt) || self.touches_shared(stmt)) {
            self.preempt();
        }
        match &stmt.kind {
            StmtKind::Label(name) => {
                let here = (self.here(), self.frame.atomic);
                self.frame.labels.insert(name.name, here);
            }
            StmtKind::Assert(e) => {
                self.expr(*e);
                self.check("an assertion does not hold", stmt.span);
                self.describe_check(stmt, matches!(self.ast.exprs[*e], Expr::Bool(false)));
            }
            StmtKind::Assume(e) => {
                self.print(stmt);
                self.assume(*e);
                let exits = self.ast.attr(&stmt.attrs, "exit").is_some();
                let inside = exits || !self.frame.enclosing.is_empty();
                if matches!(self.ast.exprs[*e], Expr::Bool(false)) && inside {
                    let address = self.here() - 1;
                    self.code.cuts.push(address);
                }
            }
            StmtKind::Havoc(vars) => self.havoc(stmt, vars),
            StmtKind::Assign(targets, values) => {
                let from = self.here();
                self.assign(targets, *values);
                self.shows(stmt, from);
            }
            StmtKind::Unpack(unpack) => self.unpack(unpack),
            StmtKind::Call(call) => self.call(call, awaited),
            StmtKind::If(conditional) => {
                let atomic = self.ast.attr(&stmt.attrs, "atomic").is_some();
                self.conditional(conditional, label, atomic);
            }
            StmtKind::While(w) => self.while_loop(w, label),
            StmtKind::Break(target) => self.break_out(*target),
            StmtKind::Return | StmtKind::ReturnExpr(_) => {
                for _ in 0..self.frame.atomic {
                    self.emit(Op::AtomicEnd);
                }
                let jump = self.emit(Op::Jump(0));
                self.frame.returns.push(jump);
            }
            StmtKind::Goto(targets) => self.goto(targets),
            StmtKind::Measure(_) | StmtKind::Reveal(..) | StmtKind::Scope(_) => {}
            _ => self.asynchronous(stmt),
        }
        self.frame.awaited = matches!(stmt.kind, StmtKind::Await(_));
    }

    /// A scheduling point that is not in the text.
    fn preempt(&mut self) {
        let span = std::mem::replace(&mut self.span, Span::NONE);
        let by_level = self.code.preemption.depends_on_level();
        let Points { yields, zields } = self.frame.points;
        if yields {
            self.emit(if by_level { Op::YieldByLevel } else { Op::Yield });
        }
        if zields {
            self.emit(if by_level { Op::ZieldByLevel } else { Op::Zield });
        }
        self.span = span;
    }

    /// Returns true if scheduling points are inserted here.
    fn is_preempted(&self) -> bool {
        self.frame.points.any() && self.frame.atomic == 0
    }

    fn asynchronous(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Async(post) => self.post(post),
            StmtKind::Wait(out, task) => self.wait(*out, *task),
            StmtKind::Await(e) => {
                let begin = self.emit(Op::Await);
                self.waits(stmt, begin);
                self.ends(stmt, begin);
                if self.ast.attr(&stmt.attrs, "daemon").is_some() {
                    self.code.daemons.insert(begin);
                }
                self.expr(*e);
                self.emit(Op::AwaitEnd(begin));
            }
            // In a lowered program, most scheduling points are not in the text.
            StmtKind::Yield if self.options.notation.is_some() => {
                let span = std::mem::replace(&mut self.span, Span::NONE);
                self.emit(Op::Yield);
                self.span = span;
            }
            StmtKind::Yield => {
                self.emit(Op::Yield);
            }
            StmtKind::Zield => {
                self.emit(Op::Zield);
            }
            StmtKind::AtomicBegin => {
                self.emit(Op::AtomicBegin);
            }
            StmtKind::AtomicEnd => {
                self.emit(Op::AtomicEnd);
            }
            StmtKind::Seal => {
                self.emit(Op::Seal);
            }
            StmtKind::Unseal => {
                self.emit(Op::Unseal);
            }
            _ => {}
        }
    }

    /// `assume e`: conjuncts of the form `x == e` give an arbitrary `x` its value.
    pub(super) fn assume(&mut self, e: ExprId) {
        match self.ast.exprs[e] {
            Expr::Binary(BinaryOp::And, left, right) => {
                dally_text::stack::grow(|| self.assume(left));
                self.assume(right);
            }
            Expr::Binary(BinaryOp::Eq | BinaryOp::Iff, left, right)
                if self.variable_place(left).is_some() =>
            {
                self.assume_equal(left, right);
            }
            Expr::Binary(BinaryOp::Eq | BinaryOp::Iff, left, right)
                if self.variable_place(right).is_some() =>
            {
                self.assume_equal(right, left);
            }
            Expr::Unary(UnaryOp::Not, inner) if self.variable_place(inner).is_some() => {
                self.assume_constant(inner, Value::Bool(false));
            }
            Expr::Name(_) if self.variable_place(e).is_some() => self.assume_constant(e, Value::Bool(true)),
            _ => {
                self.expr(e);
                self.emit(Op::Assume);
            }
        }
    }

    fn assume_equal(&mut self, variable: ExprId, value: ExprId) {
        if let Some(constant) = self.constant(value) {
            return self.assume_constant(variable, constant);
        }
        self.expr(value);
        if let Some(place) = self.variable_place(variable) {
            self.emit(Op::AssumeEq(place));
        }
    }

    fn assume_constant(&mut self, variable: ExprId, value: Value) {
        if let Some(place) = self.variable_place(variable) {
            self.code.constants.push(value);
            self.emit(Op::AssumeIs(place, self.code.constants.len() as u32 - 1));
        }
    }

    pub(super) fn variable_place(&self, e: ExprId) -> Option<VarStorage> {
        match (self.ast.exprs[e], self.info.meaning(e)) {
            (Expr::Name(_), Some(Ref::Var(var))) if !self.frame.in_old => self.place(var),
            _ => None,
        }
    }

    fn place(&self, var: VarId) -> Option<VarStorage> {
        match self.meanings.get(&var) {
            Some(Meaning::VarStorage(place)) => Some(*place),
            _ => None,
        }
    }

    /// The variable of this name, and its storage.
    fn target(&self, name: Ident) -> Option<(VarId, VarStorage)> {
        let var = self.frame_var(name.name).or_else(|| self.info.global(name.name))?;
        Some((var, self.place(var)?))
    }

    fn frame_var(&self, name: Sym) -> Option<VarId> {
        self.frame.names.get(&name).copied()
    }

    fn set(&mut self, name: Ident) {
        match self.target(name) {
            Some((_, place)) => self.emit(Op::Set(place)),
            None => self.emit(Op::Pop),
        };
    }

    fn havoc(&mut self, stmt: &Stmt, vars: &[Ident]) {
        let range = self.range(&stmt.attrs).filter(|_| self.scripting.is_none());
        for name in vars {
            let Some((var, _)) = self.target(*name) else { continue };
            match range {
                Some((low, high)) => {
                    let bits = matches!(self.info.types.kind(self.info[var].ty), TyKind::Bv(_));
                    self.emit(Op::Pick(low, high, bits));
                }
                None => {
                    self.emit(Op::Const(Value::Unset));
                }
            }
            self.set(*name);
        }
        let target = |name: &Ident| {
            let (var, place) = self.target(*name)?;
            Some(ScriptTarget { name: name.name, ty: self.info[var].ty, place })
        };
        let targets: Vec<_> = vars.iter().filter_map(target).collect();
        self.scripted_values(stmt.span, &targets);
        for name in vars {
            if let Some(condition) = self.where_clause(*name) {
                self.assume(condition);
            }
        }
    }

    /// The `where` clause of a variable, which every arbitrary value assigned to it has to satisfy.
    fn where_clause(&self, name: Ident) -> Option<ExprId> {
        let var = self.frame_var(name.name);
        var.and_then(|v| self.frame.where_clauses.get(&v))
            .or_else(|| self.where_clauses.get(&name.name))
            .copied()
    }

    fn assign(&mut self, targets: &[Lhs], values: ExprList) {
        // All values are computed before the first assignment.
        for (target, value) in targets.iter().zip(self.ast.exprs.list(values)) {
            self.new_value(target, *value);
        }
        for target in targets.iter().rev() {
            self.set(target.base);
        }
    }

    /// The value that the variable of a target gets: `m[i]->f := v` assigns `m[i := m[i]->(f := v)]`.
    fn new_value(&mut self, target: &Lhs, value: ExprId) {
        let Some((var, place)) = self.target(target.base) else { return self.expr(value) };
        let ty = self.info[var].ty;
        self.updated(&Base::Variable(place), ty, &target.path, value);
    }

    /// Pushes the value at `base` with the part at `path` replaced.
    fn updated(&mut self, base: &Base<'_>, ty: Ty, path: &[Access], value: ExprId) {
        let Some((first, rest)) = path.split_first() else { return self.expr(value) };
        self.load(base);
        let inner = Base::Part(base, first, ty);
        match first {
            Access::Index(indices, _) => {
                let indices = self.ast.exprs.list(*indices);
                for index in indices {
                    self.expr(*index);
                }
                let element = self.element_type(ty);
                self.updated(&inner, element, rest, value);
                self.emit(Op::Store(indices.len().min(255) as u8));
            }
            Access::Field(field) => {
                let list = self.field_of(ty, field.name);
                let field_ty = self.field_type(ty, field.name);
                self.updated(&inner, field_ty, rest, value);
                self.emit(Op::FieldUpdate(list));
            }
        }
    }

    fn load(&mut self, base: &Base<'_>) {
        match base {
            Base::Variable(place) => {
                self.emit(Op::Load(*place));
            }
            Base::Part(outer, access, ty) => {
                self.load(outer);
                match access {
                    Access::Index(indices, _) => {
                        let indices = self.ast.exprs.list(*indices);
                        for index in indices {
                            self.expr(*index);
                        }
                        let map = matches!(self.info.types.kind(self.element_type(*ty)), TyKind::Map(..));
                        self.emit(Op::Select(indices.len().min(255) as u8, map));
                    }
                    Access::Field(field) => {
                        let list = self.field_of(*ty, field.name);
                        self.emit(Op::Field(list));
                    }
                }
            }
        }
    }

    fn element_type(&self, ty: Ty) -> Ty {
        match self.info.types.kind(ty) {
            TyKind::Map(_, _, value) => *value,
            _ => ty,
        }
    }

    fn field_type(&self, ty: Ty, field: Sym) -> Ty {
        let TyKind::Con(con, _) = self.info.types.kind(ty) else { return ty };
        let place = self.info.datatypes.get(con).and_then(|d| d.field(field));
        place.map_or(ty, |at| self.info[at.constructor].params[at.index])
    }

    fn unpack(&mut self, unpack: &Unpack) {
        let ty = self.info.type_of(unpack.value);
        let name = unpack.constructor.name;
        let constructors = match self.info.types.kind(ty) {
            TyKind::Con(con, _) => self.info.datatypes.get(con).map(|d| d.constructors.clone()),
            _ => None,
        };
        let found = constructors.into_iter().flatten().find(|c| self.info[c.function].name == name);
        let Some(found) = found else { return };
        let number = self.constructor(found.function);
        self.expr(unpack.value);
        self.emit(Op::Is(number));
        self.check(format!("the value is not a `{}`", self.text(name)), self.span);
        for place in 0..unpack.vars.len() {
            self.expr(unpack.value);
            self.code.fields.push(vec![(number, place as u32)]);
            self.emit(Op::Field(self.code.fields.len() as u32 - 1));
        }
        for var in unpack.vars.iter().rev() {
            self.set(*var);
        }
    }

    fn call(&mut self, call: &Call, awaited: bool) {
        let thread = match self.text(call.procedure.name) {
            "corral_getThreadID" => Some(Op::ThreadId),
            "corral_getChildThreadID" => Some(Op::ChildId),
            _ => None,
        };
        if let (Some(op), [out]) = (thread, &call.outs[..]) {
            (self.code.numbers_tasks, self.code.keeps_ids) = (true, true);
            self.emit(op);
            return self.receive(*out);
        }
        let Some(procedure) = self.info.procedure(call.procedure.name) else { return };
        for arg in self.ast.exprs.list(call.args) {
            self.expr(*arg);
        }
        if self.is_preempted() && !awaited && self.is_one_step(procedure) {
            self.preempt_keeping(call.args.len());
        }
        let index = self.procedure_index(procedure);
        self.emit(Op::Call(index));
        let shared = |out: &Option<Ident>| {
            out.and_then(|name| self.target(name)).is_some_and(|(var, _)| self.is_shared(var))
        };
        if self.is_preempted() && call.outs.iter().any(shared) {
            self.preempt_keeping(call.outs.len());
        }
        for out in call.outs.iter().rev() {
            self.receive(*out);
        }
    }

    /// A scheduling point between the evaluation of arguments and a call that is one step, or between the
    /// return of a call and the assignment of its results to shared variables. Keeps this many operands.
    fn preempt_keeping(&mut self, count: usize) {
        let kept: Vec<VarStorage> = (0..count).map(|_| self.hidden(self.frame.name)).collect();
        for place in kept.iter().rev() {
            self.emit(Op::Set(*place));
        }
        self.preempt();
        for place in &kept {
            self.emit(Op::Take(*place));
        }
    }

    /// Assigns a result, or drops it if the call has no target for it.
    fn receive(&mut self, out: Option<Ident>) {
        match out {
            Some(out) => self.set(out),
            None => {
                self.emit(Op::Pop);
            }
        }
    }

    fn post(&mut self, post: &Async) {
        let Some(procedure) = self.info.procedure(post.procedure.name) else { return };
        for arg in self.ast.exprs.list(post.args) {
            self.expr(*arg);
        }
        let index = self.procedure_index(procedure);
        for (number, what) in [(post.level, "levels"), (post.buffer, "buffers")] {
            if number.is_some_and(|n| n > u32::from(u16::MAX)) {
                self.unsupported(self.span, format!("{what} above 65,535 are not supported"));
            }
        }
        let [level, buffer] = [post.level, post.buffer].map(|n| n.map(|n| n as u16));
        self.emit(Op::Post(index, level, buffer, post.handle.is_some()));
        let is_task = |c: &Self, v: VarId| matches!(c.info.types.kind(c.info[v].ty), TyKind::Task(_));
        match post.handle {
            Some(handle) => {
                // A variable that is not a task handle receives an arbitrary value.
                if self.target(handle).is_some_and(|(var, _)| !is_task(self, var)) {
                    self.emit(Op::Pop);
                    self.emit(Op::Const(Value::Unset));
                }
                self.set(handle);
            }
            None => {
                self.emit(Op::Pop);
            }
        }
        if post.level.is_some() {
            self.emit(Op::Interrupt);
        }
    }

    fn wait(&mut self, out: Option<Ident>, task: ExprId) {
        let VarStorage::Local(hidden) = self.hidden(self.frame.name) else { return };
        self.expr(task);
        self.emit(Op::Set(VarStorage::Local(hidden)));
        self.emit(Op::Wait(hidden));
        self.receive(out);
    }

    // Control.

    /// Emits code that continues only if the guard holds. Returns the exit, whose target is still to be
    /// set.
    fn guard(&mut self, guard: Guard) -> Exit {
        match guard {
            Guard::Expr(e) => {
                self.expr(e);
                let jump = self.emit(Op::JumpUnless(0));
                if !matches!(self.ast.exprs[e], Expr::Bool(_)) {
                    self.code.branches.push(jump);
                }
                Exit::Jump(jump)
            }
            Guard::Any => {
                let choice = self.choose(vec![0, 0]);
                let list = self.code.targets.len() as u32 - 1;
                self.code.targets[list as usize][0].to = choice + 1;
                Exit::Choice(list)
            }
        }
    }

    fn lead_here(&mut self, exit: &Exit) {
        match *exit {
            Exit::Jump(jump) => self.patch(jump),
            Exit::Choice(list) => {
                let here = self.here();
                self.code.targets[list as usize][1].to = here;
            }
        }
    }

    fn conditional(&mut self, conditional: &If, label: Option<Sym>, atomic: bool) {
        let (around, span) = (self.frame.atomic, self.span);
        self.frame.enclosing.push(Enclosing { label, is_loop: false, atomic: around, breaks: Vec::new() });
        if atomic {
            self.emit(Op::AtomicBegin);
            self.frame.atomic += 1;
        }
        let mut ends = Vec::new();
        for branch in &conditional.branches {
            self.span = span;
            let exit = self.guard(branch.guard);
            self.block(&branch.block);
            self.span = Span::NONE;
            ends.push(self.emit(Op::Jump(0)));
            self.lead_here(&exit);
        }
        if let Some(otherwise) = &conditional.otherwise {
            self.block(otherwise);
        }
        for end in ends {
            self.patch(end);
        }
        self.span = Span::NONE;
        if atomic {
            self.emit(Op::AtomicEnd);
            self.frame.atomic -= 1;
        }
        self.close();
    }

    /// Closes a statement that a `break` may leave.
    fn close(&mut self) {
        let Some(enclosing) = self.frame.enclosing.pop() else { return };
        for jump in enclosing.breaks {
            self.patch(jump);
        }
    }

    fn while_loop(&mut self, w: &While, label: Option<Sym>) {
        let atomic = self.frame.atomic;
        self.frame.enclosing.push(Enclosing { label, is_loop: true, atomic, breaks: Vec::new() });
        let span = self.span;
        let head = self.here();
        for spec in &w.specs {
            if let LoopSpecKind::Invariant { free, expr } = spec.kind {
                self.expr(expr);
                if free {
                    self.emit(Op::Assume);
                } else {
                    self.check("a loop invariant does not hold", self.ast.exprs.span(expr));
                }
            }
        }
        let exit = self.guard(w.guard);
        self.block(&w.body);
        self.span = span;
        if self.is_preempted() && self.guard_touches_shared(w.guard) {
            self.preempt();
        }
        self.emit(Op::Jump(head));
        self.lead_here(&exit);
        self.close();
    }

    fn break_out(&mut self, label: Option<Ident>) {
        let matches = |e: &Enclosing| match label {
            Some(label) => e.label == Some(label.name),
            None => e.is_loop,
        };
        let Some(place) = self.frame.enclosing.iter().rposition(matches) else { return };
        for _ in self.frame.enclosing[place].atomic..self.frame.atomic {
            self.emit(Op::AtomicEnd);
        }
        let jump = self.emit(Op::Jump(0));
        self.frame.enclosing[place].breaks.push(jump);
    }

    fn goto(&mut self, targets: &[Ident]) {
        let atomic = self.frame.atomic;
        if let [label] = targets {
            let from = From::Jump(self.emit(Op::Jump(0)));
            self.frame.gotos.push(Goto { label: *label, atomic, from });
            return;
        }
        self.choose(vec![0; targets.len()]);
        let list = self.code.targets.len() as u32 - 1;
        for (i, label) in targets.iter().enumerate() {
            self.frame.gotos.push(Goto { label: *label, atomic, from: From::Choice(list, i) });
        }
    }

    /// Resolves the jumps of a body to its labels.
    pub(super) fn link_gotos(&mut self) {
        for Goto { label, atomic, from } in std::mem::take(&mut self.frame.gotos) {
            let Some((address, around)) = self.frame.labels.get(&label.name).copied() else { continue };
            if around != atomic {
                self.unsupported(label.span, "a `goto` into or out of an atomic `if`");
            }
            match from {
                From::Jump(jump) => self.code.ops[jump as usize] = Op::Jump(address),
                From::Choice(list, place) => self.code.targets[list as usize][place].to = address,
            }
        }
    }

    // Accesses to shared variables.

    fn touches_shared(&self, stmt: &Stmt) -> bool {
        let Accesses { evaluated, assigned } = stmt.kind.accesses(&self.ast.exprs);
        assigned.iter().any(|name| self.target(*name).is_some_and(|(var, _)| self.is_shared(var)))
            || evaluated.iter().any(|e| self.reads_shared(*e))
    }

    fn guard_touches_shared(&self, guard: Guard) -> bool {
        matches!(guard, Guard::Expr(e) if self.reads_shared(e))
    }

    fn reads_shared(&self, e: ExprId) -> bool {
        self.ast.exprs.any(e, &mut |part| match self.info.meaning(part) {
            Some(Ref::Var(var)) => self.is_shared(var),
            _ => false,
        })
    }
}

/// The exit of a guard that does not hold.
enum Exit {
    Jump(Address),
    Choice(u32),
}

/// A part of a variable that is being assigned to.
enum Base<'a> {
    Variable(VarStorage),
    Part(&'a Base<'a>, &'a Access, Ty),
}
