//! From statements to control flow.
//!
//! Contracts become instructions here, as in `dally check`: a precondition is checked on entry to a procedure (and assumed on
//! entry to the program), a postcondition on exit, an invariant at the loop head; a procedure without a body assigns to the
//! variables that it may modify any values that its postconditions allow.

use dally_bpl::Program;
use dally_bpl::ast::{
    Attrs, BinaryOp, Block as Stmts, Body, Branch, Call, CodeId, DeclKind, Expr, ExprId, Guard, Ident,
    LoopSpecKind, Procedure, Spec, SpecKind, Stmt, StmtKind, While, for_each_stmt_mut,
};
use dally_bpl::check::{ProcedureId, Ref, VarId, VarKind};
use dally_bpl::codes;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::stack::grow;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::{Block, BlockId, Flow, Flows, Instruction, Kind, Next, Slot, range};
use crate::path::Site;

impl Flows {
    fn note(&mut self, program: &Program, var: VarId, attrs: &Attrs, where_clause: Option<ExprId>) {
        self.wheres.extend(where_clause.map(|e| (var, e)));
        if program.info[var].span != Span::NONE {
            self.ranges.extend(range(program, attrs).map(|r| (var, r)));
        }
    }

    /// The control flow of the procedures that are reachable from one.
    pub(crate) fn of(program: &Program, root: ProcedureId) -> Result<Flows, Vec<Diagnostic>> {
        let info = &program.info;
        let mut flows = Flows { slots: vec![None; info.vars.len()], ..Flows::default() };
        for decl in &program.ast.decls {
            if let DeclKind::Var(var) = &decl.kind
                && let Some(id) = info.global(var.name.name)
            {
                flows.slots[id.index()] = Some(flows.globals.len() as u32);
                flows.globals.push(id);
                flows.note(program, id, &decl.attrs, var.where_clause);
            }
        }
        let mut declared = Vec::new();
        for (index, decl) in program.ast.decls.iter().enumerate() {
            if let DeclKind::Procedure(p) = &decl.kind
                && let Some(id) = info.procedure(p.signature.name.name)
            {
                flows.by_procedure.insert(id, declared.len());
                declared.push((index, id, &**p));
            }
        }
        let mut problems = Vec::new();
        let reachable = reachable(program, root);
        for (index, id, procedure) in declared {
            if !reachable.contains(&id) {
                flows.flows.push(Flow::empty(procedure.signature.name.name));
                continue;
            }
            let builder = Builder::new(program, &mut flows, procedure.signature.name.name);
            match builder.procedure(index, id, procedure) {
                Ok(flow) => flows.flows.push(flow),
                Err(problem) => problems.push(*problem),
            }
        }
        if problems.is_empty() { Ok(flows) } else { Err(problems) }
    }
}

/// The procedures that are reachable from a procedure, itself included.
fn reachable(program: &Program, root: ProcedureId) -> FxHashSet<ProcedureId> {
    let info = &program.info;
    let mut calls: FxHashMap<Sym, Vec<Sym>> = FxHashMap::default();
    for decl in &program.ast.decls {
        let (name, body) = match &decl.kind {
            DeclKind::Procedure(p) => (p.signature.name.name, p.body.as_ref()),
            DeclKind::Implementation(i) => (i.signature.name.name, Some(&i.body)),
            _ => continue,
        };
        let found = calls.entry(name).or_default();
        let mut todo: Vec<&Stmts> = body.iter().map(|b| &b.block).collect();
        while let Some(block) = todo.pop() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Call(call) => found.push(call.procedure.name),
                    StmtKind::If(conditional) => {
                        todo.extend(conditional.branches.iter().map(|b| &b.block));
                        todo.extend(&conditional.otherwise);
                    }
                    StmtKind::While(w) => todo.push(&w.body),
                    _ => {}
                }
            }
        }
    }
    let mut reached: FxHashSet<ProcedureId> = [root].into_iter().collect();
    let mut todo = vec![root];
    // Code expressions may occur in any expression.
    for e in program.ast.exprs.ids() {
        if let Expr::Code(code) = program.ast.exprs[e] {
            let mut block = program.ast.exprs.code(code).block.clone();
            for_each_stmt_mut(&mut block, &mut |s| {
                if let StmtKind::Call(call) = &s.kind
                    && let Some(callee) = info.procedure(call.procedure.name)
                    && reached.insert(callee)
                {
                    todo.push(callee);
                }
            });
        }
    }
    while let Some(id) = todo.pop() {
        for callee in calls.get(&info[id].name).into_iter().flatten() {
            if let Some(callee) = info.procedure(*callee)
                && reached.insert(callee)
            {
                todo.push(callee);
            }
        }
    }
    reached
}

