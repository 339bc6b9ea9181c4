//! Observers: what an explanation needs to see of a step.

/// Watches a step. Most steps are watched by the observer `()`, which costs nothing; one that is watched follows a given
/// path, and makes no choices of its own.
pub trait Observer<N> {
    /// True if it looks at anything.
    const WATCHES: bool;

    /// Something happened.
    fn note(&mut self, note: N);
}

impl<N> Observer<N> for () {
    const WATCHES: bool = false;

    #[inline]
    fn note(&mut self, _: N) {}
}

impl<N, O: Observer<N>> Observer<N> for &mut O {
    const WATCHES: bool = O::WATCHES;

    #[inline]
    fn note(&mut self, note: N) {
        (**self).note(note);
    }
}
