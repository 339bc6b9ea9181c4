//! Control flow: conditionals, loops, `switch` and labels.
//!
//! A jump may lead into a nested block: Boogie with asynchrony allows it, and so labels stay where they are.

use dally_bpl::ast::{BinaryOp as B, StmtKind as Bpl};
use dally_text::symbol::Sym;

use super::Lowerer;
use super::places::Value;
use super::term::{self, T};
use crate::hir::{Expr, LabelId, Stmt, StmtKind};

/// The statement that `break` or `continue` leaves.
#[derive(Debug)]
pub(super) struct Exits {
    /// The label after a `switch`; a loop is left by `break`.
    after: Option<Sym>,
    /// The label at the end of the body of a loop.
    next: Option<Sym>,
    /// True if a jump to the label exists.
    broken: bool,
    continued: bool,
    is_loop: bool,
    /// The number of blocks around it.
    depth: usize,
    /// The labels of a `switch`, in the order of the text.
    cases: Vec<Sym>,
    /// The next of them to be placed.
    placed: usize,
}

impl Lowerer<'_> {
    pub(super) fn if_statement(&mut self, condition: &Expr, then: &Stmt, otherwise: Option<&Stmt>) {
        let value = self.value(condition);
        let condition = self.condition(value);
        let has_labels = contains_label(then) || otherwise.is_some_and(contains_label);
        match (&*condition, has_labels) {
            (term::Term::Bool(true), false) => return self.body(then),
            (term::Term::Bool(false), false) => {
                return otherwise.into_iter().for_each(|s| self.body(s));
            }
            _ => {}
        }
        let condition = self.expr(&condition, true);
        self.begin();
        self.body(then);
        let first = self.end();
        self.begin();
        otherwise.into_iter().for_each(|s| self.body(s));
        let second = self.end();
        self.push_if(condition, first, second);
    }

    fn exits(&mut self, exits: Exits) {
        if let Some(frame) = self.proc.frames.last_mut() {
            frame.exits.push(exits);
        }
    }

    fn leave_exits(&mut self) -> Option<Exits> {
        self.proc.frames.last_mut().and_then(|f| f.exits.pop())
    }

    fn loop_exits(&mut self) -> Exits {
        let next = Some(self.fresh("$next"));
        Exits {
            after: None,
            next,
            broken: false,
            continued: false,
            is_loop: true,
            depth: self.open_scopes(),
            cases: Vec::new(),
            placed: 0,
        }
    }

    /// `while` and `for`
    pub(super) fn loop_statement(&mut self, condition: Option<&Expr>, step: Option<&Expr>, body: &Stmt) {
        let simple = condition.is_none_or(|c| self.is_simple(c));
        let guard = match condition {
            Some(condition) if simple => {
                let value = self.value(condition);
                self.condition(value)
            }
            _ => term::boolean(true),
        };
        let guard = self.expr(&guard, true);
        let exits = self.loop_exits();
        self.exits(exits);
        self.begin();
        // The previous turn may have changed shared data.
        self.proc.dirty = true;
        if let Some(condition) = condition.filter(|_| !simple) {
            self.leave_unless(condition);
        }
        self.body(body);
        self.end_of_turn();
        if let Some(step) = step {
            let mark = (self.proc.temporaries, self.slot_count());
            self.effect(step);
            self.proc.temporaries = mark.0;
            self.forget_slots(mark.1);
        }
        let body = self.end();
        self.leave_exits();
        self.push_while(guard, body);
    }

    /// The label for `continue`, if there was one.
    fn end_of_turn(&mut self) {
        let next = self.proc.frames.last().and_then(|f| f.exits.last()).filter(|e| e.continued);
        if let Some(next) = next.and_then(|e| e.next) {
            self.push_label(next);
        }
    }

    /// `if (!condition) { break; }`
    fn leave_unless(&mut self, condition: &Expr) {
        let mark = (self.proc.temporaries, self.slot_count());
        let value = self.value(condition);
        let condition = self.condition(value);
        self.when(&term::not(condition), |l| l.push(Bpl::Break(None)));
        self.proc.temporaries = mark.0;
        self.forget_slots(mark.1);
    }

    pub(super) fn do_while(&mut self, body: &Stmt, condition: &Expr) {
        let always = self.expr(&term::boolean(true), true);
        let exits = self.loop_exits();
        self.exits(exits);
        self.begin();
        self.proc.dirty = true;
        self.body(body);
        self.end_of_turn();
        self.leave_unless(condition);
        let stmts = self.end();
        let broken = self.leave_exits().is_some_and(|e| e.broken);
        // `do { … } while (0)` is a block.
        if matches!(condition.kind, crate::hir::ExprKind::Int(0)) && !broken {
            return self.splice(stmts);
        }
        self.push_while(always, stmts);
    }

    /// Inserts the statements of a loop that has one turn, without its last `break`.
    fn splice(&mut self, mut stmts: Vec<dally_bpl::ast::Stmt>) {
        if stmts.last().is_some_and(|s| matches!(s.kind, Bpl::Break(None))) {
            stmts.pop();
        }
        self.settle();
        self.extend(stmts);
    }

    pub(super) fn break_statement(&mut self) {
        let Some(exits) = self.proc.frames.last_mut().and_then(|f| f.exits.last_mut()) else { return };
        exits.broken = true;
        let (after, depth) = (exits.after, exits.depth);
        self.leave_scopes(depth);
        match after {
            Some(after) => self.push_goto(after),
            None => self.push(Bpl::Break(None)),
        }
    }

    pub(super) fn continue_statement(&mut self) {
        let frame = self.proc.frames.last_mut();
        let exits = frame.and_then(|f| f.exits.iter_mut().rev().find(|e| e.is_loop));
        let Some(exits) = exits else { return };
        exits.continued = true;
        let (next, depth) = (exits.next, exits.depth);
        self.leave_scopes(depth);
        if let Some(next) = next {
            self.push_goto(next);
        }
    }

    /// The label of Boogie for a label of C.
    pub(super) fn label(&mut self, label: LabelId) -> Sym {
        let Some(frame) = self.proc.frames.last() else { return self.sym("$") };
        if let Some(known) = frame.labels.get(&label) {
            return *known;
        }
        let name = self.function(frame.function).labels[label.index()].clone();
        let name = self.fresh(&name);
        self.proc.frames.last_mut().into_iter().for_each(|f| {
            f.labels.insert(label, name);
        });
        name
    }

    // switch

    pub(super) fn switch(&mut self, e: &Expr, body: &Stmt) {
        let value = self.value(e);
        let (value, range) = self.ranged(value);
        let value = Value::Int(self.stable(value), range);
        let value = self.int(value);
        let mut labels = Vec::new();
        collect_cases(body, &mut labels);
        let after = self.fresh("$after");
        let names: Vec<Sym> = labels.iter().map(|_| self.fresh("$case")).collect();
        let default = labels.iter().position(|case| case.values.is_none());
        let has_default = default.is_some();
        let targets: Vec<(Case, Sym)> = labels.into_iter().zip(names.iter().copied()).collect();
        self.jump_to_case(&value, &targets, default.map(|n| targets[n]), after);
        self.exits(Exits {
            after: Some(after),
            next: None,
            broken: !has_default,
            continued: false,
            is_loop: false,
            depth: self.open_scopes(),
            cases: names,
            placed: 0,
        });
        self.body(body);
        if self.leave_exits().is_some_and(|e| e.broken) {
            self.push_label(after);
        }
    }

    fn jump_to_case(&mut self, value: &T, cases: &[(Case, Sym)], default: Option<(Case, Sym)>, after: Sym) {
        let mut conditions = Vec::new();
        for (case, name) in cases {
            let Some((low, high)) = case.values else { continue };
            let condition = match low == high {
                true => term::binary(B::Eq, value.clone(), term::int(low)),
                false => term::and(
                    term::binary(B::Le, term::int(low), value.clone()),
                    term::binary(B::Le, value.clone(), term::int(high)),
                ),
            };
            conditions.push((self.expr(&condition, true), *case, *name));
        }
        self.settle();
        self.begin();
        if let Some((case, _)) = default {
            self.jump_to_case_label(case.stmt);
        }
        self.push_goto(default.map_or(after, |(_, name)| name));
        let mut otherwise = self.end();
        for (condition, case, name) in conditions.into_iter().rev() {
            self.begin();
            self.jump_to_case_label(case.stmt);
            self.push_goto(name);
            let then = self.end();
            self.begin();
            self.push_if(condition, then, otherwise);
            otherwise = self.end();
        }
        self.extend(otherwise);
    }

    pub(super) fn case_label(&mut self, _low: i128, _high: i128) {
        self.place_case();
    }

    pub(super) fn default_label(&mut self) {
        self.place_case();
    }

    /// Places the next label of the innermost `switch`.
    fn place_case(&mut self) {
        let frame = self.proc.frames.last_mut();
        let switch = frame.and_then(|f| f.exits.iter_mut().rev().find(|e| !e.is_loop));
        let Some(switch) = switch else { return };
        let label = switch.cases.get(switch.placed).copied();
        switch.placed += 1;
        if let Some(label) = label {
            self.push_label(label);
        }
    }
}

