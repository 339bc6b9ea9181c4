//! Declarations, and the instances of generic ones.

use dally_bpl::ast::{
    Attr, AttrArg, Attrs, Axiom, BinaryOp, Const, Datatype, Decl, DeclKind, Expr, ExprId, Function, Ident,
    Implementation, Param, Procedure, Signature, Spec, SpecKind, UsedAxiom, Var, VarDecl,
};
use dally_bpl::check::{FunctionId, ProcedureId, Ref, TyKind, VarId};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::stmts::Scope;
use super::types::{self, Env, Type};
use super::{Instance, Origin, Pass};
use crate::build;

impl Pass<'_> {
    fn declare(&mut self, kind: DeclKind, attrs: &Attrs, span: Span) {
        self.out.push(Decl { kind, attrs: attrs.clone(), span });
    }

    /// Types for the variables of generic procedures.
    pub(super) fn declare_own_types(&mut self) {
        for decl in &self.program.ast.decls {
            if let DeclKind::Procedure(procedure) = &decl.kind
                && let Some(id) = self.info.procedure(procedure.signature.name.name)
            {
                let count = self.procedure_params(id).len();
                let own: Vec<Type> = (0..count).map(|_| self.add_type("own")).collect();
                own.iter().for_each(|ty| self.see(ty));
                self.own.insert(id, own);
            }
        }
    }

    /// A declaration of the program; instances of generic ones are written as they are used.
    pub(super) fn decl(&mut self, index: usize) {
        let program = self.program;
        let decl = &program.ast.decls[index];
        let none = Env::default();
        match &decl.kind {
            DeclKind::Type(_) => self.out.push(decl.clone()),
            DeclKind::Datatype(datatype) => self.datatype(datatype, decl),
            DeclKind::Const(constants) => self.constants(constants, decl),
            DeclKind::Axiom(axiom) => {
                self.axiom(axiom, &decl.attrs, decl.span);
            }
            DeclKind::Var(var) => {
                if let Some(id) = self.info.global(var.name.name) {
                    let var = self.var(var, id, &none);
                    self.declare(DeclKind::Var(var), &decl.attrs, decl.span);
                }
            }
            DeclKind::Function(function) => {
                self.axioms(&function.uses, decl.span);
                let functions =
                    self.info.functions.iter().position(|f| f.decl == index && f.constructs.is_none());
                let id = functions.and_then(|at| self.function_id(at));
                if let Some(id) = id.filter(|id| self.function_params(*id).is_empty()) {
                    self.function(id, &[], function.name.name);
                }
            }
            DeclKind::Procedure(procedure) => {
                let name = procedure.signature.name.name;
                if let Some(id) = self.info.procedure(name) {
                    let own = self.own.get(&id).cloned().unwrap_or_default();
                    self.procedures.insert((id, own.clone()), name);
                    self.todo.push_back(Instance::Procedure(id, own, name, Origin::Own));
                }
            }
            // An implementation is written with its procedure.
            DeclKind::Implementation(_) => {}
        }
    }

    /// The id of a function, which an application of it has.
    fn function_id(&self, at: usize) -> Option<FunctionId> {
        self.info.function_ids().nth(at)
    }

    fn datatype(&mut self, datatype: &Datatype, decl: &Decl) {
        let mut new = datatype.clone();
        let none = Env::default();
        if datatype.params.is_empty() {
            for constructor in &mut new.constructors {
                let function = self
                    .info
                    .functions
                    .iter()
                    .find(|f| f.constructs.is_some() && f.name == constructor.name.name);
                let Some(fields) = function.map(|function| function.params.clone()) else { continue };
                for (field, ty) in constructor.fields.iter_mut().zip(fields) {
                    let ty = self.resolve(ty, &none, field.var.name.span);
                    field.var.ty = self.emit(&ty);
                }
            }
        }
        self.declare(DeclKind::Datatype(new), &decl.attrs, decl.span);
    }

    fn constants(&mut self, constants: &Const, decl: &Decl) {
        self.axioms(&constants.uses, decl.span);
        let Some(id) = constants.names.first().and_then(|name| self.info.global(name.name)) else { return };
        let ty = self.resolve(self.info[id].ty, &Env::default(), decl.span);
        let new = Const { ty: self.emit(&ty), uses: Vec::new(), ..constants.clone() };
        self.declare(DeclKind::Const(new), &decl.attrs, decl.span);
    }

    fn axioms(&mut self, axioms: &[UsedAxiom], span: Span) {
        for used in axioms {
            self.axiom(&used.axiom, &used.attrs, span);
        }
    }

    /// Instances of a quantifier over types are axioms of their own: each has its triggers.
    fn axiom(&mut self, axiom: &Axiom, attrs: &Attrs, span: Span) {
        let expr = self.expr(axiom.expr, &Env::default());
        let is_binder = matches!(self.program.ast.exprs[axiom.expr], Expr::Binder(_));
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            match self.ast.exprs[expr] {
                Expr::Binary(BinaryOp::And, left, right) if is_binder => todo.extend([right, left]),
                _ => self.declare(DeclKind::Axiom(Axiom { expr, ..*axiom }), attrs, span),
            }
        }
    }

    /// Attributes with the instances of their expressions.
    pub(super) fn attrs(&mut self, attrs: &Attrs, env: &Env) -> Attrs {
        let is_typed = |e: ExprId| !matches!(self.info.types.kind(self.info.type_of(e)), TyKind::Error);
        let typed: Vec<bool> = attrs
            .iter()
            .flat_map(|attr| &attr.args)
            .map(|arg| matches!(arg, AttrArg::Expr(e) if is_typed(*e)))
            .collect();
        let mut typed = typed.into_iter();
        let mut instance = |pass: &mut Self, arg: &AttrArg| match (arg, typed.next()) {
            (AttrArg::Expr(e), Some(true)) => AttrArg::Expr(pass.expr(*e, env)),
            (other, _) => *other,
        };
        let mut new = Vec::new();
        for attr in attrs {
            let args = attr.args.iter().map(|arg| instance(self, arg)).collect();
            new.push(Attr { args, ..attr.clone() });
        }
        new.into_iter().collect()
    }

    fn var(&mut self, var: &Var, id: VarId, env: &Env) -> Var {
        let ty = self.resolve(self.info[id].ty, env, var.name.span);
        let where_clause = var.where_clause.map(|condition| self.expr(condition, env));
        Var { name: var.name, ty: self.emit(&ty), where_clause }
    }

    /// Variables that are declared together share attributes and conditions: each gets its own.
    pub(super) fn vars(&mut self, decls: &[VarDecl], ids: &[VarId], env: &Env) -> Vec<VarDecl> {
        let pairs = decls.iter().zip(ids);
        pairs
            .map(|(decl, id)| VarDecl { attrs: decl.attrs.clone(), var: self.var(&decl.var, *id, env) })
            .collect()
    }

    /// An instance of a function.
    pub(super) fn function(&mut self, id: FunctionId, values: &[Type], name: Sym) {
        let program = self.program;
        let info = &program.info[id];
        let Some(decl) = program.ast.decls.get(info.decl) else { return };
        let DeclKind::Function(function) = &decl.kind else { return };
        let mut env: Env = self.function_params(id).into_iter().zip(values.iter().cloned()).collect();
        let types: Vec<Type> = info.params.iter().map(|ty| self.resolve(*ty, &env, decl.span)).collect();
        let result = self.resolve(info.result, &env, decl.span);
        for (var, ty) in self.info.function_vars(id).iter().zip(&types) {
            if let Some(var) = var {
                types::unify(self.info, self.info[*var].ty, ty, &mut env);
            }
        }
        if let Some(body) = function.body {
            types::unify(self.info, self.info.type_of(body), &result, &mut env);
        }
        let param = |pass: &mut Self, old: &Param, ty: &Type| Param { ty: pass.emit(ty), ..old.clone() };
        let params = function.params.iter().zip(&types).map(|(old, ty)| param(self, old, ty)).collect();
        let new = Function {
            revealed: function.revealed,
            name: Ident { name, ..function.name },
            type_params: Vec::new(),
            params,
            result: param(self, &function.result, &result),
            body: function.body.map(|body| self.expr(body, &env)),
            uses: Vec::new(),
        };
        self.declare(DeclKind::Function(Box::new(new)), &decl.attrs, decl.span);
    }

    /// The type variables of a procedure.
    pub(super) fn procedure_params(&self, id: ProcedureId) -> Vec<u32> {
        let mut params = Vec::new();
        for ty in self.info[id].ins.iter().chain(&self.info[id].outs) {
            types::params(self.info, *ty, &mut params);
        }
        params
    }

    /// The name of the instance of a procedure for a call.
    pub(super) fn procedure_name(&mut self, id: ProcedureId, values: Vec<Type>) -> Sym {
        let name = self.info[id].name;
        if values.is_empty() {
            return name;
        }
        let key = (id, values);
        if let Some(name) = self.procedures.get(&key) {
            return *name;
        }
        let instance = self.instance_name(name, &key.1);
        self.procedures.insert(key.clone(), instance);
        self.todo.push_back(Instance::Procedure(key.0, key.1, instance, Origin::Called));
        instance
    }

    /// An instance of a procedure, with its bodies.
    pub(super) fn procedure(&mut self, id: ProcedureId, values: &[Type], name: Sym, origin: Origin) {
        let program = self.program;
        let info = &program.info[id];
        let Some(decl) = info.decl.and_then(|index| program.ast.decls.get(index)) else { return };
        let DeclKind::Procedure(procedure) = &decl.kind else { return };
        let mut env: Env = self.procedure_params(id).into_iter().zip(values.iter().cloned()).collect();
        let all = info.ins.iter().chain(&info.outs);
        let types: Vec<Type> = all.map(|ty| self.resolve(*ty, &env, decl.span)).collect();
        let signature_vars = self.info.signature_vars(id).to_vec();
        for (var, ty) in signature_vars.iter().zip(&types) {
            types::unify(self.info, self.info[*var].ty, ty, &mut env);
        }
        let signature = self.signature(&procedure.signature, name, &signature_vars, &env);
        let specs = procedure.specs.iter().map(|spec| self.spec(spec, &env)).collect();
        let body = match (&procedure.body, info.decl) {
            (Some(body), Some(index)) => Some(self.body(body, index, &types)),
            _ => None,
        };
        let new = Procedure { flavour: procedure.flavour, signature, specs, body };
        let attrs = if origin == Origin::Called { self.unverified(&decl.attrs) } else { decl.attrs.clone() };
        self.declare(DeclKind::Procedure(Box::new(new)), &attrs, decl.span);
        for (index, decl) in program.ast.decls.iter().enumerate() {
            if let DeclKind::Implementation(implementation) = &decl.kind
                && implementation.signature.name.name == info.name
            {
                let body = self.body(&implementation.body, index, &types);
                let env = self.body_env(index, &types);
                let vars = self.info.bodies.get(&index).cloned().unwrap_or_default();
                let vars = [vars.ins, vars.outs].concat();
                let signature = self.signature(&implementation.signature, name, &vars, &env);
                let new = Implementation { signature, body };
                self.declare(DeclKind::Implementation(Box::new(new)), &decl.attrs, decl.span);
            }
        }
    }

    /// Only the procedure itself is verified, not its instances.
    fn unverified(&mut self, attrs: &Attrs) -> Attrs {
        let never = self.ast.exprs.add(Expr::Bool(false), Span::NONE);
        let name = self.ast.symbols.intern("verify");
        let attr = Attr { name, args: vec![AttrArg::Expr(never)], span: Span::NONE };
        build::with_attr(attrs, attr)
    }

    fn signature(&mut self, old: &Signature, name: Sym, vars: &[VarId], env: &Env) -> Signature {
        let (ins, outs) = vars.split_at(old.ins.len().min(vars.len()));
        Signature {
            name: Ident { name, ..old.name },
            type_params: Vec::new(),
            ins: self.vars(&old.ins, ins, env),
            outs: self.vars(&old.outs, outs, env),
        }
    }

    fn spec(&mut self, spec: &Spec, env: &Env) -> Spec {
        let kind = match spec.kind {
            SpecKind::Requires { free, expr } => SpecKind::Requires { free, expr: self.expr(expr, env) },
            SpecKind::Ensures { free, expr } => SpecKind::Ensures { free, expr: self.expr(expr, env) },
            SpecKind::Measure(list) => SpecKind::Measure(self.exprs(list, env)),
            ref modifies @ SpecKind::Modifies(_) => modifies.clone(),
        };
        Spec { attrs: self.attrs(&spec.attrs, env), kind, span: spec.span }
    }

    /// The type variables of a body: those of an implementation are its own.
    fn body_env(&self, index: usize, types: &[Type]) -> Env {
        let mut env = Env::default();
        if let Some(vars) = self.info.bodies.get(&index) {
            for (var, ty) in vars.ins.iter().chain(&vars.outs).zip(types) {
                types::unify(self.info, self.info[*var].ty, ty, &mut env);
            }
        }
        env
    }

    fn body(&mut self, body: &dally_bpl::ast::Body, index: usize, types: &[Type]) -> dally_bpl::ast::Body {
        let env = self.body_env(index, types);
        let vars = self.info.bodies.get(&index).cloned().unwrap_or_default();
        let names: FxHashMap<Sym, VarId> =
            vars.ins.iter().chain(&vars.outs).chain(&vars.locals).map(|v| (self.info[*v].name, *v)).collect();
        let locals = self.vars(&body.locals, &vars.locals, &env);
        let scope = Scope { env, names };
        dally_bpl::ast::Body { locals, block: self.block(&body.block, &scope) }
    }

    /// The meaning of a name in a body.
    pub(super) fn meaning(&self, name: Sym, scope: &Scope) -> Option<Ref> {
        scope.names.get(&name).copied().or_else(|| self.info.global(name)).map(Ref::Var)
    }
}
