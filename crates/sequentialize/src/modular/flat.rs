//! Bodies that jump back by `goto`: their control flow as blocks, and its loops.

use dally_bpl::ast::{Block, Guard, Ident, If, LoopSpec, Stmt, StmtKind, While, for_each_stmt_mut};
use dally_bpl::check::components;
use dally_bpl::codes;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::stack::grow;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cut::Cutter;
use crate::build;

/// The most blocks of a body in which loops with several heads are split.
const MOST_BLOCKS: usize = 5000;

/// True if a `goto` leads to a label that is not after it in the same block or an enclosing one: loops are not those of the text
/// alone.
pub(super) fn jumps_back(block: &Block) -> bool {
    scan(block, &mut Vec::new())
}

/// `ahead` has the labels of enclosing blocks that follow.
fn scan<'b>(block: &'b Block, ahead: &mut Vec<&'b [Stmt]>) -> bool {
    let labels = |stmts: &[Stmt], name: Sym| {
        stmts.iter().any(|stmt| matches!(&stmt.kind, StmtKind::Label(label) if label.name == name))
    };
    block.stmts.iter().enumerate().any(|(nth, stmt)| {
        ahead.push(&block.stmts[nth + 1..]);
        let found = match &stmt.kind {
            StmtKind::Goto(targets) => {
                targets.iter().any(|target| !ahead.iter().any(|stmts| labels(stmts, target.name)))
            }
            StmtKind::If(conditional) => {
                let branches = conditional.branches.iter().map(|branch| &branch.block);
                branches.chain(&conditional.otherwise).any(|block| grow(|| scan(block, ahead)))
            }
            StmtKind::While(w) => grow(|| scan(&w.body, ahead)),
            _ => false,
        };
        ahead.pop();
        found
    })
}

/// A basic block.
#[derive(Default)]
struct Node {
    label: Option<Ident>,
    /// The invariants of a `while` whose head this is.
    specs: Vec<LoopSpec>,
    stmts: Vec<Stmt>,
    /// The jump to its successors; none at the end of the body.
    jump: Option<Stmt>,
    next: Vec<usize>,
    span: Span,
}

/// A statement that `break` may leave.
struct Breakable {
    label: Option<Sym>,
    is_loop: bool,
    after: usize,
}

struct Flattener<'c, 'a> {
    cutter: &'c mut Cutter<'a>,
    nodes: Vec<Node>,
    labels: FxHashMap<Sym, usize>,
    breaks: Vec<Breakable>,
}

/// Replaces a body by its blocks, with all loops cut.
pub(super) fn cut(cutter: &mut Cutter<'_>, body: &mut Block) {
    let mut flattener =
        Flattener { cutter, nodes: Vec::new(), labels: FxHashMap::default(), breaks: Vec::new() };
    let stmts = std::mem::take(&mut body.stmts);
    flattener.declare(&stmts);
    let first = flattener.node();
    flattener.stmts(stmts, first);
    let all = flattener.reachable(first);
    flattener.cut(&all, first);
    body.stmts = flattener.emit(first);
}

