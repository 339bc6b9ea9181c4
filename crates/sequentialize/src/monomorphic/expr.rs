//! Expressions of an instance.

use dally_bpl::ast::{
    BinaryOp, Binder, BinderId, BinderKind, BoundVar, Expr, ExprId, ExprList, Let, LetId, LetVar, Trigger,
};
use dally_bpl::check::{FunctionId, Ref};
use dally_text::source::Span;
use dally_text::stack::grow;
use dally_text::symbol::Sym;

use super::types::{self, Env, Type};
use super::{DEEPEST, Instance, MOST_INSTANCES, Pass};
use crate::build;

impl Pass<'_> {
    pub(super) fn exprs(&mut self, list: ExprList, env: &Env) -> ExprList {
        let items = self.program.ast.exprs.list(list).to_vec();
        let items: Vec<ExprId> = items.into_iter().map(|e| self.expr(e, env)).collect();
        self.ast.exprs.add_list(&items)
    }

    /// The types of expressions.
    pub(super) fn types_of(&mut self, list: ExprList, env: &Env) -> Vec<Type> {
        let items = self.program.ast.exprs.list(list).to_vec();
        items.into_iter().map(|e| self.type_of(e, env)).collect()
    }

    /// The expression, for these values of type variables.
    pub(super) fn expr(&mut self, e: ExprId, env: &Env) -> ExprId {
        grow(|| self.node(e, env))
    }

    fn node(&mut self, e: ExprId, env: &Env) -> ExprId {
        let span = self.program.ast.exprs.span(e);
        let new = match self.program.ast.exprs[e] {
            Expr::Call(name, args) => return self.application(e, (name, args), None, env),
            Expr::Unary(op, a) => Expr::Unary(op, self.expr(a, env)),
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Neq), a, b)
                if self.type_of(a, env) != self.type_of(b, env) =>
            {
                // Values of different types differ.
                Expr::Bool(op == BinaryOp::Neq)
            }
            Expr::Binary(op, a, b) => Expr::Binary(op, self.expr(a, env), self.expr(b, env)),
            Expr::Ite(a, b, c) => Expr::Ite(self.expr(a, env), self.expr(b, env), self.expr(c, env)),
            Expr::Old(a) => Expr::Old(self.expr(a, env)),
            Expr::ToInt(a) => Expr::ToInt(self.expr(a, env)),
            Expr::ToReal(a) => Expr::ToReal(self.expr(a, env)),
            Expr::Select(map, index) => {
                let (ty, at) = (self.type_of(map, env), self.types_of(index, env));
                let (mut new, index) = (self.expr(map, env), self.exprs(index, env));
                if let Some(field) = self.field(&ty, &at, span) {
                    new = self.ast.exprs.add(Expr::Field(new, field), span);
                }
                Expr::Select(new, index)
            }
            Expr::Store(map, index, value) => return self.store(map, index, value, env, span),
            Expr::Extract(a, high, low) => Expr::Extract(self.expr(a, env), high, low),
            Expr::Coerce(a, _) => {
                let ty = self.type_of(e, env);
                let new = match self.program.ast.exprs[a] {
                    // Only the coercion says which type the result has.
                    Expr::Call(name, args) => self.application(a, (name, args), Some(ty.clone()), env),
                    _ => self.expr(a, env),
                };
                Expr::Coerce(new, self.emit(&ty))
            }
            Expr::Field(a, field) => Expr::Field(self.expr(a, env), field),
            Expr::FieldUpdate(a, field, b) => Expr::FieldUpdate(self.expr(a, env), field, self.expr(b, env)),
            Expr::Is(a, constructor) => Expr::Is(self.expr(a, env), constructor),
            Expr::Binder(binder) => return self.binder(e, binder, env),
            Expr::Let(binding) => return self.binding(binding, env, span),
            Expr::Code(_) => {
                self.refuse(span, "a code expression in a program with type parameters");
                Expr::Bool(true)
            }
            leaf => leaf,
        };
        self.ast.exprs.add(new, span)
    }

    /// `m[index := value]`
    fn store(&mut self, map: ExprId, index: ExprList, value: ExprId, env: &Env, span: Span) -> ExprId {
        let (ty, at) = (self.type_of(map, env), self.types_of(index, env));
        let (map, index) = (self.expr(map, env), self.exprs(index, env));
        let value = self.expr(value, env);
        let Some(field) = self.field(&ty, &at, span) else {
            return self.ast.exprs.add(Expr::Store(map, index, value), span);
        };
        // `(var m := map; m->(field := m->field[index := value]))`
        let name = build::fresh(&mut self.ast, "map#updated");
        let (outer, inner) = (build::name(&mut self.ast, name), build::name(&mut self.ast, name));
        let part = self.ast.exprs.add(Expr::Field(inner, field), span);
        let stored = self.ast.exprs.add(Expr::Store(part, index, value), span);
        let body = self.ast.exprs.add(Expr::FieldUpdate(outer, field, stored), span);
        let values = self.ast.exprs.add_list(&[map]);
        let vars = vec![LetVar { attrs: dally_bpl::ast::Attrs::NONE, name: build::ident(name) }];
        let binding = Let { vars, values, attrs: dally_bpl::ast::Attrs::NONE, body };
        self.ast.exprs.add_let(binding, span)
    }

    /// A function or constructor, applied; `coerced` is the type that a coercion around it names.
    fn application(
        &mut self,
        e: ExprId,
        (name, args): (Sym, ExprList),
        coerced: Option<Type>,
        env: &Env,
    ) -> ExprId {
        let span = self.program.ast.exprs.span(e);
        let function = match self.info.meaning(e) {
            Some(Ref::Function(function)) => Some(function),
            _ => None,
        };
        let actual = self.types_of(args, env);
        let result = coerced.unwrap_or_else(|| self.type_of(e, env));
        let new = self.exprs(args, env);
        let Some(function) = function else { return self.ast.exprs.add(Expr::Call(name, new), span) };
        if self.info[function].constructs.is_some() {
            let call = self.ast.exprs.add(Expr::Call(name, new), span);
            let is_generic = matches!(&result, Type::Con(_, args) if !args.is_empty());
            if !is_generic {
                return call;
            }
            let ty = self.emit(&result);
            return self.ast.exprs.add(Expr::Coerce(call, ty), span);
        }
        let params = self.function_params(function);
        let mut found = Env::default();
        for (pattern, actual) in self.info[function].params.iter().zip(&actual) {
            types::unify(self.info, *pattern, actual, &mut found);
        }
        types::unify(self.info, self.info[function].result, &result, &mut found);
        let Some(values) = params.iter().map(|p| found.get(p).cloned()).collect::<Option<Vec<Type>>>() else {
            self.refuse(span, "a call of a generic function whose type parameters nothing determines");
            return e;
        };
        let name = self.function_name(function, name, values, span);
        self.ast.exprs.add(Expr::Call(name, new), span)
    }

    /// The type variables of a function.
    pub(super) fn function_params(&self, function: FunctionId) -> Vec<u32> {
        let mut params = Vec::new();
        for ty in self.info[function].params.iter().chain([&self.info[function].result]) {
            types::params(self.info, *ty, &mut params);
        }
        params
    }

    /// The name of an instance, which is written later if it is new.
    fn function_name(&mut self, function: FunctionId, name: Sym, values: Vec<Type>, span: Span) -> Sym {
        if values.is_empty() {
            return name;
        }
        if values.iter().any(|ty| types::depth(ty) > DEEPEST) {
            self.refuse(span, "a program that needs instances without end");
            return name;
        }
        values.iter().for_each(|ty| self.see(ty));
        let key = (function, values);
        if let Some(name) = self.functions.get(&key) {
            return *name;
        }
        let instance = self.instance_name(name, &key.1);
        self.functions.insert(key.clone(), instance);
        self.todo.push_back(Instance::Function(key.0, key.1, instance));
        instance
    }

    /// `name#int_bool`
    pub(super) fn instance_name(&mut self, name: Sym, values: &[Type]) -> Sym {
        let parts: Vec<String> = values.iter().map(|ty| types::name(&self.ast, self.info, ty)).collect();
        let wanted = format!("{}#{}", self.ast.text(name), parts.join("_"));
        build::fresh(&mut self.ast, &wanted)
    }

    fn binding(&mut self, id: LetId, env: &Env, span: Span) -> ExprId {
        let Let { vars, values, attrs, body } = self.program.ast.exprs.binding(id).clone();
        let (values, body) = (self.exprs(values, env), self.expr(body, env));
        self.ast.exprs.add_let(Let { vars, values, attrs, body }, span)
    }

    fn binder(&mut self, e: ExprId, id: BinderId, env: &Env) -> ExprId {
        let span = self.program.ast.exprs.span(e);
        let binder = self.program.ast.exprs.binder(id).clone();
        let mut params = Vec::new();
        for var in self.info.bound_vars(e).to_vec() {
            types::params(self.info, self.info[var].ty, &mut params);
        }
        if params.len() < binder.type_params.len() {
            self.params_of_body(binder.body, &mut params);
        }
        params.retain(|p| !env.contains_key(p));
        if params.is_empty() {
            return self.instance_of_binder(e, &binder, env);
        }
        if binder.kind == BinderKind::Lambda {
            return self.lambda(e, &binder, env);
        }
        let pool = self.pool.clone();
        if pool.len().checked_pow(params.len() as u32).is_none_or(|all| all > MOST_INSTANCES) {
            self.refuse(span, "a quantifier over many types");
            return e;
        }
        let mut envs = vec![env.clone()];
        for param in params {
            let extended = |env: &Env, ty: &Type| {
                let mut env = env.clone();
                env.insert(param, ty.clone());
                env
            };
            envs = envs.iter().flat_map(|env| pool.iter().map(move |ty| extended(env, ty))).collect();
        }
        let op = if binder.kind == BinderKind::Forall { BinaryOp::And } else { BinaryOp::Or };
        let instances: Vec<ExprId> =
            envs.iter().map(|env| self.instance_of_binder(e, &binder, env)).collect();
        let all = instances.into_iter().reduce(|a, b| self.ast.exprs.add(Expr::Binary(op, a, b), span));
        all.unwrap_or_else(|| self.ast.exprs.add(Expr::Bool(binder.kind == BinderKind::Forall), span))
    }

    /// The type variables in a body without quantifiers over types.
    fn params_of_body(&self, body: ExprId, params: &mut Vec<u32>) {
        let exprs = &self.program.ast.exprs;
        let is_generic = |e| matches!(exprs[e], Expr::Binder(id) if !exprs.binder(id).type_params.is_empty());
        if exprs.any(body, &mut |e| is_generic(e)) {
            return;
        }
        exprs.any(body, &mut |e| {
            types::params(self.info, self.info.type_of(e), params);
            false
        });
    }

    pub(super) fn instance_of_binder(&mut self, e: ExprId, binder: &Binder, env: &Env) -> ExprId {
        let span = self.program.ast.exprs.span(e);
        let bound = self.info.bound_vars(e).to_vec();
        let mut vars = Vec::new();
        for (var, decl) in bound.iter().zip(&binder.vars) {
            let ty = self.resolve(self.info[*var].ty, env, span);
            vars.push(BoundVar { ty: self.emit(&ty), ..decl.clone() });
        }
        if vars.is_empty() {
            return self.expr(binder.body, env);
        }
        let mut triggers = Vec::new();
        for trigger in &binder.triggers {
            triggers.push(Trigger { exprs: self.exprs(trigger.exprs, env), ..trigger.clone() });
        }
        let body = self.expr(binder.body, env);
        let new = Binder {
            kind: binder.kind,
            type_params: Vec::new(),
            vars,
            attrs: self.attrs(&binder.attrs, env),
            triggers,
            body,
        };
        self.ast.exprs.add_binder(new, span)
    }
}
