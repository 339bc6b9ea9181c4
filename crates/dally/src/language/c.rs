//! C programs: preprocessed, parsed, and lowered to Boogie.

use std::sync::Arc;

use dally_bpl::Program;
use dally_c::library::{self, LibraryOptions};
use dally_c::{Caveat, LowerOptions, Lowered, ParseOptions, Unit};
use dally_interp::{Inputs, Machine};
use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;
use dally_trace::Source;

use super::{Compiled, Explorable, LoadedProgram};
use crate::cli::{CArgs, ExternalArg, ProgramArgs};
use crate::input::Rejected;
use crate::preprocess::{self, Allowed};

struct Loaded {
    sources: SourceMap,
    program: Program,
    notation: Arc<Notation>,
    warnings: Vec<Diagnostic>,
    caveats: Vec<Caveat>,
    inputs: Option<Inputs>,
}

pub(super) fn load(arguments: &ProgramArgs) -> Result<Box<dyn LoadedProgram>, Rejected> {
    let units = preprocess::preprocess(&arguments.files, &arguments.c)?;
    let mut sources = SourceMap::default();
    match read(&units, arguments, &mut sources) {
        Ok((Lowered { program, notation, caveats, .. }, warnings)) => {
            let notation = Arc::new(Notation(notation));
            Ok(Box::new(Loaded { sources, program, notation, warnings, caveats, inputs: None }))
        }
        Err(diagnostics) => Err(Rejected { sources, diagnostics }),
    }
}

/// Parses and lowers the units. Returns the warnings of all passes.
fn read(
    units: &[Unit],
    arguments: &ProgramArgs,
    sources: &mut SourceMap,
) -> Result<(Lowered, Vec<Diagnostic>), Vec<Diagnostic>> {
    let c = &arguments.c;
    let library = LibraryOptions {
        spurious: c.spurious,
        reuse: c.reuse,
        overflow: c.overflow,
        ..LibraryOptions::of(units.iter().map(|unit| unit.text.as_str()))
    };
    let prelude = [Unit { name: "<library>".to_owned(), text: library::prelude(&library) }];
    let allowed = Allowed::new(&arguments.files, c);
    let options = ParseOptions { model: c.model(), prelude: &prelude };
    let parsed = dally_c::parse(units, sources, &mut |name| allowed.read(name), &options)?;
    let lowered = dally_c::lower(&parsed.program, &lower_options(c))?;
    let mut warnings = parsed.warnings;
    warnings.extend(lowered.warnings.iter().cloned());
    Ok((lowered, warnings))
}

fn lower_options(c: &CArgs) -> LowerOptions {
    LowerOptions {
        nondet: c.nondet.map(|values| (values.low, values.high)),
        overflow: c.overflow,
        external_unsupported: c.external == Some(ExternalArg::Unsupported),
        spurious: c.spurious,
        reuse: c.reuse,
        atomic_width: c.atomic_width,
        symbolic: c.all_values,
    }
}

impl LoadedProgram for Loaded {
    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn caveats(&self) -> &[Caveat] {
        &self.caveats
    }

    fn boogie(&self) -> Option<&Program> {
        Some(&self.program)
    }

    fn notation(&self) -> Option<Arc<dyn dally_interp::Notation>> {
        Some(self.notation.clone())
    }

    fn fix_inputs(&mut self, inputs: &serde_json::Value) -> Result<(), String> {
        self.inputs = Some(super::boogie::read_inputs(inputs, &self.program)?);
        Ok(())
    }

    fn compile(&self, arguments: &ProgramArgs) -> Result<Box<dyn Explorable>, Vec<Diagnostic>> {
        let options = dally_interp::MachineOptions {
            inputs: self.inputs.clone(),
            notation: self.notation(),
            ..dally_interp::MachineOptions::default()
        };
        let machine = Machine::new(&self.program, &self.sources, &options)?;
        let source = Source { entry: None, preempt: false, test: None, ..arguments.source(&self.sources) };
        Ok(Box::new(Compiled { machine, source }))
    }
}

/// The notation of C, for the interpreter.
#[derive(Debug)]
struct Notation(dally_c::notation::Notation);

impl dally_interp::Notation for Notation {
    fn number(&self, ty: u32, number: i128) -> String {
        self.0.number(ty, number)
    }

    fn address(&self, address: i128) -> String {
        self.0.address(address)
    }

    fn print(&self, format: &str, arguments: &[Option<i128>]) -> String {
        self.0.print(format, arguments)
    }
}
