//! Statements of an instance.

use dally_bpl::ast::{
    Access, Async, Block, Branch, Call, Expr, Guard, Ident, If, Lhs, LoopSpec, LoopSpecKind, Stmt, StmtKind,
    Unpack, While,
};
use dally_bpl::check::{Ref, VarId};
use dally_text::source::Span;
use dally_text::stack::grow;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::Pass;
use super::types::{self, Env, Type};

/// The type variables and variables of a body.
pub(super) struct Scope {
    pub(super) env: Env,
    pub(super) names: FxHashMap<Sym, VarId>,
}

impl Pass<'_> {
    pub(super) fn block(&mut self, block: &Block, scope: &Scope) -> Block {
        Block { stmts: block.stmts.iter().map(|stmt| self.stmt(stmt, scope)).collect(), end: block.end }
    }

    fn stmt(&mut self, stmt: &Stmt, scope: &Scope) -> Stmt {
        let kind = grow(|| self.kind(stmt, scope));
        // An execution may run several instances of a statement.
        let id = stmt.id.map(|id| if scope.env.is_empty() { id } else { self.ast.new_stmt_id(stmt.span) });
        Stmt { id, kind, attrs: self.attrs(&stmt.attrs, &scope.env), span: stmt.span }
    }

    fn kind(&mut self, stmt: &Stmt, scope: &Scope) -> StmtKind {
        let env = &scope.env;
        match &stmt.kind {
            StmtKind::Assert(e) => StmtKind::Assert(self.expr(*e, env)),
            StmtKind::Assume(e) => StmtKind::Assume(self.expr(*e, env)),
            StmtKind::Await(e) => StmtKind::Await(self.expr(*e, env)),
            StmtKind::ReturnExpr(e) => StmtKind::ReturnExpr(self.expr(*e, env)),
            StmtKind::Measure(list) => StmtKind::Measure(self.exprs(*list, env)),
            StmtKind::Wait(out, task) => StmtKind::Wait(*out, self.expr(*task, env)),
            StmtKind::Assign(targets, values) => {
                let targets = targets.iter().map(|target| self.target(target, scope)).collect();
                StmtKind::Assign(targets, self.exprs(*values, env))
            }
            StmtKind::Unpack(u) => {
                let value = self.expr(u.value, env);
                StmtKind::Unpack(Box::new(Unpack { value, ..(**u).clone() }))
            }
            StmtKind::Call(call) => self.call(call, stmt.span, scope),
            StmtKind::Async(post) => {
                let args = self.exprs(post.args, env);
                StmtKind::Async(Box::new(Async { args, ..(**post).clone() }))
            }
            StmtKind::If(conditional) => {
                let branch = |pass: &mut Self, b: &Branch| Branch {
                    attrs: pass.attrs(&b.attrs, env),
                    guard: pass.guard(b.guard, env),
                    block: pass.block(&b.block, scope),
                };
                let branches = conditional.branches.iter().map(|b| branch(self, b)).collect();
                let otherwise = conditional.otherwise.as_ref().map(|block| self.block(block, scope));
                StmtKind::If(Box::new(If { branches, otherwise }))
            }
            StmtKind::While(w) => {
                let guard = self.guard(w.guard, env);
                let specs = w.specs.iter().map(|spec| self.loop_spec(spec, env)).collect();
                StmtKind::While(Box::new(While { guard, specs, body: self.block(&w.body, scope) }))
            }
            other => other.clone(),
        }
    }

    fn guard(&mut self, guard: Guard, env: &Env) -> Guard {
        match guard {
            Guard::Any => Guard::Any,
            Guard::Expr(e) => Guard::Expr(self.expr(e, env)),
        }
    }

    fn loop_spec(&mut self, spec: &LoopSpec, env: &Env) -> LoopSpec {
        let kind = match spec.kind {
            LoopSpecKind::Invariant { free, expr } => {
                LoopSpecKind::Invariant { free, expr: self.expr(expr, env) }
            }
            LoopSpecKind::Measure(list) => LoopSpecKind::Measure(self.exprs(list, env)),
        };
        LoopSpec { attrs: self.attrs(&spec.attrs, env), kind }
    }

    /// The type of a variable.
    fn variable(&mut self, name: Ident, scope: &Scope) -> Option<Type> {
        let Some(Ref::Var(var)) = self.meaning(name.name, scope) else { return None };
        Some(self.resolve(self.info[var].ty, &scope.env, name.span))
    }

    /// A target of an assignment: an index of a map whose type binds variables becomes a field and an index.
    fn target(&mut self, target: &Lhs, scope: &Scope) -> Lhs {
        let mut ty = self.variable(target.base, scope);
        let mut path = Vec::new();
        for access in &target.path {
            match *access {
                Access::Index(index, span) => {
                    let at = self.types_of(index, &scope.env);
                    if let Some(map) = &ty
                        && let Some(field) = self.field(map, &at, span)
                    {
                        path.push(Access::Field(Ident { name: field, span }));
                    }
                    path.push(Access::Index(self.exprs(index, &scope.env), span));
                    ty = ty.and_then(|map| element(&map, &at));
                }
                Access::Field(field) => {
                    path.push(*access);
                    ty = ty.and_then(|value| self.part(&value, field));
                }
            }
        }
        Lhs { base: target.base, path, span: target.span }
    }

    /// The type of a field of a datatype.
    fn part(&mut self, value: &Type, field: Ident) -> Option<Type> {
        let Type::Con(con, _) = value else { return None };
        let position = self.info.datatypes.get(con)?.field(field.name)?;
        let constructor = &self.info[position.constructor];
        let mut env = Env::default();
        types::unify(self.info, constructor.result, value, &mut env);
        let ty = *constructor.params.get(position.index)?;
        Some(self.resolve(ty, &env, field.span))
    }

    fn call(&mut self, call: &Call, span: Span, scope: &Scope) -> StmtKind {
        let args = self.exprs(call.args, &scope.env);
        let mut new = Call { args, ..call.clone() };
        if let Some(id) = self.info.procedure(call.procedure.name) {
            let params = self.procedure_params(id);
            let mut env = Env::default();
            let given = self.program.ast.exprs.list(call.args).to_vec();
            for (pattern, arg) in self.info[id].ins.iter().zip(given) {
                if !params.is_empty() && !matches!(self.program.ast.exprs[arg], Expr::Wildcard) {
                    let actual = self.type_of(arg, &scope.env);
                    types::unify(self.info, *pattern, &actual, &mut env);
                }
            }
            for (pattern, out) in self.info[id].outs.iter().zip(&call.outs) {
                if let Some(actual) = out.and_then(|out| self.variable(out, scope)) {
                    types::unify(self.info, *pattern, &actual, &mut env);
                }
            }
            match params.iter().map(|p| env.get(p).cloned()).collect::<Option<Vec<Type>>>() {
                Some(values) => {
                    values.iter().for_each(|ty| self.see(ty));
                    new.procedure.name = self.procedure_name(id, values);
                }
                None => self
                    .refuse(span, "a call of a generic procedure whose type parameters nothing determines"),
            }
        }
        StmtKind::Call(Box::new(new))
    }
}

/// The type of an element of a map at an index of these types.
fn element(map: &Type, index: &[Type]) -> Option<Type> {
    let Type::Map(n, args, value) = map else { return None };
    let mut found = vec![None; *n as usize];
    args.iter().zip(index).for_each(|(arg, actual)| types::unify_bound(arg, actual, 0, &mut found));
    Some(types::instantiate(value, 0, &found.into_iter().collect::<Option<Vec<Type>>>()?))
}
