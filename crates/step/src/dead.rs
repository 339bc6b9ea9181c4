//! Dead-variable analysis: finds variables that are not read before they are assigned to again.
//!
//! Where a task stops, its dead variables are reset, so that states which differ only in them are equal.
//! This is the classic backward data-flow analysis, one body at a time, over the [effects](crate::effect)
//! of instructions.
//!
//! The analysis is sound only if the effects list every variable that an instruction reads. Property tests
//! compare explorations with and without it.

use std::ops::Range;

use crate::effect::{Address, Effect, Object};

/// The limit on the size of an analysis, in words. In larger bodies, no variable is dead.
const MOST_WORDS: usize = 1 << 22;

/// For each address at which a task may resume, the dead locals of its call.
#[derive(Clone, Debug, Default)]
pub struct Dead {
    /// By address: the index of a list.
    of: Vec<u32>,
    /// The first list is empty.
    lists: Vec<Box<[u32]>>,
}

impl Dead {
    /// An analysis of code of this length in which nothing is dead.
    pub fn nothing(length: usize) -> Self {
        Dead { of: vec![0; length + 1], lists: vec![Box::default()] }
    }

    /// The dead locals at an address.
    #[inline]
    pub fn at(&self, address: Address) -> &[u32] {
        &self.lists[self.of[address as usize] as usize]
    }

    /// Analyses a body whose calls have this many locals.
    pub fn analyse(&mut self, body: Range<Address>, locals: u32, effect: impl Fn(Address) -> Effect) {
        let Some(live) = Live::of(body.clone(), locals, effect) else { return };
        let mut resumed: Vec<Address> =
            live.effects.iter().flat_map(|effect| effect.resumes.iter().copied()).collect();
        resumed.sort_unstable();
        resumed.dedup();
        for address in resumed.into_iter().filter(|address| body.contains(address)) {
            let dead: Box<[u32]> = (0..locals).filter(|local| !live.contains(address, *local)).collect();
            if !dead.is_empty() {
                self.of[address as usize] = self.lists.len() as u32;
                self.lists.push(dead);
            }
        }
    }
}

/// For each instruction of a body, the locals that may be read from there on.
struct Live {
    first: Address,
    effects: Vec<Effect>,
    /// The number of words of a set.
    words: usize,
    /// The sets, concatenated; the last one is that of the end of the body.
    sets: Vec<u64>,
}

fn bit(local: u32) -> (usize, u64) {
    (local as usize / 64, 1 << (local % 64))
}

impl Live {
    fn of(body: Range<Address>, locals: u32, effect: impl Fn(Address) -> Effect) -> Option<Self> {
        let words = locals.div_ceil(64) as usize;
        let size = (body.len() + 1).checked_mul(words).filter(|size| (1..=MOST_WORDS).contains(size))?;
        let effects: Vec<Effect> = body.clone().map(effect).collect();
        let mut this = Live { first: body.start, effects, words, sets: vec![0; size] };
        while this.pass() {}
        Some(this)
    }

    fn set(&self, address: Address) -> &[u64] {
        let from = address.checked_sub(self.first).map_or(self.effects.len(), |nth| nth as usize);
        let from = from.min(self.effects.len()) * self.words;
        &self.sets[from..from + self.words]
    }

    fn contains(&self, address: Address, local: u32) -> bool {
        let (word, bit) = bit(local);
        self.set(address)[word] & bit != 0
    }

    /// Passes backward through the body once. Returns true if a set has grown.
    fn pass(&mut self) -> bool {
        let mut changed = false;
        let mut live = vec![0; self.words];
        for nth in (0..self.effects.len()).rev() {
            live.fill(0);
            self.before(nth, &mut live);
            let set = &mut self.sets[nth * self.words..(nth + 1) * self.words];
            changed |= *set != live[..];
            set.copy_from_slice(&live);
        }
        changed
    }

    /// Computes the locals that are live before an instruction.
    fn before(&self, nth: usize, live: &mut [u64]) {
        let effect = &self.effects[nth];
        for exit in &effect.exits {
            live.iter_mut().zip(self.set(exit.to)).for_each(|(a, b)| *a |= b);
        }
        for object in &effect.writes {
            if let Object::Local(local) = *object {
                let (word, bit) = bit(local);
                live[word] &= !bit;
            }
        }
        for object in &effect.reads {
            if let Object::Local(local) = *object {
                let (word, bit) = bit(local);
                live[word] |= bit;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x := …; stop; while (…) { stop; use x } stop; use y`
    #[test]
    fn variables_that_are_not_read_again_are_dead() {
        let (x, y) = (Object::Local(0), Object::Local(1));
        let effect = |at: Address| match at {
            0 => Effect::computes(1, 0, 1).writes(x),
            1 => Effect::computes(0, 0, 2).resumes(2),
            2 => Effect::computes(1, 0, 3).or(5, 0),
            3 => Effect::computes(0, 0, 4).resumes(4),
            4 => Effect::computes(0, 1, 2).reads(x),
            5 => Effect::computes(0, 0, 6).resumes(6),
            6 => Effect::computes(0, 1, 7).reads(y),
            _ => Effect::ends(1),
        };
        let mut dead = Dead::nothing(8);
        dead.analyse(0..8, 70, effect);
        let short =
            |at: Address| -> Vec<u32> { dead.at(at).iter().copied().filter(|local| *local < 3).collect() };
        assert_eq!(short(2), [2]);
        assert_eq!(short(4), [2]);
        assert_eq!(short(6), [0, 2]);
        assert!(dead.at(0).is_empty() && dead.at(6).contains(&69));
    }
}
