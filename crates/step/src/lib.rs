//! What the interpreters of languages share.
//!
//! A language describes its instructions; this crate executes a step of a task through all of its outcomes
//! ([`engine`]), with an undo log ([`undo`]), fuel and limits ([`meter`]), detection of cycles inside a step
//! ([`cycle`]) and observers for explanations ([`observer`]). Results that come up again are kept in a cache
//! ([`memo`]). Analyses work on the effects of instructions ([`effect`], [`dead`]). Values of languages are made of
//! persistent collections ([`collection`]), whose updates cost logarithmic time and memory.

pub mod collection;
pub mod cycle;
pub mod dead;
pub mod effect;
pub mod engine;
mod frame;
pub mod memo;
pub mod meter;
pub mod observer;
pub mod undo;

pub use frame::Frame;
