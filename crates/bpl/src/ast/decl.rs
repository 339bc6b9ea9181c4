//! Declarations.

use crate::ast::{Attrs, Body, ExprId, ExprList, Ident, TypeId};
use dally_text::source::Span;

/// A declaration with its attributes.
#[derive(Clone, Debug)]
pub struct Decl {
    /// What it declares.
    pub kind: DeclKind,
    /// Its attributes.
    pub attrs: Attrs,
    /// Where it stands.
    pub span: Span,
}

/// What a declaration declares.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `type name params;`, `type name params = body;`
    Type(TypeDecl),
    /// `datatype name<params> { constructors }`
    Datatype(Datatype),
    /// `const unique names: type uses { axioms }`
    Const(Const),
    /// `function name<params>(args): result { body }`
    Function(Box<Function>),
    /// `axiom e;`
    Axiom(Axiom),
    /// `var name: type where e;`
    Var(Var),
    /// `procedure name<params>(ins) returns (outs) specs { body }`
    Procedure(Box<Procedure>),
    /// `implementation name<params>(ins) returns (outs) { body }`
    Implementation(Box<Implementation>),
}

/// A type constructor, or a synonym.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters. Those of a constructor are only counted.
    pub params: Vec<Ident>,
    /// What it is a synonym for.
    pub body: Option<TypeId>,
}

/// A datatype.
#[derive(Clone, Debug)]
pub struct Datatype {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Ident>,
    /// Its constructors.
    pub constructors: Vec<Constructor>,
}

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<VarDecl>,
}

/// Constants of one type.
#[derive(Clone, Debug)]
pub struct Const {
    /// Whether they differ from all other unique constants of the type.
    pub unique: bool,
    /// Their names.
    pub names: Vec<Ident>,
    /// Their type.
    pub ty: TypeId,
    /// The axioms that come with them.
    pub uses: Vec<(Attrs, Axiom)>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// `revealed function`.
    pub revealed: bool,
    /// Its name.
    pub name: Ident,
    /// The type variables that it binds.
    pub type_params: Vec<Ident>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its result.
    pub result: Param,
    /// Its body.
    pub body: Option<ExprId>,
    /// The axioms that come with it.
    pub uses: Vec<(Attrs, Axiom)>,
}

/// A parameter or result of a function, which need not have a name.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its attributes.
    pub attrs: Attrs,
    /// Its name.
    pub name: Option<Ident>,
    /// Its type.
    pub ty: TypeId,
}

/// An axiom.
#[derive(Clone, Copy, Debug)]
pub struct Axiom {
    /// `hideable axiom`.
    pub hideable: bool,
    /// What it says.
    pub expr: ExprId,
    /// Where it stands.
    pub span: Span,
}

/// A variable with its type, and perhaps a condition that it satisfies when it gets an arbitrary value.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeId,
    /// The condition.
    pub where_clause: Option<ExprId>,
}

/// A variable that is not a declaration of its own: a parameter, a local, a field.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// Its attributes.
    pub attrs: Attrs,
    /// The variable.
    pub var: Var,
}

/// What procedures and implementations have in common.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The name.
    pub name: Ident,
    /// The type variables that it binds.
    pub type_params: Vec<Ident>,
    /// The parameters.
    pub ins: Vec<VarDecl>,
    /// The results.
    pub outs: Vec<VarDecl>,
}

/// Which kind of procedure it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Flavour {
    /// `procedure`
    Plain,
    /// `pure procedure`: it neither reads nor writes the globals.
    Pure,
    /// `pure action`: the same, declared for Civl; without Civl nothing sets it apart.
    PureAction,
}

impl Flavour {
    /// Whether it leaves the globals alone.
    pub fn is_pure(self) -> bool {
        self != Flavour::Plain
    }

    /// How a declaration of this kind begins.
    pub fn spelling(self) -> &'static str {
        match self {
            Flavour::Plain => "procedure",
            Flavour::Pure => "pure procedure",
            Flavour::PureAction => "pure action",
        }
    }
}

/// A procedure, with or without a body.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Which kind of procedure.
    pub flavour: Flavour,
    /// Its name and parameters.
    pub signature: Signature,
    /// What is promised.
    pub specs: Vec<Spec>,
    /// Its body, if it is given here.
    pub body: Option<Body>,
}

/// A body for a procedure declared elsewhere.
#[derive(Clone, Debug)]
pub struct Implementation {
    /// Its name and parameters.
    pub signature: Signature,
    /// Its body.
    pub body: Body,
}

/// A clause of a procedure's contract.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its attributes.
    pub attrs: Attrs,
    /// Which clause.
    pub kind: SpecKind,
    /// Where it stands.
    pub span: Span,
}

/// A clause of a procedure's contract.
#[derive(Clone, Debug)]
pub enum SpecKind {
    /// `[free] requires e;`
    Requires {
        /// Assumed in the body, not checked at calls.
        free: bool,
        /// The condition.
        expr: ExprId,
    },
    /// `[free] ensures e;`
    Ensures {
        /// Assumed after calls, not checked in the body.
        free: bool,
        /// The condition.
        expr: ExprId,
    },
    /// `modifies x, y;`
    Modifies(Vec<Ident>),
    /// `measure e, …;`
    Measure(ExprList),
}
