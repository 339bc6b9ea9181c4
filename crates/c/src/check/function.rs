//! Functions with bodies.

use dally_text::code::Code;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::basic::Class;
use super::scope::Entity;
use super::{Checked, Checker, asynchronous, escape};
use crate::ast::{Derived, FunctionDefinition, Name, Params};
use crate::codes;
use crate::hir::{Builtin, Expr, ExprKind, Function, FunctionId, LabelId, Local, LocalId, Stmt, StmtKind};
use crate::types::{FunctionType, Type, TypeId};

/// The functions that must never be called, according to SV-COMP.
const ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// The function whose body is checked.
pub(super) struct Current {
    pub(super) id: FunctionId,
    pub(super) name: String,
    pub(super) result: TypeId,
    pub(super) locals: Vec<Local>,
    pub(super) labels: Vec<Label>,
    /// The labels by name: those of the function, and then those of blocks with `__label__`.
    pub(super) label_scopes: Vec<FxHashMap<Sym, LabelId>>,
    /// How many loops are around the statement.
    pub(super) loops: usize,
    pub(super) switches: Vec<super::stmt::Switch>,
    /// The calls of variables with the attribute `cleanup`.
    pub(super) cleanups: FxHashMap<LocalId, Stmt>,
    /// How many loops and switches are around the statement.
    pub(super) breakable: usize,
}

/// A label.
pub(super) struct Label {
    pub(super) name: String,
    pub(super) defined: bool,
    /// The first `goto`, or the definition.
    pub(super) span: Span,
}

