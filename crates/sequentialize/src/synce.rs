//! SYNCE: levels and buffers encoded in shared memory, for translations that know neither.
//!
//! [FSE12 §6], a baseline: "it introduces shared state that counts the number of tasks in each buffer and at each
//! priority level. Next, it inserts assume statements to prevent a task from running if the buffer size at a higher
//! priority level is non-empty." The program that comes out has one buffer and one level, and under any order of
//! tasks the same executions; it is then translated by [`crate::df`] with a number of rounds, as the paper does with
//! POIROT.
//!
//! Deviations:
//! 1. The paper outlines the encoding in a report that we do not have. Besides the counts there is, for each level of
//!    a buffer, a mark that one of its tasks is in the middle of something (`busy`), so that tasks of a level are
//!    switched only where they yield; and the buffer whose turn it is, so that buffers are switched only at a
//!    `zield` or when one is done.
//! 2. Once an assertion has failed, no task is held back: tasks only return.

use dally_bpl::ast::{Ast, Attrs, BinaryOp, ExprId, Role, Stmt, StmtKind};
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::build::{self, stmt};
use crate::levels::Home;
use crate::lower;
use crate::unit::{Unit, as_procedure};

/// The shared state of one level of a buffer.
#[derive(Clone, Copy)]
struct Level {
    count: Sym,
    busy: Sym,
}

struct Pass {
    homes: FxHashMap<Sym, Home>,
    levels: FxHashMap<Home, Level>,
    /// The buffer whose turn it is, if there are several.
    turn: Option<Sym>,
    buffers: Vec<u32>,
    error: Option<Sym>,
    /// The tasks that keep the counts.
    tasks: FxHashMap<Sym, Sym>,
}

/// Encodes levels and buffers; the program then has one of each.
pub(crate) fn encode(unit: &mut Unit, homes: FxHashMap<Sym, Home>) {
    let mut pass = declare(unit, homes);
    let mut tasks: Vec<Sym> = unit.task_procedures().into_iter().collect();
    tasks.sort_unstable();
    for procedure in tasks {
        pass.declare_task(unit, procedure);
    }
    for entry in &unit.entries {
        let home = Home { buffer: entry.buffer, level: entry.level };
        let count = pass.levels[&home].count;
        match unit.initially.iter_mut().find(|(variable, _)| *variable == count) {
            Some((_, number)) => *number += 1,
            None => unit.initially.push((count, 1)),
        }
    }
    pass.rewrite(unit);
    unit.levels.clear();
    for entry in &mut unit.entries {
        entry.procedure = pass.tasks[&entry.procedure];
        (entry.buffer, entry.level) = (0, 0);
    }
    let own = unit.entries.clone();
    let entry = lower::post_all(unit, &own);
    unit.entries = vec![entry];
}

fn declare(unit: &mut Unit, homes: FxHashMap<Sym, Home>) -> Pass {
    let mut places: Vec<Home> = homes.values().copied().collect();
    places.sort_unstable_by_key(|h| (h.buffer, h.level));
    places.dedup();
    let mut buffers: Vec<u32> = places.iter().map(|h| h.buffer).collect();
    buffers.dedup();
    let ast = &mut unit.ast;
    let mut levels = FxHashMap::default();
    for home in places {
        let Home { buffer, level } = home;
        let count = build::global_int(ast, &format!("count${buffer}${level}"), Attrs::NONE);
        let range = build::range(ast, 1);
        let busy = build::global_int(ast, &format!("busy${buffer}${level}"), range);
        if !unit.entries.iter().any(|e| e.buffer == buffer && e.level == level) {
            unit.initially.push((count, 0));
        }
        unit.initially.push((busy, 0));
        levels.insert(home, Level { count, busy });
    }
    let first = buffers.first().copied().unwrap_or(0);
    let turn = (buffers.len() > 1).then(|| {
        let range = build::range(ast, buffers.last().copied().unwrap_or(0));
        build::global_int(ast, "turn", range)
    });
    unit.initially.extend(turn.map(|turn| (turn, first)));
    Pass { homes, levels, turn, buffers, error: unit.error, tasks: FxHashMap::default() }
}

impl Pass {
    /// The condition that no task of a higher level is pending, and that it is the buffer's turn.
    fn may_run(&self, ast: &mut Ast, home: Home) -> Vec<ExprId> {
        let mut above: Vec<(&Home, &Level)> =
            self.levels.iter().filter(|(h, _)| h.buffer == home.buffer && h.level > home.level).collect();
        above.sort_unstable_by_key(|(h, _)| h.level);
        let mut conditions: Vec<ExprId> =
            self.turn.iter().map(|turn| build::compare(ast, *turn, BinaryOp::Eq, home.buffer)).collect();
        for (_, level) in above {
            conditions.push(build::compare(ast, level.count, BinaryOp::Eq, 0));
        }
        conditions
    }

