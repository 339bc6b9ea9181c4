//! CBMC's labels `__CPROVER_ASYNC_…`: the statement after such a label runs in a new thread.
//!
//! The statement becomes a function, and starting it a builtin. The thread has copies of the local variables that it
//! mentions, as in CBMC; it shares those whose address is taken. Jumps out of the statement are not supported.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Checker;
use crate::hir::walk::{PartMut, parts_of_expr_mut, parts_of_stmt_mut};
use crate::hir::{Builtin, Expr, ExprKind, Function, FunctionId, LabelId, Local, LocalId, Stmt, StmtKind};
use crate::types::{Type, TypeId};

/// The beginning of the names of these labels.
pub(super) const PREFIX: &str = "__CPROVER_ASYNC_";

impl Checker<'_> {
    /// Replaces the labelled statements of a body.
    pub(super) fn start_threads(&mut self, body: &mut [Stmt], locals: &mut Vec<Local>, labels: &[String]) {
        for stmt in body {
            self.start_threads_of(stmt, locals, labels);
        }
    }

    fn start_threads_of(&mut self, stmt: &mut Stmt, locals: &mut Vec<Local>, labels: &[String]) {
        match &mut stmt.kind {
            StmtKind::Block(stmts) => {
                self.start_threads(stmts, locals, labels);
                if let Some(Stmt { kind: StmtKind::Label(label), .. }) = stmts.first()
                    && labels[label.index()].starts_with(PREFIX)
                {
                    let name = labels[label.index()].clone();
                    let started = std::mem::take(stmts);
                    *stmt = self.start_thread(name, started, locals);
                }
            }
            StmtKind::If(_, then, otherwise) => {
                self.start_threads_of(then, locals, labels);
                otherwise.iter_mut().for_each(|s| self.start_threads_of(s, locals, labels));
            }
            StmtKind::While(_, body)
            | StmtKind::DoWhile(body, _)
            | StmtKind::For(_, _, body)
            | StmtKind::Switch(_, body) => self.start_threads_of(body, locals, labels),
            _ => {}
        }
    }

    /// A function of the statements after a label, and the statement that starts it.
    fn start_thread(&mut self, name: String, stmts: Vec<Stmt>, locals: &mut [Local]) -> Stmt {
        let span = stmts[0].span;
        let mut body = stmts;
        body.remove(0);
        if body.iter().any(|stmt| leaves(stmt, 0)) {
            self.unsupported(span, "jumps in the statement of a label `__CPROVER_ASYNC_…`");
        }
        let mut captured = Captured::default();
        body.iter_mut().for_each(|s| stmt(s, &mut captured));
        let mentioned = captured.mentioned;
        let outer: Vec<LocalId> =
            mentioned.iter().copied().filter(|id| !captured.declared.contains(id)).collect();
        let mut own = Vec::new();
        let mut rename = Rename::default();
        let mut arguments = Vec::new();
        for id in outer.iter().chain(mentioned.iter().filter(|id| captured.declared.contains(id))) {
            let number = LocalId(own.len() as u32);
            let mut local = locals[id.index()].clone();
            if own.len() < outer.len() {
                let (argument, ty) = self.capture(*id, &mut locals[id.index()]);
                arguments.push(argument);
                if let Some(pointer) = ty {
                    rename.shared.insert(*id, pointer);
                    local.ty = pointer;
                }
            }
            own.push(local);
            rename.numbers.insert(*id, number);
        }
        body.iter_mut().for_each(|s| stmt(s, &mut rename));
        let function = self.add_thread(Function {
            name,
            result: self.basic.void,
            params: (0..outer.len() as u32).map(LocalId).collect(),
            variadic: false,
            noreturn: false,
            constructor: None,
            destructor: None,
            events: crate::hir::Events::default(),
            library: false,
            locals: own,
            labels: Vec::new(),
            body: Some(body),
            span,
        });
        let ty = self.types.intern(Type::Pointer(self.signatures[function.index()]));
        arguments.insert(0, Expr { kind: ExprKind::Function(function), ty, span });
        let kind = ExprKind::Builtin(Builtin::Spawn, arguments);
        Stmt { kind: StmtKind::Expr(Expr { kind, ty: self.basic.int, span }), span }
    }

    /// The argument for a variable that a thread mentions, and the type of the parameter if the variable is shared.
    fn capture(&mut self, id: LocalId, local: &mut Local) -> (Expr, Option<TypeId>) {
        let (ty, span) = (local.ty, local.span);
        let lvalue = Box::new(Expr { kind: ExprKind::Local(id), ty, span });
        if local.address_taken {
            let pointer = self.types.intern(Type::Pointer(ty));
            return (Expr { kind: ExprKind::AddressOf(lvalue), ty: pointer, span }, Some(pointer));
        }
        if matches!(self.types.get(self.types.unqualified(ty)), Type::Array(..) | Type::Record(_)) {
            let what = format!("copies of `{}` in the statement of a label `{PREFIX}…`", local.name);
            self.unsupported(span, &what);
        }
        let value = self.types.unqualified(ty);
        (Expr { kind: ExprKind::Load(lvalue), ty: value, span }, None)
    }

    fn add_thread(&mut self, function: Function) -> FunctionId {
        let params = function.locals[..function.params.len()].iter().map(|l| l.ty).collect();
        let signature = crate::types::FunctionType { result: function.result, params, variadic: false };
        let ty = self.types.intern(Type::Function(signature));
        self.functions.push(function);
        self.signatures.push(ty);
        FunctionId(self.functions.len() as u32 - 1)
    }
}

