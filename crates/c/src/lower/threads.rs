//! Threads: tasks that call a function, and the end of threads and of the program.

use dally_bpl::ast::{AttrArg, Attrs, BinaryOp as B, StmtKind as Bpl};
use dally_text::symbol::Sym;

use super::Lowerer;
use super::emit::Procedure;
use super::memory::Cell;
use super::places::Value;
use super::term::{self, Range, T};
use crate::hir::walk::{every, roots};
use crate::hir::{Builtin, Expr, ExprKind, Function, FunctionId};
use crate::types::Type;

const NUMBERS: Range = Range { low: 0, high: 1 << 20 };
const POINTERS: Range = Range { low: 0, high: u64::MAX as i128 };

impl Lowerer<'_> {
    pub(super) fn thread_builtin(&mut self, builtin: Builtin, args: &[Expr]) -> Value {
        let mut terms = Vec::new();
        for arg in args {
            let value = self.value(arg);
            terms.push(self.int(value));
        }
        match (builtin, &terms[..]) {
            (Builtin::Spawn, [function, arguments @ ..]) => self.spawn(function, arguments),
            (Builtin::SelfId, _) => Value::Int(self.runtime_var("$self"), NUMBERS),
            (Builtin::Threads, _) => {
                self.proc.touched = true;
                let threads = self.runtime_var("$threads");
                Value::Int(self.slot(threads), NUMBERS)
            }
            (Builtin::Ended, [thread, ..]) => {
                self.proc.touched = true;
                let ended = self.runtime_var("$ended");
                Value::Bool(term::select(ended, thread.clone()))
            }
            (Builtin::ThreadResult, [thread, ..]) => {
                let results = self.runtime_var("$result");
                let result = term::select(results, thread.clone());
                Value::Int(self.slot(result), POINTERS)
            }
            (Builtin::ExitThread, [result, ..]) => {
                self.exit_thread(&result.clone());
                Value::Void
            }
            (Builtin::ExitProgram, _) => {
                self.exit_program();
                Value::Void
            }
            _ => Value::Void,
        }
    }

    fn spawn(&mut self, function: &T, arguments: &[T]) -> Value {
        let function = self.stable(function.clone());
        let arguments: Vec<T> = arguments.iter().map(|a| self.stable(a.clone())).collect();
        self.proc.touched = true;
        let threads = self.sym("$threads");
        let number = self.temporary(false);
        self.set(number, &term::var(threads));
        self.set(threads, &term::add(term::var(number), term::int(1)));
        let number = term::var(number);
        match self.function_at(&function) {
            Some(id) => self.spawn_function(id, &number, &arguments),
            None => {
                let candidates: Vec<FunctionId> =
                    self.facts.addressed.iter().copied().filter(|f| self.may_be_thread(*f)).collect();
                self.spawn_among(&function, &candidates, &number, &arguments);
            }
        }
        Value::Int(number, NUMBERS)
    }

    pub(super) fn may_be_thread(&self, function: FunctionId) -> bool {
        let function = self.function(function);
        function.params.len() <= 1 && function.body.is_some() && !function.library
    }

    fn spawn_among(&mut self, pointer: &T, candidates: &[FunctionId], number: &T, arguments: &[T]) {
        let Some((first, rest)) = candidates.split_first() else {
            return self.check(&term::boolean(false), "a thread is started at a wild function pointer");
        };
        let address = self.function_address(*first);
        let condition = term::binary(B::Eq, pointer.clone(), term::int(address));
        let condition = self.expr(&condition, true);
        self.begin();
        self.spawn_function(*first, number, arguments);
        let then = self.end();
        self.begin();
        self.spawn_among(pointer, rest, number, arguments);
        let otherwise = self.end();
        self.push_if(condition, then, otherwise);
    }

    fn spawn_function(&mut self, function: FunctionId, number: &T, arguments: &[T]) {
        let callee = self.function(function);
        if callee.body.is_none() || callee.library {
            let what = format!("a thread that runs the external function `{}`", callee.name);
            return self.unsupported(&what);
        }
        let name = format!("$thread${}", self.procedure_names[function.index()]);
        self.thread_roots.insert(function);
        let count = self.thread_arguments(function);
        let mut terms = vec![number.clone()];
        terms.extend_from_slice(arguments);
        terms.resize(count + 1, term::int(0));
        terms.extend(
            ["$level", "$buffer"]
                .map(|name| term::var(self.sym(name)))
                .into_iter()
                .filter(|_| self.facts.events.active),
        );
        self.post(&name, &terms);
    }

    /// The number of arguments of a thread: one, or more for the labels of CBMC.
    fn thread_arguments(&self, function: FunctionId) -> usize {
        self.function(function).params.len().max(1)
    }

    /// `pthread_exit` and the like.
    fn exit_thread(&mut self, result: &T) {
        let (results, own) = (self.sym("$result"), self.runtime_var("$self"));
        self.set_element(results, &own, result);
        let Some(exits) = self.proc.exits else {
            return self.internal("a function that ends the thread is not known to do so");
        };
        self.set(exits, &term::boolean(true));
        self.leave();
    }

    /// The procedure of the tasks that run a function.
    pub(super) fn declare_thread(&mut self, function: FunctionId) {
        let name = format!("$thread${}", self.procedure_names[function.index()]);
        self.proc = Procedure::new(name);
        // Not part of the text: traces do not show it.
        self.proc.span = dally_text::source::Span::NONE;
        let number = self.fresh("number");
        let arguments: Vec<Sym> =
            (0..self.thread_arguments(function)).map(|_| self.fresh("argument")).collect();
        let own = self.sym("$self");
        self.set(own, &term::var(number));
        let home = self.inherited_home();
        self.initialise_thread_locals();
        let terms: Vec<T> = arguments.iter().map(|a| term::var(*a)).collect();
        self.run(function, &terms);
        let hidden = self.attr_text("c", "");
        let hidden: Attrs = [hidden].into_iter().collect();
        let ins = [number].into_iter().chain(arguments).chain(home);
        let ins = ins.map(|n| self.var_decl(n, false, hidden.clone())).collect();
        let name = self.function(function).name.clone();
        let shown = self.attr_text("c", &name);
        self.declare_procedure(ins, Vec::new(), [shown].into_iter().collect());
    }

    /// Calls the function of a thread, and records its end.
    fn run(&mut self, function: FunctionId, args: &[T]) {
        let callee = self.function(function);
        let result = callee.result;
        let exits = self.facts.exits.contains(&function);
        if exits {
            self.declare_exits();
        }
        let returns = !matches!(self.program.types.get(result), Type::Void);
        let result = self.temporary(false);
        let mut outs = Vec::new();
        if returns {
            outs.push(Some(result));
        }
        outs.extend(exits.then_some(self.proc.exits));
        let name = self.procedure_names[function.index()].clone();
        let args = self.padded(function, args);
        self.call(outs, &name, &args);
        let (results, own) = (self.sym("$result"), self.runtime_var("$self"));
        if returns {
            let ended = self.proc.exits.filter(|_| exits);
            let normally = ended.map_or(term::boolean(true), |e| term::not(term::var(e)));
            self.when(&normally, |l| l.set_element(results, &own, &term::var(result)));
        }
        self.thread_end(exits);
        self.release_thread_locals();
        let ended = self.sym("$ended");
        self.set_element(ended, &own, &term::boolean(true));
    }

    /// A function of the library that the lowering calls.
    fn hook(&self, name: &str) -> Option<FunctionId> {
        let index = self.program.functions.iter().position(|f| f.library && f.name == name)?;
        Some(FunctionId(index as u32))
    }

    /// The hook of the library at the end of a thread that returns from its function.
    fn thread_end(&mut self, exits: bool) {
        let Some(hook) = self.hook("__dally_thread_end") else { return };
        let ty = self.function(hook).result;
        let normally =
            self.proc.exits.filter(|_| exits).map_or(term::boolean(true), |e| term::not(term::var(e)));
        self.when(&normally, |l| {
            l.call_function(hook, Vec::new(), ty);
        });
    }

    /// A local that says that a callee has ended the thread.
    pub(super) fn declare_exits(&mut self) {
        let exits = self.fresh("$exits");
        let ty = self.type_expr(dally_bpl::ast::TypeExpr::Bool);
        let var = dally_bpl::ast::Var { name: super::emit::ident(exits), ty, where_clause: None };
        self.proc.locals.push(dally_bpl::ast::VarDecl { attrs: Attrs::NONE, var });
        self.proc.exits = Some(exits);
    }

    /// The entry point: initial values, then `main`, and the end of the program.
    pub(super) fn declare_start(&mut self) {
        let Some(main) = self.start_function() else { return };
        self.proc = Procedure::new("$start".to_owned());
        self.proc.span = dally_text::source::Span::NONE;
        self.initialise_runtime();
        self.initialise_globals();
        self.initialise_thread_locals();
        let args = self.main_arguments(main);
        if self.facts.events.active {
            self.begin_entries();
        }
        self.register_destructors();
        let constructors = self.by_priority(|f| f.constructor);
        let functions: Vec<FunctionId> = constructors.into_iter().chain([main]).collect();
        if functions.iter().any(|f| self.facts.exits.contains(f)) {
            self.declare_exits();
        }
        self.run_in_turn(&functions, &args);
        if self.proc.exits.is_some() {
            self.release_thread_locals();
            let (ended, own) = (self.sym("$ended"), self.runtime_var("$self"));
            self.set_element(ended, &own, &term::boolean(true));
        }
        let entry = self.attr("entrypoint", Vec::<AttrArg>::new());
        let home = self.start_attrs();
        let shown = self.attr_text("c", &self.start_name());
        let attrs = [entry].into_iter().chain(home).chain([shown]).collect();
        self.declare_procedure(Vec::new(), Vec::new(), attrs);
    }

    /// Calls constructors and `main`, unless one of them ends the thread, and then ends the program.
    fn run_in_turn(&mut self, functions: &[FunctionId], args: &[T]) {
        let Some((first, rest)) = functions.split_first() else {
            return if self.facts.events.active { self.end_first_task() } else { self.end_program() };
        };
        let callee = self.function(*first);
        let result = callee.result;
        let mut outs = Vec::new();
        if !matches!(self.program.types.get(result), Type::Void) {
            outs.push(None);
        }
        let exits = self.proc.exits.filter(|_| self.facts.exits.contains(first));
        outs.extend(exits.map(Some));
        let own = self.padded(*first, args);
        let name = self.procedure_names[first.index()].clone();
        self.call(outs, &name, &own);
        let normally = exits.map_or(term::boolean(true), |e| term::not(term::var(e)));
        self.when(&normally, |l| l.run_in_turn(rest, args));
    }

    /// The program goes on after its first task.
    fn end_first_task(&mut self) {
        self.release_thread_locals();
        let (ended, own) = (self.sym("$ended"), self.runtime_var("$self"));
        self.set_element(ended, &own, &term::boolean(true));
    }

    /// Lowers the end of the program, after `main` has returned.
    fn end_program(&mut self) {
        if let Some(hook) = self.hook("__dally_program_end") {
            let ty = self.function(hook).result;
            self.call_function(hook, Vec::new(), ty);
        }
        self.exit_program();
    }

    fn register_destructors(&mut self) {
        let Some(hook) = self.hook("__dally_at_end") else { return };
        let (ty, param) = {
            let f = self.function(hook);
            (f.result, f.locals[0].ty)
        };
        for destructor in self.by_priority(|f| f.destructor) {
            let address = Value::constant(self.function_address(destructor));
            self.call_function(hook, vec![(address, param)], ty);
        }
    }

    /// Functions of the program by ascending priority, and then in the order of their definitions.
    fn by_priority(&self, priority: impl Fn(&Function) -> Option<u16>) -> Vec<FunctionId> {
        let functions = (0..).zip(&self.program.functions).filter(|(_, f)| f.body.is_some() && !f.library);
        let mut found: Vec<(u16, FunctionId)> =
            functions.filter_map(|(index, f)| Some((priority(f)?, FunctionId(index)))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, function)| function).collect()
    }

    /// `argc` is 1, and `argv` has the name of the program.
    fn main_arguments(&mut self, main: FunctionId) -> Vec<T> {
        let params = self.function(main).params.len();
        if mentions_parameters(self.function(main)) {
            self.caveat_nondet("the program was run without arguments (`argc` is 1)", true);
        }
        let mut args = vec![term::int(1)];
        if params >= 2 {
            let pointer = Cell::pointer(u64::from(self.program.types.pointer_bits()) / 8);
            let size = pointer.size;
            let (name, list) = (self.new_static(), self.new_static());
            let at = |object: i128, offset: i128| object * super::memory::OBJECT + offset;
            self.static_object(name, 2);
            self.static_cell(at(name, 0), Cell::CHAR, &term::int(i128::from(b'a')));
            self.static_cell(at(name, 1), Cell::CHAR, &term::int(0));
            self.static_object(list, 2 * size);
            self.static_cell(at(list, 0), pointer, &term::int(at(name, 0)));
            self.static_cell(at(list, size), pointer, &term::int(0));
            args.push(term::int(at(list, 0)));
        }
        args.resize(params, term::int(0));
        args
    }

    /// Declares the procedure under construction.
    pub(super) fn declare_procedure(
        &mut self,
        ins: Vec<dally_bpl::ast::VarDecl>,
        outs: Vec<dally_bpl::ast::VarDecl>,
        attrs: Attrs,
    ) {
        let stmts = self.end();
        let proc = std::mem::take(&mut self.proc);
        let name = super::emit::ident(self.sym(&proc.name));
        let signature = dally_bpl::ast::Signature { name, type_params: Vec::new(), ins, outs };
        let body = dally_bpl::ast::Body { locals: proc.locals, block: super::emit::block(stmts) };
        let procedure = dally_bpl::ast::Procedure {
            flavour: dally_bpl::ast::Flavour::Plain,
            signature,
            specs: Vec::new(),
            body: Some(body),
        };
        let kind = dally_bpl::ast::DeclKind::Procedure(Box::new(procedure));
        self.ast.decls.push(dally_bpl::ast::Decl { kind, attrs, span: proc.span });
    }

    /// `return;`, after the objects of the function are released.
    pub(super) fn return_from_procedure(&mut self) {
        self.release_at_return();
        self.push(Bpl::Return);
    }
}

/// Returns true if the body of a function uses one of its parameters.
fn mentions_parameters(function: &Function) -> bool {
    let mut found = false;
    let mut look =
        |e: &Expr| found |= matches!(&e.kind, ExprKind::Local(local) if function.params.contains(local));
    for stmt in function.body.iter().flatten() {
        roots(stmt, &mut |root| every(root, &mut look));
    }
    found
}
