//! The check: names are resolved, types are found, conversions become explicit, and units are linked.
//!
//! One file per theme: [`ty`] and [`record`] find types, [`decl`] and [`function`] declare names, [`expr`], [`ops`],
//! [`call`], [`builtin`], [`print`], [`scan`] and [`variadic`] check expressions, [`convert`] and [`fold`] convert and evaluate them, [`init`] flattens
//! initialisers, [`stmt`] checks statements, [`cleanup`] calls functions at the ends of scopes, [`asynchronous`] makes threads of labelled ones, [`events`] checks what `dally.h` adds, [`escape`] finds variables whose address is taken, and [`link`] leaves
//! out what the program does not use.

mod asynchronous;
mod atomic;
mod basic;
mod builtin;
mod call;
mod cleanup;
mod convert;
mod decl;
mod escape;
mod events;
mod expr;
mod fold;
mod function;
mod init;
mod link;
mod ops;
mod print;
mod record;
mod scan;
mod scope;
mod stmt;
mod ty;
mod variadic;

use dally_text::code::Code;
use dally_text::diagnostic::{Diagnostic, Diagnostics};
use dally_text::source::Span;
use dally_text::symbol::{Sym, Symbols};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Ast, Derived, Item};
use crate::hir::{
    Expr, ExprKind, Function, FunctionId, Global, GlobalId, HOOKS, Local, LocalId, Program, StringId,
};
use crate::types::{DataModel, RecordId, Type, TypeId, Types};
use basic::Basic;
use function::Current;
use scope::{Entity, Scopes};

/// The syntax trees to check.
pub(crate) struct Input<'a> {
    pub(crate) library: &'a [Ast],
    pub(crate) units: &'a [Ast],
    pub(crate) model: DataModel,
}

/// Checks all units, and links them.
pub(crate) fn check(input: &Input<'_>, symbols: Symbols, diagnostics: Diagnostics) -> (Program, Diagnostics) {
    let empty = Ast::default();
    let mut types = Types::new(input.model);
    let basic = Basic::new(&mut types);
    let mut checker = Checker {
        ast: &empty,
        symbols,
        types,
        basic,
        depths: Vec::new(),
        globals: Vec::new(),
        of_library: Vec::new(),
        functions: Vec::new(),
        signatures: Vec::new(),
        aliases: FxHashMap::default(),
        strings: Vec::new(),
        string_ids: FxHashMap::default(),
        scopes: Scopes::default(),
        externals: FxHashMap::default(),
        library: true,
        user_defined: user_defined(input.units),
        bodies: FxHashMap::default(),
        members: FxHashMap::default(),
        wanted: Vec::new(),
        current: None,
        is_static: false,
        discards: false,
        handlers: Vec::new(),
        diagnostics,
    };
    checker.library_units(input.library);
    for unit in input.units {
        checker.unit(unit);
    }
    checker.library_bodies();
    checker.complete_globals();
    checker.check_handlers();
    let Checker { types, globals, of_library, functions, aliases, strings, diagnostics, .. } = checker;
    let mut program = Program { types, globals, functions, strings };
    link::replace_aliases(&mut program, &aliases);
    (link::link(program, &of_library), diagnostics)
}

/// The names that the program's units define with external linkage.
fn user_defined(units: &[Ast]) -> FxHashSet<Sym> {
    let mut names = FxHashSet::default();
    for item in units.iter().flat_map(|unit| &unit.items) {
        match item {
            Item::Function(function) => names.extend(function.declarator.name.map(|n| n.sym)),
            Item::Declaration(declaration) => {
                let storage = declaration.specs.storage;
                if storage.is_typedef {
                    continue;
                }
                for one in &declaration.declarators {
                    let is_function = matches!(one.declarator.derived.last(), Some(Derived::Function(_)));
                    if !is_function && (!storage.is_extern || one.init.is_some()) {
                        names.extend(one.declarator.name.map(|n| n.sym));
                    }
                }
            }
            Item::StaticAssert(_) => {}
        }
    }
    names
}

/// The result of a check; none if an error was reported.
type Checked<A> = Option<A>;

struct Checker<'a> {
    /// The unit that is being checked.
    ast: &'a Ast,
    symbols: Symbols,
    types: Types,
    basic: Basic,
    /// How deep types are, by id: chains of type names are bounded by this.
    depths: Vec<u16>,
    globals: Vec<Global>,
    /// Which variables belong to the library.
    of_library: Vec<bool>,
    functions: Vec<Function>,
    /// The types of the functions.
    signatures: Vec<TypeId>,
    /// The functions that are other names of a function.
    aliases: FxHashMap<FunctionId, String>,
    strings: Vec<Vec<u8>>,
    string_ids: FxHashMap<Vec<u8>, StringId>,
    scopes: Scopes,
    /// The meanings of names with external linkage.
    externals: FxHashMap<Sym, Entity>,
    /// True while the library is checked.
    library: bool,
    user_defined: FxHashSet<Sym>,
    /// The bodies of library functions that were not needed so far.
    bodies: FxHashMap<FunctionId, (&'a Ast, usize)>,
    /// The members of large structs by name.
    members: FxHashMap<RecordId, FxHashMap<String, u32>>,
    /// Library functions that are needed, and whose bodies are not checked yet.
    wanted: Vec<FunctionId>,
    current: Option<Current>,
    /// True in the initialiser of a variable with static storage.
    is_static: bool,
    /// True if the value of the next call is not used.
    discards: bool,
    /// The functions that operations on interrupts name.
    handlers: Vec<(FunctionId, Span)>,
    diagnostics: Diagnostics,
}

