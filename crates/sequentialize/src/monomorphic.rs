//! Programs without type variables: each generic function, procedure and quantifier is replaced by its instances.
//!
//! A function or procedure has an instance for each list of types with which it is used. A map type that binds variables, such
//! as `<a>[Ref, Field a]a`, becomes a datatype with a map for each type at which the program accesses it, and a further field
//! that stands for all other elements; a lambda of such a type has an instance for each field. A quantifier over types becomes the conjunction (or disjunction) of its instances for
//! the types that the program uses, and for one more type, which stands for all others.
//!
//! The assumption: all types that a program does not use behave like the one type that stands for them. So `forall<a>` in an
//! assumption is weaker than in the original program where instances of quantifiers use further types.
//!
//! The idea is that of Boogie's monomorphisation. Deviations:
//! 1. Quantifiers are instantiated with all types that occur outside of them, not with those that their bodies ask for.
//! 2. A generic procedure is verified for types of its own, about which nothing is known.

mod decls;
mod expr;
mod lambda;
mod stmts;
mod types;

use std::collections::VecDeque;

use dally_bpl::Program;
use dally_bpl::ast::{Ast, Attrs, Constructor, Datatype, Decl, DeclKind, Expr, ExprId, TypeDecl, VarDecl};
use dally_bpl::check::{FunctionId, Info, ProcedureId, Ty, TyKind};
use dally_bpl::codes;
use dally_text::code::Severity;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use self::lambda::Lambda;
use self::types::{Env, Type};
use crate::build;

/// The most instances of one quantifier.
const MOST_INSTANCES: usize = 200;
/// Types that are nested deeper are taken for a sign that there are instances without end.
const DEEPEST: usize = 6;

/// The program without type variables; none if the verifier can read it as it is.
pub fn monomorphic(program: &Program) -> Result<Option<Program>, Vec<Diagnostic>> {
    if !is_needed(program) {
        return Ok(None);
    }
    let types = Pass::new(program, Vec::new()).run().seen;
    let mut pass = Pass::new(program, types).run();
    if !pass.problems.is_empty() {
        pass.problems.truncate(1);
        return Err(pass.problems);
    }
    let mut ast = pass.ast;
    ast.decls = pass.out;
    let (info, diagnostics) = dally_bpl::check(&ast);
    match diagnostics.iter().find(|d| d.severity() != Severity::Warning) {
        Some(first) => {
            let message = format!("the instances of this program have an error: {}", first.message);
            Err(vec![Diagnostic::new(codes::NOT_VERIFIED, first.primary.span, message)])
        }
        None => Ok(Some(Program { ast, info, warnings: program.warnings.clone() })),
    }
}

/// True if the program has a map type that binds variables, a quantifier over types, a generic procedure, or the definition of a
/// generic function on maps or datatypes.
fn is_needed(program: &Program) -> bool {
    let (ast, info) = (&program.ast, &program.info);
    let binds = |ty: Ty| binds(info, ty);
    let is_generic = |e: ExprId| match ast.exprs[e] {
        Expr::Binder(binder) => !ast.exprs.binder(binder).type_params.is_empty(),
        _ => false,
    };
    let defined = |decl: &Decl| match &decl.kind {
        DeclKind::Procedure(p) => !p.signature.type_params.is_empty(),
        DeclKind::Function(f) => f.body.is_some() && !f.type_params.is_empty(),
        _ => false,
    };
    info.vars.iter().any(|var| binds(var.ty))
        || ast.exprs.ids().any(is_generic)
        || ast.decls.iter().any(defined)
}

/// True if a type has a map type in it that binds variables.
fn binds(info: &Info, ty: Ty) -> bool {
    match info.types.kind(ty) {
        TyKind::Map(n, args, value) => {
            *n > 0 || args.iter().any(|arg| binds(info, *arg)) || binds(info, *value)
        }
        TyKind::Con(_, args) => args.iter().any(|arg| binds(info, *arg)),
        _ => false,
    }
}

