//! Types without variables, and how type variables get their values.

use dally_bpl::ast::{Ast, MapType, TypeExpr, TypeId};
use dally_bpl::check::{Info, Ty, TyCon, TyKind};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

/// A type. Variables occur only below the map type that binds them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Type {
    /// A type without parts.
    Plain(Ty),
    Con(TyCon, Vec<Type>),
    Map(u32, Vec<Type>, Box<Type>),
    /// A variable of a map type: the number of map types in between, and its index.
    Bound(u32, u32),
    /// A type that the pass has declared.
    Added(Sym),
}

/// The values of type variables.
pub(super) type Env = FxHashMap<u32, Type>;

/// The type of the program, with values for its variables; none if one has no value, or for tasks.
pub(super) fn resolve(info: &Info, ty: Ty, env: &Env) -> Option<Type> {
    let all = |list: &[Ty]| list.iter().map(|t| resolve(info, *t, env)).collect::<Option<Vec<_>>>();
    Some(match info.types.kind(ty) {
        TyKind::Con(con, args) => Type::Con(*con, all(args)?),
        TyKind::Map(n, args, value) => Type::Map(*n, all(args)?, Box::new(resolve(info, *value, env)?)),
        TyKind::Bound(depth, index) => Type::Bound(*depth, *index),
        TyKind::Param(p) => env.get(p)?.clone(),
        TyKind::Task(_) | TyKind::Infer(_) | TyKind::Error => return None,
        _ => Type::Plain(ty),
    })
}

/// The variables of a type, in the order in which they occur.
pub(super) fn params(info: &Info, ty: Ty, found: &mut Vec<u32>) {
    match info.types.kind(ty) {
        TyKind::Con(_, args) => args.iter().for_each(|t| params(info, *t, found)),
        TyKind::Map(_, args, value) => {
            args.iter().for_each(|t| params(info, *t, found));
            params(info, *value, found);
        }
        TyKind::Param(p) if !found.contains(p) => found.push(*p),
        _ => {}
    }
}

/// Finds values for the variables of a type, so that it equals another one.
pub(super) fn unify(info: &Info, pattern: Ty, actual: &Type, env: &mut Env) {
    match (info.types.kind(pattern), actual) {
        (TyKind::Param(p), _) => {
            env.entry(*p).or_insert_with(|| actual.clone());
        }
        (TyKind::Con(_, args), Type::Con(_, actuals)) => {
            args.iter().zip(actuals).for_each(|(arg, actual)| unify(info, *arg, actual, env));
        }
        (TyKind::Map(_, args, value), Type::Map(_, actuals, result)) => {
            args.iter().zip(actuals).for_each(|(arg, actual)| unify(info, *arg, actual, env));
            unify(info, *value, result, env);
        }
        _ => {}
    }
}

/// Finds the values of the variables of a map type from the types of an index.
pub(super) fn unify_bound(pattern: &Type, actual: &Type, depth: u32, found: &mut [Option<Type>]) {
    match (pattern, actual) {
        (Type::Bound(d, index), _) if *d == depth => {
            if let Some(slot) = found.get_mut(*index as usize) {
                slot.get_or_insert_with(|| actual.clone());
            }
        }
        (Type::Con(_, parts), Type::Con(_, actuals)) => {
            parts.iter().zip(actuals).for_each(|(p, a)| unify_bound(p, a, depth, found));
        }
        (Type::Map(_, args, value), Type::Map(_, actuals, result)) => {
            args.iter().zip(actuals).for_each(|(p, a)| unify_bound(p, a, depth + 1, found));
            unify_bound(value, result, depth + 1, found);
        }
        _ => {}
    }
}

