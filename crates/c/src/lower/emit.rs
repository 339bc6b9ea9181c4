//! The procedure under construction: statements, temporaries, and slots.
//!
//! A value that is read from shared data becomes a *slot*. As long as no statement follows that could change the
//! data, the slot stands for the read itself, so that `yield; if (x > 0)` needs no temporary. Before a statement that
//! could, [`Lowerer::settle`] assigns each slot that is still needed to a temporary.
//!
//! Temporaries are numbered from 0 in each statement of C: the frames of procedures stay small, and all of them are
//! dead between statements.

use dally_bpl::ast::{
    Access, Ast, Attr, AttrArg, Attrs, BinaryOp, Binder, BinderKind, Block, BoundVar, Branch, Call, Expr,
    ExprId, Guard, Ident, If, Lhs, Stmt, StmtKind, TypeExpr, TypeId, UnaryOp, Var, VarDecl, While,
};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

use super::Lowerer;
use super::objects::{ObjectId, Storage};
use super::scopes::{Scope, Scopes};
use super::term::{self, T, Term};
use crate::hir::{FunctionId, LabelId, LocalId};

/// A value that was read from shared data.
#[derive(Debug)]
struct Slot {
    /// The read.
    term: T,
    /// The temporary that holds it, once it is settled.
    settled: Option<Sym>,
    /// True if a statement has used it.
    used: bool,
    /// The number of statements before which it was read.
    epoch: u32,
}

/// Where a `return` leads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Return {
    /// Out of the procedure.
    Procedure,
    /// To the end of an inlined body.
    Inline(Sym),
}

/// A function whose body is being lowered: that of the procedure, or one that is inlined into it.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) function: FunctionId,
    /// The storage of its locals, as far as they exist.
    pub(super) locals: FxHashMap<LocalId, Storage>,
    /// The text of its arguments, for traces.
    pub(super) arguments: Vec<Option<String>>,
    /// Where the result goes.
    pub(super) result: Option<ObjectId>,
    pub(super) returns: Return,
    /// True once a `return` has jumped.
    pub(super) jumped: bool,
    pub(super) labels: FxHashMap<LabelId, Sym>,
    /// The targets of `break` and `continue`, innermost last.
    pub(super) exits: Vec<super::control::Exits>,
    /// The blocks that declare variables in memory, and those that are open.
    pub(super) scopes: Rc<Scopes>,
    pub(super) open: Vec<Scope>,
    /// The variables with the addresses of locals in memory.
    pub(super) addresses: FxHashMap<LocalId, Sym>,
    /// The address of the arguments that have no parameter.
    pub(super) extra: Option<T>,
}

/// The procedure under construction.
#[derive(Debug, Default)]
pub(super) struct Procedure {
    pub(super) name: String,
    names: FxHashSet<String>,
    pub(super) locals: Vec<VarDecl>,
    pub(super) blocks: Vec<Vec<Stmt>>,
    slots: Vec<Slot>,
    epoch: u32,
    /// The temporaries in use, integers and truth values.
    pub(super) temporaries: [usize; 2],
    declared: [Vec<Sym>; 2],
    pub(super) frames: Vec<Frame>,
    /// The variables of inlined functions.
    pub(super) inlined: FxHashMap<(FunctionId, LocalId), ObjectId>,
    /// Positive inside of what is one atomic piece.
    pub(super) atomic: u32,
    /// True if the atomic piece accesses shared data.
    pub(super) touched: bool,
    /// True if the step may have changed shared data.
    pub(super) dirty: bool,
    /// `dirty` before the atomic piece.
    pub(super) dirty_before: bool,
    /// `dirty` before the nested blocks.
    dirty_outside: Vec<bool>,
    /// The result that says that the thread ends.
    pub(super) exits: Option<Sym>,
    /// The addresses of the objects in memory that are released when the function returns, besides those of blocks.
    pub(super) stack: Vec<Sym>,
    /// True if the value of the next call is not used.
    pub(super) unused: bool,
    /// True inside of the condition of an `await`.
    pub(super) awaits: bool,
    /// The result that is the address of a union.
    pub(super) union_result: Option<Sym>,
    /// The text of the arguments of the next call of a library function.
    pub(super) arguments: Vec<Option<String>>,
    /// The lvalue that is being assigned to, for traces.
    pub(super) lvalue: Option<String>,
    pub(super) span: Span,
}

impl Procedure {
    pub(super) fn new(name: String) -> Procedure {
        Procedure { name, blocks: vec![Vec::new()], span: Span::NONE, dirty: true, ..Procedure::default() }
    }
}

