//! Collections against vectors and ordered maps from the standard library.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use dally_testing::arbitrary::{Result, Unstructured};
use dally_testing::{for_inputs, for_inputs_of};

use super::node::{LEAF, Node, Parts, are_balanced};
use super::*;

/// Hashes elements of a sequence.
struct InOrder;

impl<E: std::hash::Hash> Content<E> for InOrder {
    const ORDERED: bool = true;
    fn hash(&self, element: E) -> Fingerprint {
        Fingerprint::of(&element)
    }
}

/// Hashes elements of a sorted collection.
struct Sorted;

impl<E: std::hash::Hash> Content<E> for Sorted {
    const ORDERED: bool = false;
    fn hash(&self, element: E) -> Fingerprint {
        Fingerprint::of(&element)
    }
}

/// Checks the invariants of a node, and returns its height.
fn check_node<E: Copy, C: Content<E>>(node: &Node<E>, content: &C) -> usize {
    match &node.parts {
        Parts::Leaf(elements) => {
            assert!((1..=LEAF).contains(&elements.len()) && elements.len() == node.len);
            assert_eq!(node.content, node::build(elements, content).content);
            1
        }
        Parts::Branch(left, right) => {
            assert_eq!(node.len, left.len + right.len);
            assert!(node.len > LEAF, "{} elements are a leaf", node.len);
            assert!(are_balanced(left.len, right.len), "{} beside {}", left.len, right.len);
            1 + check_node(left, content).max(check_node(right, content))
        }
    }
}

/// Checks the invariants of a collection, and that it has these elements, in order.
fn check<E: Copy + PartialEq + std::fmt::Debug, C: Content<E>>(
    tree: &Tree<E>,
    elements: impl ExactSizeIterator<Item = E> + Clone,
    content: &C,
) {
    assert_eq!((tree.len(), tree.is_empty()), (elements.len(), elements.len() == 0));
    assert!(tree.iter().eq(elements.clone()), "the elements");
    assert_eq!(tree.iter().len(), tree.len());
    assert_eq!(tree.get(tree.len()), None);
    // Equal content has equal hashes, however it came about.
    let anew = Tree::new(elements.collect(), content);
    assert_eq!(tree.content(), anew.content());
    match &tree.0 {
        Root::Flat(elements) => assert!(elements.len() <= LEAF),
        Root::Large(node) => {
            assert!(node.len > LEAF);
            // 4/3 to the power of the height is at most the number of elements.
            let height = check_node(node, content);
            assert!((4_f64 / 3.0).powi(height as i32 - 1) <= node.len as f64, "{height} for {}", node.len);
        }
    }
}

/// Runs random operations on a sequence and on a vector. Runs of one operation make it grow and shrink.
fn sequences(u: &mut Unstructured<'_>) -> Result<()> {
    let mut model: Vec<u16> = Vec::new();
    let mut tree = Tree::new(model.clone(), &InOrder);
    for _ in 0..u.int_in_range(1..=12)? {
        let (operation, times) = (u.int_in_range(0..=4)?, u.int_in_range(1..=200)?);
        let (stride, mut place): (usize, usize) = (u.int_in_range(0..=7)?, u.arbitrary()?);
        for _ in 0..times {
            place = place.wrapping_add(stride);
            let element = (place % 251) as u16;
            match operation {
                0 | 1 => {
                    let place = place % (model.len() + 1);
                    model.insert(place, element);
                    tree = tree.insert(place, element, &InOrder);
                }
                2 => {
                    model.push(element);
                    tree = tree.insert(tree.len(), element, &InOrder);
                }
                _ if model.is_empty() => {}
                3 => {
                    let place = place % model.len();
                    model.remove(place);
                    tree = tree.remove(place, &InOrder);
                }
                _ => {
                    let place = place % model.len();
                    model[place] = element;
                    tree = tree.replace(place, element, &InOrder);
                    assert_eq!(tree.get(place), Some(element));
                }
            }
        }
        check(&tree, model.iter().copied(), &InOrder);
    }
    Ok(())
}

#[test]
fn sequences_are_vectors() {
    for_inputs_of(1 << 8..1 << 16, 1_000, sequences);
}

/// Runs random operations on a sorted collection and on an ordered map.
fn maps(u: &mut Unstructured<'_>) -> Result<()> {
    let mut model: BTreeMap<u16, u8> = BTreeMap::new();
    let mut tree: Tree<(u16, u8)> = Tree::default();
    for _ in 0..u.int_in_range(1..=12)? {
        let (removes, times) = (u.ratio(2, 5)?, u.int_in_range(1..=200)?);
        let (stride, mut key): (u16, u16) = (u.int_in_range(0..=300)?, u.arbitrary()?);
        for _ in 0..times {
            key = key.wrapping_add(stride) % 2000;
            let found = tree.search(|entry| entry.0.cmp(&key));
            assert_eq!(found.is_ok(), model.contains_key(&key));
            if removes {
                model.remove(&key);
                if let Ok(place) = found {
                    tree = tree.remove(place, &Sorted);
                }
            } else {
                let value = u.int_in_range(0..=3)?;
                model.insert(key, value);
                tree = match found {
                    Ok(place) => tree.replace(place, (key, value), &Sorted),
                    Err(place) => tree.insert(place, (key, value), &Sorted),
                };
            }
        }
        check(
            &tree,
            model.iter().map(|(key, value)| (*key, *value)).collect::<Vec<_>>().into_iter(),
            &Sorted,
        );
    }
    Ok(())
}

