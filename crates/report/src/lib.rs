//! Reports about a search, other than traces: what of the program was reached ([`coverage`]), a row of numbers for each
//! bound ([`stats`]), the graph of a small state space ([`graph`]), and the formats that continuous integration reads
//! ([`ci`]).
//!
//! Texts of programs are not trusted: each format escapes them.

pub mod ci;
pub mod coverage;
pub mod graph;
pub mod stats;
