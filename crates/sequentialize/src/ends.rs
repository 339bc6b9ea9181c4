//! The ends of tasks that other tasks await by number: such an `await` is a wait, which costs no delay under dfw.
//!
//! `assume {:await} {:ends n} e;` waits for the end of task `n`, whatever way the number has come: through a variable, an array or
//! another task. The sequential program notes the round in which each task has ended in a map of its own, `ended`, which is not
//! copied for each round: a task that is called before another waits for it has ended there. `e` is still assumed afterwards, so
//! that the map decides about rounds and costs only. A task that waits for one that the sequential program calls later finds
//! no round, and has to be delayed until that one has ended: this costs delays, unlike in `dally check`.

use dally_bpl::Program;
use dally_bpl::ast::{
    Ast, AttrArg, Attrs, Binder, BinderKind, BoundVar, DeclKind, ExprId, Stmt, StmtKind, TypeExpr,
};
use dally_text::source::Span;
use dally_text::symbol::Sym;

use crate::build;
use crate::globals::GHOST;
use crate::unit::Unit;
use crate::waits;

/// The attribute of an `await`: the number of the task.
pub(crate) const ENDS: &str = "ends";
/// The attribute of the thread-local variable that has the number of its task.
pub(crate) const NUMBER: &str = "number";

/// The rounds in which tasks have ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    ended: Sym,
    /// The number of the running task.
    own: Sym,
    error: Option<Sym>,
}

impl Ends {
    /// Declares the map, if tasks wait for the ends of others and have numbers.
    pub(crate) fn declare(unit: &mut Unit) -> Option<Ends> {
        let mut waits = false;
        build::each_stmt(&mut unit.ast, |ast, s| {
            waits |= matches!(s.kind, StmtKind::Yield) && awaited(ast, s).is_some();
        });
        let ast = &mut unit.ast;
        let own = number(ast).filter(|_| waits)?;
        let ended = build::fresh(ast, "ended");
        let int = build::type_expr(ast, TypeExpr::Int);
        let map = waits::map_of(ast, int);
        let ghost: Attrs = [build::attr(ast, GHOST, Vec::new())].into_iter().collect();
        build::declare_global(ast, build::var(ended, map, ghost));
        Some(Ends { ended, own, error: unit.error })
    }

    /// `ended := (lambda task: int :: 0);`
    pub(crate) fn start(&self, ast: &mut Ast) -> Stmt {
        let (task, ty) = (build::fresh(ast, "task"), build::type_expr(ast, TypeExpr::Int));
        let binder = Binder {
            kind: BinderKind::Lambda,
            type_params: Vec::new(),
            vars: vec![BoundVar { attrs: Attrs::NONE, name: build::ident(task), ty }],
            attrs: Attrs::NONE,
            triggers: Vec::new(),
            body: build::int(ast, 0),
        };
        let none = ast.exprs.add_binder(binder, Span::NONE);
        build::set(ast, &[self.ended], &[none])
    }

    /// `if (!error) { ended[number] := k; }`: a task that returns because an assertion has failed may not have its number yet.
    pub(crate) fn record(&self, ast: &mut Ast, round: Sym) -> Stmt {
        let (own, round) = (build::name(ast, self.own), build::name(ast, round));
        let recorded = waits::put(ast, self.ended, own, round);
        let Some(error) = self.error else { return recorded };
        let error = build::name(ast, error);
        let fine = build::not(ast, error);
        build::when(fine, vec![recorded])
    }

    /// The round in which the task that a `yield` waits for has ended: 0 if that is not known. None for other statements.
    pub(crate) fn round_awaited(&self, ast: &mut Ast, s: &Stmt) -> Option<ExprId> {
        let task = awaited(ast, s)?;
        let task = ast.copy_expr(task);
        Some(waits::at(ast, self.ended, task))
    }
}

/// The thread-local variable with the number of the task.
fn number(ast: &Ast) -> Option<Sym> {
    ast.decls.iter().find_map(|decl| match &decl.kind {
        DeclKind::Var(var) => ast.attr(&decl.attrs, NUMBER).map(|_| var.name.name),
        _ => None,
    })
}

/// True if a task that waits may cost delays under dfw, which `dally check` does not count: it waits for a condition that is not the
/// end of a task; or it is not the first task, so that it may wait for one that is called after it.
pub fn waits_cost_delays(program: &Program) -> bool {
    let mut unit = Unit::new(program, None);
    let ends = unit.ast.symbols.get(ENDS).filter(|_| number(&unit.ast).is_some());
    let mut costs = false;
    let waiting = unit.closure(|s| {
        let waits = matches!(s.kind, StmtKind::Await(_));
        let by_number = ends.is_some_and(|ends| s.attrs.find(ends).is_some());
        costs |= waits && !by_number;
        waits
    });
    build::each_stmt(&mut unit.ast, |_, s| {
        costs |= matches!(&s.kind, StmtKind::Async(post) if waiting.contains(&post.procedure.name));
    });
    costs
}

/// The number of the task whose end a statement waits for.
fn awaited(ast: &Ast, s: &Stmt) -> Option<ExprId> {
    match ast.attr(&s.attrs, ENDS)?.args[..] {
        [AttrArg::Expr(task)] => Some(task),
        _ => None,
    }
}
