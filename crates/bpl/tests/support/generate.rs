//! Random syntax trees: everything that the grammar allows, well-typed or not.

use dally_bpl::ast::*;
use dally_testing::arbitrary::{Result, Unstructured};
use dally_text::source::Span;
use dally_text::symbol::Sym;

/// A random program.
pub fn program(u: &mut Unstructured<'_>) -> Result<Ast> {
    let mut g = Generator { u, ast: Ast::default(), in_code: false };
    for _ in 0..g.u.int_in_range(1..=4)? {
        let decl = g.decl()?;
        let twin = g.twin(&decl)?;
        g.ast.decls.push(decl);
        g.ast.decls.extend(twin);
    }
    Ok(g.ast)
}

/// A random expression as an axiom.
pub fn axiom(u: &mut Unstructured<'_>) -> Result<Ast> {
    let mut g = Generator { u, ast: Ast::default(), in_code: false };
    let expr = g.expr(6)?;
    let kind = DeclKind::Axiom(Axiom { hideable: false, expr, span: Span::NONE });
    g.ast.decls.push(Decl { kind, attrs: Attrs::NONE, span: Span::NONE });
    Ok(g.ast)
}

const NAMES: &[&str] = &[
    "x", "y", "$heap", "f#1", "a.b", "it'", "old", "left", "measure", "yield", "zield", "async", "int",
    "pop", "reveal", "call", "uses", "is", "p^q", "t~", "`q`", "_", "type", "action", "bv", "float",
];
/// Attributes that the parser does not interpret.
const ATTRS: &[&str] = &["inline", "source", "verify", "k", "expand"];

struct Generator<'a, 'b> {
    u: &'a mut Unstructured<'b>,
    ast: Ast,
    in_code: bool,
}

impl Generator<'_, '_> {
    fn sym(&mut self, from: &[&str]) -> Result<Sym> {
        let text = *self.u.choose(from)?;
        Ok(self.ast.symbols.intern(text))
    }

    fn name(&mut self) -> Result<Sym> {
        self.sym(NAMES)
    }

    fn ident(&mut self) -> Result<Ident> {
        Ok(Ident { name: self.name()?, span: Span::NONE })
    }

    fn many<T>(
        &mut self,
        least: usize,
        most: usize,
        mut f: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        (0..self.u.int_in_range(least..=most)?).map(|_| f(self)).collect()
    }

