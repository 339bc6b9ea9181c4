//! The P language: state machines that communicate by events.
//!
//! ```
//! use dally_p::load;
//! use dally_text::source::SourceMap;
//!
//! let mut sources = SourceMap::default();
//! sources.add("example.p", "
//!     event ping: machine;
//!     machine Main {
//!         start state S {
//!             entry { send this, ping, this; }
//!             on ping do (from: machine) { assert from == this; }
//!         }
//!     }
//! ").unwrap();
//!
//! let program = load(&sources).expect("no errors");
//! assert_eq!(program.tests[0].name, "DefaultImpl");
//!
//! let machine = dally_p::Machine::new(&program, &program.tests[0], &sources);
//! let rtc = dally_explore::Delays::named(&"rtc".parse()?);
//! let report = dally_explore::Search::new(&machine, &rtc, &Default::default(), &()).run();
//! assert_eq!(report.verdict, dally_explore::Verdict::Proved);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The pipeline: `parser` builds one syntax tree (`ast`) of all files, `check` resolves names, infers types and links the
//! tests, `compile` generates instructions for one test. Each reports all errors. A [`Machine`] is a test as a
//! [`Program`](dally_explore::Program) to explore.

mod ast;
mod check;
mod code;
pub mod codes;
mod compile;
mod coverage;
mod effect;
mod execute;
mod explain;
mod lexer;
mod liveness;
mod machine;
mod names;
mod parser;
pub mod project;
mod reduction;
mod select;
mod show;
mod state;
mod vacuous;
mod value;

pub use ast::MachineKind;
pub use check::info::TestInfo;
pub use machine::Machine;
pub use state::State;

use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;

/// A program without errors.
#[derive(Clone, Debug)]
pub struct Program {
    ast: ast::Ast,
    info: check::Info,
    /// The tests.
    pub tests: Vec<TestInfo>,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Parses and checks all files of a program. Names are resolved only if parsing found no error.
pub fn load(sources: &SourceMap) -> Result<Program, Vec<Diagnostic>> {
    let (ast, diagnostics) = parser::parse(sources);
    if !diagnostics.are_warnings() {
        return Err(diagnostics.sorted());
    }
    let mut warnings = diagnostics.sorted();
    let (mut info, diagnostics) = check::check(&ast);
    if !diagnostics.are_warnings() {
        return Err(diagnostics.sorted());
    }
    let tests = std::mem::take(&mut info.tests);
    warnings.extend(diagnostics.sorted());
    Ok(Program { ast, info, tests, warnings })
}

impl Program {
    /// The names of the machines of a kind, in the order of their declarations.
    pub fn machines(&self, kind: MachineKind) -> impl Iterator<Item = &str> {
        let machines = self.info.machines.iter().filter(move |machine| machine.kind == kind);
        machines.map(|machine| self.ast.text(machine.name))
    }

    /// Returns true if the program declares tests. Otherwise [`tests`](Self::tests) has at most the default test.
    pub fn declares_tests(&self) -> bool {
        !self.ast.tests.is_empty()
    }
}
