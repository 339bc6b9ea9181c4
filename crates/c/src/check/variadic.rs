//! `va_start`, `va_arg`, `va_copy` and `va_end`: calls of the library.

use dally_text::code::Code;
use dally_text::source::Span;

use super::{Checked, Checker};
use crate::ast::ExprId;
use crate::hir::{Builtin, Expr, ExprKind};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// `__builtin_va_start` and the like, but for `va_arg`.
    pub(super) fn variable_arguments(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        span: Span,
    ) -> Checked<Expr> {
        let wanted = if name == "va_copy" { 2 } else { 1 };
        // The last parameter says nothing.
        if arguments.len() != wanted && !(name == "va_start" && arguments.len() == 2) {
            self.count(arguments, wanted, span)?;
        }
        let lists: Option<Vec<Expr>> = arguments[..wanted].iter().map(|a| self.value(*a)).collect();
        let mut lists = lists?;
        if name == "va_start" {
            if !self.is_variadic() {
                self.error(
                    Code::TYPE_MISMATCH,
                    span,
                    "this function has no variable arguments: `...` is missing",
                );
                return None;
            }
            let ty = self.basic.void_ptr;
            lists.push(Expr { kind: ExprKind::Builtin(Builtin::VaArguments, Vec::new()), ty, span });
        }
        self.library_value(&format!("__dally_{name}"), lists, span)
    }

    /// Returns true inside of a function with `...`.
    fn is_variadic(&self) -> bool {
        let Some(current) = &self.current else { return false };
        let ty = self.signatures[current.id.index()];
        matches!(self.types.get(ty), Type::Function(signature) if signature.variadic && !signature.params.is_empty())
    }

    /// `*(T *)__dally_va_arg(list, sizeof(T))`
    pub(super) fn next_argument(&mut self, list: Expr, ty: TypeId, span: Span) -> Checked<Expr> {
        let Some(size) = self.types.size(ty) else {
            self.incomplete(ty, span);
            return None;
        };
        let size = self.size_expr(size, span);
        let argument = self.library_value("__dally_va_arg", vec![list, size], span)?;
        let pointer = self.pointer(ty);
        let argument = self.convert(argument, pointer);
        let place = self.deref(argument, span)?;
        self.decay(place)
    }
}
