//! Threads: tasks that call a function, and the end of threads and of the program.

use dally_bpl::ast::{AttrArg, Attrs, BinaryOp as B, StmtKind as Bpl};

use super::Lowerer;
use super::emit::Procedure;
use super::places::Value;
use super::term::{self, Range, T};
use crate::hir::{Builtin, Expr, FunctionId};
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
            (Builtin::Spawn, [function, argument, ..]) => self.spawn(&function.clone(), &argument.clone()),
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

    fn spawn(&mut self, function: &T, argument: &T) -> Value {
        let (function, argument) = (self.stable(function.clone()), self.stable(argument.clone()));
        self.proc.touched = true;
        let threads = self.sym("$threads");
        let number = self.temporary(false);
        self.set(number, &term::var(threads));
        self.set(threads, &term::add(term::var(number), term::int(1)));
        let number = term::var(number);
        match self.function_at(&function) {
            Some(id) => self.spawn_function(id, &number, &argument),
            None => {
                let candidates: Vec<FunctionId> =
                    self.facts.addressed.iter().copied().filter(|f| self.may_be_thread(*f)).collect();
                self.spawn_among(&function, &candidates, &number, &argument);
            }
        }
        Value::Int(number, NUMBERS)
    }

    fn may_be_thread(&self, function: FunctionId) -> bool {
        let function = self.function(function);
        function.params.len() <= 1 && function.body.is_some() && !function.library
    }

    fn spawn_among(&mut self, pointer: &T, candidates: &[FunctionId], number: &T, argument: &T) {
        let Some((first, rest)) = candidates.split_first() else {
            return self.check(&term::boolean(false), "a thread is started at a wild function pointer");
        };
        let address = self.function_address(*first);
        let condition = term::binary(B::Eq, pointer.clone(), term::int(address));
        let condition = self.expr(&condition, true);
        self.begin();
        self.spawn_function(*first, number, argument);
        let then = self.end();
        self.begin();
        self.spawn_among(pointer, rest, number, argument);
        let otherwise = self.end();
        self.push_if(condition, then, otherwise);
    }

    fn spawn_function(&mut self, function: FunctionId, number: &T, argument: &T) {
        let callee = self.function(function);
        if callee.body.is_none() || callee.library {
            let what = format!("a thread that runs the external function `{}`", callee.name);
            return self.unsupported(&what);
        }
        let name = format!("$thread${}", self.procedure_names[function.index()]);
        self.thread_roots.insert(function);
        self.post(&name, &[number.clone(), argument.clone()]);
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
        let (number, argument) = (self.fresh("number"), self.fresh("argument"));
        let own = self.sym("$self");
        self.set(own, &term::var(number));
        self.initialise_thread_locals();
        self.run(function, &[(term::var(argument))]);
        let hidden = self.attr_text("c", "");
        let hidden: Attrs = [hidden].into_iter().collect();
        let ins = [number, argument].map(|n| self.var_decl(n, false, hidden.clone())).to_vec();
        let name = self.function(function).name.clone();
        let shown = self.attr_text("c", &name);
        self.declare_procedure(ins, Vec::new(), [shown].into_iter().collect());
    }

    /// Calls the function of a thread, and records its end.
    fn run(&mut self, function: FunctionId, args: &[T]) {
        let callee = self.function(function);
        let (params, result) = (callee.params.len(), callee.result);
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
        let mut args = args.to_vec();
        args.resize(params, term::int(0));
        self.call(outs, &name, &args);
        let (results, own) = (self.sym("$result"), self.runtime_var("$self"));
        if returns {
            let ended = self.proc.exits.filter(|_| exits);
            let normally = ended.map_or(term::boolean(true), |e| term::not(term::var(e)));
            self.when(&normally, |l| l.set_element(results, &own, &term::var(result)));
        }
        self.thread_end(exits);
        let ended = self.sym("$ended");
        self.set_element(ended, &own, &term::boolean(true));
    }

    /// The hook of the library at the end of a thread that returns from its function.
    fn thread_end(&mut self, exits: bool) {
        let hook = self.program.functions.iter().position(|f| f.library && f.name == "__dally_thread_end");
        let Some(hook) = hook.map(|index| FunctionId(index as u32)) else { return };
        let ty = self.function(hook).result;
        let normally =
            self.proc.exits.filter(|_| exits).map_or(term::boolean(true), |e| term::not(term::var(e)));
        self.when(&normally, |l| {
            l.call_function(hook, Vec::new(), ty);
        });
    }

    /// A local that says that a callee has ended the thread.
    fn declare_exits(&mut self) {
        let exits = self.fresh("$exits");
        let ty = self.type_expr(dally_bpl::ast::TypeExpr::Bool);
        let var = dally_bpl::ast::Var { name: super::emit::ident(exits), ty, where_clause: None };
        self.proc.locals.push(dally_bpl::ast::VarDecl { attrs: Attrs::NONE, var });
        self.proc.exits = Some(exits);
    }

    /// The entry point: initial values, then `main`, and the end of the program.
    pub(super) fn declare_start(&mut self) {
        let Some(main) = self.main() else { return };
        self.proc = Procedure::new("$start".to_owned());
        self.proc.span = dally_text::source::Span::NONE;
        self.initialise_runtime();
        self.initialise_globals();
        self.initialise_thread_locals();
        let args = self.main_arguments(main);
        let exits = self.facts.exits.contains(&main);
        if exits {
            self.declare_exits();
        }
        let mut outs = Vec::new();
        if !matches!(self.program.types.get(self.function(main).result), Type::Void) {
            outs.push(None);
        }
        outs.extend(exits.then_some(self.proc.exits));
        let name = self.procedure_names[main.index()].clone();
        self.call(outs, &name, &args);
        match self.proc.exits {
            Some(exits) => {
                self.when(&term::not(term::var(exits)), super::Lowerer::exit_program);
                let (ended, own) = (self.sym("$ended"), self.runtime_var("$self"));
                self.set_element(ended, &own, &term::boolean(true));
            }
            None => self.exit_program(),
        }
        let entry = self.attr("entrypoint", Vec::<AttrArg>::new());
        let shown = self.attr_text("c", "main");
        self.declare_procedure(Vec::new(), Vec::new(), [entry, shown].into_iter().collect());
    }

    pub(super) fn main(&self) -> Option<FunctionId> {
        let is_main = |f: &crate::hir::Function| f.name == "main" && f.body.is_some() && !f.library;
        let index = self.program.functions.iter().position(is_main)?;
        Some(FunctionId(index as u32))
    }

    /// `argc` is 1, and `argv` has the name of the program.
    fn main_arguments(&mut self, main: FunctionId) -> Vec<T> {
        let params = self.function(main).params.len();
        let mut args = vec![term::int(1)];
        if params >= 2 {
            let size = i128::from(self.program.types.pointer_bits()) / 8;
            let (name, list) = (self.new_static(), self.new_static());
            let at = |object: i128, offset: i128| object * super::memory::OBJECT + offset;
            self.static_object(name, 2);
            self.static_cell(at(name, 0), -1, &term::int(i128::from(b'a')));
            self.static_cell(at(name, 1), -1, &term::int(0));
            self.static_object(list, 2 * size);
            self.static_cell(at(list, 0), size, &term::int(at(name, 0)));
            self.static_cell(at(list, size), size, &term::int(0));
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
        self.release_stack();
        self.push(Bpl::Return);
    }
}
