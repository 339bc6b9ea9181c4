//! Bytes: `memcpy`, `memmove` and `memset`, in pieces between which other threads may run.
//!
//! A piece ends where a word ends: the cells of pointers stay whole.

use dally_bpl::ast::BinaryOp;

use super::Lowerer;
use super::term::{self, T};

/// The number of bytes that are copied or filled in one step.
const PIECE: i128 = 8;

impl Lowerer<'_> {
    /// The most bytes of a piece.
    fn piece(&self) -> i128 {
        self.options.atomic_width.map_or(PIECE, |bits| i128::from(bits) / 8)
    }

    /// Returns true if other threads may run between the pieces.
    fn has_pieces(&self, size: &T) -> bool {
        let small = size.as_int().is_some_and(|n| n <= self.piece());
        // Only the function of the library around it makes it atomic.
        let may_interrupt = self.proc.atomic == 0 || self.proc.atomic == 1 && self.library_depth() == 1;
        self.facts.threaded && may_interrupt && !small
    }

    /// `memmove`. Where the areas overlap, the end that would be overwritten is copied first.
    pub(super) fn move_bytes(&mut self, to: &T, from: &T, size: &T) {
        if !self.has_pieces(size) {
            return self.copy_bytes(to, from, size);
        }
        let (to, from, size) =
            (self.stable(to.clone()), self.stable(from.clone()), self.stable(size.clone()));
        let atomic = std::mem::replace(&mut self.proc.atomic, 0);
        let lt = |a: &T, b: &T| term::binary(BinaryOp::Lt, a.clone(), b.clone());
        let overwrites = term::and(lt(&from, &to), lt(&to, &term::add(from.clone(), size.clone())));
        let overwrites = self.expr(&overwrites, true);
        let copy = |l: &mut Self, at: &T, n: &T| {
            let after = |address: &T| term::add(address.clone(), at.clone());
            l.copy_bytes(&after(&to), &after(&from), n);
        };
        self.begin();
        self.descending_pieces(&from, &size, copy);
        let descending = self.end();
        self.begin();
        self.ascending_pieces(&from, &size, copy);
        let ascending = self.end();
        self.push_if(overwrites, descending, ascending);
        self.proc.atomic = atomic;
    }

    /// `memset`
    pub(super) fn fill(&mut self, pointer: &T, byte: &T, size: &T) {
        let (pointer, size) = (self.stable(pointer.clone()), self.stable(size.clone()));
        let byte = self.stable(term::binary(BinaryOp::Mod, byte.clone(), term::int(256)));
        if !self.has_pieces(&size) {
            return self.fill_bytes("$fill", &pointer, &byte, &size);
        }
        let atomic = std::mem::replace(&mut self.proc.atomic, 0);
        self.ascending_pieces(&pointer, &size, |l, at, n| {
            let pointer = l.stable(term::add(pointer.clone(), at.clone()));
            l.fill_bytes("$fill_piece", &pointer, &byte, n);
        });
        self.proc.atomic = atomic;
    }

    /// `while (done < size) { …; done := done + n; }`, where a piece of n bytes begins at `done`.
    fn ascending_pieces(&mut self, start: &T, size: &T, piece: impl Fn(&mut Self, &T, &T)) {
        let done = self.temporary(false);
        self.set(done, &term::int(0));
        let done_term = term::var(done);
        let more = term::binary(BinaryOp::Lt, done_term.clone(), size.clone());
        let more = self.expr(&more, true);
        self.begin();
        let most = term::int(self.piece());
        let used = term::binary(BinaryOp::Mod, term::add(start.clone(), done_term.clone()), most.clone());
        let n = self.least(term::sub(size.clone(), done_term.clone()), term::sub(most, used));
        piece(self, &done_term, &n);
        self.set(done, &term::add(done_term, n));
        let body = self.end();
        self.push_while(more, body);
    }

    /// `while (left > 0) { left := left - n; … }`, where a piece of n bytes begins at `left`.
    fn descending_pieces(&mut self, start: &T, size: &T, piece: impl Fn(&mut Self, &T, &T)) {
        let left = self.temporary(false);
        self.set(left, size);
        let left_term = term::var(left);
        let more = term::binary(BinaryOp::Gt, left_term.clone(), term::int(0));
        let more = self.expr(&more, true);
        self.begin();
        let most = term::int(self.piece());
        let last = term::sub(term::add(start.clone(), left_term.clone()), term::int(1));
        let used = term::add(term::binary(BinaryOp::Mod, last, most), term::int(1));
        let n = self.least(left_term.clone(), used);
        self.set(left, &term::sub(left_term.clone(), n.clone()));
        piece(self, &left_term, &n);
        let body = self.end();
        self.push_while(more, body);
    }

    fn least(&mut self, a: T, b: T) -> T {
        let (a, b) = (self.stable(a), self.stable(b));
        let smaller = term::binary(BinaryOp::Lt, a.clone(), b.clone());
        self.stable(term::ite(smaller, a, b))
    }

    /// `memmove` in one step, with checks.
    pub(super) fn copy_bytes(&mut self, to: &T, from: &T, size: &T) {
        if size.as_int() == Some(0) {
            return;
        }
        let (to, from, size) =
            (self.stable(to.clone()), self.stable(from.clone()), self.stable(size.clone()));
        self.scheduling_point();
        self.when_some(&size, |l| {
            l.check_access(&from, &size);
            l.check_access(&to, &size);
            l.call(Vec::new(), "$copy", &[to.clone(), from.clone(), size.clone()]);
        });
    }

    /// `memset` in one step, with checks. The operands are stable.
    fn fill_bytes(&mut self, procedure: &str, pointer: &T, byte: &T, size: &T) {
        self.scheduling_point();
        self.when_some(size, |l| {
            l.check_access(pointer, size);
            l.call(Vec::new(), procedure, &[pointer.clone(), byte.clone(), size.clone()]);
        });
    }

    /// Checks that bytes belong to an object, if there are any.
    pub(super) fn access_bytes(&mut self, pointer: &T, size: &T) {
        let (pointer, size) = (self.stable(pointer.clone()), self.stable(size.clone()));
        self.scheduling_point();
        self.when_some(&size, |l| l.check_access(&pointer, &size));
    }

    fn when_some(&mut self, size: &T, then: impl FnOnce(&mut Self)) {
        let some = term::binary(BinaryOp::Gt, size.clone(), term::int(0));
        self.when(&some, then);
    }
}
