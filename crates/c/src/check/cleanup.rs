//! `__attribute__((cleanup(f)))`: `f(&v)` is called wherever control leaves the scope of the variable.
//!
//! The calls are inserted into the typed tree: at the end of the block, and before each `break`, `continue`, `goto` and `return`
//! that leaves it, in the reverse order of the declarations. The value of a `return`, and that of a statement expression, is
//! evaluated before them. A jump past the declaration into the scope is unsupported.

use dally_text::code::Code;
use dally_text::source::Span;
use rustc_hash::FxHashMap;

use super::Checker;
use super::basic::Class;
use super::scope::Entity;
use crate::ast::Name;
use crate::hir::walk::{PartMut, parts_of_expr_mut, parts_of_stmt_mut};
use crate::hir::{Expr, ExprKind, Init, InitPart, LabelId, LocalId, Stmt, StmtKind};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// The variable calls a function when its scope is left.
    pub(super) fn call_at_end(&mut self, local: LocalId, function: Name) {
        let Some(Entity::Function(id)) = self.scopes.get(function.sym) else {
            let message = format!("`{}` is not a function", self.text(function.sym));
            return self.error(Code::UNKNOWN_FUNCTION, function.span, message);
        };
        self.want(id);
        let (ty, span) = (self.local_type(local), function.span);
        let callee = self.types.intern(Type::Pointer(self.signatures[id.index()]));
        let callee = Expr { kind: ExprKind::Function(id), ty: callee, span };
        let variable = Box::new(Expr { kind: ExprKind::Local(local), ty, span });
        let address = Expr { kind: ExprKind::AddressOf(variable), ty: self.pointer(ty), span };
        let Some(call) = self.call_value(callee, vec![address], span) else { return };
        let call = Stmt { kind: StmtKind::Expr(call), span };
        self.current.iter_mut().for_each(|current| {
            current.cleanups.insert(local, call.clone());
        });
    }

    /// Inserts the calls into the body of the current function.
    pub(super) fn insert_cleanups(&mut self, body: &mut Vec<Stmt>) {
        let Some(current) = &mut self.current else { return };
        let calls = std::mem::take(&mut current.cleanups);
        if calls.is_empty() {
            return;
        }
        let mut labels = Labels { calls: &calls, active: Vec::new(), found: FxHashMap::default() };
        labels.list(body);
        let found = labels.found;
        let mut inserter = Inserter {
            checker: self,
            calls: &calls,
            labels: &found,
            active: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
        };
        inserter.list(body);
    }
}

/// Finds the variables with calls in whose scopes labels are.
struct Labels<'c> {
    calls: &'c FxHashMap<LocalId, Stmt>,
    active: Vec<LocalId>,
    found: FxHashMap<LabelId, Vec<LocalId>>,
}

impl Labels<'_> {
    fn list(&mut self, stmts: &mut [Stmt]) {
        let outer = self.active.len();
        stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
        self.active.truncate(outer);
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Block(stmts) => self.list(stmts),
            StmtKind::Label(label) => {
                self.found.insert(*label, self.active.clone());
            }
            _ => parts_of_stmt_mut(stmt, &mut |part| self.part(part)),
        }
        if let StmtKind::Declare(local, _) = &stmt.kind
            && self.calls.contains_key(local)
        {
            self.active.push(*local);
        }
    }

    fn part(&mut self, part: PartMut<'_>) {
        dally_text::stack::grow(|| match part {
            PartMut::Stmt(stmt) => self.stmt(stmt),
            PartMut::Expr(Expr { kind: ExprKind::Block(stmts), .. }) => self.list(stmts),
            PartMut::Expr(e) => parts_of_expr_mut(e, &mut |part| self.part(part)),
        });
    }
}

struct Inserter<'c, 'k, 'a> {
    checker: &'c mut Checker<'a>,
    calls: &'k FxHashMap<LocalId, Stmt>,
    labels: &'k FxHashMap<LabelId, Vec<LocalId>>,
    /// The variables with calls in whose scopes the statement is, innermost last.
    active: Vec<LocalId>,
    /// How many of them exist outside of the statements that `break` and `continue` leave, and of the `switch` statements.
    breaks: Vec<usize>,
    continues: Vec<usize>,
    switches: Vec<usize>,
}

