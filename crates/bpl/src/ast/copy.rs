//! Deep copies. A pass that duplicates a body must copy its expressions, since an expression has at most one
//! parent.

use dally_text::stack::grow;

use super::{
    Access, Ast, Async, Attr, AttrArg, Attrs, Binder, Block, Body, BoundVar, Branch, Call, Expr, ExprId,
    ExprList, Guard, If, Let, LetVar, Lhs, LoopSpec, LoopSpecKind, Stmt, StmtKind, Trigger, Unpack, VarDecl,
    While,
};

impl Ast {
    /// A deep copy of an expression, with the same spans.
    pub fn copy_expr(&mut self, id: ExprId) -> ExprId {
        grow(|| self.copy_node(id))
    }

    fn copy_node(&mut self, id: ExprId) -> ExprId {
        let span = self.exprs.span(id);
        let copy = match self.exprs[id] {
            Expr::Call(name, args) => Expr::Call(name, self.copy_exprs(args)),
            Expr::Unary(op, a) => Expr::Unary(op, self.copy_expr(a)),
            Expr::Binary(op, a, b) => Expr::Binary(op, self.copy_expr(a), self.copy_expr(b)),
            Expr::Ite(a, b, c) => Expr::Ite(self.copy_expr(a), self.copy_expr(b), self.copy_expr(c)),
            Expr::Old(a) => Expr::Old(self.copy_expr(a)),
            Expr::ToInt(a) => Expr::ToInt(self.copy_expr(a)),
            Expr::ToReal(a) => Expr::ToReal(self.copy_expr(a)),
            Expr::Select(a, indices) => Expr::Select(self.copy_expr(a), self.copy_exprs(indices)),
            Expr::Store(a, indices, b) => {
                Expr::Store(self.copy_expr(a), self.copy_exprs(indices), self.copy_expr(b))
            }
            Expr::Extract(a, high, low) => Expr::Extract(self.copy_expr(a), high, low),
            Expr::Coerce(a, ty) => Expr::Coerce(self.copy_expr(a), ty),
            Expr::Field(a, field) => Expr::Field(self.copy_expr(a), field),
            Expr::FieldUpdate(a, field, b) => Expr::FieldUpdate(self.copy_expr(a), field, self.copy_expr(b)),
            Expr::Is(a, constructor) => Expr::Is(self.copy_expr(a), constructor),
            Expr::Binder(binder) => {
                let binder = self.exprs.binder(binder).clone();
                let binder = self.copy_binder(binder);
                return self.exprs.add_binder(binder, span);
            }
            Expr::Let(binding) => {
                let binding = self.exprs.binding(binding).clone();
                let binding = self.copy_let(binding);
                return self.exprs.add_let(binding, span);
            }
            Expr::Code(code) => {
                let code = self.exprs.code(code).clone();
                let code = self.copy_body(&code);
                return self.exprs.add_code(code, span);
            }
            leaf @ (Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Real(_)
            | Expr::Float(_)
            | Expr::Bv(..)
            | Expr::Rounding(_)
            | Expr::Str(_)
            | Expr::Name(_)
            | Expr::Wildcard) => leaf,
        };
        self.exprs.add(copy, span)
    }

    /// A copy of a list of expressions.
    pub(crate) fn copy_exprs(&mut self, list: ExprList) -> ExprList {
        let items = self.exprs.list(list).to_vec();
        let items: Vec<ExprId> = items.into_iter().map(|e| self.copy_expr(e)).collect();
        self.exprs.add_list(&items)
    }

    fn copy_binder(&mut self, binder: Binder) -> Binder {
        let Binder { kind, type_params, vars, attrs, triggers, body } = binder;
        let vars = vars.into_iter().map(|v| BoundVar { attrs: self.copy_attrs(&v.attrs), ..v }).collect();
        let triggers =
            triggers.into_iter().map(|t| Trigger { exprs: self.copy_exprs(t.exprs), ..t }).collect();
        let attrs = self.copy_attrs(&attrs);
        Binder { kind, type_params, vars, attrs, triggers, body: self.copy_expr(body) }
    }

    fn copy_let(&mut self, binding: Let) -> Let {
        let Let { vars, values, attrs, body } = binding;
        let vars = vars.iter().map(|v| LetVar { attrs: self.copy_attrs(&v.attrs), name: v.name }).collect();
        let (values, attrs) = (self.copy_exprs(values), self.copy_attrs(&attrs));
        Let { vars, values, attrs, body: self.copy_expr(body) }
    }

    /// A copy of attributes.
    pub(crate) fn copy_attrs(&mut self, attrs: &Attrs) -> Attrs {
        let copy_arg = |ast: &mut Ast, arg: &AttrArg| match *arg {
            AttrArg::Expr(e) => AttrArg::Expr(ast.copy_expr(e)),
            AttrArg::Str(text) => AttrArg::Str(text),
        };
        let copied = attrs.iter().map(|a| Attr {
            name: a.name,
            args: a.args.iter().map(|arg| copy_arg(self, arg)).collect(),
            span: a.span,
        });
        copied.collect()
    }