    fn assume(&self, ast: &mut Ast, conditions: Vec<ExprId>) -> Vec<Stmt> {
        if conditions.is_empty() {
            return Vec::new();
        }
        let mut condition = build::all(ast, conditions);
        if let Some(error) = self.error {
            let error = build::name(ast, error);
            condition = build::binary(ast, BinaryOp::Or, error, condition);
        }
        vec![build::assume(condition)]
    }

    /// Continues in the middle of a task.
    fn resume(&self, ast: &mut Ast, home: Home) -> Vec<Stmt> {
        let conditions = self.may_run(ast, home);
        self.assume(ast, conditions)
    }

    /// Begins, or continues after a yield, while no other task of the level is in the middle of a step.
    fn enter(&self, ast: &mut Ast, home: Home) -> Vec<Stmt> {
        let busy = self.levels[&home].busy;
        let mut conditions = self.may_run(ast, home);
        conditions.push(build::compare(ast, busy, BinaryOp::Eq, 0));
        let mut stmts = self.assume(ast, conditions);
        stmts.push(build::set_int(ast, busy, 1));
        stmts
    }

    fn leave(&self, ast: &mut Ast, home: Home) -> Stmt {
        build::set_int(ast, self.levels[&home].busy, 0)
    }

    /// The condition that it is the buffer's turn.
    fn switch_buffers(&self, ast: &mut Ast) -> Vec<Stmt> {
        let Some(turn) = self.turn else { return Vec::new() };
        let mut stmts = build::havoc(&[turn]);
        let any =
            self.buffers.iter().map(|b| build::compare(ast, turn, BinaryOp::Eq, *b)).collect::<Vec<_>>();
        let any = any.into_iter().reduce(|a, b| build::binary(ast, BinaryOp::Or, a, b));
        stmts.extend(any.map(build::assume));
        stmts
    }

    fn change(&self, ast: &mut Ast, home: Home, op: BinaryOp) -> Stmt {
        let count = self.levels[&home].count;
        let (old, one) = (build::name(ast, count), build::int(ast, 1));
        let new = build::binary(ast, op, old, one);
        build::set(ast, &[count], &[new])
    }

    /// `procedure p$run(…)`: a task, from when it may begin until it no longer counts.
    fn declare_task(&mut self, unit: &mut Unit, procedure: Sym) {
        let Some(signature) = unit.procedure(procedure).map(|p| p.signature.clone()) else { return };
        let Some(home) = self.homes.get(&procedure).copied() else { return };
        let ast = &mut unit.ast;
        let name = build::derive(ast, procedure, "run", Role::Wrapper);
        let mut stmts = self.enter(ast, home);
        let locals = build::same_vars(&signature.outs);
        let args = build::names(ast, &build::var_names(&signature.ins));
        stmts.push(build::call(ast, &build::var_names(&locals), procedure, &args));
        stmts.push(self.change(ast, home, BinaryOp::Sub));
        stmts.push(self.leave(ast, home));
        let counts: Vec<Sym> =
            self.levels.iter().filter(|(h, _)| h.buffer == home.buffer).map(|(_, l)| l.count).collect();
        if self.turn.is_some() {
            let mut counts = counts;
            counts.sort_unstable();
            let done = counts.iter().map(|c| build::compare(ast, *c, BinaryOp::Eq, 0)).collect();
            let done = build::all(ast, done);
            let switch = self.switch_buffers(ast);
            stmts.push(build::when(done, switch));
        }
        let ins = build::same_vars(&signature.ins);
        let mut task = build::signature(name, ins, Vec::new());
        task.type_params = signature.type_params;
        build::declare_procedure(ast, task, locals, stmts, Attrs::NONE);
        self.tasks.insert(procedure, name);
    }

    fn rewrite(&self, unit: &mut Unit) {
        build::each_body(&mut unit.ast, |ast, decl| {
            let name = as_procedure(decl).map(|p| p.signature.name.name);
            let Some(home) = name.and_then(|n| self.homes.get(&n)).copied() else { return };
            let Some(body) = build::body_mut(decl) else { return };
            build::rewrite(&mut body.block, &mut |mut s, out| match &mut s.kind {
                StmtKind::Yield => {
                    out.extend([self.leave(ast, home), s]);
                    out.extend(self.enter(ast, home));
                }
                StmtKind::Zield => {
                    if self.turn.is_some() {
                        out.extend(self.switch_buffers(ast));
                        out.push(stmt(StmtKind::Yield));
                        out.extend(self.resume(ast, home));
                    }
                }
                StmtKind::Async(post) => {
                    let level = post.level.take().unwrap_or(home.level);
                    post.procedure.name = self.tasks[&post.procedure.name];
                    out.push(self.change(ast, Home { level, ..home }, BinaryOp::Add));
                    out.push(s);
                    if level > home.level {
                        out.push(stmt(StmtKind::Yield));
                        out.extend(self.resume(ast, home));
                    }
                }
                _ => out.push(s),
            });
        });
    }
}
