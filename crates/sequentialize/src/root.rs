//! The procedure in which a sequential program starts.

use dally_bpl::ast::{Attrs, Role, Stmt, StmtKind, VarDecl};
use dally_text::symbol::Sym;

use crate::build::{self, stmt};
use crate::lower;
use crate::tags::Position;
use crate::unit::{Entry, Unit};

/// The code of a translation around the call of the entry point.
#[derive(Debug, Default)]
pub(crate) struct Root {
    pub(crate) locals: Vec<VarDecl>,
    pub(crate) before: Vec<Stmt>,
    /// Confirms all guesses, and gives each variable its final value.
    pub(crate) after: Vec<Stmt>,
}

/// Declares the root: it guesses, runs, confirms, and asserts that no assertion has failed. `first` says where a
/// variable has its first value.
pub(crate) fn declare(
    unit: &mut Unit,
    entry: Entry,
    suffix: &str,
    place: Option<&Position>,
    root: Root,
    first: impl Fn(Sym) -> Sym,
) -> Sym {
    let declaration = unit.procedure(entry.procedure).cloned();
    let origin = unit.origin(entry.procedure);
    let ast = &mut unit.ast;
    let Root { mut locals, before, after } = root;
    let mut stmts = Vec::new();
    if let Some(error) = unit.error {
        let down = build::boolean(ast, false);
        stmts.push(build::set(ast, &[first(error)], &[down]));
    }
    for (variable, value) in &unit.initially {
        stmts.push(build::set_int(ast, first(*variable), *value));
    }
    stmts.extend(before);
    let signature = declaration.map(|p| p.signature);
    let (ins, outs) = signature.as_ref().map_or((&[][..], &[][..]), |s| (&s.ins, &s.outs));
    let args = lower::arbitrary_arguments(ast, ins, &mut locals);
    let results = lower::arbitrary_arguments(ast, outs, &mut locals);
    let args = build::names(ast, &args);
    stmts.extend(place.map(|p| p.begins(ast, origin)));
    stmts.push(build::call(ast, &results, entry.procedure, &args));
    stmts.extend(place.map(|p| p.ends(ast)));
    stmts.extend(after);
    if let Some(error) = unit.error {
        let error = build::name(ast, error);
        let fine = build::not(ast, error);
        stmts.push(stmt(StmtKind::Assert(fine)));
    }
    let name = build::derive(ast, origin, suffix, Role::Wrapper);
    let attrs: Attrs = [build::attr(ast, "entrypoint", Vec::new())].into_iter().collect();
    build::declare_procedure(ast, build::signature(name, vec![], vec![]), locals, stmts, attrs);
    name
}
