//! The types of C, interned, and their layout in memory.
//!
//! Equal types have equal ids. The qualifiers `const`, `_Atomic` and `volatile` are types around the type that they
//! qualify; `restrict` is dropped. The layout is that of the System V ABI
//! for the chosen [`DataModel`].

use rustc_hash::FxHashMap;

/// A type in [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TypeId(u32);

impl TypeId {
    /// The index in the order in which types were interned.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A struct or union in [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// An enumeration in [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct EnumId(pub u32);

/// The widths of C's integer types and pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
}

/// An integer type, by its range. `char` is signed, `long` and `long long` may be the same type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntType {
    /// 8, 16, 32, 64 or 128.
    pub bits: u8,
    /// True if negative numbers belong to the type.
    pub signed: bool,
}

/// A floating-point type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatType {
    /// 32 bits.
    Float,
    /// 64 bits.
    Double,
    /// 128 bits of storage.
    LongDouble,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// `_Bool`, of one byte.
    Bool,
    /// An integer type.
    Int(IntType),
    /// An enumeration; its values are those of `int`, or of a wider type if needed ([`Enum::repr`]).
    Enum(EnumId),
    /// A floating-point type.
    Float(FloatType),
    /// A pointer.
    Pointer(TypeId),
    /// An array; the length is absent in `extern int a[];` and in flexible array members.
    Array(TypeId, Option<u64>),
    /// A function.
    Function(FunctionType),
    /// A struct or union.
    Record(RecordId),
    /// `const T`
    Const(TypeId),
    /// `_Atomic T`: each read, write, and compound assignment is one indivisible access.
    Atomic(TypeId),
    /// `volatile T`
    Volatile(TypeId),
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// The type of the result.
    pub result: TypeId,
    /// The types of the parameters; arrays and functions are adjusted to pointers.
    pub params: Vec<TypeId>,
    /// True for `f(a, ...)`, and for `f()`, which says nothing about its parameters.
    pub variadic: bool,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// The tag, if there is one.
    pub tag: Option<String>,
    /// True for a union.
    pub is_union: bool,
    /// The members, once the type is complete. Anonymous members have an empty name.
    pub fields: Option<Vec<Field>>,
    /// The size in bytes; 0 while the type is incomplete.
    pub size: u64,
    /// The alignment in bytes; 1 while the type is incomplete.
    pub align: u64,
}

/// A member of a struct or union.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name; empty for an anonymous struct or union.
    pub name: String,
    /// The type.
    pub ty: TypeId,
    /// The offset in bytes of the storage unit.
    pub offset: u64,
    /// For a bit-field: its first bit inside the storage unit of its type, and its width.
    pub bits: Option<BitField>,
}

/// The place of a bit-field in its storage unit, whose type is that of the field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitField {
    /// The lowest bit.
    pub low: u8,
    /// The number of bits.
    pub width: u8,
    /// The bits of the storage unit that belong to this bit-field and to those adjacent to it. They are one memory location
    /// (C11 3.14): a write to one of them writes all.
    pub location: u64,
}

impl BitField {
    /// Returns true if a write changes other bit-fields, too.
    pub fn has_neighbours(&self) -> bool {
        self.location.count_ones() > u32::from(self.width)
    }
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// The tag, if there is one.
    pub tag: Option<String>,
    /// The integer type of its values.
    pub repr: IntType,
    /// Its enumerators, for traces.
    pub enumerators: Vec<(String, i128)>,
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    /// The data model.
    pub model: DataModel,
    nodes: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
    /// The structs and unions, by id.
    pub records: Vec<Record>,
    /// The enumerations, by id.
    pub enums: Vec<Enum>,
}

impl Types {
    /// No types yet.
    pub fn new(model: DataModel) -> Self {
        Types { model, nodes: Vec::new(), ids: FxHashMap::default(), records: Vec::new(), enums: Vec::new() }
    }

