//! Contradictions between axioms: a proof from them means little.
//!
//! Many programs have axioms that are contradictory as formulas: a quotient is described for a divisor of 0, too, or a length is
//! said not to be negative in a datatype whose field may be. Solvers that use axioms only where their triggers occur do not see
//! such a contradiction, unless they search long enough. So axioms are checked by themselves, with *probes*: their instances for 0,
//! for -1, and for arbitrary values. Probes follow from the axioms, and are terms on which triggers act.
//!
//! If there is a contradiction, the program can still be proved with [`only_triggers`](crate::InlineOptions::only_triggers). Then the
//! axioms are checked together with the terms of the program, but without the claim that it fails.

use crate::emit::Emitter;
use crate::inline::{NoAnswer, Verifier};
use crate::logic::Logic;
use crate::pointwise::replace;
use crate::solver::{QueryMode, Solver};
use crate::term::{Node, Sort, Term};

/// The most axioms that have probes.
const MOST_PROBED: usize = 1000;

/// The formulas that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theory {
    /// Axioms.
    Axioms,
    /// Definitions of recursive functions.
    Definitions,
    /// Both, together.
    Both,
    /// Unique constants: there are more than their type has values.
    Constants,
}

impl Logic<'_> {
    /// Instances of quantified formulas: for numbers that definitions tend to forget, and for arbitrary values.
    fn probes(&mut self, stated: &[Term]) -> Vec<Term> {
        let mut probes = Vec::new();
        for axiom in stated.iter().take(MOST_PROBED) {
            let Node::Quantified(head, vars, body, _) = self.terms.node(*axiom).clone() else { continue };
            if !self.terms.text(head).starts_with("forall") {
                continue;
            }
            for number in [Some(0), Some(-1), None] {
                let mut instance = body;
                for var in &vars {
                    let sort = self.terms.sort_of(*var);
                    let value = match number {
                        Some(number) if sort == Sort::INT => self.terms.int(number),
                        _ => self.unknown("probe", sort),
                    };
                    instance = replace(&mut self.terms, instance, *var, value);
                }
                // Quantifiers inside are left alone, also if they use the variables.
                if !self.terms.is_open(instance) {
                    probes.push(instance);
                }
            }
        }
        probes
    }
}

impl Verifier<'_> {
    /// Checks whether the axioms that were sent, or the definitions of recursive functions, contradict each other. The solver
    /// forgets everything else, so that there can be no further [`run`](Verifier::run).
    pub fn contradiction(mut self, solver: &mut dyn Solver) -> Result<Option<Theory>, NoAnswer> {
        let logic = &mut self.executor.logic;
        let theory = match (logic.waiting.iter().any(Option::is_none), logic.defines) {
            _ if !self.started => return Ok(None),
            (false, false) if logic.has_unique() => Theory::Constants,
            (false, false) => return Ok(None),
            (true, false) => Theory::Axioms,
            (false, true) => Theory::Definitions,
            (true, true) => Theory::Both,
        };
        let mut stated = std::mem::take(&mut logic.stated);
        if self.only_triggers {
            // Triggers act on the terms of the program, too, whether it fails or not.
            let either = logic.unknown("either", Sort::BOOL);
            let program = logic.terms.eq(either, self.fails);
            stated.push(program);
        } else {
            let probes = logic.probes(&stated);
            stated.extend(probes);
        }
        logic.take_declarations();
        let mut text = format!("(pop 1)\n(push 1)\n{}", logic.declared);
        self.emitter = Emitter::default();
        self.assert(&stated, &mut text)?;
        solver.send(&text)?;
        solver.set_mode(if self.only_triggers { QueryMode::Triggers } else { QueryMode::Limited })?;
        let contradict = self.is_impossible(solver)?;
        solver.set_mode(QueryMode::Models)?;
        Ok(contradict.then_some(theory))
    }
}
