//! Contradictions between axioms: a proof from them means little.
//!
//! Many programs have axioms that are contradictory as formulas: a quotient is described for a divisor of 0, too, or a length is
//! said not to be negative in a datatype whose field may be. Solvers that use axioms only where their triggers occur do not see
//! such a contradiction, unless they search long enough. So axioms are checked by themselves, with *probes*: their instances for 0,
//! for -1, and for arbitrary values. Probes follow from the axioms, and are terms on which triggers act. They are only added where the
//! solver does not know without them. In the end the query of the proof is repeated: its unsatisfiable core must contain a part of
//! the claim that the program fails.
//!
//! If there is a contradiction, the program can still be proved with [`only_triggers`](crate::InlineOptions::only_triggers). Then the
//! axioms are checked together with the terms of the program, but without the claim that it fails.

use crate::emit::Emitter;
use crate::inline::{CLAIM, NoAnswer, Sat, Verifier};
use crate::logic::Logic;
use crate::pointwise::replace;
use crate::solver::{QueryMode, Solver, SolverError};
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
        let stated = std::mem::take(&mut logic.stated);
        // Triggers act on the terms of the program, too, whether it fails or not.
        let either = logic.unknown("either", Sort::BOOL);
        let program = logic.terms.eq(either, self.fails);
        // Each stage can keep the solver from a contradiction that it finds without.
        let stages = match self.only_triggers {
            true => vec![[stated, vec![program]].concat()],
            false => {
                let probes = logic.probes(&stated);
                vec![stated, vec![program], probes]
            }
        };
        logic.take_declarations();
        let mut text = format!("(pop 1)\n(push 1)\n{}", logic.declared);
        self.emitter = Emitter::default();
        solver.set_mode(if self.only_triggers { QueryMode::Triggers } else { QueryMode::Limited })?;
        let mut answer = Sat::Unknown;
        for stage in stages.into_iter().filter(|stage| !stage.is_empty()) {
            self.assert(&stage, &mut text)?;
            solver.send(&std::mem::take(&mut text))?;
            answer = self.check(&[], solver)?;
            if !matches!(answer, Sat::Unknown) {
                break;
            }
        }
        let contradict = match answer {
            Sat::Yes => false,
            Sat::No => true,
            Sat::Unknown => self.is_needless(solver)?,
        };
        Ok(contradict.then_some(theory))
    }

    /// True if the solver refutes the query of the proof without the claim that the program fails, by its unsatisfiable core. All
    /// else that was sent are axioms, and definitions of symbols that nothing else mentions.
    fn is_needless(&self, solver: &mut dyn Solver) -> Result<bool, NoAnswer> {
        if self.sent.is_empty() {
            return Ok(false);
        }
        let mut core = || -> Result<Option<String>, NoAnswer> {
            solver.send(&format!("(reset)\n(set-option :produce-unsat-cores true)\n{}", self.sent))?;
            if solver.query("(check-sat)\n")?.trim() != "unsat" {
                return Ok(None);
            }
            Ok(Some(solver.query("(get-unsat-core)\n")?))
        };
        match core() {
            Ok(core) => Ok(core.is_some_and(|core| !core.contains(CLAIM))),
            // A solver without unsatisfiable cores.
            Err(NoAnswer::Solver(SolverError::Broken(_))) => Ok(false),
            Err(other) => Err(other),
        }
    }
}
