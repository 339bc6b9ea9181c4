//! Statements.

use super::Parser;
use crate::ast::{Body, Case, ExprId, ExprKind, Fun, FunId, Name, Param, StmtId, StmtKind, VarDecl};
use crate::lexer::{K, T};
use dally_text::parse::{Parse, Parsed};

impl Parser<'_> {
    /// `{ vars statements }`.
    pub(super) fn body(&mut self) -> Parsed<Body> {
        self.expect("{")?;
        let mut vars = Vec::new();
        while self.is(K::Var) {
            match self.var_decl() {
                Ok(var) => vars.push(var),
                Err(_) => self.recover(&[T::Key(K::Var)]),
            }
        }
        let stmts = self.statements();
        self.expect("}")?;
        Ok(Body { vars, stmts })
    }

    /// Statements up to the closing brace.
    fn statements(&mut self) -> Vec<StmtId> {
        let mut stmts = Vec::new();
        while !self.is("}") && self.peek() != T::Eof {
            match self.stmt() {
                Ok(stmt) => stmts.push(stmt),
                Err(_) => self.recover(&STARTS.map(T::Key)),
            }
        }
        stmts
    }

    pub(super) fn var_decl(&mut self) -> Parsed<VarDecl> {
        self.expect(K::Var)?;
        let decl = self.typed_names()?;
        self.expect(";")?;
        Ok(decl)
    }

    /// `x, y: T`.
    pub(super) fn typed_names(&mut self) -> Parsed<VarDecl> {
        let names = self.list(Self::name)?;
        self.expect(":")?;
        Ok(VarDecl { names, ty: self.ty()? })
    }

    pub(super) fn params(&mut self) -> Parsed<Vec<Param>> {
        self.list(Self::param)
    }

    pub(super) fn param(&mut self) -> Parsed<Param> {
        let name = self.name()?;
        self.expect(":")?;
        Ok(Param { name, ty: self.ty()? })
    }

    /// An anonymous handler: a block with an optional parameter.
    pub(super) fn handler(&mut self, may_have_param: bool) -> Parsed<FunId> {
        let start = self.span();
        let mut params = Vec::new();
        if may_have_param && self.eat("(") {
            params.push(self.param()?);
            self.expect(")")?;
        }
        let span = self.since(start);
        let body = Some(self.deeper(Self::body)?);
        Ok(self.add_fun(Fun {
            name: None,
            span,
            params,
            ret: None,
            body,
            creates: Vec::new(),
            is_pure: false,
        }))
    }

    fn stmt(&mut self) -> Parsed<StmtId> {
        self.deeper(Self::stmt_here)
    }

    fn stmt_here(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        let kind = match self.peek() {
            T::Op("{") => {
                self.bump();
                let stmts = self.statements();
                self.expect("}")?;
                StmtKind::Block(stmts)
            }
            T::Op(";") => {
                self.bump();
                StmtKind::Nothing
            }
            T::Ident if self.peek_at(1) == T::Op("(") => {
                let name = self.any_name();
                let args = self.arguments()?;
                self.expect(";")?;
                StmtKind::Call(name, args)
            }
            T::Ident => self.update()?,
            T::Key(K::While) => {
                self.bump();
                let condition = self.condition()?;
                StmtKind::While(condition, self.stmt()?)
            }
            T::Key(K::If) => self.if_stmt()?,
            T::Key(K::Foreach) => self.foreach()?,
            T::Key(K::Receive) => self.receive()?,
            T::Key(key) => {
                let kind = self.simple(key)?;
                self.expect(";")?;
                kind
            }
            _ => return Err(self.unexpected("a statement")),
        };
        Ok(self.add_stmt(kind, self.since(start)))
    }

    fn condition(&mut self) -> Parsed<ExprId> {
        self.expect("(")?;
        let condition = self.expr()?;
        self.expect(")")?;
        Ok(condition)
    }

    /// A statement that begins with a keyword and ends with a semicolon.
    fn simple(&mut self, key: K) -> Parsed<StmtKind> {
        if !STARTS.contains(&key) {
            return Err(self.unexpected("a statement"));
        }
        self.bump();
        Ok(match key {
            K::Assert | K::Assume => {
                let condition = self.expr()?;
                let message = if self.eat(",") { Some(self.expr()?) } else { None };
                if key == K::Assert {
                    StmtKind::Assert(condition, message)
                } else {
                    StmtKind::Assume(condition, message)
                }
            }
            K::Print => StmtKind::Print(self.expr()?),
            K::Return => StmtKind::Return(if self.is(";") { None } else { Some(self.expr()?) }),
            K::Break => StmtKind::Break,
            K::Continue => StmtKind::Continue,
            K::New => {
                let name = self.name()?;
                StmtKind::New(name, self.arguments()?)
            }
            K::Raise => {
                let event = self.expr()?;
                StmtKind::Raise(event, self.payload()?)
            }
            K::Send => {
                let target = self.expr()?;
                self.expect(",")?;
                let event = self.expr()?;
                StmtKind::Send(target, event, self.payload()?)
            }
            K::Announce => {
                let event = self.expr()?;
                StmtKind::Announce(event, self.payload()?)
            }
            // The remaining keyword that begins a statement.
            _ => {
                let state = self.name()?;
                StmtKind::Goto(state, self.payload()?)
            }
        })
    }

    /// `, e, e`, or nothing.
    fn payload(&mut self) -> Parsed<Vec<ExprId>> {
        if self.eat(",") { self.list(Self::expr) } else { Ok(Vec::new()) }
    }

    fn if_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let condition = self.condition()?;
        let then = self.stmt()?;
        let other = if self.eat(K::Else) { Some(self.stmt()?) } else { None };
        Ok(StmtKind::If(condition, then, other))
    }

    fn foreach(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect("(")?;
        let item = self.name()?;
        self.expect(K::In)?;
        let collection = self.expr()?;
        self.expect(")")?;
        while self.is(K::Invariant) {
            let start = self.bump().span;
            self.ignored(start, K::Invariant.text());
            self.expr()?;
            self.expect(";")?;
        }
        Ok(StmtKind::Foreach(item, collection, self.stmt()?))
    }

    fn receive(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.is("}") || cases.is_empty() {
            self.expect(K::Case)?;
            let events = self.list(Self::trigger)?;
            self.expect(":")?;
            cases.push(Case { events, fun: self.handler(true)? });
        }
        self.expect("}")?;
        Ok(StmtKind::Receive(cases))
    }

    /// An event, `null` or `halt`.
    pub(super) fn trigger(&mut self) -> Parsed<Name> {
        if self.is(K::Null) { Ok(self.any_name()) } else { self.event_name() }
    }

    /// A statement that begins with an lvalue or a call.
    fn update(&mut self) -> Parsed<StmtKind> {
        let place = self.place()?;
        match self.peek() {
            T::Op("=") => {
                self.bump();
                let value = self.expr()?;
                self.expect(";")?;
                Ok(StmtKind::Assign(place, value))
            }
            T::Op("-=") => {
                self.bump();
                let value = self.expr()?;
                self.expect(";")?;
                Ok(StmtKind::Remove(place, value))
            }
            T::Op("+=") => {
                self.bump();
                self.expect("(")?;
                let first = self.expr()?;
                let second = if self.eat(",") { Some(self.expr()?) } else { None };
                self.expect(")")?;
                self.expect(";")?;
                Ok(match second {
                    Some(value) => StmtKind::Insert(place, first, value),
                    None => StmtKind::Add(place, first),
                })
            }
            _ => Err(self.unexpected("`=`, `+=`, `-=` or `(`")),
        }
    }

    /// An lvalue: a variable with fields and indices.
    fn place(&mut self) -> Parsed<ExprId> {
        let root: Name = self.any_name();
        let start = root.span;
        let mut place = self.add_expr(ExprKind::Name(root.sym), start);
        loop {
            let kind = match self.peek() {
                T::Op(".") if self.peek_at(1) == T::Int => {
                    self.bump();
                    ExprKind::Item(place, self.number()? as u32)
                }
                T::Op(".") => {
                    self.bump();
                    ExprKind::Field(place, self.name()?)
                }
                T::Op("[") => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect("]")?;
                    ExprKind::Index(place, index)
                }
                _ => return Ok(place),
            };
            place = self.add_expr(kind, self.since(start));
        }
    }
}

/// The keywords that begin statements.
const STARTS: [K; 15] = [
    K::Assert,
    K::Assume,
    K::Print,
    K::Return,
    K::Break,
    K::Continue,
    K::New,
    K::Raise,
    K::Send,
    K::Announce,
    K::Goto,
    K::If,
    K::While,
    K::Foreach,
    K::Receive,
];
