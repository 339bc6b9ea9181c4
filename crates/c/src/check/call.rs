//! Calls.

use dally_text::code::Code;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::basic::Class;
use super::scope::Entity;
use super::{Checked, Checker};
use crate::ast::{ExprId, ExprKind as E, Name};
use crate::codes;
use crate::hir::{Expr, ExprKind};
use crate::types::{FunctionType, Type};

impl Checker<'_> {
    pub(super) fn call(&mut self, callee: ExprId, arguments: &[ExprId], span: Span) -> Checked<Expr> {
        let discards = std::mem::take(&mut self.discards);
        if let E::Ident(sym) = self.ast.expr(callee).kind {
            if self.may_be_builtin(sym) {
                let name = self.text(sym).to_owned();
                if let Some(result) = self.formatted_call(&name, arguments, discards, span) {
                    return result;
                }
                if let Some(result) = self.builtin(&name, arguments, span) {
                    return result;
                }
            }
            if self.is_undeclared(sym) {
                self.implicit_function(Name { sym, span: self.ast.expr(callee).span });
            }
        }
        let function = self.value(callee);
        let values: Vec<_> = arguments.iter().map(|a| self.value(*a)).collect();
        let function = function?;
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        self.call_value(function, values, span)
    }

    /// Returns true if the name is not that of a variable, or of a function that the program or the library defines.
    fn may_be_builtin(&self, sym: Sym) -> bool {
        match self.scopes.get(sym) {
            None => true,
            Some(Entity::Function(id)) => {
                // The library declares `printf` and its like without a body.
                self.functions[id.index()].body.is_none() && !self.user_defined.contains(&sym)
            }
            Some(_) => false,
        }
    }

    fn is_undeclared(&self, sym: Sym) -> bool {
        match self.scopes.get(sym) {
            None => true,
            // The program defines a function of this name later.
            Some(Entity::Function(_)) => {
                !self.library && self.scopes.is_library(sym) && self.user_defined.contains(&sym)
            }
            Some(_) => false,
        }
    }

    /// Declares a function as C89 does for a call of an unknown name.
    fn implicit_function(&mut self, name: Name) {
        let text = self.text(name.sym);
        if !text.starts_with("__builtin_") {
            let message = format!("the function `{text}` is not declared: `int {text}()` is assumed");
            self.error(codes::IMPLICIT_FUNCTION, name.span, message);
        }
        let id = match self.externals.get(&name.sym) {
            Some(Entity::Function(id)) => *id,
            _ => {
                let ty = FunctionType { result: self.basic.int, params: Vec::new(), variadic: true };
                let ty = self.types.intern(Type::Function(ty));
                let id = self.add_function(name, ty);
                self.externals.insert(name.sym, Entity::Function(id));
                id
            }
        };
        self.scopes.declare(name.sym, Entity::Function(id));
    }

    /// A call with checked operands.
    pub(super) fn call_value(&mut self, function: Expr, arguments: Vec<Expr>, span: Span) -> Checked<Expr> {
        let signature = match self.class(function.ty) {
            Class::Pointer(target) => match self.types.get(self.types.unqualified(target)) {
                Type::Function(signature) => Some(signature.clone()),
                _ => None,
            },
            _ => None,
        };
        let Some(signature) = signature else {
            let message = format!("`{}` is not a function", self.describe(function.ty));
            self.error(codes::NOT_CALLABLE, function.span, message);
            return None;
        };
        let arguments = self.arguments(&signature, arguments, span)?;
        let result = signature.result;
        if self.class(result) != Class::Void && self.types.size(result).is_none() {
            self.incomplete(result, span);
            return None;
        }
        Some(Expr { kind: ExprKind::Call(Box::new(function), arguments), ty: result, span })
    }

    fn arguments(
        &mut self,
        signature: &FunctionType,
        arguments: Vec<Expr>,
        span: Span,
    ) -> Checked<Vec<Expr>> {
        let (given, wanted) = (arguments.len(), signature.params.len());
        if given < wanted || (given > wanted && !signature.variadic) {
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("this function has {wanted} parameter{plural}, but gets {given}");
            self.error(Code::WRONG_COUNT, span, message);
            return None;
        }
        let mut converted = Vec::with_capacity(given);
        for (index, argument) in arguments.into_iter().enumerate() {
            converted.push(match signature.params.get(index) {
                Some(ty) => self.assignable(argument, *ty, "this argument")?,
                None => self.extra_argument(argument)?,
            });
        }
        Some(converted)
    }

    /// An argument without a parameter.
    pub(super) fn extra_argument(&mut self, argument: Expr) -> Checked<Expr> {
        match self.class(argument.ty) {
            Class::Void => {
                self.error(Code::TYPE_MISMATCH, argument.span, "this argument has no value");
                None
            }
            _ => Some(self.default_promote(argument)),
        }
    }
}
