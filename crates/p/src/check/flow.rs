//! Effects of functions, propagated through calls.

use dally_text::source::Span;

use super::Checker;
use super::info::{Effects, Handler};
use crate::ast::FunId;
use crate::codes;

impl Checker<'_> {
    /// Propagates effects to callers, and reports effects that are not allowed.
    pub(super) fn check_flow(&mut self) {
        if !self.diagnostics.are_warnings() {
            return;
        }
        self.spread(|e| &mut e.leaves);
        self.spread(|e| &mut e.acts);
        for machine in 0..self.info.machines.len() {
            self.check_monitor(machine);
            self.check_transitions(machine);
            self.find_creates(machine);
        }
    }

    /// Propagates an effect to all callers, transitively.
    fn spread(&mut self, effect: impl Fn(&mut Effects) -> &mut bool) {
        let funs = &mut self.info.funs;
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); funs.len()];
        for (caller, fun) in funs.iter().enumerate() {
            fun.callees.iter().for_each(|callee| callers[callee.index()].push(caller));
        }
        let mut todo: Vec<usize> = (0..funs.len()).filter(|f| *effect(&mut funs[*f].effects)).collect();
        while let Some(fun) = todo.pop() {
            for caller in &callers[fun] {
                let has = effect(&mut funs[*caller].effects);
                if !std::mem::replace(has, true) {
                    todo.push(*caller);
                }
            }
        }
    }

    fn span_of(&self, fun: FunId) -> Span {
        self.ast.funs[fun.index()].span
    }

    fn check_monitor(&mut self, machine: usize) {
        if !self.info.machines[machine].is_monitor() {
            return;
        }
        for fun in self.info.machines[machine].funs.clone() {
            if self.info.funs[fun.index()].effects.acts {
                let message = "this function of a monitor calls one that sends, creates, receives or chooses";
                self.error(codes::MONITOR_OPERATION, self.span_of(fun), message);
            }
        }
    }

    /// Checks that exit and transition functions do not change state themselves.
    fn check_transitions(&mut self, machine: usize) {
        let states = &self.info.machines[machine].states;
        let exits = states.iter().filter_map(|s| s.exit);
        let transitions = states.iter().flat_map(|s| &s.handlers).filter_map(|h| match h.handler {
            Handler::Goto(_, fun) => fun,
            _ => None,
        });
        for fun in exits.chain(transitions).collect::<Vec<_>>() {
            if self.info.funs[fun.index()].effects.leaves {
                let message = "an exit or transition function cannot raise events or change state";
                self.error(codes::STATE_CHANGE, self.span_of(fun), message);
            }
        }
    }

    /// The interfaces that the functions of a machine create.
    fn find_creates(&mut self, machine: usize) {
        let mut seen = vec![false; self.info.funs.len()];
        let mut todo = self.info.machines[machine].funs.clone();
        let mut creates = Vec::new();
        while let Some(fun) = todo.pop() {
            if !std::mem::replace(&mut seen[fun.index()], true) {
                let info = &self.info.funs[fun.index()];
                creates.extend(&info.creates);
                todo.extend(&info.callees);
            }
        }
        creates.sort_unstable();
        creates.dedup();
        self.info.machines[machine].creates = creates;
    }
}
