//! Functions that the compiler knows by name.

use dally_text::code::Code;
use dally_text::source::Span;

use super::basic::Class;
use super::scope::Entity;
use super::{Checked, Checker};
use crate::ast::{Binary, ExprId};
use crate::hir::{BinaryOp, Builtin, Expr, ExprKind, Init, InitPart, Stmt, StmtKind};
use crate::types::TypeId;

impl Checker<'_> {
    /// A call of a builtin; none if there is none of this name.
    pub(super) fn builtin(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Option<Checked<Expr>> {
        if let Some(rest) = name.strip_prefix("__dally_") {
            return self.own(rest, arguments, span);
        }
        if let Some(result) = self.atomic(name, arguments, span) {
            return Some(result);
        }
        if let Some(rest) = name.strip_prefix("__builtin_") {
            return Some(self.gnu(rest, arguments, span));
        }
        match name {
            "alloca" => Some(self.gnu("alloca", arguments, span)),
            _ => None,
        }
    }

    /// The builtins that the library is made of.
    fn own(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Option<Checked<Expr>> {
        if let Some(call) = self.event_call(name, arguments, span) {
            return Some(call);
        }
        let basic = self.basic;
        let (void, int, any) = (basic.void, basic.int, None);
        let (size, pointer) = (Some(basic.ulong), Some(basic.void_ptr));
        let (number, text) = (Some(basic.int), Some(basic.char_ptr));
        let (builtin, params, result): (Builtin, &[Option<TypeId>], TypeId) = match name {
            "yield" => (Builtin::Yield, &[], void),
            "await" => (Builtin::Await, &[any], void),
            "atomic_begin" => (Builtin::AtomicBegin, &[], void),
            "atomic_end" => (Builtin::AtomicEnd, &[], void),
            "spawn" => (Builtin::Spawn, &[any, pointer], int),
            "self" => (Builtin::SelfId, &[], int),
            "threads" => (Builtin::Threads, &[], int),
            "ended" => (Builtin::Ended, &[number], int),
            "result" => (Builtin::ThreadResult, &[number], basic.void_ptr),
            "exit_thread" => (Builtin::ExitThread, &[pointer], void),
            "exit_program" => (Builtin::ExitProgram, &[], void),
            "check" => (Builtin::Check, &[any, text], void),
            "fail" => (Builtin::Fail, &[text], void),
            "assume" => (Builtin::Assume, &[any], void),
            "restrict" => (Builtin::Restrict, &[any], void),
            "unsupported" => (Builtin::Unsupported, &[text], void),
            "choose" => (Builtin::Choose, &[number], int),
            "allocate" => (Builtin::Allocate, &[size, number], basic.void_ptr),
            "release" => (Builtin::Release, &[pointer], void),
            "object_size" => (Builtin::ObjectSize, &[pointer], basic.ulong),
            "copy" => (Builtin::Copy, &[pointer, pointer, size], void),
            "overlap" => (Builtin::Overlap, &[pointer, pointer, size], int),
            "move" => (Builtin::Move, &[pointer, pointer, size], void),
            "fill" => (Builtin::Fill, &[pointer, number, size], void),
            "access" => (Builtin::Access, &[pointer, size], void),
            "alloca" => (Builtin::Alloca, &[size], basic.void_ptr),
            _ => return None,
        };
        let described =
            matches!(builtin, Builtin::Await | Builtin::Check | Builtin::Fail | Builtin::Unsupported);
        if !described || arguments.len() <= params.len() {
            return Some(self.simple(builtin, arguments, params, result, span));
        }
        // The rest is a text for messages, and the values that it mentions.
        let (first, rest) = arguments.split_at(params.len());
        let Some(mut call) = self.simple(builtin, first, params, result, span) else { return Some(None) };
        if let ExprKind::Builtin(_, operands) = &mut call.kind {
            for argument in rest {
                match self.value(*argument).and_then(|value| self.extra_argument(value)) {
                    Some(value) => operands.push(value),
                    None => return Some(None),
                }
            }
        }
        Some(Some(call))
    }

    /// A builtin whose operands have these types; any scalar where there is none.
    pub(super) fn simple(
        &mut self,
        builtin: Builtin,
        arguments: &[ExprId],
        params: &[Option<TypeId>],
        result: TypeId,
        span: Span,
    ) -> Checked<Expr> {
        self.count(arguments, params.len(), span)?;
        let mut values = Vec::with_capacity(params.len());
        for (argument, ty) in arguments.iter().zip(params) {
            let value = self.value(*argument)?;
            values.push(match ty {
                Some(ty) => self.assignable(value, *ty, "this argument")?,
                None => self.condition(value)?,
            });
        }
        Some(Expr { kind: ExprKind::Builtin(builtin, values), ty: result, span })
    }

    pub(super) fn count(&mut self, arguments: &[ExprId], wanted: usize, span: Span) -> Checked<()> {
        if arguments.len() == wanted {
            return Some(());
        }
        let message = format!("{wanted} arguments are expected, not {}", arguments.len());
        self.error(Code::WRONG_COUNT, span, message);
        None
    }

    /// `__builtin_…`: some are known here, the others are functions of the library with or without the prefix.
    fn gnu(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Checked<Expr> {
        if let Some(result) = self.formatted_call(name, arguments, false, span) {
            return result;
        }
        let (int, long) = (self.basic.int, self.basic.long);
        match name {
            "expect" | "expect_with_probability" if arguments.len() >= 2 => {
                let value = self.value(arguments[0])?;
                Some(self.convert(value, long))
            }
            "constant_p" => {
                self.count(arguments, 1, span)?;
                let value = self.value(arguments[0])?;
                let constant = matches!(value.kind, ExprKind::Float(_)) || self.constant_of(&value).is_ok();
                Some(self.int_expr(i128::from(constant), int, span))
            }
            "choose_expr" => {
                self.count(arguments, 3, span)?;
                let chosen = if self.constant_int(arguments[0])? != 0 { arguments[1] } else { arguments[2] };
                self.operand(chosen)
            }
            "unreachable" | "trap" | "abort" => self.fatal(name, span),
            "assume_aligned" | "launder" if !arguments.is_empty() => self.value(arguments[0]),
            "prefetch" | "ia32_pause" => {
                Some(Expr { kind: ExprKind::Builtin(Builtin::Fence, Vec::new()), ty: self.basic.void, span })
            }
            "object_size" | "dynamic_object_size" => Some(self.int_expr(-1, self.basic.ulong, span)),
            "alloca" | "alloca_with_align" if !arguments.is_empty() => {
                let size = self.basic.ulong;
                self.simple(Builtin::Alloca, &arguments[..1], &[Some(size)], self.basic.void_ptr, span)
            }
            "va_start" | "va_end" | "va_copy" => self.variable_arguments(name, arguments, span),
            "add_overflow" | "sadd_overflow" | "uadd_overflow" | "saddl_overflow" | "uaddl_overflow"
            | "saddll_overflow" | "uaddll_overflow" => self.overflow(BinaryOp::Add, arguments, span),
            "sub_overflow" | "ssub_overflow" | "usub_overflow" | "ssubl_overflow" | "usubl_overflow"
            | "ssubll_overflow" | "usubll_overflow" => self.overflow(BinaryOp::Sub, arguments, span),
            "mul_overflow" | "smul_overflow" | "umul_overflow" | "smull_overflow" | "umull_overflow"
            | "smulll_overflow" | "umulll_overflow" => self.overflow(BinaryOp::Mul, arguments, span),
            _ => self.gnu_function(name, arguments, span),
        }
    }

    fn fatal(&mut self, name: &str, span: Span) -> Checked<Expr> {
        let text = self.string_expr(&format!("__builtin_{name} is reached"), span);
        let text = self.decay(text)?;
        Some(Expr { kind: ExprKind::Builtin(Builtin::Fail, vec![text]), ty: self.basic.void, span })
    }

    /// A builtin that the library may define in C, as `__builtin_name` or `name`. Bit counts of constants are folded.
    fn gnu_function(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Checked<Expr> {
        let values: Option<Vec<_>> = arguments.iter().map(|a| self.value(*a)).collect();
        let values = values?;
        if let Some(value) = self.folded_bits(name, &values) {
            return Some(self.int_expr(value, self.basic.int, span));
        }
        for name in [format!("__builtin_{name}"), name.to_owned()] {
            let entity = self.symbols.get(&name).and_then(|sym| self.scopes.library(sym));
            if let Some(Entity::Function(id)) = entity {
                let function = self.function_expr(id, span);
                return self.call_value(function, values, span);
            }
        }
        let what = self.unsupported_here(&format!("the function `__builtin_{name}`"), span);
        let zero = self.int_expr(0, self.basic.int, span);
        let int = self.basic.int;
        Some(Expr { kind: ExprKind::Comma(Box::new(what), Box::new(zero)), ty: int, span })
    }

    fn folded_bits(&self, name: &str, values: &[Expr]) -> Option<i128> {
        let [value] = values else { return None };
        let ExprKind::Int(value) = value.kind else { return None };
        let wide = name.ends_with('l');
        let bits = if wide { value as u64 } else { u64::from(value as u32) };
        let width = if wide { 64 } else { 32 };
        Some(i128::from(match name.trim_end_matches('l') {
            "popcount" => bits.count_ones(),
            "parity" => bits.count_ones() & 1,
            "clz" if bits != 0 => bits.leading_zeros() - (64 - width),
            "ctz" if bits != 0 => bits.trailing_zeros(),
            "ffs" => {
                if bits == 0 {
                    0
                } else {
                    bits.trailing_zeros() + 1
                }
            }
            _ => return None,
        }))
    }

    /// `({ __int128 t = (__int128)a + b; *result = t; t != *result; })`
    fn overflow(&mut self, op: BinaryOp, arguments: &[ExprId], span: Span) -> Checked<Expr> {
        self.count(arguments, 3, span)?;
        let wide = self.types.int(128, true);
        let (a, b) = (self.value(arguments[0])?, self.value(arguments[1])?);
        let pointer = self.value(arguments[2])?;
        let Some(target) = self.types.pointee(pointer.ty).filter(|t| self.class(*t).is_integer()) else {
            self.error(Code::TYPE_MISMATCH, span, "the last argument is a pointer to an integer");
            return None;
        };
        let (a, b) = (self.convert(a, wide), self.convert(b, wide));
        let exact = self.binary(Binary::Op(op), a, b, span)?;
        let local = self.add_local("", wide, span)?;
        let part = InitPart { offset: 0, bits: None, ty: wide, value: exact };
        let init = Init { zero_rest: false, parts: vec![part] };
        let lvalue = Expr { kind: ExprKind::Local(local), ty: wide, span };
        let read = Expr { kind: ExprKind::Load(Box::new(lvalue)), ty: wide, span };
        let place = self.deref(pointer, span)?;
        let wrapped = self.convert(read.clone(), target);
        let store = self.assign(place, wrapped.clone(), span)?;
        let back = self.convert(wrapped, wide);
        let differs = self.binary(Binary::Op(BinaryOp::Ne), read, back, span)?;
        let bool = self.basic.bool;
        let differs = self.convert(differs, bool);
        let stmts = vec![
            Stmt { kind: StmtKind::Declare(local, Some(init)), span },
            Stmt { kind: StmtKind::Expr(store), span },
            Stmt { kind: StmtKind::Expr(differs), span },
        ];
        Some(Expr { kind: ExprKind::Block(stmts), ty: bool, span })
    }

    /// Returns the target of a pointer operand of a builtin.
    pub(super) fn place_type(&mut self, pointer: &Expr) -> Checked<TypeId> {
        match self.class(pointer.ty) {
            Class::Pointer(target) if self.types.size(target).is_some() => Some(target),
            _ => {
                let message =
                    format!("a pointer to an object is expected, not `{}`", self.describe(pointer.ty));
                self.error(Code::TYPE_MISMATCH, pointer.span, message);
                None
            }
        }
    }
}