impl Checker<'_> {
    /// Declares a function that has a body.
    pub(super) fn define_function(&mut self, definition: &FunctionDefinition) -> Checked<FunctionId> {
        let name = definition.declarator.name?;
        let made = self.define_here(definition, name);
        if made.is_none() {
            self.scopes.declare(name.sym, Entity::Error);
        }
        made
    }

    fn define_here(&mut self, definition: &FunctionDefinition, name: Name) -> Checked<FunctionId> {
        let base = self.specs_type(&definition.specs)?;
        let mut ty = self.declared(base, &definition.declarator)?;
        if let Some(Derived::Function(params)) = definition.declarator.derived.last()
            && !params.names.is_empty()
        {
            ty = self.kr_type(ty, params, definition)?;
        }
        let attrs = [&definition.specs.attrs, &definition.declarator.attrs];
        let id = self.declare_function(name, ty, definition.specs.storage, attrs)?;
        let function = &mut self.functions[id.index()];
        if function.body.is_some() {
            let message = format!("the function `{}` is defined twice", function.name);
            self.error(Code::DUPLICATE, name.span, message);
            return None;
        }
        function.span = name.span;
        Some(id)
    }

    /// The type of a K&R definition, whose parameters are declared after it.
    fn kr_type(&mut self, ty: TypeId, params: &Params, definition: &FunctionDefinition) -> Checked<TypeId> {
        let result = match self.types.get(ty) {
            Type::Function(function) => function.result,
            _ => return Some(ty),
        };
        let mut types = vec![self.basic.int; params.names.len()];
        for declaration in &definition.declarations {
            for one in &declaration.declarators {
                let position =
                    params.names.iter().position(|n| Some(n.sym) == one.declarator.name.map(|n| n.sym));
                let Some(position) = position else {
                    let message = "this is not one of the parameters";
                    self.error(codes::BAD_DECLARATION, one.declarator.span, message);
                    return None;
                };
                let ty = self.param_type(&declaration.specs, &one.declarator)?;
                types[position] = self.types.unqualified(ty);
            }
        }
        Some(self.types.intern(Type::Function(FunctionType { result, params: types, variadic: false })))
    }

    /// Checks the body of a function.
    pub(super) fn function_body(&mut self, id: FunctionId, definition: &FunctionDefinition) {
        let Type::Function(signature) = self.types.get(self.signatures[id.index()]).clone() else { return };
        let Some(Derived::Function(params)) = definition.declarator.derived.last() else { return };
        let function = &self.functions[id.index()];
        self.current = Some(Current {
            id,
            name: function.name.clone(),
            result: signature.result,
            locals: Vec::new(),
            labels: Vec::new(),
            label_scopes: vec![FxHashMap::default()],
            loops: 0,
            switches: Vec::new(),
            cleanups: FxHashMap::default(),
            breakable: 0,
        });
        self.scopes.open();
        let own = self.parameters(params, &signature);
        if self.class(signature.result) != Class::Void && self.types.size(signature.result).is_none() {
            self.incomplete(signature.result, definition.declarator.span);
        }
        let mut body = Vec::new();
        for stmt in &definition.body {
            self.stmt(*stmt, &mut body);
        }
        self.scopes.close();
        self.check_labels();
        self.insert_cleanups(&mut body);
        self.fail_if_error(id, &mut body);
        let Some(mut current) = self.current.take() else { return };
        escape::mark(&mut current.locals, &body);
        let labels: Vec<String> = current.labels.into_iter().map(|label| label.name).collect();
        if labels.iter().any(|label| label.starts_with(asynchronous::PREFIX)) {
            self.start_threads(&mut body, &mut current.locals, &labels);
        }
        let function = &mut self.functions[id.index()];
        function.params = (0..own as u32).map(LocalId).collect();
        function.locals = current.locals;
        function.labels = labels;
        function.variadic = params.variadic;
        function.body = Some(body);
    }

    /// A call of the error function of SV-COMP is a bug, whatever its body does.
    fn fail_if_error(&mut self, id: FunctionId, body: &mut Vec<Stmt>) {
        let Function { name, span, .. } = &self.functions[id.index()];
        if self.library || !ERROR_FUNCTIONS.contains(&name.as_str()) {
            return;
        }
        let (message, span) = (format!("{name}() is called"), *span);
        let text = self.decayed_string(&message, span);
        let fail = Expr { kind: ExprKind::Builtin(Builtin::Fail, vec![text]), ty: self.basic.void, span };
        body.insert(0, Stmt { kind: StmtKind::Expr(fail), span });
    }

    /// Declares the parameters as the first locals; returns their number.
    fn parameters(&mut self, params: &Params, signature: &FunctionType) -> usize {
        let names: Vec<(Option<Name>, Span)> = if params.names.is_empty() {
            params.list.iter().map(|p| (p.declarator.name, p.declarator.span)).collect()
        } else {
            params.names.iter().map(|n| (Some(*n), n.span)).collect()
        };
        for (index, (name, span)) in names.iter().enumerate() {
            let plain = signature.params.get(index).copied().unwrap_or(self.basic.int);
            // The parameter itself keeps its qualifiers.
            let ty = match params.list.get(index) {
                Some(param) => self.param_type(&param.specs, &param.declarator).unwrap_or(plain),
                None => plain,
            };
            if self.types.size(ty).is_none() {
                self.incomplete(ty, *span);
            }
            let text = name.map_or(String::new(), |n| self.text(n.sym).to_owned());
            let id = self.add_local(&text, ty, *span);
            if let (Some(name), Some(id)) = (name, id) {
                if self.scopes.here(name.sym).is_some() {
                    let message = format!("two parameters are called `{}`", self.text(name.sym));
                    self.error(Code::DUPLICATE, name.span, message);
                }
                self.scopes.declare(name.sym, Entity::Local(id, None));
            }
        }
        names.len()
    }

    fn check_labels(&mut self) {
        let Some(current) = &self.current else { return };
        let missing: Vec<_> =
            current.labels.iter().filter(|l| !l.defined).map(|l| (l.name.clone(), l.span)).collect();
        for (name, span) in missing {
            self.error(codes::BAD_LABEL, span, format!("the label `{name}` is not defined in this function"));
        }
    }

    /// The label of this name.
    pub(super) fn label(&mut self, name: Name) -> Option<LabelId> {
        let text = self.text(name.sym).to_owned();
        let current = self.current.as_mut()?;
        if let Some(id) = current.label_scopes.iter().rev().find_map(|scope| scope.get(&name.sym)) {
            return Some(*id);
        }
        let id = LabelId(current.labels.len() as u32);
        current.labels.push(Label { name: text, defined: false, span: name.span });
        current.label_scopes[0].insert(name.sym, id);
        Some(id)
    }

    /// Declares a label of the innermost block.
    pub(super) fn local_label(&mut self, name: Name) {
        let text = self.text(name.sym).to_owned();
        let Some(current) = self.current.as_mut() else { return };
        let id = LabelId(current.labels.len() as u32);
        current.labels.push(Label { name: text, defined: false, span: name.span });
        if let Some(scope) = current.label_scopes.last_mut() {
            scope.insert(name.sym, id);
        }
    }
}
