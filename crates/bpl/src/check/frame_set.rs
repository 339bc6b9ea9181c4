//! Sets of global variables.

use std::sync::Arc;

use super::VarId;

/// A sorted set of variables. Clones share their memory.
///
/// The total size of all frames can be the number of procedures times the number of globals. A sparse bit set, in
/// words of 64 variables, is small both for few members and for nearly all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame(Arc<[Piece]>);

/// The members from `64 * index` on, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    index: u32,
    bits: u64,
}

impl Frame {
    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the variable is a member.
    pub(crate) fn contains(&self, var: VarId) -> bool {
        let place = self.0.binary_search_by_key(&(var.0 / 64), |p| p.index);
        place.is_ok_and(|i| self.0[i].bits >> (var.0 % 64) & 1 == 1)
    }

    /// The members, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        self.0.iter().flat_map(|p| bits(p.bits).map(|bit| VarId(p.index * 64 + bit)))
    }

    /// The members that are not in `other`.
    pub(super) fn without<'a>(&'a self, other: &'a Frame) -> impl Iterator<Item = VarId> + 'a {
        let rest = self.0.iter().map(|p| {
            let place = other.0.binary_search_by_key(&p.index, |q| q.index);
            (p.index, p.bits & !place.map_or(0, |i| other.0[i].bits))
        });
        rest.flat_map(|(index, rest)| bits(rest).map(move |bit| VarId(index * 64 + bit)))
    }
}

/// The indices of the set bits.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

impl IntoIterator for Frame {
    type Item = VarId;
    type IntoIter = std::vec::IntoIter<VarId>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

impl FromIterator<VarId> for Frame {
    fn from_iter<I: IntoIterator<Item = VarId>>(vars: I) -> Self {
        let mut union = Union::default();
        vars.into_iter().for_each(|var| union.add(var));
        union.take()
    }
}

/// A builder of frames; it reuses its memory for the next one.
#[derive(Debug, Default)]
pub(super) struct Union {
    words: Vec<u64>,
    /// The indices of the nonzero words.
    touched: Vec<u32>,
}

impl Union {
    pub(super) fn add(&mut self, var: VarId) {
        self.add_piece(Piece { index: var.0 / 64, bits: 1 << (var.0 % 64) });
    }

    pub(super) fn add_all(&mut self, frame: &Frame) {
        for piece in frame.0.iter() {
            self.add_piece(*piece);
        }
    }

    fn add_piece(&mut self, piece: Piece) {
        let place = piece.index as usize;
        if place >= self.words.len() {
            self.words.resize(place + 1, 0);
        }
        if self.words[place] == 0 {
            self.touched.push(piece.index);
        }
        self.words[place] |= piece.bits;
    }

    /// Takes the set; the builder is empty afterwards.
    pub(super) fn take(&mut self) -> Frame {
        self.touched.sort_unstable();
        let take = |index: u32| Piece { index, bits: std::mem::take(&mut self.words[index as usize]) };
        Frame(self.touched.drain(..).map(take).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_sets() {
        let frame = |vars: &[u32]| vars.iter().map(|v| VarId(*v)).collect::<Frame>();
        let a = frame(&[700, 3, 64, 3]);
        assert_eq!(a.iter().map(|v| v.0).collect::<Vec<_>>(), [3, 64, 700]);
        assert!(a.contains(VarId(64)) && !a.contains(VarId(65)) && !a.contains(VarId(10_000)));
        assert_eq!(a.without(&frame(&[3, 65])).map(|v| v.0).collect::<Vec<_>>(), [64, 700]);
        let mut union = Union::default();
        union.add_all(&a);
        union.add(VarId(4));
        assert_eq!(union.take(), frame(&[3, 4, 64, 700]));
        assert!(union.take().is_empty());
        assert_eq!(a.iter().count(), 3);
    }
}
