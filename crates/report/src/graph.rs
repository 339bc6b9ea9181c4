//! The graph of a small state space in the language of Graphviz (`dot -Tsvg FILE.dot`).
//!
//! States are coloured by the bound at which they are reached. Failures are red, final states have a double border, and
//! steps that an execution can repeat are bold.

use std::fmt::Write;

use dally_explore::{StateGraph, cut};
use dally_text::render::printable;
use dally_text::source::SourceMap;
use dally_trace::{Change, Explain, Taken, TaskNumbers};

/// Longer texts are cut.
const LONGEST: usize = 60;
/// The most variables that a state shows.
const VARIABLES: usize = 12;

/// Fills of the bounds 0, 1, 2 and so on; the last one stands for all higher ones. From light to dark blue, as in
/// ColorBrewer's scheme `blues`.
const FILLS: [&str; 7] = ["#f7fbff", "#deebf7", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5"];

/// The graph as text.
pub fn dot<P: Explain>(program: &P, graph: &StateGraph<P::State>, sources: &SourceMap) -> String {
    let tasks = TaskNumbers::default();
    let mut out = String::from(
        "digraph states {\n  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=10];\n  edge \
         [fontname=\"monospace\", fontsize=9];\n",
    );
    let all: Vec<Vec<Change>> =
        graph.nodes.iter().map(|node| program.variables(&node.state, &tasks)).collect();
    for (nth, node) in graph.nodes.iter().enumerate() {
        let mut lines: Vec<String> =
            all[nth].iter().take(VARIABLES).map(|it| format!("{} = {}", it.variable, it.value)).collect();
        if all[nth].len() > VARIABLES {
            lines.push(format!("… {} more", all[nth].len() - VARIABLES));
        }
        if let Some(failure) = &node.failure {
            lines.push(format!("✗ {failure}"));
        }
        let fill = FILLS[(node.cost as usize).min(FILLS.len() - 1)];
        let (fill, text) = match (&node.failure, node.cost) {
            (Some(_), _) => ("#f4a6a6", "black"),
            (None, 5..) => (fill, "white"),
            (None, _) => (fill, "black"),
        };
        let border = if node.is_final { ", peripheries=2" } else { "" };
        let width = if node.is_initial { ", penwidth=2.5" } else { "" };
        let cycle = if node.in_cycle { ", color=\"#7a3fb0\"" } else { "" };
        let _ = writeln!(
            out,
            "  s{nth} [label=\"{}\", tooltip=\"bound {}\", fillcolor=\"{fill}\", fontcolor={text}{border}{width}{cycle}];",
            label(&lines),
            node.cost
        );
    }
    for edge in &graph.edges {
        let (before, after) = (&graph.nodes[edge.from].state, &graph.nodes[edge.to].state);
        let taken = Taken { before, after, task: edge.task, choices: &edge.path, tasks: &tasks };
        let statement = first_statement(program, &taken, sources);
        let delays = if edge.cost > 0 { format!(" +{}", edge.cost) } else { String::new() };
        let choices: String = edge.path.iter().map(|option| format!("#{option}")).collect();
        let who = format!("{} {}{delays}{choices}", program.task_name(before, edge.task), edge.task);
        let lines: Vec<String> = [Some(who), statement].into_iter().flatten().collect();
        let style = match (edge.in_cycle, edge.cost) {
            (true, _) => ", penwidth=2.2, color=\"#7a3fb0\"",
            (false, 1..) => ", style=dashed",
            (false, 0) => "",
        };
        let _ = writeln!(out, "  s{} -> s{} [label=\"{}\"{style}];", edge.from, edge.to, label(&lines));
    }
    out.push_str("}\n");
    out
}

/// The first statement of a step.
fn first_statement<P: Explain>(
    program: &P,
    taken: &Taken<'_, P::State>,
    sources: &SourceMap,
) -> Option<String> {
    let explained = program.explain(taken);
    let line = explained.lines.iter().next()?;
    let text = sources.text(line.span)?;
    Some(text.lines().next().unwrap_or_default().trim().to_owned())
}

/// Lines inside of a quoted string of the language, left-justified. A backslash and a quote would end or change it.
fn label(lines: &[String]) -> String {
    let quoted = |line: &String| {
        let line = printable(&cut(&line.replace(['\n', '\r'], " "), LONGEST));
        format!("{}\\l", line.replace('\\', "\\\\").replace('"', "\\\""))
    };
    lines.iter().map(quoted).collect()
}
