//! Functions: with a body, built in, or a constructor.

use dally_bpl::ast::{DeclKind, ExprId, Function};
use dally_bpl::check::FunctionId;
use dally_text::source::Span;

use super::{Compiler, Meaning, Todo};
use crate::code::Op;

impl Compiler<'_> {
    /// The number of a constructor.
    pub(super) fn constructor(&mut self, function: FunctionId) -> u32 {
        let names = &mut self.code.constructors;
        // Functions are numbered without gaps. So are the names, of which only those of constructors are
        // used.
        while names.len() <= function.index() {
            names.push(self.info.functions[names.len()].name);
        }
        function.index() as u32
    }

    fn declaration(&self, function: FunctionId) -> Option<&'_ Function> {
        match &self.ast.decls[self.info[function].decl].kind {
            DeclKind::Function(f) => Some(f),
            _ => None,
        }
    }

    /// Returns true if a function has a body.
    pub(super) fn has_body(&self, function: FunctionId) -> bool {
        self.declaration(function).is_some_and(|f| f.body.is_some())
    }

    /// Applies a function to arguments.
    pub(super) fn apply(&mut self, e: ExprId, function: FunctionId, args: &[ExprId]) {
        let span = self.ast.exprs.span(e);
        for arg in args {
            self.expr(*arg);
        }
        let count = args.len().min(255) as u8;
        if args.len() > 255 {
            return self.unsupported(span, "more than 255 arguments");
        }
        if self.info[function].constructs.is_some() {
            let constructor = self.constructor(function);
            self.emit(Op::Construct(constructor, count));
            return;
        }
        if let Some(built_in) = self.built_in(function) {
            match built_in {
                Some(op) => {
                    self.emit(op);
                }
                None => {
                    let name = self.text(self.info[function].name);
                    self.unsupported(span, format!("the built-in function `{name}` cannot be evaluated"));
                    self.depth = self.depth + 1 - u32::from(count);
                }
            }
            return;
        }
        if !self.has_body(function) && !self.is_given(function) {
            let name = self.text(self.info[function].name);
            self.unsupported(span, format!("the function `{name}` has no definition"));
            self.depth = self.depth + 1 - u32::from(count);
            return;
        }
        let call = self.emit(Op::Apply(0, count));
        self.unlinked.push((call, function));
        self.functions.entry(function).or_insert_with(|| {
            self.todo.push(Todo::Function(function));
            u32::MAX
        });
    }

    /// Compiles the body of a function.
    pub(super) fn function(&mut self, function: FunctionId) {
        self.functions.insert(function, self.here());
        // A function belongs to the statement that applies it.
        self.span = Span::NONE;
        let Some(body) = self.declaration(function).and_then(|f| f.body) else {
            self.depth = self.info[function].params.len() as u32;
            self.given_function(function);
            self.emit(Op::Result);
            return;
        };
        let params = self.info.function_vars(function);
        for (i, var) in params.iter().enumerate() {
            if let Some(var) = var {
                self.meanings.insert(*var, Meaning::Stack(i as u32));
            }
        }
        self.depth = params.len() as u32;
        self.expr(body);
        self.emit(Op::Result);
    }

    /// Fills in the addresses of functions.
    pub(super) fn link_functions(&mut self) {
        for (call, function) in std::mem::take(&mut self.unlinked) {
            if let Op::Apply(address, _) = &mut self.code.ops[call as usize] {
                *address = self.functions[&function];
            }
        }
    }
}
