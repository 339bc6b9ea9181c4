//! Whether a proof means something: from axioms that contradict each other, everything follows.

use crate::emit::Emitter;
use crate::inline::{Failure, Verifier};
use crate::logic::Logic;
use crate::solver::Solver;

impl Verifier<'_> {
    /// Whether the axioms that the solver was told contradict each other. They are asked about alone: what it was told
    /// besides is forgotten, so that there can be no further [`run`](Verifier::run).
    pub fn axioms_contradict(mut self, solver: &mut dyn Solver) -> Result<bool, Failure> {
        let told = self.executor.logic.asserted();
        if !self.started || told.is_empty() {
            return Ok(false);
        }
        let mut logic = Logic::new(self.executor.logic.program)?;
        told.into_iter().try_for_each(|axiom| logic.assert_axiom(axiom))?;
        let axioms = std::mem::take(&mut logic.axioms);
        let mut text = format!("(pop 1)\n(push 1)\n{}", std::mem::take(&mut logic.declarations));
        (self.executor.logic, self.emitter) = (logic, Emitter::default());
        self.assert(&axioms, &mut text)?;
        solver.tell(&text)?;
        solver.hurry(true)?;
        let contradict = self.is_impossible(solver)?;
        solver.hurry(false)?;
        Ok(contradict)
    }
}