/// A label of a `switch`.
#[derive(Clone, Copy)]
struct Case {
    /// The first and the last value; none for `default`.
    values: Option<(i128, i128)>,
    stmt: *const Stmt,
}

/// The labels of a `switch` in the order of the text.
fn collect_cases(stmt: &Stmt, labels: &mut Vec<Case>) {
    dally_text::stack::grow(|| collect_cases_here(stmt, labels));
}

fn collect_cases_here(stmt: &Stmt, labels: &mut Vec<Case>) {
    match &stmt.kind {
        StmtKind::Case(low, high) => labels.push(Case { values: Some((*low, *high)), stmt }),
        StmtKind::Default => labels.push(Case { values: None, stmt }),
        StmtKind::Block(stmts) => stmts.iter().for_each(|s| collect_cases(s, labels)),
        StmtKind::If(_, then, otherwise) => {
            collect_cases(then, labels);
            otherwise.iter().for_each(|s| collect_cases(s, labels));
        }
        StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::For(_, _, body) => {
            collect_cases(body, labels);
        }
        _ => {}
    }
}

/// Returns true if a jump may lead into the statement.
fn contains_label(stmt: &Stmt) -> bool {
    dally_text::stack::grow(|| contains_label_here(stmt))
}

fn contains_label_here(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Case(..) | StmtKind::Default | StmtKind::Label(_) => true,
        StmtKind::Block(stmts) => stmts.iter().any(contains_label),
        StmtKind::If(_, then, otherwise) => {
            contains_label(then) || otherwise.as_deref().is_some_and(contains_label)
        }
        StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::For(_, _, body)
        | StmtKind::Switch(_, body) => contains_label(body),
        _ => false,
    }
}
