//! The origin map: what each name and statement of a translated program stands for in its source.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::collections::{BTreeMap, BTreeSet};

use dally_bpl::Program;
use dally_bpl::ast::{DeclKind, Stmt, for_each_stmt_mut};
use dally_sequentialize::{Bounds, Origins, Sequential, Source, Target, TranslationOptions, sequentialize};
use dally_text::source::SourceMap;

const SOURCE: &str = "var g: int;
procedure main() { g := 1; call {:async} p(2); assert g == 1; }
procedure p(n: int) requires n > 0; ensures true; { havoc g; call q(); yield; }
procedure q(); modifies g; ensures g > 0;";

fn load() -> (SourceMap, Program) {
    let mut sources = SourceMap::default();
    sources.add("source.bpl", SOURCE).unwrap();
    let program = dally_bpl::load(&sources).unwrap();
    (sources, program)
}

fn translate(program: &Program, to: Target) -> Sequential {
    sequentialize(program, &TranslationOptions::new(to)).unwrap()
}

/// All variables of a translated program, and the variables of the source that they are copies of.
fn variables(made: &Sequential) -> BTreeMap<&str, Option<&str>> {
    let text = |name| made.program.ast.text(name);
    let names = made.program.info.vars.iter().map(|var| var.name);
    names.map(|name| (text(name), made.origins.variable(name).map(text))).collect()
}

/// All procedures of a translated program, and those of the source that they run. Inner ones have an asterisk.
fn procedures(made: &Sequential) -> BTreeMap<&str, Option<String>> {
    let text = |name| made.program.ast.text(name);
    let origin = |name| {
        let origin = made.origins.procedure(name)?;
        Some(format!("{}{}", text(origin.name), if origin.inner { "*" } else { "" }))
    };
    made.program.info.procedures.iter().map(|it| (text(it.name), origin(it.name))).collect()
}

/// Calls `f` for each statement of a program.
fn for_each_stmt(program: &Program, mut f: impl FnMut(&Stmt)) {
    for decl in &program.ast.decls {
        if let DeclKind::Procedure(procedure) = &decl.kind
            && let Some(body) = &procedure.body
        {
            for_each_stmt_mut(&mut body.block.clone(), &mut |stmt| f(stmt));
        }
    }
}

#[test]
fn copies_of_variables_are_known_and_added_variables_are_not() {
    let (_, program) = load();
    let made = translate(&program, Target::Dfs(Bounds::delays(1)));
    let variables = variables(&made);
    for copy in ["g", "g$0", "g$1", "g$guess", "g$poster", "g$guess$poster"] {
        assert_eq!(variables.get(copy), Some(&Some("g")), "{copy}");
    }
    for added in ["error", "error$0", "k", "k$poster", "order", "delays", "by"] {
        assert_eq!(variables.get(added), Some(&None), "{added}");
    }
    assert_eq!(variables.get("n"), Some(&Some("n")));
}

#[test]
fn versions_of_procedures_are_known_and_wrappers_are_not() {
    let (_, program) = load();
    let made = translate(&program, Target::Dfs(Bounds::delays(1)));
    let procedures = procedures(&made);
    for (name, origin) in [("main", "main"), ("p", "p"), ("q", "q"), ("p$body", "p*")] {
        assert_eq!(procedures.get(name), Some(&Some(origin.to_owned())), "{name}");
    }
    for added in ["main$dfs", "p$post", "pause", "delay", "piece"] {
        assert_eq!(procedures.get(added), Some(&None), "{added}");
    }
}

#[test]
fn statements_and_conditions_lead_to_their_text() {
    let (sources, program) = load();
    for to in [
        Target::Dfs(Bounds::delays(1)),
        Target::Df(Bounds::delays(1)),
        Target::Dfw(Bounds::delays(1)),
        Target::LalReps { rounds: 2 },
        Target::Buffers { zields: 2, yields: 2 },
        Target::Synce { rounds: 2 },
    ] {
        let made = translate(&program, to);
        let (mut statements, mut effects, mut checks) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for_each_stmt(&made.program, |stmt| {
            let Some(id) = stmt.id else { return };
            match made.origins.statement(id) {
                Some(Source::Statement(span)) => _ = statements.insert(sources.text(span).unwrap()),
                Some(Source::Effect(procedure)) => _ = effects.insert(made.program.ast.text(procedure)),
                None => {}
            }
            if let Some(check) = made.origins.check(id) {
                checks.insert((check.message, sources.text(check.span).unwrap()));
            }
        });
        let expected = ["g := 1;", "assert g == 1;", "havoc g;", "call q();"];
        assert!(expected.iter().all(|text| statements.contains(text)), "{to:?}: {statements:?}");
        assert_eq!(effects, BTreeSet::from(["q"]), "{to:?}");
        let expected = [
            ("an assertion does not hold", "assert g == 1;"),
            ("a precondition does not hold", "requires n > 0;"),
            ("a postcondition does not hold", "ensures true;"),
        ];
        assert_eq!(checks, BTreeSet::from(expected), "{to:?}");
    }
}

/// A translation gives its own variables other names than `k` and `error` if the source uses these.
#[test]
fn names_of_the_source_are_not_confused_with_those_of_the_translation() {
    let mut sources = SourceMap::default();
    let text = "var k, error: int; procedure main() { call {:async} delay(); }
                procedure delay() { k, error := error, k; }";
    sources.add("source.bpl", text).unwrap();
    let program = dally_bpl::load(&sources).unwrap();
    let made = translate(&program, Target::Dfs(Bounds::delays(1)));
    let (variables, procedures) = (variables(&made), procedures(&made));
    for name in ["k", "error"] {
        assert_eq!(variables.get(name), Some(&Some(name)), "{variables:?}");
        assert_eq!(variables.get(&*format!("{name}$0")), Some(&Some(name)), "{variables:?}");
    }
    assert_eq!(procedures.get("delay"), Some(&Some("delay".to_owned())));
    assert!(variables.values().filter(|origin| origin.is_none()).count() >= 4, "{variables:?}");
}

#[test]
fn a_program_that_is_not_translated_is_its_own_source() {
    let (sources, program) = load();
    let origins = Origins::identity(&program);
    for var in &program.info.vars {
        assert_eq!(origins.variable(var.name), Some(var.name));
    }
    for procedure in &program.info.procedures {
        let origin = origins.procedure(procedure.name).unwrap();
        assert_eq!((origin.name, origin.inner), (procedure.name, false));
    }
    let mut count = 0;
    for_each_stmt(&program, |stmt| {
        assert_eq!(origins.statement(stmt.id.unwrap()), Some(Source::Statement(stmt.span)));
        assert_eq!(origins.check(stmt.id.unwrap()), None);
        count += 1;
    });
    assert_eq!((count, sources.files().len()), (6, 1));
}
