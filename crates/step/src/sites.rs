//! The statements that executions have reached, for warnings that a verdict is vacuous.
//!
//! All threads of a search share the marks. A mark is written once and read afterwards, so that the cache line of a
//! site stays shared.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

const PASSED: u8 = 1;
const FAILED: u8 = 2;

/// Two marks for each site: an execution went on behind it, and an execution ended there.
#[derive(Debug, Default)]
pub struct Sites(Box<[AtomicU8]>);

impl Sites {
    /// This many sites, without marks.
    pub fn new(count: usize) -> Self {
        Sites((0..count).map(|_| AtomicU8::new(0)).collect())
    }

    /// Marks a site behind which the execution goes on.
    #[inline]
    pub fn pass(&self, site: u32) {
        self.mark(site, PASSED);
    }

    /// Marks a site at which the execution ends.
    #[inline]
    pub fn fail(&self, site: u32) {
        self.mark(site, FAILED);
    }

    #[inline]
    fn mark(&self, site: u32, mark: u8) {
        if let Some(marks) = self.0.get(site as usize)
            && marks.load(Relaxed) & mark == 0
        {
            marks.fetch_or(mark, Relaxed);
        }
    }

    fn marks(&self, site: u32) -> u8 {
        self.0.get(site as usize).map_or(0, |marks| marks.load(Relaxed))
    }

    /// Returns true if an execution has reached the site.
    pub fn is_reached(&self, site: u32) -> bool {
        self.marks(site) != 0
    }

    /// Returns true if executions have reached the site, and all of them ended there.
    pub fn ends_all(&self, site: u32) -> bool {
        self.marks(site) == FAILED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_remember_both_marks() {
        let sites = Sites::new(3);
        sites.fail(1);
        assert!(!sites.is_reached(0) && sites.is_reached(1) && sites.ends_all(1));
        sites.pass(1);
        assert!(sites.is_reached(1) && !sites.ends_all(1) && !sites.ends_all(2));
    }
}
