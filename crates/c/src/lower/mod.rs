//! The lowering of C to Boogie with asynchrony.
//!
//! 1. `analysis` finds which functions run, which threads there are, what must be in memory and what is shared.
//! 2. Each function becomes a procedure; functions of the library are inlined where they are called.
//! 3. `$start` sets the initial values and calls `main`; `$thread$f` is the task of a thread that runs `f`.
//! 4. What the program does not use of the runtime (`runtime.bpl`) is removed, and the result is checked.
//!
//! Integers, enumerations and pointers are `int`s in the range of their type. A scalar whose address does not escape is
//! a variable; everything else lives in memory (`memory.rs`). A `yield` precedes each access to shared data.

mod analysis;
mod assumed;
mod builtins;
mod bytes;
mod call;
mod control;
mod emit;
mod escape;
mod events;
mod expr;
mod init;
mod interrupts;
mod memory;
mod nondet;
mod objects;
mod ops;
mod places;
mod points;
mod prune;
mod scopes;
mod stmt;
mod term;
mod text;
mod threads;
mod torn;
mod variadic;

use dally_bpl::ast::{Ast, Attr, AttrArg, Decl, DeclKind, Var};
use dally_text::diagnostic::Diagnostic;
use dally_text::source::{SourceMap, Span};
use dally_text::symbol::Sym;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use crate::codes;
use crate::hir::{FunctionId, GlobalId, Program};
use crate::notation::{Format, Notation, Object as ShownObject};
use crate::types::{Type, TypeId};
use analysis::Facts;
use emit::Procedure;
use memory::OBJECT;
use objects::{Object, Storage};

/// The number of the first object that is allocated at run time; `runtime.bpl` has it, too.
const FIRST_HEAP: i128 = 1_291_845_632;

/// How a program is lowered.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LowerOptions {
    /// The values that nondeterministic and uninitialised integers take; by default a small set.
    pub nondet: Option<(i64, i64)>,
    /// True if signed overflow and shifts beyond the width are bugs.
    pub overflow: bool,
    /// True if a call of a function without a body is unsupported; by default its result is arbitrary.
    pub external_unsupported: bool,
    /// True if a weak compare-exchange may fail for no reason.
    pub spurious: bool,
    /// True if an allocation may be at the address of an object that was freed.
    pub reuse: bool,
    /// Plain accesses to shared data that are wider than this many bits are made in parts.
    pub atomic_width: Option<u32>,
    /// True if values that the program leaves open are any of their type: for engines that do not enumerate them.
    pub symbolic: bool,
}

/// A program of Boogie that behaves as the C program.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: dally_bpl::Program,
    /// How its state is shown.
    pub notation: Notation,
    /// Remarks for the verdict, on executions that are not modelled.
    pub caveats: Vec<Caveat>,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
}

/// A difference between the program and the executions that dally looks at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caveat {
    /// A clause such as "memory that was freed is not reused".
    pub message: String,
    /// True if a program without bugs must not be called proved.
    pub weakens: bool,
}

/// Lowers a program.
pub fn lower(program: &Program, options: &LowerOptions) -> Result<Lowered, Vec<Diagnostic>> {
    let mut lowerer = Lowerer::new(program, options)?;
    if lowerer.start_function().is_none() {
        let message = "the program has no function `main`, and no entry point (`DALLY_ENTRY`)";
        return Err(vec![Diagnostic::new(codes::NO_MAIN, Span::NONE, message)]);
    }
    lowerer.check_events().map_err(|diagnostic| vec![diagnostic])?;
    lowerer.number_functions();
    lowerer.place_globals();
    for function in lowerer.facts.reachable.clone() {
        if !program.functions[function.index()].library {
            lowerer.declare_function(function);
        }
    }
    let mut threads = BTreeSet::new();
    while let Some(function) = lowerer.thread_roots.difference(&threads).next().copied() {
        lowerer.declare_thread(function);
        threads.insert(function);
    }
    lowerer.declare_start();
    lowerer.declare_entries();
    lowerer.declare_points()?;
    let mut tasks = BTreeSet::new();
    while let Some(function) = lowerer.task_roots.difference(&tasks).next().copied() {
        lowerer.declare_task(function);
        tasks.insert(function);
    }
    lowerer.finish()
}