impl Inserter<'_, '_, '_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        let outer = self.active.len();
        stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
        if !stmts.last().is_some_and(is_left) {
            stmts.extend(self.calls_above(outer));
        }
        self.active.truncate(outer);
    }

    /// The calls for the variables above the first `depth`.
    fn calls_above(&self, depth: usize) -> Vec<Stmt> {
        self.active[depth..].iter().rev().filter_map(|local| self.calls.get(local).cloned()).collect()
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        let loops = matches!(stmt.kind, StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For(..));
        let switch = matches!(stmt.kind, StmtKind::Switch(..));
        let depth = self.active.len();
        if loops || switch {
            self.breaks.push(depth);
            (if loops { &mut self.continues } else { &mut self.switches }).push(depth);
        }
        match &mut stmt.kind {
            StmtKind::Block(stmts) => self.list(stmts),
            _ => parts_of_stmt_mut(stmt, &mut |part| self.part(part)),
        }
        if loops || switch {
            self.breaks.pop();
            (if loops { &mut self.continues } else { &mut self.switches }).pop();
        }
        match &stmt.kind {
            StmtKind::Declare(local, _) if self.calls.contains_key(local) => self.active.push(*local),
            StmtKind::Break => self.jump(stmt, self.breaks.last().copied().unwrap_or(0)),
            StmtKind::Continue => self.jump(stmt, self.continues.last().copied().unwrap_or(0)),
            StmtKind::Goto(label) => {
                let target = self.labels.get(label).map_or(&[][..], Vec::as_slice);
                let common = self.active.iter().zip(target).take_while(|(a, b)| a == b).count();
                self.refuse_entry(target.len() > common, stmt.span);
                self.jump(stmt, common);
            }
            StmtKind::Case(..) | StmtKind::Default => {
                self.refuse_entry(self.active.len() > self.switches.last().copied().unwrap_or(0), stmt.span);
            }
            StmtKind::Return(_) if !self.active.is_empty() => self.return_stmt(stmt),
            _ => {}
        }
    }

    fn refuse_entry(&mut self, enters: bool, span: Span) {
        if enters {
            let what = "a jump past the declaration of a variable with the attribute `cleanup`";
            self.checker.unsupported(span, what);
        }
    }

    /// Puts the calls for the variables above the first `depth` before a jump.
    fn jump(&mut self, stmt: &mut Stmt, depth: usize) {
        let mut stmts = self.calls_above(depth);
        if !stmts.is_empty() {
            let span = stmt.span;
            stmts.push(std::mem::replace(stmt, Stmt { kind: StmtKind::Empty, span }));
            stmt.kind = StmtKind::Block(stmts);
        }
    }

    fn return_stmt(&mut self, stmt: &mut Stmt) {
        let span = stmt.span;
        let StmtKind::Return(value) = &mut stmt.kind else { return };
        let kept = value.as_mut().and_then(|value| self.keep(value, span));
        let returned = std::mem::replace(stmt, Stmt { kind: StmtKind::Empty, span });
        let mut stmts: Vec<Stmt> = kept.into_iter().collect();
        stmts.extend(self.calls_above(0));
        stmts.push(returned);
        stmt.kind = StmtKind::Block(stmts);
    }

    /// Evaluates a value into a new variable, which it becomes. None if it is a constant.
    fn keep(&mut self, value: &mut Expr, span: Span) -> Option<Stmt> {
        if let ExprKind::Int(_) = value.kind {
            return None;
        }
        let ty = value.ty;
        let local = self.checker.add_local("", ty, span)?;
        let read = load(local, ty, value.span);
        let part = InitPart { offset: 0, bits: None, ty, value: std::mem::replace(value, read) };
        let init = Init { zero_rest: false, parts: vec![part] };
        Some(Stmt { kind: StmtKind::Declare(local, Some(init)), span })
    }

    fn part(&mut self, part: PartMut<'_>) {
        dally_text::stack::grow(|| match part {
            PartMut::Stmt(stmt) => {
                let outer = self.active.len();
                self.stmt(stmt);
                if self.active.len() > outer {
                    // A declaration that is the whole body of a statement.
                    let (span, calls) = (stmt.span, self.calls_above(outer));
                    let mut stmts = vec![std::mem::replace(stmt, Stmt { kind: StmtKind::Empty, span })];
                    stmts.extend(calls);
                    stmt.kind = StmtKind::Block(stmts);
                }
                self.active.truncate(outer);
            }
            PartMut::Expr(Expr { kind: ExprKind::Block(stmts), ty, .. }) => self.statement_expr(stmts, *ty),
            PartMut::Expr(e) => parts_of_expr_mut(e, &mut |part| self.part(part)),
        });
    }

    /// The value of a statement expression is that of its last statement, which is kept before the calls.
    fn statement_expr(&mut self, stmts: &mut Vec<Stmt>, ty: TypeId) {
        let outer = self.active.len();
        stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
        let calls = self.calls_above(outer);
        self.active.truncate(outer);
        if calls.is_empty() || stmts.last().is_some_and(is_left) {
            return;
        }
        let has_value = self.checker.class(ty) != Class::Void;
        let last = stmts.pop_if(|last| has_value && matches!(last.kind, StmtKind::Expr(_)));
        let Some(mut last) = last else { return stmts.extend(calls) };
        if let StmtKind::Expr(value) = &mut last.kind {
            stmts.extend(self.keep(value, last.span));
        }
        stmts.extend(calls);
        stmts.push(last);
    }
}

fn load(local: LocalId, ty: TypeId, span: Span) -> Expr {
    let variable = Expr { kind: ExprKind::Local(local), ty, span };
    Expr { kind: ExprKind::Load(Box::new(variable)), ty, span }
}

/// Returns true if control does not reach the end of a statement.
fn is_left(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => true,
        StmtKind::Block(stmts) => stmts.last().is_some_and(is_left),
        _ => false,
    }
}
