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
//! assert_eq!(program.info.tests[0].name, "DefaultImpl");
//!
//! let machine = dally_p::Machine::new(&program, &program.info.tests[0], &sources).expect("no errors");
//! let rtc = dally_explore::Delays::named(&"rtc".parse()?);
//! let report = dally_explore::Search::new(&machine, &rtc, &Default::default(), &()).run();
//! assert_eq!(report.verdict, dally_explore::Verdict::Proved);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The pipeline: [`parse`] builds one syntax tree ([`ast`]) of all files, [`check`](check()) resolves names, infers
//! types and links the tests ([`check::Info`]). Each reports all errors. A [`Machine`] is a test as a
//! [`Program`](dally_explore::Program) to explore.

pub mod ast;
pub mod check;
mod code;
pub mod codes;
mod compile;
mod effect;
mod execute;
mod explain;
mod lexer;
mod liveness;
mod machine;
mod parser;
pub mod project;
mod select;
mod show;
mod state;
mod value;

pub use check::check;
pub use machine::Machine;
pub use parser::parse;
pub use state::State;

use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;

/// A program without errors.
#[derive(Clone, Debug)]
pub struct Program {
    /// The syntax tree.
    pub ast: ast::Ast,
    /// The results of checking: names, types and tests.
    pub info: check::Info,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Parses and checks all files of a program. Names are resolved only if parsing found no error.
pub fn load(sources: &SourceMap) -> Result<Program, Vec<Diagnostic>> {
    let (ast, diagnostics) = parse(sources);
    if !diagnostics.are_warnings() {
        return Err(diagnostics.sorted());
    }
    let (info, diagnostics) = check(&ast);
    if !diagnostics.are_warnings() {
        return Err(diagnostics.sorted());
    }
    Ok(Program { ast, info, warnings: diagnostics.sorted() })
}