    /// A copy of the declaration of a variable.
    pub(crate) fn copy_var(&mut self, decl: &VarDecl) -> VarDecl {
        let mut copy = decl.clone();
        copy.attrs = self.copy_attrs(&decl.attrs);
        copy.var.where_clause = decl.var.where_clause.map(|e| self.copy_expr(e));
        copy
    }

    /// A copy of a body.
    pub fn copy_body(&mut self, body: &Body) -> Body {
        let locals = body.locals.iter().map(|v| self.copy_var(v)).collect();
        Body { locals, block: self.copy_block(&body.block) }
    }

    /// A copy of the statements of a block.
    pub(crate) fn copy_block(&mut self, block: &Block) -> Block {
        Block { stmts: block.stmts.iter().map(|s| self.copy_stmt(s)).collect(), end: block.end }
    }

    /// A copy of a statement.
    pub(crate) fn copy_stmt(&mut self, stmt: &Stmt) -> Stmt {
        let attrs = self.copy_attrs(&stmt.attrs);
        Stmt { id: stmt.id, kind: grow(|| self.copy_kind(&stmt.kind)), attrs, span: stmt.span }
    }

    fn copy_kind(&mut self, kind: &StmtKind) -> StmtKind {
        match kind {
            StmtKind::Assert(e) => StmtKind::Assert(self.copy_expr(*e)),
            StmtKind::Assume(e) => StmtKind::Assume(self.copy_expr(*e)),
            StmtKind::Await(e) => StmtKind::Await(self.copy_expr(*e)),
            StmtKind::ReturnExpr(e) => StmtKind::ReturnExpr(self.copy_expr(*e)),
            StmtKind::Measure(list) => StmtKind::Measure(self.copy_exprs(*list)),
            StmtKind::Wait(out, task) => StmtKind::Wait(*out, self.copy_expr(*task)),
            StmtKind::Assign(targets, values) => {
                let targets = targets.iter().map(|t| self.copy_lhs(t)).collect();
                StmtKind::Assign(targets, self.copy_exprs(*values))
            }
            StmtKind::Unpack(u) => {
                let value = self.copy_expr(u.value);
                StmtKind::Unpack(Box::new(Unpack { value, ..(**u).clone() }))
            }
            StmtKind::Call(c) => {
                let args = self.copy_exprs(c.args);
                StmtKind::Call(Box::new(Call { args, ..(**c).clone() }))
            }
            StmtKind::Async(a) => {
                let args = self.copy_exprs(a.args);
                StmtKind::Async(Box::new(Async { args, ..(**a).clone() }))
            }
            StmtKind::If(conditional) => StmtKind::If(Box::new(self.copy_if(conditional))),
            StmtKind::While(w) => StmtKind::While(Box::new(self.copy_while(w))),
            other => other.clone(),
        }
    }

    fn copy_lhs(&mut self, lhs: &Lhs) -> Lhs {
        let copy_access = |ast: &mut Ast, access: &Access| match *access {
            Access::Index(indices, span) => Access::Index(ast.copy_exprs(indices), span),
            Access::Field(name) => Access::Field(name),
        };
        let path = lhs.path.iter().map(|a| copy_access(self, a)).collect();
        Lhs { base: lhs.base, path, span: lhs.span }
    }

    fn copy_guard(&mut self, guard: Guard) -> Guard {
        match guard {
            Guard::Any => Guard::Any,
            Guard::Expr(e) => Guard::Expr(self.copy_expr(e)),
        }
    }

    fn copy_if(&mut self, conditional: &If) -> If {
        let copy_branch = |ast: &mut Ast, b: &Branch| Branch {
            attrs: ast.copy_attrs(&b.attrs),
            guard: ast.copy_guard(b.guard),
            block: ast.copy_block(&b.block),
        };
        let branches = conditional.branches.iter().map(|b| copy_branch(self, b)).collect();
        If { branches, otherwise: conditional.otherwise.as_ref().map(|b| self.copy_block(b)) }
    }

    fn copy_while(&mut self, w: &While) -> While {
        let copy_spec = |ast: &mut Ast, spec: &LoopSpec| LoopSpec {
            attrs: ast.copy_attrs(&spec.attrs),
            kind: match spec.kind {
                LoopSpecKind::Invariant { free, expr } => {
                    LoopSpecKind::Invariant { free, expr: ast.copy_expr(expr) }
                }
                LoopSpecKind::Measure(list) => LoopSpecKind::Measure(ast.copy_exprs(list)),
            },
        };
        let guard = self.copy_guard(w.guard);
        let specs = w.specs.iter().map(|s| copy_spec(self, s)).collect();
        While { guard, specs, body: self.copy_block(&w.body) }
    }
}
