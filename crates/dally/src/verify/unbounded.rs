//! The second engine: a proof without a bound on recursion, beside the search for bugs.
//!
//! The program is sent to Z3 as Horn clauses (`dally_verify::horn_clauses`), for which its engine Spacer searches inductive
//! summaries of procedures and loops. A proof ends the bounded search.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use dally_smt::{Budget, Process};
use dally_verify::Solver;

/// A search for a proof, on a thread of its own. Dropping it ends the search.
pub(crate) struct Unbounded {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Unbounded {
    /// Starts the search with one of the solvers, if one of them is Z3. It sets `proved` once there is a proof.
    pub(crate) fn start(
        clauses: String,
        solvers: &[String],
        log: Option<Box<dyn Write + Send>>,
        budget: &Budget,
        proved: Arc<AtomicBool>,
    ) -> Self {
        let stop: Arc<AtomicBool> = Arc::default();
        let budget =
            Budget { query: None, cancelled: Arc::clone(&stop), decided: Arc::default(), ..budget.clone() };
        let solver = solvers.iter().find(|name| dally_smt::has_horn_clauses(name)).cloned();
        let search = move |solver: String| {
            let log = log.map(|log| log as Box<dyn Write>);
            let Ok(mut process) = Process::start(&solver, log, budget) else { return };
            let answer = process.send(&clauses).and_then(|()| process.query("(check-sat)\n"));
            if answer.is_ok_and(|answer| answer == "sat") {
                proved.store(true, Ordering::Relaxed);
            }
        };
        Unbounded { stop, thread: solver.map(|solver| std::thread::spawn(move || search(solver))) }
    }
}

impl Drop for Unbounded {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
