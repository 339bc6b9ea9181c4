//! Removes nodes from which no cycle inside their partition is reachable: repeatedly, nodes without
//! an edge to a remaining node of their partition. Many nodes can follow a cycle, and the search
//! for components would visit all of them.
//!
//! Works on reversed edges, which are built for the purpose. [`super::trim`] is the same in the
//! other direction.

use super::trim::Steps;

/// Reversed edges. The contents are valid during a call only; the allocations are kept.
#[derive(Debug, Default)]
pub(crate) struct Backwards {
    /// Sources of edges; those of edges to the same node are adjacent.
    from: Vec<u32>,
    /// For each node the end of its sources, whose number is the node's in-degree.
    ends: Vec<u32>,
    /// For each node the number of its edges to remaining nodes of its partition.
    out_degrees: Vec<u32>,
}

impl Backwards {
    pub(crate) fn bytes(&self) -> usize {
        (self.from.capacity() + self.ends.capacity() + self.out_degrees.capacity()) * size_of::<u32>()
    }

    /// Removes nodes that reach no cycle from their partitions and from `nodes`, which must be all
    /// nodes of these partitions. Their in-degrees must be up to date, as [`super::trim`] leaves
    /// them.
    pub(crate) fn trim(&mut self, steps: &Steps<'_>, nodes: &mut Vec<u32>) {
        self.reverse(steps, nodes);
        let Self { from, ends, out_degrees } = self;
        let partitions = steps.partitions;
        let is_last = |node: &u32| out_degrees[*node as usize] == 0;
        let mut next: Vec<u32> = nodes.iter().copied().filter(is_last).collect();
        while let Some(node) = next.pop() {
            let (part, end) = (partitions.of(node), ends[node as usize] as usize);
            partitions.remove(node);
            for before in &from[end - partitions.in_degree(node) as usize..end] {
                if partitions.of(*before) == part {
                    out_degrees[*before as usize] -= 1;
                    if out_degrees[*before as usize] == 0 {
                        next.push(*before);
                    }
                }
            }
        }
        nodes.retain(|node| partitions.of(*node) != 0);
    }

    /// Reverses the edges among these nodes.
    fn reverse(&mut self, steps: &Steps<'_>, nodes: &[u32]) {
        let Self { from, ends, out_degrees } = self;
        let partitions = steps.partitions;
        ends.resize(partitions.len(), 0);
        out_degrees.resize(partitions.len(), 0);
        let mut sum = 0;
        for node in nodes {
            ends[*node as usize] = sum;
            sum += partitions.in_degree(*node);
        }
        from.resize(sum as usize, 0);
        for node in nodes {
            let mut count = 0;
            steps.from(*node, |to, part| {
                if partitions.of(to) == part {
                    let end = &mut ends[to as usize];
                    from[*end as usize] = *node;
                    *end += 1;
                    count += 1;
                }
            });
            out_degrees[*node as usize] = count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liveness::graph::tests::graph_of;
    use crate::liveness::map::Sharing;
    use crate::liveness::trim::{Partitions, trim};

    /// The reference: removes nodes without an edge to a remaining node of their partition, until
    /// there is none.
    fn without_dead_ends(nodes: &[u32], out: &[Vec<u64>], part: &[u32]) -> Vec<u32> {
        let mut left = nodes.to_vec();
        loop {
            let stays = |node: &u32, to: &u64| {
                left.contains(&(*to as u32)) && part[*node as usize] == part[*to as usize]
            };
            let fewer: Vec<u32> =
                left.iter().copied().filter(|n| out[*n as usize].iter().any(|to| stays(n, to))).collect();
            if fewer == left {
                return left;
            }
            left = fewer;
        }
    }

    #[test]
    fn remaining_nodes_are_between_cycles() {
        dally_testing::for_inputs(1_000, |u| {
            let count = u.int_in_range(1..=24_u64)?;
            let part: Vec<u32> = (0..count).map(|_| u.int_in_range(1..=2)).collect::<Result<_, _>>()?;
            let mut out = vec![Vec::new(); count as usize];
            for _ in 0..u.int_in_range(0..=2 * count)? {
                let (from, to) = (u.choose_index(count as usize)?, u.int_in_range(0..=count - 1)?);
                out[from].push(to);
            }
            let mut back = vec![Vec::new(); count as usize];
            for (from, to) in
                out.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to)))
            {
                back[to as usize].push(from as u64);
            }
            let graph = graph_of(&out);
            let all: Vec<u32> = (0..count as u32).collect();
            for threads in [1, 3] {
                let mut partitions = Partitions::default();
                partitions.grow(count as usize);
                all.iter().for_each(|node| partitions.set(*node, part[*node as usize]));
                let steps = Steps { graph: &graph, property: 1, partitions: &partitions };
                let mut nodes = all.clone();
                let sharing = Sharing { threads, from: 0 };
                assert!(trim(&steps, &mut nodes, sharing, &mut || Ok(())).is_ok());
                let reached = without_dead_ends(&all, &back, &part);
                assert_eq!(nodes, reached);
                Backwards::default().trim(&steps, &mut nodes);
                assert_eq!(nodes, without_dead_ends(&reached, &out, &part));
                assert!(all.iter().all(|node| (partitions.of(*node) != 0) == nodes.contains(node)));
            }
            Ok(())
        });
    }
}
