//! Atomic sections: yields inside of them do nothing, so they are taken out.
//!
//! Sections are lexical: an atomic procedure, an atomic `if`, or the statements between `corral_atomic_begin` and
//! `corral_atomic_end`, or the end of a task. A procedure with yields that is called from inside a section gets a second version
//! without them, `p$atomic`. What remains are points where a task blocks: a wait for a task that has not ended, and an `await` whose
//! condition does not hold. There other tasks run even inside a section, as in `dally check`. A wait inside a section is marked
//! ([`is_in_section`]), since it lets no other task run if the task that it waits for has ended.

use dally_bpl::ast::{Ast, Block, Decl, DeclKind, Ident, Procedure, Role, Stmt, StmtKind};
use dally_text::source::Span;
use dally_text::stack::grow;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build;
use crate::unit::{Unit, as_procedure};

/// The attribute of waits inside atomic sections. No program contains it, since it has spaces.
const IN_SECTION: &str = "in an atomic section";

/// Returns true for a wait inside an atomic section. Removes the mark.
pub(crate) fn is_in_section(ast: &Ast, wait: &mut Stmt) -> bool {
    let Some(mark) = ast.attr(&wait.attrs, IN_SECTION).map(|a| a.name) else { return false };
    wait.attrs = wait.attrs.without(mark);
    true
}

/// The nesting depth of a statement in sections of both kinds.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Depth {
    ifs: u32,
    sections: u32,
}

impl Depth {
    fn is_atomic(self) -> bool {
        self != Depth::default()
    }
}

struct Pass {
    ast: Ast,
    /// Procedures that may yield or wait.
    yielding: FxHashSet<Sym>,
    /// Atomic procedures.
    atomic: FxHashSet<Sym>,
    /// Procedures that are called. The end of any other procedure is the end of a task, and of its sections.
    called: FxHashSet<Sym>,
    /// The second versions; those that are still to be made are in `todo`.
    versions: FxHashMap<Sym, Sym>,
    todo: Vec<Sym>,
    labels: FxHashMap<Sym, Depth>,
    gotos: Vec<(Ident, Depth)>,
    problems: Vec<(Span, &'static str)>,
    /// True if posts may interrupt.
    levels: bool,
    /// Procedures that do nothing inside of a section (`{:point}`).
    points: FxHashSet<Sym>,
}

pub(crate) fn lower(unit: &mut Unit, levels: bool) {
    let yielding = unit.closure(|s| matches!(s.kind, StmtKind::Yield | StmtKind::Zield | StmtKind::Wait(..)));
    let is_atomic = |d: &&Decl| unit.ast.attr(&d.attrs, "atomic").is_some();
    let atomic = unit.ast.decls.iter().filter(is_atomic).filter_map(as_procedure);
    let atomic = atomic.map(|p| p.signature.name.name).collect();
    let is_point = |d: &&Decl| unit.ast.attr(&d.attrs, "point").is_some();
    let points = unit.ast.decls.iter().filter(is_point).filter_map(as_procedure);
    let points = points.map(|p| p.signature.name.name).collect();
    let mut pass = Pass {
        ast: std::mem::take(&mut unit.ast),
        yielding,
        atomic,
        called: FxHashSet::default(),
        versions: FxHashMap::default(),
        todo: Vec::new(),
        labels: FxHashMap::default(),
        gotos: Vec::new(),
        problems: Vec::new(),
        levels,
        points,
    };
    pass.run();
    unit.ast = pass.ast;
    for (span, message) in pass.problems {
        unit.unsupported(span, message, "an atomic section begins and ends in one body");
    }
}

/// Removes `:atomic` from procedures, for output that is still asynchronous: the yields that are left let other tasks run.
pub(crate) fn forget(ast: &mut Ast) {
    let Some(atomic) = ast.symbols.get("atomic") else { return };
    for decl in ast.decls.iter_mut().filter(|d| as_procedure(d).is_some()) {
        decl.attrs = decl.attrs.without(atomic);
    }
}

impl Pass {
    fn run(&mut self) {
        let mut called = FxHashSet::default();
        build::each_stmt(&mut self.ast, |_, stmt| {
            if let StmtKind::Call(call) = &stmt.kind {
                called.insert(call.procedure.name);
            }
        });
        self.called = called;
        let originals: FxHashMap<Sym, Procedure> = match self.needs_versions() {
            true => crate::unit::procedures(&self.ast).into_iter().map(|(n, p)| (n, p.clone())).collect(),
            false => FxHashMap::default(),
        };
        let mut decls = std::mem::take(&mut self.ast.decls);
        for decl in &mut decls {
            if let DeclKind::Procedure(procedure) = &mut decl.kind {
                let inside = self.atomic.contains(&procedure.signature.name.name);
                self.procedure(procedure, inside);
            }
        }
        while let Some(name) = self.todo.pop() {
            let Some(original) = originals.get(&name) else { continue };
            let mut version = original.clone();
            version.body = original.body.as_ref().map(|b| self.ast.copy_body(b));
            version.signature.ins = build::same_vars(&version.signature.ins);
            version.signature.name = build::ident(self.versions[&name]);
            self.procedure(&mut version, true);
            build::declare(
                &mut self.ast,
                DeclKind::Procedure(Box::new(version)),
                dally_bpl::ast::Attrs::NONE,
            );
        }
        decls.append(&mut self.ast.decls);
        self.ast.decls = decls;
    }

