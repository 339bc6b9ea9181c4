//! Removal of waits: a task leaves its result in shared memory.
//!
//! [SPIN14 Fig. 7]. Each task with a handle has a number, which is the handle; where the task ends, it sets `done` at its number,
//! and stores its result in a map of results. A wait yields, and continues only if the task is done. The resulting program has no
//! waits, and the same executions under every scheduler that may propose a blocked task.
//!
//! Deviations:
//! 1. `done` and the results are two maps, where the figure has one value for tasks that are not done; there is a
//!    map of results for each type.
//! 2. A number is marked as not done when it is given out, rather than all of them at the start.
//! 3. A wait is a point where tasks may be switched, as in `dally check`; inside an atomic section only if the task is
//!    not done.

use dally_bpl::ast::{
    Access, Ast, Async, Attrs, BinaryOp, Expr, ExprId, Lhs, MapType, Role, Stmt, StmtKind, TypeExpr, TypeId,
};
use dally_bpl::check::{Info, Ty, TyKind};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::atomicity;
use crate::build::{self, stmt};
use crate::unit::{Unit, info};

struct Pass {
    /// The number of tasks so far.
    count: Sym,
    done: Sym,
    /// The map of results for each type.
    results: FxHashMap<Ty, Sym>,
    /// The versions of procedures that set `done`.
    tasks: FxHashMap<Sym, Sym>,
}

pub(crate) fn remove(unit: &mut Unit) {
    let mut posted = FxHashSet::default();
    let mut any = false;
    build::each_stmt(&mut unit.ast, |_, s| {
        any |= matches!(s.kind, StmtKind::Wait(..));
        if let StmtKind::Async(post) = &s.kind
            && post.handle.is_some()
        {
            posted.insert(post.procedure.name);
        }
    });
    if !any && posted.is_empty() {
        return;
    }
    let info = info(&unit.ast);
    let ast = &mut unit.ast;
    let count = build::global_int(ast, "tasks", Attrs::NONE);
    unit.initially.push((count, 0));
    let done = build::fresh(ast, "done");
    let flags = build::type_expr(ast, TypeExpr::Bool);
    let flags = map_of(ast, flags);
    build::declare_global(ast, build::var(done, flags, Attrs::NONE));
    let mut pass = Pass { count, done, results: FxHashMap::default(), tasks: FxHashMap::default() };
    let mut posted: Vec<Sym> = posted.into_iter().collect();
    posted.sort_unstable();
    for procedure in posted {
        pass.declare_task(unit, &info, procedure);
    }
    let error = unit.error;
    build::rewrite_bodies(&mut unit.ast, |ast, s, out| pass.stmt(ast, &info, error, s, out));
    tasks_are_numbers(&mut unit.ast);
}

/// `[int] element`
pub(crate) fn map_of(ast: &mut Ast, element: TypeId) -> TypeId {
    let index = build::type_expr(ast, TypeExpr::Int);
    let args = ast.types.add_list(&[index]);
    build::type_expr(ast, TypeExpr::Map(Box::new(MapType { params: Vec::new(), args, result: element })))
}

/// `map[index]`
pub(crate) fn at(ast: &mut Ast, map: Sym, index: ExprId) -> ExprId {
    let (map, indices) = (build::name(ast, map), ast.exprs.add_list(&[index]));
    build::expr(ast, Expr::Select(map, indices))
}

/// `map[index] := value;`
pub(crate) fn put(ast: &mut Ast, map: Sym, index: ExprId, value: ExprId) -> Stmt {
    let indices = ast.exprs.add_list(&[index]);
    let target =
        Lhs { base: build::ident(map), path: vec![Access::Index(indices, Span::NONE)], span: Span::NONE };
    stmt(StmtKind::Assign(vec![target], ast.exprs.add_list(&[value])))
}

fn tasks_are_numbers(ast: &mut Ast) {
    let Some(task) = ast.symbols.get("task").filter(|t| crate::tasks::is_builtin(ast, *t)) else { return };
    for id in ast.types.ids() {
        if matches!(ast.types[id], TypeExpr::Named(name, _) if name == task) {
            ast.types.replace(id, TypeExpr::Int);
        }
    }
}

