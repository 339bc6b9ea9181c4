//! Yields before each statement that touches a shared variable, and zields where there are several buffers.
//!
//! [FSE12 §6]; the same points at which `dally check --preempt` lets tasks be switched: before a statement that
//! reads or writes a shared variable, before the guard of a loop is evaluated again, before the result of a
//! call is assigned to a shared variable, and before an atomic section or a call that is one step begins. What follows
//! an `await` belongs to it. Atomic sections take their yields out later ([`crate::atomicity`]), and tasks of levels at
//! which points are suppressed take them out once each procedure has a version for each level ([`suppress_by_level`]).

use dally_bpl::ast::{
    Accesses, Ast, Attrs, Block, DeclKind, ExprId, Ident, Procedure, Role, SpecKind, Stmt, StmtKind, TypeId,
    VarDecl,
};
use dally_bpl::check::{Info, Ref, VarId, VarKind};
use dally_bpl::{Points, Preemption};
use dally_text::stack::grow;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::{self, stmt};
use crate::globals::THREAD_LOCAL;
use crate::unit::{Unit, as_procedure, procedures};

struct Pass<'a> {
    info: &'a Info,
    thread_local: FxHashSet<Sym>,
    /// The types of the results of each procedure.
    results: FxHashMap<Sym, Vec<TypeId>>,
    /// The procedures whose calls are one step, with the types of their parameters, if these can be used in another procedure.
    one_step: FxHashMap<Sym, Option<Vec<TypeId>>>,
    /// The scheduling points for the current body.
    points: Points,
    /// The attributes of inserted statements.
    mark: Attrs,
    /// The variables of the current body.
    locals: FxHashMap<Sym, VarId>,
    /// The variables that hold results temporarily.
    kept: FxHashMap<Sym, Sym>,
    /// The ones that the body needs.
    more: Vec<VarDecl>,
}

/// The attribute of points that may be suppressed by level. No program contains it, since it has a space.
const BY_LEVEL: &str = "by level";

/// Inserts the scheduling points. If tasks have `levels`, [`suppress_by_level`] has to follow.
pub(crate) fn insert(unit: &mut Unit, info: &Info, levels: bool) {
    unit.preemption = Preemption::new(&unit.ast, levels && unit.has_several_buffers());
    let preemption = unit.preemption.clone();
    // Without levels, all tasks have that of the entry point.
    let only = unit.entries.first().filter(|_| !levels).map(|e| preemption.at_level(e.level));
    let ast = &mut unit.ast;
    let mark = match levels && preemption.depends_on_level() {
        true => [build::attr(ast, BY_LEVEL, Vec::new())].into_iter().collect(),
        false => Attrs::NONE,
    };
    let is_local = |d: &&dally_bpl::ast::Decl| ast.attr(&d.attrs, THREAD_LOCAL).is_some();
    let thread_local = ast.decls.iter().filter(is_local).filter_map(|d| match &d.kind {
        DeclKind::Var(var) => Some(var.name.name),
        _ => None,
    });
    let thread_local = thread_local.collect();
    let result_types = |p: &Procedure| p.signature.outs.iter().map(|o| o.var.ty).collect();
    let results = procedures(ast).into_iter().map(|(name, p)| (name, result_types(p))).collect();
    let atomic = ast.decls.iter().filter(|d| ast.attr(&d.attrs, "atomic").is_some());
    let atomic: FxHashSet<Sym> = atomic.filter_map(as_procedure).map(|p| p.signature.name.name).collect();
    let changes_globals = |p: &Procedure| {
        p.body.is_none() && p.specs.iter().any(|s| matches!(&s.kind, SpecKind::Modifies(v) if !v.is_empty()))
    };
    let one_step =
        procedures(ast).into_iter().filter(|(name, p)| atomic.contains(name) || changes_globals(p));
    let types = |p: &Procedure| {
        let ins = || p.signature.ins.iter().map(|i| i.var.ty).collect();
        p.signature.type_params.is_empty().then(ins)
    };
    let one_step = one_step.map(|(name, p)| (name, types(p))).collect();
    let mut pass = Pass {
        info,
        thread_local,
        results,
        one_step,
        points: Points::default(),
        mark,
        locals: FxHashMap::default(),
        kept: FxHashMap::default(),
        more: Vec::new(),
    };
    let mut decls = std::mem::take(&mut ast.decls);
    for (index, decl) in decls.iter_mut().enumerate() {
        let vars = info.bodies.get(&index).into_iter();
        let vars = vars.flat_map(|b| b.ins.iter().chain(&b.outs).chain(&b.locals));
        pass.locals = vars.map(|v| (info[*v].name, *v)).collect();
        let Some(name) = build::procedure_name(decl) else { continue };
        let points = preemption.of_procedure(name);
        pass.points = only.map_or(points, |only| points.and(only));
        if let Some(body) = build::body_mut(decl).filter(|_| pass.points.any()) {
            pass.block(ast, &mut body.block);
            body.locals.append(&mut pass.more);
        }
    }
    ast.decls = decls;
}

