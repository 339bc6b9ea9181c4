//! The effects of an instruction, as data.
//!
//! Each instruction set has one function from an instruction to its [`Effect`], an exhaustive match: an
//! instruction that is not described there does not compile. Analyses read effects and never instructions:
//! [dead variables](crate::dead), and the [heights of the stack](check_stack), by which tests check the
//! descriptions themselves on real code.

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

/// The index of an instruction.
pub type Address = u32;

/// A variable that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A variable of the current call.
    Local(u32),
    /// A variable of the task: in P, of the machine.
    Task(u32),
    /// A variable that all tasks share.
    Shared(u32),
}

/// A successor of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The address of the next instruction.
    pub to: Address,
    /// The number of values pushed on this exit, after all operands were popped.
    pub pushes: u32,
}

/// The effect of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The number of operands popped.
    pub pops: u32,
    /// The successors. Empty if a call or task ends here.
    pub exits: SmallVec<[Exit; 2]>,
    /// The variables that may be read.
    pub reads: SmallVec<[Object; 2]>,
    /// The variables that are assigned to in every execution of the instruction.
    pub writes: SmallVec<[Object; 1]>,
    /// The addresses at which the task resumes if it stops here, or after a call.
    pub resumes: SmallVec<[Address; 1]>,
}

impl Effect {
    /// Pops and pushes this many values, and continues at this address.
    pub fn computes(pops: u32, pushes: u32, to: Address) -> Self {
        Effect { pops, exits: smallvec![Exit { to, pushes }], ..Effect::default() }
    }

    /// Ends a call or a task, and pops this many values.
    pub fn ends(pops: u32) -> Self {
        Effect { pops, ..Effect::default() }
    }

    /// May also jump to this address, with this many values pushed.
    #[must_use]
    pub fn or(mut self, to: Address, pushes: u32) -> Self {
        self.exits.push(Exit { to, pushes });
        self
    }

    /// Adds a variable that is read.
    #[must_use]
    pub fn reads(mut self, object: Object) -> Self {
        self.reads.push(object);
        self
    }

    /// Adds a variable that is assigned to.
    #[must_use]
    pub fn writes(mut self, object: Object) -> Self {
        self.writes.push(object);
        self
    }

    /// May stop, and resumes at this address.
    #[must_use]
    pub fn resumes(mut self, at: Address) -> Self {
        self.resumes.push(at);
        self
    }
}

/// The address at which the effects of code contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbalanced(pub Address);

/// Checks that each instruction of a body is reached with a unique height of the stack, and that the stack
/// never underflows.
pub fn check_stack(body: Range<Address>, effect: impl Fn(Address) -> Effect) -> Result<(), Unbalanced> {
    let mut heights = vec![None; body.len()];
    let mut open = vec![(body.start, 0)];
    while let Some((at, height)) = open.pop() {
        let place = at.checked_sub(body.start).map(|place| place as usize);
        let Some(known) = place.and_then(|place| heights.get_mut(place)) else { return Err(Unbalanced(at)) };
        match known {
            Some(known) if *known == height => continue,
            Some(_) => return Err(Unbalanced(at)),
            None => *known = Some(height),
        }
        let effect = effect(at);
        let left: u32 = height;
        let left = left.checked_sub(effect.pops).ok_or(Unbalanced(at))?;
        open.extend(effect.exits.iter().map(|exit| (exit.to, left + exit.pushes)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictory_stack_heights_are_found() {
        // Push; branch over a pop.
        let code = |second: Effect| {
            move |at: Address| match at {
                0 => Effect::computes(0, 2, 1),
                1 => second.clone(),
                2 => Effect::computes(1, 0, 3),
                _ => Effect::ends(0),
            }
        };
        let and_then = Effect::computes(1, 0, 3).or(2, 1);
        assert_eq!(check_stack(0..4, code(and_then)), Ok(()));
        let wrong = Effect::computes(1, 0, 2).or(3, 1);
        assert_eq!(check_stack(0..4, code(wrong)), Err(Unbalanced(3)));
        assert_eq!(check_stack(0..4, code(Effect::computes(3, 0, 2))), Err(Unbalanced(1)));
        assert_eq!(check_stack(0..4, code(Effect::computes(0, 0, 9))), Err(Unbalanced(9)));
    }
}