type Built<T> = Result<T, Box<Diagnostic>>;

/// The code expression that an application stands for: of a function without parameters whose body is one.
pub(crate) fn code_of_function(program: &Program, e: ExprId) -> Option<(ExprId, CodeId)> {
    let (Expr::Call(..), Some(Ref::Function(function))) = (&program.ast.exprs[e], program.info.meaning(e))
    else {
        return None;
    };
    let info = &program.info[function];
    let DeclKind::Function(declared) = &program.ast.decls.get(info.decl)?.kind else { return None };
    let body = declared.body.filter(|_| info.params.is_empty())?;
    match program.ast.exprs[body] {
        Expr::Code(code) => Some((body, code)),
        _ => None,
    }
}

/// The candidate `mark ==> condition`, where `mark` is a constant that is marked `{:existential true}`: neither checked nor
/// assumed here, but tried as an invariant (see [`crate::houdini`]).
fn candidate(program: &Program, e: ExprId) -> Option<(VarId, ExprId)> {
    let Expr::Binary(BinaryOp::Implies, mark, condition) = program.ast.exprs[e] else { return None };
    let Some(Ref::Var(var)) = program.info.meaning(mark) else { return None };
    let name = program.info[var].name;
    let is_marked = program.ast.decls.iter().any(|decl| match &decl.kind {
        DeclKind::Const(declared) => {
            declared.names.iter().any(|own| own.name == name)
                && program.ast.attr(&decl.attrs, "existential").is_some()
        }
        _ => false,
    });
    (is_marked && matches!(program.info[var].kind, VarKind::Const { .. })).then_some((var, condition))
}

fn unsupported<T>(span: Span, what: &str) -> Built<T> {
    Err(Box::new(Diagnostic::new(codes::NOT_VERIFIED, span, format!("{what} cannot be verified"))))
}

/// A statement that a `break` may leave.
struct Breakable {
    label: Option<Sym>,
    is_loop: bool,
    /// The block after it.
    after: BlockId,
}

