//! A trace on one page, told in the original source where the program names it.
//!
//! Tools that generate Boogie mark locations of their input by statements without effect: `assert {:sourcefile "a.c"}
//! {:sourceline 7} true;`, or `{:sourceloc "a.c", 7, 3}`. A brief trace shows the locations instead of these statements. It
//! leaves out the statements of initialisers, and the middle of a long execution.

use dally_explore::{count, cut};

use crate::assemble::MOST_SHOWN;
use crate::left_out::are_left_out;
use crate::{Location, Statement, Trace, TraceStep};

/// The statements that fit on a page, at its beginning and at its end.
const FIRST: usize = 8;
const LAST: usize = 36;
/// The final values that are shown.
const GLOBALS: usize = 16;
/// Shorter initialisers are shown.
const SHORT: usize = 3;

/// The trace on one page.
pub fn brief(trace: &Trace) -> Trace {
    let mut brief = trace.clone();
    let mut failure = None;
    for step in &mut brief.steps {
        failure = tell_in_source(step);
        fold_initialisers(step);
    }
    if let Some(Location { file, line, .. }) =
        failure.filter(|at| Some(at) != trace.failure.location.as_ref())
    {
        brief.notes.push(format!("in the original source the failure is at {file}:{line}"));
    }
    shorten(&mut brief);
    // Of a large program, most variables were never assigned to.
    if brief.globals.len() > GLOBALS {
        brief.globals.retain(|global| global.value != "*");
    }
    if brief.globals.len() > GLOBALS {
        let many = brief.globals.len() - GLOBALS;
        brief.globals.truncate(GLOBALS);
        brief.notes.push(format!("{} more variables are not shown", count(many)));
    }
    brief
}

/// Replaces marks by the locations that they name. Returns the location of the last statement, if it is one of these.
fn tell_in_source(step: &mut TraceStep) -> Option<Location> {
    // By the depth of calls: after a call, the statement before it counts again.
    let mut marked: Vec<Option<Location>> = Vec::new();
    let mut last = None;
    let statements = std::mem::take(&mut step.statements);
    for mut statement in statements {
        let depth = statement.depth;
        marked.resize(depth + 1, None);
        if let Some(at) = source_of(&statement.text, marked[depth].as_ref()) {
            marked[depth] = Some(at);
        }
        if is_mark(&statement.text) {
            continue;
        }
        last = None;
        if let Some(at) = &marked[depth] {
            statement.location = Some(at.clone());
            statement.text = cut(&without_source(&statement.text), MOST_SHOWN);
            last = Some(at.clone());
        }
        step.statements.push(statement);
    }
    last
}

/// True for an assertion or assumption of `true` with attributes.
fn is_mark(text: &str) -> bool {
    let begins = text.starts_with("assert {:") || text.starts_with("assume {:");
    begins && text.ends_with("} true;")
}

/// The location that the attributes of a statement name. The file may be that of the last mark.
fn source_of(text: &str, last: Option<&Location>) -> Option<Location> {
    let line = |text: &str| text.trim().parse::<usize>().ok();
    if let Some(place) = attribute(text, "sourceloc") {
        let (file, rest) = quoted(place)?;
        let mut numbers = rest.trim_start_matches(',').split(',');
        let (line, column) = (line(numbers.next()?)?, numbers.next().and_then(line).unwrap_or(1));
        return Some(Location { file: file.to_owned(), line, column });
    }
    let line = line(attribute(text, "sourceline")?)?;
    let named = attribute(text, "sourcefile").and_then(quoted).map(|(file, _)| file.to_owned());
    Some(Location { file: named.or_else(|| last.map(|at| at.file.clone()))?, line, column: 1 })
}

/// The arguments of an attribute of a statement.
fn attribute<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = text.find(&format!("{{:{name} "))? + name.len() + 3;
    let end = text[start..].find('}')?;
    Some(&text[start..start + end])
}

/// A text in quotation marks, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.trim().strip_prefix('"')?.split_once('"')
}

/// A statement without the attributes that name its location.
fn without_source(text: &str) -> String {
    let mut text = text.to_owned();
    for name in ["sourcefile", "sourceline", "sourceloc"] {
        while let Some(start) = text.find(&format!("{{:{name} ")) {
            let Some(end) = text[start..].find('}') else { break };
            let after = &text[start + end + 1..];
            text = format!("{}{}", &text[..start], after.strip_prefix(' ').unwrap_or(after));
        }
    }
    text
}

/// Leaves out the statements of procedures that initialise, by their names, unless they fail or post tasks.
fn fold_initialisers(step: &mut TraceStep) {
    let statements = std::mem::take(&mut step.statements);
    let mut at = 0;
    while at < statements.len() {
        let call = &statements[at];
        step.statements.push(call.clone());
        at += 1;
        let inside = statements[at..].iter().take_while(|inner| inner.depth > call.depth).count();
        let is_last = at + inside == statements.len();
        let posts = statements[at..at + inside].iter().any(|inner| !inner.posts.is_empty());
        if initialises(&call.text) && inside > SHORT && !is_last && !posts {
            let many = statements[at..at + inside].iter().map(|inner| inner.left_out.unwrap_or(1)).sum();
            step.statements.push(Statement::placeholder(many, call.depth + 1));
            at += inside;
        }
    }
}

