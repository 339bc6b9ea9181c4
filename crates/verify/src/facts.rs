//! Static analysis of procedures: what they modify, whether they can fail, and how large they are.

use dally_bpl::check::components;
use rustc_hash::FxHashMap;

use crate::flow::{BlockId, FlowId, Flows, Kind, Slot};

/// Facts about a procedure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fact {
    /// The variables that a call may modify: globals, and for a loop the variables of its procedure.
    pub(crate) changes: Vec<Slot>,
    /// True if an assertion can fail in it, or in a procedure that it calls.
    pub(crate) can_fail: bool,
    /// True if it is recursive.
    pub(crate) recursive: bool,
    /// The number of instructions with all calls inlined, except for those of recursive procedures.
    pub(crate) size: u64,
}

/// The facts about all procedures.
pub(crate) fn find(flows: &Flows) -> Vec<Fact> {
    let callees: Vec<Vec<u32>> = (0..flows.flows.len()).map(|f| callees(flows, f)).collect();
    let mut facts = vec![Fact::default(); flows.flows.len()];
    // Callees come first.
    for component in components(&callees) {
        let recursive = component.len() > 1 || callees[component[0] as usize].contains(&component[0]);
        let members: Vec<FlowId> = component.iter().map(|f| *f as usize).collect();
        loop {
            let mut grown = false;
            for flow in &members {
                let fact = summarise(flows, &facts, *flow, recursive);
                let old = &facts[*flow];
                grown |= (fact.changes.len(), fact.can_fail) != (old.changes.len(), old.can_fail);
                facts[*flow] = fact;
            }
            if !grown || !recursive {
                break;
            }
        }
    }
    facts
}

fn callees(flows: &Flows, flow: FlowId) -> Vec<u32> {
    let code = flows.flows[flow].blocks.iter().flat_map(|b| &b.code);
    let mut callees: Vec<u32> = code
        .filter_map(|i| match i.kind {
            Kind::Call { callee, .. } | Kind::Loop { callee, .. } => Some(callee as u32),
            _ => None,
        })
        .collect();
    callees.sort_unstable();
    callees.dedup();
    callees
}

fn summarise(flows: &Flows, facts: &[Fact], flow: FlowId, recursive: bool) -> Fact {
    let own = &flows.flows[flow];
    let globals = flows.globals.len();
    let mut changes: Vec<Slot> = Vec::new();
    let (mut can_fail, mut size) = (false, 0u64);
    for instruction in own.blocks.iter().flat_map(|b| &b.code) {
        size = size.saturating_add(1);
        match &instruction.kind {
            Kind::Assert(..) | Kind::Requires(_) => can_fail = true,
            Kind::Assume(_) => {}
            Kind::Havoc(vars) => changes.extend(vars.iter().filter_map(|v| flows.slot(*v))),
            Kind::Assign(targets) => changes.extend(targets.iter().map(|(slot, ..)| *slot)),
            Kind::Result(slot, _) => changes.push(*slot),
            Kind::Unpack(_, slots, _) => changes.extend(slots.iter().flatten()),
            Kind::Call { callee, outs, .. } => {
                changes.extend(outs.iter().flatten());
                changes.extend(facts[*callee].changes.iter().filter(|s| **s < globals));
                can_fail |= facts[*callee].can_fail;
                size = size.saturating_add(if facts[*callee].recursive { 1 } else { facts[*callee].size });
            }
            Kind::Loop { callee, .. } => {
                changes.extend(&facts[*callee].changes);
                can_fail |= facts[*callee].can_fail;
            }
        }
    }
    if !own.is_loop {
        changes.retain(|s| *s < globals);
    }
    changes.sort_unstable();
    changes.dedup();
    Fact { changes, can_fail, recursive, size }
}

/// The blocks of procedures in topological order.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    known: FxHashMap<(FlowId, BlockId), std::rc::Rc<[BlockId]>>,
}

impl Orders {
    /// The blocks that are reachable from one. There are no cycles.
    pub(crate) fn from(&mut self, flows: &Flows, flow: FlowId, entry: BlockId) -> std::rc::Rc<[BlockId]> {
        let make = || {
            let blocks = &flows.flows[flow].blocks;
            let mut seen = vec![false; blocks.len()];
            let (mut order, mut todo) = (Vec::new(), vec![(entry, false)]);
            while let Some((block, done)) = todo.pop() {
                if done {
                    order.push(block);
                } else if !std::mem::replace(&mut seen[block], true) {
                    todo.push((block, true));
                    todo.extend(blocks[block].next.targets().into_iter().rev().map(|t| (t, false)));
                }
            }
            order.reverse();
            order.into()
        };
        std::rc::Rc::clone(self.known.entry((flow, entry)).or_insert_with(make))
    }
}