/// Replaces the variables of a map type.
pub(super) fn instantiate(ty: &Type, depth: u32, values: &[Type]) -> Type {
    match ty {
        Type::Bound(d, index) if *d == depth => {
            values.get(*index as usize).cloned().unwrap_or_else(|| ty.clone())
        }
        Type::Con(con, parts) => {
            Type::Con(*con, parts.iter().map(|p| instantiate(p, depth, values)).collect())
        }
        Type::Map(n, args, value) => Type::Map(
            *n,
            args.iter().map(|p| instantiate(p, depth + 1, values)).collect(),
            Box::new(instantiate(value, depth + 1, values)),
        ),
        other => other.clone(),
    }
}

/// The nesting of a type: a program whose instances nest without end is not supported.
pub(super) fn depth(ty: &Type) -> usize {
    match ty {
        Type::Con(_, parts) => 1 + parts.iter().map(depth).max().unwrap_or(0),
        Type::Map(_, args, value) => 1 + args.iter().map(depth).max().unwrap_or(0).max(depth(value)),
        _ => 0,
    }
}

/// A type as part of a name.
pub(super) fn name(ast: &Ast, info: &Info, ty: &Type) -> String {
    let all = |list: &[Type]| list.iter().map(|t| name(ast, info, t)).collect::<Vec<_>>().join("_");
    match ty {
        Type::Plain(ty) => match info.types.kind(*ty) {
            TyKind::Bool => "bool".to_owned(),
            TyKind::Int => "int".to_owned(),
            TyKind::Real => "real".to_owned(),
            TyKind::Bv(n) => format!("bv{n}"),
            TyKind::Float(s, e) => format!("float{s}e{e}"),
            TyKind::Str => "string".to_owned(),
            TyKind::Regex => "regex".to_owned(),
            _ => "rmode".to_owned(),
        },
        Type::Con(con, args) => {
            let constructor = ast.text(info.types.constructors[con.index()].name);
            if args.is_empty() { constructor.to_owned() } else { format!("{constructor}_{}", all(args)) }
        }
        Type::Map(_, args, value) => format!("map_{}_{}", all(args), name(ast, info, value)),
        Type::Bound(d, i) => format!("v{d}_{i}"),
        Type::Added(sym) => ast.text(*sym).to_owned(),
    }
}

/// The type as an expression. `binding` gives the datatype that stands for a map type that binds variables.
pub(super) fn emit(
    ast: &mut Ast,
    info: &Info,
    ty: &Type,
    binding: &mut dyn FnMut(&mut Ast, &Type) -> Sym,
) -> TypeId {
    let expr = match ty {
        Type::Plain(plain) => match info.types.kind(*plain) {
            TyKind::Bool => TypeExpr::Bool,
            TyKind::Int => TypeExpr::Int,
            TyKind::Real => TypeExpr::Real,
            TyKind::Bv(n) => TypeExpr::Bv(*n),
            TyKind::Float(s, e) => TypeExpr::Float(*s, *e),
            other => {
                let name = match other {
                    TyKind::Str => "string",
                    TyKind::Regex => "regex",
                    _ => "rmode",
                };
                let name = ast.symbols.intern(name);
                TypeExpr::Named(name, ast.types.add_list(&[]))
            }
        },
        Type::Con(con, args) => {
            let args: Vec<TypeId> = args.iter().map(|arg| emit(ast, info, arg, binding)).collect();
            TypeExpr::Named(info.types.constructors[con.index()].name, ast.types.add_list(&args))
        }
        Type::Map(0, args, value) => {
            let args: Vec<TypeId> = args.iter().map(|arg| emit(ast, info, arg, binding)).collect();
            let args = ast.types.add_list(&args);
            let result = emit(ast, info, value, binding);
            TypeExpr::Map(Box::new(MapType { params: Vec::new(), args, result }))
        }
        Type::Map(..) => {
            let name = binding(ast, ty);
            TypeExpr::Named(name, ast.types.add_list(&[]))
        }
        Type::Added(name) => TypeExpr::Named(*name, ast.types.add_list(&[])),
        // Variables are replaced before a type is written.
        Type::Bound(..) => TypeExpr::Bool,
    };
    ast.types.add(expr, Span::NONE)
}
