//! From syntax tree to flat code.
//!
//! Only code that is reachable from the entry points is compiled, so that other parts of a program may use
//! constructs that an explicit-state search cannot evaluate. Contracts are part of the program. A
//! precondition is checked at procedure entry (and assumed at the entry of the program's first tasks), a
//! postcondition at exit, an invariant at its loop head; `free` ones are assumed or skipped. A procedure
//! without a body returns arbitrary results that satisfy its postconditions.

mod axioms;
mod built_in;
mod constants;
mod constraints;
mod domain;
mod expr;
mod fit;
mod functions;
mod fuse;
mod inputs;
mod procedure;
mod quantifier;
mod script;
mod stmt;
mod telling;

use std::sync::Arc;

use dally_bpl::ast::{Ast, AttrArg, Attrs, DeclKind, Expr, ExprId, Ident};
use dally_bpl::check::{FunctionId, Info, ProcedureId, Ty, VarId, VarKind};
use dally_bpl::codes;
use dally_bpl::{Preemption, Program, ProgramOptions};
use dally_text::diagnostic::{Diagnostic, Diagnostics};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

pub use inputs::{DivisionByZero, FunctionPoint, Inputs};
pub use script::{Decision, Script};

use crate::canonical::ObjectMap;
use crate::code::{Address, Check, Code, Entry, Op, Target, VarStorage};
use crate::notation::Notation;
use crate::value::{Heap, Value};

/// The options of the compiler.
#[derive(Clone, Debug, Default)]
pub struct MachineOptions {
    /// The entry point, and preemption.
    pub program: ProgramOptions,
    /// Values for what the program leaves open.
    pub inputs: Option<Inputs>,
    /// How executions are told, if the program comes from another language.
    pub notation: Option<Arc<dyn Notation>>,
}

/// Compiles the code that is reachable from the entry points.
pub(crate) fn compile(program: &Program, options: &MachineOptions) -> Result<(Code, Heap), Vec<Diagnostic>> {
    let mut compiler = Compiler::new(program, options);
    compiler.code.telling.notation.clone_from(&options.notation);
    compiler.code.only = options.inputs.as_ref().and_then(|i| i.failure);
    compiler.evaluate_constants();
    compiler.constants_from_inputs();
    compiler.divisions_from_inputs();
    compiler.place_globals();
    compiler.place_scripts();
    compiler.entries();
    compiler.constraints();
    while let Some(task) = compiler.todo.pop() {
        match task {
            Todo::Procedure(procedure) => compiler.procedure(procedure),
            Todo::Function(function) => compiler.function(function),
        }
    }
    compiler.link_functions();
    compiler.mention();
    compiler.finish_scripts();
    compiler.code.find_dead_locals();
    fuse::fuse(&mut compiler.code);
    match compiler.diagnostics.is_empty() {
        true => Ok((compiler.code, compiler.heap)),
        false => Err(compiler.diagnostics.sorted()),
    }
}

/// A callee that is still to be compiled.
enum Todo {
    Procedure(ProcedureId),
    Function(FunctionId),
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    VarStorage(VarStorage),
    Const(Value),
    /// On the operand stack: a parameter of a function, or a variable of a `let`.
    Stack(u32),
}

struct Compiler<'a> {
    ast: &'a Ast,
    info: &'a Info,
    options: &'a MachineOptions,
    code: Code,
    heap: Heap,
    diagnostics: Diagnostics,
    meanings: FxHashMap<VarId, Meaning>,
    procedures: FxHashMap<ProcedureId, u32>,
    functions: FxHashMap<FunctionId, Address>,
    /// Calls of functions whose address is not known yet.
    unlinked: Vec<(Address, FunctionId)>,
    /// The declarations that implement each procedure.
    bodies: FxHashMap<ProcedureId, Vec<usize>>,
    todo: Vec<Todo>,
    /// The height of the operand stack at this point.
    depth: u32,
    /// The values of abstract types in the inputs, by name.
    atoms: FxHashMap<String, Value>,
    /// The indices of kinds, by type.
    kinds: FxHashMap<Ty, u32>,
    /// The scripts, if the inputs have any.
    scripting: Option<script::Scripting>,
    /// The `where` clauses of globals.
    where_clauses: FxHashMap<Sym, ExprId>,
    /// The statement that is being compiled.
    span: Span,
    /// The number of evaluations of the current expression that the enclosing quantifiers and lambdas
    /// cause.
    turns: usize,
    /// True if the current expression is part of an axiom that is evaluated for mentioned values.
    in_axiom: bool,
    /// The procedure that is being compiled.
    frame: procedure::Frame,
}

