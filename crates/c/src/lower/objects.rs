//! Objects: variables of C, as variables of Boogie or in memory.
//!
//! An object that is not in memory has one variable for each scalar in it, its *leaves*: `s.f` of a struct, and a map
//! for a scalar inside of an array, whose index is linearised over all dimensions.

use dally_bpl::ast::BinaryOp as B;
use dally_text::symbol::Sym;

use super::Lowerer;
use super::term::{self, Range, T};
use crate::types::{BitField, Type, TypeId, Types};

/// More leaves than this, and the object is in memory.
const MOST_LEAVES: usize = 200;

/// An object that is represented by variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ObjectId(pub(super) u32);

/// The representation of a variable of C.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// By variables.
    Variables(ObjectId),
    /// In memory, at this address.
    Memory(T),
    /// A parameter of an inlined function that stands for its argument.
    Bound(super::places::Value),
}

/// An object that is represented by variables.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// True if other threads may access it.
    pub(super) shared: bool,
    pub(super) leaves: Vec<Leaf>,
}

/// A scalar in an object, or the scalars at the same place in all elements of its arrays.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Leaf {
    /// The members that lead to it; `None` for an element of an array.
    pub(super) path: Vec<Option<u32>>,
    /// The lengths of the arrays around it, and the sizes of their elements.
    pub(super) dimensions: Vec<(u64, u64)>,
    /// The offset, where all indices are 0.
    pub(super) offset: u64,
    pub(super) ty: TypeId,
    pub(super) bits: Option<BitField>,
    pub(super) var: Sym,
    /// The path within the object, printed after its name.
    pub(super) suffix: String,
}

impl Leaf {
    pub(super) fn is_map(&self) -> bool {
        !self.dimensions.is_empty()
    }

    /// The number of scalars.
    pub(super) fn count(&self) -> u64 {
        self.dimensions.iter().map(|(length, _)| length).product()
    }

    /// The offset of the n-th scalar.
    pub(super) fn offset_of(&self, mut n: u64) -> u64 {
        let mut offset = self.offset;
        for (length, size) in self.dimensions.iter().rev() {
            offset += n % length * size;
            n /= length;
        }
        offset
    }
}

/// The leaves of a type; `None` if objects of the type must be in memory. The variables are placeholders.
pub(super) fn leaves(types: &Types, ty: TypeId, placeholder: Sym) -> Option<Vec<Leaf>> {
    let start = Leaf {
        path: Vec::new(),
        dimensions: Vec::new(),
        offset: 0,
        ty,
        bits: None,
        var: placeholder,
        suffix: String::new(),
    };
    let mut found = Vec::new();
    collect(types, start, &mut found)?;
    Some(found)
}

fn collect(types: &Types, at: Leaf, found: &mut Vec<Leaf>) -> Option<()> {
    if found.len() >= MOST_LEAVES {
        return None;
    }
    match types.get(types.unqualified(at.ty)) {
        Type::Array(element, length) => {
            let mut inner = at;
            inner.dimensions.push(((*length)?, types.size(*element)?));
            inner.path.push(None);
            inner.ty = *element;
            collect(types, inner, found)
        }
        Type::Record(record) => {
            let record = &types.records[record.0 as usize];
            if record.is_union {
                return None;
            }
            for (number, field) in (0..).zip(record.fields.as_ref()?) {
                let mut inner = at.clone();
                inner.path.push(Some(number));
                inner.offset += field.offset;
                inner.ty = field.ty;
                inner.bits = field.bits;
                if !field.name.is_empty() {
                    inner.suffix = format!("{}.{}", inner.suffix, field.name);
                }
                collect(types, inner, found)?;
            }
            Some(())
        }
        Type::Void | Type::Function(_) => None,
        _ => {
            found.push(at);
            Some(())
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    pub(super) fn add_object(&mut self, object: Object) -> ObjectId {
        self.objects.push(object);
        ObjectId(self.objects.len() as u32 - 1)
    }

    /// The leaves of a type that fits into variables.
    pub(super) fn leaves_of(&mut self, ty: TypeId) -> Option<Vec<Leaf>> {
        let placeholder = self.sym("$");
        leaves(&self.program.types, ty, placeholder)
    }

    /// Variables of the procedure for an object of this type.
    pub(super) fn local_object(&mut self, name: &str, ty: TypeId) -> Option<ObjectId> {
        let mut leaves = self.leaves_of(ty)?;
        for leaf in &mut leaves {
            let wanted = format!("{name}{}", leaf.suffix);
            leaf.var = self.fresh(&wanted);
            let range = self.arbitrary_range(leaf);
            let shown = if self.library_depth() > 0 { "$" } else { &wanted };
            let shown = self.describe(leaf.var, shown, leaf.ty);
            let attrs = shown.into_iter().chain(range.iter().cloned()).collect();
            let mut decl = self.var_decl(leaf.var, leaf.is_map(), attrs);
            decl.var.where_clause = self.arbitrary_values(leaf);
            self.proc.locals.push(decl);
        }
        Some(self.add_object(Object { shared: false, leaves }))
    }

    /// A temporary that holds a scalar of this type, or a record.
    pub(super) fn temporary_object(&mut self, ty: TypeId) -> Option<ObjectId> {
        let mut leaves = self.leaves_of(ty)?;
        if let [leaf] = &mut leaves[..]
            && !leaf.is_map()
        {
            leaf.var = self.temporary(false);
            return Some(self.add_object(Object { shared: false, leaves }));
        }
        self.local_object("$r", ty)
    }

    /// `low <= x && x <= high` for a scalar, where a solver tries all values of its type.
    fn arbitrary_values(&mut self, leaf: &Leaf) -> Option<dally_bpl::ast::ExprId> {
        if leaf.is_map() || !self.tries_all() {
            return None;
        }
        let Range { low, high } = self.range_of(leaf.ty, leaf.bits);
        let above = term::binary(B::Le, term::int(low), term::var(leaf.var));
        let below = term::binary(B::Le, term::var(leaf.var), term::int(high));
        Some(self.expr(&term::and(above, below), false))
    }

    fn tries_all(&self) -> bool {
        self.options.symbolic && self.options.nondet.is_none()
    }

    /// `{:range 0, 2}` for a scalar: the values that are tried if it is read before it is assigned. None if all are tried.
    pub(super) fn arbitrary_range(&mut self, leaf: &Leaf) -> dally_bpl::ast::Attrs {
        if leaf.is_map() || self.tries_all() {
            return dally_bpl::ast::Attrs::NONE;
        }
        let high = match self.program.types.get(self.program.types.unqualified(leaf.ty)) {
            Type::Bool => 1,
            _ => 2,
        };
        let (low, high) =
            self.options.nondet.map_or((0, high), |(low, high)| (i128::from(low), i128::from(high)));
        let args = [low, high].map(|n| dally_bpl::ast::AttrArg::Expr(self.int_expr(n))).to_vec();
        [self.attr("range", args)].into_iter().collect()
    }

    /// The zero of a leaf.
    pub(super) fn zero_of(leaf: &Leaf) -> T {
        if leaf.is_map() { term::constant(term::int(0)) } else { term::int(0) }
    }
}
