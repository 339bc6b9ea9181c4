//! The entry points of a verification: one, or several.

use std::sync::OnceLock;

use dally_bpl::Program;
use dally_bpl::ast::{Attr, AttrArg, Decl, DeclKind, Expr};
use dally_text::diagnostic::Diagnostic;
use dally_text::render::printable;

use super::plan::Plan;
use crate::cli::Verify;
use crate::output::{self, Exit};

/// One entry point.
pub(crate) struct Entry {
    /// The flags, with this entry point only.
    pub(crate) arguments: Verify,
    /// The name of the procedure, if there are several.
    pub(crate) name: Option<String>,
    plan: OnceLock<Planned>,
}

/// A plan, or an error about the flags or the program.
pub(crate) type Planned = Result<Result<Plan, String>, Vec<Diagnostic>>;

impl Entry {
    fn new(arguments: &Verify, entry: Option<String>, name: Option<String>) -> Self {
        let mut arguments = arguments.clone();
        arguments.program.entry = entry;
        Entry { arguments, name, plan: OnceLock::new() }
    }

    /// Its plan, which is made at the first call.
    pub(crate) fn plan(&self, program: &Program) -> &Planned {
        self.plan.get_or_init(|| Plan::new(&self.arguments, program))
    }

    /// Prints its name, if there are several, before its result.
    pub(crate) fn announce(&self) {
        if let (Some(name), false) = (&self.name, self.arguments.json) {
            output::coloured(&format!("\n{}:\n", printable(name)));
        }
    }

    /// Its plan, if it was made.
    pub(crate) fn finished_plan(&self) -> Option<&Planned> {
        self.plan.get()
    }
}

/// The entry points that `--entry` names: one, a list `a,b`, or `*` for all procedures with a body. At least one.
pub(crate) fn named(arguments: &Verify, program: &Program) -> Result<Vec<Entry>, String> {
    let flag = match arguments.program.entry.as_deref() {
        Some(flag) => flag,
        None if arguments.modular => "*",
        None => return Ok(vec![Entry::new(arguments, None, None)]),
    };
    let names: Vec<String> = match flag {
        "*" if arguments.modular => by_contract(program),
        "*" => with_body(program),
        _ => flag.split(',').map(|name| name.trim().to_owned()).collect(),
    };
    match &names[..] {
        [] => Err("no procedure of the program has a body to start in".to_owned()),
        // Another procedure may follow in the next version of the program: the report has the same form.
        [only] if arguments.modular => {
            Ok(vec![Entry::new(arguments, Some(only.clone()), Some(only.clone()))])
        }
        [only] => Ok(vec![Entry::new(arguments, Some(only.clone()), None)]),
        _ => {
            let entry = |name: &String| Entry::new(arguments, Some(name.clone()), Some(name.clone()));
            Ok(names.iter().map(entry).collect())
        }
    }
}

/// The procedures that are verified by themselves: calls of the others are inlined, or `{:verify false}` excludes them.
fn by_contract(program: &Program) -> Vec<String> {
    let ast = &program.ast;
    let excluded = |decl: &&Decl| {
        let never = |attr: &Attr| matches!(attr.args[..], [AttrArg::Expr(e)] if matches!(ast.exprs[e], Expr::Bool(false)));
        dally_sequentialize::is_inlined(ast, decl) || ast.attr(&decl.attrs, "verify").is_some_and(never)
    };
    let name = |decl: &Decl| match &decl.kind {
        DeclKind::Procedure(procedure) => Some(procedure.signature.name.name),
        DeclKind::Implementation(implementation) => Some(implementation.signature.name.name),
        _ => None,
    };
    let excluded: Vec<&str> =
        ast.decls.iter().filter(excluded).filter_map(name).map(|name| ast.text(name)).collect();
    let mut names = with_body(program);
    names.retain(|name| !excluded.contains(&name.as_str()));
    names
}

/// The procedures that have a body, in the order of the text.
fn with_body(program: &Program) -> Vec<String> {
    let ast = &program.ast;
    let mut names: Vec<String> = Vec::new();
    for decl in &ast.decls {
        let name = match &decl.kind {
            DeclKind::Procedure(procedure) if procedure.body.is_some() => procedure.signature.name.name,
            DeclKind::Implementation(implementation) => implementation.signature.name.name,
            _ => continue,
        };
        let name = ast.text(name).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The exit code for several entry points: a bug of one is a bug, whatever the others are.
pub(crate) fn exit(all: &[Exit]) -> Exit {
    let order = [Exit::Bug, Exit::Error, Exit::Inconclusive];
    order.into_iter().find(|exit| all.contains(exit)).unwrap_or(Exit::Success)
}

/// The results for several entry points, in one sentence.
pub(crate) fn summary(all: &[Exit]) -> String {
    let kinds = [
        (Exit::Bug, "with a bug"),
        (Exit::Success, "without a bug"),
        (Exit::Inconclusive, "inconclusive"),
        (Exit::Error, "with an error"),
    ];
    let parts = kinds.into_iter().filter_map(|(kind, words)| {
        let number = all.iter().filter(|exit| **exit == kind).count();
        (number > 0).then(|| format!("{number} {words}"))
    });
    format!("{} entry points: {}", all.len(), parts.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_decides() {
        let all = [Exit::Success, Exit::Inconclusive, Exit::Bug, Exit::Error, Exit::Success];
        assert_eq!(exit(&all), Exit::Bug);
        assert_eq!(exit(&all[..2]), Exit::Inconclusive);
        assert_eq!(exit(&all[..1]), Exit::Success);
        assert_eq!(
            summary(&all),
            "5 entry points: 1 with a bug, 2 without a bug, 1 inconclusive, 1 with an error"
        );
    }
}
