//! Executions that are given from outside: what each task does where it could do otherwise.
//!
//! Only what is in the text is given. A task keeps, in a hidden variable of its own, which script it follows, and how far
//! it has come. Where the program does something else than the script says, there is no such execution.

use dally_bpl::check::{ProcedureId, Ty, VarId};
use dally_bpl::literal::Literal;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Compiler, Meaning};
use crate::code::{Op, Place, Variable};
use crate::script::{Act, Scripts, Site};
use crate::value::Value;

/// What a task does where it could do otherwise, in this order.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The procedure that it runs.
    pub procedure: String,
    /// What it does.
    pub decisions: Vec<Decision>,
}

/// Something that a task could do otherwise. Where it stands in the text is where the statement does, or, of what a procedure
/// does as a whole, where its name does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// One of several ways is taken, counted from 0.
    Choose(Span, usize),
    /// Variables get these values.
    Set(Span, Vec<(String, Literal)>),
    /// A procedure begins, in which variables have these values until they are assigned to.
    Enter(Span, Vec<(String, Literal)>),
    /// A task is posted that follows this script.
    Post(usize),
}

/// What is known of scripts while the program is compiled.
#[derive(Default)]
pub(super) struct Scripting {
    /// Where the decisions at each place of the text are: in which script, and which of it.
    decisions: FxHashMap<(Site, Span), Vec<(usize, usize)>>,
    /// The places that have been compiled.
    places: Vec<(Site, Span)>,
    acts: Vec<Vec<Option<Act>>>,
    /// Where each task keeps how far it has come.
    position: u32,
}

impl Compiler<'_> {
    /// Prepares what the scripts are about, if there are any.
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

    /// Gives each variable of the procedure a hidden one for the value that it has in the beginning.
    pub(super) fn declare_given(&mut self) {
        if self.scripting.is_none() {
            return;
        }
        for index in 0..self.frame.variables.len() {
            let Place::Local(given) = self.hidden(self.frame.name) else { continue };
            self.frame.variables[index].given = Some(given);
        }
    }

    /// The number of a place where scripts say what to do; none if there are no scripts.
    fn place_number(&mut self, site: Site, span: Span) -> Option<u32> {
        let places = &mut self.scripting.as_mut()?.places;
        let known = places.iter().position(|p| *p == (site, span));
        Some(known.unwrap_or_else(|| {
            places.push((site, span));
            places.len() - 1
        }) as u32)
    }

    /// The decisions at a place, each with where it is.
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

    /// A choice that scripts make, if there are any.
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

    /// Lets scripts give variables their values at this statement; whether there are any.
    pub(super) fn scripted_values(&mut self, span: Span, targets: &[(Sym, Ty, Place)]) -> bool {
        let Some(place) = self.place_number(Site::Set, span) else { return false };
        for (at, decision) in self.decisions_at(Site::Set, span) {
            let Decision::Set(_, given) = decision else { continue };
            let values = self.values_of(&given, targets);
            self.decide(at, Act::Set(place, values));
        }
        self.emit(Op::Follow(place));
        true
    }

    /// Lets scripts say what variables are where a procedure begins.
    pub(super) fn scripted_beginning(&mut self, id: ProcedureId) {
        let span = self.info[id].span;
        let Some(place) = self.place_number(Site::Enter, span) else { return };
        // Parameters may have other names in the body than in the contract.
        let mut names: FxHashMap<Sym, VarId> = FxHashMap::default();
        names.extend(self.info.signature_vars(id).iter().map(|v| (self.info[*v].name, *v)));
        names.extend(&self.frame.names);
        for (at, decision) in self.decisions_at(Site::Enter, span) {
            let Decision::Enter(_, given) = decision else { continue };
            let targets: Vec<(Sym, Ty, Place)> =
                given.iter().filter_map(|(name, _)| self.given_place(&names, name)).collect();
            let values = self.values_of(&given, &targets);
            self.decide(at, Act::Set(place, values));
        }
        self.emit(Op::Follow(place));
    }

    /// Where the value is kept that a variable has in the beginning.
    fn given_place(&self, names: &FxHashMap<Sym, VarId>, name: &str) -> Option<(Sym, Ty, Place)> {
        let name = self.code.symbols.get(name)?;
        let var = names.get(&name).copied().or_else(|| self.info.global(name))?;
        let place = match self.meanings.get(&var)? {
            Meaning::Place(Place::Local(i)) => Place::Local(self.frame.variables[*i as usize].given?),
            Meaning::Place(Place::Global(i)) => Place::Global(self.code.globals[*i as usize].given?),
            _ => return None,
        };
        Some((name, self.info[var].ty, place))
    }

    fn values_of(
        &mut self,
        given: &[(String, Literal)],
        targets: &[(Sym, Ty, Place)],
    ) -> Vec<(Place, Value)> {
        let mut values = Vec::new();
        for (name, input) in given {
            let name = self.code.symbols.get(name);
            if let Some((_, ty, place)) = targets.iter().find(|(n, ..)| Some(*n) == name)
                && let Some(value) = self.input(input, *ty)
            {
                values.push((*place, value));
            }
        }
        values
    }

    /// The scripts as far as they speak of what is in the program.
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
