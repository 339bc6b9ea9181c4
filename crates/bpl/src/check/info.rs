//! The results of checking: the meaning of each name and the type of each expression.

use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::Frame;
use super::ty::{Ty, TyCon, Types};
use crate::ast::ExprId;

/// A variable or constant in [`Info`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct VarId(pub(super) u32);

/// A function or constructor in [`Info`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FunctionId(pub(super) u32);

/// A procedure in [`Info`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ProcedureId(pub(super) u32);

macro_rules! index {
    ($id:ident, $field:ident, $item:ident) => {
        impl $id {
            /// The index, for tables by id.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::ops::Index<$id> for Info {
            type Output = $item;

            fn index(&self, id: $id) -> &$item {
                &self.$field[id.index()]
            }
        }
    };
}

index!(VarId, vars, VarInfo);
index!(FunctionId, functions, FunctionInfo);
index!(ProcedureId, procedures, ProcedureInfo);

/// The kinds of variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarKind {
    /// A constant.
    Const {
        /// Different from all other unique constants of its type.
        unique: bool,
    },
    /// A global variable.
    Global,
    /// A parameter of a procedure or function.
    In,
    /// A result of a procedure.
    Out,
    /// A local variable.
    Local,
    /// Bound by a quantifier, a lambda or a `let`.
    Bound,
}

/// A variable or constant.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// Its name.
    pub name: Sym,
    /// Its type.
    pub ty: Ty,
    /// Its kind.
    pub kind: VarKind,
    /// The span of its declaration.
    pub span: Span,
}

/// The type variables of a function, procedure or datatype: `count` numbers from `first` on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TypeParams {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// A constructor of a datatype, by its index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Construction {
    /// The datatype.
    pub datatype: TyCon,
    /// The index among the constructors of the datatype.
    pub index: usize,
}

/// A function or constructor.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// Its name.
    pub name: Sym,
    /// Its type variables.
    pub(super) type_params: TypeParams,
    /// The types of its parameters.
    pub params: Vec<Ty>,
    /// The type of its result.
    pub result: Ty,
    /// The constructor that it is, if it is one.
    pub constructs: Option<Construction>,
    /// The span of its declaration.
    pub span: Span,
    /// The index of its declaration.
    pub decl: usize,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct ProcedureInfo {
    /// Its name.
    pub name: Sym,
    /// Its type variables.
    pub(super) type_params: TypeParams,
    /// The types of its parameters.
    pub ins: Vec<Ty>,
    /// The types of its results.
    pub outs: Vec<Ty>,
    /// The globals that it may modify: those of its `modifies` clauses or, without a clause, those that it and the
    /// procedures that it calls assign to.
    pub modifies: Frame,
    /// True if it is declared `pure`.
    pub pure: bool,
    /// The span of its declaration.
    pub span: Span,
    /// The index of its declaration; none for a built-in procedure.
    pub decl: Option<usize>,
}

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub struct ConstructorInfo {
    /// The constructor as a function.
    pub function: FunctionId,
    /// The names of its fields.
    pub fields: Vec<Sym>,
}

/// The position of a field in a constructor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldPosition {
    /// The constructor.
    pub constructor: FunctionId,
    /// The index among the fields of the constructor.
    pub index: usize,
}

/// A datatype.
#[derive(Clone, Debug, Default)]
pub struct DatatypeInfo {
    /// Its type variables.
    pub(super) type_params: TypeParams,
    /// Its constructors.
    pub constructors: Vec<ConstructorInfo>,
    /// The position of each field in the first constructor that has it.
    pub(super) fields: FxHashMap<Sym, FieldPosition>,
}

impl DatatypeInfo {
    /// The position of a field in the first constructor that has it.
    pub fn field(&self, name: Sym) -> Option<FieldPosition> {
        self.fields.get(&name).copied()
    }
}

/// The meaning of a name in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ref {
    /// A variable or constant.
    Var(VarId),
    /// A function or constructor.
    Function(FunctionId),
}

/// The variables of a procedure's or implementation's body, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct BodyVars {
    /// The parameters.
    pub ins: Vec<VarId>,
    /// The results.
    pub outs: Vec<VarId>,
    /// The local variables.
    pub locals: Vec<VarId>,
}

/// The results of checking a program without errors.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// The types.
    pub types: Types,
    /// The variables and constants.
    pub vars: Vec<VarInfo>,
    /// The functions and constructors.
    pub functions: Vec<FunctionInfo>,
    /// The procedures.
    pub procedures: Vec<ProcedureInfo>,
    /// The datatypes, by their type constructor.
    pub datatypes: FxHashMap<TyCon, DatatypeInfo>,
    /// The variables of each body, by the index of the declaration that has it.
    pub bodies: FxHashMap<usize, BodyVars>,
    /// The variables for the parameters and results of each procedure in its contract.
    pub(super) signatures: FxHashMap<ProcedureId, Vec<VarId>>,
    /// The variables that quantifiers, lambdas and `let`s bind.
    pub(super) bound_vars: FxHashMap<ExprId, Vec<VarId>>,
    /// The variables for the parameters of each function.
    pub(super) function_vars: FxHashMap<FunctionId, Vec<Option<VarId>>>,
    /// The global variables and constants by name.
    pub(super) globals: FxHashMap<Sym, VarId>,
    /// The procedures by name.
    pub(super) procedure_names: FxHashMap<Sym, ProcedureId>,
    pub(super) expr_types: Vec<Ty>,
    pub(super) expr_refs: Vec<Option<Ref>>,
}

impl Info {
    /// The type of an expression.
    pub fn type_of(&self, expr: ExprId) -> Ty {
        self.expr_types[expr.index()]
    }

    /// The meaning of the name in an expression.
    pub fn meaning(&self, expr: ExprId) -> Option<Ref> {
        self.expr_refs[expr.index()]
    }

    /// The ids of all functions and constructors, in the order of [`Info::functions`].
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.functions.len() as u32).map(FunctionId)
    }

    /// The variables that a quantifier, a lambda or a `let` binds, or that are local to a code expression.
    pub fn bound_vars(&self, expr: ExprId) -> &[VarId] {
        self.bound_vars.get(&expr).map_or(&[], Vec::as_slice)
    }

    /// The variables for the parameters, then the results, in the contract of a procedure.
    pub fn signature_vars(&self, procedure: ProcedureId) -> &[VarId] {
        self.signatures.get(&procedure).map_or(&[], Vec::as_slice)
    }

    /// The variables for the parameters of a function; none for a parameter without a name.
    pub fn function_vars(&self, function: FunctionId) -> &[Option<VarId>] {
        self.function_vars.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The global variable or constant of this name.
    pub fn global(&self, name: Sym) -> Option<VarId> {
        self.globals.get(&name).copied()
    }

    /// The procedure of this name.
    pub fn procedure(&self, name: Sym) -> Option<ProcedureId> {
        self.procedure_names.get(&name).copied()
    }
}
