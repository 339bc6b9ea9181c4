//! Loops become recursion.
//!
//! A strongly connected component of blocks becomes a procedure that shares the variables of the procedure around it. An edge to
//! an entry of the loop becomes a call of the loop that starts at that block; an edge that leaves the loop becomes an exit of
//! the procedure. Without the edges to its entries the component decomposes into smaller ones, which are treated in the same
//! way; irreducible loops, which have several entries, need no special case.

use rustc_hash::{FxHashMap, FxHashSet};

use dally_bpl::ast::Attrs;
use dally_bpl::check::components;
use dally_text::source::Span;

use crate::flow::{Block, BlockId, Flow, FlowId, Flows, Instruction, Kind, Next};
use crate::path::Site;

/// Replaces all loops.
pub(crate) fn to_recursion(flows: &mut Flows) {
    let mut todo: Vec<FlowId> = (0..flows.flows.len()).collect();
    while let Some(id) = todo.pop() {
        let first = flows.flows.len();
        let loops = loops(&flows.flows[id]);
        for (number, blocks) in loops.iter().enumerate() {
            let made = extract(&mut flows.flows[id], blocks, first + number);
            flows.flows.push(made);
            todo.push(first + number);
        }
    }
}

/// The strongly connected components that contain a cycle.
fn loops(flow: &Flow) -> Vec<Vec<BlockId>> {
    let successors: Vec<Vec<u32>> =
        flow.blocks.iter().map(|b| b.next.targets().into_iter().map(|t| t as u32).collect()).collect();
    let all = components(&successors).into_iter();
    let cyclic = all.filter(|c| c.len() > 1 || successors[c[0] as usize].contains(&c[0]));
    cyclic.map(|c| c.into_iter().map(|b| b as usize).collect()).collect()
}

/// A block that calls a loop, and continues by the exit that was taken.
fn call(callee: FlowId, entry: BlockId, exits: Vec<BlockId>, span: Span) -> Block {
    let kind = Kind::Loop { callee, entry };
    let code = vec![Instruction { kind, site: Site::Added, attrs: Attrs::NONE, span }];
    Block { code, span, ..Block::new(Next::Switch(exits)) }
}

/// Takes a loop out of a procedure.
fn extract(flow: &mut Flow, blocks: &[BlockId], id: FlowId) -> Flow {
    let inside: FxHashMap<BlockId, BlockId> =
        blocks.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    let outside = (0..flow.blocks.len()).filter(|b| !inside.contains_key(b));
    let from_outside: FxHashSet<BlockId> = outside.flat_map(|b| flow.blocks[b].next.targets()).collect();
    let is_entry = |b: &BlockId| from_outside.contains(b) || flow.entry == *b;
    let mut entries: Vec<BlockId> = blocks.iter().copied().filter(is_entry).collect();
    if entries.is_empty() {
        // The loop is unreachable: any block will do.
        entries.push(blocks[0]);
    }
    let mut leads_to: Vec<BlockId> = Vec::new();
    for target in blocks.iter().flat_map(|b| flow.blocks[*b].next.targets()) {
        if !inside.contains_key(&target) && !leads_to.contains(&target) {
            leads_to.push(target);
        }
    }
    let span = |b: BlockId| flow.blocks[b].code.first().map_or(Span::NONE, |i| i.span);

    let mut own: Vec<Block> = blocks.iter().map(|b| flow.blocks[*b].clone()).collect();
    let exits: FxHashMap<BlockId, BlockId> =
        leads_to.iter().enumerate().map(|(exit, target)| (*target, own.len() + exit)).collect();
    own.extend((0..leads_to.len()).map(|exit| Block::new(Next::Exit(exit))));
    let all_exits: Vec<BlockId> = leads_to.iter().map(|t| exits[t]).collect();
    let again: FxHashMap<BlockId, BlockId> =
        entries.iter().enumerate().map(|(i, entry)| (*entry, own.len() + i)).collect();
    own.extend(entries.iter().map(|e| call(id, inside[e], all_exits.clone(), span(*e))));
    for block in &mut own[..blocks.len()] {
        let to = |t: BlockId| again.get(&t).or_else(|| inside.get(&t)).or_else(|| exits.get(&t)).copied();
        block.next.redirect(|t| to(t).unwrap_or(t));
    }

    let calls: FxHashMap<BlockId, BlockId> =
        entries.iter().enumerate().map(|(i, entry)| (*entry, flow.blocks.len() + i)).collect();
    let made: Vec<Block> = entries.iter().map(|e| call(id, inside[e], leads_to.clone(), span(*e))).collect();
    for block in blocks {
        flow.blocks[*block] = Block::new(Next::Goto(Vec::new()));
    }
    for block in &mut flow.blocks {
        block.next.redirect(|t| calls.get(&t).copied().unwrap_or(t));
    }
    flow.blocks.extend(made);
    let flow_entry = flow.entry;
    flow.entry = calls.get(&flow_entry).copied().unwrap_or(flow_entry);
    Flow {
        name: flow.name,
        span: flow.span,
        is_loop: true,
        ins: Vec::new(),
        outs: Vec::new(),
        vars: flow.vars.clone(),
        blocks: own,
        entry: entries.first().map_or(0, |e| inside[e]),
        exits: leads_to.len(),
        ensured: Vec::new(),
    }
}