/// Removes the scheduling points of procedures at whose level they are suppressed. `level_of` maps a rank to a level.
pub(crate) fn suppress_by_level(unit: &mut Unit, level_of: impl Fn(u32) -> u32) {
    if !unit.preemption.depends_on_level() {
        return;
    }
    let Unit { preemption, levels, ast, .. } = unit;
    build::each_body(ast, |ast, decl| {
        let level = build::procedure_name(decl).and_then(|name| levels.get(&name)).copied().unwrap_or(0);
        let points = preemption.at_level(level_of(level));
        let Some(body) = build::body_mut(decl) else { return };
        build::rewrite(&mut body.block, &mut |mut s, out| {
            if let Some(mark) = ast.attr(&s.attrs, BY_LEVEL).map(|a| a.name) {
                s.attrs = s.attrs.without(mark);
                if !(if matches!(s.kind, StmtKind::Yield) { points.yields } else { points.zields }) {
                    return;
                }
            }
            out.push(s);
        });
    });
}

impl Pass<'_> {
    /// The scheduling points before an access.
    fn switch(&self) -> Vec<Stmt> {
        let Points { yields, zields } = self.points;
        let kinds = [yields.then_some(StmtKind::Yield), zields.then_some(StmtKind::Zield)];
        kinds.into_iter().flatten().map(|kind| Stmt { attrs: self.mark.clone(), ..stmt(kind) }).collect()
    }

    fn block(&mut self, ast: &mut Ast, block: &mut Block) {
        let mut out = Vec::with_capacity(block.stmts.len());
        let mut awaited = false;
        for mut s in std::mem::take(&mut block.stmts) {
            let follows = std::mem::replace(&mut awaited, matches!(s.kind, StmtKind::Await(_)));
            let switch = !follows && (ast.begins_section(&s) || self.touches_shared(ast, &s));
            match &mut s.kind {
                StmtKind::If(conditional) => {
                    for branch in &mut conditional.branches {
                        grow(|| self.block(ast, &mut branch.block));
                    }
                    if let Some(otherwise) = &mut conditional.otherwise {
                        grow(|| self.block(ast, otherwise));
                    }
                }
                StmtKind::While(w) => {
                    grow(|| self.block(ast, &mut w.body));
                    if switch {
                        w.body.stmts.extend(self.switch());
                    }
                }
                _ => {}
            }
            let assigned = self.late_results(ast, &mut s);
            let mut before = if switch { self.switch() } else { Vec::new() };
            if !follows {
                before.extend(self.early_arguments(ast, &mut s));
            }
            build::push_after(ast, before, s, &mut out);
            out.extend(assigned);
        }
        block.stmts = out;
    }

    /// Inserts a yield between the return of a call and the assignment of its results to shared variables.
    fn late_results(&mut self, ast: &mut Ast, s: &mut Stmt) -> Vec<Stmt> {
        let StmtKind::Call(call) = &mut s.kind else { return Vec::new() };
        if !call.outs.iter().flatten().any(|out| self.is_shared(*out)) {
            return Vec::new();
        }
        let Some(types) = self.results.get(&call.procedure.name) else { return Vec::new() };
        let mut late = Vec::new();
        for (out, ty) in call.outs.iter_mut().zip(types) {
            let Some(target) = out else { continue };
            let result = || build::derive(ast, target.name, "result", Role::Copy);
            let kept = *self.kept.entry(target.name).or_insert_with(result);
            if !self.more.iter().any(|v| v.var.name.name == kept) {
                self.more.push(build::var(kept, *ty, Attrs::NONE));
            }
            late.push((target.name, kept));
            *target = build::ident(kept);
        }
        let mut stmts = self.switch();
        stmts.extend(build::assign(ast, &late));
        stmts
    }

    /// Inserts a yield between the evaluation of arguments and a call that is one step.
    fn early_arguments(&mut self, ast: &mut Ast, s: &mut Stmt) -> Vec<Stmt> {
        let StmtKind::Call(call) = &mut s.kind else { return Vec::new() };
        let Some(types) = self.one_step.get(&call.procedure.name) else { return Vec::new() };
        let mut args = ast.exprs.list(call.args).to_vec();
        let mut stmts = Vec::new();
        for (nth, (arg, ty)) in args.iter_mut().zip(types.iter().flatten()).enumerate() {
            if self.reads_shared(ast, *arg) {
                let kept = build::fresh(ast, &format!("{}$argument{nth}", ast.text(call.procedure.name)));
                self.more.push(build::var(kept, *ty, Attrs::NONE));
                stmts.push(build::set(ast, &[kept], &[*arg]));
                *arg = build::name(ast, kept);
            }
        }
        call.args = ast.exprs.add_list(&args);
        stmts.extend(self.switch());
        stmts
    }

    fn touches_shared(&self, ast: &Ast, s: &Stmt) -> bool {
        let Accesses { evaluated, assigned } = s.kind.accesses(&ast.exprs);
        assigned.iter().any(|name| self.is_shared(*name))
            || evaluated.iter().any(|e| self.reads_shared(ast, *e))
    }

    fn reads_shared(&self, ast: &Ast, e: ExprId) -> bool {
        ast.exprs.any(e, &mut |part| match self.info.meaning(part) {
            Some(Ref::Var(var)) => self.is_shared_var(var),
            _ => false,
        })
    }

    fn is_shared(&self, name: Ident) -> bool {
        let var = self.locals.get(&name.name).copied().or_else(|| self.info.global(name.name));
        var.is_some_and(|v| self.is_shared_var(v))
    }

    fn is_shared_var(&self, var: VarId) -> bool {
        let var = &self.info[var];
        var.kind == VarKind::Global && !self.thread_local.contains(&var.name)
    }
}
