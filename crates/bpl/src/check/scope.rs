//! Scopes of variables and type variables.

use super::{Checker, Ty, VarId, VarInfo, VarKind};
use crate::ast::Ident;
use crate::diagnostic::{Code, Diagnostic};
use crate::symbol::Sym;

impl Checker<'_> {
    /// Runs `f` in a scope of its own.
    pub(super) fn scoped<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let start = self.shadowed.len();
        self.scopes += 1;
        let outer = std::mem::replace(&mut self.scope, self.scopes);
        let type_vars = self.type_vars.len();
        let result = f(self);
        while self.shadowed.len() > start {
            if let Some((name, meaning)) = self.shadowed.pop() {
                self.var_of[name.index()] = meaning;
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
        let meaning = self.var_of[name.name.index()].replace(id);
        match meaning {
            Some(earlier) if self.scope_of_var[earlier.index()] == self.scope => {
                let first = self.info[earlier].span;
                self.report_duplicate("the variable", name.name, name.span, Some(first));
            }
            _ => self.shadowed.push((name.name, meaning)),
        }
        id
    }

    /// Brings type variables into scope; the number of the first one.
    pub(super) fn declare_type_vars(&mut self, names: &[Ident]) -> u32 {
        let first = self.info.types.new_params(names.iter().map(|n| n.name));
        for (i, name) in names.iter().enumerate() {
            let earlier = names[..i].iter().find(|n| n.name == name.name).map(|n| n.span);
            if earlier.is_some() || self.type_vars.iter().any(|(n, _)| *n == name.name) {
                self.report_duplicate("the type variable", name.name, name.span, earlier);
            }
            self.type_vars.push((name.name, first + i as u32));
        }
        first
    }

    /// The variable that a name means here.
    pub(super) fn lookup(&mut self, name: Ident) -> Option<VarId> {
        let found = self.var_of[name.name.index()];
        if found.is_none() {
            self.report_unknown(name);
        }
        found
    }

    fn report_unknown(&mut self, name: Ident) {
        let visible: Vec<Sym> = match self.suggestions {
            0 => Vec::new(),
            _ => self.var_of.iter().flatten().map(|v| self.info[*v].name).collect(),
        };
        let mut help = self.suggest(name.name, visible.into_iter());
        if self.function_names.contains_key(&name.name) {
            help = Some(format!("`{0}` is a function: apply it, `{0}(…)`", self.text(name.name)));
        }
        let message = format!("there is no variable `{}`", self.text(name.name));
        self.error(Diagnostic::new(Code::UnknownName, name.span, message).maybe_help(help));
    }
}
