//! Lambdas with type parameters: values of the datatype that stands for a map type that binds variables.
//!
//! A lambda becomes an application of the constructor, with an instance of the lambda for each field. The fields are known when the
//! rest of the program is written: until then, the application has no arguments.
//!
//! The last field stands for the elements at all other types. It is a function of the lambda at types about which nothing
//! is known: equal lambdas have equal elements there, and no other lambdas are known to.

use dally_bpl::ast::{
    Attrs, Binder, BinderKind, Decl, DeclKind, Expr, ExprId, ExprList, Function, Param, TypeId,
};
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::types::{self, Env, Type};
use super::{Pass, declared};
use crate::build;

/// A lambda with type parameters, until the fields of its datatype are known.
pub(super) struct Lambda {
    /// The lambda of the program.
    original: ExprId,
    binder: Binder,
    env: Env,
    /// The application of the constructor.
    made: ExprId,
    /// The entry of its type in [`Pass::maps`].
    map: usize,
    /// The lambda at each field.
    instances: Vec<ExprId>,
    /// The lambda at types about which nothing is known.
    rest: Option<ExprId>,
}

impl Pass<'_> {
    /// Declares the types for which lambdas have an instance that stands for all others. Quantifiers have no instances for them.
    pub(super) fn declare_types_of_lambdas(&mut self) {
        let exprs = &self.program.ast.exprs;
        let counts = exprs.ids().filter_map(|e| match exprs[e] {
            Expr::Binder(id) => Some(exprs.binder(id)),
            _ => None,
        });
        let count = counts.filter(|b| b.kind == BinderKind::Lambda).map(|b| b.type_params.len()).max();
        for _ in 0..count.unwrap_or(0) {
            let ty = self.add_type("any");
            self.known.insert(ty.clone());
            self.any.push(ty);
        }
    }

    pub(super) fn lambda(&mut self, e: ExprId, binder: &Binder, env: &Env) -> ExprId {
        let span = self.program.ast.exprs.span(e);
        let ty = self.type_of(e, env);
        let map = declared(&mut self.ast, &mut self.maps, &ty);
        let none = self.ast.exprs.add_list(&[]);
        let made = self.ast.exprs.add(Expr::Call(self.maps[map].constructor, none), span);
        let (binder, env) = (binder.clone(), env.clone());
        self.lambdas.push(Lambda { original: e, binder, env, made, map, instances: Vec::new(), rest: None });
        made
    }

    /// Writes the instances of lambdas for the fields that are known. Returns false if there is nothing new.
    pub(super) fn extend_lambdas(&mut self) -> bool {
        let mut is_new = false;
        let mut at = 0;
        while at < self.lambdas.len() && self.problems.is_empty() {
            let map = self.lambdas[at].map;
            if self.lambdas[at].rest.is_none() {
                let any = self.any.clone();
                self.lambdas[at].rest = Some(self.lambda_at(at, &any));
                is_new = true;
            }
            let known = self.lambdas[at].instances.len();
            if let Some((values, _)) = self.maps[map].fields.get(known) {
                let values = values.clone();
                let instance = self.lambda_at(at, &values);
                self.lambdas[at].instances.push(instance);
                is_new = true;
            } else {
                at += 1;
            }
        }
        is_new
    }

    /// The lambda with these types for its parameters.
    fn lambda_at(&mut self, at: usize, values: &[Type]) -> ExprId {
        let Lambda { original, binder, env, map, .. } = &self.lambdas[at];
        let (original, binder, mut env) = (*original, binder.clone(), env.clone());
        if let Type::Map(_, args, _) = self.maps[*map].ty.clone() {
            for (var, arg) in self.info.bound_vars(original).iter().zip(&args) {
                types::unify(self.info, self.info[*var].ty, &types::instantiate(arg, 0, values), &mut env);
            }
        }
        self.instance_of_binder(original, &binder, &env)
    }

    /// Gives the arguments to the constructors.
    pub(super) fn close_lambdas(&mut self) {
        for Lambda { made, map, instances, rest, .. } in std::mem::take(&mut self.lambdas) {
            let Some(rest) = rest else { continue };
            let elements = self.elements(map);
            let list = self.ast.exprs.add_list(&[rest]);
            let span = self.ast.exprs.span(made);
            let rest = self.ast.exprs.add(Expr::Call(elements, list), span);
            let args: Vec<ExprId> = instances.into_iter().chain([rest]).collect();
            let args: ExprList = self.ast.exprs.add_list(&args);
            self.ast.exprs.set_arguments(made, args);
        }
    }

    /// The function that yields the last field of a lambda.
    fn elements(&mut self, map: usize) -> Sym {
        if let Some((function, _)) = self.maps[map].elements {
            return function;
        }
        let function = build::fresh(&mut self.ast, "elements");
        let at_any = match &self.maps[map].ty {
            Type::Map(_, args, value) => Type::Map(
                0,
                args.iter().map(|arg| types::instantiate(arg, 0, &self.any)).collect(),
                Box::new(types::instantiate(value, 0, &self.any)),
            ),
            other => other.clone(),
        };
        let (param, rest) = (self.emit(&at_any), self.add_type("elements"));
        let result = self.emit(&rest);
        let param_of = |ty: TypeId| Param { attrs: Attrs::NONE, name: None, ty };
        let decl = Function {
            revealed: false,
            name: build::ident(function),
            type_params: Vec::new(),
            params: vec![param_of(param)],
            result: param_of(result),
            body: None,
            uses: Vec::new(),
        };
        self.out.push(Decl {
            kind: DeclKind::Function(Box::new(decl)),
            attrs: Attrs::NONE,
            span: Span::NONE,
        });
        self.maps[map].elements = Some((function, rest));
        function
    }
}
