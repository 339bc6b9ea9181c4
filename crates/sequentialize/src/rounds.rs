//! Rounds and delays: what dfs, df, dfw and lal-reps have in common.
//!
//! The round `k` of the running task, the place `order` of the running piece within its round, and how many
//! `delays` are spent are globals of the sequential program. A task that may be delayed is moved on by an
//! arbitrary number of rounds: `while (* && delays < K)` of the figures, without the loop.

use dally_bpl::ast::{Ast, Attrs, BinaryOp, ExprId, Stmt, StmtKind};
use dally_text::symbol::Sym;

use crate::atomicity;
use crate::build;
use crate::ends::Ends;
use crate::posts;
use crate::tags::Position;
use crate::{Bounds, unit::Unit};

#[derive(Debug)]
pub(crate) struct Rounds {
    /// The number of rounds.
    pub(crate) count: u32,
    /// The round of the running task.
    pub(crate) round: Sym,
    /// The place of the running piece within its round.
    pub(crate) order: Sym,
    /// The number of pieces so far.
    pieces: Sym,
    delays: Option<Sym>,
    /// The procedure that may delay the running task, if delays are possible.
    delay: Option<Sym>,
}

impl Rounds {
    pub(crate) fn declare(ast: &mut Ast, bounds: &Bounds) -> Rounds {
        let round = build::global_int(ast, "k", Attrs::NONE);
        let order = build::global_int(ast, "order", Attrs::NONE);
        let pieces = build::global_int(ast, "pieces", Attrs::NONE);
        let delays = bounds.delays.map(|_| build::global_int(ast, "delays", Attrs::NONE));
        let mut rounds = Rounds { count: bounds.rounds, round, order, pieces, delays, delay: None };
        if bounds.rounds > 1 && bounds.delays != Some(0) {
            rounds.declare_delay(ast, bounds);
        }
        rounds
    }

    fn declare_delay(&mut self, ast: &mut Ast, bounds: &Bounds) {
        let by = build::fresh(ast, "by");
        let most = bounds.delays.unwrap_or(u32::MAX).min(self.count - 1);
        let range = build::range(ast, most);
        let locals = vec![build::local_int(ast, by, range)];
        let mut bounds_hold = vec![build::compare(ast, by, BinaryOp::Ge, 0)];
        let sum = build::relate(ast, self.round, BinaryOp::Add, by);
        let end = build::int(ast, self.count);
        bounds_hold.push(build::binary(ast, BinaryOp::Lt, sum, end));
        let mut moved = vec![(self.round, build::relate(ast, self.round, BinaryOp::Add, by))];
        if let (Some(delays), Some(most)) = (self.delays, bounds.delays) {
            let sum = build::relate(ast, delays, BinaryOp::Add, by);
            let most = build::int(ast, most);
            bounds_hold.push(build::binary(ast, BinaryOp::Le, sum, most));
            moved.push((delays, build::relate(ast, delays, BinaryOp::Add, by)));
        }
        let mut stmts = build::havoc(&[by]);
        let condition = build::all(ast, bounds_hold);
        stmts.push(build::assume(condition));
        let (targets, values): (Vec<_>, Vec<_>) = moved.into_iter().unzip();
        stmts.push(build::set(ast, &targets, &values));
        let delay = build::fresh(ast, "delay");
        build::declare_helper(ast, delay, locals, stmts);
        self.delay = Some(delay);
    }

    /// Moves the running task to a later round, or not.
    pub(crate) fn maybe_delay(&self, ast: &mut Ast) -> Vec<Stmt> {
        self.delay.into_iter().map(|delay| build::call(ast, &[], delay, &[])).collect()
    }

    /// The piece that begins now comes after all others of its round so far.
    pub(crate) fn begin_piece(&self, ast: &mut Ast) -> Vec<Stmt> {
        let (count, one) = (build::name(ast, self.pieces), build::int(ast, 1));
        let after = build::binary(ast, BinaryOp::Add, count, one);
        let mut stmts = vec![build::set(ast, &[self.pieces], &[after])];
        stmts.extend(build::assign(ast, &[(self.order, self.pieces)]));
        stmts
    }

    /// Initialises the variables.
    pub(crate) fn start(&self, ast: &mut Ast) -> Stmt {
        let targets: Vec<Sym> =
            [self.round, self.order, self.pieces].into_iter().chain(self.delays).collect();
        let zeros: Vec<_> = targets.iter().map(|_| build::int(ast, 0)).collect();
        build::set(ast, &targets, &zeros)
    }

