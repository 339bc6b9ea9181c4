//! Statements.

use dally_text::code::Code;
use dally_text::source::Span;
use rustc_hash::FxHashMap;

use super::basic::Class;
use super::{Checked, Checker};
use crate::ast::{ExprId, ExprKind as E, StmtId, StmtKind as S};
use crate::codes;
use crate::hir::{Builtin, Expr, ExprKind, Stmt, StmtKind};
use crate::types::TypeId;

/// A `switch` around the statement.
pub(super) struct Switch {
    ty: TypeId,
    cases: Vec<(i128, i128, Span)>,
    default: bool,
}

impl Checker<'_> {
    /// The statements of a block, in a scope of their own.
    pub(super) fn block(&mut self, stmts: &[StmtId]) -> Vec<Stmt> {
        self.scopes.open();
        if let Some(current) = &mut self.current {
            current.label_scopes.push(FxHashMap::default());
        }
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            self.stmt(*stmt, &mut out);
        }
        if let Some(current) = &mut self.current {
            current.label_scopes.pop();
        }
        self.scopes.close();
        out
    }

    /// A statement, which becomes one or more.
    pub(super) fn stmt(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        dally_text::stack::grow(|| self.stmt_here(id, out));
    }

    fn stmt_here(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        let ast = self.ast;
        let stmt = ast.stmt(id);
        let span = stmt.span;
        let kind = match &stmt.kind {
            S::Expr(expr) => {
                self.discards = matches!(ast.expr(*expr).kind, E::Call(..));
                self.value(*expr).map(StmtKind::Expr)
            }
            S::Declaration(declaration) => return self.local_declaration(declaration, out),
            S::StaticAssert(assertion) => return self.static_assertion(assertion),
            S::NestedFunction => {
                self.unsupported(span, "functions inside of functions");
                None
            }
            S::LocalLabels(names) => {
                names.iter().for_each(|name| self.local_label(*name));
                None
            }
            S::Block(stmts) => Some(StmtKind::Block(self.block(stmts))),
            S::If(c, then, otherwise) => self.if_stmt(*c, *then, *otherwise),
            S::While(c, body) => {
                let condition = self.condition_of(*c);
                let body = self.loop_body(*body);
                condition.map(|c| StmtKind::While(c, Box::new(body)))
            }
            S::DoWhile(body, c) => {
                let body = self.loop_body(*body);
                self.condition_of(*c).map(|c| StmtKind::DoWhile(Box::new(body), c))
            }
            S::For(init, c, step, body) => self.for_stmt(*init, *c, *step, *body, span),
            S::Switch(value, body) => self.switch(*value, *body),
            S::Case(low, high, body) => {
                self.case(*low, *high, span, out);
                return self.stmt(*body, out);
            }
            S::Default(body) => {
                self.default(span, out);
                return self.stmt(*body, out);
            }
            S::Label(name, body) if self.text(name.sym).starts_with(super::asynchronous::PREFIX) => {
                let mut stmts = Vec::new();
                self.define_label(*name, &mut stmts);
                self.stmt(*body, &mut stmts);
                Some(StmtKind::Block(stmts))
            }
            S::Label(name, body) => {
                self.define_label(*name, out);
                return self.stmt(*body, out);
            }
            S::Break => self.jump(StmtKind::Break, span),
            S::Continue => self.jump(StmtKind::Continue, span),
            S::Goto(name) => self.label(*name).map(StmtKind::Goto),
            S::ComputedGoto => {
                self.unsupported(span, "computed gotos");
                None
            }
            S::Return(value) => self.return_stmt(*value, span),
            S::Asm(operands) => Some(self.assembler(*operands, span)),
            S::Empty => Some(StmtKind::Empty),
        };
        if let Some(kind) = kind {
            out.push(Stmt { kind, span });
        }
    }

    /// The body of a statement, as one statement.
    fn body(&mut self, id: StmtId) -> Stmt {
        let span = self.ast.stmt(id).span;
        self.scopes.open();
        let mut out = Vec::new();
        self.stmt(id, &mut out);
        self.scopes.close();
        match (out.len(), out.pop()) {
            (1, Some(only)) => only,
            (_, Some(last)) => {
                out.push(last);
                Stmt { kind: StmtKind::Block(out), span }
            }
            (_, None) => Stmt { kind: StmtKind::Empty, span },
        }
    }

    fn loop_body(&mut self, id: StmtId) -> Stmt {
        self.inside(1, 1, |checker| checker.body(id))
    }

    /// Runs `f` inside of more loops and breakable statements.
    fn inside<A>(&mut self, loops: usize, breakable: usize, f: impl FnOnce(&mut Self) -> A) -> A {
        if let Some(current) = &mut self.current {
            current.loops += loops;
            current.breakable += breakable;
        }
        let result = f(self);
        if let Some(current) = &mut self.current {
            current.loops -= loops;
            current.breakable -= breakable;
        }
        result
    }

    fn condition_of(&mut self, id: ExprId) -> Checked<Expr> {
        let value = self.value(id)?;
        self.condition(value)
    }

    fn if_stmt(&mut self, c: ExprId, then: StmtId, otherwise: Option<StmtId>) -> Checked<StmtKind> {
        let condition = self.condition_of(c);
        let then = self.body(then);
        let otherwise = otherwise.map(|stmt| Box::new(self.body(stmt)));
        Some(StmtKind::If(condition?, Box::new(then), otherwise))
    }

    fn for_stmt(
        &mut self,
        init: Option<StmtId>,
        c: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        span: Span,
    ) -> Checked<StmtKind> {
        self.scopes.open();
        let mut out = Vec::new();
        if let Some(init) = init {
            self.stmt(init, &mut out);
        }
        let condition = c.map(|c| self.condition_of(c));
        let step = step.map(|step| self.value(step));
        let body = self.loop_body(body);
        self.scopes.close();
        let (condition, step) = (transpose(condition)?, transpose(step)?);
        let kind = StmtKind::For(condition, step, Box::new(body));
        if out.is_empty() {
            return Some(kind);
        }
        out.push(Stmt { kind, span });
        Some(StmtKind::Block(out))
    }

    fn switch(&mut self, value: ExprId, body: StmtId) -> Checked<StmtKind> {
        let value = self.value(value).and_then(|value| {
            if self.class(value.ty).is_integer() {
                return Some(self.promote(value));
            }
            let message = format!("a switch is over an integer, not `{}`", self.describe(value.ty));
            self.error(Code::TYPE_MISMATCH, value.span, message);
            None
        });
        let ty = value.as_ref().map_or(self.basic.int, |v| v.ty);
        if let Some(current) = &mut self.current {
            current.switches.push(Switch { ty, cases: Vec::new(), default: false });
        }
        let body = self.inside(0, 1, |checker| checker.body(body));
        let switch = self.current.as_mut().and_then(|c| c.switches.pop());
        self.unique_cases(switch.map_or(Vec::new(), |s| s.cases));
        Some(StmtKind::Switch(value?, Box::new(body)))
    }

    fn unique_cases(&mut self, mut cases: Vec<(i128, i128, Span)>) {
        cases.sort_by_key(|(low, high, span)| (*low, *high, *span));
        for pair in cases.windows(2) {
            if pair[0].1 >= pair[1].0 {
                self.error(codes::BAD_CASE, pair[1].2, format!("the value {} occurs twice", pair[1].0));
            }
        }
    }

    fn case(&mut self, low: ExprId, high: Option<ExprId>, span: Span, out: &mut Vec<Stmt>) {
        let low = self.constant_int(low);
        let high = match high {
            Some(high) => self.constant_int(high),
            None => low,
        };
        let (Some(low), Some(high)) = (low, high) else { return };
        let Some(switch) = self.current.as_mut().and_then(|c| c.switches.last_mut()) else {
            return self.error(codes::BAD_CASE, span, "this `case` is outside of a `switch`");
        };
        let Some(int) = self.types.as_int(switch.ty) else { return };
        let (low, high) = (int.wrap(low), int.wrap(high));
        if low <= high {
            switch.cases.push((low, high, span));
            out.push(Stmt { kind: StmtKind::Case(low, high), span });
        }
    }

    fn default(&mut self, span: Span, out: &mut Vec<Stmt>) {
        match self.current.as_mut().and_then(|c| c.switches.last_mut()) {
            Some(switch) if !switch.default => {
                switch.default = true;
                out.push(Stmt { kind: StmtKind::Default, span });
            }
            Some(_) => self.error(codes::BAD_CASE, span, "this `switch` has two `default` labels"),
            None => self.error(codes::BAD_CASE, span, "this `default` is outside of a `switch`"),
        }
    }

    fn define_label(&mut self, name: crate::ast::Name, out: &mut Vec<Stmt>) {
        let Some(id) = self.label(name) else { return };
        let Some(current) = &mut self.current else { return };
        let label = &mut current.labels[id.index()];
        if std::mem::replace(&mut label.defined, true) {
            let message = format!("the label `{}` is defined twice", label.name);
            return self.error(codes::BAD_LABEL, name.span, message);
        }
        out.push(Stmt { kind: StmtKind::Label(id), span: name.span });
    }

    fn jump(&mut self, kind: StmtKind, span: Span) -> Checked<StmtKind> {
        let (word, around) = match (&kind, &self.current) {
            (StmtKind::Break, Some(current)) => ("break", current.breakable),
            (_, Some(current)) => ("continue", current.loops),
            _ => return None,
        };
        if around == 0 {
            self.error(Code::MISPLACED_BREAK, span, format!("this `{word}` is outside of a loop"));
            return None;
        }
        Some(kind)
    }

    fn return_stmt(&mut self, value: Option<ExprId>, span: Span) -> Checked<StmtKind> {
        let result = self.current.as_ref().map_or(self.basic.int, |c| c.result);
        let is_void = self.class(result) == Class::Void;
        let Some(value) = value else {
            if !is_void {
                let message = "this `return` gives no value, but the function has a result";
                self.error(codes::DOUBTFUL_RETURN, span, message);
            }
            return Some(StmtKind::Return(None));
        };
        let value = self.value(value)?;
        if is_void {
            if self.class(value.ty) != Class::Void {
                let message = "this `return` gives a value, but the function has no result";
                self.error(codes::DOUBTFUL_RETURN, span, message);
            }
            // The value is evaluated for its effects.
            let effects = Stmt { kind: StmtKind::Expr(value), span };
            return Some(StmtKind::Block(vec![effects, Stmt { kind: StmtKind::Return(None), span }]));
        }
        let value = self.assignable(value, result, "this result")?;
        Some(StmtKind::Return(Some(value)))
    }

    /// Assembler statements without operands are barriers and hints.
    fn assembler(&mut self, operands: bool, span: Span) -> StmtKind {
        if operands {
            StmtKind::Expr(self.unsupported_here("assembler statements with operands", span))
        } else {
            StmtKind::Empty
        }
    }

    /// An expression that stops the execution with `unsupported`.
    pub(super) fn unsupported_here(&mut self, what: &str, span: Span) -> Expr {
        let text = self.decayed_string(what, span);
        Expr { kind: ExprKind::Builtin(Builtin::Unsupported, vec![text]), ty: self.basic.void, span }
    }

    /// The address of a string literal.
    pub(super) fn decayed_string(&mut self, text: &str, span: Span) -> Expr {
        let text = self.string_expr(text, span);
        Expr { kind: ExprKind::Decay(Box::new(text)), ty: self.basic.char_ptr, span }
    }
}

/// An expression that may be absent, and that may have an error.
fn transpose(expr: Option<Checked<Expr>>) -> Checked<Option<Expr>> {
    match expr {
        None => Some(None),
        Some(None) => None,
        Some(expr) => Some(expr),
    }
}
