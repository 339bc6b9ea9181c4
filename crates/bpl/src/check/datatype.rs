//! Datatypes: consistent field types, and well-foundedness.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, ConstructorInfo, FunctionId, TyCon, TyKind};
use crate::ast::{Datatype, DeclKind};
use crate::codes;

impl Checker<'_> {
    pub(super) fn check_datatypes(&mut self) {
        let ast = self.ast;
        for decl in &ast.decls {
            if let DeclKind::Datatype(datatype) = &decl.kind {
                self.check_fields(datatype);
            }
        }
        self.check_well_founded();
    }

    /// Checks that a field of several constructors has the same type in all of them.
    fn check_fields(&mut self, datatype: &Datatype) {
        let Some(con) = self.constructor_declared(datatype.name) else { return };
        let Some(info) = self.info.datatypes.get(&con).cloned() else { return };
        for (c, resolved) in datatype.constructors.iter().zip(&info.constructors) {
            let mut seen: FxHashMap<Sym, Span> = FxHashMap::default();
            for (i, field) in c.fields.iter().enumerate() {
                let name = field.var.name;
                if let Some(first) = seen.insert(name.name, name.span) {
                    self.report_duplicate("the field", name.name, name.span, Some(first));
                }
                let Some(first) = info.field(resolved.fields[i]) else { continue };
                let other = &self.info[first.constructor];
                if other.params[first.index] != self.info[resolved.function].params[i] {
                    let message = format!(
                        "the field `{}` has a different type in the constructor `{}`",
                        self.text(name.name),
                        self.text(other.name)
                    );
                    self.report(Code::TYPE_MISMATCH, name.span, message);
                }
            }
        }
    }

    /// Checks that every datatype has a finite value.
    fn check_well_founded(&mut self) {
        let founded = self.founded_datatypes();
        let ast = self.ast;
        for decl in &ast.decls {
            let DeclKind::Datatype(datatype) = &decl.kind else { continue };
            let con = self.constructor_declared(datatype.name);
            if con.is_some_and(|c| self.info.datatypes.contains_key(&c) && !founded.contains(&c)) {
                let name = datatype.name;
                let message = format!("the datatype `{}` has no finite value", self.text(name.name));
                let help = "add a constructor whose fields do not depend on the datatype itself";
                self.error(Diagnostic::new(codes::NOT_WELL_FOUNDED, name.span, message).help(help));
            }
        }
    }

    /// The datatypes that have a finite value.
    fn founded_datatypes(&self) -> FxHashSet<TyCon> {
        let mut founded: FxHashSet<TyCon> = FxHashSet::default();
        let mut todo: Vec<TyCon> = Vec::new();
        // A work-list algorithm: for each datatype the constructors that depend on it, and for each constructor the
        // number of its datatypes that are not known to be well-founded.
        let mut waiting: FxHashMap<TyCon, Vec<FunctionId>> = FxHashMap::default();
        let mut missing: FxHashMap<FunctionId, usize> = FxHashMap::default();
        for (con, datatype) in &self.info.datatypes {
            for ConstructorInfo { function, .. } in &datatype.constructors {
                let needed =
                    self.info[*function].params.iter().filter_map(|t| match self.info.types.kind(*t) {
                        TyKind::Con(c, _) if self.info.datatypes.contains_key(c) => Some(*c),
                        _ => None,
                    });
                let mut count = 0;
                for needed in needed {
                    waiting.entry(needed).or_default().push(*function);
                    count += 1;
                }
                missing.insert(*function, count);
                if count == 0 && founded.insert(*con) {
                    todo.push(*con);
                }
            }
        }
        while let Some(con) = todo.pop() {
            for constructor in waiting.remove(&con).unwrap_or_default() {
                let Some(count) = missing.get_mut(&constructor) else { continue };
                let Some(owner) = self.info[constructor].constructs.map(|c| c.datatype) else { continue };
                *count -= 1;
                if *count == 0 && founded.insert(owner) {
                    todo.push(owner);
                }
            }
        }
        founded
    }
}