/// True for a call of a procedure that is named after initialisation.
fn initialises(text: &str) -> bool {
    let name = text.strip_prefix("call ").map(|call| call.split('(').next().unwrap_or(call));
    name.is_some_and(|name| name.to_ascii_lowercase().contains("init"))
}

/// Leaves out the middle of a long execution. Its steps are all there.
fn shorten(trace: &mut Trace) {
    let all: usize = trace.steps.iter().map(|step| step.statements.len()).sum();
    if all <= FIRST + LAST + 1 {
        return;
    }
    let middle = FIRST..all - LAST;
    let mut nth = 0;
    for step in &mut trace.steps {
        let mut left_out = 0;
        let statements = std::mem::take(&mut step.statements);
        for statement in statements {
            match middle.contains(&nth) {
                true => left_out += statement.left_out.unwrap_or(1),
                false => {
                    if left_out > 0 {
                        let many = std::mem::take(&mut left_out);
                        step.statements.push(Statement::placeholder(many, 1));
                    }
                    step.statements.push(statement);
                }
            }
            nth += 1;
        }
        if left_out > 0 {
            step.statements.push(Statement::placeholder(left_out, 1));
        }
    }
    let shown = all - middle.len();
    let many = count(all);
    trace.notes.push(format!("{shown} of {many} statements are shown; --full-trace shows all of them"));
}

impl Statement {
    fn placeholder(many: usize, depth: usize) -> Statement {
        Statement { text: are_left_out(many, "statement"), depth, ..Statement::left_out(many) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::End;
    use crate::left_out::LeftOut;

    /// A trace with one step of these statements, each with its depth.
    fn of(statements: &[(usize, &str)]) -> Trace {
        let statement = |(depth, text): &(usize, &str)| Statement {
            kind: crate::StatementKind::Statement,
            text: (*text).to_owned(),
            depth: *depth,
            left_out: None,
            ..Statement::left_out(0)
        };
        let statements = statements.iter().map(statement).collect();
        let step = TraceStep {
            number: 1,
            variables: Vec::new(),
            task: 0,
            name: "main".to_owned(),
            delayed: Vec::new(),
            statements,
            end: End::Fails,
        };
        let none: Option<LeftOut> = None;
        Trace { steps: vec![step], ..crate::text::tests::trace(none, 0) }
    }

    fn shown(trace: &Trace) -> Vec<String> {
        let statements = trace.steps.iter().flat_map(|step| &step.statements);
        let at = |s: &Statement| {
            s.location.as_ref().map_or(String::new(), |at| format!("{}:{} ", at.file, at.line))
        };
        statements.map(|s| format!("{}{}", at(s), s.text)).collect()
    }

    #[test]
    fn marks_become_locations() {
        let trace = of(&[
            (1, "x := 0;"),
            (1, "assert {:sourcefile \"a.c\"} {:sourceline 7} true;"),
            (1, "x := 1;"),
            (1, "call f();"),
            (2, "assume {:sourceloc \"b.c\", 3, 9} true;"),
            (2, "y := 2;"),
            (1, "x := 3;"),
            (1, "assert {:sourceline 8} x > 3;"),
        ]);
        let brief = brief(&trace);
        assert_eq!(
            shown(&brief),
            [
                "x := 0;",
                "a.c:7 x := 1;",
                "a.c:7 call f();",
                "b.c:3 y := 2;",
                "a.c:7 x := 3;",
                "a.c:8 assert x > 3;"
            ]
        );
        assert_eq!(
            brief.notes.last().map(String::as_str),
            Some("in the original source the failure is at a.c:8")
        );
    }

    #[test]
    fn initialisers_are_folded_unless_they_fail() {
        let mut statements = vec![(1, "call $static_init();")];
        statements.extend([(2, "M[0] := 1;"); 5]);
        assert_eq!(shown(&brief(&of(&statements))).len(), 6);
        statements.push((1, "assert false;"));
        assert_eq!(
            shown(&brief(&of(&statements))),
            ["call $static_init();", "… 5 statements are left out …", "assert false;"]
        );
    }

    #[test]
    fn a_page_has_the_first_and_the_last_statements() {
        let statements: Vec<(usize, &str)> =
            (0..1000).map(|n| (1, if n == 999 { "end;" } else { "x := 1;" })).collect();
        let brief = brief(&of(&statements));
        let shown = shown(&brief);
        assert_eq!(shown.len(), FIRST + 1 + LAST);
        assert_eq!(shown[FIRST], "… 956 statements are left out …");
        assert_eq!(shown.last().map(String::as_str), Some("end;"));
        assert!(brief.notes.iter().any(|note| note.starts_with("44 of 1,000 statements are shown")));
    }
}
