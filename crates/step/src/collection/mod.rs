//! Persistent collections with incremental fingerprints.
//!
//! A [`Tree`] is a sequence of elements. An update makes a new tree and shares all but a logarithmic part of the old one;
//! the hash of the content is updated along with it. Sets and maps are trees that their owner keeps sorted, and
//! [searches](Tree::search) before it updates at the position found.
//!
//! Up to [`Tree::FLAT`] elements are one array, without any hash: such a collection costs what a boxed slice does, and
//! the owner hashes it as one. Larger ones are weight-balanced trees. Which of the two a collection is depends on its
//! length alone, so that fingerprints depend on the content alone.
//!
//! ```
//! use dally_explore::Fingerprint;
//! use dally_step::collection::{Content, Tree};
//!
//! struct Numbers;
//!
//! impl Content<u64> for Numbers {
//!     const ORDERED: bool = true;
//!     fn hash(&self, element: u64) -> Fingerprint {
//!         Fingerprint::of(&element)
//!     }
//! }
//!
//! let tree = Tree::new((0..1000).collect(), &Numbers);
//! let other = tree.insert(500, 7, &Numbers);
//! assert_eq!((tree.len(), other.len(), other.get(500)), (1000, 1001, Some(7)));
//! assert_ne!(tree.content(), other.content());
//! assert_eq!(tree.content(), other.remove(500, &Numbers).content());
//! ```

mod iter;
mod node;
mod polynomial;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::sync::Arc;

use dally_explore::Fingerprint;

pub use iter::Iter;
use node::{LEAF, Node, Parts};

/// How the elements of a collection are hashed.
pub trait Content<E> {
    /// True if sequences of the same elements in different orders differ. Collections that are always sorted can do
    /// without, and their hash is a sum then, which is quicker.
    const ORDERED: bool;

    /// The hash of an element, which depends on its content alone.
    fn hash(&self, element: E) -> Fingerprint;
}

/// An element of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<V> {
    /// The key.
    pub key: V,
    /// Its value.
    pub value: V,
}

/// A persistent sequence of elements.
#[derive(Clone, Debug)]
pub struct Tree<E>(Root<E>);

#[derive(Clone, Debug)]
enum Root<E> {
    /// At most [`LEAF`] elements.
    Flat(Box<[E]>),
    /// More than [`LEAF`] elements.
    Large(Arc<Node<E>>),
}

impl<E> Default for Tree<E> {
    fn default() -> Self {
        Tree(Root::Flat(Box::default()))
    }
}

impl<E: Copy> Tree<E> {
    /// The most elements of a collection that is one array.
    pub const FLAT: usize = LEAF;

    /// The collection of these elements.
    pub fn new<C: Content<E>>(elements: Vec<E>, content: &C) -> Self {
        if elements.len() <= LEAF {
            return Tree(Root::Flat(elements.into()));
        }
        Tree(Root::Large(node::build(&elements, content)))
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        match &self.0 {
            Root::Flat(elements) => elements.len(),
            Root::Large(node) => node.len,
        }
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The content of the collection, for a fingerprint.
    pub fn content(&self) -> Contents<'_, E> {
        match &self.0 {
            Root::Flat(elements) => Contents::Flat(elements),
            Root::Large(node) => Contents::Large(Fingerprint(node.content)),
        }
    }

    /// The element at a position.
    pub fn get(&self, position: usize) -> Option<E> {
        match &self.0 {
            Root::Flat(elements) => elements.get(position).copied(),
            Root::Large(node) if position < node.len => {
                let (leaf, position) = node.locate(position);
                leaf.get(position).copied()
            }
            Root::Large(_) => None,
        }
    }