/// A map type that binds variables.
struct Maps {
    ty: Type,
    name: Sym,
    constructor: Sym,
    /// The field for each list of types that the variables have.
    fields: Vec<(Vec<Type>, Sym)>,
    /// The function that yields all other elements of a lambda, and their type.
    elements: Option<(Sym, Type)>,
}

/// An instance that is still to be written.
enum Instance {
    Function(FunctionId, Vec<Type>, Sym),
    Procedure(ProcedureId, Vec<Type>, Sym, Origin),
}

/// Why a procedure has an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It is the procedure itself.
    Own,
    /// It is called with these types.
    Called,
}

struct Pass<'p> {
    program: &'p Program,
    info: &'p Info,
    /// New expressions are added to the old ones.
    ast: Ast,
    /// The types for which quantifiers are instantiated.
    pool: Vec<Type>,
    /// The types that occur outside of quantifiers over types.
    seen: Vec<Type>,
    known: FxHashSet<Type>,
    /// The types for which a generic procedure is verified.
    own: FxHashMap<ProcedureId, Vec<Type>>,
    functions: FxHashMap<(FunctionId, Vec<Type>), Sym>,
    procedures: FxHashMap<(ProcedureId, Vec<Type>), Sym>,
    todo: VecDeque<Instance>,
    maps: Vec<Maps>,
    lambdas: Vec<Lambda>,
    /// The types at which a lambda stands for all types at which it has no field.
    any: Vec<Type>,
    out: Vec<Decl>,
    problems: Vec<Diagnostic>,
}