    /// True if there is an atomic section.
    fn needs_versions(&mut self) -> bool {
        let mut found = !self.atomic.is_empty();
        build::each_stmt(&mut self.ast, |ast, s| {
            found |= matches!(s.kind, StmtKind::AtomicBegin) || ast.attr(&s.attrs, "atomic").is_some();
        });
        found
    }

    fn procedure(&mut self, procedure: &mut Procedure, inside: bool) {
        let Some(body) = &mut procedure.body else { return };
        let depth = Depth { ifs: u32::from(inside), sections: 0 };
        self.labels.clear();
        self.gotos.clear();
        let end = self.open_block(&mut body.block, depth);
        if end != depth && (inside || self.called.contains(&procedure.signature.name.name)) {
            self.does_not_end(&body.block);
        }
        for (label, depth) in std::mem::take(&mut self.gotos) {
            if self.labels.get(&label.name).is_some_and(|d| *d != depth) {
                self.problems.push((label.span, "a jump into or out of an atomic section"));
            }
        }
    }

    fn does_not_end(&mut self, block: &Block) {
        let message = "an atomic section that does not end in the block in which it begins";
        self.problems.push((block.end, message));
    }

    fn block(&mut self, block: &mut Block, outside: Depth) {
        if self.open_block(block, outside) != outside {
            self.does_not_end(block);
        }
    }

    /// Rewrites a block, and returns the nesting depth at its end.
    fn open_block(&mut self, block: &mut Block, outside: Depth) -> Depth {
        let mut depth = outside;
        let mut out = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.kind {
                StmtKind::AtomicBegin => depth.sections += 1,
                StmtKind::AtomicEnd if depth.sections == outside.sections => {
                    self.problems.push((stmt.span, "an atomic section that ends where none begins"));
                }
                StmtKind::AtomicEnd => depth.sections -= 1,
                StmtKind::Yield | StmtKind::Zield if depth.is_atomic() => {}
                StmtKind::Call(call) if depth.is_atomic() && self.points.contains(&call.procedure.name) => {}
                _ => {
                    grow(|| self.stmt(&mut stmt, depth));
                    out.push(stmt);
                }
            }
        }
        block.stmts = out;
        depth
    }

    fn stmt(&mut self, stmt: &mut Stmt, depth: Depth) {
        match &mut stmt.kind {
            StmtKind::If(conditional) => {
                let mut inside = depth;
                if let Some(attr) = self.ast.attr(&stmt.attrs, "atomic").map(|a| a.name) {
                    inside.ifs += 1;
                    stmt.attrs = stmt.attrs.without(attr);
                }
                for branch in &mut conditional.branches {
                    self.block(&mut branch.block, inside);
                }
                if let Some(otherwise) = &mut conditional.otherwise {
                    self.block(otherwise, inside);
                }
            }
            StmtKind::While(w) => self.block(&mut w.body, depth),
            StmtKind::Label(label) => {
                self.labels.insert(label.name, depth);
            }
            StmtKind::Goto(targets) => self.gotos.extend(targets.iter().map(|t| (*t, depth))),
            StmtKind::Break(_) if depth.sections > 0 => {
                self.problems.push((stmt.span, "a `break` inside of an atomic section"));
            }
            StmtKind::Async(post) if depth.is_atomic() && self.levels && post.level.is_some() => {
                self.problems.push((stmt.span, "a post at a level inside of an atomic section"));
            }
            StmtKind::Call(call) if depth.is_atomic() => {
                let name = call.procedure.name;
                if self.yielding.contains(&name) && !self.atomic.contains(&name) {
                    call.procedure.name = self.version(name);
                }
            }
            StmtKind::Wait(..) if depth.is_atomic() => {
                let mark = build::attr(&mut self.ast, IN_SECTION, Vec::new());
                stmt.attrs = build::with_attr(&stmt.attrs, mark);
            }
            _ => {}
        }
    }

    fn version(&mut self, name: Sym) -> Sym {
        if let Some(version) = self.versions.get(&name) {
            return *version;
        }
        let version = build::derive(&mut self.ast, name, "atomic", Role::Version);
        self.versions.insert(name, version);
        self.todo.push(name);
        version
    }
}
