//! Statements that make a verdict vacuous: assertions that no execution has reached, and assumptions that have discarded
//! every execution that reached them.

use dally_text::source::Span;

use crate::Machine;
use crate::code::Site;

impl Machine {
    /// The assertions that no execution has reached so far, in the order of the text.
    pub fn unreached_assertions(&self) -> Vec<Span> {
        self.spans_of_sites(|number, site| match site {
            Site::Assertion(span) => (!self.store.sites.is_reached(number)).then_some(span),
            Site::Assumption(_) => None,
        })
    }

    /// The assumptions that have discarded every execution so far that reached them, in the order of the text.
    pub fn discarding_assumptions(&self) -> Vec<Span> {
        self.spans_of_sites(|number, site| match site {
            Site::Assumption(span) => self.store.sites.ends_all(number).then_some(span),
            Site::Assertion(_) => None,
        })
    }

    /// The spans that `select` picks from the sites, in the order of the text.
    fn spans_of_sites(&self, select: impl Fn(u32, Site) -> Option<Span>) -> Vec<Span> {
        let sites = (0_u32..).zip(&self.code.sites);
        let mut spans: Vec<Span> = sites.filter_map(|(number, site)| select(number, *site)).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }
}
