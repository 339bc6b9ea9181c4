//! Coverage: the procedures, statements and branches that executions have reached.
//!
//! Executions mark the instructions after which control may go elsewhere (see [`dally_step::sites`]). All others follow:
//! an instruction was reached if the one before it was. Inside of an expression all paths are taken to be reached, and so
//! is the rest of a block in which a run-time error ended an execution.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use dally_text::source::Span;
use dally_trace::{CoverageItem, ItemKind};

use crate::Machine;
use crate::code::{Address, Op, Procedure};

/// Returns true if a statement begins with a keyword that decides.
fn is_decision(text: &str) -> bool {
    ["if", "while", "for", "do", "switch"].iter().any(|keyword| {
        let rest = text.strip_prefix(keyword);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

impl Machine {
    /// The procedures, statements and branches that traces show, in the order of the code.
    pub(crate) fn coverage_items(&self) -> Vec<CoverageItem> {
        let reached = self.reached_addresses();
        let mut items = Vec::new();
        let mut statements: BTreeMap<Span, CoverageItem> = BTreeMap::new();
        for procedure in self.code.procedures.iter().filter(|procedure| procedure.told) {
            self.add_procedure(procedure, &reached, &mut items, &mut statements);
        }
        if self.has_notation() {
            self.add_decisions(&mut items);
        }
        items.extend(statements.into_values());
        items
    }

    fn add_procedure(
        &self,
        procedure: &Procedure,
        reached: &[bool],
        items: &mut Vec<CoverageItem>,
        statements: &mut BTreeMap<Span, CoverageItem>,
    ) {
        let name = self.text(procedure.name);
        let body = procedure.entry..procedure.end;
        let spans = &self.code.spans;
        let first = body.clone().map(|at| spans[at as usize]).filter(|span| *span != Span::NONE).min();
        items.push(CoverageItem {
            kind: ItemKind::Procedure,
            span: first.unwrap_or(Span::NONE),
            name: name.to_owned(),
            reached: body.clone().any(|at| reached[at as usize]),
        });
        for at in body {
            let (span, reached) = (spans[at as usize], reached[at as usize]);
            if span == Span::NONE {
                continue;
            }
            let item = statements.entry(span).or_insert_with(|| CoverageItem {
                kind: ItemKind::Statement,
                span,
                name: name.to_owned(),
                reached,
            });
            item.reached |= reached;
            for (name, reached) in self.branches_at(at) {
                items.push(CoverageItem { kind: ItemKind::Branch, span, name, reached });
            }
        }
    }

    /// The outcomes of the condition or choice at an address.
    fn branches_at(&self, at: Address) -> Vec<(String, bool)> {
        let sites = &self.store.sites;
        match self.code.plain[at as usize] {
            Op::JumpUnless(_) if self.has_notation() || self.code.branches.binary_search(&at).is_err() => {
                Vec::new()
            }
            Op::JumpUnless(_) => {
                vec![("true".to_owned(), sites.is_passed(at)), ("false".to_owned(), sites.is_left(at))]
            }
            Op::Choose(list) if !self.has_notation() => {
                let targets = &self.code.targets[list as usize];
                let options = (1..).zip(targets).filter(|_| targets.len() > 1);
                options.map(|(nth, target)| (format!("option {nth}"), sites.is_entered(target.to))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The decisions of a program that was lowered: a statement becomes several branches, of which it cannot be told
    /// which one decides it. Both outcomes are reached if one of the branches has had both.
    fn add_decisions(&self, items: &mut Vec<CoverageItem>) {
        let mut decisions: BTreeMap<Span, [bool; 2]> = BTreeMap::new();
        let told = |at: &&Address| {
            let of = self.code.procedures.iter().find(|it| (it.entry..it.end).contains(at));
            of.is_some_and(|procedure| procedure.told)
        };
        for at in self.code.branches.iter().filter(told) {
            let span = self.code.spans[*at as usize];
            if span == Span::NONE || !is_decision(self.source_text(span)) {
                continue;
            }
            let (passed, left) = (self.store.sites.is_passed(*at), self.store.sites.is_left(*at));
            let outcomes = decisions.entry(span).or_default();
            outcomes[0] |= passed || left;
            outcomes[1] |= passed && left;
        }
        for (span, outcomes) in decisions {
            for (nth, reached) in (1..).zip(outcomes) {
                items.push(CoverageItem {
                    kind: ItemKind::Branch,
                    span,
                    name: format!("outcome {nth}"),
                    reached,
                });
            }
        }
    }

    /// By address: true if an execution has reached the instruction.
    pub(crate) fn reached_addresses(&self) -> Vec<bool> {
        let sites = &self.store.sites;
        let mut reached = sites.reached(|at, todo| self.follow(at, todo));
        // The guards of a chosen option are not executed one by one.
        for target in self.code.targets.iter().flatten().filter(|target| sites.is_entered(target.to)) {
            let mut end = target.to;
            for guard in &self.code.guards[target.guards.0 as usize..target.guards.1 as usize] {
                end += guard.length();
                if sites.is_entered(end) {
                    reached[target.to as usize..end as usize].fill(true);
                }
            }
        }
        reached
    }

    /// The addresses to which control went from an instruction that was reached.
    fn follow(&self, at: Address, todo: &mut Vec<Address>) {
        let (sites, next) = (&self.store.sites, at + 1);
        match self.code.plain[at as usize] {
            Op::Jump(to) => todo.push(to),
            Op::JumpUnless(to) => {
                todo.extend(sites.is_passed(at).then_some(next));
                todo.extend(sites.is_left(at).then_some(to));
            }
            Op::Assume
            | Op::AssumeEq(_)
            | Op::AssumeIs(..)
            | Op::Check(_)
            | Op::AwaitEnd(_)
            | Op::Wait(_) => {
                todo.extend(sites.is_passed(at).then_some(next));
            }
            Op::Call(callee) => todo.push(self.code.procedures[callee as usize].entry),
            // Where the execution goes on, it is marked.
            Op::Choose(_) | Op::Return | Op::Interrupt | Op::AtomicEnd => {}
            Op::Yield | Op::Zield | Op::YieldByLevel | Op::ZieldByLevel => {}
            Op::Result | Op::Remember(_) => {}
            Op::AndThen(to) | Op::OrElse(to) | Op::Each(_, to) | Op::Again(_, to) => todo.extend([next, to]),
            Op::FollowTo(_, list) => {
                todo.extend(self.code.targets[list as usize].iter().map(|target| target.to));
            }
            _ => todo.push(next),
        }
    }
}
