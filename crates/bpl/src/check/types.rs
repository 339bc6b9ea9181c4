//! Resolution of type expressions.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::info::TypeParams;
use super::{Checker, Ty, TyCon, TyConInfo, TyKind};
use crate::ast::{DeclKind, Ident, MapType, TypeExpr, TypeId, TypeList};
use crate::codes;

/// The meaning of a type name.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeName {
    span: Span,
    meaning: Meaning,
}

#[derive(Clone, Copy, Debug)]
enum Meaning {
    Constructor(TyCon),
    /// A synonym, by the index of its declaration.
    Synonym(usize),
    /// A synonym that is being resolved: a use of it is a cycle.
    Open,
    /// A resolved synonym: the type and its type variables.
    Resolved(Ty, TypeParams),
}

impl Checker<'_> {
    /// Collects the type constructors, synonyms and datatypes.
    pub(super) fn collect_types(&mut self) {
        let ast = self.ast;
        for (index, decl) in ast.decls.iter().enumerate() {
            match &decl.kind {
                _ if self.is_overridden(index) => {}
                DeclKind::Type(ty) if ty.body.is_some() => {
                    self.name_type(ty.name, Meaning::Synonym(index));
                }
                DeclKind::Type(ty) => self.new_constructor(ty.name, ty.params.len()),
                DeclKind::Datatype(datatype) => self.new_constructor(datatype.name, datatype.params.len()),
                _ => {}
            }
        }
        for decl in &ast.decls {
            if let DeclKind::Type(ty) = &decl.kind
                && ty.body.is_some()
            {
                self.resolve_synonym(ty.name.name);
            }
        }
    }

    fn new_constructor(&mut self, name: Ident, arity: usize) {
        let constructor = TyCon(self.info.types.constructors.len() as u32);
        self.info.types.constructors.push(TyConInfo { name: name.name, arity });
        self.name_type(name, Meaning::Constructor(constructor));
    }

    fn name_type(&mut self, name: Ident, meaning: Meaning) {
        if self.text(name.name).strip_prefix("bv").is_some_and(|n| n.parse::<u64>().is_ok()) {
            let message = format!("`{}` is the name of a bitvector type", self.text(name.name));
            return self.report(Code::DUPLICATE, name.span, message);
        }
        if let Some(first) = self.type_of_name.get(&name.name) {
            return self.report_duplicate("the type", name.name, name.span, Some(first.span));
        }
        self.type_of_name.insert(name.name, TypeName { span: name.span, meaning });
    }

    /// The type constructor of a declaration; none if its name is a duplicate.
    pub(super) fn constructor_declared(&self, name: Ident) -> Option<TyCon> {
        match self.type_of_name.get(&name.name)? {
            TypeName { span, meaning: Meaning::Constructor(c) } if *span == name.span => Some(*c),
            _ => None,
        }
    }

    fn resolve_synonym(&mut self, name: Sym) {
        let ast = self.ast;
        let Some(TypeName { meaning: Meaning::Synonym(index), span }) = self.type_of_name.get(&name).copied()
        else {
            return;
        };
        let DeclKind::Type(decl) = &ast.decls[index].kind else { return };
        let Some(body) = decl.body else { return };
        self.type_of_name.insert(name, TypeName { span, meaning: Meaning::Open });
        // Outer type variables are not in scope in a synonym.
        let outer = std::mem::take(&mut self.type_vars);
        let first = self.declare_type_vars(&decl.params);
        let ty = self.ty(body);
        self.type_vars = outer;
        let meaning = Meaning::Resolved(ty, TypeParams { first, count: decl.params.len() as u32 });
        self.type_of_name.insert(name, TypeName { span, meaning });
    }

    /// The types of a list of variables. Resolves a type expression that consecutive variables share only once.
    pub(super) fn tys(&mut self, ids: impl Iterator<Item = TypeId>) -> Vec<Ty> {
        let mut last = None;
        let mut types = Vec::new();
        for id in ids {
            let ty = last.filter(|(before, _)| *before == id).map(|(_, ty)| ty);
            let ty = ty.unwrap_or_else(|| self.ty(id));
            last = Some((id, ty));
            types.push(ty);
        }
        types
    }

    /// The type that a type expression denotes in the current scope.
    pub(super) fn ty(&mut self, id: TypeId) -> Ty {
        let ast = self.ast;
        match &ast.types[id] {
            TypeExpr::Bool => Ty::BOOL,
            TypeExpr::Int => Ty::INT,
            TypeExpr::Real => Ty::REAL,
            TypeExpr::Bv(width) => self.info.types.intern(TyKind::Bv(*width)),
            TypeExpr::Float(significand, exponent) => {
                self.info.types.intern(TyKind::Float(*significand, *exponent))
            }
            TypeExpr::Named(name, args) => {
                let name = Ident { name: *name, span: ast.types.span(id) };
                dally_text::stack::grow(|| self.named_type(name, *args))
            }
            TypeExpr::Map(map) => dally_text::stack::grow(|| self.map_type(map, ast.types.span(id))),
        }
    }

    fn map_type(&mut self, map: &MapType, span: Span) -> Ty {
        let outer = self.type_vars.len();
        let first = self.declare_type_vars(&map.params);
        let args: Vec<Ty> = self.ast.types.list(map.args).iter().map(|t| self.ty(*t)).collect();
        let value = self.ty(map.result);
        self.check_occurrences(first, &map.params, &args, Some(value), "the map type", span);
        self.type_vars.truncate(outer);
        self.info.types.close(first, map.params.len() as u32, &args, value)
    }

    /// Reports type variables that do not occur in these types, so that no use can determine them.
    pub(super) fn check_occurrences(
        &mut self,
        first: u32,
        params: &[Ident],
        types: &[Ty],
        more: Option<Ty>,
        what: &str,
        span: Span,
    ) {
        if params.is_empty() {
            return;
        }
        let types: Vec<Ty> = types.iter().copied().chain(more).collect();
        if types.iter().any(|t| self.info.types.has_error(*t)) {
            return;
        }
        let found = self.info.types.params_in(&types);
        for (param, number) in params.iter().zip(first..) {
            // A variable that a duplicate hides has been reported.
            if found.contains(&number) || self.type_vars.get(param.name) != Some(number) {
                continue;
            }
            let name = self.text(param.name);
            let message = format!("the type variable `{name}` does not occur in {what}");
            self.error(
                Diagnostic::new(codes::UNUSED_TYPE_VARIABLE, param.span, message)
                    .with(span, "so its type can never be inferred"),
            );
        }
    }

    fn named_type(&mut self, name: Ident, list: TypeList) -> Ty {
        let ast = self.ast;
        let args: Vec<Ty> = ast.types.list(list).iter().map(|t| self.ty(*t)).collect();
        if let Some(param) = self.type_vars.get(name.name) {
            if !args.is_empty() {
                let message = format!("the type variable `{}` takes no arguments", self.text(name.name));
                self.report(Code::WRONG_COUNT, name.span, message);
            }
            return self.info.types.intern(TyKind::Param(param));
        }
        self.resolve_synonym(name.name);
        match self.type_of_name.get(&name.name).map(|t| t.meaning) {
            Some(Meaning::Constructor(constructor)) => {
                let arity = self.info.types.constructors[constructor.index()].arity;
                if self.check_arity(name, args.len(), arity) {
                    return self.info.types.intern(TyKind::Con(constructor, args.into()));
                }
                Ty::ERROR
            }
            Some(Meaning::Resolved(ty, TypeParams { first, count })) => {
                if self.check_arity(name, args.len(), count as usize) {
                    return self.info.types.subst_params(ty, first, &args);
                }
                Ty::ERROR
            }
            Some(Meaning::Open | Meaning::Synonym(_)) => {
                let message = format!("the type synonym `{}` is cyclic", self.text(name.name));
                self.report(Code::CYCLIC_SYNONYM, name.span, message);
                Ty::ERROR
            }
            None => self.built_in_type(name, &args),
        }
    }

    fn check_arity(&mut self, name: Ident, found: usize, expected: usize) -> bool {
        if found != expected {
            let who = format!("the type `{}`", self.text(name.name));
            self.report_count(name.span, &who, "arguments", expected, found);
        }
        found == expected
    }

    /// The built-in types whose names a program may redefine.
    fn built_in_type(&mut self, name: Ident, args: &[Ty]) -> Ty {
        match (self.text(name.name), args) {
            ("string", []) => Ty::STR,
            ("regex", []) => Ty::REGEX,
            ("rmode", []) => Ty::ROUNDING,
            ("task", []) => self.info.types.intern(TyKind::Task(None)),
            ("task", [result]) => self.info.types.intern(TyKind::Task(Some(*result))),
            ("string" | "regex" | "rmode" | "task", _) => {
                let message = format!("too many arguments for the type `{}`", self.text(name.name));
                self.report(Code::WRONG_COUNT, name.span, message);
                Ty::ERROR
            }
            _ => {
                let known = |c: &Self| {
                    c.type_of_name.keys().copied().chain(c.type_vars.names()).collect::<Vec<_>>().into_iter()
                };
                let help = self.suggest(name.name, known);
                let message = format!("there is no type `{}`", self.text(name.name));
                self.error(Diagnostic::new(Code::UNKNOWN_TYPE, name.span, message).maybe_help(help));
                Ty::ERROR
            }
        }
    }
}

/// Unknown types in the place of the type variables of a function or procedure.
pub(super) struct Instance {
    first: u32,
    types: Vec<Ty>,
}

impl Checker<'_> {
    /// Makes an unknown type for each type variable.
    pub(super) fn instantiate(&mut self, params: TypeParams) -> Instance {
        let types = (0..params.count).map(|_| self.unknowns.fresh(&mut self.info.types)).collect();
        Instance { first: params.first, types }
    }

    /// Substitutes the type variables in a type.
    pub(super) fn in_instance(&mut self, ty: Ty, instance: &Instance) -> Ty {
        self.info.types.subst_params(ty, instance.first, &instance.types)
    }
}
