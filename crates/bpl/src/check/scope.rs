//! Scopes of variables and type variables.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::{Checker, Ty, VarId, VarInfo, VarKind};
use crate::ast::Ident;

/// The type variables in scope.
#[derive(Debug, Default)]
pub(super) struct TypeVars {
    /// The type variables by name.
    of_name: FxHashMap<Sym, TypeVar>,
    /// The declarations in scope, innermost last.
    stack: Vec<Shadowed<TypeVar>>,
}

/// A type variable: its number and the span of its declaration.
#[derive(Clone, Copy, Debug)]
struct TypeVar {
    number: u32,
    span: Span,
}

/// A declared name and its outer meaning, which is restored when the scope ends.
#[derive(Debug)]
pub(super) struct Shadowed<T> {
    name: Sym,
    outer: Option<T>,
}

impl TypeVars {
    /// The number of elements.
    pub(super) fn len(&self) -> usize {
        self.stack.len()
    }

    /// Adds a type variable. Returns the span of another one of this name that is in scope.
    fn declare(&mut self, name: Ident, number: u32) -> Option<Span> {
        let outer = self.of_name.insert(name.name, TypeVar { number, span: name.span });
        self.stack.push(Shadowed { name: name.name, outer });
        outer.map(|var| var.span)
    }

    /// Ends the scope of all but the outermost `len` variables.
    pub(super) fn truncate(&mut self, len: usize) {
        for Shadowed { name, outer } in self.stack.drain(len..).rev() {
            match outer {
                Some(meaning) => self.of_name.insert(name, meaning),
                None => self.of_name.remove(&name),
            };
        }
    }

    /// The number of the type variable of this name.
    pub(super) fn get(&self, name: Sym) -> Option<u32> {
        self.of_name.get(&name).map(|var| var.number)
    }

    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = Sym> {
        self.of_name.keys().copied()
    }
}

impl Checker<'_> {
    /// Runs `f` in a new scope.
    pub(super) fn scoped<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let start = self.shadowed.len();
        self.scopes += 1;
        let outer = std::mem::replace(&mut self.scope, self.scopes);
        let type_vars = self.type_vars.len();
        let result = f(self);
        while self.shadowed.len() > start {
            if let Some(Shadowed { name, outer }) = self.shadowed.pop() {
                self.var_of[name.index()] = outer;
            }
        }
        self.type_vars.truncate(type_vars);
        self.scope = outer;
        result
    }

    /// Declares a variable in the current scope.
    pub(super) fn declare(&mut self, name: Ident, ty: Ty, kind: VarKind) -> VarId {
        let id = VarId(self.info.vars.len() as u32);
        self.info.vars.push(VarInfo { name: name.name, ty, kind, span: name.span });
        if self.info.types.has_infer(ty) {
            self.pending_vars.push(id);
        }
        self.scope_of_var.push(self.scope);
        let outer = self.var_of[name.name.index()].replace(id);
        match outer {
            Some(earlier) if self.scope_of_var[earlier.index()] == self.scope => {
                let first = self.info[earlier].span;
                self.report_duplicate("the variable", name.name, name.span, Some(first));
            }
            _ => self.shadowed.push(Shadowed { name: name.name, outer }),
        }
        id
    }

    /// Brings type variables into scope. Returns the number of the first one.
    pub(super) fn declare_type_vars(&mut self, names: &[Ident]) -> u32 {
        let first = self.info.types.new_params(names.iter().map(|n| n.name));
        for (name, number) in names.iter().zip(first..) {
            if let Some(earlier) = self.type_vars.declare(*name, number) {
                self.report_duplicate("the type variable", name.name, name.span, Some(earlier));
            }
        }
        first
    }

    /// The variable that a name denotes; reports one that is not declared.
    pub(super) fn lookup(&mut self, name: Ident) -> Option<VarId> {
        let found = self.var_of[name.name.index()];
        if found.is_none() {
            self.report_unknown(name);
        }
        found
    }

    fn report_unknown(&mut self, name: Ident) {
        let visible =
            |c: &Self| c.var_of.iter().flatten().map(|v| c.info[*v].name).collect::<Vec<_>>().into_iter();
        let mut help = self.suggest(name.name, visible);
        if self.function_names.contains_key(&name.name) {
            help = Some(format!("`{0}` is a function: write `{0}(…)`", self.text(name.name)));
        }
        let message = format!("there is no variable `{}`", self.text(name.name));
        self.error(Diagnostic::new(Code::UNKNOWN_NAME, name.span, message).maybe_help(help));
    }
}