impl<'p> Pass<'p> {
    fn new(program: &'p Program, pool: Vec<Type>) -> Self {
        Pass {
            program,
            info: &program.info,
            ast: program.ast.clone(),
            pool,
            seen: Vec::new(),
            known: FxHashSet::default(),
            own: FxHashMap::default(),
            functions: FxHashMap::default(),
            procedures: FxHashMap::default(),
            todo: VecDeque::new(),
            maps: Vec::new(),
            lambdas: Vec::new(),
            any: Vec::new(),
            out: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn run(mut self) -> Self {
        // Both passes declare these first, so that they have the same names in both.
        let other = self.add_type("other");
        self.see(&other);
        self.declare_types_of_lambdas();
        self.declare_own_types();
        for index in 0..self.program.ast.decls.len() {
            self.decl(index);
        }
        self.write_instances();
        // Instances of lambdas may need further functions, and these further fields of lambdas.
        while self.extend_lambdas() {
            self.write_instances();
        }
        self.close_lambdas();
        self.declare_maps();
        self
    }

    fn write_instances(&mut self) {
        while let Some(instance) = self.todo.pop_front() {
            if !self.problems.is_empty() {
                break;
            }
            match instance {
                Instance::Function(function, types, name) => self.function(function, &types, name),
                Instance::Procedure(procedure, types, name, origin) => {
                    self.procedure(procedure, &types, name, origin);
                }
            }
        }
    }

    /// Reports a construct that has no instances.
    fn refuse(&mut self, span: Span, what: &str) {
        self.problems.push(Diagnostic::new(codes::NOT_VERIFIED, span, format!("{what} cannot be verified")));
    }

    /// Declares a type about which nothing is known.
    fn add_type(&mut self, wanted: &str) -> Type {
        let name = build::fresh(&mut self.ast, &format!("type#{wanted}"));
        let decl = TypeDecl { name: build::ident(name), params: Vec::new(), body: None };
        self.out.push(Decl { kind: DeclKind::Type(decl), attrs: Attrs::NONE, span: Span::NONE });
        Type::Added(name)
    }

    /// Notes that a type is used.
    fn see(&mut self, ty: &Type) {
        if types::depth(ty) <= 1 && self.known.insert(ty.clone()) {
            self.seen.push(ty.clone());
        }
    }

    /// The type of an expression or variable.
    fn resolve(&mut self, ty: Ty, env: &Env, span: Span) -> Type {
        let Some(found) = types::resolve(self.info, ty, env) else {
            let what = match self.info.types.kind(ty) {
                TyKind::Task(_) => "a task handle in a program with type parameters",
                _ => "a value whose type has a parameter that nothing determines",
            };
            self.refuse(span, what);
            return Type::Plain(Ty::BOOL);
        };
        if let Type::Con(_, args) = &found {
            args.clone().iter().for_each(|arg| self.see(arg));
        }
        found
    }

    fn type_of(&mut self, e: ExprId, env: &Env) -> Type {
        self.resolve(self.info.type_of(e), env, self.program.ast.exprs.span(e))
    }

    /// A type as an expression.
    fn emit(&mut self, ty: &Type) -> dally_bpl::ast::TypeId {
        let (maps, info) = (&mut self.maps, self.info);
        types::emit(&mut self.ast, info, ty, &mut |ast, map| {
            let at = declared(ast, maps, map);
            maps[at].name
        })
    }

    /// The field for the elements of a map whose type binds variables, at an index of these types.
    fn field(&mut self, map: &Type, index: &[Type], span: Span) -> Option<Sym> {
        let Type::Map(n @ 1.., args, _) = map else { return None };
        let mut found = vec![None; *n as usize];
        args.iter().zip(index).for_each(|(arg, actual)| types::unify_bound(arg, actual, 0, &mut found));
        let Some(values) = found.into_iter().collect::<Option<Vec<Type>>>() else {
            self.refuse(span, "a map whose type binds a type variable that no index mentions");
            return None;
        };
        if values.iter().any(|ty| types::depth(ty) > DEEPEST) {
            self.refuse(span, "a program that needs instances without end");
            return None;
        }
        values.iter().for_each(|ty| self.see(ty));
        let at = declared(&mut self.ast, &mut self.maps, map);
        if let Some((_, field)) = self.maps[at].fields.iter().find(|(types, _)| *types == values) {
            return Some(*field);
        }
        let parts: Vec<String> = values.iter().map(|ty| types::name(&self.ast, self.info, ty)).collect();
        let field = build::fresh(&mut self.ast, &format!("at#{}", parts.join("_")));
        self.maps[at].fields.push((values, field));
        Some(field)
    }

    /// Declares the datatypes of maps. A declaration may use further ones.
    fn declare_maps(&mut self) {
        let mut at = 0;
        while at < self.maps.len() {
            let Maps { ty, name, constructor, fields, elements } = &self.maps[at];
            let (ty, name, constructor, fields) = (ty.clone(), *name, *constructor, fields.clone());
            let rest = elements.as_ref().map(|(_, ty)| ty.clone());
            let mut decls = Vec::new();
            if let Type::Map(_, args, value) = &ty {
                for (values, field) in &fields {
                    let args = args.iter().map(|arg| types::instantiate(arg, 0, values)).collect();
                    let own = Type::Map(0, args, Box::new(types::instantiate(value, 0, values)));
                    let ty = self.emit(&own);
                    decls.push(build::var(*field, ty, Attrs::NONE));
                }
            }
            let rest = rest.unwrap_or_else(|| self.add_type("elements"));
            let rest = self.emit(&rest);
            let other = build::fresh(&mut self.ast, "at#other");
            decls.push(build::var(other, rest, Attrs::NONE));
            self.declare_datatype(name, constructor, decls);
            at += 1;
        }
    }

    fn declare_datatype(&mut self, name: Sym, constructor: Sym, fields: Vec<VarDecl>) {
        let constructors = vec![Constructor { name: build::ident(constructor), fields }];
        let datatype = Datatype { name: build::ident(name), params: Vec::new(), constructors };
        self.out.push(Decl { kind: DeclKind::Datatype(datatype), attrs: Attrs::NONE, span: Span::NONE });
    }
}

/// The entry of a map type.
fn declared(ast: &mut Ast, maps: &mut Vec<Maps>, ty: &Type) -> usize {
    if let Some(at) = maps.iter().position(|map| map.ty == *ty) {
        return at;
    }
    let name = build::fresh(ast, "map#type");
    let constructor = build::fresh(ast, "map#value");
    maps.push(Maps { ty: ty.clone(), name, constructor, fields: Vec::new(), elements: None });
    maps.len() - 1
}
