//! Scripts: the decisions of tasks at nondeterministic choices, given in the inputs.
//!
//! Only decisions at statements in the source text are given. A task keeps its script and its position in
//! it in a hidden thread-local variable. An execution in which the program deviates from the script is
//! discarded.

use dally_bpl::check::{ProcedureId, Ty, VarId};
use dally_bpl::literal::Literal;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Compiler, Meaning};
use crate::code::{Op, VarStorage, Variable};
use crate::script::{Act, Scripts, Site};
use crate::value::Value;

/// The decisions of a task, in order.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The procedure of the task.
    pub procedure: String,
    /// The decisions.
    pub decisions: Vec<Decision>,
}

/// A decision at a nondeterministic choice. Its span is that of the statement; for a decision about a
/// procedure as a whole, that of the procedure's name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// An option of a choice is selected, counted from 0.
    Choose(Span, usize),
    /// Variables get these values.
    Set(Span, Vec<(String, Literal)>),
    /// A procedure is entered in which variables have these initial values.
    Enter(Span, Vec<(String, Literal)>),
    /// A task is posted that follows this script.
    Post(usize),
}

/// A variable that gets values from scripts.
pub(super) struct ScriptTarget {
    pub(super) name: Sym,
    pub(super) ty: Ty,
    /// Where its value is stored.
    pub(super) place: VarStorage,
}

/// The compiler's tables of scripts.
#[derive(Default)]
pub(super) struct Scripting {
    /// For each site in the text, its decisions: the script and the index in it.
    decisions: FxHashMap<(Site, Span), Vec<(usize, usize)>>,
    /// The sites compiled so far, by number.
    places: Vec<(Site, Span)>,
    acts: Vec<Vec<Option<Act>>>,
    /// The thread-local variable that holds a task's position in its script.
    position: u32,
}

