//! The second engine: a proof without a bound on recursion, beside the search for bugs.
//!
//! The program is sent to Z3 as Horn clauses (`dally_verify::horn_clauses`), for which its engine Spacer searches inductive
//! summaries of procedures and loops. A proof ends the bounded search.

use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dally_counterexample::Translated;
use dally_smt::{Process, SolverBudget};
use dally_verify::{Answer, NoAnswer, Solver};

use super::engine::{self, Basis};
use super::stages::{Stages, solver_names};

/// A search for a proof with one of the solvers, if one of them is Z3.
pub(crate) struct Search {
    clauses: String,
    process: Process,
}

impl Search {
    pub(crate) fn new(
        stages: &Stages<'_>,
        text: &Translated<'_>,
        attempt: usize,
        decided: &Arc<AtomicBool>,
    ) -> Result<Self, NoAnswer> {
        let nothing = || NoAnswer::Unknown("no Horn clauses".to_owned());
        let limits = dally_verify::VerifyLimits {
            interrupt: Arc::clone(&stages.limits.interrupt),
            decided: Arc::clone(decided),
            ..Default::default()
        };
        let solvers = solver_names(&stages.arguments.solver);
        let solver = solvers.iter().find(|name| dally_smt::has_horn_clauses(name)).ok_or_else(nothing)?;
        let clauses = dally_verify::horn_clauses(text.program, text.root, &limits).ok_or_else(nothing)?;
        let folder = stages.arguments.smt_log.as_deref();
        let log = folder.map(|folder| {
            std::path::Path::new(folder).join(format!("{}-horn.smt2", stages.plan.file(attempt)))
        });
        let log = log.and_then(|path| std::fs::File::create(path).ok());
        let log = log.map(|file| Box::new(BufWriter::new(file)) as Box<dyn Write>);
        let budget = SolverBudget { query: None, decided: Arc::clone(decided), ..stages.budget.clone() };
        Ok(Search { clauses, process: Process::start(solver, log, budget)? })
    }
}

/// How a program was proved.
const SUMMARIES: &str = "for all iterations and recursion depths, by inductive summaries (Horn clauses)";

impl engine::Search for Search {
    fn basis(&self) -> Basis {
        Basis { summaries: Some(SUMMARIES.to_owned()), ..Basis::default() }
    }

    fn run(&mut self, _recursion: u32) -> Result<Answer, NoAnswer> {
        self.process.send(&self.clauses)?;
        match self.process.query("(check-sat)\n")?.as_str() {
            "sat" => Ok(Answer::Proved),
            other => Err(NoAnswer::Unknown(other.to_owned())),
        }
    }
}