    /// The condition that a task, which ends at this round and place, ends before the running piece; or that the flag
    /// `error` is raised: a task then returns at once, without waiting.
    fn has_ended(&self, ast: &mut Ast, error: Option<Sym>, [round, order]: [ExprId; 2]) -> ExprId {
        let [own, own_too, own_order] = [self.round, self.round, self.order].map(|v| build::name(ast, v));
        let again = ast.copy_expr(round);
        let earlier = build::binary(ast, BinaryOp::Lt, round, own);
        let same = build::binary(ast, BinaryOp::Eq, again, own_too);
        let before = build::binary(ast, BinaryOp::Lt, order, own_order);
        let same = build::binary(ast, BinaryOp::And, same, before);
        let done = build::binary(ast, BinaryOp::Or, earlier, same);
        let Some(error) = error else { return done };
        let error = build::name(ast, error);
        build::binary(ast, BinaryOp::Or, error, done)
    }

    pub(crate) fn place(&self) -> Position {
        Position(vec![self.round, self.order])
    }

    /// Locals that save round and place of the poster.
    pub(crate) fn keepers(&self, ast: &mut Ast) -> Vec<(Sym, dally_bpl::ast::VarDecl)> {
        posts::int_keepers(ast, &[self.round, self.order])
    }
}

/// Replaces yields by calls of a helper, and waits by calls of another one, whose arguments are round and place at which the task
/// ended. A wait inside an atomic section calls it only if the task has not ended. A yield that waits for the end of a task is a wait
/// if the rounds of these ends are noted.
pub(crate) fn lower_switches(
    unit: &mut Unit,
    rounds: &Rounds,
    yields: Option<Sym>,
    waits: Option<Sym>,
    ends: Option<&Ends>,
) {
    let error = unit.error;
    build::rewrite_bodies(&mut unit.ast, |ast, mut s, out| match s.kind {
        StmtKind::Yield => {
            let ended = ends.and_then(|ends| ends.round_awaited(ast, &s));
            let switch = match (ended, waits) {
                (Some(ended), Some(waits)) => {
                    let place = [ended, build::int(ast, 0)];
                    Some(build::call(ast, &[], waits, &place))
                }
                _ => yields.map(|yields| build::call(ast, &[], yields, &[])),
            };
            if let Some(switch) = switch {
                s.kind = switch.kind;
                out.push(s);
            }
        }
        StmtKind::Wait(result, task) => {
            let Some(waits) = waits else { return };
            let args = ["round", "order"].map(|part| {
                let task = ast.copy_expr(task);
                build::field(ast, task, part)
            });
            let in_section = atomicity::is_in_section(ast, &mut s);
            let place = args.map(|part| ast.copy_expr(part));
            s.kind = build::call(ast, &[], waits, &args).kind;
            if in_section {
                let done = rounds.has_ended(ast, error, place);
                let blocked = build::not(ast, done);
                s = build::when(blocked, vec![s]);
            }
            out.push(s);
            if let Some(result) = result {
                let value = build::field(ast, task, "result");
                out.push(build::set(ast, &[result.name], &[value]));
            }
        }
        _ => out.push(s),
    });
}

/// True if the program waits for tasks.
pub(crate) fn has_waits(ast: &mut Ast) -> bool {
    let mut found = false;
    build::each_stmt(ast, |_, s| found |= matches!(s.kind, StmtKind::Wait(..)));
    found
}

/// `procedure join(ended, at)`: its task continues if the other one has ended before the place at which it is after `first`.
pub(crate) fn declare_wait_by_place(unit: &mut Unit, rounds: &Rounds, first: Vec<Stmt>) -> Option<Sym> {
    let ast = &mut unit.ast;
    if !has_waits(ast) {
        return None;
    }
    let (wait, ended, at) = (build::fresh(ast, "join"), build::fresh(ast, "ended"), build::fresh(ast, "at"));
    let ins = [ended, at].map(|p| build::local_int(ast, p, Attrs::NONE)).to_vec();
    let place = [ended, at].map(|part| build::name(ast, part));
    let done = rounds.has_ended(ast, unit.error, place);
    let mut stmts = first;
    stmts.push(build::assume(done));
    let attrs = [build::attr_int(ast, "inline", 1)].into_iter().collect();
    build::declare_procedure(ast, build::signature(wait, ins, vec![]), vec![], stmts, attrs);
    Some(wait)
}
