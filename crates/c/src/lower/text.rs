//! The text of lvalues, for traces.

use super::Lowerer;
use crate::hir::{Expr, ExprKind};
use crate::types::Type;

impl Lowerer<'_> {
    /// Begins an assignment to an lvalue; returns the text of the one around it.
    pub(super) fn enter_lvalue(&mut self, lvalue: &Expr) -> Option<String> {
        let text = self.lvalue_text(lvalue);
        std::mem::replace(&mut self.proc.lvalue, text)
    }

    /// The text of an lvalue, if it is short.
    pub(super) fn lvalue_text(&self, e: &Expr) -> Option<String> {
        Some(match &e.kind {
            ExprKind::Local(local) => {
                let function = self.proc.frames.last()?.function;
                self.function(function).locals[local.index()].name.clone()
            }
            ExprKind::Global(global) => self.program.globals[global.index()].name.clone(),
            ExprKind::Member(record, number) => {
                let types = &self.program.types;
                let Type::Record(id) = types.get(types.unqualified(record.ty)) else { return None };
                let field = types.records[id.0 as usize].fields.as_ref()?.get(*number as usize)?;
                match &record.kind {
                    ExprKind::Deref(pointer) => match self.element_text(pointer) {
                        Some(element) => format!("{element}.{}", field.name),
                        None => format!("{}->{}", self.value_text(pointer)?, field.name),
                    },
                    _ => format!("{}.{}", self.lvalue_text(record)?, field.name),
                }
            }
            ExprKind::Deref(pointer) => match self.element_text(pointer) {
                Some(element) => element,
                None => format!("*{}", self.value_text(pointer)?),
            },
            _ => return None,
        })
    }

    /// The text of the target of a pointer: `m` for `&m`, `*p` for `p`. A parameter of a library function stands for
    /// the argument.
    pub(super) fn target_text(&self, e: &Expr) -> Option<String> {
        match &e.kind {
            ExprKind::AddressOf(lvalue) => self.lvalue_text(lvalue),
            ExprKind::Cast(inner) => self.target_text(inner),
            ExprKind::PointerAdd(base, _) => {
                self.element_text(e).or_else(|| Some(format!("{}[…]", self.value_text(base)?)))
            }
            ExprKind::Load(lvalue) => {
                let frame = self.proc.frames.last()?;
                let function = self.function(frame.function);
                match lvalue.kind {
                    ExprKind::Local(local) if function.library => {
                        let position = function.params.iter().position(|p| *p == local)?;
                        frame.arguments.get(position)?.clone()
                    }
                    _ => Some(format!("*{}", self.lvalue_text(lvalue)?)),
                }
            }
            _ => None,
        }
    }

    /// `a[i]` for the pointer `a + i`.
    fn element_text(&self, pointer: &Expr) -> Option<String> {
        let ExprKind::PointerAdd(base, index) = &pointer.kind else { return None };
        Some(format!("{}[{}]", self.value_text(base)?, self.value_text(index)?))
    }

    fn value_text(&self, e: &Expr) -> Option<String> {
        match &e.kind {
            ExprKind::Int(n) => Some(n.to_string()),
            ExprKind::Load(lvalue) | ExprKind::Decay(lvalue) => self.lvalue_text(lvalue),
            ExprKind::AddressOf(lvalue) => Some(format!("&{}", self.lvalue_text(lvalue)?)),
            ExprKind::Cast(inner) => self.value_text(inner),
            _ => None,
        }
    }
}
