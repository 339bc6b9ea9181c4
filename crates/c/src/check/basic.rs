//! The basic types, and questions about types.

use crate::ast::Quals;
use crate::types::{DataModel, Field, FloatType, IntType, RecordId, Type, TypeId, Types};

use super::Checker;

/// The ids of basic types.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basic {
    pub(super) void: TypeId,
    pub(super) bool: TypeId,
    pub(super) char: TypeId,
    pub(super) int: TypeId,
    pub(super) uint: TypeId,
    pub(super) long: TypeId,
    pub(super) ulong: TypeId,
    pub(super) float: TypeId,
    pub(super) double: TypeId,
    pub(super) long_double: TypeId,
    pub(super) void_ptr: TypeId,
    pub(super) char_ptr: TypeId,
    pub(super) va_list: TypeId,
}

impl Basic {
    pub(super) fn new(types: &mut Types) -> Self {
        let long = types.pointer_bits();
        let (void, char) = (types.intern(Type::Void), types.int(8, true));
        let ulong = types.int(long, false);
        let void_ptr = types.intern(Type::Pointer(void));
        let field = |name: &str, ty, offset| Field { name: name.to_owned(), ty, offset, bits: None };
        let step = u64::from(long) / 8;
        types.records.push(crate::types::Record {
            tag: Some("__va_list_tag".to_owned()),
            is_union: false,
            fields: Some(vec![
                field("__next", void_ptr, 0),
                field("__left", ulong, step),
                field("__state", ulong, 2 * step),
            ]),
            size: 3 * step,
            align: step,
        });
        let tag = types.intern(Type::Record(RecordId(types.records.len() as u32 - 1)));
        Basic {
            void,
            bool: types.intern(Type::Bool),
            char,
            int: types.int(32, true),
            uint: types.int(32, false),
            long: types.int(long, true),
            ulong,
            float: types.intern(Type::Float(FloatType::Float)),
            double: types.intern(Type::Float(FloatType::Double)),
            long_double: types.intern(Type::Float(FloatType::LongDouble)),
            void_ptr,
            char_ptr: types.intern(Type::Pointer(char)),
            va_list: types.intern(Type::Array(tag, Some(1))),
        }
    }
}

/// The kind of a type, without its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Void,
    /// `_Bool`, integers and enumerations.
    Integer(IntType),
    Float(FloatType),
    /// The target.
    Pointer(TypeId),
    /// The element.
    Array(TypeId),
    Function,
    Record(RecordId),
}

impl Class {
    pub(super) fn is_integer(self) -> bool {
        matches!(self, Class::Integer(_))
    }

    pub(super) fn is_arithmetic(self) -> bool {
        matches!(self, Class::Integer(_) | Class::Float(_))
    }

    pub(super) fn is_pointer(self) -> bool {
        matches!(self, Class::Pointer(_))
    }

    pub(super) fn is_scalar(self) -> bool {
        self.is_arithmetic() || self.is_pointer()
    }
}