impl Flattener<'_, '_> {
    fn node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    fn declare(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Label(label) => {
                    let node = self.node();
                    self.nodes[node].label = Some(*label);
                    self.labels.insert(label.name, node);
                }
                StmtKind::If(conditional) => {
                    for branch in &conditional.branches {
                        grow(|| self.declare(&branch.block.stmts));
                    }
                    if let Some(otherwise) = &conditional.otherwise {
                        grow(|| self.declare(&otherwise.stmts));
                    }
                }
                StmtKind::While(w) => grow(|| self.declare(&w.body.stmts)),
                _ => {}
            }
        }
    }

    /// Ends a block with a jump.
    fn jump(&mut self, from: usize, to: Vec<usize>, span: Span) {
        let node = &mut self.nodes[from];
        (node.next, node.span) = (to, span);
    }

    /// Adds statements from a block on, and returns the block after them.
    fn stmts(&mut self, stmts: Vec<Stmt>, mut at: usize) -> usize {
        let mut label = None;
        for stmt in stmts {
            if let StmtKind::Label(name) = &stmt.kind {
                let target = self.labels[&name.name];
                self.jump(at, vec![target], stmt.span);
                (at, label) = (target, Some(name.name));
                continue;
            }
            at = grow(|| self.stmt(stmt, label.take(), at));
        }
        at
    }

    fn stmt(&mut self, stmt: Stmt, label: Option<Sym>, at: usize) -> usize {
        let span = stmt.span;
        match stmt.kind {
            StmtKind::If(conditional) => return self.conditional(*conditional, label, at, span),
            StmtKind::While(w) => return self.repeat(*w, label, at, span),
            StmtKind::Goto(ref targets) => {
                let next =
                    targets.iter().filter_map(|target| self.labels.get(&target.name).copied()).collect();
                self.jump(at, next, span);
                self.nodes[at].jump = Some(stmt);
            }
            StmtKind::Break(target) => {
                let left = self.breaks.iter().rev().find(|it| match target {
                    None => it.is_loop,
                    Some(target) => it.label == Some(target.name),
                });
                let next = left.map(|it| it.after).into_iter().collect();
                self.jump(at, next, span);
            }
            StmtKind::Return | StmtKind::ReturnExpr(_) => self.nodes[at].stmts.push(stmt),
            _ => {
                self.nodes[at].stmts.push(stmt);
                return at;
            }
        }
        // Statements after a jump are not reachable.
        self.node()
    }

    /// The blocks for a guard: it holds in the first, and not in the second.
    fn branch(&mut self, guard: Guard, at: usize, span: Span) -> (usize, usize) {
        let (yes, no) = (self.node(), self.node());
        if let Guard::Expr(condition) = guard {
            let span = self.cutter.ast.exprs.span(condition);
            let holds = self.cutter.ast.copy_expr(condition);
            let fails = build::not(self.cutter.ast, condition);
            let assumptions = [(yes, holds), (no, fails)];
            for (node, condition) in assumptions {
                let assumption = self.cutter.new_stmt(StmtKind::Assume(condition), span);
                self.nodes[node].stmts.push(assumption);
            }
        }
        self.jump(at, vec![yes, no], span);
        (yes, no)
    }

    fn conditional(&mut self, conditional: If, label: Option<Sym>, mut at: usize, span: Span) -> usize {
        let after = self.node();
        self.breaks.push(Breakable { label, is_loop: false, after });
        for branch in conditional.branches {
            let (yes, no) = self.branch(branch.guard, at, span);
            let end = self.stmts(branch.block.stmts, yes);
            self.jump(end, vec![after], span);
            at = no;
        }
        let end = self.stmts(conditional.otherwise.unwrap_or_default().stmts, at);
        self.jump(end, vec![after], span);
        self.breaks.pop();
        after
    }

    fn repeat(&mut self, w: While, label: Option<Sym>, at: usize, span: Span) -> usize {
        let head = self.node();
        self.jump(at, vec![head], span);
        let check = self.cutter.check(&w.specs, span);
        self.nodes[head].stmts.extend(check);
        self.nodes[head].specs = w.specs;
        let (body, after) = self.branch(w.guard, head, span);
        self.breaks.push(Breakable { label, is_loop: true, after });
        let end = self.stmts(w.body.stmts, body);
        self.breaks.pop();
        self.jump(end, vec![head], span);
        after
    }

    fn reachable(&self, first: usize) -> Vec<usize> {
        let mut found: FxHashSet<usize> = [first].into_iter().collect();
        let mut todo = vec![first];
        while let Some(node) = todo.pop() {
            todo.extend(self.nodes[node].next.iter().copied().filter(|next| found.insert(*next)));
        }
        let mut all: Vec<usize> = found.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// Cuts the loops among some blocks of the body, which begins with `first`.
    fn cut(&mut self, among: &[usize], first: usize) {
        let places: FxHashMap<usize, u32> = among.iter().copied().zip(0..).collect();
        let successors: Vec<Vec<u32>> = among
            .iter()
            .map(|node| self.nodes[*node].next.iter().filter_map(|next| places.get(next).copied()).collect())
            .collect();
        for component in components(&successors) {
            let inside: Vec<usize> = component.iter().map(|place| among[*place as usize]).collect();
            let is_loop = inside.len() > 1 || self.nodes[inside[0]].next.contains(&inside[0]);
            if is_loop {
                grow(|| self.cut_loop(inside, first));
            }
        }
    }

    /// Cuts a loop at its head, and the loops inside it. If it is entered at several blocks, the first is its head, and
    /// jumps to the others lead to copies of its blocks.
    fn cut_loop(&mut self, mut inside: Vec<usize>, first: usize) {
        inside.sort_unstable();
        let is_inside: FxHashSet<usize> = inside.iter().copied().collect();
        let outside: Vec<usize> = (0..self.nodes.len()).filter(|node| !is_inside.contains(node)).collect();
        let reached = self.reachable(first);
        let entered: FxHashSet<usize> = outside
            .iter()
            .filter(|n| reached.contains(n))
            .flat_map(|n| self.nodes[*n].next.clone())
            .collect();
        let heads: Vec<usize> =
            inside.iter().copied().filter(|node| *node == first || entered.contains(node)).collect();
        let [head, ref others @ ..] = heads[..] else { return };
        if !others.is_empty() {
            if self.nodes.len() > MOST_BLOCKS {
                let message = "a loop with several heads in a procedure that is verified by itself";
                let help = "enter the loop at one label, so that there is one place for its invariants";
                let problem = Diagnostic::new(codes::NOT_SEQUENTIAL, self.span(head), message).help(help);
                self.cutter.problems.push(problem);
                return;
            }
            let copies = self.split(head, others, &is_inside);
            self.cut_loop(inside, first);
            self.cut(&copies, first);
            return;
        }
        let (before, again) = self.cut_head(head, &inside);
        for node in (0..self.nodes.len()).filter(|node| *node != before && *node != again) {
            self.redirect(node, head, if is_inside.contains(&node) { again } else { before });
        }
        self.cut(&inside, first);
    }

    /// Copies the blocks of a loop that are reached from other blocks than its head, up to the head, and redirects the jumps to these
    /// blocks from outside. Returns the copies.
    fn split(&mut self, head: usize, others: &[usize], is_inside: &FxHashSet<usize>) -> Vec<usize> {
        let mut copies: FxHashMap<usize, usize> = FxHashMap::default();
        let mut todo = others.to_vec();
        while let Some(node) = todo.pop() {
            if node == head || !is_inside.contains(&node) || copies.contains_key(&node) {
                continue;
            }
            let copy = self.node();
            copies.insert(node, copy);
            todo.extend(self.nodes[node].next.iter().copied());
        }
        let outside: Vec<usize> = (0..self.nodes.len()).filter(|node| !is_inside.contains(node)).collect();
        for (node, copy) in &copies {
            let Node { specs, stmts, jump, next, span, .. } = &self.nodes[*node];
            let (specs, mut stmts, jump, next, span) =
                (specs.clone(), stmts.clone(), jump.clone(), next.clone(), *span);
            let ast = &mut *self.cutter.ast;
            let mut renew = |stmt: &mut Stmt| stmt.id = stmt.id.map(|_| ast.new_stmt_id(stmt.span));
            let mut block = build::block(std::mem::take(&mut stmts));
            for_each_stmt_mut(&mut block, &mut renew);
            let next = next.iter().map(|next| copies.get(next).copied().unwrap_or(*next)).collect();
            self.nodes[*copy] = Node { label: None, specs, stmts: block.stmts, jump, next, span };
        }
        for node in outside {
            if copies.values().any(|copy| *copy == node) {
                continue;
            }
            for other in others {
                self.redirect(node, *other, copies[other]);
            }
        }
        let mut copies: Vec<usize> = copies.into_values().collect();
        copies.sort_unstable();
        copies
    }

    /// The blocks that check the invariants of a loop before it and after an iteration. Its head gets arbitrary values that
    /// satisfy them.
    fn cut_head(&mut self, head: usize, inside: &[usize]) -> (usize, usize) {
        let span = self.span(head);
        let mut targets = Vec::new();
        for node in inside {
            let block = build::block(self.nodes[*node].stmts.clone());
            self.cutter.targets(&block, &mut targets);
        }
        let (before, again) = (self.node(), self.node());
        let old = std::mem::take(&mut self.nodes[head].stmts);
        let specs = std::mem::take(&mut self.nodes[head].specs);
        let mut new: Vec<Stmt> = self.cutter.havoc(targets, span).into_iter().collect();
        let mut in_prefix = true;
        for (nth, stmt) in old.into_iter().enumerate() {
            // The check of a `while` is the first statement of its head.
            let is_check = nth == 0 && matches!(stmt.kind, StmtKind::While(_));
            in_prefix &= is_check || matches!(stmt.kind, StmtKind::Assert(_) | StmtKind::Assume(_));
            // The guard of the loop is in a block of its own.
            if !in_prefix {
                new.push(stmt);
                continue;
            }
            for node in [before, again] {
                let copy = self.copy(&stmt);
                self.nodes[node].stmts.push(copy);
            }
            match stmt.kind {
                StmtKind::While(_) => new.extend(self.cutter.assume(&specs)),
                StmtKind::Assert(condition) => new.push(Stmt { kind: StmtKind::Assume(condition), ..stmt }),
                _ => new.push(stmt),
            }
        }
        self.nodes[head].stmts = new;
        let stop = self.cutter.stop(span);
        self.nodes[again].stmts.push(stop);
        self.jump(before, vec![head], span);
        (before, again)
    }

    fn copy(&mut self, stmt: &Stmt) -> Stmt {
        let ast = &mut *self.cutter.ast;
        let kind = match &stmt.kind {
            StmtKind::Assert(condition) => StmtKind::Assert(ast.copy_expr(*condition)),
            StmtKind::Assume(condition) => StmtKind::Assume(ast.copy_expr(*condition)),
            StmtKind::While(w) => {
                return self.cutter.check(&w.specs, stmt.span).unwrap_or_else(|| stmt.clone());
            }
            other => other.clone(),
        };
        Stmt { attrs: stmt.attrs.clone(), ..self.cutter.new_stmt(kind, stmt.span) }
    }

    fn redirect(&mut self, node: usize, from: usize, to: usize) {
        let Node { next, .. } = &mut self.nodes[node];
        next.iter_mut().filter(|next| **next == from).for_each(|next| *next = to);
    }

    fn span(&self, node: usize) -> Span {
        let Node { label, stmts, span, .. } = &self.nodes[node];
        stmts.first().map(|stmt| stmt.span).or(label.map(|label| label.span)).unwrap_or(*span)
    }

    /// The body, from its first block on.
    fn emit(&mut self, first: usize) -> Vec<Stmt> {
        let mut order = self.reachable(first);
        order.retain(|node| *node != first);
        order.insert(0, first);
        let mut labels: FxHashMap<usize, Ident> = FxHashMap::default();
        for node in &order {
            let label = match self.nodes[*node].label {
                Some(label) => label,
                None => Ident { name: build::fresh(self.cutter.ast, "block"), span: Span::NONE },
            };
            labels.insert(*node, label);
        }
        let mut stmts = Vec::new();
        for node in order {
            stmts.push(build::stmt(StmtKind::Label(labels[&node])));
            let Node { stmts: own, jump, next, span, .. } = std::mem::take(&mut self.nodes[node]);
            stmts.extend(own);
            let targets: Vec<Ident> = next.iter().map(|next| labels[next]).collect();
            stmts.push(match (targets.is_empty(), jump) {
                (true, _) => build::stmt(StmtKind::Return),
                (false, Some(jump)) => Stmt { kind: StmtKind::Goto(targets), ..jump },
                (false, None) => self.cutter.new_stmt(StmtKind::Goto(targets), span),
            });
        }
        stmts
    }
}
