//! The text of scheduling points and interrupts (`dally.h`), in Boogie.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dally_text::diagnostic::Diagnostic;

use super::Lowerer;
use crate::hir::{Fires, FunctionId, Home, Interrupt};

impl Lowerer<'_> {
    /// Adds the procedures of points and interrupts, whose text is that of Boogie.
    pub(super) fn declare_points(&mut self) -> Result<(), Vec<Diagnostic>> {
        let events = &self.facts.events;
        let handlers: Vec<Handler> = (1..)
            .zip(&events.handlers)
            .map(|(number, (id, interrupt))| Handler {
                name: self.procedure_names[id.index()].clone(),
                shown: self.program.functions[id.index()].name.clone(),
                interrupt: *interrupt,
                number,
            })
            .collect();
        let mut text = String::new();
        for handler in &handlers {
            self.handler_text(handler, &mut text);
        }
        let buffers: BTreeSet<u16> = handlers.iter().map(|h| h.interrupt.home.buffer).collect();
        for buffer in buffers {
            self.idle_text(buffer, &handlers, &mut text);
        }
        for point in &events.points {
            self.point_text(*point, &handlers, &mut text);
        }
        let ids: Vec<FunctionId> = events.handlers.iter().map(|(id, _)| *id).collect();
        self.task_roots.extend(ids);
        self.declare_text(&text)
    }

    fn handler_text(&self, handler: &Handler, text: &mut String) {
        let Handler { name, shown, interrupt, number } = handler;
        let context: Vec<String> = self
            .static_context(interrupt.home, *number)
            .iter()
            .filter_map(|t| t.as_int())
            .map(|n| n.to_string())
            .collect();
        let level = interrupt.home.level;
        let _ = write!(
            text,
            "var {{:c \"\"}} $enabled.{name}: int;\n\
             var {{:c \"\"}} $raised.{name}: int;\n\
             var {{:c \"\"}} $runs.{name}: int;\n\
             procedure {{:c \"{shown}\"}} $interrupt${name}() {{\n\
             call $task${name}({});\n\
             $runs.{name} := 0;\n\
             }}\n\
             procedure $fire${name}() {{\n\
             $raised.{name} := 0;\n\
             $runs.{name} := 1;\n\
             call {{:async}} {{:level {level}}} $interrupt${name}();\n\
             }}\n",
            context.join(", ")
        );
    }

    fn idle_text(&self, buffer: u16, handlers: &[Handler], text: &mut String) {
        let own: Vec<&Handler> = handlers.iter().filter(|h| h.interrupt.home.buffer == buffer).collect();
        let any: Vec<String> = own.iter().map(|h| format!("({})", h.may_fire())).collect();
        let _ = write!(
            text,
            "procedure {{:c \"interrupts\"}} $idle${buffer}() {{\n\
             assume {{:await}} {{:daemon}} {{:waits \"an interrupt\"}} {};\n",
            any.join(" || ")
        );
        for handler in own {
            let _ = writeln!(
                text,
                "if ({}) {{ if (*) {{ call $fire${}(); }} }}",
                handler.may_fire(),
                handler.name
            );
        }
        // A new task: the others come before it.
        let _ = write!(text, "call {{:async}} {{:level 0}} $idle${buffer}();\n}}\n");
    }

    fn point_text(&self, (yields, zields): (bool, bool), handlers: &[Handler], text: &mut String) {
        let events = &self.facts.events;
        let except = |levels: &BTreeSet<u16>, what: &str| {
            let tests: Vec<String> = levels.iter().map(|level| format!("$level != {level}")).collect();
            match tests.is_empty() {
                true => format!("{what};\n"),
                false => format!("if ({}) {{ {what}; }}\n", tests.join(" && ")),
            }
        };
        let _ = writeln!(text, "procedure {{:point}} {}() {{", point_name((yields, zields)));
        if yields {
            text.push_str(&except(&events.no_yields_at, "yield"));
        }
        if zields && events.several_buffers {
            text.push_str(&except(&events.no_zields_at, "zield"));
        }
        for handler in handlers {
            let Home { buffer, level } = handler.interrupt.home;
            let mut guard = format!("$section == 0 && $level < {level} && {}", handler.may_fire());
            if events.uses_buffer() {
                let _ = write!(guard, " && $buffer == {buffer}");
            }
            let _ = writeln!(text, "if ({guard}) {{ if (*) {{ call $fire${}(); }} }}", handler.name);
        }
        text.push_str("}\n");
    }

    /// Adds declarations that are given as text.
    fn declare_text(&mut self, text: &str) -> Result<(), Vec<Diagnostic>> {
        if text.is_empty() {
            return Ok(());
        }
        let mut sources = dally_text::source::SourceMap::default();
        let _ = sources.add("events.bpl", text.to_owned());
        let first = self.ast.decls.len();
        let diagnostics = dally_bpl::parse_more(&mut self.ast, &sources);
        if !diagnostics.is_empty() {
            return Err(diagnostics.sorted());
        }
        super::prune::remove_spans(&mut self.ast.decls[first..]);
        Ok(())
    }
}

/// An interrupt, as the text of points needs it.
struct Handler {
    name: String,
    shown: String,
    interrupt: Interrupt,
    /// The number of its task.
    number: i128,
}

impl Handler {
    /// The condition under which it may fire.
    fn may_fire(&self) -> String {
        let name = &self.name;
        let mut condition = format!("$masked == 0 && $enabled.{name} == 1 && $runs.{name} == 0");
        if self.interrupt.fires != Fires::WhileEnabled {
            let _ = write!(condition, " && $raised.{name} == 1");
        }
        condition
    }
}

pub(super) fn point_name((yields, zields): (bool, bool)) -> String {
    format!("$point${}{}", if yields { "y" } else { "" }, if zields { "z" } else { "" })
}
