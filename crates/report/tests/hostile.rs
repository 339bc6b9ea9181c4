//! Texts of programs, whatever they are, stay texts in every format of a report.

#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::time::Duration;

use dally_explore::{
    Delays, Failure, Options, Program, SchedulerName, Search, Successors, TaskId, state_graph,
};
use dally_report::ci::{Case, CaseResult, junit, sarif};
use dally_report::coverage::{First, Part, gaps, lcov, page};
use dally_report::graph::dot;
use dally_report::stats::{Row, csv};
use dally_testing::HOSTILE;
use dally_text::render::{JsonDiagnostic, JsonLocation, printable};
use dally_text::source::{SourceMap, Span};
use dally_trace::{Change, CoverageItem, Explain, ItemKind, Source, TaskNumbers, Trace};

/// Calls `check` with each hostile text, and with one of a megabyte.
fn for_texts(check: impl Fn(&str)) {
    HOSTILE.iter().for_each(|text| check(text));
    check(&"x".repeat(1_000_000));
}

fn is_plain(text: &str) {
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:.500}");
    assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{200b}']), "{text:.500}");
}

/// A program whose file, text and names are all hostile.
fn parts(text: &str) -> (Vec<Part>, SourceMap) {
    let mut sources = SourceMap::default();
    sources.add(text, text).unwrap();
    let span = Span::new(1, 1 + text.len() as u32);
    let part = |kind, reached| Part {
        item: CoverageItem { kind, span, name: text.to_owned(), reached },
        first: reached.then_some(First::Bound(0)),
    };
    let parts = ItemKind::ALL.into_iter().flat_map(|kind| [part(kind, true), part(kind, false)]).collect();
    (parts, sources)
}

#[test]
fn in_coverage() {
    for_texts(|text| {
        let (parts, sources) = parts(text);
        let row = Row {
            strategy: text.to_owned(),
            bound: 0,
            complete: true,
            states: 1,
            transitions: 1,
            frontier: 0,
            elapsed: Duration::ZERO,
            bytes: 0,
            reached: 1,
            new: 1,
        };
        let html = page(&[text.to_owned()], &parts, &sources, &[row.clone(), row.clone()]);
        is_plain(&html);
        for tag in ["<script", "<img", "<svg/", "<!--", "<b>"] {
            assert!(!html.contains(tag), "{tag}\n{html:.3000}");
        }
        assert!(html.len() < 20_000_000, "{}", html.len());
        let record = lcov(&parts, &sources);
        is_plain(&record);
        let starts = ["TN:", "SF:", "FN", "BR", "DA:", "LF:", "LH:", "end_of_record"];
        assert!(
            record.lines().all(|line| starts.iter().any(|start| line.starts_with(start))),
            "{record:.3000}"
        );
        assert_eq!(record.matches("end_of_record").count(), 1);
        let items: Vec<CoverageItem> = parts.iter().map(|part| part.item.clone()).collect();
        gaps(&items, &sources).iter().for_each(|gap| assert!(!gap.line(&sources).contains('\u{1b}')));
        let table = csv(&[row]);
        assert!(table.ends_with(",0,true,1,1,0,0.000,0,1,1\n"), "{table:.500}");
    });
}

/// A program with one step, all of whose names are hostile.
struct Model(String);

impl Program for Model {
    type State = bool;

    fn initial(&self, out: &mut Successors<bool>) {
        out.push(false).posts(TaskId(0));
    }

    fn enabled(&self, done: &bool, tasks: &mut Vec<TaskId>) {
        tasks.extend((!done).then_some(TaskId(0)));
    }

    fn step(&self, _: &bool, _: TaskId, out: &mut Successors<bool>) {
        out.push(true).fails(Failure::assertion(self.0.clone()));
    }
}

impl Explain for Model {
    fn task_name(&self, _: &bool, _: TaskId) -> String {
        self.0.clone()
    }

    fn variables(&self, _: &bool, _: &TaskNumbers) -> Vec<Change> {
        vec![Change { variable: self.0.clone(), shared: true, value: self.0.clone() }]
    }
}

#[test]
fn in_graphs() {
    for_texts(|text| {
        let model = Model(text.to_owned());
        let policy = Delays::named(&"rr".parse::<SchedulerName>().unwrap());
        let graph = state_graph(&model, &policy, 10);
        assert_eq!((graph.nodes.len(), graph.edges.len()), (2, 1));
        let text = dot(&model, &graph, &SourceMap::default());
        is_plain(&text);
        // Outside of quoted strings there are only the words of this format.
        let (mut outside, mut quoted, mut characters) = (String::new(), false, text.chars());
        while let Some(c) = characters.next() {
            match c {
                '"' => quoted = !quoted,
                '\\' if quoted => {
                    characters.next();
                }
                c if !quoted => outside.push(c),
                _ => {}
            }
        }
        assert!(!quoted);
        let allowed = |c: char| c.is_ascii_alphanumeric() || " \n[]{}=,;->.".contains(c);
        assert!(outside.chars().all(allowed), "{outside}");
        assert_eq!(outside.matches("->").count(), 1, "{outside}");
    });
}

/// A trace all of whose texts are hostile.
fn trace(text: &str) -> Trace {
    let model = Model(text.to_owned());
    let policy = Delays::named(&"rr".parse::<SchedulerName>().unwrap());
    let report = Search::new(&model, &policy, &Options::default(), &()).run();
    let bug = report.bug().expect("the step fails");
    dally_trace::trace(&model, bug, &SourceMap::default(), Source::default(), false).unwrap()
}

#[test]
fn in_reports_for_continuous_integration() {
    for_texts(|text| {
        let trace = trace(text);
        let location = JsonLocation { file: text.to_owned(), line: 1, column: 1, end_line: 1, end_column: 2 };
        let diagnostics = [JsonDiagnostic {
            code: "E0001".to_owned(),
            severity: "error",
            message: text.to_owned(),
            location: Some(location),
            related: Vec::new(),
            help: None,
        }];
        let case = |result| Case {
            file: text.to_owned(),
            name: text.to_owned(),
            seconds: 0.5,
            result,
            message: text.to_owned(),
            location: None,
            trace: Some(&trace),
            diagnostics: &diagnostics,
        };
        let cases =
            [case(CaseResult::Passed), case(CaseResult::Failed), case(CaseResult::NoVerdict("inconclusive"))];
        let xml = junit(text, &cases);
        is_plain(&xml);
        let parsed = roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}\n{xml:.2000}"));
        let found: Vec<_> = parsed.descendants().filter(|node| node.has_tag_name("testcase")).collect();
        assert_eq!(found.len(), 3);
        let shown = printable(&text.replace(['\n', '\r'], " "));
        assert!(found.iter().all(|node| node.attribute("name") == Some(&shown)));
        let suite = parsed.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
        assert_eq!((suite.attribute("failures"), suite.attribute("errors")), (Some("1"), Some("1")));
        let log = sarif("0.0.0", &cases);
        assert!(!log.contains(['\u{202e}', '\u{1b}']));
        let log: serde_json::Value = serde_json::from_str(&log).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        // A diagnostic for each case, and the bug.
        assert_eq!(results.len(), 4);
        assert!(results.iter().all(|result| result["message"]["text"] == printable(text)));
        let uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~/%".contains(&b)), "{uri:.200}");
    });
}
