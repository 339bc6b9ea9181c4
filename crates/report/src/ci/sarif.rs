//! SARIF 2.1.0: results with locations. The steps of a trace are a code flow.

use dally_text::render::{JsonDiagnostic, printable};
use dally_trace::{Location, Trace};
use serde_json::{Value, json};

use super::{Case, CaseResult};

/// The most locations of a code flow.
const FLOW: usize = 1000;

/// The runs as one SARIF log. `version` is that of dally.
pub fn sarif(version: &str, cases: &[Case<'_>]) -> String {
    let mut results: Vec<Value> = Vec::new();
    for case in cases {
        results.extend(case.diagnostics.iter().map(diagnostic));
        match (case.result, case.trace) {
            (CaseResult::Failed, trace) => results.push(bug(case, trace)),
            (CaseResult::NoVerdict(word), _) if case.diagnostics.is_empty() => {
                results.push(result(word, "warning", &case.message, &file(&case.file)));
            }
            _ => {}
        }
    }
    let mut rules: Vec<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({ "id": id })).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "dally", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    // Only string keys and finite numbers: this cannot fail.
    let text = serde_json::to_string_pretty(&log).unwrap_or_default();
    dally_text::render::printable_json(&text) + "\n"
}

fn result(rule: &str, level: &str, message: &str, location: &Value) -> Value {
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": printable(message) },
        "locations": [{ "physicalLocation": location }],
    })
}

/// A bug, with the statements of its trace.
fn bug(case: &Case<'_>, trace: Option<&Trace>) -> Value {
    let at = trace.and_then(|trace| trace.failure.location.as_ref()).or(case.location.as_ref());
    let rule = trace.map_or("bug", |trace| trace.failure.kind.word());
    let location = at.map_or_else(|| file(&case.file), place);
    let mut result = result(rule, "error", &case.message, &location);
    if let Some(trace) = trace {
        let flow = flow(trace);
        if !flow.is_empty() {
            result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
        }
    }
    result
}

/// The last statements of a trace, each with its task.
fn flow(trace: &Trace) -> Vec<Value> {
    let statements = trace.steps.iter().flat_map(|step| step.statements.iter().map(move |it| (step, it)));
    let located: Vec<_> =
        statements.filter_map(|(step, it)| Some((step, it, it.location.as_ref()?))).collect();
    let shown = located.iter().skip(located.len().saturating_sub(FLOW));
    let location = |(step, statement, at): &(&dally_trace::TraceStep, &dally_trace::Statement, &Location)| {
        let text = format!("{} (task {}): {}", step.name, step.task, statement.text);
        json!({
            "executionOrder": step.number,
            "location": { "physicalLocation": place(at), "message": { "text": printable(&text) } },
        })
    };
    shown.map(location).collect()
}

fn diagnostic(diagnostic: &JsonDiagnostic) -> Value {
    let level = if diagnostic.severity == "error" { "error" } else { "warning" };
    let location = match &diagnostic.location {
        Some(at) => json!({
            "artifactLocation": { "uri": uri(&at.file) },
            "region": { "startLine": at.line, "startColumn": at.column },
        }),
        None => json!({ "artifactLocation": { "uri": "" } }),
    };
    result(&diagnostic.code, level, &diagnostic.message, &location)
}

fn place(at: &Location) -> Value {
    json!({
        "artifactLocation": { "uri": uri(&at.file) },
        "region": { "startLine": at.line, "startColumn": at.column },
    })
}

fn file(name: &str) -> Value {
    json!({ "artifactLocation": { "uri": uri(name) } })
}

/// A file name as a relative reference of a URI (RFC 3986): all bytes but the unreserved ones and `/` are escaped.
fn uri(file: &str) -> String {
    let mut out = String::new();
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into());
            }
            b'\\' => out.push('/'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_references() {
        assert_eq!(uri("a b/ü\".p"), "a%20b/%C3%BC%22.p");
    }
}
