//! Name resolution and type checking, one file per concern. The rules are those of P's own checker.
//!
//! An ill-typed expression has a type that is compatible with every type, so that one mistake is reported once. Modules
//! and tests are checked only if there are no other errors.

mod body;
mod collect;
mod expr;
mod flow;
mod foreign;
pub(crate) mod info;
mod machine;
mod module;
mod params;
mod resolve;
mod stmt;
pub(crate) mod types;

use dally_text::code::Code;
use dally_text::diagnostic::{Diagnostic, Diagnostics, did_you_mean};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Ast, FunId, Name};
use crate::codes;
pub(crate) use info::Info;
use info::{EventId, EventSet};
use types::{Ty, Types};

/// Resolves names, checks types, and links the tests.
pub(crate) fn check(ast: &Ast) -> (Info, Diagnostics) {
    let mut checker = Checker::new(ast);
    checker.collect();
    checker.resolve_declarations();
    checker.link_stubs();
    checker.check_machines();
    checker.check_bodies();
    checker.check_flow();
    if checker.diagnostics.are_warnings() {
        checker.check_tests();
    }
    (checker.info, checker.diagnostics)
}

/// The names of the program, by kind.
#[derive(Default)]
struct Globals {
    typedefs: FxHashMap<Sym, usize>,
    enums: FxHashMap<Sym, usize>,
    elements: FxHashMap<Sym, Constant>,
    events: FxHashMap<Sym, EventId>,
    event_sets: FxHashMap<Sym, usize>,
    interfaces: FxHashMap<Sym, u32>,
    machines: FxHashMap<Sym, u32>,
    funs: FxHashMap<Sym, FunId>,
    params: FxHashMap<Sym, u32>,
    modules: FxHashMap<Sym, usize>,
    tests: FxHashMap<Sym, usize>,
}

/// An element of an enumeration.
#[derive(Clone, Copy)]
struct Constant {
    enumeration: u32,
    value: i64,
}

/// The names of a machine.
#[derive(Default)]
struct Members {
    fields: FxHashMap<Sym, u32>,
    funs: FxHashMap<Sym, FunId>,
    states: FxHashMap<Sym, u32>,
}

struct Checker<'a> {
    ast: &'a Ast,
    info: Info,
    diagnostics: Diagnostics,
    globals: Globals,
    /// The names of each machine.
    members: Vec<Members>,
    /// The type of each alias, once resolved.
    aliases: Vec<Option<Ty>>,
    /// True for aliases that are being resolved: a use of one is a cycle.
    open_aliases: Vec<bool>,
    /// All events that can be sent.
    universal: EventSet,
}

impl<'a> Checker<'a> {
    fn new(ast: &'a Ast) -> Self {
        let info = Info {
            types: Types::new(),
            expr_types: vec![Types::ERROR; ast.exprs.len()],
            uses: vec![info::Use::Nothing; ast.exprs.len()],
            stmt_uses: vec![info::Use::Nothing; ast.stmts.len()],
            written: FxHashMap::default(),
            cases: FxHashMap::default(),
            enums: Vec::new(),
            events: Vec::new(),
            interfaces: Vec::new(),
            machines: Vec::new(),
            funs: Vec::new(),
            params: Vec::new(),
            tests: Vec::new(),
            stubs: FxHashMap::default(),
            verifier_only: FxHashSet::default(),
        };
        Checker {
            ast,
            info,
            diagnostics: Diagnostics::default(),
            globals: Globals::default(),
            members: Vec::new(),
            aliases: vec![None; ast.typedefs.len()],
            open_aliases: vec![false; ast.typedefs.len()],
            universal: EventSet::default(),
        }
    }

    fn text(&self, sym: Sym) -> &'a str {
        self.ast.symbols.text(sym)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Reports an undeclared name, with a suggestion.
    fn unknown<'n>(&mut self, code: Code, what: &str, name: Name, known: impl Iterator<Item = &'n Sym>) {
        let text = self.text(name.sym);
        let help = did_you_mean(text, known.map(|s| self.ast.symbols.text(*s)));
        let message = format!("there is no {what} `{text}`");
        self.report(Diagnostic::new(code, name.span, message).maybe_help(help));
    }

    /// The event of this name; reports one that is not declared.
    fn event(&mut self, name: Name) -> Option<EventId> {
        let found = self.globals.events.get(&name.sym).copied();
        if found.is_none() {
            let known: Vec<Sym> = self.globals.events.keys().copied().collect();
            self.unknown(codes::UNKNOWN_EVENT, "event", name, known.iter());
        }
        found
    }

    fn events(&mut self, names: &[Name]) -> EventSet {
        names.iter().filter_map(|name| self.event(*name)).collect()
    }

    /// The interface of this name; reports one that is not declared.
    fn interface(&mut self, name: Name) -> Option<u32> {
        let found = self.globals.interfaces.get(&name.sym).copied();
        if found.is_none() {
            let known: Vec<Sym> = self.globals.interfaces.keys().copied().collect();
            self.unknown(codes::UNKNOWN_MACHINE, "machine or interface", name, known.iter());
        }
        found
    }

    fn show(&self, ty: Ty) -> String {
        self.info.types.show(ty, &self.ast.symbols)
    }

    /// Checks that `found` is assignable to `wanted`; reports a mismatch and returns false.
    fn expect(&mut self, wanted: Ty, found: Ty, span: Span) -> bool {
        let fits = self.info.types.fits(wanted, found);
        if !fits {
            let message = format!("expected `{}`, found `{}`", self.show(wanted), self.show(found));
            self.error(Code::TYPE_MISMATCH, span, message);
        }
        fits
    }
}
