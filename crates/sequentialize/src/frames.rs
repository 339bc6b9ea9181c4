//! Frames: every procedure of the output says what it modifies, so that any Boogie tool accepts it.

use dally_bpl::ast::{Ast, Attrs, Decl, DeclKind, Spec, SpecKind};
use dally_bpl::check::{Info, VarKind};
use dally_text::source::Span;
use dally_text::symbol::Sym;

use crate::build;
use crate::ends::NUMBER;
use crate::globals::{GHOST, THREAD_LOCAL};

/// Replaces all `modifies` clauses by those that are needed.
pub(crate) fn complete(ast: &mut Ast, info: &Info) {
    for decl in &mut ast.decls {
        let DeclKind::Procedure(procedure) = &mut decl.kind else { continue };
        procedure.specs.retain(|s| !matches!(s.kind, SpecKind::Modifies(_)));
        let Some(id) = info.procedure(procedure.signature.name.name) else { continue };
        let vars = info[id].modifies.clone().into_iter().map(|v| &info[v]);
        let names: Vec<Sym> = vars.filter(|v| v.kind == VarKind::Global).map(|v| v.name).collect();
        if !names.is_empty() {
            let kind = SpecKind::Modifies(names.into_iter().map(build::ident).collect());
            procedure.specs.push(Spec { attrs: Attrs::NONE, kind, span: Span::NONE });
        }
    }
}

/// Says that execution starts here.
pub(crate) fn mark_entry_point(ast: &mut Ast, entry: Sym) {
    let mark = build::attr(ast, "entrypoint", Vec::new());
    for decl in &mut ast.decls {
        if matches!(&decl.kind, DeclKind::Procedure(p) if p.signature.name.name == entry) {
            decl.attrs = build::with_attr(&decl.attrs, mark.clone());
        }
    }
}

/// Procedures come after everything else.
pub(crate) fn sort(ast: &mut Ast) {
    ast.decls.sort_by_key(|d| matches!(d.kind, DeclKind::Procedure(_)));
}

/// Removes attributes that have lost their meaning.
pub(crate) fn plain_variables(ast: &mut Ast) {
    let marks: Vec<Sym> =
        [THREAD_LOCAL, NUMBER, GHOST].iter().filter_map(|name| ast.symbols.get(name)).collect();
    for decl in ast.decls.iter_mut().filter(|d| matches!(d.kind, DeclKind::Var(_))) {
        without(decl, &marks);
    }
}

fn without(decl: &mut Decl, marks: &[Sym]) {
    for mark in marks {
        if decl.attrs.find(*mark).is_some() {
            decl.attrs = decl.attrs.without(*mark);
        }
    }
}

/// Execution starts in the root only.
pub(crate) fn single_entry_point(ast: &mut Ast, root: Sym) {
    let marks: Vec<Sym> =
        ["entrypoint", "buffer", "level", "atomic"].iter().filter_map(|name| ast.symbols.get(name)).collect();
    for decl in &mut ast.decls {
        if let DeclKind::Procedure(procedure) = &decl.kind
            && procedure.signature.name.name != root
        {
            without(decl, &marks);
        }
    }
}
