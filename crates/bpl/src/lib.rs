//! Boogie with asynchrony: the language that dally's engines read.

pub mod ast;
pub mod diagnostic;
mod float;
pub mod lexer;
mod parser;
pub mod source;
mod stack;
pub mod symbol;

pub use parser::parse;