/// A procedure in which the program may start.
#[derive(Clone, Copy)]
struct EntryPoint<'a> {
    procedure: ProcedureId,
    attrs: &'a Attrs,
    name: Ident,
}

impl<'a> Compiler<'a> {
    fn new(program: &'a Program, options: &'a MachineOptions) -> Self {
        let Program { ast, info, warnings: _ } = program;
        // A placeholder until a procedure is compiled.
        let main = ast.symbols.get("var").unwrap_or_else(|| unreachable!("keywords are symbols"));
        let mut bodies: FxHashMap<ProcedureId, Vec<usize>> = FxHashMap::default();
        for (index, decl) in ast.decls.iter().enumerate() {
            let name = match &decl.kind {
                DeclKind::Procedure(p) if p.body.is_some() => p.signature.name.name,
                DeclKind::Implementation(i) => i.signature.name.name,
                _ => continue,
            };
            if let Some(procedure) = info.procedure(name) {
                bodies.entry(procedure).or_default().push(index);
            }
        }
        Compiler {
            ast,
            info,
            options,
            code: Code { symbols: ast.symbols.clone(), ..Code::default() },
            heap: Heap::default(),
            diagnostics: Diagnostics::default(),
            meanings: FxHashMap::default(),
            procedures: FxHashMap::default(),
            functions: FxHashMap::default(),
            unlinked: Vec::new(),
            bodies,
            todo: Vec::new(),
            depth: 0,
            span: Span::NONE,
            turns: 1,
            in_axiom: false,
            frame: procedure::Frame::new(main),
            where_clauses: FxHashMap::default(),
            atoms: FxHashMap::default(),
            kinds: FxHashMap::default(),
            scripting: None,
        }
    }

