//! Footprints: the objects that a step reads and writes.
//!
//! Two steps of different tasks commute if their footprints do not conflict. A program that does not know
//! the objects of a step reports all of them, which conflicts with every step whose footprint is not empty.

/// An object that steps read and write: a variable, a queue, a task. The program numbers its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object(pub u64);

/// The objects that a step reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    reads: Vec<Object>,
    writes: Vec<Object>,
    everything: bool,
}

impl Footprint {
    /// The step reads an object.
    pub fn reads(&mut self, object: Object) {
        self.reads.push(object);
    }

    /// The step writes an object.
    pub fn writes(&mut self, object: Object) {
        self.writes.push(object);
    }

    /// The step may touch every object.
    pub fn touches_everything(&mut self) {
        self.everything = true;
    }

    /// Returns true if the step may touch every object.
    pub fn touches_all(&self) -> bool {
        self.everything
    }

    /// Returns true if the step touches no object that other tasks see.
    pub fn is_empty(&self) -> bool {
        !self.everything && self.reads.is_empty() && self.writes.is_empty()
    }

    /// Returns true if one of the two steps writes an object that the other reads or writes.
    pub fn conflicts(&self, other: &Self) -> bool {
        if self.everything || other.everything {
            return !self.is_empty() && !other.is_empty();
        }
        let touches = |one: &Self, object| one.reads.contains(object) || one.writes.contains(object);
        self.writes.iter().any(|object| touches(other, object))
            || other.writes.iter().any(|object| touches(self, object))
    }

    /// Empties the footprint, and keeps its allocation.
    pub fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.everything = false;
    }
}

/// Buffers for two footprints.
#[derive(Clone, Debug, Default)]
pub struct Footprints {
    /// Of the next step of a task.
    pub step: Footprint,
    /// Of everything that the other tasks may do before it.
    pub others: Footprint,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footprint(reads: &[u64], writes: &[u64]) -> Footprint {
        let mut footprint = Footprint::default();
        reads.iter().for_each(|object| footprint.reads(Object(*object)));
        writes.iter().for_each(|object| footprint.writes(Object(*object)));
        footprint
    }

    #[test]
    fn steps_conflict_where_one_writes_what_the_other_touches() {
        let mut everything = Footprint::default();
        everything.touches_everything();
        for (one, other, conflict) in [
            (footprint(&[1, 2], &[]), footprint(&[2], &[]), false),
            (footprint(&[1], &[2]), footprint(&[2], &[]), true),
            (footprint(&[], &[2]), footprint(&[], &[2]), true),
            (footprint(&[], &[1]), footprint(&[3], &[2]), false),
            (footprint(&[1], &[]), everything.clone(), true),
            (everything.clone(), everything.clone(), true),
            (footprint(&[], &[]), everything.clone(), false),
        ] {
            assert_eq!(one.conflicts(&other), conflict, "{one:?} {other:?}");
            assert_eq!(other.conflicts(&one), conflict, "{other:?} {one:?}");
        }
        everything.clear();
        assert!(everything.is_empty());
    }
}
