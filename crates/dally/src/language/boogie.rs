//! Boogie programs.

use dally_explore::StepLimits;
use dally_interp::{Inputs, Machine};
use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;
use dally_trace::Source;
use serde::Deserialize;

use super::{Compiled, Explorable, Interpreter, LoadedProgram, Vacuous};
use crate::cli::ProgramArgs;
use crate::input::{self, Accepted, Rejected};
use crate::outcome::SchedulingPoints;

struct Loaded {
    /// The files, and then the constraints.
    sources: SourceMap,
    /// The files alone.
    files: SourceMap,
    program: dally_bpl::Program,
    inputs: Option<Inputs>,
}

pub(super) fn load(arguments: &ProgramArgs) -> Result<Box<dyn LoadedProgram>, Rejected> {
    let Accepted { sources, mut program } = input::load(&arguments.files, dally_bpl::load)?;
    match prepared(&program, arguments) {
        Ok(Some(prepared)) => program = prepared,
        Ok(None) => {}
        Err(diagnostics) => return Err(Rejected { sources, diagnostics }),
    }
    Ok(Box::new(Loaded { files: sources.clone(), sources, program, inputs: None }))
}

/// The program as the verifier sees it, if that is another one: with assertions for constructors, without type variables, and
/// each procedure by itself.
fn prepared(
    program: &dally_bpl::Program,
    arguments: &ProgramArgs,
) -> Result<Option<dally_bpl::Program>, Vec<Diagnostic>> {
    let mut prepared = None;
    if arguments.monomorphic {
        prepared = dally_sequentialize::checked_unpacks(program);
        let instances = dally_sequentialize::monomorphic(prepared.as_ref().unwrap_or(program))?;
        prepared = instances.or(prepared);
    }
    if arguments.modular {
        prepared = Some(dally_sequentialize::modular(prepared.as_ref().unwrap_or(program))?);
    }
    Ok(prepared)
}

/// Reads the field `inputs` of a trace.
pub(super) fn read_inputs(
    inputs: &serde_json::Value,
    program: &dally_bpl::Program,
) -> Result<Inputs, String> {
    let mut inputs = Inputs::deserialize(inputs).map_err(|error| {
        // The message may quote the whole value.
        let why: String = error.to_string().chars().take(300).collect();
        format!("the `inputs` of the trace cannot be read: {why}")
    })?;
    match inputs.fit(program).first() {
        Some(message) => Err(format!("the `inputs` of the trace do not fit the program: {message}")),
        None => Ok(inputs),
    }
}

impl LoadedProgram for Loaded {
    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.program.warnings
    }

    fn boogie(&self) -> Option<&dally_bpl::Program> {
        Some(&self.program)
    }

    fn fix_inputs(&mut self, inputs: &serde_json::Value) -> Result<(), String> {
        self.inputs = Some(read_inputs(inputs, &self.program)?);
        Ok(())
    }

    fn constrain(&mut self, constraints: &[String]) -> Result<(), Rejected> {
        if constraints.is_empty() {
            return Ok(());
        }
        let first = self.sources.files().len();
        input::add_texts(&mut self.sources, "--constraint", constraints)?;
        let rejected = |diagnostics| Rejected { sources: self.sources.clone(), diagnostics };
        self.program.constrain(&self.sources, first).map_err(rejected)
    }

    fn compile(&self, arguments: &ProgramArgs) -> Result<Box<dyn Explorable>, Vec<Diagnostic>> {
        let options = dally_interp::MachineOptions {
            inputs: self.inputs.clone(),
            program: arguments.options(),
            notation: None,
        };
        let machine = Machine::new(&self.program, &self.sources, &options)?;
        let source = Source { test: None, ..arguments.source(&self.files) };
        Ok(Box::new(Compiled { machine, source }))
    }
}

impl Interpreter for Machine {
    fn limit_steps(&mut self, limits: StepLimits) {
        Machine::limit_steps(self, limits);
    }

    fn scheduling_points(&self) -> Option<SchedulingPoints> {
        self.is_concurrent().then_some(match (self.is_preempted(), self.has_notation()) {
            (_, true) => SchedulingPoints::Memory,
            (true, false) => SchedulingPoints::Accesses,
            (false, false) => SchedulingPoints::Explicit,
        })
    }

    /// The ranges of a C program are those of the lowering, not of the text.
    fn has_chosen_values(&self) -> bool {
        self.has_notation() && Machine::has_chosen_values(self)
    }

    fn vacuous(&self) -> Vacuous {
        Vacuous { unreached: self.unreached_assertions(), discarding: self.discarding_assumptions() }
    }
}
