//! Collection of the declared names: constants, variables, functions, procedures.

use dally_text::code::Code;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::info::TypeParams;
use super::{
    Checker, Construction, ConstructorInfo, FieldPosition, Frame, FunctionId, FunctionInfo, ProcedureId,
    ProcedureInfo, Ty, TyKind, VarKind,
};
use crate::ast::{Datatype, DeclKind, Function, Ident, Procedure, Signature, SpecKind, VarDecl};
use crate::codes;

/// The types of a signature.
pub(super) struct SignatureTypes {
    pub(super) type_params: TypeParams,
    pub(super) ins: Vec<Ty>,
    pub(super) outs: Vec<Ty>,
}

/// Namespaces: equal names in different ones do not clash.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Namespace {
    Types,
    Variables,
    Callables,
}

fn declared_names(kind: &DeclKind) -> Vec<(Namespace, Sym)> {
    match kind {
        DeclKind::Type(ty) => vec![(Namespace::Types, ty.name.name)],
        DeclKind::Datatype(datatype) => vec![(Namespace::Types, datatype.name.name)],
        DeclKind::Const(constant) => constant.names.iter().map(|n| (Namespace::Variables, n.name)).collect(),
        DeclKind::Var(var) => vec![(Namespace::Variables, var.name.name)],
        DeclKind::Function(function) => vec![(Namespace::Callables, function.name.name)],
        DeclKind::Procedure(procedure) => vec![(Namespace::Callables, procedure.signature.name.name)],
        DeclKind::Axiom(_) | DeclKind::Implementation(_) => Vec::new(),
    }
}