    fn text(&self, name: Sym) -> &'a str {
        self.ast.text(name)
    }

    // Code.

    fn here(&self) -> Address {
        self.code.ops.len() as Address
    }

    /// Emits an instruction, and returns its address.
    fn emit(&mut self, op: Op) -> Address {
        self.depth = self.depth.saturating_add_signed(self.code.height_change(op));
        self.code.ops.push(op);
        self.code.spans.push(self.span);
        self.here() - 1
    }

    /// Sets the target of a jump to the next instruction.
    fn patch(&mut self, jump: Address) {
        let here = self.here();
        match &mut self.code.ops[jump as usize] {
            Op::Jump(a) | Op::JumpUnless(a) | Op::AndThen(a) | Op::OrElse(a) | Op::Each(_, a) => *a = here,
            other => unreachable!("{other:?} is not a jump"),
        }
    }

    fn choose(&mut self, targets: Vec<Address>) -> Address {
        self.code.targets.push(targets.into_iter().map(Target::from).collect());
        let list = self.code.targets.len() as u32 - 1;
        let op = self.scripted_choice(list).unwrap_or(Op::Choose(list));
        self.emit(op)
    }

    fn check(&mut self, message: impl Into<String>, span: Span) {
        self.code.checks.push(Check { message: message.into(), span, expected: false, unsupported: false });
        self.emit(Op::Check(self.code.checks.len() as u32 - 1));
    }

    // Errors.

    /// Reports a construct that an explicit-state search cannot evaluate. Compilation continues with a
    /// placeholder.
    fn unsupported(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(
            Diagnostic::new(codes::NOT_EXPLICIT, span, message)
                .help("an explicit-state search enumerates values; this needs a symbolic engine"),
        );
    }

    // Entry points.

    fn entries(&mut self) {
        let entries = self.entry_points();
        for EntryPoint { procedure, attrs, name } in entries {
            if self.bodies.get(&procedure).is_none_or(Vec::is_empty) {
                let message = format!(
                    "`{}` has no body, and cannot be the entry point",
                    self.text(self.info[procedure].name)
                );
                self.diagnostics.push(Diagnostic::new(codes::NO_ENTRY, name.span, message));
                continue;
            }
            let number = |name| self.number_attr(attrs, name).unwrap_or(0);
            let (buffer, level) = (number("buffer"), number("level"));
            let procedure = self.procedure_index(procedure);
            self.code.entries.push(Entry { procedure, buffer, level });
        }
        if self.options.program.preempt {
            let first = self.code.entries.first().map(|e| e.buffer);
            let several = self.code.entries.iter().any(|e| Some(e.buffer) != first);
            self.code.preemption = Preemption::new(self.ast, several);
        }
    }

    fn entry_points(&mut self) -> Vec<EntryPoint<'a>> {
        let ast = self.ast;
        let declared = ast.decls.iter().filter_map(|d| match &d.kind {
            DeclKind::Procedure(p) => {
                let name = p.signature.name;
                Some(EntryPoint { procedure: self.info.procedure(name.name)?, attrs: &d.attrs, name })
            }
            _ => None,
        });
        let wanted = self.options.program.entry.as_deref();
        let entries: Vec<_> = match wanted {
            Some(wanted) => declared.filter(|it| self.text(it.name.name) == wanted).collect(),
            None => {
                let all: Vec<_> = declared.collect();
                let is_marked = |it: &&EntryPoint<'_>| ast.attr(it.attrs, "entrypoint").is_some();
                let marked: Vec<_> = all.iter().filter(is_marked).copied().collect();
                match marked.is_empty() {
                    true => all.into_iter().filter(|it| self.text(it.name.name) == "main").collect(),
                    false => marked,
                }
            }
        };
        if entries.is_empty() {
            let message = match wanted {
                Some(wanted) => format!("there is no procedure `{wanted}` to start in"),
                None => "there is no procedure to start in".to_owned(),
            };
            let help = "mark one with `{:entrypoint}`, call it `main`, or name it with `--entry`";
            let diagnostic = Diagnostic::new(codes::NO_ENTRY, Span::NONE, message).help(help);
            self.diagnostics.push(diagnostic);
        }
        entries
    }

    fn number_attr(&self, attrs: &Attrs, name: &str) -> Option<u16> {
        match self.ast.attr(attrs, name)?.args[..] {
            [AttrArg::Expr(e)] => match self.ast.exprs[e] {
                Expr::Int(digits) => self.text(digits).parse().ok(),
                _ => None,
            },
            _ => None,
        }
    }

    // Globals.

    fn place_globals(&mut self) {
        let ast = self.ast;
        for decl in &ast.decls {
            let DeclKind::Var(var) = &decl.kind else { continue };
            let Some(id) = self.info.global(var.name.name) else { continue };
            let variable = self.variable(id, &decl.attrs);
            self.where_clauses.extend(var.where_clause.map(|e| (var.name.name, e)));
            let thread_local = ast.attr(&decl.attrs, "thread_local").is_some();
            let list = if thread_local { &mut self.code.thread_locals } else { &mut self.code.globals };
            list.push(variable);
            let index = list.len() as u32 - 1;
            let place = if thread_local { VarStorage::ThreadLocal(index) } else { VarStorage::Global(index) };
            if !thread_local && ast.attr(&decl.attrs, "hot").is_some() {
                self.code.hot.push(index);
            }
            if !thread_local {
                self.place_heap(index, &decl.attrs);
            }
            self.meanings.insert(id, Meaning::VarStorage(place));
        }
        // Without a counter there are no objects to number.
        self.code.heap.take_if(|heap| heap.shift == 0);
    }

    /// Records a global that describes the heap: see [`crate::canonical`].
    fn place_heap(&mut self, global: u32, attrs: &Attrs) {
        let numbers = |name: &str| -> Option<Vec<i64>> {
            let args = self.ast.attr(attrs, name)?.args.iter();
            Some(
                args.filter_map(|arg| match arg {
                    AttrArg::Expr(e) => self.ast.int_literal(*e),
                    AttrArg::Str(_) => None,
                })
                .collect(),
            )
        };
        let (counter, cells, objects) =
            (numbers("heap_counter"), numbers("heap_cells"), numbers("heap_objects"));
        let is_fixed = self.ast.attr(attrs, "heap_fixed").is_some();
        if counter.is_none() && cells.is_none() && objects.is_none() && !is_fixed {
            return;
        }
        let heap = self.code.heap.get_or_insert_default();
        if let Some([first, shift]) = counter.as_deref() {
            (heap.counter, heap.first) = (global, *first);
            heap.shift = u32::try_from(*shift).unwrap_or(0).min(62);
        }
        if is_fixed {
            heap.fixed = Some(global);
        }
        if let Some(numbers) = cells {
            heap.cells.push(global);
            heap.references.extend((numbers != [0]).then_some(global));
        }
        if let Some(numbers) = objects {
            heap.objects.push(ObjectMap { global, freed: numbers.first().copied() });
        }
    }

    /// Returns true if other tasks can access a variable.
    fn is_shared(&self, var: VarId) -> bool {
        self.info[var].kind == VarKind::Global
            && matches!(self.meanings.get(&var), Some(Meaning::VarStorage(VarStorage::Global(_))))
    }
}
