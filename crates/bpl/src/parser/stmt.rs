//! Statements.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;

use super::{MAX_BLOCK_DEPTH, Parsed, Parser, Reported};
use crate::ast::{
    Access, Attrs, Block, Branch, Guard, Ident, If, Lhs, LoopSpec, LoopSpecKind, Scope, Stmt, StmtKind,
    Unpack, Visibility, While,
};
use crate::lexer::T;

/// A statement before its span is known.
pub(super) struct StmtParts {
    pub(super) kind: StmtKind,
    pub(super) attrs: Attrs,
}

/// The keywords that begin statements.
const STMT_KEYWORDS: &[&str] = &[
    "assert", "assume", "async", "break", "call", "goto", "havoc", "if", "return", "while", "yield", "zield",
];

impl Parser<'_> {
    /// `{ … }`
    fn block(&mut self) -> Parsed<Block> {
        self.expect(T::LBrace)?;
        self.block_rest(T::RBrace)
    }

    /// Statements up to and including the closing token.
    pub(super) fn block_rest(&mut self, close: T) -> Parsed<Block> {
        if self.block_depth >= MAX_BLOCK_DEPTH {
            return Err(self.too_deep(MAX_BLOCK_DEPTH));
        }
        self.block_depth += 1;
        let mut stmts = Vec::new();
        while !self.at_block_end() {
            let before = self.token.start;
            match self.deeper(Self::stmt) {
                Ok(stmt) => stmts.push(stmt),
                Err(Reported) => self.skip_stmt(before),
            }
        }
        self.block_depth -= 1;
        let end = self.token_span();
        self.expect(close)?;
        Ok(Block { stmts, end })
    }

    fn at_block_end(&self) -> bool {
        matches!(self.kind(), T::RBrace | T::RCode | T::Eof) || self.at_hard_decl()
    }

    /// Error recovery: skips to a token that may begin a statement.
    fn skip_stmt(&mut self, before: usize) {
        let mut depth = 0_u32;
        loop {
            let moved = self.token.start > before;
            match self.kind() {
                T::Eof => return,
                T::LBrace => depth += 1,
                T::RBrace if depth == 0 => return,
                T::RBrace => depth -= 1,
                T::Semi if depth == 0 => return self.bump(),
                T::Call | T::Assert | T::Assume | T::Havoc | T::Goto | T::Return | T::While | T::Break
                    if moved && depth == 0 =>
                {
                    return;
                }
                // In the middle of a line, `if` is part of an expression.
                T::If if moved && depth == 0 && self.begins_line() => return,
                _ if self.at_hard_decl() => return,
                _ => {}
            }
            self.bump();
        }
    }

    fn begins_line(&self) -> bool {
        self.text[self.last_end..self.token.start].contains('\n')
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let start = self.token.start;
        let StmtParts { kind, attrs } = self.stmt_kind()?;
        let span = self.span_from(start);
        Ok(Stmt { id: Some(self.ast.new_stmt_id(span)), kind, attrs, span })
    }

    fn stmt_kind(&mut self) -> Parsed<StmtParts> {
        let plain = |kind| StmtParts { kind, attrs: Attrs::NONE };
        match self.kind() {
            T::Assert => self.simple(|p, _| Ok(StmtKind::Assert(p.expr()?))),
            T::Assume => self.assume(),
            T::Havoc => self.simple(|p, _| Ok(StmtKind::Havoc(p.idents()?))),
            T::Goto => self.simple(|p, _| Ok(StmtKind::Goto(p.idents()?))),
            T::Return => self.simple(|p, _| match p.in_code {
                true => Ok(StmtKind::ReturnExpr(p.expr()?)),
                false => Ok(StmtKind::Return),
            }),
            T::Break => self.break_stmt().map(plain),
            T::Call | T::Free => self.call(),
            T::Async if self.peek() == T::Call || self.peek() == T::Free => self.call(),
            T::If => self.if_stmt(),
            T::While => self.while_stmt().map(plain),
            T::Var => Err(self.late_local()),
            T::Yield if self.is_bare_keyword() => self.simple(|_, _| Ok(StmtKind::Yield)),
            T::Zield if self.is_bare_keyword() => self.simple(|_, _| Ok(StmtKind::Zield)),
            T::Measure if !self.is_name_here() => self.simple(|p, _| {
                let exprs = p.comma_separated(Self::expr)?;
                Ok(StmtKind::Measure(p.ast.exprs.add_list(&exprs)))
            }),
            T::Reveal | T::Hide if matches!(self.peek(), T::Ident | T::Star) || self.peek().is_soft() => {
                self.reveal().map(plain)
            }
            T::Push | T::Pop if self.peek() == T::Semi => self.scope().map(plain),
            _ if self.at_civl_stmt() => Err(self.civl_stmt()),
            _ if self.at_ident() => self.label_or_assign(),
            _ => Err(self.expected("a statement")),
        }
    }

    /// Returns true if the current soft keyword is a statement by itself.
    fn is_bare_keyword(&mut self) -> bool {
        matches!(self.peek(), T::Semi | T::LBrace)
    }

    /// Returns true if the current soft keyword is the name of a label or variable.
    fn is_name_here(&mut self) -> bool {
        matches!(self.peek(), T::Colon | T::Assign | T::Comma | T::LBracket | T::Arrow)
    }

    /// `keyword {:attrs} …;`
    pub(super) fn simple(
        &mut self,
        rest: impl FnOnce(&mut Self, &Attrs) -> Parsed<StmtKind>,
    ) -> Parsed<StmtParts> {
        self.bump();
        let attrs = self.attrs()?;
        let kind = rest(self, &attrs)?;
        self.expect(T::Semi)?;
        Ok(StmtParts { kind, attrs })
    }

    fn late_local(&mut self) -> Reported {
        let span = self.token_span();
        self.error(
            Diagnostic::new(Code::MISPLACED_STATEMENT, span, "a variable declared after a statement")
                .help("declare local variables at the beginning of the body"),
        );
        Reported
    }

    fn break_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let label = if self.at(T::Semi) { None } else { Some(self.ident()?) };
        self.expect(T::Semi)?;
        Ok(StmtKind::Break(label))
    }

    fn reveal(&mut self) -> Parsed<StmtKind> {
        let visibility = if self.at(T::Reveal) { Visibility::Reveal } else { Visibility::Hide };
        self.bump();
        let function = if self.eat(T::Star) { None } else { Some(self.ident()?) };
        self.expect(T::Semi)?;
        Ok(StmtKind::Reveal(visibility, function))
    }

    fn scope(&mut self) -> Parsed<StmtKind> {
        let scope = if self.at(T::Push) { Scope::Push } else { Scope::Pop };
        self.bump();
        self.expect(T::Semi)?;
        Ok(StmtKind::Scope(scope))
    }

    fn guard(&mut self) -> Parsed<Guard> {
        self.expect(T::LParen)?;
        let guard = if self.eat(T::Star) { Guard::Any } else { Guard::Expr(self.expr()?) };
        self.expect(T::RParen)?;
        Ok(guard)
    }

    fn if_stmt(&mut self) -> Parsed<StmtParts> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            self.expect(T::If)?;
            let attrs = self.attrs()?;
            let guard = self.guard()?;
            let block = self.block()?;
            branches.push(Branch { attrs, guard, block });
            if !self.eat(T::Else) {
                break;
            }
            if !self.at(T::If) {
                otherwise = Some(self.block()?);
                break;
            }
        }
        let attrs = std::mem::take(&mut branches[0].attrs);
        Ok(StmtParts { kind: StmtKind::If(Box::new(If { branches, otherwise })), attrs })
    }

    fn while_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let guard = self.guard()?;
        let mut specs = Vec::new();
        while !self.at(T::LBrace) {
            specs.extend(self.loop_spec()?);
        }
        let body = self.block()?;
        Ok(StmtKind::While(Box::new(While { guard, specs, body })))
    }

    /// A loop annotation; none for a Civl clause, which has been reported.
    fn loop_spec(&mut self) -> Parsed<Option<LoopSpec>> {
        let start = self.token.start;
        let free = self.eat(T::Free);
        if !free && self.eat(T::Measure) {
            let attrs = self.attrs()?;
            let exprs = self.comma_separated(Self::expr)?;
            self.expect(T::Semi)?;
            return Ok(Some(LoopSpec {
                attrs,
                kind: LoopSpecKind::Measure(self.ast.exprs.add_list(&exprs)),
            }));
        }
        self.expect(T::Invariant)?;
        let attrs = self.attrs()?;
        if self.at(T::Call) {
            self.civl_rest(start, "`invariant call` is a Civl clause", false);
            return Ok(None);
        }
        let expr = self.expr()?;
        self.expect(T::Semi)?;
        Ok(Some(LoopSpec { attrs, kind: LoopSpecKind::Invariant { free, expr } }))
    }

    fn label_or_assign(&mut self) -> Parsed<StmtParts> {
        let name = self.ident()?;
        if self.eat(T::Colon) {
            return Ok(StmtParts { kind: StmtKind::Label(name), attrs: Attrs::NONE });
        }
        if self.at(T::LParen) {
            return self.unpack(name);
        }
        let mut targets = vec![self.lhs(name)?];
        while self.eat(T::Comma) {
            let name = self.ident()?;
            targets.push(self.lhs(name)?);
        }
        if !self.eat(T::Assign) {
            return Err(self.no_assignment(&targets));
        }
        let attrs = self.attrs()?;
        let values = self.comma_separated(Self::expr)?;
        self.expect(T::Semi)?;
        let values = self.ast.exprs.add_list(&values);
        Ok(StmtParts { kind: StmtKind::Assign(targets, values), attrs })
    }

    /// Reports a statement that begins like an assignment but is not one.
    fn no_assignment(&mut self, targets: &[Lhs]) -> Reported {
        let help = match targets {
            _ if self.at(T::Equals) => Some("use `:=` for assignment".to_owned()),
            [Lhs { base, path, .. }] if path.is_empty() => {
                super::report::misspelt(self.ast.text(base.name), STMT_KEYWORDS)
            }
            _ => None,
        };
        self.expected_or("`:=`", help)
    }

    fn lhs(&mut self, base: Ident) -> Parsed<Lhs> {
        let start = (base.span.start - self.base) as usize;
        let mut path = Vec::new();
        loop {
            let at = self.token.start;
            if self.eat(T::LBracket) {
                let indices =
                    if self.at(T::RBracket) { Vec::new() } else { self.comma_separated(Self::expr)? };
                self.expect(T::RBracket)?;
                let list = self.ast.exprs.add_list(&indices);
                path.push(Access::Index(list, self.span_from(at)));
            } else if self.eat(T::Arrow) {
                path.push(Access::Field(self.ident()?));
            } else {
                return Ok(Lhs { base, path, span: self.span_from(start) });
            }
        }
    }

    /// `Constructor(x, y) := e;`
    fn unpack(&mut self, constructor: Ident) -> Parsed<StmtParts> {
        self.expect(T::LParen)?;
        let vars = self.idents()?;
        self.expect(T::RParen)?;
        self.expect(T::Assign)?;
        let attrs = self.attrs()?;
        let value = self.expr()?;
        self.expect(T::Semi)?;
        let kind = StmtKind::Unpack(Box::new(Unpack { constructor, vars, value }));
        Ok(StmtParts { kind, attrs })
    }
}
