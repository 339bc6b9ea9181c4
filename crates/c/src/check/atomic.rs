//! Atomic accesses: `__atomic_*`, `__sync_*`, `__c11_atomic_*` and the generic functions of `<stdatomic.h>`.

use dally_text::source::Span;

use super::basic::Class;
use super::{Checked, Checker};
use crate::ast::{Binary, ExprId, Unary};
use crate::hir::{BinaryOp, Builtin, Expr, ExprKind};
use crate::types::TypeId;

/// The number of `memory_order_seq_cst`.
const SEQ_CST: i128 = 5;

/// The access that the name of an atomic operation stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Load,
    Store,
    Exchange,
    CompareExchange { weak: Option<bool> },
    Fetch(BinaryOp),
    FetchNand,
    NandFetch,
    Update(BinaryOp),
    Init,
    FlagSet,
    FlagClear,
}

/// How the operands are passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// Values, and memory orders at the end: `__atomic_load_n(p, order)`.
    Values,
    /// Pointers to values, as `__atomic_load(p, result, order)`.
    Pointers,
    /// Values only: `atomic_load(p)`.
    Plain,
}

impl Checker<'_> {
    /// A call of an atomic builtin; none if there is none of this name.
    pub(super) fn atomic(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Option<Checked<Expr>> {
        if let Some(result) = self.fence(name, arguments, span) {
            return Some(result);
        }
        if let Some(rest) = name.strip_prefix("__sync_") {
            return self.sync(rest, arguments, span);
        }
        let (access, style, elements) = if let Some(rest) = name.strip_prefix("__c11_atomic_") {
            (standard(rest)?, Style::Values, true)
        } else if let Some(rest) = name.strip_prefix("__atomic_") {
            let (access, style) = gnu(rest)?;
            (access, style, false)
        } else {
            let rest = name.strip_prefix("atomic_")?;
            match rest.strip_suffix("_explicit") {
                Some(rest) => (standard(rest)?, Style::Values, true),
                None => (standard(rest)?, Style::Plain, true),
            }
        };
        Some(self.access(access, style, elements, arguments, span))
    }

    fn fence(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Option<Checked<Expr>> {
        let value = match name {
            "__sync_synchronize"
            | "__atomic_thread_fence"
            | "__atomic_signal_fence"
            | "atomic_thread_fence"
            | "atomic_signal_fence"
            | "__c11_atomic_thread_fence"
            | "__c11_atomic_signal_fence" => None,
            "__atomic_is_lock_free"
            | "__atomic_always_lock_free"
            | "atomic_is_lock_free"
            | "__c11_atomic_is_lock_free" => Some(1),
            "kill_dependency" if arguments.len() == 1 => return Some(self.value(arguments[0])),
            _ => return None,
        };
        Some(Some(match value {
            Some(value) => self.int_expr(value, self.basic.int, span),
            None => Expr { kind: ExprKind::Builtin(Builtin::Fence, Vec::new()), ty: self.basic.void, span },
        }))
    }

    fn sync(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Option<Checked<Expr>> {
        // Names such as `__sync_fetch_and_add_4` have the width at the end.
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
        let access = match name {
            "val_compare_and_swap" => return Some(self.sync_cas(Builtin::SyncValCas, arguments, span)),
            "bool_compare_and_swap" => return Some(self.sync_cas(Builtin::SyncBoolCas, arguments, span)),
            "lock_test_and_set" | "swap" => Access::Exchange,
            "lock_release" => {
                let zero = self.int_expr(0, self.basic.int, span);
                return Some(self.sync_release(arguments, zero, span));
            }
            _ => match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch")) {
                (Some("nand"), _) => Access::FetchNand,
                (_, Some("nand")) => Access::NandFetch,
                (Some(op), _) => Access::Fetch(operator(op)?),
                (_, Some(op)) => Access::Update(operator(op)?),
                _ => return None,
            },
        };
        // Further arguments name variables to protect, which is not needed.
        let arguments = &arguments[..arguments.len().min(2)];
        Some(self.access(access, Style::Plain, false, arguments, span))
    }

    fn sync_release(&mut self, arguments: &[ExprId], zero: Expr, span: Span) -> Checked<Expr> {
        let pointer = self.value(*arguments.first()?)?;
        let target = self.place_type(&pointer)?;
        let zero = self.convert(zero, target);
        let order = self.order(span);
        let void = self.basic.void;
        Some(Expr {
            kind: ExprKind::Builtin(Builtin::AtomicStore, vec![pointer, zero, order]),
            ty: void,
            span,
        })
    }

    fn sync_cas(&mut self, builtin: Builtin, arguments: &[ExprId], span: Span) -> Checked<Expr> {
        let arguments = &arguments[..arguments.len().min(3)];
        self.count(arguments, 3, span)?;
        let pointer = self.value(arguments[0])?;
        let target = self.place_type(&pointer)?;
        let old = self.value(arguments[1])?;
        let old = self.assignable(old, target, "this argument")?;
        let new = self.value(arguments[2])?;
        let new = self.assignable(new, target, "this argument")?;
        let ty =
            if builtin == Builtin::SyncBoolCas { self.basic.bool } else { self.types.unqualified(target) };
        Some(Expr { kind: ExprKind::Builtin(builtin, vec![pointer, old, new]), ty, span })
    }

    fn order(&self, span: Span) -> Expr {
        self.int_expr(SEQ_CST, self.basic.int, span)
    }

    /// The memory order at a place among the arguments, or the strongest one.
    fn order_at(&mut self, arguments: &[ExprId], index: usize, span: Span) -> Checked<Expr> {
        let int = self.basic.int;
        match arguments.get(index) {
            Some(order) => {
                let order = self.value(*order)?;
                self.assignable(order, int, "this memory order")
            }
            None => Some(self.order(span)),
        }
    }

    fn access(
        &mut self,
        access: Access,
        style: Style,
        elements: bool,
        arguments: &[ExprId],
        span: Span,
    ) -> Checked<Expr> {
        let operands = match access {
            Access::Load | Access::FlagSet | Access::FlagClear => 1,
            Access::CompareExchange { .. } => 3,
            _ => 2,
        };
        if arguments.len() < operands {
            self.count(arguments, operands, span)?;
        }
        let pointer = self.value(arguments[0])?;
        if let Access::FlagSet | Access::FlagClear = access {
            return self.flag(access, pointer, arguments, span);
        }
        let target = self.place_type(&pointer)?;
        match (access, style) {
            (Access::CompareExchange { weak }, _) => {
                self.compare_exchange(pointer, target, weak, style, arguments, span)
            }
            (Access::Load, Style::Pointers) => {
                let order = self.order_at(arguments, 2, span)?;
                let value = self.atomic_node(Builtin::AtomicLoad, vec![pointer, order], target, span);
                self.store_through(arguments.get(1).copied()?, value, span)
            }
            (Access::Exchange, Style::Pointers) => {
                let value = self.read_through(arguments[1], target, span)?;
                let order = self.order_at(arguments, 3, span)?;
                let old =
                    self.atomic_node(Builtin::AtomicExchange, vec![pointer, value, order], target, span);
                self.store_through(arguments.get(2).copied()?, old, span)
            }
            (Access::Load, _) => {
                let order = self.order_at(arguments, 1, span)?;
                Some(self.atomic_node(Builtin::AtomicLoad, vec![pointer, order], target, span))
            }
            _ => {
                let value = if style == Style::Pointers {
                    self.read_through(arguments[1], target, span)?
                } else {
                    self.atomic_operand(access, arguments[1], target, elements, span)?
                };
                let order = self.order_at(arguments, 2, span)?;
                let (builtin, ty) = match access {
                    Access::Store | Access::Init => (Builtin::AtomicStore, self.basic.void),
                    Access::Fetch(op) => (Builtin::AtomicFetch(op), target),
                    Access::FetchNand => (Builtin::AtomicFetchNand, target),
                    Access::NandFetch => (Builtin::AtomicNandFetch, target),
                    Access::Update(op) => (Builtin::AtomicUpdate(op), target),
                    _ => (Builtin::AtomicExchange, target),
                };
                Some(self.atomic_node(builtin, vec![pointer, value, order], ty, span))
            }
        }
    }

    fn atomic_node(&self, builtin: Builtin, operands: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Builtin(builtin, operands), ty: self.types.unqualified(ty), span }
    }

    /// The value of an access, in the type of the place. Pointers are moved by bytes, except by C11's functions,
    /// which count elements: their operand becomes a number of bytes.
    fn atomic_operand(
        &mut self,
        access: Access,
        argument: ExprId,
        target: TypeId,
        elements: bool,
        span: Span,
    ) -> Checked<Expr> {
        let value = self.value(argument)?;
        let moves = matches!(access, Access::Fetch(_) | Access::Update(_));
        let Class::Pointer(pointee) = self.class(target) else {
            return self.assignable(value, target, "this argument");
        };
        if !moves {
            return self.assignable(value, target, "this argument");
        }
        let long = self.basic.long;
        let value = self.convert(value, long);
        if !elements {
            return Some(value);
        }
        let size = self.size_expr(self.types.size(pointee).unwrap_or(1), span);
        let size = self.convert(size, long);
        self.binary(Binary::Op(BinaryOp::Mul), value, size, span)
    }

    fn read_through(&mut self, argument: ExprId, target: TypeId, span: Span) -> Checked<Expr> {
        let pointer = self.value(argument)?;
        let place = self.deref(pointer, span)?;
        let value = self.decay(place)?;
        self.assignable(value, target, "this argument")
    }

    fn store_through(&mut self, argument: ExprId, value: Expr, span: Span) -> Checked<Expr> {
        let pointer = self.value(argument)?;
        let place = self.deref(pointer, span)?;
        let store = self.assign(place, value, span)?;
        Some(Expr { kind: ExprKind::Cast(Box::new(store)), ty: self.basic.void, span })
    }

    fn compare_exchange(
        &mut self,
        pointer: Expr,
        target: TypeId,
        weak: Option<bool>,
        style: Style,
        arguments: &[ExprId],
        span: Span,
    ) -> Checked<Expr> {
        let expected = self.value(arguments[1])?;
        self.place_type(&expected)?;
        let desired = match style {
            Style::Pointers => self.read_through(arguments[2], target, span)?,
            _ => {
                let desired = self.value(arguments[2])?;
                self.assignable(desired, target, "this argument")?
            }
        };
        // GNU's functions say by an argument if they may fail without a reason.
        let (weak, orders) = match weak {
            Some(weak) => (self.int_expr(i128::from(weak), self.basic.bool, span), 3),
            None => {
                let weak = match arguments.get(3) {
                    Some(weak) => self.value(*weak)?,
                    None => self.int_expr(0, self.basic.int, span),
                };
                let bool = self.basic.bool;
                (self.convert(weak, bool), 4)
            }
        };
        let success = self.order_at(arguments, orders, span)?;
        let failure = self.order_at(arguments, orders + 1, span)?;
        let operands = vec![pointer, expected, desired, weak, success, failure];
        Some(self.atomic_node(Builtin::AtomicCompareExchange, operands, self.basic.bool, span))
    }

    /// Sets or clears a flag: a byte, or the first member of a struct.
    fn flag(&mut self, access: Access, pointer: Expr, arguments: &[ExprId], span: Span) -> Checked<Expr> {
        let mut place = self.deref(pointer, span)?;
        while let Class::Record(_) = self.class(place.ty) {
            self.field(place.ty, 0)?;
            place = self.member_node(place, 0, span);
        }
        if self.class(place.ty) == Class::Void {
            place.ty = self.basic.bool;
        }
        let target = place.ty;
        let ty = self.pointer(target);
        let pointer = match place.kind {
            ExprKind::Deref(pointer) => Expr { ty, ..*pointer },
            _ => Expr { kind: ExprKind::AddressOf(Box::new(place)), ty, span },
        };
        let order = self.order_at(arguments, 1, span)?;
        let set = access == Access::FlagSet;
        let value = self.int_expr(i128::from(set), self.basic.int, span);
        let value = self.convert(value, target);
        let operands = vec![pointer, value, order];
        if !set {
            return Some(self.atomic_node(Builtin::AtomicStore, operands, self.basic.void, span));
        }
        let old = self.atomic_node(Builtin::AtomicExchange, operands, target, span);
        let bool = self.basic.bool;
        let not = self.arithmetic_unary(Unary::Not, old, span)?;
        let not = self.arithmetic_unary(Unary::Not, not, span)?;
        Some(self.convert(not, bool))
    }
}