#[test]
fn sorted_collections_are_ordered_maps() {
    for_inputs_of(1 << 8..1 << 16, 1_000, maps);
}

#[test]
fn comparison_is_lexicographic() {
    for_inputs(1_000, |u| {
        let elements: Vec<u8> = (0..u.int_in_range(0..=120)?).map(|i| (i % 3) as u8).collect();
        let mut other = elements.clone();
        for _ in 0..u.int_in_range(0..=3)? {
            let (place, element) = (u.choose_index(other.len() + 1)?, u.int_in_range(0..=3)?);
            if u.arbitrary()? || other.is_empty() {
                other.insert(place, element);
            } else {
                other.remove(place.min(other.len() - 1));
            }
        }
        let (a, b) = (Tree::new(elements.clone(), &InOrder), Tree::new(other.clone(), &InOrder));
        assert_eq!(a.compare(&b, |x, y| x.cmp(&y)), elements.cmp(&other));
        assert_eq!(a.content() == b.content(), elements == other);
        Ok(())
    });
}

/// A large collection is compared with an updated copy of itself without visiting what they share.
#[test]
fn comparison_skips_shared_parts() {
    let tree = Tree::new((0..100_000_u32).collect(), &InOrder);
    for place in [0, 1, 777, 50_000, 99_999] {
        let other = tree.replace(place, u32::MAX, &InOrder);
        let mut compared = 0;
        let order = tree.compare(&other, |x, y| {
            compared += 1;
            x.cmp(&y)
        });
        assert_eq!(order, Ordering::Less);
        assert!(compared <= LEAF, "{compared} elements were compared");
    }
}

#[test]
fn a_hundred_thousand_elements_are_shared() {
    let mut tree = Tree::default();
    let mut updated = 0;
    for n in 0..100_001_u32 {
        tree = tree.insert(tree.len(), n, &InOrder);
        updated += tree.update_bytes();
    }
    check(&tree, 0..100_001, &InOrder);
    assert!(tree.update_cost() < 40 && tree.update_bytes() < 1200, "{} bytes", tree.update_bytes());
    assert!(updated < 120_000_000, "{updated} bytes for all versions");
    let Root::Large(root) = &tree.0 else { panic!("large") };
    let height = check_node(root, &InOrder);
    assert!(height <= tree.height() + 6, "{height}");
    while !tree.is_empty() {
        tree = tree.remove(tree.len() / 2, &InOrder);
    }
    assert_eq!(tree.content(), Contents::Flat(&[]));
}

/// All collections that differ from one in a single operation, and how many of them share the hash of another.
fn collisions<C: Content<u32>>(elements: u32, content: &C) -> usize {
    let tree = Tree::new((0..elements).map(|n| 2 * n).collect(), content);
    let mut contents: HashMap<Fingerprint, Vec<u32>> = HashMap::new();
    let mut collisions = 0;
    let mut visit = |tree: Tree<u32>| {
        let Contents::Large(hash) = tree.content() else { return };
        let all: Vec<u32> = tree.iter().collect();
        let first = contents.entry(hash).or_insert_with(|| all.clone());
        collisions += usize::from(*first != all);
    };
    for place in 0..tree.len() {
        let element = tree.get(place).unwrap_or_default();
        visit(tree.remove(place, content));
        visit(tree.insert(place, element + 1, content));
        visit(tree.replace(place, element + 1, content));
    }
    collisions
}

/// Leaves out what an element contributes, for some elements: the mutation that the test above has to detect.
struct Forgetful<C>(C, u32);

impl<C: Content<u32>> Content<u32> for Forgetful<C> {
    const ORDERED: bool = C::ORDERED;
    fn hash(&self, element: u32) -> Fingerprint {
        if element == self.1 { Fingerprint(0) } else { self.0.hash(element) }
    }
}

#[test]
fn unequal_collections_differ_in_their_hashes() {
    assert_eq!((collisions(200, &InOrder), collisions(200, &Sorted)), (0, 0));
    // One term of one element is missing: a collection with it and one without it look the same.
    assert!(collisions(200, &Forgetful(Sorted, 101)) > 0);
    // In a sequence, the positions of the others still tell where something is missing, but not at the front.
    assert!(collisions(200, &Forgetful(InOrder, 1)) > 0);
}

/// Sequences hash the order of their elements, sorted collections do not.
#[test]
fn only_sequences_hash_the_order() {
    let (up, down): (Vec<u32>, Vec<u32>) = ((0..100).collect(), (0..100).rev().collect());
    assert_ne!(Tree::new(up.clone(), &InOrder).content(), Tree::new(down.clone(), &InOrder).content());
    assert_eq!(Tree::new(up, &Sorted).content(), Tree::new(down, &Sorted).content());
}