struct Builder<'a> {
    program: &'a Program,
    flows: &'a mut Flows,
    flow: Flow,
    names: FxHashMap<Sym, VarId>,
    labels: FxHashMap<Sym, BlockId>,
    /// The statements that a `break` may leave, the innermost last.
    breaks: Vec<Breakable>,
    /// The target of `return`.
    end: BlockId,
    /// Inside a code expression, the slot of its value.
    result: Option<Slot>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program, flows: &'a mut Flows, name: Sym) -> Self {
        Builder {
            program,
            flows,
            flow: Flow::empty(name),
            names: FxHashMap::default(),
            labels: FxHashMap::default(),
            breaks: Vec::new(),
            end: 0,
            result: None,
        }
    }

    fn procedure(mut self, index: usize, id: ProcedureId, procedure: &Procedure) -> Built<Flow> {
        let entry = self.block();
        self.flow.entry = entry;
        self.flow.span = self.program.info[id].span;
        let signature = self.program.info.signature_vars(id).to_vec();
        for var in &signature {
            self.declare(*var);
        }
        let ins = procedure.signature.ins.len().min(signature.len());
        let slots: Vec<Slot> = signature.iter().filter_map(|v| self.flows.slot(*v)).collect();
        (self.flow.ins, self.flow.outs) = (slots[..ins].to_vec(), slots[ins..].to_vec());
        let decls = procedure.signature.ins.iter().chain(&procedure.signature.outs);
        for (var, decl) in signature.iter().zip(decls) {
            self.flows.note(self.program, *var, &decl.attrs, decl.var.where_clause);
        }
        self.requires(entry, &procedure.specs);
        let last = self.block();
        self.end = last;
        let bodies = self.bodies(index, procedure);
        if bodies.is_empty() {
            self.arbitrary(entry, last, id, &signature[ins..]);
        } else {
            let mut starts = Vec::new();
            for (decl, body) in &bodies {
                starts.push(self.body(*decl, body, &signature)?);
            }
            self.flow.blocks[entry].next = Next::Goto(starts);
        }
        self.ensures(last, &procedure.specs, !bodies.is_empty());
        self.flow.blocks[last].next = Next::Exit(0);
        Ok(self.flow)
    }

    /// The bodies of a procedure, each with the index of its declaration.
    fn bodies(&self, index: usize, procedure: &'a Procedure) -> Vec<(usize, &'a Body)> {
        let own = procedure.body.as_ref().map(|b| (index, b));
        let name = procedure.signature.name.name;
        let decls = self.program.ast.decls.iter().enumerate();
        let elsewhere = decls.filter_map(|(i, d)| match &d.kind {
            DeclKind::Implementation(imp) if imp.signature.name.name == name => Some((i, &imp.body)),
            _ => None,
        });
        own.into_iter().chain(elsewhere).collect()
    }

    fn declare(&mut self, var: VarId) {
        let slot = self.flows.globals.len() + self.flow.vars.len();
        self.flows.slots[var.index()] = Some(slot as u32);
        self.flow.vars.push(Some(var));
    }

    fn requires(&mut self, entry: BlockId, specs: &[Spec]) {
        for spec in specs {
            if let SpecKind::Requires { free, expr } = spec.kind {
                if let Some(candidate) = candidate(self.program, expr) {
                    self.flow.blocks[entry].candidates.push(candidate);
                    continue;
                }
                let kind = if free { Kind::Assume(expr) } else { Kind::Requires(expr) };
                self.push(entry, kind, &spec.attrs, spec.span);
            }
        }
    }

    fn ensures(&mut self, last: BlockId, specs: &[Spec], has_body: bool) {
        for spec in specs {
            let SpecKind::Ensures { free, expr } = spec.kind else { continue };
            if let Some(candidate) = candidate(self.program, expr).filter(|_| has_body) {
                self.flow.ensured.push(candidate);
                continue;
            }
            if has_body && free {
                continue;
            }
            let kind = if has_body {
                Kind::Assert(expr, "a postcondition does not hold")
            } else {
                Kind::Assume(expr)
            };
            self.push(last, kind, &spec.attrs, spec.span);
        }
    }

    /// The effect of a procedure without a body.
    fn arbitrary(&mut self, entry: BlockId, last: BlockId, id: ProcedureId, outs: &[VarId]) {
        let info = &self.program.info;
        let modified: Vec<VarId> = info[id].modifies.iter().collect();
        let changed =
            modified.into_iter().filter(|v| info[*v].kind == VarKind::Global).chain(outs.iter().copied());
        let changed: Vec<VarId> = changed.collect();
        let (site, span) = (Site::Effect(info[id].name), info[id].span);
        let code = &mut self.flow.blocks[entry].code;
        code.push(Instruction { kind: Kind::Havoc(changed), site, attrs: Attrs::NONE, span });
        self.flow.blocks[entry].next = Next::Goto(vec![last]);
    }

    /// Adds a body, of the procedure or of an implementation, and returns its first block.
    fn body(&mut self, decl: usize, body: &Body, signature: &[VarId]) -> Built<BlockId> {
        let info = &self.program.info;
        let Some(vars) = info.bodies.get(&decl) else { return Ok(self.end) };
        self.names.clear();
        self.labels.clear();
        for (var, own) in vars.ins.iter().chain(&vars.outs).zip(signature) {
            self.flows.slots[var.index()] = self.flows.slots[own.index()];
            self.names.insert(info[*var].name, *var);
            if let Some(condition) = self.flows.wheres.get(own).copied() {
                self.flows.wheres.insert(*var, condition);
            }
            if let Some(range) = self.flows.range(*own) {
                self.flows.ranges.insert(*var, range);
            }
        }
        for (var, decl) in vars.locals.iter().zip(&body.locals) {
            self.declare(*var);
            self.names.insert(info[*var].name, *var);
            self.flows.note(self.program, *var, &decl.attrs, decl.var.where_clause);
        }
        let start = self.block();
        let arbitrary: Vec<VarId> = vars.outs.iter().chain(&vars.locals).copied().collect();
        for var in arbitrary {
            if let Some(condition) = self.flows.where_clause(var) {
                self.push(start, Kind::Assume(condition), &Attrs::NONE, info[var].span);
            }
        }
        self.declare_labels(&body.block);
        let last = self.stmts(&body.block, Some(start))?;
        self.close(last, self.end);
        Ok(start)
    }

    fn block(&mut self) -> BlockId {
        self.flow.blocks.push(Block::new(Next::Goto(Vec::new())));
        self.flow.blocks.len() - 1
    }

    fn push(&mut self, block: BlockId, kind: Kind, attrs: &Attrs, span: Span) {
        let attrs = attrs.clone();
        self.flow.blocks[block].code.push(Instruction { kind, site: Site::Added, attrs, span });
    }

    fn push_stmt(&mut self, block: BlockId, kind: Kind, stmt: &Stmt) {
        let (site, attrs) = (Site::of(stmt), stmt.attrs.clone());
        self.flow.blocks[block].code.push(Instruction { kind, site, attrs, span: stmt.span });
    }

    /// Notes that a statement decides the successor of a block.
    fn decides(&mut self, stmt: &Stmt, block: BlockId) {
        let block = &mut self.flow.blocks[block];
        (block.site, block.span) = (Site::of(stmt), stmt.span);
    }

    /// Adds an edge from a block, if it is reachable.
    fn close(&mut self, from: Option<BlockId>, to: BlockId) {
        if let Some(from) = from {
            self.flow.blocks[from].next = Next::Goto(vec![to]);
        }
    }

    fn declare_labels(&mut self, block: &Stmts) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Label(label) => {
                    let target = self.block();
                    self.labels.insert(label.name, target);
                }
                StmtKind::If(conditional) => {
                    for branch in &conditional.branches {
                        self.declare_labels(&branch.block);
                    }
                    if let Some(otherwise) = &conditional.otherwise {
                        self.declare_labels(otherwise);
                    }
                }
                StmtKind::While(w) => self.declare_labels(&w.body),
                _ => {}
            }
        }
    }

    fn resolve(&self, name: Ident) -> Option<VarId> {
        self.names.get(&name.name).copied().or_else(|| self.program.info.global(name.name))
    }

    fn slot(&self, name: Ident) -> Slot {
        self.resolve(name).and_then(|v| self.flows.slot(v)).unwrap_or(0)
    }

    /// Adds statements after a block, if it is reachable, and returns their last block.
    fn stmts(&mut self, block: &Stmts, mut at: Option<BlockId>) -> Built<Option<BlockId>> {
        let mut label = None;
        for stmt in &block.stmts {
            if let StmtKind::Label(name) = &stmt.kind {
                let target = self.labels[&name.name];
                self.close(at, target);
                (at, label) = (Some(target), Some(name.name));
                continue;
            }
            // Unreachable statements are skipped, except for their labels.
            let here = match at {
                Some(here) => here,
                None => self.block(),
            };
            at = grow(|| self.stmt(stmt, label.take(), here))?;
        }
        Ok(at)
    }

    /// Evaluates the code expressions of a statement before it.
    fn codes(&mut self, stmt: &Stmt, mut at: BlockId) -> Built<BlockId> {
        let exprs = &self.program.ast.exprs;
        let mut codes = Vec::new();
        for root in stmt.kind.accesses(exprs).evaluated {
            exprs.any(root, &mut |e| {
                codes.extend(match exprs[e] {
                    Expr::Code(code) => Some((e, code, false)),
                    _ => code_of_function(self.program, e).map(|(body, code)| (body, code, true)),
                });
                false
            });
        }
        for (e, code, shared) in codes {
            if matches!(stmt.kind, StmtKind::While(_)) {
                return unsupported(exprs.span(e), "a code expression in the guard of a loop");
            }
            // The value of a code expression has one slot: that of the statement before which it is evaluated.
            if shared && self.flows.results.contains_key(&e) {
                return unsupported(exprs.span(e), "a code expression of a function that is applied twice");
            }
            at = self.code(e, exprs.code(code), at)?;
        }
        Ok(at)
    }

    fn code(&mut self, e: ExprId, body: &Body, at: BlockId) -> Built<BlockId> {
        let info = &self.program.info;
        let slot = self.flows.globals.len() + self.flow.vars.len();
        self.flow.vars.push(None);
        self.flows.results.insert(e, slot);
        let names = self.names.clone();
        for (var, decl) in info.bound_vars(e).iter().zip(&body.locals) {
            self.declare(*var);
            self.names.insert(info[*var].name, *var);
            self.flows.wheres.extend(decl.var.where_clause.map(|e| (*var, e)));
        }
        let (start, after) = (self.block(), self.block());
        let (labels, breaks) = (std::mem::take(&mut self.labels), std::mem::take(&mut self.breaks));
        let (end, result) = (std::mem::replace(&mut self.end, after), self.result.replace(slot));
        self.declare_labels(&body.block);
        self.close(Some(at), start);
        let last = self.stmts(&body.block, Some(start))?;
        self.close(last, after);
        (self.labels, self.breaks, self.end, self.result, self.names) = (labels, breaks, end, result, names);
        Ok(after)
    }

    fn stmt(&mut self, stmt: &Stmt, label: Option<Sym>, at: BlockId) -> Built<Option<BlockId>> {
        let at = self.codes(stmt, at)?;
        let list = |l| self.program.ast.exprs.list(l).to_vec();
        let kind = match &stmt.kind {
            StmtKind::Assert(e) => Kind::Assert(*e, "an assertion does not hold"),
            StmtKind::Assume(e) => Kind::Assume(*e),
            StmtKind::Havoc(vars) => Kind::Havoc(vars.iter().filter_map(|v| self.resolve(*v)).collect()),
            StmtKind::Assign(targets, values) => {
                let all = targets.iter().zip(list(*values));
                Kind::Assign(all.map(|(t, value)| (self.slot(t.base), t.clone(), value)).collect())
            }
            StmtKind::Unpack(u) => Kind::Unpack(
                u.constructor.name,
                u.vars.iter().map(|v| Some(self.slot(*v))).collect(),
                u.value,
            ),
            StmtKind::Call(call) => return self.call(stmt, call, list(call.args), at),
            StmtKind::If(conditional) => {
                let otherwise = conditional.otherwise.as_ref();
                return self.conditional(stmt, &conditional.branches, otherwise, label, at);
            }
            StmtKind::While(w) => return self.repeat(stmt, w, label, at),
            StmtKind::Break(target) => {
                let to = match target {
                    None => self.breaks.iter().rev().find(|it| it.is_loop),
                    Some(l) => self.breaks.iter().rev().find(|it| it.label == Some(l.name)),
                };
                let to = to.map_or(self.end, |it| it.after);
                self.close(Some(at), to);
                return Ok(None);
            }
            StmtKind::Return => {
                self.close(Some(at), self.end);
                return Ok(None);
            }
            StmtKind::Goto(targets) => {
                let targets = targets.iter().filter_map(|t| self.labels.get(&t.name).copied()).collect();
                self.flow.blocks[at].next = Next::Goto(targets);
                self.decides(stmt, at);
                return Ok(None);
            }
            StmtKind::ReturnExpr(e) => {
                let Some(slot) = self.result else {
                    return unsupported(stmt.span, "a value that is returned");
                };
                self.push_stmt(at, Kind::Result(slot, *e), stmt);
                self.close(Some(at), self.end);
                return Ok(None);
            }
            StmtKind::Async(_) | StmtKind::Wait(..) | StmtKind::Await(_) => {
                return unsupported(stmt.span, "asynchrony that has not been made sequential");
            }
            // These have no effect in a sequential program.
            StmtKind::Label(_)
            | StmtKind::Measure(_)
            | StmtKind::Reveal(..)
            | StmtKind::Scope(_)
            | StmtKind::Yield
            | StmtKind::Zield
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::Seal
            | StmtKind::Unseal => return Ok(Some(at)),
        };
        self.push_stmt(at, kind, stmt);
        Ok(Some(at))
    }

    fn call(&mut self, stmt: &Stmt, call: &Call, args: Vec<ExprId>, at: BlockId) -> Built<Option<BlockId>> {
        let callee = self.program.info.procedure(call.procedure.name);
        let Some(callee) = callee.and_then(|id| self.flows.procedure(id)) else {
            return unsupported(stmt.span, "a call of a procedure that is built in");
        };
        let outs = call.outs.iter().map(|out| out.map(|name| self.slot(name))).collect();
        self.push_stmt(at, Kind::Call { callee, args, outs }, stmt);
        Ok(Some(at))
    }

    fn conditional(
        &mut self,
        stmt: &Stmt,
        branches: &[Branch],
        otherwise: Option<&Stmts>,
        label: Option<Sym>,
        mut at: BlockId,
    ) -> Built<Option<BlockId>> {
        let after = self.block();
        self.breaks.push(Breakable { label, is_loop: false, after });
        for branch in branches {
            let (yes, no) = (self.block(), self.block());
            self.flow.blocks[at].next = match branch.guard {
                Guard::Any => Next::Goto(vec![yes, no]),
                Guard::Expr(e) => Next::If(e, yes, no),
            };
            self.decides(stmt, at);
            let end = self.stmts(&branch.block, Some(yes))?;
            self.close(end, after);
            at = no;
        }
        let end = match otherwise {
            Some(block) => self.stmts(block, Some(at))?,
            None => Some(at),
        };
        self.close(end, after);
        self.breaks.pop();
        Ok(Some(after))
    }

    fn repeat(&mut self, stmt: &Stmt, w: &While, label: Option<Sym>, at: BlockId) -> Built<Option<BlockId>> {
        let (head, body, after) = (self.block(), self.block(), self.block());
        self.close(Some(at), head);
        for spec in &w.specs {
            if let LoopSpecKind::Invariant { free, expr } = spec.kind {
                if let Some(candidate) = candidate(self.program, expr) {
                    self.flow.blocks[head].candidates.push(candidate);
                    continue;
                }
                let kind = if free {
                    Kind::Assume(expr)
                } else {
                    Kind::Assert(expr, "a loop invariant does not hold")
                };
                self.push(head, kind, &spec.attrs, self.program.ast.exprs.span(expr));
            }
        }
        self.flow.blocks[head].next = match w.guard {
            Guard::Any => Next::Goto(vec![body, after]),
            Guard::Expr(e) => Next::If(e, body, after),
        };
        self.decides(stmt, head);
        self.breaks.push(Breakable { label, is_loop: true, after });
        let end = self.stmts(&w.body, Some(body))?;
        self.breaks.pop();
        self.close(end, head);
        Ok(Some(after))
    }
}
