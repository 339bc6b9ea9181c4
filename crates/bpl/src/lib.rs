//! Boogie with asynchrony: the language that dally's engines read.
//!
//! Boogie is an intermediate language for program verification. This dialect adds asynchronous calls, task
//! handles, yields and priorities as attributes and reserved procedures, so that other Boogie tools can still
//! parse the files. It also accepts the spellings of c2s and of Corral.
//!
//! ```
//! use dally_bpl::{load, print};
//! use dally_text::source::SourceMap;
//!
//! let mut sources = SourceMap::default();
//! sources.add("example.bpl", "
//!     var x: int;
//!     procedure main() { async call bump(); assume {:yield} true; assert x == 0; }
//!     procedure bump() { x := x + 1; }
//! ").unwrap();
//!
//! let program = load(&sources).expect("no errors");
//! let text = print(&program.ast);
//! assert!(text.contains("call {:async} bump();"));
//! assert!(text.contains("yield;"));
//! ```
//!
//! The pipeline: [`parse`] builds one syntax tree ([`ast`]) of all files, [`check`](check()) resolves names and
//! infers types ([`check::Info`]), [`print`](print()) writes canonical text. [`parse`] and [`check`](check())
//! report all errors as [`Diagnostic`]s, which [`dally_text::render`] shows.

pub mod ast;
pub mod check;
pub mod codes;
pub mod float;
pub mod lexer;
pub mod literal;
mod options;
mod parser;
mod preemption;
mod print;
pub mod real;

pub use check::check;
pub use options::ProgramOptions;
pub use parser::{parse, parse_more};
pub use preemption::{Points, Preemption};
pub use print::{print, print_type};

use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;

/// A program without errors.
#[derive(Clone, Debug)]
pub struct Program {
    /// The syntax tree.
    pub ast: ast::Ast,
    /// The results of name resolution and type checking.
    pub info: check::Info,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
}

impl Program {
    /// Adds state constraints, one in each file from `first` on: conditions over the globals. A search leaves
    /// out the states in which one of them is false.
    pub fn constrain(&mut self, sources: &SourceMap, first: usize) -> Result<(), Vec<Diagnostic>> {
        let diagnostics = parser::parse_constraints(&mut self.ast, sources, first);
        if !diagnostics.is_empty() {
            return Err(diagnostics.sorted());
        }
        let (info, diagnostics) = check(&self.ast);
        if !diagnostics.are_warnings() {
            return Err(diagnostics.sorted());
        }
        (self.info, self.warnings) = (info, diagnostics.sorted());
        Ok(())
    }
}

/// Parses and checks all files of a program.
///
/// Names are resolved only if parsing found no error: otherwise declarations that are missing from the tree would
/// be reported as unknown names.
pub fn load(sources: &SourceMap) -> Result<Program, Vec<Diagnostic>> {
    let (ast, diagnostics) = parse(sources);
    if !diagnostics.is_empty() {
        return Err(diagnostics.sorted());
    }
    let (info, diagnostics) = check(&ast);
    if !diagnostics.are_warnings() {
        return Err(diagnostics.sorted());
    }
    Ok(Program { ast, info, warnings: diagnostics.sorted() })
}
