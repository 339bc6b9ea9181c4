//! C programs with threads, lowered to Boogie with asynchrony.
//!
//! - [`parse`] reads preprocessed units: [`Unit`]s become one [`hir::Program`] with resolved names and known types.
//! - [`hir`] and [`types`] describe that program; [`dump`] prints it.
//! - [`lower()`] makes a Boogie program of it; [`library`] is the part of dally that is written in C.

mod ast;
mod check;
pub mod codes;
pub mod dump;
mod format;
pub mod hir;
mod lexer;
pub mod library;
mod lower;
mod markers;
pub mod notation;
mod parser;
mod pragma;
mod token;
pub mod types;

pub use lower::{Caveat, LowerOptions, Lowered, lower};

use dally_text::diagnostic::{Diagnostic, Diagnostics};
use dally_text::source::SourceMap;

use crate::markers::{Files, Reader};
use crate::types::DataModel;

/// One preprocessed file.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The name, shown where the text itself is the source.
    pub name: String,
    /// The text.
    pub text: String,
}

/// How units are read.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions<'a> {
    /// The widths of integer types and pointers.
    pub model: DataModel,
    /// The library: units whose names form a scope around those of the program. Functions that the program does not
    /// use are left out.
    pub prelude: &'a [Unit],
}

/// A program that was read without errors.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The program.
    pub program: hir::Program,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a program of several units.
///
/// `read` returns the text of a file that a line marker names, or none if the marker is not allowed. Where the text
/// lacks a line that a marker names, the unit itself is the source.
pub fn parse(
    units: &[Unit],
    sources: &mut SourceMap,
    read: &mut dyn FnMut(&str) -> Option<String>,
    options: &ParseOptions<'_>,
) -> Result<Parsed, Vec<Diagnostic>> {
    let mut reader = Reader {
        sources,
        read,
        files: Files::default(),
        symbols: token::K::symbols(),
        diagnostics: Diagnostics::default(),
    };
    let mut typedefs = Vec::new();
    let mut read_all = |units: &[Unit], library: bool, typedefs: &mut Vec<_>| {
        let mut asts = Vec::new();
        for unit in units {
            let (tokens, packs) = reader.tokens(unit);
            let input = parser::Input { text: &unit.text, tokens: &tokens, packs: &packs, typedefs, library };
            asts.push(parser::parse(&input, &reader.symbols, &mut reader.diagnostics));
            if let (true, Some((_, names))) = (library, asts.last()) {
                typedefs.extend_from_slice(names);
            }
        }
        asts.into_iter().map(|(ast, _)| ast).collect::<Vec<_>>()
    };
    let library = read_all(options.prelude, true, &mut typedefs);
    let program = read_all(units, false, &mut typedefs);
    let Reader { symbols, diagnostics, .. } = reader;
    if !diagnostics.are_warnings() {
        return Err(diagnostics.sorted());
    }
    let (program, diagnostics) = check::check(
        &check::Input { library: &library, units: &program, model: options.model },
        symbols,
        diagnostics,
    );
    if diagnostics.are_warnings() {
        Ok(Parsed { program, warnings: diagnostics.sorted() })
    } else {
        Err(diagnostics.sorted())
    }
}
