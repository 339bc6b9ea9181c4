//! The program while passes rewrite it.

use dally_bpl::ast::{Ast, AttrArg, Attrs, Decl, DeclKind, Expr, Procedure, Role, Stmt, StmtKind};
use dally_bpl::check::Info;
use dally_bpl::codes;
use dally_bpl::{Preemption, Program};
use dally_text::diagnostic::{Diagnostic, Diagnostics};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::origins::Lowered;
use crate::{build, lower};

/// A procedure in which execution starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) procedure: Sym,
    pub(crate) buffer: u32,
    pub(crate) level: u32,
    pub(crate) span: Span,
}

/// The program, and the facts that passes share.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) ast: Ast,
    pub(crate) entries: Vec<Entry>,
    /// The scheduling points that preemption inserts; none without preemption.
    pub(crate) preemption: Preemption,
    /// The flag that a failed assertion raises, if there are assertions.
    pub(crate) error: Option<Sym>,
    /// Variables that passes have added, with their initial values.
    pub(crate) initially: Vec<(Sym, u32)>,
    /// The level at which each procedure runs, once that is known.
    pub(crate) levels: FxHashMap<Sym, u32>,
    /// Statements that passes have made of other constructs.
    pub(crate) lowered: Lowered,
    pub(crate) problems: Diagnostics,
}

/// Checks the program at this point.
pub(crate) fn info(ast: &Ast) -> Info {
    let (info, diagnostics) = dally_bpl::check(ast);
    debug_assert!(
        diagnostics.are_warnings(),
        "{:?} in\n{}",
        diagnostics.iter().next(),
        dally_bpl::print(ast)
    );
    info
}

impl Unit {
    pub(crate) fn new(program: &Program, entry: Option<&str>) -> Unit {
        let mut ast = program.ast.clone();
        lower::old_division(&mut ast, &program.info);
        lower::heat(&mut ast);
        let mut unit = Unit {
            ast,
            entries: Vec::new(),
            preemption: Preemption::default(),
            error: None,
            initially: Vec::new(),
            levels: FxHashMap::default(),
            lowered: Lowered::default(),
            problems: Diagnostics::default(),
        };
        unit.find_entries(entry);
        unit.refuse_generic_entries();
        lower::code_expressions(&mut unit);
        unit
    }

    /// The procedure that runs in a task of this procedure: the one of the source, unless the translation has added it.
    pub(crate) fn origin(&self, mut procedure: Sym) -> Sym {
        while let Some(derivation) = self.ast.derived.get(&procedure).filter(|d| d.role != Role::Poster) {
            procedure = derivation.from;
        }
        procedure
    }

    /// Returns true if tasks start in several buffers.
    pub(crate) fn has_several_buffers(&self) -> bool {
        let first = self.entries.first().map(|e| e.buffer);
        self.entries.iter().any(|e| Some(e.buffer) != first)
    }

    /// Reports a construct that a translation cannot handle.
    pub(crate) fn unsupported(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.problems.push(Diagnostic::new(codes::NOT_SEQUENTIAL, span, message).help(help));
    }

    pub(crate) fn procedure(&self, name: Sym) -> Option<&Procedure> {
        self.ast.decls.iter().filter_map(|d| as_procedure(d)).find(|p| p.signature.name.name == name)
    }

    fn find_entries(&mut self, wanted: Option<&str>) {
        let ast = &self.ast;
        let all: Vec<&Decl> = ast.decls.iter().filter(|d| as_procedure(d).is_some()).collect();
        let name = |d: &Decl| as_procedure(d).map_or("", |p| ast.text(p.signature.name.name));
        let marked = all.iter().any(|d| ast.attr(&d.attrs, "entrypoint").is_some());
        let is_entry = |d: &Decl| match wanted {
            Some(wanted) => name(d) == wanted,
            None if marked => ast.attr(&d.attrs, "entrypoint").is_some(),
            None => name(d) == "main",
        };
        let found = all.into_iter().filter(|d| is_entry(d));
        let entry = |d: &Decl| {
            let name = as_procedure(d)?.signature.name;
            let number = |attr| number_attr(ast, &d.attrs, attr).unwrap_or(0);
            Some(Entry {
                procedure: name.name,
                buffer: number("buffer"),
                level: number("level"),
                span: name.span,
            })
        };
        self.entries = found.filter_map(entry).collect();
        if self.entries.is_empty() {
            let message = match wanted {
                Some(wanted) => format!("there is no procedure `{wanted}` to start in"),
                None => "there is no procedure to start in".to_owned(),
            };
            let help = "mark one with `{:entrypoint}`, call it `main`, or name it with `--entry`";
            self.problems.push(Diagnostic::new(codes::NO_ENTRY, Span::NONE, message).help(help));
        }
    }

    /// Reports generic entry points: the types of their parameters are not known.
    fn refuse_generic_entries(&mut self) {
        for entry in self.entries.clone() {
            if self.procedure(entry.procedure).is_some_and(|p| !p.signature.type_params.is_empty()) {
                let message = "an entry point with type parameters";
                self.unsupported(
                    entry.span,
                    message,
                    "start in a procedure that calls it with types of your own",
                );
            }
        }
    }

    /// The procedures that are posted, and those in which execution starts.
    pub(crate) fn task_procedures(&mut self) -> FxHashSet<Sym> {
        let mut found: FxHashSet<Sym> = self.entries.iter().map(|e| e.procedure).collect();
        build::each_stmt(&mut self.ast, |_, stmt| {
            if let StmtKind::Async(post) = &stmt.kind {
                found.insert(post.procedure.name);
            }
        });
        found
    }

    /// The procedures with a statement for which the test holds, and those that call them, transitively.
    pub(crate) fn closure(&mut self, mut test: impl FnMut(&Stmt) -> bool) -> FxHashSet<Sym> {
        let mut found = FxHashSet::default();
        let mut callers: FxHashMap<Sym, Vec<Sym>> = FxHashMap::default();
        build::each_body(&mut self.ast, |_, decl| {
            let Some(name) = as_procedure(decl).map(|p| p.signature.name.name) else { return };
            let Some(body) = build::body_mut(decl) else { return };
            dally_bpl::ast::for_each_stmt_mut(&mut body.block, &mut |stmt| {
                if let StmtKind::Call(call) = &stmt.kind {
                    callers.entry(call.procedure.name).or_default().push(name);
                }
                if test(stmt) {
                    found.insert(name);
                }
            });
        });
        let mut todo: Vec<Sym> = found.iter().copied().collect();
        while let Some(procedure) = todo.pop() {
            for caller in callers.get(&procedure).into_iter().flatten() {
                if found.insert(*caller) {
                    todo.push(*caller);
                }
            }
        }
        found
    }
}

pub(crate) fn as_procedure(decl: &Decl) -> Option<&Procedure> {
    match &decl.kind {
        DeclKind::Procedure(p) => Some(p),
        _ => None,
    }
}

pub(crate) fn procedures(ast: &Ast) -> FxHashMap<Sym, &Procedure> {
    ast.decls.iter().filter_map(|d| as_procedure(d)).map(|p| (p.signature.name.name, p)).collect()
}

fn number_attr(ast: &Ast, attrs: &Attrs, name: &str) -> Option<u32> {
    match ast.attr(attrs, name)?.args[..] {
        [AttrArg::Expr(e)] => match ast.exprs[e] {
            Expr::Int(digits) => ast.text(digits).parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