/// The state of the lowering.
struct Lowerer<'a> {
    program: &'a Program,
    options: &'a LowerOptions,
    ast: Ast,
    facts: Facts,
    objects: Vec<Object>,
    /// The storage of each global.
    globals: Vec<Storage>,
    used_globals: FxHashSet<GlobalId>,
    /// The numbers of the string literals whose address is used.
    strings: Vec<Option<i128>>,
    function_numbers: Vec<i128>,
    procedure_names: Vec<String>,
    /// The number of static objects.
    statics: i128,
    global_names: FxHashSet<String>,
    thread_roots: BTreeSet<FunctionId>,
    task_roots: BTreeSet<FunctionId>,
    proc: Procedure,
    notation: Notation,
    caveats: Vec<Caveat>,
    warnings: Vec<Diagnostic>,
    /// The values of the choice in the statement that is lowered, if the next one restricts them.
    assumed: Option<term::Range>,
    /// The first mistake of the lowering itself.
    internal: Option<Diagnostic>,
}

impl<'a> Lowerer<'a> {
    fn new(program: &'a Program, options: &'a LowerOptions) -> Result<Self, Vec<Diagnostic>> {
        let mut ast = runtime(options.symbolic)?;
        let placeholder = ast.symbols.intern("$");
        let facts = analysis::analyse(program, placeholder);
        let used_globals = analysis::used_globals(program, &facts);
        let notation = Notation { first_heap: FIRST_HEAP, object_size: OBJECT, ..Notation::default() };
        Ok(Lowerer {
            program,
            options,
            ast,
            facts,
            objects: Vec::new(),
            globals: Vec::new(),
            used_globals,
            strings: vec![None; program.strings.len()],
            function_numbers: Vec::new(),
            procedure_names: Vec::new(),
            statics: 0,
            global_names: FxHashSet::default(),
            thread_roots: BTreeSet::new(),
            task_roots: BTreeSet::new(),
            proc: Procedure::default(),
            notation,
            caveats: Vec::new(),
            warnings: Vec::new(),
            assumed: None,
            internal: None,
        })
    }

    /// Functions are objects, and become procedures of their names.
    fn number_functions(&mut self) {
        let mut names = FxHashSet::default();
        for function in &self.program.functions {
            self.statics += 1;
            self.function_numbers.push(self.statics);
            self.notation.functions.insert(self.statics, function.name.clone());
            let mut name = function.name.clone();
            let mut number = 1;
            while !names.insert(name.clone()) {
                number += 1;
                name = format!("{}${number}", function.name);
            }
            self.procedure_names.push(name);
        }
    }

    /// Declares the variables of globals, and numbers those in memory.
    fn place_globals(&mut self) {
        let program = self.program;
        for (index, global) in program.globals.iter().enumerate() {
            let id = GlobalId(index as u32);
            if !self.used_globals.contains(&id) {
                self.globals.push(Storage::Memory(term::int(0)));
                continue;
            }
            if global.external {
                let message = format!("`{}` is declared, but no file defines it: it is zero", global.name);
                self.warnings.push(Diagnostic::new(codes::EXTERNAL_VARIABLE, global.span, message));
            }
            let prefix = global.function.map(|f| format!("{}.", program.functions[f.index()].name));
            let name = format!("{}{}", prefix.unwrap_or_default(), global.name);
            let storage = match (self.facts.in_memory.contains(&id), global.thread_local) {
                (true, true) => Storage::Memory(self.thread_local_address(&name)),
                (true, false) => self.static_global(&name, global.ty),
                (false, false) if self.constant_global(id).is_some() => {
                    Storage::Bound(places::Value::constant(self.constant_global(id).unwrap_or(0)))
                }
                (false, thread_local) => {
                    let shared = self.facts.shared.contains(&id);
                    self.global_variables(&name, global.ty, shared, thread_local)
                }
            };
            self.globals.push(storage);
        }
    }