    /// The elements in order.
    pub fn iter(&self) -> Iter<'_, E> {
        match &self.0 {
            Root::Flat(elements) => Iter::flat(elements),
            Root::Large(node) => Iter::new(node),
        }
    }

    /// The position of an element in a sorted collection, or the one at which it has to be inserted.
    /// `order` compares an element with the one that is searched for, as in [`slice::binary_search_by`].
    pub fn search(&self, mut order: impl FnMut(E) -> Ordering) -> Result<usize, usize> {
        let mut node = match &self.0 {
            Root::Flat(elements) => return elements.binary_search_by(|element| order(*element)),
            Root::Large(node) => node,
        };
        let mut before = 0;
        loop {
            match &node.parts {
                Parts::Leaf(elements) => {
                    let found = elements.binary_search_by(|element| order(*element));
                    return found.map(|position| before + position).map_err(|position| before + position);
                }
                Parts::Branch(left, right) => {
                    if right.first().is_some_and(|first| order(first).is_gt()) {
                        node = left;
                    } else {
                        before += left.len;
                        node = right;
                    }
                }
            }
        }
    }

    /// Compares two collections lexicographically. Parts with the same content are not visited.
    pub fn compare(&self, other: &Self, order: impl FnMut(E, E) -> Ordering) -> Ordering {
        iter::compare(self.iter(), other.iter(), order)
    }

    /// The collection with an element inserted at a position, which is at most its length.
    #[must_use]
    pub fn insert<C: Content<E>>(&self, position: usize, element: E, content: &C) -> Self {
        self.edit(position, &mut |elements, at| elements.insert(at, element), content)
    }

    /// The collection with another element at a position, which is less than its length.
    #[must_use]
    pub fn replace<C: Content<E>>(&self, position: usize, element: E, content: &C) -> Self {
        if let Root::Flat(elements) = &self.0 {
            let mut elements = elements.clone();
            elements[position] = element;
            return Tree(Root::Flat(elements));
        }
        self.edit(position, &mut |elements, at| elements[at] = element, content)
    }

    /// The collection without the element at a position, which is less than its length.
    #[must_use]
    pub fn remove<C: Content<E>>(&self, position: usize, content: &C) -> Self {
        let remove = &mut |elements: &mut Vec<E>, at: usize| {
            elements.remove(at);
        };
        self.edit(position, remove, content)
    }

    fn edit<C: Content<E>>(
        &self,
        position: usize,
        edit: &mut dyn FnMut(&mut Vec<E>, usize),
        content: &C,
    ) -> Self {
        match &self.0 {
            Root::Flat(elements) => {
                let mut all = Vec::with_capacity(elements.len() + 1);
                all.extend_from_slice(elements);
                edit(&mut all, position);
                Self::new(all, content)
            }
            Root::Large(node) => {
                let node = node.edit(position, edit, content);
                match &node.parts {
                    Parts::Leaf(elements) => Tree(Root::Flat(elements.clone())),
                    Parts::Branch(..) => Tree(Root::Large(node)),
                }
            }
        }
    }

    /// The work of one update, in elements that are copied or hashed.
    pub fn update_cost(&self) -> usize {
        self.len().min(LEAF) + self.height()
    }

    /// The approximate size in bytes of the nodes that an update allocates: those that are not shared.
    pub fn update_bytes(&self) -> usize {
        self.len().min(LEAF) * size_of::<E>() + self.height() * Self::NODE_BYTES
    }

    /// The approximate size of all nodes in bytes, shared or not.
    pub fn bytes(&self) -> usize {
        let nodes = if self.height() > 0 { self.len() / (LEAF / 4) } else { 0 };
        self.len() * size_of::<E>() + nodes * Self::NODE_BYTES
    }

    /// The bytes of a node, with the two counts of an [`Arc`].
    const NODE_BYTES: usize = size_of::<Node<E>>() + 2 * size_of::<usize>();

    /// The approximate number of nodes on a path from the root to a leaf; 0 for a flat collection.
    fn height(&self) -> usize {
        match &self.0 {
            Root::Flat(_) => 0,
            Root::Large(node) => node.len.div_ceil(LEAF).ilog2() as usize + 1,
        }
    }
}

/// The content of a collection, as far as a fingerprint needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents<'t, E> {
    /// All elements of a small collection.
    Flat(&'t [E]),
    /// The hash of the elements of a large one. It is a sum or a polynomial, and has to be mixed with other words
    /// before it becomes part of another sum.
    Large(Fingerprint),
}
