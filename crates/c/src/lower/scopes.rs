//! Lifetimes of local variables in memory: an object exists from the entry into its block until control leaves the
//! block (C11 6.2.4), whatever the way. A jump into a block begins the lifetime of its variables, and each turn of a loop has
//! new ones. Functions of the library keep theirs until they return.
//!
//! A compound literal belongs to the innermost block. Conditionals, loops and their bodies are blocks, too (6.8.4, 6.8.5).

use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;
use std::rc::Rc;

use super::Lowerer;
use super::analysis::Facts;
use super::memory::STACK;
use super::objects::Storage;
use super::term::{self, T};
use crate::hir::walk::children;
use crate::hir::{Expr, ExprKind, Function, FunctionId, Init, LabelId, LocalId, Stmt, StmtKind};

/// A block, by the address of its statement or of the first one in its list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Scope {
    Stmt(*const Stmt),
    List(*const Stmt),
}

/// The blocks of a function that declare variables in memory.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    owned: FxHashMap<Scope, Vec<LocalId>>,
    /// The blocks around labels, outermost first.
    labels: FxHashMap<LabelId, Vec<Scope>>,
    /// The blocks around `case` and `default`.
    cases: FxHashMap<*const Stmt, Vec<Scope>>,
}

/// Finds the blocks of a function.
pub(super) fn scopes(function: &Function, id: FunctionId, facts: &Facts) -> Scopes {
    let in_memory = |n: u32| facts.in_memory_local(id, LocalId(n)) || facts.is_variable_array(id, LocalId(n));
    if !(0..function.locals.len() as u32).any(in_memory) {
        return Scopes::default();
    }
    let mut finder = Finder { id, facts, around: Vec::new(), found: Scopes::default() };
    if let Some(body) = &function.body {
        finder.list(body);
    }
    let Scopes { owned, mut labels, mut cases } = finder.found;
    for chain in labels.values_mut().chain(cases.values_mut()) {
        chain.retain(|scope| owned.contains_key(scope));
    }
    Scopes { owned, labels, cases }
}

struct Finder<'f> {
    id: FunctionId,
    facts: &'f Facts,
    around: Vec<Scope>,
    found: Scopes,
}

impl Finder<'_> {
    fn own(&mut self, local: LocalId) {
        let is_object =
            self.facts.in_memory_local(self.id, local) || self.facts.is_variable_array(self.id, local);
        if let (true, Some(scope)) = (is_object, self.around.last()) {
            let owned = self.found.owned.entry(*scope).or_default();
            if !owned.contains(&local) {
                owned.push(local);
            }
        }
    }

    fn inside(&mut self, scope: Scope, f: impl FnOnce(&mut Self)) {
        self.around.push(scope);
        f(self);
        self.around.pop();
    }

    fn list(&mut self, stmts: &[Stmt]) {
        self.inside(Scope::List(stmts.as_ptr()), |finder| stmts.iter().for_each(|s| finder.stmt(s)));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        dally_text::stack::grow(|| self.stmt_here(stmt));
    }

    fn stmt_here(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Declare(local, init) => {
                self.own(*local);
                init.iter().for_each(|init| self.init(init));
            }
            StmtKind::Vla(local, e) => {
                self.own(*local);
                self.expr(e);
            }
            StmtKind::Return(value) => value.iter().for_each(|e| self.expr(e)),
            StmtKind::Label(label) => {
                self.found.labels.insert(*label, self.around.clone());
            }
            StmtKind::Case(..) | StmtKind::Default => {
                self.found.cases.insert(stmt, self.around.clone());
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Empty => {}
            _ => self.inside(Scope::Stmt(stmt), |finder| finder.compound(stmt)),
        }
    }

    fn compound(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(stmts) => stmts.iter().for_each(|s| self.stmt(s)),
            StmtKind::If(c, then, otherwise) => {
                self.expr(c);
                self.body(then);
                otherwise.iter().for_each(|s| self.body(s));
            }
            StmtKind::While(c, body) | StmtKind::DoWhile(body, c) | StmtKind::Switch(c, body) => {
                self.expr(c);
                self.body(body);
            }
            StmtKind::For(c, step, body) => {
                c.iter().chain(step).for_each(|e| self.expr(e));
                self.body(body);
            }
            _ => {}
        }
    }

    fn body(&mut self, stmt: &Stmt) {
        match is_compound(stmt) {
            true => self.stmt(stmt),
            false => self.inside(Scope::Stmt(stmt), |finder| finder.stmt(stmt)),
        }
    }

    fn init(&mut self, init: &Init) {
        init.parts.iter().for_each(|part| self.expr(&part.value));
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Block(stmts) => self.list(stmts),
            ExprKind::Compound(local, init) => {
                self.own(*local);
                self.init(init);
            }
            _ => dally_text::stack::grow(|| children(e, &mut |child| self.expr(child))),
        }
    }
}

