//! Takes away from the partitions of a graph what leads to no cycle inside of them, step by step: nodes from which no step
//! leads to others of their partition that are left. Behind a cycle there may be any number of them, and whoever looks for
//! components would go through all.
//!
//! This goes against the steps, which are turned around for it.

use super::trim::Steps;

/// Steps that are turned around. Nothing is in it between two times: it is kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Backwards {
    /// Where steps come from, those to one node side by side.
    from: Vec<u32>,
    /// For each node where those end that lead to it. There are as many as its degree.
    ends: Vec<u32>,
    /// For each node how many steps lead from it to others of its partition that are left.
    left: Vec<u32>,
}

impl Backwards {
    pub(crate) fn bytes(&self) -> usize {
        (self.from.capacity() + self.ends.capacity() + self.left.capacity()) * size_of::<u32>()
    }

    /// Takes away what leads to no cycle from the partitions of these nodes, which are all of theirs, and out of the list. Their
    /// degrees must be known ([`super::trim`]).
    pub(crate) fn trim(&mut self, steps: &Steps<'_>, nodes: &mut Vec<u32>) {
        let Self { from, ends, left } = self;
        let partitions = steps.partitions;
        turn_around(steps, nodes, from, ends, left);
        let mut next: Vec<u32> = nodes.iter().copied().filter(|node| left[*node as usize] == 0).collect();
        while let Some(node) = next.pop() {
            let (part, end) = (partitions.of(node), ends[node as usize] as usize);
            partitions.take_away(node);
            for before in &from[end - partitions.degree(node) as usize..end] {
                if partitions.of(*before) == part {
                    left[*before as usize] -= 1;
                    if left[*before as usize] == 0 {
                        next.push(*before);
                    }
                }
            }
        }
        nodes.retain(|node| partitions.of(*node) != 0);
    }
}

/// Turns the steps among these nodes around.
fn turn_around(
    steps: &Steps<'_>,
    nodes: &[u32],
    from: &mut Vec<u32>,
    ends: &mut Vec<u32>,
    left: &mut Vec<u32>,
) {
    let partitions = steps.partitions;
    ends.resize(partitions.len(), 0);
    left.resize(partitions.len(), 0);
    let mut sum = 0;
    for node in nodes {
        ends[*node as usize] = sum;
        sum += partitions.degree(*node);
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
        left[*node as usize] = count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liveness::graph::tests::graph_of;
    use crate::liveness::map::Sharing;
    use crate::liveness::trim::{Partitions, trim};

    /// Which nodes are left of those from which steps lead to others, over and over.
    fn going_on(nodes: &[u32], out: &[Vec<u64>], part: &[u32]) -> Vec<u32> {
        let mut left = nodes.to_vec();
        loop {
            let stays = |node: &u32, to: &u64| {
                left.contains(&(*to as u32)) && part[*node as usize] == part[*to as usize]
            };
            let some: Vec<u32> =
                left.iter().copied().filter(|n| out[*n as usize].iter().any(|to| stays(n, to))).collect();
            if some == left {
                return left;
            }
            left = some;
        }
    }

    #[test]
    fn what_is_left_leads_from_cycles_to_cycles() {
        arbtest::arbtest(|u| {
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
                all.iter().for_each(|node| partitions.put(*node, part[*node as usize]));
                let steps = Steps { graph: &graph, property: 1, partitions: &partitions };
                let mut nodes = all.clone();
                let sharing = Sharing { threads, from: 0 };
                assert!(trim(&steps, &mut nodes, sharing, &mut || Ok(())).is_ok());
                let reached = going_on(&all, &back, &part);
                assert_eq!(nodes, reached);
                Backwards::default().trim(&steps, &mut nodes);
                assert_eq!(nodes, going_on(&reached, &out, &part));
                assert!(all.iter().all(|node| (partitions.of(*node) != 0) == nodes.contains(node)));
            }
            Ok(())
        });
    }
}
