//! Statements.

use super::Printer;
use crate::ast::{
    Access, Attrs, Block, Body, Branch, ExprId, ExprList, Guard, Ident, If, Lhs, LoopSpec, LoopSpecKind,
    Scope, Stmt, StmtKind, Visibility, While,
};

impl Printer<'_> {
    /// Local variables, a blank line, statements.
    pub(super) fn body_lines(&mut self, body: &Body) {
        self.locals(&body.locals);
        if !body.locals.is_empty() && !body.block.stmts.is_empty() {
            self.end_line();
        }
        self.block_lines(&body.block);
    }

    fn block_lines(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    /// `{`, the statements, and the beginning of the line that closes it: `}`.
    fn braces(&mut self, block: &Block) {
        self.text("{");
        self.end_line();
        self.indented(|p| p.block_lines(block));
        self.start_line();
        self.text("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Label(label) = stmt.kind {
            self.indent -= 1;
            self.start_line();
            self.indent += 1;
            self.ident(label);
            self.text(":");
            return self.end_line();
        }
        self.start_line();
        dally_text::stack::grow(|| self.stmt_text(stmt));
        self.end_line();
    }

    fn stmt_text(&mut self, stmt: &Stmt) {
        let attrs = &stmt.attrs;
        match &stmt.kind {
            StmtKind::Label(_) => {}
            StmtKind::Assert(e) => self.keyword("assert ", attrs, |p| p.expr(*e)),
            StmtKind::Assume(e) => self.keyword("assume ", attrs, |p| p.expr(*e)),
            StmtKind::Await(e) => self.keyword("assume {:await} ", attrs, |p| p.expr(*e)),
            StmtKind::Seal => self.keyword("assume {:seal} ", attrs, |p| p.text("true")),
            StmtKind::Unseal => self.keyword("assume {:unseal} ", attrs, |p| p.text("true")),
            StmtKind::Havoc(vars) => self.keyword("havoc ", attrs, |p| p.idents(vars)),
            StmtKind::Goto(labels) => self.keyword("goto ", attrs, |p| p.idents(labels)),
            StmtKind::ReturnExpr(e) => self.keyword("return ", attrs, |p| p.expr(*e)),
            StmtKind::Measure(exprs) => self.keyword("measure ", attrs, |p| p.exprs(*exprs)),
            StmtKind::Return => self.bare("return", attrs),
            StmtKind::Yield => self.bare("yield", attrs),
            StmtKind::Zield => self.bare("zield", attrs),
            StmtKind::Break(label) => {
                self.text("break");
                if let Some(label) = label {
                    self.text(" ");
                    self.ident(*label);
                }
                self.text(";");
            }
            StmtKind::Reveal(visibility, function) => {
                self.text(if *visibility == Visibility::Reveal { "reveal " } else { "hide " });
                match function {
                    Some(function) => self.ident(*function),
                    None => self.text("*"),
                }
                self.text(";");
            }
            StmtKind::Scope(scope) => self.text(if *scope == Scope::Push { "push;" } else { "pop;" }),
            StmtKind::Assign(targets, values) => {
                self.separated(targets, Self::lhs);
                self.text(" := ");
                self.keyword("", attrs, |p| p.exprs(*values));
            }
            StmtKind::Unpack(unpack) => {
                self.ident(unpack.constructor);
                self.text("(");
                self.idents(&unpack.vars);
                self.text(") := ");
                self.keyword("", attrs, |p| p.expr(unpack.value));
            }
            StmtKind::If(conditional) => self.conditional(conditional, attrs),
            StmtKind::While(w) => self.while_loop(w),
            _ => self.call_text(stmt),
        }
    }

    /// The statements that are printed as calls.
    fn call_text(&mut self, stmt: &Stmt) {
        let attrs = &stmt.attrs;
        match &stmt.kind {
            StmtKind::AtomicBegin => self.keyword("call ", attrs, |p| p.text("corral_atomic_begin()")),
            StmtKind::AtomicEnd => self.keyword("call ", attrs, |p| p.text("corral_atomic_end()")),
            StmtKind::Wait(out, task) => self.keyword("call ", attrs, |p| {
                p.results(&out.map(Some));
                p.text("wait(");
                p.expr(*task);
                p.text(")");
            }),
            StmtKind::Call(call) => {
                let keyword = if call.free { "free call " } else { "call " };
                self.keyword(keyword, attrs, |p| {
                    p.results(&call.outs);
                    p.application(call.procedure, call.args);
                });
            }
            StmtKind::Async(post) => {
                self.text("call {:async} ");
                if let Some(level) = post.level {
                    self.text(&format!("{{:level {level}}} "));
                }
                if let Some(buffer) = post.buffer {
                    self.text(&format!("{{:buffer {buffer}}} "));
                }
                self.keyword("", attrs, |p| {
                    p.results(&post.handle.map(Some));
                    p.application(post.procedure, post.args);
                });
            }
            _ => {}
        }
    }

    /// `x, y := `, or nothing.
    fn results<'a>(&mut self, outs: impl IntoIterator<Item = &'a Option<Ident>>) {
        let mut outs = outs.into_iter().peekable();
        if outs.peek().is_none() {
            return;
        }
        self.separated(outs, |p, out| match out {
            Some(out) => p.ident(*out),
            None => p.text("*"),
        });
        self.text(" := ");
    }

    fn application(&mut self, procedure: Ident, args: ExprList) {
        self.ident(procedure);
        self.text("(");
        self.exprs(args);
        self.text(")");
    }

    /// `keyword {:attrs} rest;`
    fn keyword(&mut self, keyword: &str, attrs: &Attrs, rest: impl FnOnce(&mut Self)) {
        self.text(keyword);
        self.attrs(attrs);
        rest(self);
        self.text(";");
    }

    /// `keyword {:attrs};`
    fn bare(&mut self, keyword: &str, attrs: &Attrs) {
        self.text(keyword);
        if !attrs.is_empty() {
            self.text(" ");
            self.attrs(attrs);
            self.out.truncate(self.out.trim_end().len());
        }
        self.text(";");
    }

    pub(super) fn exprs(&mut self, list: ExprList) {
        let exprs: &[ExprId] = self.ast.exprs.list(list);
        self.separated(exprs, |p, e| p.expr(*e));
    }

    fn lhs(&mut self, lhs: &Lhs) {
        self.ident(lhs.base);
        for access in &lhs.path {
            match access {
                Access::Index(indices, _) => {
                    self.text("[");
                    self.exprs(*indices);
                    self.text("]");
                }
                Access::Field(field) => {
                    self.text("->");
                    self.ident(*field);
                }
            }
        }
    }

    fn guard(&mut self, guard: Guard) {
        self.text("(");
        match guard {
            Guard::Any => self.text("*"),
            Guard::Expr(e) => self.expr(e),
        }
        self.text(")");
    }

    fn conditional(&mut self, conditional: &If, attrs: &Attrs) {
        for (i, Branch { attrs: own, guard, block }) in conditional.branches.iter().enumerate() {
            self.text(if i == 0 { "if " } else { " else if " });
            self.attrs(if i == 0 { attrs } else { own });
            self.guard(*guard);
            self.text(" ");
            self.braces(block);
        }
        if let Some(otherwise) = &conditional.otherwise {
            self.text(" else ");
            self.braces(otherwise);
        }
    }

    fn while_loop(&mut self, w: &While) {
        self.text("while ");
        self.guard(w.guard);
        if w.specs.is_empty() {
            self.text(" ");
            return self.braces(&w.body);
        }
        self.end_line();
        for spec in &w.specs {
            self.indented(|p| p.loop_spec(spec));
        }
        self.start_line();
        self.braces(&w.body);
    }

    fn loop_spec(&mut self, spec: &LoopSpec) {
        self.start_line();
        match spec.kind {
            LoopSpecKind::Invariant { free, expr } => {
                let keyword = if free { "free invariant " } else { "invariant " };
                self.keyword(keyword, &spec.attrs, |p| p.expr(expr));
            }
            LoopSpecKind::Measure(exprs) => self.keyword("measure ", &spec.attrs, |p| p.exprs(exprs)),
        }
        self.end_line();
    }
}