/// Returns true for statements that are blocks by themselves.
fn is_compound(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Block(_)
            | StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::DoWhile(..)
            | StmtKind::For(..)
            | StmtKind::Switch(..)
    )
}

impl Lowerer<'_> {
    /// The number of blocks that are open: `break` and the like leave those above.
    pub(super) fn open_scopes(&self) -> usize {
        self.proc.frames.last().map_or(0, |f| f.open.len())
    }

    /// The body of a conditional or loop.
    pub(super) fn body(&mut self, stmt: &Stmt) {
        match is_compound(stmt) {
            true => self.statement(stmt),
            false => self.scoped(Scope::Stmt(stmt), |l| l.statement(stmt)),
        }
    }

    /// Lowers a statement that is a block.
    pub(super) fn block_statement(&mut self, stmt: &Stmt, lower: impl FnOnce(&mut Self)) {
        match is_compound(stmt) {
            true => self.scoped(Scope::Stmt(stmt), lower),
            false => lower(self),
        }
    }

    /// Lowers what is inside of a block.
    pub(super) fn scoped<A>(&mut self, scope: Scope, lower: impl FnOnce(&mut Self) -> A) -> A {
        if !self.declares(scope) {
            return lower(self);
        }
        self.enter(scope);
        self.proc.frames.last_mut().into_iter().for_each(|f| f.open.push(scope));
        let result = lower(self);
        self.proc.frames.last_mut().into_iter().for_each(|f| {
            f.open.pop();
        });
        // The variables of `main` exist until the program ends.
        let is_main = self.is_main() && self.is_body(scope);
        if !self.has_left() && !is_main {
            self.leave_scope(scope);
        }
        result
    }

    /// Returns true for the body of the function.
    fn is_body(&self, scope: Scope) -> bool {
        let body = self.proc.frames.last().and_then(|f| self.function(f.function).body.as_ref());
        body.is_some_and(|body| scope == Scope::List(body.as_ptr()))
    }

    fn declares(&self, scope: Scope) -> bool {
        self.proc.frames.last().is_some_and(|f| f.scopes.owned.contains_key(&scope))
    }

    fn variables_of(&self, scope: Scope) -> Vec<LocalId> {
        let frame = self.proc.frames.last();
        frame.and_then(|f| f.scopes.owned.get(&scope)).cloned().unwrap_or_default()
    }

    /// The variables of a block begin to exist.
    fn enter(&mut self, scope: Scope) {
        // Traces do not show it.
        let span = std::mem::replace(&mut self.proc.span, Span::NONE);
        for local in self.variables_of(scope) {
            let Some(address) = self.address_variable(local) else { continue };
            let Some(size) = self.fixed_size(local) else {
                self.set(address, &term::int(0));
                continue;
            };
            self.call(vec![Some(address)], "$allocate", &[size, term::int(STACK)]);
        }
        self.proc.span = span;
    }

    /// The variables of a block no longer exist.
    fn leave_scope(&mut self, scope: Scope) {
        let span = std::mem::replace(&mut self.proc.span, Span::NONE);
        for local in self.variables_of(scope).into_iter().rev() {
            let Some(address) = self.address_variable(local) else { continue };
            match self.fixed_size(local) {
                Some(_) => self.call(Vec::new(), "$release", &[term::var(address)]),
                None => self.release_array(address),
            }
        }
        self.proc.span = span;
    }

    /// Releases an array of variable length, if it exists.
    fn release_array(&mut self, address: Sym) {
        let exists = self.differs(term::var(address), 0);
        self.when(&exists, |l| l.call(Vec::new(), "$release", &[term::var(address)]));
    }

    /// The size of a local; none for an array of variable length.
    fn fixed_size(&self, local: LocalId) -> Option<T> {
        let function = self.proc.frames.last()?.function;
        if self.facts.is_variable_array(function, local) {
            return None;
        }
        let size = self.program.types.size(self.local_of(function, local).ty).unwrap_or(1);
        Some(term::int(i128::from(size)))
    }

    /// The variable that holds the address of a local in memory.
    fn address_variable(&mut self, local: LocalId) -> Option<Sym> {
        let frame = self.proc.frames.last()?;
        if let Some(known) = frame.addresses.get(&local) {
            return Some(*known);
        }
        let super::stmt::Local { name, .. } = self.local_of(frame.function, local);
        let address = self.stack_address(&name);
        if self.fixed_size(local).is_some() {
            self.bind_local(local, Storage::Memory(term::var(address)));
        }
        self.proc.frames.last_mut()?.addresses.insert(local, address);
        Some(address)
    }

    /// An array of variable length begins to exist; another one that a jump backwards has left no longer does.
    pub(super) fn begin_array(&mut self, local: LocalId, bytes: &T) -> Option<T> {
        let bytes = self.stable(bytes.clone());
        let address = self.address_variable(local)?;
        self.release_array(address);
        self.call(vec![Some(address)], "$allocate", &[bytes, term::int(STACK)]);
        Some(term::var(address))
    }

    // Jumps.

    /// Leaves all blocks above the first `depth`.
    pub(super) fn leave_scopes(&mut self, depth: usize) {
        let open = self.proc.frames.last().map_or_else(Vec::new, |f| f.open[depth..].to_vec());
        open.into_iter().rev().for_each(|scope| self.leave_scope(scope));
    }

    /// Leaves all blocks of the function, from inside of a function of the library, too.
    pub(super) fn leave_all_scopes(&mut self) {
        let inner = self.proc.frames.split_off(1.min(self.proc.frames.len()));
        self.leave_scopes(0);
        self.proc.frames.extend(inner);
    }

    /// Leaves and enters blocks as a jump to a label does.
    pub(super) fn jump_to_label(&mut self, label: LabelId) {
        let Some(frame) = self.proc.frames.last() else { return };
        let target = frame.scopes.labels.get(&label).cloned().unwrap_or_default();
        self.jump(&target);
    }

    /// Enters blocks as a jump to a `case` or `default` does.
    pub(super) fn jump_to_case_label(&mut self, case: *const Stmt) {
        let Some(frame) = self.proc.frames.last() else { return };
        let target = frame.scopes.cases.get(&case).cloned().unwrap_or_default();
        self.jump(&target);
    }

    fn jump(&mut self, target: &[Scope]) {
        let Some(frame) = self.proc.frames.last() else { return };
        let common = frame.open.iter().zip(target).take_while(|(a, b)| a == b).count();
        self.leave_scopes(common);
        target[common..].iter().for_each(|scope| self.enter(*scope));
    }

    /// Returns true while the function that only the start of the program calls is lowered.
    pub(super) fn is_main(&self) -> bool {
        let function = self.proc.frames.first().map(|frame| frame.function);
        function.is_some() && function == self.facts.first
    }

    /// The blocks of the function that is lowered next.
    pub(super) fn find_scopes(&self, function: FunctionId) -> Rc<Scopes> {
        Rc::new(scopes(self.function(function), function, &self.facts))
    }
}