    /// The value of a scalar that no function writes.
    fn constant_global(&self, id: GlobalId) -> Option<i128> {
        let global = &self.program.globals[id.index()];
        let types = &self.program.types;
        if self.facts.written.contains(&id) || types.as_int(global.ty).is_none() {
            return None;
        }
        match global.init.as_ref().map_or(&[][..], |i| &i.parts[..]) {
            [] => Some(0),
            [part] => match part.value.kind {
                crate::hir::ExprKind::Int(n) => Some(n),
                _ => None,
            },
            _ => None,
        }
    }

    fn static_global(&mut self, name: &str, ty: TypeId) -> Storage {
        let number = self.new_static();
        let types = &self.program.types;
        let (element, is_array) = match types.get(types.unqualified(ty)) {
            Type::Array(element, _) => (types.size(*element), true),
            _ => (types.size(ty), false),
        };
        let shown = ShownObject { name: name.to_owned(), element: element.unwrap_or(1), is_array };
        self.notation.objects.insert(number, shown);
        Storage::Memory(term::int(number * OBJECT))
    }

    fn thread_local_address(&mut self, name: &str) -> term::T {
        let address = self.global_name(&format!("{name}$at"));
        self.declare_global(address, false, true, Vec::new());
        term::var(address)
    }

    fn global_variables(&mut self, name: &str, ty: TypeId, shared: bool, thread_local: bool) -> Storage {
        let Some(mut leaves) = self.leaves_of(ty) else { return self.static_global(name, ty) };
        for leaf in &mut leaves {
            let wanted = format!("{name}{}", leaf.suffix);
            leaf.var = self.global_name(&wanted);
            let attrs = self.describe(leaf.var, &wanted, leaf.ty);
            self.declare_global(leaf.var, leaf.is_map(), thread_local, attrs);
        }
        Storage::Variables(self.add_object(Object { shared, leaves }))
    }

