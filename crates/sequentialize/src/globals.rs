//! The globals that translations copy.
//!
//! Variables that nothing ever changes are the same in every round, and are not copied. Thread-local ones belong to
//! their task: a post keeps them and puts them back.

use dally_bpl::ast::{Ast, Attrs, Decl, DeclKind, Role, TypeId, VarDecl};
use dally_bpl::check::VarKind;
use dally_text::symbol::Sym;
use rustc_hash::FxHashSet;

use crate::build;
use crate::unit::info;

/// A global variable that is copied.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) name: Sym,
    ty: TypeId,
    /// The range of values that an explicit search tries, if one is given.
    attrs: Attrs,
}

/// The globals that change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globals {
    /// Globals that all tasks share.
    pub(crate) shared: Vec<Global>,
    /// Globals of which each task has its own copy.
    pub(crate) thread_local: Vec<Global>,
}

pub(crate) const THREAD_LOCAL: &str = "thread_local";
/// The attribute of variables of the sequential program itself: they are never copied.
pub(crate) const GHOST: &str = "ghost";

impl Globals {
    pub(crate) fn of(ast: &Ast) -> Globals {
        let info = info(ast);
        let mut changed = FxHashSet::default();
        for procedure in &info.procedures {
            let vars = procedure.modifies.clone().into_iter().map(|v| &info[v]);
            changed.extend(vars.filter(|v| v.kind == VarKind::Global).map(|v| v.name));
        }
        let mut globals = Globals::default();
        for (decl, global) in declared(ast) {
            if ast.attr(&decl.attrs, THREAD_LOCAL).is_some() {
                globals.thread_local.push(global);
            } else if changed.contains(&global.name) && ast.attr(&decl.attrs, GHOST).is_none() {
                globals.shared.push(global);
            }
        }
        globals
    }
}

/// All globals of a program.
pub(crate) fn declared(ast: &Ast) -> impl Iterator<Item = (&Decl, Global)> {
    ast.decls.iter().filter_map(|decl| {
        let DeclKind::Var(var) = &decl.kind else { return None };
        let attrs = ast.attr(&decl.attrs, "range").cloned().into_iter().collect();
        Some((decl, Global { name: var.name.name, ty: var.ty, attrs }))
    })
}

/// Removes state constraints: they are about states of the asynchronous program.
pub(crate) fn drop_constraints(ast: &mut Ast) {
    let Some(constraint) = ast.symbols.get("constraint") else { return };
    for decl in &mut ast.decls {
        if matches!(decl.kind, DeclKind::Var(_)) && decl.attrs.find(constraint).is_some() {
            decl.attrs = decl.attrs.iter().filter(|attr| attr.name != constraint).cloned().collect();
        }
    }
}

/// Makes variables thread-local.
pub(crate) fn make_thread_local(ast: &mut Ast, globals: &[Global]) {
    let names: FxHashSet<Sym> = names(globals).into_iter().collect();
    let own = build::attr(ast, THREAD_LOCAL, Vec::new());
    for decl in &mut ast.decls {
        if matches!(&decl.kind, DeclKind::Var(var) if names.contains(&var.name.name)) {
            decl.attrs = build::with_attr(&decl.attrs, own.clone());
        }
    }
}

pub(crate) fn names(globals: &[Global]) -> Vec<Sym> {
    globals.iter().map(|g| g.name).collect()
}

/// Fresh names for copies: `x$suffix`.
pub(crate) fn copies(ast: &mut Ast, globals: &[Global], suffix: &str) -> Vec<Sym> {
    globals.iter().map(|g| build::derive(ast, g.name, suffix, Role::Copy)).collect()
}

/// Fresh names for one copy per round: `x$suffix0`, `x$suffix1`, …
pub(crate) fn vector(ast: &mut Ast, globals: &[Global], suffix: &str, rounds: u32) -> Vec<Vec<Sym>> {
    (0..rounds).map(|round| copies(ast, globals, &format!("{suffix}{round}"))).collect()
}

/// The declarations of copies.
pub(crate) fn declarations(globals: &[Global], copies: &[Sym]) -> Vec<VarDecl> {
    globals.iter().zip(copies).map(|(g, copy)| build::var(*copy, g.ty, g.attrs.clone())).collect()
}

/// The declarations of vectors of copies, with the copies of one variable together.
pub(crate) fn vector_declarations(globals: &[Global], vector: &[Vec<Sym>]) -> Vec<VarDecl> {
    let of_one = |(i, g): (usize, &Global)| {
        vector.iter().map(|copies| build::var(copies[i], g.ty, g.attrs.clone())).collect::<Vec<_>>()
    };
    globals.iter().enumerate().flat_map(of_one).collect()
}

/// Declares a vector of copies as globals.
pub(crate) fn declare_vector(ast: &mut Ast, globals: &[Global], suffix: &str, rounds: u32) -> Vec<Vec<Sym>> {
    let vector = vector(ast, globals, suffix, rounds);
    for decl in vector_declarations(globals, &vector) {
        build::declare_global(ast, decl);
    }
    vector
}

/// Declares copies as globals.
pub(crate) fn declare_copies(ast: &mut Ast, globals: &[Global], suffix: &str) -> Vec<Sym> {
    let copies = copies(ast, globals, suffix);
    for decl in declarations(globals, &copies) {
        build::declare_global(ast, decl);
    }
    copies
}

/// Pairs of the elements of two lists.
pub(crate) fn pairs(left: &[Sym], right: &[Sym]) -> Vec<(Sym, Sym)> {
    left.iter().copied().zip(right.iter().copied()).collect()
}

/// Pairs of the elements of two vectors.
pub(crate) fn vector_pairs(left: &[Vec<Sym>], right: &[Vec<Sym>]) -> Vec<(Sym, Sym)> {
    left.iter().zip(right).flat_map(|(l, r)| pairs(l, r)).collect()
}