fn operator(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "and" => BinaryOp::BitAnd,
        "or" => BinaryOp::BitOr,
        "xor" => BinaryOp::BitXor,
        _ => return None,
    })
}

/// The functions of C11, after `atomic_`.
fn standard(name: &str) -> Option<Access> {
    Some(match name {
        "load" => Access::Load,
        "store" => Access::Store,
        "init" => Access::Init,
        "exchange" => Access::Exchange,
        "compare_exchange_strong" => Access::CompareExchange { weak: Some(false) },
        "compare_exchange_weak" => Access::CompareExchange { weak: Some(true) },
        "flag_test_and_set" => Access::FlagSet,
        "flag_clear" => Access::FlagClear,
        "fetch_nand" => Access::FetchNand,
        _ => Access::Fetch(operator(name.strip_prefix("fetch_")?)?),
    })
}

/// The functions of GNU C, after `__atomic_`.
fn gnu(name: &str) -> Option<(Access, Style)> {
    Some(match name {
        "load_n" => (Access::Load, Style::Values),
        "load" => (Access::Load, Style::Pointers),
        "store_n" => (Access::Store, Style::Values),
        "store" => (Access::Store, Style::Pointers),
        "exchange_n" => (Access::Exchange, Style::Values),
        "exchange" => (Access::Exchange, Style::Pointers),
        "compare_exchange_n" => (Access::CompareExchange { weak: None }, Style::Values),
        "compare_exchange" => (Access::CompareExchange { weak: None }, Style::Pointers),
        "test_and_set" => (Access::FlagSet, Style::Values),
        "clear" => (Access::FlagClear, Style::Values),
        "fetch_nand" => (Access::FetchNand, Style::Values),
        "nand_fetch" => (Access::NandFetch, Style::Values),
        _ => match (name.strip_prefix("fetch_"), name.strip_suffix("_fetch")) {
            (Some(op), _) => (Access::Fetch(operator(op)?), Style::Values),
            (_, Some(op)) => (Access::Update(operator(op)?), Style::Values),
            _ => return None,
        },
    })
}