impl Checker<'_> {
    pub(super) fn class(&self, ty: TypeId) -> Class {
        let ty = self.types.unqualified(ty);
        match self.types.get(ty) {
            Type::Void => Class::Void,
            Type::Bool => Class::Integer(IntType { bits: 8, signed: false }),
            Type::Int(int) => Class::Integer(*int),
            Type::Enum(id) => Class::Integer(self.types.enums[id.0 as usize].repr),
            Type::Float(float) => Class::Float(*float),
            Type::Pointer(target) => Class::Pointer(*target),
            Type::Array(element, _) => Class::Array(*element),
            Type::Function(_) => Class::Function,
            Type::Record(id) => Class::Record(*id),
            // `unqualified` removes these.
            Type::Const(_) | Type::Atomic(_) | Type::Volatile(_) => Class::Void,
        }
    }

    /// A type that is made of others; none if it is too deep, which is reported by the caller.
    pub(super) fn make(&mut self, ty: Type) -> Option<TypeId> {
        /// Deeper than what programs have, and shallow enough for recursion over types.
        const DEEPEST: u16 = 500;
        let inner = match &ty {
            Type::Pointer(t) | Type::Array(t, _) | Type::Const(t) | Type::Atomic(t) | Type::Volatile(t) => {
                self.depth(*t)
            }
            Type::Function(f) => {
                f.params.iter().chain([&f.result]).map(|t| self.depth(*t)).max().unwrap_or(0)
            }
            _ => 0,
        };
        let id = self.types.intern(ty);
        let index = id.index();
        if self.depths.len() <= index {
            self.depths.resize(index + 1, 0);
        }
        self.depths[index] = inner.saturating_add(1);
        (inner < DEEPEST).then_some(id)
    }

    fn depth(&self, ty: TypeId) -> u16 {
        self.depths.get(ty.index()).copied().unwrap_or(0)
    }

    /// A pointer to a type. Types are shallow enough that one more level does not matter.
    pub(super) fn pointer(&mut self, target: TypeId) -> TypeId {
        let id = self.types.intern(Type::Pointer(target));
        let depth = self.depth(target).saturating_add(1);
        if self.depths.len() <= id.index() {
            self.depths.resize(id.index() + 1, 0);
        }
        self.depths[id.index()] = depth;
        id
    }

    /// The type with qualifiers added. Those of an array are those of its elements.
    pub(super) fn qualified(&mut self, ty: TypeId, added: Quals) -> TypeId {
        if added == Quals::default() {
            return ty;
        }
        if let Type::Array(element, length) = *self.types.get(ty) {
            let element = self.qualified(element, added);
            return self.types.intern(Type::Array(element, length));
        }
        let had = self.quals(ty);
        let mut id = self.types.unqualified(ty);
        if added.atomic || had.atomic {
            id = self.types.intern(Type::Atomic(id));
        }
        if added.volatile || had.volatile {
            id = self.types.intern(Type::Volatile(id));
        }
        if added.constant || had.constant {
            id = self.types.intern(Type::Const(id));
        }
        id
    }

    /// The qualifiers of a type.
    pub(super) fn quals(&self, mut ty: TypeId) -> Quals {
        let mut quals = Quals::default();
        loop {
            ty = match self.types.get(ty) {
                Type::Const(inner) => {
                    quals.constant = true;
                    *inner
                }
                Type::Volatile(inner) => {
                    quals.volatile = true;
                    *inner
                }
                Type::Atomic(inner) => {
                    quals.atomic = true;
                    *inner
                }
                _ => return quals,
            };
        }
    }

    pub(super) fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.class(ty), Class::Record(_))
    }

    /// Returns true if values of the types can stand for each other without a conversion.
    pub(super) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        let (a, b) = (self.types.unqualified(a), self.types.unqualified(b));
        if a == b {
            return true;
        }
        match (self.types.get(a), self.types.get(b)) {
            (Type::Pointer(a), Type::Pointer(b)) => self.compatible(*a, *b),
            (Type::Array(a, n), Type::Array(b, m)) => {
                (n.is_none() || m.is_none() || n == m) && self.compatible(*a, *b)
            }
            (Type::Enum(_), Type::Int(_)) | (Type::Int(_), Type::Enum(_)) => {
                self.types.as_int(a) == self.types.as_int(b)
            }
            (Type::Function(f), Type::Function(g)) => {
                let open = |h: &crate::types::FunctionType| h.variadic && h.params.is_empty();
                let same = f.params.len() == g.params.len()
                    && f.params.iter().zip(&g.params).all(|(a, b)| self.compatible(*a, *b));
                self.compatible(f.result, g.result) && (same || open(f) || open(g))
            }
            (Type::Record(a), Type::Record(b)) => self.same_shape(*a, *b),
            _ => false,
        }
    }

    /// Structs of two units are compatible if they have the same tag, layout and member names.
    fn same_shape(&self, a: RecordId, b: RecordId) -> bool {
        let (a, b) = (&self.types.records[a.0 as usize], &self.types.records[b.0 as usize]);
        if a.tag != b.tag || a.is_union != b.is_union {
            return false;
        }
        match (&a.fields, &b.fields) {
            (Some(f), Some(g)) => {
                a.size == b.size
                    && f.len() == g.len()
                    && f.iter().zip(g).all(|(x, y)| x.name == y.name && x.offset == y.offset)
            }
            _ => true,
        }
    }

    /// The width of `long long`, which is not that of `long` if pointers have 32 bits.
    pub(super) fn long_long(&mut self, signed: bool) -> TypeId {
        self.types.int(64, signed)
    }

    /// The type of `wchar_t`.
    pub(super) fn wide(&self) -> TypeId {
        match self.types.model {
            DataModel::Lp64 | DataModel::Ilp32 => self.basic.int,
        }
    }
}