    fn maybe<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if self.u.ratio(1, 3)? { f(self).map(Some) } else { Ok(None) }
    }

    fn idents(&mut self, least: usize, most: usize) -> Result<Vec<Ident>> {
        self.many(least, most, Self::ident)
    }

    fn attrs(&mut self) -> Result<Attrs> {
        if self.u.ratio(5, 6)? {
            return Ok(Attrs::NONE);
        }
        let attrs = self.many(1, 2, |g| {
            let name = g.sym(ATTRS)?;
            let args = g.many(0, 2, |g| match g.u.arbitrary()? {
                true => Ok(AttrArg::Str(g.sym(&["", "a b", "c\\d", "é"])?)),
                false => Ok(AttrArg::Expr(g.expr(1)?)),
            })?;
            Ok(Attr { name, args, span: Span::NONE })
        })?;
        Ok(attrs.into_iter().collect())
    }

    fn ty(&mut self, depth: u32) -> Result<TypeId> {
        let ty = match self.u.int_in_range(0..=if depth == 0 { 5 } else { 7 })? {
            0 => TypeExpr::Bool,
            1 => TypeExpr::Int,
            2 => TypeExpr::Real,
            3 => TypeExpr::Bv(self.u.int_in_range(0..=64)?),
            4 => TypeExpr::Float(self.u.int_in_range(2..=60)?, self.u.int_in_range(2..=15)?),
            5 => TypeExpr::Named(self.sym(&["Ref", "task", "string", "left"])?, TypeList::default()),
            6 => {
                let args = self.many(1, 2, |g| g.ty(depth - 1))?;
                TypeExpr::Named(self.sym(&["Field", "task"])?, self.ast.types.add_list(&args))
            }
            _ => {
                let params = self.idents(0, 2)?;
                let args = self.many(0, 2, |g| g.ty(depth - 1))?;
                let result = self.ty(depth - 1)?;
                let args = self.ast.types.add_list(&args);
                TypeExpr::Map(Box::new(MapType { params, args, result }))
            }
        };
        Ok(self.ast.types.add(ty, Span::NONE))
    }

    fn exprs(&mut self, least: usize, most: usize, depth: u32) -> Result<ExprList> {
        let exprs = self.many(least, most, |g| g.expr(depth))?;
        Ok(self.ast.exprs.add_list(&exprs))
    }

    fn expr(&mut self, depth: u32) -> Result<ExprId> {
        let expr = if depth == 0 || self.u.ratio(1, 5)? { self.leaf()? } else { self.inner(depth - 1)? };
        match expr {
            Made::Plain(e) => Ok(self.ast.exprs.add(e, Span::NONE)),
            Made::Id(id) => Ok(id),
        }
    }

    fn leaf(&mut self) -> Result<Made> {
        Ok(Made::Plain(match self.u.int_in_range(0..=8)? {
            0 => Expr::Bool(self.u.arbitrary()?),
            1 => Expr::Int(self.sym(&["0", "7", "123456789012345678901234567890"])?),
            2 => Expr::Real(self.sym(&["1.5", "2e10", "3.25e-2"])?),
            3 => Expr::Float(self.sym(&[
                "0x1.8e2f24e8",
                "-0x1.0e0f24e8",
                "0NaN24e8",
                "0+oo53e11",
                "0-oo24e8",
            ])?),
            4 => Expr::Bv(self.sym(&["0", "255"])?, self.u.int_in_range(0..=64)?),
            5 => Expr::Rounding(*self.u.choose(&[RoundingMode::Rne, RoundingMode::Rtz])?),
            6 => Expr::Str(self.sym(&["", "a b"])?),
            _ => Expr::Name(self.name()?),
        }))
    }

    fn inner(&mut self, depth: u32) -> Result<Made> {
        let e = |g: &mut Self| g.expr(depth);
        Ok(Made::Plain(match self.u.int_in_range(0..=19)? {
            0 => Expr::Call(self.name()?, self.exprs(0, 3, depth)?),
            1 => Expr::Unary(*self.u.choose(&[UnaryOp::Neg, UnaryOp::Not])?, e(self)?),
            2..=6 => Expr::Binary(self.operator()?, e(self)?, e(self)?),
            7 => Expr::Ite(e(self)?, e(self)?, e(self)?),
            8 => Expr::Old(e(self)?),
            9 => Expr::ToInt(e(self)?),
            10 => Expr::ToReal(e(self)?),
            11 => Expr::Select(e(self)?, self.exprs(0, 2, depth)?),
            12 => Expr::Store(e(self)?, self.exprs(0, 2, depth)?, e(self)?),
            13 => Expr::Extract(e(self)?, self.u.int_in_range(0..=64)?, self.u.int_in_range(0..=64)?),
            14 => Expr::Coerce(e(self)?, self.ty(2)?),
            15 => Expr::Field(e(self)?, self.name()?),
            16 => Expr::FieldUpdate(e(self)?, self.name()?, e(self)?),
            17 => Expr::Is(e(self)?, self.name()?),
            18 => return self.binder(depth).map(Made::Id),
            _ if self.u.ratio(1, 3)? => return self.code(depth).map(Made::Id),
            _ => return self.binding(depth).map(Made::Id),
        }))
    }

    fn operator(&mut self) -> Result<BinaryOp> {
        use BinaryOp::*;
        Ok(*self.u.choose(&[
            Iff, Implies, And, Or, Eq, Neq, Lt, Gt, Le, Ge, Concat, Add, Sub, Mul, Div, Mod, RealDiv, Pow,
        ])?)
    }

    fn binder(&mut self, depth: u32) -> Result<ExprId> {
        let kind = *self.u.choose(&[BinderKind::Forall, BinderKind::Exists, BinderKind::Lambda])?;
        let type_params = self.idents(0, 2)?;
        let least = usize::from(type_params.is_empty());
        let vars = self.many(least, 2, |g| {
            let attrs = g.attrs()?;
            g.group(&attrs, false)
        })?;
        let bound = |v: VarDecl| BoundVar { attrs: v.attrs, name: v.var.name, ty: v.var.ty };
        let vars = vars.concat().into_iter().map(bound).collect();
        let attrs = self.attrs()?;
        let most = if kind == BinderKind::Lambda { 0 } else { 2 };
        let triggers = self.many(0, most, |g| {
            let positive: bool = g.u.arbitrary()?;
            let exprs = g.exprs(1, if positive { 2 } else { 1 }, depth.min(2))?;
            Ok(Trigger { positive, exprs, span: Span::NONE })
        })?;
        let body = self.expr(depth)?;
        let binder = Binder { kind, type_params, vars, attrs, triggers, body };
        Ok(self.ast.exprs.add_binder(binder, Span::NONE))
    }

    fn binding(&mut self, depth: u32) -> Result<ExprId> {
        let vars = self.many(1, 2, |g| Ok(LetVar { attrs: g.attrs()?, name: g.ident()? }))?;
        let values = self.exprs(1, 2, depth)?;
        let (attrs, body) = (self.attrs()?, self.expr(depth)?);
        Ok(self.ast.exprs.add_let(Let { vars, values, attrs, body }, Span::NONE))
    }

    fn code(&mut self, depth: u32) -> Result<ExprId> {
        let outer = std::mem::replace(&mut self.in_code, true);
        let body = self.body(depth.min(2));
        self.in_code = outer;
        Ok(self.ast.exprs.add_code(body?, Span::NONE))
    }

    fn var(&mut self, allow_where: bool) -> Result<Var> {
        let (name, ty) = (self.ident()?, self.ty(2)?);
        let where_clause = if allow_where { self.maybe(|g| g.expr(2))? } else { None };
        Ok(Var { name, ty, where_clause })
    }

    /// Variables, in groups of the same type.
    fn var_decls(&mut self, allow_where: bool) -> Result<Vec<VarDecl>> {
        let groups = self.many(0, 2, |g| {
            let attrs = g.attrs()?;
            g.group(&attrs, allow_where)
        })?;
        Ok(groups.concat())
    }

    fn group(&mut self, attrs: &Attrs, allow_where: bool) -> Result<Vec<VarDecl>> {
        let Var { name, ty, where_clause } = self.var(allow_where)?;
        let mut names = vec![name];
        names.extend(self.maybe(Self::ident)?);
        let declare = |name| VarDecl { attrs: attrs.clone(), var: Var { name, ty, where_clause } };
        Ok(names.into_iter().map(declare).collect())
    }

    /// Local variables: those of one `var` share their attributes.
    fn locals(&mut self) -> Result<Vec<VarDecl>> {
        let statements = self.many(0, 2, |g| {
            let attrs = g.attrs()?;
            g.many(1, 2, |g| g.group(&attrs, true)).map(|groups| groups.concat())
        })?;
        Ok(statements.concat())
    }

    /// Optionally another declaration that shares a statement with this one.
    fn twin(&mut self, decl: &Decl) -> Result<Option<Decl>> {
        let kind = match &decl.kind {
            DeclKind::Var(var) if self.u.arbitrary()? => {
                DeclKind::Var(Var { name: self.ident()?, ..var.clone() })
            }
            DeclKind::Var(_) => DeclKind::Var(self.var(true)?),
            DeclKind::Type(_) => {
                DeclKind::Type(TypeDecl { name: self.ident()?, params: self.idents(0, 1)?, body: None })
            }
            _ => return Ok(None),
        };
        Ok(Some(Decl { kind, attrs: decl.attrs.clone(), span: Span::NONE }))
    }

    fn decl(&mut self) -> Result<Decl> {
        let kind = match self.u.int_in_range(0..=8)? {
            0 => DeclKind::Type(TypeDecl {
                name: self.ident()?,
                params: self.idents(0, 2)?,
                body: self.maybe(|g| g.ty(2))?,
            }),
            1 => DeclKind::Datatype(Datatype {
                name: self.ident()?,
                params: self.idents(0, 2)?,
                constructors: self
                    .many(1, 2, |g| Ok(Constructor { name: g.ident()?, fields: g.var_decls(false)? }))?,
            }),
            2 => DeclKind::Const(Const {
                unique: self.u.arbitrary()?,
                names: self.idents(1, 2)?,
                ty: self.ty(2)?,
                uses: self.uses()?,
            }),
            3 => DeclKind::Function(Box::new(self.function()?)),
            4 => DeclKind::Axiom(self.axiom()?),
            5 => DeclKind::Var(self.var(true)?),
            6 => DeclKind::Implementation(Box::new(Implementation {
                signature: self.signature(false)?,
                body: self.body(3)?,
            })),
            _ => DeclKind::Procedure(Box::new(self.procedure()?)),
        };
        Ok(Decl { kind, attrs: self.attrs()?, span: Span::NONE })
    }

    fn uses(&mut self) -> Result<Vec<UsedAxiom>> {
        self.many(0, 2, |g| Ok(UsedAxiom { attrs: g.attrs()?, axiom: g.axiom()? }))
    }

    fn axiom(&mut self) -> Result<Axiom> {
        Ok(Axiom { hideable: self.u.arbitrary()?, expr: self.expr(4)?, span: Span::NONE })
    }

    fn function(&mut self) -> Result<Function> {
        let named: bool = self.u.arbitrary()?;
        Ok(Function {
            revealed: self.u.arbitrary()?,
            name: self.ident()?,
            type_params: self.idents(0, 2)?,
            params: self.params(named)?,
            result: Param { attrs: self.attrs()?, name: self.maybe(Self::ident)?, ty: self.ty(2)? },
            body: self.maybe(|g| g.expr(3))?,
            uses: self.uses()?,
        })
    }

    fn params(&mut self, named: bool) -> Result<Vec<Param>> {
        let groups = self.many(0, 2, |g| {
            let ty = g.ty(2)?;
            g.many(1, if named { 2 } else { 1 }, |g| {
                let name = if named { Some(g.ident()?) } else { None };
                Ok(Param { attrs: g.attrs()?, name, ty })
            })
        })?;
        Ok(groups.into_iter().flatten().collect())
    }

    fn signature(&mut self, allow_where: bool) -> Result<Signature> {
        Ok(Signature {
            name: self.ident()?,
            type_params: self.idents(0, 2)?,
            ins: self.var_decls(allow_where)?,
            outs: self.var_decls(allow_where)?,
        })
    }

    fn procedure(&mut self) -> Result<Procedure> {
        let flavour =
            *self.u.choose(&[Flavour::Plain, Flavour::Plain, Flavour::Pure, Flavour::PureAction])?;
        let signature = self.signature(true)?;
        let specs = self.many(0, 3, |g| {
            let kind = match g.u.int_in_range(0..=3)? {
                0 => SpecKind::Requires { free: g.u.arbitrary()?, expr: g.expr(2)? },
                1 => SpecKind::Ensures { free: g.u.arbitrary()?, expr: g.expr(2)? },
                2 => SpecKind::Modifies(g.idents(0, 2)?),
                _ => SpecKind::Measure(g.exprs(1, 2, 2)?),
            };
            Ok(Spec { attrs: g.attrs()?, kind, span: Span::NONE })
        })?;
        let body = if self.u.ratio(3, 4)? { Some(self.body(3)?) } else { None };
        Ok(Procedure { flavour, signature, specs, body })
    }

    fn body(&mut self, depth: u32) -> Result<Body> {
        Ok(Body { locals: self.locals()?, block: self.block(depth)? })
    }

    fn block(&mut self, depth: u32) -> Result<Block> {
        Ok(Block { stmts: self.many(0, 4, |g| g.stmt(depth))?, end: Span::NONE })
    }

    fn guard(&mut self) -> Result<Guard> {
        Ok(if self.u.arbitrary()? { Guard::Any } else { Guard::Expr(self.expr(2)?) })
    }

    fn stmt(&mut self, depth: u32) -> Result<Stmt> {
        let structured = depth > 0 && self.u.ratio(1, 4)?;
        let kind = if structured { self.structured(depth - 1)? } else { self.simple()? };
        // These have no place for attributes.
        let without = matches!(
            kind,
            StmtKind::Label(_)
                | StmtKind::While(_)
                | StmtKind::Break(_)
                | StmtKind::Reveal(..)
                | StmtKind::Scope(_)
        );
        let attrs = if without { Attrs::NONE } else { self.attrs()? };
        Ok(Stmt { id: None, kind, attrs, span: Span::NONE })
    }

    fn structured(&mut self, depth: u32) -> Result<StmtKind> {
        if self.u.arbitrary()? {
            let mut branches = self.many(1, 3, |g| {
                Ok(Branch { attrs: g.attrs()?, guard: g.guard()?, block: g.block(depth)? })
            })?;
            branches[0].attrs = Attrs::NONE;
            let otherwise = self.maybe(|g| g.block(depth))?;
            return Ok(StmtKind::If(Box::new(If { branches, otherwise })));
        }
        let specs = self.many(0, 2, |g| {
            let kind = match g.u.arbitrary()? {
                true => LoopSpecKind::Invariant { free: g.u.arbitrary()?, expr: g.expr(2)? },
                false => LoopSpecKind::Measure(g.exprs(1, 2, 2)?),
            };
            Ok(LoopSpec { attrs: g.attrs()?, kind })
        })?;
        Ok(StmtKind::While(Box::new(While { guard: self.guard()?, specs, body: self.block(depth)? })))
    }

    fn simple(&mut self) -> Result<StmtKind> {
        Ok(match self.u.int_in_range(0..=22)? {
            0 => StmtKind::Label(self.ident()?),
            1 => StmtKind::Assert(self.expr(3)?),
            2 => StmtKind::Assume(self.expr(3)?),
            3 => StmtKind::Havoc(self.idents(1, 2)?),
            4 => StmtKind::Goto(self.idents(1, 2)?),
            5 if self.in_code => StmtKind::ReturnExpr(self.expr(2)?),
            5 => StmtKind::Return,
            6 => StmtKind::Break(self.maybe(Self::ident)?),
            7 => StmtKind::Measure(self.exprs(1, 2, 2)?),
            8 => StmtKind::Reveal(
                *self.u.choose(&[Visibility::Reveal, Visibility::Hide])?,
                self.maybe(Self::ident)?,
            ),
            9 => StmtKind::Scope(*self.u.choose(&[Scope::Push, Scope::Pop])?),
            10..=11 => StmtKind::Async(Box::new(Async {
                result: None,
                handle: self.maybe(Self::ident)?,
                procedure: self.ident()?,
                args: self.call_args()?,
                level: self.maybe(|g| g.u.arbitrary())?,
                buffer: self.maybe(|g| g.u.arbitrary())?,
            })),
            12 => StmtKind::Wait(self.maybe(Self::ident)?, self.expr(2)?),
            13 => StmtKind::Yield,
            14 => StmtKind::Zield,
            15 => StmtKind::Await(self.expr(2)?),
            16 => self.u.choose(&[StmtKind::AtomicBegin, StmtKind::AtomicEnd])?.clone(),
            17 => self.u.choose(&[StmtKind::Seal, StmtKind::Unseal])?.clone(),
            18 => StmtKind::Unpack(Box::new(Unpack {
                constructor: self.ident()?,
                vars: self.idents(1, 2)?,
                value: self.expr(2)?,
            })),
            19..=20 => StmtKind::Assign(self.many(1, 2, Self::lhs)?, self.exprs(1, 2, 3)?),
            _ => StmtKind::Call(Box::new(Call {
                free: self.u.arbitrary()?,
                outs: self.many(0, 2, |g| g.maybe(Self::ident))?,
                procedure: self.ident()?,
                args: self.call_args()?,
            })),
        })
    }

    fn call_args(&mut self) -> Result<ExprList> {
        let args = self.many(0, 2, |g| match g.u.ratio(1, 4)? {
            true => Ok(g.ast.exprs.add(Expr::Wildcard, Span::NONE)),
            false => g.expr(2),
        })?;
        Ok(self.ast.exprs.add_list(&args))
    }

    fn lhs(&mut self) -> Result<Lhs> {
        let path = self.many(0, 2, |g| match g.u.arbitrary()? {
            true => Ok(Access::Index(g.exprs(0, 2, 1)?, Span::NONE)),
            false => Ok(Access::Field(g.ident()?)),
        })?;
        Ok(Lhs { base: self.ident()?, path, span: Span::NONE })
    }
}

enum Made {
    Plain(Expr),
    Id(ExprId),
}