    /// A name for a global variable.
    fn global_name(&mut self, wanted: &str) -> Sym {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while !self.global_names.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}${number}");
        }
        self.sym(&name)
    }

    fn declare_global(&mut self, name: Sym, is_map: bool, thread_local: bool, mut attrs: Vec<Attr>) {
        let ty = if is_map { self.map_type() } else { self.int_type() };
        if thread_local {
            attrs.push(self.attr("thread_local", Vec::new()));
        }
        let attrs = attrs.into_iter().collect();
        let var = Var { name: emit::ident(name), ty, where_clause: None };
        self.ast.decls.push(Decl { kind: DeclKind::Var(var), attrs, span: Span::NONE });
    }

    // Notation.

    /// The attributes that say how a variable is shown: `{:c "name"}` if its name differs, and `{:ctype n}` if it is not
    /// shown as a number. Members of library types are hidden.
    fn describe(&mut self, var: Sym, name: &str, ty: TypeId) -> Vec<Attr> {
        let mut attrs = Vec::new();
        let is_hidden = name.starts_with('$') || name.contains(".__") || name.starts_with("__dally");
        if is_hidden {
            attrs.push(self.attr_text("c", ""));
            return attrs;
        }
        if self.ast.text(var) != name {
            attrs.push(self.attr_text("c", name));
        }
        let format = self.format_of(ty);
        if self.notation.formats[format] != Format::Number {
            attrs.push(self.attr_int("ctype", format));
        }
        attrs
    }

    fn attr_int(&mut self, name: &str, number: usize) -> Attr {
        let number = AttrArg::Expr(self.int_expr(number as i128));
        self.attr(name, vec![number])
    }

    /// `{:shows "p->next", n}`: how an assignment to memory is shown.
    fn describe_store(&mut self, ty: TypeId) -> Option<Attr> {
        // In the library, members of locks and the like have names that begin with underscores.
        let is_hidden = |text: &String| self.library_depth() > 0 && text.contains("__");
        let text = self.proc.lvalue.clone().filter(|text| !is_hidden(text))?;
        let text = AttrArg::Str(self.sym(&text.replace('\\', "\\\\").replace('"', "\\\"")));
        let format = self.format_of(ty);
        let format = AttrArg::Expr(self.int_expr(format as i128));
        Some(self.attr("shows", vec![text, format]))
    }

    fn format_of(&mut self, ty: TypeId) -> usize {
        let types = &self.program.types;
        let format = match types.get(types.unqualified(ty)) {
            Type::Bool => Format::Bool,
            Type::Int(int) if int.bits == 8 => Format::Character,
            Type::Enum(e) => Format::Enum(types.enums[e.0 as usize].enumerators.clone()),
            Type::Pointer(_) => Format::Pointer,
            _ => Format::Number,
        };
        self.notation.format(format)
    }

    // Messages.

    /// A mistake of the lowering.
    fn internal(&mut self, what: &str) {
        let message = format!("this cannot be lowered: {what}");
        let diagnostic = Diagnostic::new(codes::INTERNAL, self.proc.span, message)
            .help("this is a mistake in dally: please report it with the program");
        self.internal.get_or_insert(diagnostic);
    }

    fn warn_external(&mut self, name: &str, span: Span) {
        let message = format!("`{name}` has no body: its result is arbitrary, and it changes nothing");
        if !self.warnings.iter().any(|w| w.message == message) {
            let help = "define the function, or a model of it, in a file of the program";
            self.warnings.push(Diagnostic::new(codes::EXTERNAL_FUNCTION, span, message).help(help));
        }
    }

    fn caveat_nondet(&mut self, text: &str, weakens: bool) {
        let caveat = Caveat { message: text.to_owned(), weakens };
        if !self.caveats.contains(&caveat) {
            self.caveats.push(caveat);
        }
    }

    // The end.

    fn finish(mut self) -> Result<Lowered, Vec<Diagnostic>> {
        if let Some(internal) = self.internal {
            return Err(vec![internal]);
        }
        if self.facts.observes_addresses {
            prune::hide_heap(&mut self.ast);
        }
        let allocates = prune::prune(&mut self.ast, !self.facts.observes_addresses);
        if allocates {
            let reuse = match self.options.reuse {
                true => "memory that was freed is reused only as a whole, from its first byte on",
                false => "memory that was freed is not reused",
            };
            self.caveat_nondet(reuse, false);
        }
        if self.facts.weak_orders {
            self.caveat_nondet("sequential consistency is assumed (weaker memory orders occur)", false);
        }
        let (info, diagnostics) = dally_bpl::check(&self.ast);
        if !diagnostics.are_warnings() {
            let first =
                diagnostics.sorted().into_iter().find(|d| d.severity() == dally_text::code::Severity::Error);
            let what = first.map_or_else(String::new, |d| d.message);
            let message = format!("the lowered program has an error: {what}");
            let help = "this is a mistake in dally: please report it with the program";
            return Err(vec![Diagnostic::new(codes::INTERNAL, Span::NONE, message).help(help)]);
        }
        let program = dally_bpl::Program { ast: self.ast, info, warnings: Vec::new() };
        Ok(Lowered { program, notation: self.notation, caveats: self.caveats, warnings: self.warnings })
    }
}

/// The runtime for engines that do not enumerate values. The procedures that it replaces get other names.
fn symbolic_runtime(text: &str) -> String {
    let replaced = [
        ("procedure $to_write(", "procedure $to_write_slowly("),
        ("procedure $to_read(", "procedure $to_read_slowly("),
        ("procedure $release(", "procedure $release_cells("),
        ("havoc {:range 0, 2} bits;", "havoc bits; assume 0 <= bits && bits < $power(width);"),
        ("havoc {:range 0, 1} byte;", "havoc byte; assume 0 <= byte && byte < 256;"),
    ];
    let mut text = text.to_owned();
    for (from, to) in replaced {
        debug_assert!(text.contains(from), "the runtime has changed: {from}");
        text = text.replace(from, to);
    }
    text + include_str!("runtime_symbolic.bpl")
}

/// The runtime, parsed. Its statements have no place in the program.
fn runtime(symbolic: bool) -> Result<Ast, Vec<Diagnostic>> {
    let mut sources = SourceMap::default();
    let mut text = format!("{}{}", include_str!("runtime.bpl"), ops::functions());
    if symbolic {
        text = symbolic_runtime(&text);
    }
    if sources.add("runtime.bpl", text).is_err() {
        return Err(Vec::new());
    }
    let (mut ast, diagnostics) = dally_bpl::parse(&sources);
    if !diagnostics.is_empty() {
        return Err(diagnostics.sorted());
    }
    prune::remove_spans(&mut ast.decls);
    Ok(ast)
}
