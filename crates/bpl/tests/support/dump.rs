//! The structure of a syntax tree as text, without spans and ids: two trees are equal if their dumps are.
//!
//! It is independent of the printer on purpose. Every struct is destructured without `..`, so that a new
//! field cannot be forgotten here.

use dally_bpl::ast::*;
use dally_text::symbol::Sym;

pub fn dump(ast: &Ast) -> String {
    let mut d = Dump { ast, out: String::new() };
    for Decl { kind, attrs, span: _ } in &ast.decls {
        d.decl(kind, attrs);
        d.out.push('\n');
    }
    d.out
}

struct Dump<'a> {
    ast: &'a Ast,
    out: String,
}

impl Dump<'_> {
    fn atom(&mut self, text: impl std::fmt::Debug) {
        self.out.push_str(&format!(" {text:?}"));
    }

    fn sym(&mut self, name: Sym) {
        self.out.push_str(&format!(" {}", self.ast.text(name)));
    }

    fn ident(&mut self, Ident { name, span: _ }: &Ident) {
        self.sym(*name);
    }

    fn node(&mut self, tag: &str, f: impl FnOnce(&mut Self)) {
        self.out.push_str(" (");
        self.out.push_str(tag);
        f(self);
        self.out.push(')');
    }

    fn each<T>(&mut self, tag: &str, items: &[T], mut f: impl FnMut(&mut Self, &T)) {
        self.node(tag, |d| items.iter().for_each(|i| f(d, i)));
    }

    fn idents(&mut self, idents: &[Ident]) {
        self.each("ids", idents, Self::ident);
    }

    fn attrs(&mut self, attrs: &Attrs) {
        for Attr { name, args, span: _ } in attrs {
            self.node("attr", |d| {
                d.sym(*name);
                for arg in args {
                    match arg {
                        AttrArg::Str(s) => d.node("str", |d| d.sym(*s)),
                        AttrArg::Expr(e) => d.expr(*e),
                    }
                }
            });
        }
    }

    fn decl(&mut self, kind: &DeclKind, attrs: &Attrs) {
        self.attrs(attrs);
        match kind {
            DeclKind::Type(TypeDecl { name, params, body }) => self.node("type", |d| {
                d.ident(name);
                d.idents(params);
                body.iter().for_each(|t| d.ty(*t));
            }),
            DeclKind::Datatype(Datatype { name, params, constructors }) => self.node("datatype", |d| {
                d.ident(name);
                d.idents(params);
                d.each("constructors", constructors, |d, Constructor { name, fields }| {
                    d.ident(name);
                    d.vars(fields);
                });
            }),
            DeclKind::Const(Const { unique, names, ty, uses }) => self.node("const", |d| {
                d.atom(unique);
                d.idents(names);
                d.ty(*ty);
                d.uses(uses);
            }),
            DeclKind::Function(f) => self.function(f),
            DeclKind::Axiom(axiom) => self.axiom(axiom),
            DeclKind::Var(var) => self.var(var),
            DeclKind::Procedure(p) => self.procedure(p),
            DeclKind::Implementation(i) => {
                let Implementation { signature, body } = &**i;
                self.node("implementation", |d| {
                    d.signature(signature);
                    d.body(body);
                });
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let Function { revealed, name, type_params, params, result, body, uses } = function;
        self.node("function", |d| {
            d.atom(revealed);
            d.ident(name);
            d.idents(type_params);
            d.each("params", params, Self::param);
            d.param(result);
            body.iter().for_each(|e| d.expr(*e));
            d.uses(uses);
        });
    }

    fn param(&mut self, Param { attrs, name, ty }: &Param) {
        self.attrs(attrs);
        name.iter().for_each(|n| self.ident(n));
        self.ty(*ty);
    }

    fn uses(&mut self, uses: &[UsedAxiom]) {
        self.each("uses", uses, |d, UsedAxiom { attrs, axiom }| {
            d.attrs(attrs);
            d.axiom(axiom);
        });
    }

    fn axiom(&mut self, Axiom { hideable, expr, span: _ }: &Axiom) {
        self.node("axiom", |d| {
            d.atom(hideable);
            d.expr(*expr);
        });
    }

    fn var(&mut self, Var { name, ty, where_clause }: &Var) {
        self.node("var", |d| {
            d.ident(name);
            d.ty(*ty);
            where_clause.iter().for_each(|e| d.expr(*e));
        });
    }

    fn vars(&mut self, vars: &[VarDecl]) {
        self.each("vars", vars, |d, VarDecl { attrs, var }| {
            d.attrs(attrs);
            d.var(var);
        });
    }

    fn signature(&mut self, Signature { name, type_params, ins, outs }: &Signature) {
        self.ident(name);
        self.idents(type_params);
        self.vars(ins);
        self.vars(outs);
    }

    fn procedure(&mut self, procedure: &Procedure) {
        let Procedure { flavour, signature, specs, body } = procedure;
        self.node("procedure", |d| {
            d.atom(flavour);
            d.signature(signature);
            d.each("specs", specs, |d, Spec { attrs, kind, span: _ }| {
                d.attrs(attrs);
                match kind {
                    SpecKind::Requires { free, expr } => d.node("requires", |d| {
                        d.atom(free);
                        d.expr(*expr);
                    }),
                    SpecKind::Ensures { free, expr } => d.node("ensures", |d| {
                        d.atom(free);
                        d.expr(*expr);
                    }),
                    SpecKind::Modifies(names) => d.idents(names),
                    SpecKind::Measure(exprs) => d.exprs(*exprs),
                }
            });
            body.iter().for_each(|b| d.body(b));
        });
    }

    fn body(&mut self, Body { locals, block }: &Body) {
        self.node("body", |d| {
            d.vars(locals);
            d.block(block);
        });
    }

    fn block(&mut self, Block { stmts, end: _ }: &Block) {
        self.each("block", stmts, |d, Stmt { id: _, kind, attrs, span: _ }| {
            d.attrs(attrs);
            d.stmt(kind);
        });
    }

    fn guard(&mut self, guard: &Guard) {
        match guard {
            Guard::Any => self.atom("*"),
            Guard::Expr(e) => self.expr(*e),
        }
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Label(label) => self.node("label", |d| d.ident(label)),
            StmtKind::Assert(e) => self.node("assert", |d| d.expr(*e)),
            StmtKind::Assume(e) => self.node("assume", |d| d.expr(*e)),
            StmtKind::Await(e) => self.node("await", |d| d.expr(*e)),
            StmtKind::ReturnExpr(e) => self.node("return", |d| d.expr(*e)),
            StmtKind::Havoc(vars) => self.node("havoc", |d| d.idents(vars)),
            StmtKind::Goto(labels) => self.node("goto", |d| d.idents(labels)),
            StmtKind::Assign(targets, values) => self.node("assign", |d| {
                d.each("to", targets, |d, Lhs { base, path, span: _ }| {
                    d.ident(base);
                    for access in path {
                        match access {
                            Access::Index(list, _) => d.exprs(*list),
                            Access::Field(field) => d.node("field", |d| d.ident(field)),
                        }
                    }
                });
                d.exprs(*values);
            }),
            StmtKind::Unpack(_)
            | StmtKind::Call(_)
            | StmtKind::Async(_)
            | StmtKind::If(_)
            | StmtKind::While(_) => self.compound(kind),
            StmtKind::Wait(out, task) => self.node("wait", |d| {
                d.idents(out.as_slice());
                d.expr(*task);
            }),
            StmtKind::Break(label) => self.node("break", |d| d.idents(label.as_slice())),
            StmtKind::Measure(exprs) => self.node("measure", |d| d.exprs(*exprs)),
            StmtKind::Reveal(visibility, name) => self.node("reveal", |d| {
                d.atom(visibility);
                d.idents(name.as_slice());
            }),
            StmtKind::Scope(scope) => self.atom(scope),
            StmtKind::Return
            | StmtKind::Yield
            | StmtKind::Zield
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::Seal
            | StmtKind::Unseal => self.atom(kind),
        }
    }

    /// The statements that are structs.
    fn compound(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Unpack(u) => {
                let Unpack { constructor, vars, value } = &**u;
                self.node("unpack", |d| {
                    d.ident(constructor);
                    d.idents(vars);
                    d.expr(*value);
                });
            }
            StmtKind::Call(c) => {
                let Call { free, outs, procedure, args } = &**c;
                self.node("call", |d| {
                    d.atom(free);
                    d.each("ids", outs, |d, out| match out {
                        Some(out) => d.ident(out),
                        None => d.out.push_str(" *"),
                    });
                    d.ident(procedure);
                    d.exprs(*args);
                });
            }
            StmtKind::Async(a) => {
                let Async { handle, result: _, procedure, args, level, buffer } = &**a;
                self.node("async", |d| {
                    d.idents(handle.as_slice());
                    d.ident(procedure);
                    d.exprs(*args);
                    d.atom(level);
                    d.atom(buffer);
                });
            }
            StmtKind::If(i) => {
                let If { branches, otherwise } = &**i;
                self.node("if", |d| {
                    for Branch { attrs, guard, block } in branches {
                        d.attrs(attrs);
                        d.guard(guard);
                        d.block(block);
                    }
                    otherwise.iter().for_each(|b| d.node("else", |d| d.block(b)));
                });
            }
            StmtKind::While(w) => self.while_loop(w),
            _ => unreachable!("only the statements that `stmt` passes on"),
        }
    }

    fn while_loop(&mut self, While { guard, specs, body }: &While) {
        self.node("while", |d| {
            d.guard(guard);
            for LoopSpec { attrs, kind } in specs {
                d.attrs(attrs);
                match kind {
                    LoopSpecKind::Invariant { free, expr } => {
                        d.atom(free);
                        d.expr(*expr);
                    }
                    LoopSpecKind::Measure(exprs) => d.exprs(*exprs),
                }
            }
            d.block(body);
        });
    }

    fn exprs(&mut self, list: ExprList) {
        let exprs = self.ast.exprs.list(list);
        self.each("list", exprs, |d, e| d.expr(*e));
    }

    fn expr(&mut self, id: ExprId) {
        match self.ast.exprs[id] {
            Expr::Bool(b) => self.atom(b),
            Expr::Int(s) => self.node("int", |d| d.sym(s)),
            Expr::Real(s) => self.node("real", |d| d.sym(s)),
            Expr::Float(s) => self.node("float", |d| d.sym(s)),
            Expr::Bv(s, width) => self.node("bv", |d| {
                d.sym(s);
                d.atom(width);
            }),
            Expr::Rounding(mode) => self.atom(mode),
            Expr::Str(s) => self.node("str", |d| d.sym(s)),
            Expr::Name(s) => self.sym(s),
            Expr::Call(f, args) => self.node("apply", |d| {
                d.sym(f);
                d.exprs(args);
            }),
            Expr::Unary(op, e) => self.node(&format!("{op:?}"), |d| d.expr(e)),
            Expr::Binary(op, a, b) => self.node(op.spelling(), |d| {
                d.expr(a);
                d.expr(b);
            }),
            Expr::Ite(a, b, c) => self.node("ite", |d| [a, b, c].iter().for_each(|e| d.expr(*e))),
            Expr::Old(e) => self.node("old", |d| d.expr(e)),
            Expr::ToInt(e) => self.node("toint", |d| d.expr(e)),
            Expr::ToReal(e) => self.node("toreal", |d| d.expr(e)),
            Expr::Select(e, list) => self.node("select", |d| {
                d.expr(e);
                d.exprs(list);
            }),
            Expr::Store(e, list, v) => self.node("store", |d| {
                d.expr(e);
                d.exprs(list);
                d.expr(v);
            }),
            Expr::Extract(e, high, low) => self.node("extract", |d| {
                d.expr(e);
                d.atom((high, low));
            }),
            Expr::Coerce(e, ty) => self.node("coerce", |d| {
                d.expr(e);
                d.ty(ty);
            }),
            Expr::Field(e, f) => self.node("field", |d| {
                d.expr(e);
                d.sym(f);
            }),
            Expr::FieldUpdate(e, f, v) => self.node("update", |d| {
                d.expr(e);
                d.sym(f);
                d.expr(v);
            }),
            Expr::Is(e, c) => self.node("is", |d| {
                d.expr(e);
                d.sym(c);
            }),
            Expr::Binder(b) => self.binder(self.ast.exprs.binder(b)),
            Expr::Let(l) => self.binding(self.ast.exprs.binding(l)),
            Expr::Code(c) => self.body(self.ast.exprs.code(c)),
            Expr::Wildcard => self.out.push_str(" *"),
        }
    }

    fn binder(&mut self, binder: &Binder) {
        let Binder { kind, type_params, vars, attrs, triggers, body } = binder;
        self.node(kind.spelling(), |d| {
            d.idents(type_params);
            d.each("vars", vars, |d, BoundVar { attrs, name, ty }| {
                d.attrs(attrs);
                d.ident(name);
                d.ty(*ty);
            });
            d.attrs(attrs);
            d.each("triggers", triggers, |d, Trigger { positive, exprs, span: _ }| {
                d.atom(positive);
                d.exprs(*exprs);
            });
            d.expr(*body);
        });
    }

    fn binding(&mut self, Let { vars, values, attrs, body }: &Let) {
        self.node("let", |d| {
            d.each("vars", vars, |d, LetVar { attrs, name }| {
                d.attrs(attrs);
                d.ident(name);
            });
            d.exprs(*values);
            d.attrs(attrs);
            d.expr(*body);
        });
    }

    fn ty(&mut self, id: TypeId) {
        match &self.ast.types[id] {
            TypeExpr::Bool => self.atom("bool"),
            TypeExpr::Int => self.atom("int"),
            TypeExpr::Real => self.atom("real"),
            TypeExpr::Bv(n) => self.atom(("bv", n)),
            TypeExpr::Float(s, e) => self.atom(("float", s, e)),
            TypeExpr::Named(name, args) => self.node("named", |d| {
                d.sym(*name);
                d.ast.types.list(*args).iter().for_each(|t| d.ty(*t));
            }),
            TypeExpr::Map(map) => {
                let MapType { params, args, result } = &**map;
                self.node("map", |d| {
                    d.idents(params);
                    d.ast.types.list(*args).iter().for_each(|t| d.ty(*t));
                    d.node("to", |d| d.ty(*result));
                });
            }
        }
    }
}
