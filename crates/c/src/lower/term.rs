//! Terms: Boogie expressions before they are added to the tree.
//!
//! A term may be used several times, where an expression of the tree has one parent, and constructors fold
//! constants. A term that reads shared data refers to a *slot*: see `emit.rs`.

use std::rc::Rc;

use dally_bpl::ast::BinaryOp;
use dally_text::symbol::Sym;

use crate::hir::StringId;
use crate::types::IntType;

/// A term, shared.
pub(super) type T = Rc<Term>;

/// A Boogie expression of type `int`, `bool` or a map.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Term {
    Int(i128),
    Bool(bool),
    Var(Sym),
    /// The address of a string literal.
    Str(StringId),
    /// A value that was read from shared data.
    Slot(u32),
    Binary(BinaryOp, T, T),
    Not(T),
    Neg(T),
    Ite(T, T, T),
    Select(T, T),
    Call(Sym, Vec<T>),
    /// A map with this value at every index.
    Constant(T),
}

/// An interval that contains the value of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) low: i128,
    pub(super) high: i128,
}

impl Range {
    pub(super) fn exactly(value: i128) -> Range {
        Range { low: value, high: value }
    }

    pub(super) fn of(int: IntType) -> Range {
        Range { low: int.min(), high: int.max() }
    }

    pub(super) fn within(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    pub(super) fn join(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The hull of the results of an operation that is monotonic in each operand.
    pub(super) fn corners(self, other: Range, op: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
        let mut all = Vec::new();
        for a in [self.low, self.high] {
            for b in [other.low, other.high] {
                all.push(op(a, b)?);
            }
        }
        Some(Range { low: *all.iter().min()?, high: *all.iter().max()? })
    }
}

pub(super) fn int(value: i128) -> T {
    Rc::new(Term::Int(value))
}

pub(super) fn boolean(value: bool) -> T {
    Rc::new(Term::Bool(value))
}

pub(super) fn var(name: Sym) -> T {
    Rc::new(Term::Var(name))
}

pub(super) fn call(name: Sym, args: Vec<T>) -> T {
    Rc::new(Term::Call(name, args))
}

pub(super) fn select(map: T, index: T) -> T {
    Rc::new(Term::Select(map, index))
}

pub(super) fn constant(value: T) -> T {
    Rc::new(Term::Constant(value))
}

pub(super) fn not(a: T) -> T {
    match &*a {
        Term::Bool(b) => boolean(!b),
        Term::Not(inner) => inner.clone(),
        Term::Binary(op, x, y) => match negated(*op) {
            Some(op) => Rc::new(Term::Binary(op, x.clone(), y.clone())),
            None => Rc::new(Term::Not(a)),
        },
        _ => Rc::new(Term::Not(a)),
    }
}

fn negated(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Neq,
        BinaryOp::Neq => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        _ => return None,
    })
}

pub(super) fn neg(a: T) -> T {
    match *a {
        Term::Int(n) => int(-n),
        _ => Rc::new(Term::Neg(a)),
    }
}

pub(super) fn ite(condition: T, then: T, otherwise: T) -> T {
    match *condition {
        Term::Bool(true) => then,
        Term::Bool(false) => otherwise,
        _ if then == otherwise => then,
        _ => Rc::new(Term::Ite(condition, then, otherwise)),
    }
}

macro_rules! operators {
    ($($name:ident $op:ident),*) => {
        $(
            pub(super) fn $name(a: T, b: T) -> T {
                binary(BinaryOp::$op, a, b)
            }
        )*
    };
}

operators!(and And, or Or, eq Eq, add Add, sub Sub, mul Mul);

/// `a op b`, folded if the operands are constants.
pub(super) fn binary(op: BinaryOp, a: T, b: T) -> T {
    if let Some(folded) = fold(op, &a, &b) {
        return folded;
    }
    // `(x + 1) + 2` and `(x + 1) - 2`
    if let (
        BinaryOp::Add | BinaryOp::Sub,
        Term::Binary(inner @ (BinaryOp::Add | BinaryOp::Sub), x, c),
        Term::Int(m),
    ) = (op, &*a, &*b)
        && let Term::Int(n) = **c
    {
        let signed = |op, n: i128| if op == BinaryOp::Add { n } else { -n };
        return add_constant(x.clone(), signed(*inner, n) + signed(op, *m));
    }
    if let (BinaryOp::Add | BinaryOp::Sub, Term::Int(m)) = (op, &*b) {
        return add_constant(a, if op == BinaryOp::Add { *m } else { -*m });
    }
    Rc::new(Term::Binary(op, a, b))
}

fn add_constant(a: T, n: i128) -> T {
    match n {
        0 => a,
        1.. => Rc::new(Term::Binary(BinaryOp::Add, a, int(n))),
        _ => Rc::new(Term::Binary(BinaryOp::Sub, a, int(-n))),
    }
}

fn fold(op: BinaryOp, a: &T, b: &T) -> Option<T> {
    match (op, &**a, &**b) {
        (BinaryOp::And, Term::Bool(true), _) | (BinaryOp::Or, Term::Bool(false), _) => Some(b.clone()),
        (BinaryOp::And, _, Term::Bool(true)) | (BinaryOp::Or, _, Term::Bool(false)) => Some(a.clone()),
        (BinaryOp::And, Term::Bool(false), _) => Some(boolean(false)),
        (BinaryOp::Or, Term::Bool(true), _) => Some(boolean(true)),
        (BinaryOp::Mul, _, Term::Int(1)) | (BinaryOp::Add | BinaryOp::Sub, _, Term::Int(0)) => {
            Some(a.clone())
        }
        (BinaryOp::Mul, Term::Int(1), _) | (BinaryOp::Add, Term::Int(0), _) => Some(b.clone()),
        (BinaryOp::Mul, Term::Int(0), _) | (BinaryOp::Mul, _, Term::Int(0)) => Some(int(0)),
        (_, Term::Int(m), Term::Int(n)) => fold_ints(op, *m, *n),
        _ => None,
    }
}

fn fold_ints(op: BinaryOp, m: i128, n: i128) -> Option<T> {
    Some(match op {
        BinaryOp::Add => int(m.checked_add(n)?),
        BinaryOp::Sub => int(m.checked_sub(n)?),
        BinaryOp::Mul => int(m.checked_mul(n)?),
        BinaryOp::Div if n != 0 => int(m.checked_div_euclid(n)?),
        BinaryOp::Mod if n != 0 => int(m.checked_rem_euclid(n)?),
        BinaryOp::Eq => boolean(m == n),
        BinaryOp::Neq => boolean(m != n),
        BinaryOp::Lt => boolean(m < n),
        BinaryOp::Le => boolean(m <= n),
        BinaryOp::Gt => boolean(m > n),
        BinaryOp::Ge => boolean(m >= n),
        _ => return None,
    })
}

impl Term {
    /// The integer, if the term is a constant.
    pub(super) fn as_int(&self) -> Option<i128> {
        match self {
            Term::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// Returns true if a second use of the term costs nothing and is not affected by statements between the uses.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Term::Int(_) | Term::Bool(_) | Term::Str(_))
    }
}
