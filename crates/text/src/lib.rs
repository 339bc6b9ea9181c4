//! Source files, diagnostics and names: the parts that all front ends share.
//!
//! - [`source`]: files, and spans in one space of offsets.
//! - [`symbol`]: interned names.
//! - [`code`]: the codes of diagnostics. Each language owns a [`code::Table`].
//! - [`diagnostic`]: errors and warnings as data.
//! - [`parse`]: the core of recursive-descent parsers.
//! - [`render`]: diagnostics as text and as JSON.
//! - [`stack`]: recursion that cannot overflow the stack.

pub mod code;
pub mod diagnostic;
pub mod parse;
pub mod render;
pub mod source;
pub mod stack;
pub mod symbol;
