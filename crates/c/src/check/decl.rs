//! Declarations of types, variables and functions.

use dally_text::code::Code;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::basic::Class;
use super::scope::Entity;
use super::{Checked, Checker};
use crate::ast::{
    Attrs, Declaration, Derived, ExprId, InitDeclarator, Initialiser, Name, Priority, Specs, StaticAssert,
    Storage, TypeSpec,
};
use crate::codes;
use crate::hir::{Function, FunctionId, Global, GlobalId, Init, LocalId, Stmt, StmtKind};
use crate::types::{Type, TypeId};

/// Types of the library that replace those of system headers with the same name.
const REPLACED: &[&str] = &[
    "pthread_t",
    "pthread_attr_t",
    "pthread_mutex_t",
    "pthread_mutexattr_t",
    "pthread_cond_t",
    "pthread_condattr_t",
    "pthread_rwlock_t",
    "pthread_rwlockattr_t",
    "pthread_barrier_t",
    "pthread_barrierattr_t",
    "pthread_once_t",
    "pthread_key_t",
    "pthread_spinlock_t",
    "sem_t",
    "mtx_t",
    "cnd_t",
    "thrd_t",
    "once_flag",
    "tss_t",
    "atomic_flag",
];

impl Checker<'_> {
    pub(super) fn file_declaration(&mut self, declaration: &Declaration) {
        let Some(base) = self.declaration_base(declaration) else { return };
        for one in &declaration.declarators {
            let Some(name) = one.declarator.name else { continue };
            if self.file_declarator(base, &declaration.specs, one, name).is_none() {
                self.scopes.declare(name.sym, Entity::Error);
            }
        }
    }

    /// The type of the specifiers. After an error the names are still declared.
    fn declaration_base(&mut self, declaration: &Declaration) -> Checked<TypeId> {
        let specs = &declaration.specs;
        let base = match (&specs.ty, &declaration.declarators[..]) {
            (TypeSpec::Auto, [InitDeclarator { init: Some(Initialiser::Expr(expr)), .. }]) => {
                self.value(*expr).map(|value| self.qualified(value.ty, specs.quals))
            }
            _ => self.specs_type(specs),
        };
        if base.is_none() {
            for name in declaration.declarators.iter().filter_map(|one| one.declarator.name) {
                self.scopes.declare(name.sym, Entity::Error);
            }
        }
        base
    }

    fn file_declarator(
        &mut self,
        base: TypeId,
        specs: &Specs,
        one: &InitDeclarator,
        name: Name,
    ) -> Checked<()> {
        let ty = self.declared(base, &one.declarator)?;
        if specs.storage.is_typedef {
            return self.declare_typedef(name, ty);
        }
        if self.class(ty) == Class::Function {
            self.declare_function(name, ty, specs.storage, [&specs.attrs, &one.declarator.attrs])?;
            return Some(());
        }
        if self.class(ty) == Class::Void {
            self.incomplete(ty, name.span);
            return None;
        }
        let id = self.declare_global(name, ty, specs.storage, one.init.is_some())?;
        if let Some(init) = &one.init {
            self.global_init(id, init)?;
        }
        Some(())
    }

    pub(super) fn declare_typedef(&mut self, name: Name, ty: TypeId) -> Checked<()> {
        let text = self.text(name.sym);
        let replaced = REPLACED.contains(&text) || text.starts_with("atomic_");
        if replaced
            && !self.library
            && let Some(Entity::Typedef(_)) = self.scopes.library(name.sym)
        {
            return Some(());
        }
        match self.scopes.here(name.sym) {
            Some(Entity::Typedef(old)) if self.compatible(old, ty) => {}
            Some(Entity::Error) | None => {}
            Some(_) if self.library => {}
            Some(_) => {
                let message = format!("`{}` is already declared as something else", self.text(name.sym));
                self.error(codes::CONFLICT, name.span, message);
                return Some(());
            }
        }
        self.scopes.declare(name.sym, Entity::Typedef(ty));
        Some(())
    }

    /// A variable with static storage that a declaration names.
    fn declare_global(
        &mut self,
        name: Name,
        ty: TypeId,
        storage: Storage,
        defines: bool,
    ) -> Checked<GlobalId> {
        let linked = match self.scopes.here(name.sym) {
            Some(entity) => Some(entity),
            None if storage.is_static => None,
            None => self.externals.get(&name.sym).copied(),
        };
        let tentative = storage.is_extern && !defines;
        let id = match linked {
            Some(Entity::Global(id)) => {
                self.merge_global(id, ty, name)?;
                id
            }
            Some(Entity::Error) | None => match self.library_global(name.sym, tentative) {
                Some(id) => {
                    self.scopes.declare(name.sym, Entity::Global(id));
                    return Some(id);
                }
                None => self.add_global(Global {
                    name: self.text(name.sym).to_owned(),
                    function: None,
                    ty,
                    thread_local: storage.thread_local,
                    external: true,
                    init: None,
                    span: name.span,
                }),
            },
            Some(_) => {
                let message = format!("`{}` is already declared as something else", self.text(name.sym));
                self.error(codes::CONFLICT, name.span, message);
                return None;
            }
        };
        let global = &mut self.globals[id.index()];
        global.thread_local |= storage.thread_local;
        if !tentative {
            global.external = false;
            global.span = name.span;
        }
        self.scopes.declare(name.sym, Entity::Global(id));
        if !storage.is_static {
            self.externals.insert(name.sym, Entity::Global(id));
        }
        Some(id)
    }

    /// The variable of the library that an `extern` declaration means.
    fn library_global(&self, sym: Sym, tentative: bool) -> Option<GlobalId> {
        if self.library || !tentative || self.user_defined.contains(&sym) {
            return None;
        }
        match self.scopes.library(sym) {
            Some(Entity::Global(id)) => Some(id),
            _ => None,
        }
    }

    fn merge_global(&mut self, id: GlobalId, ty: TypeId, name: Name) -> Checked<()> {
        let old = self.globals[id.index()].ty;
        if !self.compatible(old, ty) {
            self.conflicting_types(name, ty, old);
            return None;
        }
        if self.types.size(old).is_none() {
            self.globals[id.index()].ty = ty;
        }
        Some(())
    }

    fn global_init(&mut self, id: GlobalId, init: &Initialiser) -> Checked<()> {
        let (ty, span) = (self.globals[id.index()].ty, self.globals[id.index()].span);
        if self.globals[id.index()].init.is_some() {
            let message = format!("`{}` is initialised twice", self.globals[id.index()].name);
            self.error(Code::DUPLICATE, span, message);
        }
        let (init, ty) = self.static_initialiser(ty, init, span)?;
        self.globals[id.index()].ty = ty;
        self.globals[id.index()].init = Some(init);
        Some(())
    }

    pub(super) fn static_initialiser(
        &mut self,
        ty: TypeId,
        init: &Initialiser,
        span: Span,
    ) -> Checked<(Init, TypeId)> {
        let before = std::mem::replace(&mut self.is_static, true);
        let made = self.initialiser(ty, init, span);
        self.is_static = before;
        made
    }

    /// The function that a declaration names, with or without a body.
    pub(super) fn declare_function(
        &mut self,
        name: Name,
        ty: TypeId,
        storage: Storage,
        attrs: [&Attrs; 2],
    ) -> Checked<FunctionId> {
        let linked = match self.scopes.here(name.sym) {
            Some(entity) => Some(entity),
            None if storage.is_static => None,
            None => self.externals.get(&name.sym).copied(),
        };
        let id = match linked {
            Some(Entity::Function(id)) if self.functions[id.index()].library && !self.library => {
                return Some(id);
            }
            Some(Entity::Function(id)) => {
                self.merge_function(id, ty, name);
                id
            }
            Some(Entity::Error) | None => match self.library_function(name.sym) {
                Some(id) if !storage.is_static => {
                    self.scopes.declare(name.sym, Entity::Function(id));
                    return Some(id);
                }
                _ => self.add_function(name, ty),
            },
            Some(_) => {
                let message = format!("`{}` is already declared as something else", self.text(name.sym));
                self.error(codes::CONFLICT, name.span, message);
                return None;
            }
        };
        self.function_attributes(id, attrs);
        self.scopes.declare(name.sym, Entity::Function(id));
        if !storage.is_static {
            self.externals.insert(name.sym, Entity::Function(id));
        }
        Some(id)
    }

    fn function_attributes(&mut self, id: FunctionId, attrs: [&Attrs; 2]) {
        for attrs in attrs {
            let constructor = attrs.constructor.and_then(|p| self.priority(p));
            let destructor = attrs.destructor.and_then(|p| self.priority(p));
            if let Some(alias) = &attrs.alias {
                self.aliases.insert(id, alias.clone());
            }
            let function = &mut self.functions[id.index()];
            function.noreturn |= attrs.noreturn;
            function.constructor = constructor.or(function.constructor);
            function.destructor = destructor.or(function.destructor);
            self.event_attributes(id, &attrs.events);
        }
    }

    fn priority(&mut self, priority: Priority) -> Checked<u16> {
        match priority {
            Priority::Lowest => Some(u16::MAX),
            Priority::Value(value) => Some(self.constant_int(value)?.clamp(0, i128::from(u16::MAX)) as u16),
        }
    }

    /// The function of the library that a declaration without a body means.
    fn library_function(&self, sym: Sym) -> Option<FunctionId> {
        if self.library || self.user_defined.contains(&sym) {
            return None;
        }
        match self.scopes.library(sym) {
            Some(Entity::Function(id)) => Some(id),
            _ => None,
        }
    }

    pub(super) fn add_function(&mut self, name: Name, ty: TypeId) -> FunctionId {
        let text = self.text(name.sym);
        // The functions that SMACK's `__SMACK_INIT` defines.
        let initialises = text.starts_with("__SMACK_init_func_");
        let function = Function {
            name: text.to_owned(),
            result: self.basic.int,
            params: Vec::new(),
            variadic: false,
            noreturn: false,
            constructor: initialises.then_some(u16::MAX),
            destructor: None,
            events: crate::hir::Events::default(),
            library: self.library,
            locals: Vec::new(),
            labels: Vec::new(),
            body: None,
            span: name.span,
        };
        self.functions.push(function);
        self.signatures.push(ty);
        let id = FunctionId(self.functions.len() as u32 - 1);
        self.sign(id, ty);
        id
    }

    /// Gives a function without a body the parameters of its type.
    pub(super) fn sign(&mut self, id: FunctionId, ty: TypeId) {
        let Type::Function(signature) = self.types.get(ty) else { return };
        let function = &mut self.functions[id.index()];
        let local = |ty: &TypeId| crate::hir::Local {
            name: String::new(),
            ty: *ty,
            address_taken: false,
            span: function.span,
        };
        function.locals = signature.params.iter().map(local).collect();
        function.params = (0..signature.params.len() as u32).map(LocalId).collect();
        function.result = signature.result;
        function.variadic = signature.variadic;
        self.signatures[id.index()] = ty;
    }

    fn merge_function(&mut self, id: FunctionId, ty: TypeId, name: Name) {
        let old = self.signatures[id.index()];
        let unspecified = |ty: &Type| matches!(ty, Type::Function(f) if f.variadic && f.params.is_empty());
        let (vague, precise) = (unspecified(self.types.get(old)), !unspecified(self.types.get(ty)));
        if !self.compatible(old, ty) && !vague && precise {
            return self.conflicting_types(name, ty, old);
        }
        if (precise || vague) && self.functions[id.index()].body.is_none() {
            self.sign(id, ty);
        }
    }

    fn conflicting_types(&mut self, name: Name, here: TypeId, elsewhere: TypeId) {
        let message = format!(
            "`{}` is declared with type `{}` here, and `{}` elsewhere",
            self.text(name.sym),
            self.describe(here),
            self.describe(elsewhere)
        );
        self.error(codes::CONFLICT, name.span, message);
    }

    pub(super) fn static_assertion(&mut self, assertion: &StaticAssert) {
        self.assertion(assertion.condition, assertion.message.as_deref(), assertion.span);
    }

    pub(super) fn assertion(&mut self, condition: ExprId, message: Option<&str>, span: Span) {
        if self.constant_int(condition) == Some(0) {
            let text = message.map_or(String::new(), |text| format!(": {}", text.trim_matches('"')));
            self.error(codes::ASSERTION_FAILED, span, format!("this assertion does not hold{text}"));
        }
    }

    // Declarations inside of functions.

    pub(super) fn local_declaration(&mut self, declaration: &Declaration, out: &mut Vec<Stmt>) {
        let Some(base) = self.declaration_base(declaration) else { return };
        for one in &declaration.declarators {
            let Some(name) = one.declarator.name else { continue };
            // A declaration alone has the span of the statement, the others have those of their declarators.
            let span = if declaration.declarators.len() == 1 {
                declaration.span
            } else {
                declarator_span(self, one)
            };
            if self.local_declarator(base, &declaration.specs, one, name, span, out).is_none() {
                self.scopes.declare(name.sym, Entity::Error);
            }
        }
    }

    fn local_declarator(
        &mut self,
        base: TypeId,
        specs: &Specs,
        one: &InitDeclarator,
        name: Name,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        if specs.storage.is_typedef {
            let ty = self.declared(base, &one.declarator)?;
            return self.declare_typedef(name, ty);
        }
        if matches!(one.declarator.derived.last(), Some(Derived::Function(_))) {
            let ty = self.declared(base, &one.declarator)?;
            self.declare_function(name, ty, specs.storage, [&specs.attrs, &one.declarator.attrs])?;
            return Some(());
        }
        if specs.storage.is_extern {
            let ty = self.declared(base, &one.declarator)?;
            self.declare_global(name, ty, specs.storage, false)?;
            return Some(());
        }
        if specs.storage.is_static || specs.storage.thread_local {
            let ty = self.declared(base, &one.declarator)?;
            return self.static_local(name, ty, specs.storage, one.init.as_ref());
        }
        let cleanup = one.declarator.attrs.cleanup.or(specs.attrs.cleanup);
        let shape = self.shape(base, &one.declarator)?;
        if let Some(count) = shape.length {
            if let Some(function) = cleanup {
                self.unsupported(function.span, "the attribute `cleanup` of an array of variable length");
            }
            return self.variable_length(name, shape.ty, count, span, out);
        }
        if self.class(shape.ty) == Class::Function {
            self.declare_function(name, shape.ty, specs.storage, [&specs.attrs, &one.declarator.attrs])?;
            return Some(());
        }
        let local = self.automatic(name, shape.ty, one.init.as_ref(), span, out)?;
        cleanup.into_iter().for_each(|function| self.call_at_end(local, function));
        Some(())
    }

    fn static_local(
        &mut self,
        name: Name,
        ty: TypeId,
        storage: Storage,
        init: Option<&Initialiser>,
    ) -> Checked<()> {
        let function = self.current.as_ref().map(|c| c.id);
        let id = self.add_global(Global {
            name: self.text(name.sym).to_owned(),
            function,
            ty,
            thread_local: storage.thread_local,
            external: false,
            init: None,
            span: name.span,
        });
        self.scopes.declare(name.sym, Entity::Global(id));
        if let Some(init) = init {
            self.global_init(id, init)?;
        }
        Some(())
    }

    fn automatic(
        &mut self,
        name: Name,
        ty: TypeId,
        init: Option<&Initialiser>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Checked<LocalId> {
        self.unique_local(name);
        let text = self.text(name.sym).to_owned();
        let id = self.add_local(&text, ty, name.span)?;
        self.scopes.declare(name.sym, Entity::Local(id, None));
        let init = match init {
            None => None,
            Some(init) => {
                let (init, complete) = self.initialiser(ty, init, name.span)?;
                if let Some(current) = &mut self.current {
                    current.locals[id.index()].ty = complete;
                }
                Some(init)
            }
        };
        let ty = self.local_type(id);
        if self.types.size(ty).is_none() || self.class(ty) == Class::Void {
            self.incomplete(ty, name.span);
            return None;
        }
        out.push(Stmt { kind: StmtKind::Declare(id, init), span });
        Some(id)
    }

    fn unique_local(&mut self, name: Name) {
        if let Some(Entity::Local(..) | Entity::Global(_)) = self.scopes.here(name.sym) {
            let message = format!("`{}` is declared twice in this scope", self.text(name.sym));
            self.error(Code::DUPLICATE, name.span, message);
        }
    }

    /// An array of variable length: a pointer, and a variable with the number of elements for `sizeof`.
    fn variable_length(
        &mut self,
        name: Name,
        element: TypeId,
        count: crate::hir::Expr,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        self.unique_local(name);
        let text = self.text(name.sym).to_owned();
        let ulong = self.basic.ulong;
        let length = self.add_local("", ulong, name.span)?;
        let pointer = self.pointer(element);
        let id = self.add_local(&text, pointer, name.span)?;
        self.scopes.declare(name.sym, Entity::Local(id, Some(length)));
        let part = crate::hir::InitPart { offset: 0, bits: None, ty: ulong, value: count };
        let init = Init { zero_rest: false, parts: vec![part] };
        out.push(Stmt { kind: StmtKind::Declare(length, Some(init)), span });
        let local = crate::hir::Expr { kind: crate::hir::ExprKind::Local(length), ty: ulong, span };
        let count = crate::hir::Expr { kind: crate::hir::ExprKind::Load(Box::new(local)), ty: ulong, span };
        out.push(Stmt { kind: StmtKind::Vla(id, count), span });
        Some(())
    }
}

/// The declarator with its initialiser.
fn declarator_span(checker: &Checker<'_>, one: &InitDeclarator) -> Span {
    let start = one.declarator.span;
    let end = match &one.init {
        Some(Initialiser::Expr(expr)) => checker.ast.expr(*expr).span,
        Some(Initialiser::List(_, span)) => *span,
        None => start,
    };
    if end.end >= start.start && end.end - start.start < 1 << 20 { start.to(end) } else { start }
}
