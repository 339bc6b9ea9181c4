//! The instructions and statements that executions have reached, for coverage, and for warnings that a verdict is
//! vacuous.
//!
//! All threads of a search share the marks. A mark is written once and read afterwards, so that the cache line of a
//! site stays shared. Only instructions after which control may go elsewhere are marked, and where a step begins:
//! [`Sites::reached`] derives all others, so that marks cost little and are always on.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

const PASSED: u8 = 1;
const FAILED: u8 = 2;
const ENTERED: u8 = 4;

/// Three marks for each site: an execution went on behind it; an execution ended there, or jumped; an execution came
/// from elsewhere.
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

    /// Marks a condition: the execution goes on behind it, or ends or jumps there.
    #[inline]
    pub fn decide(&self, site: u32, goes_on: bool) {
        self.mark(site, if goes_on { PASSED } else { FAILED });
    }

    /// Marks a site to which control comes from elsewhere: by a call, a return, a choice, or at the beginning of a step.
    #[inline]
    pub fn enter(&self, site: u32) {
        self.mark(site, ENTERED);
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
        self.marks(site) & (PASSED | FAILED) == FAILED
    }

    /// Returns true if an execution went on behind the site.
    pub fn is_passed(&self, site: u32) -> bool {
        self.marks(site) & PASSED != 0
    }

    /// Returns true if an execution ended at the site, or jumped there.
    pub fn is_left(&self, site: u32) -> bool {
        self.marks(site) & FAILED != 0
    }

    /// Returns true if control came to the site from elsewhere.
    pub fn is_entered(&self, site: u32) -> bool {
        self.marks(site) & ENTERED != 0
    }

    /// The sites that executions have reached, if sites are addresses. `next` lists the addresses to which control
    /// certainly went after an instruction that was reached.
    pub fn reached(&self, next: impl Fn(u32, &mut Vec<u32>)) -> Vec<bool> {
        let mut reached = vec![false; self.0.len()];
        let mut todo: Vec<u32> = (0..self.0.len() as u32).filter(|site| self.is_reached(*site)).collect();
        while let Some(site) = todo.pop() {
            if let Some(seen) = reached.get_mut(site as usize)
                && !std::mem::replace(seen, true)
            {
                next(site, &mut todo);
            }
        }
        reached
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

    #[test]
    fn what_follows_a_reached_site_is_reached() {
        // 0 is a jump to 2, 1 is not reached, 2 is a branch that is taken to 4 only, 3 is not reached.
        let sites = Sites::new(6);
        sites.enter(0);
        sites.fail(2);
        let reached = sites.reached(|site, todo| match site {
            0 => todo.push(2),
            2 => {
                todo.extend(sites.is_passed(2).then_some(3));
                todo.extend(sites.is_left(2).then_some(4));
            }
            _ => todo.push(site + 1),
        });
        assert_eq!(reached, [true, false, true, false, true, true]);
        assert!(sites.is_entered(0) && !sites.is_entered(2));
    }
}