impl Checker<'_> {
    /// Collects the top-level declarations.
    pub(super) fn collect_names(&mut self) {
        let ast = self.ast;
        // Variables that are declared together share their type: resolve it once.
        let mut last = None;
        for (index, decl) in ast.decls.iter().enumerate() {
            match &decl.kind {
                _ if self.is_overridden(index) => {}
                DeclKind::Const(constant) => {
                    let ty = self.ty(constant.ty);
                    for name in &constant.names {
                        if self.overridden.contains(&(index, name.name)) {
                            continue;
                        }
                        self.collect_var(*name, ty, VarKind::Const { unique: constant.unique });
                    }
                }
                DeclKind::Var(var) => {
                    let ty = last.filter(|(id, _)| *id == var.ty).map(|(_, ty)| ty);
                    let ty = ty.unwrap_or_else(|| self.ty(var.ty));
                    last = Some((var.ty, ty));
                    self.collect_var(var.name, ty, VarKind::Global);
                    self.note_assumption(var.name.name, &decl.attrs);
                }
                DeclKind::Function(function) => self.collect_function(function, index),
                DeclKind::Datatype(datatype) => self.collect_datatype(datatype, index),
                DeclKind::Procedure(procedure) => self.collect_procedure(procedure, index),
                DeclKind::Type(_) | DeclKind::Axiom(_) | DeclKind::Implementation(_) => {}
            }
        }
        // Frames come last: a procedure may be declared before the globals that it modifies.
        for (index, decl) in ast.decls.iter().enumerate() {
            if let DeclKind::Procedure(procedure) = &decl.kind {
                self.collect_modifies(procedure, index);
            }
        }
        self.collect_thread_ids();
    }

    /// Finds the declarations marked `{:extern}` that another declaration of the same name overrides.
    pub(super) fn collect_extern(&mut self) {
        let ast = self.ast;
        let Some(marker) = ast.symbols.get("extern") else { return };
        let mut owners: FxHashMap<(Namespace, Sym), usize> = FxHashMap::default();
        for pass_extern in [false, true] {
            for (index, decl) in ast.decls.iter().enumerate() {
                if decl.attrs.find(marker).is_some() != pass_extern {
                    continue;
                }
                for key in declared_names(&decl.kind) {
                    if *owners.entry(key).or_insert(index) != index && pass_extern {
                        self.overridden.insert((index, key.1));
                    }
                }
            }
        }
    }

    /// Returns true if other declarations override all names that this one declares.
    pub(super) fn is_overridden(&self, decl: usize) -> bool {
        if self.overridden.is_empty() {
            return false;
        }
        let names = declared_names(&self.ast.decls[decl].kind);
        !names.is_empty() && names.iter().all(|(_, name)| self.overridden.contains(&(decl, *name)))
    }

    fn collect_var(&mut self, name: Ident, ty: Ty, kind: VarKind) {
        if let Some(earlier) = self.info.global(name.name) {
            let first = self.info[earlier].span;
            return self.report_duplicate("the variable", name.name, name.span, Some(first));
        }
        let id = self.declare(name, ty, kind);
        // The outermost scope never ends, so there is nothing to restore.
        self.shadowed.clear();
        self.info.globals.insert(name.name, id);
    }

    /// Checks for duplicates: functions and procedures share a namespace.
    fn is_name_free(&mut self, name: Ident) -> bool {
        let function = self.function_names.get(&name.name).map(|f| self.info[*f].span);
        let procedure = self.info.procedure(name.name).map(|p| self.info[p].span);
        let Some(first) = function.or(procedure) else { return true };
        self.report_duplicate("the function or procedure", name.name, name.span, Some(first));
        false
    }

    fn add_function(&mut self, function: FunctionInfo, span: Span) -> FunctionId {
        let id = FunctionId(self.info.functions.len() as u32);
        let name = function.name;
        if self.is_name_free(Ident { name, span }) {
            self.function_names.insert(name, id);
        }
        self.info.functions.push(function);
        id
    }

    fn collect_function(&mut self, function: &Function, decl: usize) {
        let outer = self.type_vars.len();
        let first = self.declare_type_vars(&function.type_params);
        let params = self.tys(function.params.iter().map(|p| p.ty));
        let result = self.ty(function.result.ty);
        let span = function.name.span;
        self.check_occurrences(first, &function.type_params, &params, Some(result), "the parameters", span);
        self.type_vars.truncate(outer);
        let type_params = TypeParams { first, count: function.type_params.len() as u32 };
        let name = function.name.name;
        self.add_function(
            FunctionInfo { name, type_params, params, result, constructs: None, span, decl },
            span,
        );
    }

    fn collect_datatype(&mut self, datatype: &Datatype, decl: usize) {
        let Some(constructor) = self.constructor_declared(datatype.name) else { return };
        let outer = self.type_vars.len();
        let first = self.declare_type_vars(&datatype.params);
        let type_params = TypeParams { first, count: datatype.params.len() as u32 };
        let args =
            (first..first + type_params.count).map(|p| self.info.types.intern(TyKind::Param(p))).collect();
        let result = self.info.types.intern(TyKind::Con(constructor, args));
        let mut constructors = Vec::new();
        let mut fields = FxHashMap::default();
        for (index, c) in datatype.constructors.iter().enumerate() {
            let params = self.tys(c.fields.iter().map(|f| f.var.ty));
            let constructs = Some(Construction { datatype: constructor, index });
            let (name, span) = (c.name.name, c.name.span);
            let id = self.add_function(
                FunctionInfo { name, type_params, params, result, constructs, span, decl },
                span,
            );
            let names: Vec<Sym> = c.fields.iter().map(|f| f.var.name.name).collect();
            for (index, name) in names.iter().enumerate() {
                fields.entry(*name).or_insert(FieldPosition { constructor: id, index });
            }
            constructors.push(ConstructorInfo { function: id, fields: names });
        }
        self.type_vars.truncate(outer);
        self.info.datatypes.insert(constructor, super::DatatypeInfo { type_params, constructors, fields });
    }

    /// Resolves the types of a signature.
    pub(super) fn signature_types(&mut self, signature: &Signature, what: &str) -> SignatureTypes {
        let first = self.declare_type_vars(&signature.type_params);
        let mut types = |vars: &[VarDecl]| self.tys(vars.iter().map(|v| v.var.ty));
        let (ins, outs) = (types(&signature.ins), types(&signature.outs));
        let all: Vec<Ty> = ins.iter().chain(&outs).copied().collect();
        self.check_occurrences(first, &signature.type_params, &all, None, what, signature.name.span);
        let type_params = TypeParams { first, count: signature.type_params.len() as u32 };
        SignatureTypes { type_params, ins, outs }
    }

    fn collect_procedure(&mut self, procedure: &Procedure, decl: usize) {
        let signature = &procedure.signature;
        let outer = self.type_vars.len();
        let SignatureTypes { type_params, ins, outs } = self.signature_types(signature, "the parameters");
        self.type_vars.truncate(outer);
        if !self.is_name_free(signature.name) {
            return;
        }
        self.add_procedure(ProcedureInfo {
            name: signature.name.name,
            type_params,
            ins,
            outs,
            modifies: Frame::default(),
            pure: procedure.flavour.is_pure(),
            span: signature.name.span,
            decl: Some(decl),
        });
    }

    pub(super) fn add_procedure(&mut self, procedure: ProcedureInfo) {
        let id = ProcedureId(self.info.procedures.len() as u32);
        self.info.procedure_names.insert(procedure.name, id);
        self.info.procedures.push(procedure);
    }

    fn collect_modifies(&mut self, procedure: &Procedure, decl: usize) {
        let found = self.info.procedure(procedure.signature.name.name);
        let Some(id) = found.filter(|p| self.info[*p].decl == Some(decl)) else { return };
        let mut modifies = Vec::new();
        for spec in &procedure.specs {
            let SpecKind::Modifies(names) = &spec.kind else { continue };
            self.held_to_frame.insert(id);
            if procedure.flavour.is_pure() && !names.is_empty() {
                self.report(codes::IMPURE, spec.span, "a pure procedure cannot have a `modifies` clause");
            }
            for name in names {
                let Some(var) = self.lookup(*name) else { continue };
                if self.info[var].kind == VarKind::Global {
                    modifies.push(var);
                } else {
                    let message = format!("`{}` is a constant", self.text(name.name));
                    self.report(Code::IMMUTABLE, name.span, message);
                }
            }
        }
        self.info.procedures[id.index()].modifies = modifies.into_iter().collect();
    }
}