    /// The id of a type. Qualifiers of qualified types are merged: there is no `Atomic(Atomic(_))`.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = TypeId(self.nodes.len() as u32);
        self.nodes.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// A type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.nodes[id.0 as usize]
    }

    /// The integer type of this width and signedness.
    pub fn int(&mut self, bits: u8, signed: bool) -> TypeId {
        self.intern(Type::Int(IntType { bits, signed }))
    }

    /// The type without `const`, `_Atomic` and `volatile`.
    pub fn unqualified(&self, mut id: TypeId) -> TypeId {
        while let Type::Const(inner) | Type::Atomic(inner) | Type::Volatile(inner) = self.get(id) {
            id = *inner;
        }
        id
    }

    /// Returns true if the type is `_Atomic`.
    pub fn is_atomic(&self, mut id: TypeId) -> bool {
        loop {
            match self.get(id) {
                Type::Atomic(_) => return true,
                Type::Const(inner) | Type::Volatile(inner) => id = *inner,
                _ => return false,
            }
        }
    }

    /// The integer type that represents values of a `_Bool`, integer, enumeration or pointer type.
    pub fn as_int(&self, id: TypeId) -> Option<IntType> {
        match self.get(self.unqualified(id)) {
            Type::Bool => Some(IntType { bits: 8, signed: false }),
            Type::Int(int) => Some(*int),
            Type::Enum(e) => Some(self.enums[e.0 as usize].repr),
            Type::Pointer(_) => Some(IntType { bits: self.pointer_bits(), signed: false }),
            _ => None,
        }
    }

    /// The target of a pointer type.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.get(self.unqualified(id)) {
            Type::Pointer(target) => Some(*target),
            _ => None,
        }
    }

    /// Returns true if the types differ at most in `const`, on any level of pointers.
    pub fn equal_but_for_const(&self, mut a: TypeId, mut b: TypeId) -> bool {
        let skip = |id: TypeId| match self.get(id) {
            Type::Const(inner) => *inner,
            _ => id,
        };
        loop {
            (a, b) = (skip(a), skip(b));
            match (self.get(a), self.get(b)) {
                (Type::Pointer(x), Type::Pointer(y)) => (a, b) = (*x, *y),
                _ => return a == b,
            }
        }
    }

    /// The width of a pointer and of `long`.
    pub fn pointer_bits(&self) -> u8 {
        match self.model {
            DataModel::Lp64 => 64,
            DataModel::Ilp32 => 32,
        }
    }

    /// The size in bytes; `None` for incomplete types and functions. `void` has size 1, as in GNU C.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Void | Type::Bool => Some(1),
            Type::Int(int) => Some(u64::from(int.bits) / 8),
            Type::Enum(e) => Some(u64::from(self.enums[e.0 as usize].repr.bits) / 8),
            Type::Float(FloatType::Float) => Some(4),
            Type::Float(FloatType::Double) => Some(8),
            Type::Float(FloatType::LongDouble) => Some(16),
            Type::Pointer(_) => Some(u64::from(self.pointer_bits()) / 8),
            Type::Array(element, length) => self.size(*element)?.checked_mul((*length)?),
            Type::Function(_) => None,
            Type::Record(record) => {
                let record = &self.records[record.0 as usize];
                record.fields.is_some().then_some(record.size)
            }
            Type::Const(inner) | Type::Atomic(inner) | Type::Volatile(inner) => self.size(*inner),
        }
    }

    /// The alignment in bytes.
    pub fn align(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Array(element, _) => self.align(*element),
            Type::Record(record) => self.records[record.0 as usize].align,
            Type::Const(inner) | Type::Atomic(inner) | Type::Volatile(inner) => self.align(*inner),
            Type::Function(_) => 1,
            _ => {
                let size = self.size(id).unwrap_or(1);
                if self.model == DataModel::Ilp32 { size.min(4) } else { size }
            }
        }
    }
}

impl IntType {
    /// The least value.
    pub fn min(self) -> i128 {
        if self.signed { -(1_i128 << (self.bits.min(127) - 1)) } else { 0 }
    }

    /// The greatest value that fits an `i128`.
    pub fn max(self) -> i128 {
        match (self.signed, self.bits) {
            (true, bits) => (1_i128 << (bits.min(127) - 1)) - 1,
            (false, 127..) => i128::MAX,
            (false, bits) => (1_i128 << bits) - 1,
        }
    }

    /// The value modulo 2ⁿ, in the range of the type.
    pub fn wrap(self, value: i128) -> i128 {
        if self.bits >= 127 {
            return value;
        }
        let modulus = 1_i128 << self.bits;
        let low = value.rem_euclid(modulus);
        if self.signed && low >= modulus / 2 { low - modulus } else { low }
    }
}