impl Compiler<'_> {
    /// Prepares the tables, if there are scripts.
    pub(super) fn place_scripts(&mut self) {
        let Some(inputs) = self.options.inputs.as_ref().filter(|i| !i.scripts.is_empty()) else { return };
        let mut scripting = Scripting::default();
        for (nth, script) in inputs.scripts.iter().enumerate() {
            let mut acts = Vec::new();
            for (at, decision) in script.decisions.iter().enumerate() {
                let (site, span) = match decision {
                    Decision::Choose(span, _) => (Site::Choose, *span),
                    Decision::Set(span, _) => (Site::Set, *span),
                    Decision::Enter(span, _) => (Site::Enter, *span),
                    Decision::Post(task) => {
                        acts.push(Some(Act::Post(*task as u32)));
                        continue;
                    }
                };
                scripting.decisions.entry((site, span)).or_default().push((nth, at));
                acts.push(None);
            }
            scripting.acts.push(acts);
        }
        scripting.position = self.code.thread_locals.len() as u32;
        let name = self.frame.name;
        self.code.thread_locals.push(Variable::hidden(name));
        self.scripting = Some(scripting);
        for index in 0..self.code.globals.len() {
            self.code.globals[index].given = Some(self.code.globals.len() as u32);
            let name = self.code.globals[index].name;
            self.code.globals.push(Variable::hidden(name));
        }
    }

    /// Allocates, for each variable of the procedure, a hidden variable for its initial value.
    pub(super) fn declare_given(&mut self) {
        if self.scripting.is_none() {
            return;
        }
        for index in 0..self.frame.variables.len() {
            let VarStorage::Local(given) = self.hidden(self.frame.name) else { continue };
            self.frame.variables[index].given = Some(given);
        }
    }

    /// The number of a decision site; `None` if there are no scripts.
    fn place_number(&mut self, site: Site, span: Span) -> Option<u32> {
        let places = &mut self.scripting.as_mut()?.places;
        let known = places.iter().position(|p| *p == (site, span));
        Some(known.unwrap_or_else(|| {
            places.push((site, span));
            places.len() - 1
        }) as u32)
    }

    /// The decisions at a site, each with its script and index.
    fn decisions_at(&self, site: Site, span: Span) -> Vec<((usize, usize), Decision)> {
        let scripting = self.scripting.as_ref().and_then(|s| s.decisions.get(&(site, span)));
        let scripts = self.options.inputs.as_ref().map_or(&[][..], |i| &i.scripts);
        let decision = |at: &(usize, usize)| (*at, scripts[at.0].decisions[at.1].clone());
        scripting.into_iter().flatten().map(decision).collect()
    }

    fn decide(&mut self, (script, at): (usize, usize), act: Act) {
        if let Some(scripting) = &mut self.scripting {
            scripting.acts[script][at] = Some(act);
        }
    }

    /// The instruction for a choice that scripts resolve; `None` if there are no scripts.
    pub(super) fn scripted_choice(&mut self, list: u32) -> Option<Op> {
        let span = self.span;
        let place = self.place_number(Site::Choose, span)?;
        for (at, decision) in self.decisions_at(Site::Choose, span) {
            if let Decision::Choose(_, option) = decision {
                self.decide(at, Act::Choose(place, option as u32));
            }
        }
        Some(Op::FollowTo(place, list))
    }

    /// Emits the assignment of scripted values at this statement. Returns false if there are no scripts.
    pub(super) fn scripted_values(&mut self, span: Span, targets: &[ScriptTarget]) -> bool {
        let Some(place) = self.place_number(Site::Set, span) else { return false };
        for (at, decision) in self.decisions_at(Site::Set, span) {
            let Decision::Set(_, given) = decision else { continue };
            let values = self.values_of(&given, targets);
            self.decide(at, Act::Set(place, values));
        }
        self.emit(Op::Follow(place));
        true
    }

    /// Emits the assignment of scripted initial values at procedure entry.
    pub(super) fn scripted_beginning(&mut self, id: ProcedureId) {
        let span = self.info[id].span;
        let Some(place) = self.place_number(Site::Enter, span) else { return };
        // The names of parameters in the body may differ from those in the contract.
        let mut names: FxHashMap<Sym, VarId> = FxHashMap::default();
        names.extend(self.info.signature_vars(id).iter().map(|v| (self.info[*v].name, *v)));
        names.extend(&self.frame.names);
        for (at, decision) in self.decisions_at(Site::Enter, span) {
            let Decision::Enter(_, given) = decision else { continue };
            let targets: Vec<ScriptTarget> =
                given.iter().filter_map(|(name, _)| self.given_place(&names, name)).collect();
            let values = self.values_of(&given, &targets);
            self.decide(at, Act::Set(place, values));
        }
        self.emit(Op::Follow(place));
    }

    /// The hidden variable for the initial value of a variable.
    fn given_place(&self, names: &FxHashMap<Sym, VarId>, name: &str) -> Option<ScriptTarget> {
        let name = self.code.symbols.get(name)?;
        let var = names.get(&name).copied().or_else(|| self.info.global(name))?;
        let place = match self.meanings.get(&var)? {
            Meaning::VarStorage(VarStorage::Local(i)) => {
                VarStorage::Local(self.frame.variables[*i as usize].given?)
            }
            Meaning::VarStorage(VarStorage::Global(i)) => {
                VarStorage::Global(self.code.globals[*i as usize].given?)
            }
            _ => return None,
        };
        Some(ScriptTarget { name, ty: self.info[var].ty, place })
    }

    fn values_of(
        &mut self,
        given: &[(String, Literal)],
        targets: &[ScriptTarget],
    ) -> Vec<(VarStorage, Value)> {
        let mut values = Vec::new();
        for (name, input) in given {
            let name = self.code.symbols.get(name);
            if let Some(target) = targets.iter().find(|target| Some(target.name) == name)
                && let Some(value) = self.input(input, target.ty)
            {
                values.push((target.place, value));
            }
        }
        values
    }

    /// Finishes the scripts: decisions at sites that were not compiled are dropped.
    pub(super) fn finish_scripts(&mut self) {
        let (Some(scripting), Some(inputs)) = (self.scripting.take(), &self.options.inputs) else { return };
        let acts = scripting.acts.into_iter().map(|acts| acts.into_iter().flatten().collect()).collect();
        let script_of = |procedure: u32| {
            let name = self.code.symbols.text(self.code.procedures[procedure as usize].name);
            let first = inputs
                .entries
                .iter()
                .find(|s| inputs.scripts.get(**s).is_some_and(|script| script.procedure == name));
            first.map_or(u32::MAX, |script| *script as u32)
        };
        let entries = self.code.entries.iter().map(|e| script_of(e.procedure)).collect();
        self.code.scripts = Some(Box::new(Scripts { acts, entries, position: scripting.position }));
    }
}
