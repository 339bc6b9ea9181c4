//! Statements that make a verdict vacuous: assertions that no execution has reached, and assumptions that have
//! discarded every execution that reached them.
//!
//! Not reported: `assert false` and `assume false` in a branch, which mark branches that are not taken or not of
//! interest, and assumptions at the beginning of an option of a nondeterministic choice, which are its guard.

use dally_text::source::Span;
use rustc_hash::FxHashSet;

use crate::Machine;
use crate::code::{Address, Code, Op};

impl Machine {
    /// The assertions that no execution has reached so far, in the order of the text.
    pub fn unreached_assertions(&self) -> Vec<Span> {
        let sites = &self.store.sites;
        let unreached = |address: Address| match self.code.plain[address as usize] {
            Op::Check(check) => {
                let check = &self.code.checks[check as usize];
                (check.expected && !sites.is_reached(address)).then_some(check.span)
            }
            _ => None,
        };
        in_order((0..self.code.plain.len() as Address).filter_map(unreached))
    }

    /// The assumptions that have discarded every execution so far that reached them, in the order of the text.
    pub fn discarding_assumptions(&self) -> Vec<Span> {
        let guards = guards(&self.code);
        let discards = |address: &Address| {
            is_assumption(self.code.plain[*address as usize])
                && self.store.sites.ends_all(*address)
                && !guards.contains(address)
                && !self.code.cuts.contains(address)
        };
        let addresses = (0..self.code.plain.len() as Address).filter(discards);
        in_order(addresses.map(|address| self.code.spans[address as usize]))
    }
}

fn in_order(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut spans: Vec<Span> = spans.filter(|span| *span != Span::NONE).collect();
    spans.sort_unstable();
    spans.dedup();
    spans
}

fn is_assumption(op: Op) -> bool {
    matches!(op, Op::Assume | Op::AssumeEq(_) | Op::AssumeIs(..))
}

/// The assumptions at the beginnings of options.
fn guards(code: &Code) -> FxHashSet<Address> {
    let mut guards = FxHashSet::default();
    for target in code.targets.iter().flatten() {
        let mut address = target.to as usize;
        // The instructions of a statement have its span.
        while let Some(span) = code.spans.get(address) {
            let end =
                (address..code.spans.len()).find(|a| code.spans[*a] != *span).unwrap_or(code.spans.len());
            let assumptions = (address..end).filter(|a| is_assumption(code.plain[*a]));
            let before = guards.len();
            guards.extend(assumptions.map(|a| a as Address));
            if guards.len() == before {
                break;
            }
            address = end;
        }
    }
    guards
}
