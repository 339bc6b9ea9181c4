//! Boogie with asynchrony: the language that dally's engines read.

pub mod ast;
pub mod check;
pub mod diagnostic;
mod float;
pub mod lexer;
mod parser;
mod print;
pub mod source;
mod stack;
pub mod symbol;

pub use check::check;
pub use parser::parse;
pub use print::{print, print_expr};
