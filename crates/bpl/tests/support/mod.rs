//! Helpers of the property tests.
#![allow(dead_code, reason = "each test uses a part of this")]
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "test code")]

pub mod dump;
pub mod generate;

use dally_bpl::ast::Ast;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;

/// The source map of a program in one file.
pub fn sources(text: &str) -> SourceMap {
    let mut sources = SourceMap::default();
    sources.add("test.bpl", text).unwrap();
    sources
}

/// Parses a text that must be without syntax errors.
pub fn parse_ok(text: &str) -> Ast {
    let sources = sources(text);
    let (ast, diagnostics) = dally_bpl::parse(&sources);
    let shown: String = diagnostics.iter().map(|d| dally_text::render::render(&sources, d, false)).collect();
    assert!(diagnostics.is_empty(), "{shown}\nin:\n{text}");
    ast
}

/// Parses and checks a text, and returns its errors.
pub fn errors(text: &str) -> Vec<Diagnostic> {
    dally_bpl::load(&sources(text)).err().unwrap_or_default()
}
