//! The inputs of an execution, as a model gives them.

use dally_bpl::Program;
use dally_bpl::check::VarId;
use dally_bpl::literal::Literal;
use dally_interp::{DivisionByZero, FunctionPoint, Inputs};
use dally_sequentialize::Origins;
use dally_text::symbol::Sym;
use dally_verify::{Binding, Failed, ModelValue, NoValue, Path, Site, StepKind};

use crate::script;

/// The program that the verifier saw.
#[derive(Clone, Copy, Debug)]
pub struct Translated<'p> {
    /// The program.
    pub program: &'p Program,
    /// The procedure in which it starts.
    pub root: Sym,
    /// The meanings of its parts in the original program.
    pub origins: &'p Origins,
    /// True if it is the original program, which needed no translation.
    pub sequential: bool,
}

impl Translated<'_> {
    /// The variable of the original program whose values a variable holds, by its name.
    pub(crate) fn variable(&self, var: VarId) -> Option<&str> {
        let name = self.origins.variable(self.program.info[var].name)?;
        Some(self.program.ast.text(name))
    }

    /// The variable of the original program that a variable is, by its name; none for a copy.
    pub(crate) fn own_variable(&self, var: VarId) -> Option<&str> {
        let name = self.program.info[var].name;
        (self.origins.variable(name) == Some(name)).then(|| self.program.ast.text(name))
    }
}

/// Reads off a path the inputs of the original program: the values and choices that it leaves open.
pub fn inputs(original: &Program, translated: &Translated<'_>, path: &Path) -> Inputs {
    let scripts = script::scripts(original, translated, path);
    let mut inputs = Inputs { scripts: scripts.scripts, entries: scripts.entries, ..Inputs::default() };
    for binding in bindings(path) {
        let (Some(name), Ok(value)) = (translated.variable(binding.var), &binding.value) else { continue };
        let known = inputs.variables.entry(name.to_owned()).or_default();
        if !known.contains(value) {
            known.push(value.clone());
        }
    }
    for Binding { var, value } in &path.constants {
        if let (Some(name), Ok(value)) = (translated.own_variable(*var), value) {
            inputs.constants.insert(name.to_owned(), value.clone());
        }
    }
    for application in &path.functions {
        let info = &translated.program.info[application.function];
        let function = translated.program.ast.text(info.name).to_owned();
        let args: Result<Vec<Literal>, NoValue> = application.args.iter().cloned().collect();
        if let (Ok(args), Ok(value)) = (args, &application.value) {
            let point = FunctionPoint { args, value: value.clone() };
            inputs.functions.entry(function).or_default().push(point);
        }
    }
    for Binding { var, value } in &path.witnesses {
        let name = translated.program.ast.text(translated.program.info[*var].name);
        inputs.witnesses.entry(name.to_owned()).or_default().extend(value.clone());
    }
    for division in &path.divisions {
        if let (Ok(dividend), Ok(value)) = (&division.dividend, &division.value) {
            let (dividend, value) = (dividend.clone(), value.clone());
            inputs.divisions.push(DivisionByZero { remainder: division.remainder, dividend, value });
        }
    }
    // A translation changes some types, and adds functions: values that do not fit the original program do not matter.
    inputs.fit(original);
    inputs
}

/// The values of variables on a path: of globals in the beginning, and wherever variables become arbitrary.
fn bindings(path: &Path) -> impl Iterator<Item = &Binding> {
    let steps = path.steps.iter().flat_map(|step| match &step.kind {
        StepKind::Enter { variables, .. } | StepKind::Havoc(variables) => &variables[..],
        _ => &[],
    });
    path.globals.iter().chain(steps)
}

/// The condition of the original program that fails at the end of a path.
///
/// A translation makes a conditional of each assertion; the last one that was taken is the one that fails.
pub fn failure(translated: &Translated<'_>, path: &Path) -> Failed {
    let raised = path.steps.iter().rev().find_map(|step| match (&step.kind, step.site) {
        (StepKind::Branch(true), Site::Statement(stmt)) => translated.origins.check(stmt),
        _ => None,
    });
    match raised {
        Some(check) => Failed { message: check.message, span: check.span },
        None => path.failure.clone(),
    }
}

/// Describes values on a path that are not usable, if there are any: an execution may depend on them.
pub fn unreadable(path: &Path) -> Option<&'static str> {
    let named = bindings(path).chain(&path.constants).chain(&path.witnesses).map(|b| &b.value);
    let points = path.functions.iter().flat_map(|f| f.args.iter().chain([&f.value]));
    let divisions = path.divisions.iter().flat_map(|d| [&d.dividend, &d.value]);
    named.chain(points).chain(divisions).find_map(describe)
}

fn describe(value: &ModelValue) -> Option<&'static str> {
    match value {
        Ok(_) | Err(NoValue::Arbitrary) => None,
        Err(NoValue::Irrational) => Some("that are not fractions"),
        Err(NoValue::TooLong) => Some("that have too many digits"),
        Err(NoValue::Formula) => Some("that it gives as formulas"),
    }
}
