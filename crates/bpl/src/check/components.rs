//! Strongly connected components: Tarjan's algorithm without recursion.

/// The strongly connected components of a graph, given the successors of each node, in reverse topological order.
pub fn components(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut search =
        Search { successors, order: vec![0; successors.len()], next: 1, open: Vec::new(), found: Vec::new() };
    for node in 0..successors.len() as u32 {
        if search.order[node as usize] == 0 {
            search.run(node);
        }
    }
    search.found
}

struct Search<'a> {
    successors: &'a [Vec<u32>],
    /// The preorder number of each node, from 1; 0 if it is unvisited, `DONE` if its component is complete.
    order: Vec<u32>,
    next: u32,
    /// Visited nodes whose component is not complete.
    open: Vec<u32>,
    found: Vec<Vec<u32>>,
}

const DONE: u32 = u32::MAX;

/// A node on the path from the root: its next successor, and its low link.
struct Visit {
    node: u32,
    next: usize,
    lowest: u32,
}

impl Search<'_> {
    fn enter(&mut self, node: u32) -> Visit {
        let order = self.next;
        self.next += 1;
        self.order[node as usize] = order;
        self.open.push(node);
        Visit { node, next: 0, lowest: order }
    }

    fn run(&mut self, root: u32) {
        let mut path = vec![self.enter(root)];
        while let Some(visit) = path.last_mut() {
            if let Some(successor) = self.successors[visit.node as usize].get(visit.next) {
                visit.next += 1;
                match self.order[*successor as usize] {
                    0 => path.push(self.enter(*successor)),
                    DONE => {}
                    order => visit.lowest = visit.lowest.min(order),
                }
                continue;
            }
            let Visit { node, lowest, .. } = *visit;
            path.pop();
            if lowest == self.order[node as usize] {
                self.close(node);
            } else if let Some(parent) = path.last_mut() {
                parent.lowest = parent.lowest.min(lowest);
            }
        }
    }

    /// Completes the component whose root is this node.
    fn close(&mut self, first: u32) {
        let mut component = Vec::new();
        while let Some(node) = self.open.pop() {
            self.order[node as usize] = DONE;
            component.push(node);
            if node == first {
                break;
            }
        }
        self.found.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_in_reverse_topological_order() {
        let mut found = components(&[vec![1], vec![2, 3], vec![1], vec![], vec![4, 0]]);
        for component in &mut found {
            component.sort_unstable();
        }
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let chain: Vec<Vec<u32>> = (0..200_000).map(|i| vec![(i + 1) % 200_000]).collect();
        assert_eq!(components(&chain).len(), 1);
    }
}
