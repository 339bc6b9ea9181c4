//! Nodes of large collections: a weight-balanced tree with the elements in its leaves.
//!
//! Neither of two siblings has more than [`DELTA`] times the elements of the other, so that the height is logarithmic.
//! The weights and the rotations are those of Hirai and Yamamoto, "Balancing weight-balanced trees" (JFP 2011).
//! Deviation: a leaf holds up to [`LEAF`] elements, and a small tree that is out of balance is rebuilt.

use std::sync::Arc;

use super::{Content, polynomial};

/// A leaf has at most this many elements; smaller trees are leaves.
pub(super) const LEAF: usize = 16;

/// The largest ratio of the sizes of two siblings.
pub(super) const DELTA: usize = 3;

/// The inner grandchild of a child that is too heavy is split if it has this many times the elements of the outer one.
const GAMMA: usize = 2;

/// A tree that is out of balance and has at most this many elements is rebuilt. In larger ones, a grandchild that
/// has to be split is no leaf.
const REBUILD: usize = 4 * LEAF;

/// A tree of at least one element.
#[derive(Debug)]
pub(super) struct Node<E> {
    /// The hash of the elements, as [`Content`] defines it. It does not depend on the shape of the tree.
    pub(super) content: u128,
    pub(super) len: usize,
    pub(super) parts: Parts<E>,
}

#[derive(Debug)]
pub(super) enum Parts<E> {
    Leaf(Box<[E]>),
    Branch(Arc<Node<E>>, Arc<Node<E>>),
}

use Parts::{Branch, Leaf};

fn leaf<E: Copy, C: Content<E>>(elements: &[E], content: &C) -> Arc<Node<E>> {
    let hashes = elements.iter().map(|element| content.hash(*element).0);
    let hash = if C::ORDERED { hashes.fold(0, polynomial::push) } else { hashes.fold(0, u128::wrapping_add) };
    Arc::new(Node { content: hash, len: elements.len(), parts: Leaf(elements.into()) })
}

fn branch<E, C: Content<E>>(left: &Arc<Node<E>>, right: &Arc<Node<E>>) -> Arc<Node<E>> {
    let content = if C::ORDERED {
        polynomial::concat(left.content, right.content, right.len)
    } else {
        left.content.wrapping_add(right.content)
    };
    Arc::new(Node { content, len: left.len + right.len, parts: Branch(left.clone(), right.clone()) })
}

/// The tree of these elements, with siblings of equal size.
pub(super) fn build<E: Copy, C: Content<E>>(elements: &[E], content: &C) -> Arc<Node<E>> {
    if elements.len() <= LEAF {
        return leaf(elements, content);
    }
    let (left, right) = elements.split_at(elements.len() / 2);
    branch::<E, C>(&build(left, content), &build(right, content))
}

/// True if two siblings of these sizes are balanced.
pub(super) fn are_balanced(left: usize, right: usize) -> bool {
    left <= DELTA * right && right <= DELTA * left
}

/// The tree of the elements of two trees that are balanced, but for one insertion or removal.
fn link<E: Copy, C: Content<E>>(left: &Arc<Node<E>>, right: &Arc<Node<E>>, content: &C) -> Arc<Node<E>> {
    let len = left.len + right.len;
    if len > LEAF && are_balanced(left.len, right.len) {
        return branch::<E, C>(left, right);
    }
    if let (true, Branch(outer, inner)) = (len > REBUILD && left.len > right.len, &left.parts) {
        return match &inner.parts {
            Branch(a, b) if inner.len >= GAMMA * outer.len => {
                branch::<E, C>(&branch::<E, C>(outer, a), &branch::<E, C>(b, right))
            }
            _ => branch::<E, C>(outer, &branch::<E, C>(inner, right)),
        };
    }
    if let (true, Branch(inner, outer)) = (len > REBUILD, &right.parts) {
        return match &inner.parts {
            Branch(a, b) if inner.len >= GAMMA * outer.len => {
                branch::<E, C>(&branch::<E, C>(left, a), &branch::<E, C>(b, outer))
            }
            _ => branch::<E, C>(&branch::<E, C>(left, inner), outer),
        };
    }
    let mut elements = Vec::with_capacity(len);
    left.append_to(&mut elements);
    right.append_to(&mut elements);
    build(&elements, content)
}

impl<E: Copy> Node<E> {
    /// Appends the elements in order.
    pub(super) fn append_to(&self, elements: &mut Vec<E>) {
        match &self.parts {
            Leaf(own) => elements.extend_from_slice(own),
            Branch(left, right) => {
                left.append_to(elements);
                right.append_to(elements);
            }
        }
    }

    /// The leaf of a position, and the position in it.
    pub(super) fn locate(&self, mut position: usize) -> (&[E], usize) {
        let mut node = self;
        loop {
            match &node.parts {
                Leaf(elements) => return (elements, position),
                Branch(left, _) if position < left.len => node = left,
                Branch(left, right) => {
                    position -= left.len;
                    node = right;
                }
            }
        }
    }

    /// The first element.
    pub(super) fn first(&self) -> Option<E> {
        self.locate(0).0.first().copied()
    }

    /// The tree with an edit of the leaf of this position. An edit adds one element at most, or removes one.
    pub(super) fn edit<C: Content<E>>(
        &self,
        position: usize,
        edit: &mut dyn FnMut(&mut Vec<E>, usize),
        content: &C,
    ) -> Arc<Node<E>> {
        match &self.parts {
            Leaf(elements) => {
                let mut elements = elements.to_vec();
                edit(&mut elements, position);
                build(&elements, content)
            }
            Branch(left, right) if position < left.len => {
                link(&left.edit(position, edit, content), right, content)
            }
            Branch(left, right) => link(left, &right.edit(position - left.len, edit, content), content),
        }
    }
}