impl Pass {
    /// `procedure p$task(…, self)`, which runs `p` and leaves its result.
    fn declare_task(&mut self, unit: &mut Unit, info: &Info, procedure: Sym) {
        let Some(signature) = unit.procedure(procedure).map(|p| p.signature.clone()) else { return };
        let ast = &mut unit.ast;
        let name = build::derive(ast, procedure, "task", Role::Wrapper);
        let number = build::fresh(ast, "self");
        let mut ins = build::same_vars(&signature.ins);
        ins.push(build::local_int(ast, number, Attrs::NONE));
        let locals = build::same_vars(&signature.outs);
        let outs = build::var_names(&locals);
        let args = build::names(ast, &build::var_names(&signature.ins));
        let mut stmts = vec![build::call(ast, &outs, procedure, &args)];
        let (index, yes) = (build::name(ast, number), build::boolean(ast, true));
        stmts.push(put(ast, self.done, index, yes));
        let ty = info.procedure(procedure).and_then(|p| info[p].outs.first().copied());
        if let (Some(ty), Some(out)) = (ty, signature.outs.first()) {
            let results = *self.results.entry(ty).or_insert_with(|| {
                let results = build::fresh(ast, "results");
                let map = map_of(ast, out.var.ty);
                build::declare_global(ast, build::var(results, map, Attrs::NONE));
                results
            });
            let (index, value) = (build::name(ast, number), build::name(ast, out.var.name.name));
            stmts.push(put(ast, results, index, value));
        }
        let mut task = build::signature(name, ins, Vec::new());
        task.type_params = signature.type_params;
        build::declare_procedure(ast, task, locals, stmts, Attrs::NONE);
        self.tasks.insert(procedure, name);
    }

    fn stmt(&self, ast: &mut Ast, info: &Info, error: Option<Sym>, mut s: Stmt, out: &mut Vec<Stmt>) {
        let in_section = atomicity::is_in_section(ast, &mut s);
        match &mut s.kind {
            StmtKind::Async(post) => {
                if let Some(handle) = post.handle.take() {
                    self.number(ast, handle.name, post, out);
                }
                out.push(s);
            }
            StmtKind::Wait(result, task) => {
                let (result, task) = (*result, *task);
                let index = ast.copy_expr(task);
                let mut done = at(ast, self.done, index);
                if let Some(error) = error {
                    // The task then returns at once, without waiting.
                    let error = build::name(ast, error);
                    done = build::binary(ast, BinaryOp::Or, error, done);
                }
                let switch = Stmt { span: s.span, ..stmt(StmtKind::Yield) };
                out.push(match in_section {
                    true => {
                        let done = ast.copy_expr(done);
                        let blocked = build::not(ast, done);
                        build::when(blocked, vec![switch])
                    }
                    false => switch,
                });
                out.push(Stmt { span: s.span, ..build::assume(done) });
                let ty = match info.types.kind(info.type_of(task)) {
                    TyKind::Task(ty) => *ty,
                    _ => None,
                };
                let results = ty.and_then(|ty| self.results.get(&ty));
                if let (Some(result), Some(results)) = (result, results) {
                    let value = at(ast, *results, task);
                    out.push(build::set(ast, &[result.name], &[value]));
                }
            }
            _ => out.push(s),
        }
    }

    /// `tasks := tasks + 1; handle := tasks; done[handle] := false;`, and the post passes the number.
    fn number(&self, ast: &mut Ast, handle: Sym, post: &mut Async, out: &mut Vec<Stmt>) {
        let (count, one) = (build::name(ast, self.count), build::int(ast, 1));
        let next = build::binary(ast, BinaryOp::Add, count, one);
        out.push(build::set(ast, &[self.count], &[next]));
        out.extend(build::assign(ast, &[(handle, self.count)]));
        let (index, no) = (build::name(ast, self.count), build::boolean(ast, false));
        out.push(put(ast, self.done, index, no));
        let mut args = ast.exprs.list(post.args).to_vec();
        args.push(build::name(ast, self.count));
        post.args = ast.exprs.add_list(&args);
        if let Some(task) = self.tasks.get(&post.procedure.name) {
            post.procedure.name = *task;
        }
    }
}