/// Returns true if control may leave a statement by a jump, or enter it. `loops` counts those around it that are part
/// of the thread.
fn leaves(it: &Stmt, loops: usize) -> bool {
    match &it.kind {
        StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Label(LabelId(_)) => true,
        StmtKind::Break | StmtKind::Continue => loops == 0,
        StmtKind::Block(stmts) => stmts.iter().any(|s| leaves(s, loops)),
        StmtKind::If(_, then, otherwise) => leaves(then, loops) || otherwise.iter().any(|s| leaves(s, loops)),
        StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::For(_, _, body)
        | StmtKind::Switch(_, body) => leaves(body, loops + 1),
        StmtKind::Expr(e) => {
            matches!(&e.kind, ExprKind::Block(stmts) if stmts.iter().any(|s| leaves(s, loops)))
        }
        _ => false,
    }
}

/// A pass over the local variables of statements.
trait Pass {
    /// A variable begins to exist.
    fn declare(&mut self, id: &mut LocalId);
    /// A variable is denoted.
    fn mention(&mut self, e: &mut Expr);
}

/// The variables of a thread, in the order of their first mentions.
#[derive(Default)]
struct Captured {
    mentioned: Vec<LocalId>,
    declared: FxHashSet<LocalId>,
}

impl Captured {
    fn add(&mut self, id: LocalId) {
        if !self.mentioned.contains(&id) {
            self.mentioned.push(id);
        }
    }
}

impl Pass for Captured {
    fn declare(&mut self, id: &mut LocalId) {
        self.declared.insert(*id);
        self.add(*id);
    }

    fn mention(&mut self, e: &mut Expr) {
        if let ExprKind::Local(id) = e.kind {
            self.add(id);
        }
    }
}

/// The variables of the function, as those of the thread.
#[derive(Default)]
struct Rename {
    numbers: FxHashMap<LocalId, LocalId>,
    /// The parameters that are the addresses of variables, with their types.
    shared: FxHashMap<LocalId, TypeId>,
}

impl Pass for Rename {
    fn declare(&mut self, id: &mut LocalId) {
        *id = self.numbers.get(id).copied().unwrap_or(*id);
    }

    fn mention(&mut self, e: &mut Expr) {
        let ExprKind::Local(id) = e.kind else { return };
        let kind = ExprKind::Local(self.numbers.get(&id).copied().unwrap_or(id));
        e.kind = match self.shared.get(&id) {
            None => kind,
            Some(&ty) => {
                let pointer = Expr { kind, ty, span: e.span };
                let load = Expr { kind: ExprKind::Load(Box::new(pointer)), ty, span: e.span };
                ExprKind::Deref(Box::new(load))
            }
        };
    }
}

fn stmt(it: &mut Stmt, pass: &mut dyn Pass) {
    if let StmtKind::Declare(id, _) | StmtKind::Vla(id, _) = &mut it.kind {
        pass.declare(id);
    }
    parts_of_stmt_mut(it, &mut |inner| part(inner, pass));
}

fn expr(it: &mut Expr, pass: &mut dyn Pass) {
    match &mut it.kind {
        ExprKind::Local(_) => return pass.mention(it),
        ExprKind::Compound(id, _) => pass.declare(id),
        _ => {}
    }
    parts_of_expr_mut(it, &mut |inner| part(inner, pass));
}

fn part(it: PartMut<'_>, pass: &mut dyn Pass) {
    dally_text::stack::grow(|| match it {
        PartMut::Expr(e) => expr(e, pass),
        PartMut::Stmt(s) => stmt(s, pass),
    });
}
