//! Observers: explanations watch the execution of a step.

/// Watches a step. Most steps run with the observer `()`, which costs nothing. A watched step follows a
/// given path, so the observer sees no backtracking.
pub trait Observer<N> {
    /// True if it uses the notes.
    const WATCHES: bool;

    /// Receives a note.
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
