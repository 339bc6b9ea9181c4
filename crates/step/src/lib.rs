//! The step engine that the interpreters of all languages share.
//!
//! A language defines its instructions; this crate executes a step of a task through all of its outcomes
//! ([`engine`]), or along one that is drawn ([`draw`]), with an undo log ([`undo`]), fuel and limits ([`meter`]), detection of cycles inside a
//! step ([`cycle`]) and observers for explanations ([`observer`]). A cache stores results for reuse
//! ([`memo`]), and marks tell which statements were reached ([`sites`]). Analyses work on the effects of instructions ([`effect`], [`dead`]). Values are built from
//! persistent collections ([`collection`]), whose updates cost logarithmic time and memory.

pub mod collection;
pub mod cycle;
pub mod dead;
pub mod draw;
pub mod effect;
pub mod engine;
mod frame;
pub mod memo;
pub mod meter;
pub mod observer;
pub mod sites;
pub mod undo;

pub use frame::Frame;