impl<'a> Checker<'a> {
    fn library_units(&mut self, units: &'a [Ast]) {
        for unit in units {
            self.ast = unit;
            for (index, item) in unit.items.iter().enumerate() {
                match item {
                    Item::Declaration(declaration) => self.file_declaration(declaration),
                    Item::Function(definition) => {
                        if let Some(id) = self.define_function(definition) {
                            self.bodies.insert(id, (unit, index));
                        }
                    }
                    Item::StaticAssert(assertion) => self.static_assertion(assertion),
                }
            }
        }
        // Names of the library are not linked with those of the program.
        self.externals.clear();
    }

    fn unit(&mut self, unit: &'a Ast) {
        self.ast = unit;
        self.library = false;
        self.scopes.open();
        for item in &unit.items {
            match item {
                Item::Declaration(declaration) => self.file_declaration(declaration),
                Item::Function(definition) => {
                    if let Some(id) = self.define_function(definition) {
                        self.function_body(id, definition);
                    }
                }
                Item::StaticAssert(assertion) => self.static_assertion(assertion),
            }
        }
        self.scopes.close();
    }

    /// Checks the bodies of library functions that the program uses, and of those that they use.
    fn library_bodies(&mut self) {
        self.library = true;
        let is_hook = |id: &&FunctionId| HOOKS.contains(&self.functions[id.index()].name.as_str());
        let mut hooks: Vec<FunctionId> = self.bodies.keys().filter(is_hook).copied().collect();
        hooks.sort_unstable();
        self.wanted.extend(hooks);
        while let Some(id) = self.wanted.pop() {
            let Some((unit, index)) = self.bodies.remove(&id) else { continue };
            self.ast = unit;
            if let Item::Function(definition) = &unit.items[index] {
                self.function_body(id, definition);
            }
        }
    }

    /// Tentative definitions of arrays without a length have one element.
    fn complete_globals(&mut self) {
        for index in 0..self.globals.len() {
            let (ty, span) = (self.globals[index].ty, self.globals[index].span);
            if self.types.size(ty).is_some() {
                continue;
            }
            match *self.types.get(ty) {
                Type::Array(element, None) if self.types.size(element).is_some() => {
                    self.globals[index].ty = self.types.intern(Type::Array(element, Some(1)));
                }
                _ if self.globals[index].external => {
                    self.globals[index].ty = self.basic.char;
                }
                _ => {
                    self.incomplete(ty, span);
                }
            }
        }
    }

    // Reporting.

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(code, span, message));
    }

    fn incomplete(&mut self, ty: TypeId, span: Span) {
        let message = format!("the type `{}` is not complete here", self.describe(ty));
        self.error(crate::codes::INCOMPLETE, span, message);
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.error(crate::codes::UNSUPPORTED, span, format!("dally does not support {what}"));
    }

    /// A type in C's notation.
    fn describe(&self, ty: TypeId) -> String {
        crate::dump::type_name(&self.types, ty)
    }

    fn text(&self, sym: Sym) -> &str {
        self.symbols.text(sym)
    }

    // Adding to the program.

    fn add_global(&mut self, global: Global) -> GlobalId {
        self.globals.push(global);
        self.of_library.push(self.library);
        GlobalId(self.globals.len() as u32 - 1)
    }

    fn add_string(&mut self, bytes: Vec<u8>) -> StringId {
        if let Some(id) = self.string_ids.get(&bytes) {
            return *id;
        }
        let id = StringId(self.strings.len() as u32);
        self.strings.push(bytes.clone());
        self.string_ids.insert(bytes, id);
        id
    }

    /// A new local variable of the current function; none outside of functions.
    fn add_local(&mut self, name: &str, ty: TypeId, span: Span) -> Option<LocalId> {
        let current = self.current.as_mut()?;
        current.locals.push(Local { name: name.to_owned(), ty, address_taken: false, span });
        Some(LocalId(current.locals.len() as u32 - 1))
    }

    /// A string literal as an lvalue.
    fn string_expr(&mut self, text: &str, span: Span) -> Expr {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let ty = self.types.intern(Type::Array(self.basic.char, Some(bytes.len() as u64)));
        Expr { kind: ExprKind::String(self.add_string(bytes)), ty, span }
    }

    /// Marks a library function as needed.
    fn want(&mut self, id: FunctionId) {
        if self.bodies.contains_key(&id) {
            self.wanted.push(id);
        }
    }
}