pub(super) fn ident(name: Sym) -> Ident {
    Ident { name, span: Span::NONE }
}

impl Lowerer<'_> {
    pub(super) fn sym(&mut self, text: &str) -> Sym {
        self.ast.symbols.intern(text)
    }

    // Names and variables.

    /// A name for a variable or label of the procedure: `wanted`, or `wanted` with a number.
    pub(super) fn fresh(&mut self, wanted: &str) -> Sym {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while self.global_names.contains(&name) || !self.proc.names.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}${number}");
        }
        self.sym(&name)
    }

    pub(super) fn type_expr(&mut self, ty: TypeExpr) -> TypeId {
        self.ast.types.add(ty, Span::NONE)
    }

    pub(super) fn int_type(&mut self) -> TypeId {
        self.type_expr(TypeExpr::Int)
    }

    /// `[int]int`
    pub(super) fn map_type(&mut self) -> TypeId {
        let int = self.int_type();
        let args = self.ast.types.add_list(&[int]);
        let map = dally_bpl::ast::MapType { params: Vec::new(), args, result: int };
        self.type_expr(TypeExpr::Map(Box::new(map)))
    }

    pub(super) fn var_decl(&mut self, name: Sym, is_map: bool, attrs: Attrs) -> VarDecl {
        let ty = if is_map { self.map_type() } else { self.int_type() };
        VarDecl { attrs, var: Var { name: ident(name), ty, where_clause: None } }
    }

    /// A temporary, an integer or a truth value, until the end of the statement.
    pub(super) fn temporary(&mut self, is_bool: bool) -> Sym {
        let kind = usize::from(is_bool);
        let number = self.proc.temporaries[kind];
        self.proc.temporaries[kind] += 1;
        if let Some(name) = self.proc.declared[kind].get(number) {
            return *name;
        }
        let name = self.fresh(&format!("{}{number}", ["$t", "$b"][kind]));
        let ty = if is_bool { self.type_expr(TypeExpr::Bool) } else { self.int_type() };
        let decl = VarDecl { attrs: Attrs::NONE, var: Var { name: ident(name), ty, where_clause: None } };
        self.proc.locals.push(decl);
        self.proc.declared[kind].push(name);
        name
    }

    // Slots.

    /// A value that is read from shared data.
    pub(super) fn slot(&mut self, read: T) -> T {
        let epoch = self.proc.epoch;
        self.proc.slots.push(Slot { term: read, settled: None, used: false, epoch });
        T::new(Term::Slot(self.proc.slots.len() as u32 - 1))
    }

    /// Assigns slots that are still needed to temporaries. The condition of an `await` is evaluated again and again, so there
    /// they stay reads.
    pub(super) fn settle(&mut self) {
        if self.proc.awaits {
            return;
        }
        self.proc.epoch += 1;
        for index in 0..self.proc.slots.len() {
            let slot = &self.proc.slots[index];
            if slot.used || slot.settled.is_some() {
                continue;
            }
            let read = slot.term.clone();
            let temporary = self.temporary(false);
            let value = self.expr(&read, false);
            let kind = assign(&mut self.ast, temporary, value);
            self.push_raw(kind);
            self.proc.slots[index].settled = Some(temporary);
        }
    }

    pub(super) fn slot_count(&self) -> usize {
        self.proc.slots.len()
    }

    /// Forgets the slots of a statement of C, which ends.
    pub(super) fn forget_slots(&mut self, before: usize) {
        self.proc.slots.truncate(before);
    }

    /// A term that may be used in several statements.
    pub(super) fn stable(&mut self, value: T) -> T {
        let is_local = matches!(&*value, Term::Var(name) if self.is_private(*name));
        if value.is_constant() || is_local {
            return value;
        }
        let temporary = self.temporary(false);
        self.set(temporary, &value);
        term::var(temporary)
    }

    /// Returns true for variables of the procedure.
    pub(super) fn is_private(&self, name: Sym) -> bool {
        self.proc.names.contains(self.ast.text(name))
    }

    // Expressions.

    /// The expression of a term. Slots count as used if `consume`.
    pub(super) fn expr(&mut self, t: &T, consume: bool) -> ExprId {
        dally_text::stack::grow(|| self.expr_node(t, consume))
    }

    fn expr_node(&mut self, t: &T, consume: bool) -> ExprId {
        let node = match &**t {
            Term::Int(n) => return self.int_expr(*n),
            Term::Str(string) => {
                let address = self.string_address(*string);
                return self.int_expr(address);
            }
            Term::Bool(b) => Expr::Bool(*b),
            Term::Var(name) => Expr::Name(*name),
            Term::Slot(index) => return self.slot_expr(*index as usize, consume),
            Term::Binary(op, a, b) => {
                let (a, b) = (self.expr(a, consume), self.expr(b, consume));
                Expr::Binary(*op, a, b)
            }
            Term::Not(a) => Expr::Unary(UnaryOp::Not, self.expr(a, consume)),
            Term::Neg(a) => Expr::Unary(UnaryOp::Neg, self.expr(a, consume)),
            Term::Ite(a, b, c) => {
                let (a, b, c) = (self.expr(a, consume), self.expr(b, consume), self.expr(c, consume));
                Expr::Ite(a, b, c)
            }
            Term::Select(map, index) => {
                let (map, index) = (self.expr(map, consume), self.expr(index, consume));
                Expr::Select(map, self.ast.exprs.add_list(&[index]))
            }
            Term::Call(name, args) => {
                let args: Vec<ExprId> = args.iter().map(|a| self.expr(a, consume)).collect();
                Expr::Call(*name, self.ast.exprs.add_list(&args))
            }
            Term::Constant(value) => {
                let value = self.expr(value, consume);
                return self.constant_map(value);
            }
        };
        self.ast.exprs.add(node, Span::NONE)
    }

    fn slot_expr(&mut self, index: usize, consume: bool) -> ExprId {
        let epoch = self.proc.epoch;
        let Some(slot) = self.proc.slots.get_mut(index) else {
            self.internal("a value outlives its statement");
            return self.int_expr(0);
        };
        if let Some(settled) = slot.settled {
            return self.ast.exprs.add(Expr::Name(settled), Span::NONE);
        }
        if slot.used && slot.epoch != epoch {
            self.internal("a value is used after it may have changed");
            return self.int_expr(0);
        }
        slot.used |= consume;
        slot.epoch = epoch;
        let term = slot.term.clone();
        self.expr(&term, consume)
    }

    pub(super) fn int_expr(&mut self, value: i128) -> ExprId {
        let digits = self.sym(&value.unsigned_abs().to_string());
        let number = self.ast.exprs.add(Expr::Int(digits), Span::NONE);
        if value < 0 { self.ast.exprs.add(Expr::Unary(UnaryOp::Neg, number), Span::NONE) } else { number }
    }

    fn constant_map(&mut self, body: ExprId) -> ExprId {
        let (name, ty) = (self.sym("i"), self.int_type());
        let bound = BoundVar { attrs: Attrs::NONE, name: ident(name), ty };
        let binder = Binder {
            kind: BinderKind::Lambda,
            type_params: Vec::new(),
            vars: vec![bound],
            attrs: Attrs::NONE,
            triggers: Vec::new(),
            body,
        };
        self.ast.exprs.add_binder(binder, Span::NONE)
    }

    // Statements.

    pub(super) fn stmt(&mut self, kind: StmtKind, attrs: Attrs) -> Stmt {
        let span = self.proc.span;
        Stmt { id: Some(self.ast.new_stmt_id(span)), kind, attrs, span }
    }

    /// Records whether a statement is a scheduling point, or changes data of other threads.
    fn note(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Yield => self.proc.dirty = false,
            StmtKind::Assign(targets, _) => {
                self.proc.dirty |= targets.iter().any(|t| !self.is_private(t.base.name));
            }
            StmtKind::Call(_) | StmtKind::Async(_) | StmtKind::Label(_) => self.proc.dirty = true,
            _ => {}
        }
    }

    pub(super) fn push_raw(&mut self, kind: StmtKind) {
        self.note(&kind);
        let stmt = self.stmt(kind, Attrs::NONE);
        self.proc.blocks.last_mut().into_iter().for_each(|b| b.push(stmt.clone()));
    }

    /// Appends a statement that may change data.
    pub(super) fn push(&mut self, kind: StmtKind) {
        self.settle();
        self.push_raw(kind);
    }

    /// Appends a statement that changes nothing.
    pub(super) fn push_check(&mut self, kind: StmtKind, attrs: impl IntoIterator<Item = Attr>) {
        self.note(&kind);
        let stmt = self.stmt(kind, attrs.into_iter().collect());
        self.proc.blocks.last_mut().into_iter().for_each(|b| b.push(stmt.clone()));
    }

    /// `name := value;`
    pub(super) fn set(&mut self, name: Sym, value: &T) {
        if matches!(&**value, Term::Var(same) if *same == name) {
            return;
        }
        let value = self.expr(value, true);
        let kind = assign(&mut self.ast, name, value);
        self.push(kind);
    }

    /// `name[index] := value;`
    pub(super) fn set_element(&mut self, name: Sym, index: &T, value: &T) {
        self.set_element_shown(name, index, value, None);
    }

    /// `name[index] := value;`, with an attribute that says how it is shown.
    pub(super) fn set_element_shown(&mut self, name: Sym, index: &T, value: &T, shows: Option<Attr>) {
        let (index, value) = (self.expr(index, true), self.expr(value, true));
        let path = vec![Access::Index(self.ast.exprs.add_list(&[index]), Span::NONE)];
        let target = Lhs { base: ident(name), path, span: Span::NONE };
        let values = self.ast.exprs.add_list(&[value]);
        self.settle();
        self.push_check(StmtKind::Assign(vec![target], values), shows);
    }

    /// `havoc name;`
    pub(super) fn havoc(&mut self, name: Sym) {
        self.push(StmtKind::Havoc(vec![ident(name)]));
    }

    /// `havoc {:range 0, high} name;`
    pub(super) fn pick(&mut self, name: Sym, low: i128, high: i128) {
        self.settle();
        let args = [low, high].map(|n| AttrArg::Expr(self.int_expr(n))).to_vec();
        let range = self.attr("range", args);
        self.push_check(StmtKind::Havoc(vec![ident(name)]), Some(range));
    }

    pub(super) fn attr(&mut self, name: &str, args: Vec<AttrArg>) -> Attr {
        Attr { name: self.sym(name), args, span: Span::NONE }
    }

    pub(super) fn attr_text(&mut self, name: &str, text: &str) -> Attr {
        let text = self.sym(&text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
        self.attr(name, vec![AttrArg::Str(text)])
    }

    /// `assert {:message "…"} condition;`
    pub(super) fn check(&mut self, condition: &T, message: &str) {
        if **condition == Term::Bool(true) {
            return;
        }
        let condition = self.expr(condition, false);
        let message = self.attr_text("message", message);
        self.push_check(StmtKind::Assert(condition), Some(message));
    }

    /// `assert {:unsupported "…"} false;`
    pub(super) fn unsupported(&mut self, what: &str) {
        self.unsupported_if(&term::boolean(true), what);
    }

    /// `assert {:unsupported "…"} !condition;`
    pub(super) fn unsupported_if(&mut self, condition: &T, what: &str) {
        let condition = self.expr(&term::not(condition.clone()), false);
        let what = self.attr_text("unsupported", what);
        self.push_check(StmtKind::Assert(condition), Some(what));
    }

    pub(super) fn assume(&mut self, condition: &T) {
        if **condition == Term::Bool(true) {
            return;
        }
        let condition = self.expr(condition, false);
        self.push_check(StmtKind::Assume(condition), None);
    }

    /// `assume {:exit} false;`: the program ends. Other threads may go on before that.
    pub(super) fn exit_program(&mut self) {
        if self.facts.threaded {
            self.always_yield();
        }
        let condition = self.expr(&term::boolean(false), false);
        let exit = self.attr("exit", Vec::new());
        self.push_check(StmtKind::Assume(condition), Some(exit));
    }

    pub(super) fn print_stmt(&mut self, attr: Attr) {
        let condition = self.expr(&term::boolean(true), false);
        self.push_check(StmtKind::Assume(condition), Some(attr));
    }

    /// `call outs := procedure(args);`
    pub(super) fn call(&mut self, outs: Vec<Option<Sym>>, procedure: &str, args: &[T]) {
        let args: Vec<ExprId> = args.iter().map(|a| self.expr(a, true)).collect();
        let args = self.ast.exprs.add_list(&args);
        let outs = outs.into_iter().map(|out| out.map(ident)).collect();
        let procedure = ident(self.sym(procedure));
        self.push(StmtKind::Call(Box::new(Call { free: false, outs, procedure, args })));
    }

    /// `call {:async} procedure(args);`
    pub(super) fn post(&mut self, procedure: &str, args: &[T]) {
        self.post_at(procedure, args, None, None);
    }

    /// `call {:async} {:level n} {:buffer n} procedure(args);`
    pub(super) fn post_at(&mut self, procedure: &str, args: &[T], level: Option<u16>, buffer: Option<u16>) {
        let args: Vec<ExprId> = args.iter().map(|a| self.expr(a, true)).collect();
        let args = self.ast.exprs.add_list(&args);
        let procedure = ident(self.sym(procedure));
        let post = dally_bpl::ast::Async {
            handle: None,
            result: None,
            procedure,
            args,
            level: level.map(u32::from),
            buffer: buffer.map(u32::from),
        };
        self.push(StmtKind::Async(Box::new(post)));
    }

    // Blocks.

    /// Begins a nested block.
    pub(super) fn begin(&mut self) {
        self.settle();
        self.proc.blocks.push(Vec::new());
        self.proc.dirty_outside.push(self.proc.dirty);
    }

    /// Ends the block that [`begin`](Self::begin) began.
    pub(super) fn end(&mut self) -> Vec<Stmt> {
        self.proc.epoch += 1;
        self.proc.dirty |= self.proc.dirty_outside.pop().unwrap_or(true);
        self.proc.blocks.pop().unwrap_or_default()
    }

    pub(super) fn extend(&mut self, stmts: Vec<Stmt>) {
        if let Some(block) = self.proc.blocks.last_mut() {
            block.extend(stmts);
        }
    }

    /// The number of statements in the current block.
    pub(super) fn block_len(&self) -> usize {
        self.proc.blocks.last().map_or(0, Vec::len)
    }

    /// `if (condition) { then } else { otherwise }`; the condition was converted before the blocks were built.
    pub(super) fn push_if(&mut self, condition: ExprId, then: Vec<Stmt>, otherwise: Vec<Stmt>) {
        let branch = Branch { attrs: Attrs::NONE, guard: Guard::Expr(condition), block: block(then) };
        let mut branches = vec![branch];
        let mut otherwise = otherwise;
        // `else { if … }` is `else if …`.
        if let [Stmt { kind: StmtKind::If(_), attrs, .. }] = &otherwise[..]
            && attrs.iter().next().is_none()
            && let Some(Stmt { kind: StmtKind::If(inner), .. }) = otherwise.pop()
        {
            branches.extend(inner.branches);
            otherwise = inner.otherwise.map_or(Vec::new(), |b| b.stmts);
        }
        let otherwise = (!otherwise.is_empty()).then(|| block(otherwise));
        self.push(StmtKind::If(Box::new(If { branches, otherwise })));
    }

    /// `while (condition) { body }`
    pub(super) fn push_while(&mut self, condition: ExprId, mut body: Vec<Stmt>) {
        // A thread that runs in circles without a change does not keep the others from running.
        if self.facts.threaded && self.proc.atomic == 0 && self.is_idle(&body) {
            let point = self.stmt(StmtKind::Yield, Attrs::NONE);
            body.push(point);
        }
        let guard = Guard::Expr(condition);
        self.push(StmtKind::While(Box::new(While { guard, specs: Vec::new(), body: block(body) })));
    }

    pub(super) fn push_label(&mut self, label: Sym) {
        self.push(StmtKind::Label(ident(label)));
    }

    pub(super) fn push_goto(&mut self, label: Sym) {
        self.push(StmtKind::Goto(vec![ident(label)]));
    }

    /// Returns true if control cannot reach the end of the current block.
    pub(super) fn has_left(&self) -> bool {
        let last = self.proc.blocks.last().and_then(|b| b.last());
        last.is_some_and(|s| matches!(s.kind, StmtKind::Goto(_) | StmtKind::Return | StmtKind::Break(_)))
    }

    /// `if (condition) { then }`, where `then` builds the statements.
    pub(super) fn when(&mut self, condition: &T, then: impl FnOnce(&mut Self)) {
        match **condition {
            Term::Bool(false) => return,
            Term::Bool(true) => return then(self),
            _ => {}
        }
        let condition = self.expr(condition, true);
        self.begin();
        then(self);
        let stmts = self.end();
        self.push_if(condition, stmts, Vec::new());
    }

    /// The comparison of a term with a constant.
    pub(super) fn differs(&self, a: T, b: i128) -> T {
        term::binary(BinaryOp::Neq, a, term::int(b))
    }
}

pub(super) fn block(stmts: Vec<Stmt>) -> Block {
    Block { stmts, end: Span::NONE }
}

fn assign(ast: &mut Ast, name: Sym, value: ExprId) -> StmtKind {
    let target = Lhs { base: ident(name), path: Vec::new(), span: Span::NONE };
    StmtKind::Assign(vec![target], ast.exprs.add_list(&[value]))
}
