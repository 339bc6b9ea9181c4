//! Procedures.
//!
//! ```text
//! entry:    jump to prologue          (or, for the first task of a program, to the assuming prologue)
//! body:     …
//! epilogue: postconditions; return
//! prologue: values for `old`; preconditions; jump to body
//! ```
//!
//! The prologue comes last, since the globals under `old` are known only after the body is compiled.

use dally_bpl::Points;
use dally_bpl::ast::{Body, DeclKind, ExprId, Procedure as Declaration, Signature, SpecKind, VarDecl};
use dally_bpl::check::{ProcedureId, VarId, VarInfo};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::script::ScriptTarget;
use super::stmt::Enclosing;
use super::{Compiler, Meaning, Todo};
use crate::code::{Address, Domain, Op, Procedure, VarStorage, Variable};
use crate::value::Value;

/// A global whose value at procedure entry is kept for `old`.
#[derive(Clone, Copy, Debug)]
pub(super) struct OldValue {
    pub(super) var: VarId,
    pub(super) place: VarStorage,
    /// The hidden local that holds the value.
    pub(super) local: VarStorage,
}

/// The procedure that is being compiled.
#[derive(Debug)]
pub(super) struct Frame {
    /// The name of the procedure, which its hidden variables share.
    pub(super) name: Sym,
    /// Parameters, results and locals by name.
    pub(super) names: FxHashMap<Sym, VarId>,
    pub(super) where_clauses: FxHashMap<VarId, ExprId>,
    pub(super) variables: Vec<Variable>,
    /// True inside `old`.
    pub(super) in_old: bool,
    /// The globals under `old`.
    pub(super) old: Vec<OldValue>,
    /// The address of each label, and the number of atomic sections around it.
    pub(super) labels: FxHashMap<Sym, (Address, u32)>,
    /// Jumps to labels, with the number of atomic sections around them.
    pub(super) gotos: Vec<super::stmt::Goto>,
    /// Jumps to the epilogue.
    pub(super) returns: Vec<Address>,
    pub(super) enclosing: Vec<Enclosing>,
    /// The number of enclosing `if {:atomic}` statements.
    pub(super) atomic: u32,
    /// True if the previous statement was an `await`.
    pub(super) awaited: bool,
    /// The scheduling points that preemption inserts.
    pub(super) points: Points,
}

impl Frame {
    pub(super) fn new(name: Sym) -> Self {
        Frame {
            name,
            names: FxHashMap::default(),
            where_clauses: FxHashMap::default(),
            variables: Vec::new(),
            in_old: false,
            old: Vec::new(),
            labels: FxHashMap::default(),
            gotos: Vec::new(),
            returns: Vec::new(),
            enclosing: Vec::new(),
            atomic: 0,
            awaited: false,
            points: Points::default(),
        }
    }
}

impl Compiler<'_> {
    /// The index of a procedure in the code. Schedules its compilation.
    pub(super) fn procedure_index(&mut self, procedure: ProcedureId) -> u32 {
        if let Some(index) = self.procedures.get(&procedure) {
            return *index;
        }
        let index = self.code.procedures.len() as u32;
        let info = &self.info[procedure];
        let decl = self.bodies.get(&procedure).and_then(|bodies| bodies.first().copied()).or(info.decl);
        let told = decl.and_then(|decl| self.told(info.name, &self.ast.decls[decl].attrs).0);
        self.code.procedures.push(Procedure {
            name: told.unwrap_or(info.name),
            told: told.is_some()
                && !(self.options.notation.is_some() && self.text(info.name).starts_with('$')),
            entry: 0,
            assuming_entry: 0,
            end: 0,
            ins: info.ins.len() as u32,
            outs: info.outs.len() as u32,
            variables: Vec::new(),
        });
        self.procedures.insert(procedure, index);
        self.todo.push(Todo::Procedure(procedure));
        index
    }

    fn is_atomic(&self, procedure: ProcedureId) -> bool {
        let bodies = self.bodies.get(&procedure).into_iter().flatten();
        let mut decls = self.info[procedure].decl.iter().chain(bodies);
        decls.any(|decl| self.ast.attr(&self.ast.decls[*decl].attrs, "atomic").is_some())
    }

    /// Returns true if a call is one step: the procedure is atomic, or it has no body and modifies globals.
    pub(super) fn is_one_step(&self, procedure: ProcedureId) -> bool {
        let has_body = self.bodies.get(&procedure).is_some_and(|bodies| !bodies.is_empty());
        self.is_atomic(procedure) || !has_body && !self.info[procedure].modifies.is_empty()
    }

    /// A hidden local variable.
    pub(super) fn hidden(&mut self, name: Sym) -> VarStorage {
        self.frame.variables.push(Variable::hidden(name));
        VarStorage::Local(self.frame.variables.len() as u32 - 1)
    }

    pub(super) fn procedure(&mut self, id: ProcedureId) {
        let index = self.procedures[&id] as usize;
        self.frame = Frame::new(self.info[id].name);
        self.frame.points = self.code.preemption.of_procedure(self.info[id].name);
        self.depth = 0;
        let ast = self.ast;
        let declaration = self.info[id].decl.map(|d| &ast.decls[d]);
        let Some(DeclKind::Procedure(procedure)) = declaration.map(|d| &d.kind) else { return };
        // Code without source text has no span.
        self.span = Span::NONE;
        let bodies = self.bodies.get(&id).cloned().unwrap_or_default();
        if let [_, second, ..] = bodies[..] {
            let message = format!("`{}` has several implementations", self.text(self.info[id].name));
            self.unsupported(ast.decls[second].span, message);
        }
        let decl = bodies.first().copied();
        let (signature, body) = match decl.map(|d| &ast.decls[d].kind) {
            Some(DeclKind::Implementation(i)) => (&i.signature, Some(&i.body)),
            Some(DeclKind::Procedure(p)) => (&p.signature, p.body.as_ref()),
            _ => (&procedure.signature, None),
        };
        let atomic = self.is_atomic(id);
        match decl {
            Some(decl) => self.declare(decl, signature, body),
            None => self.declare_anonymous(id),
        }
        self.declare_given();
        let entry = self.emit(Op::Jump(0));
        let assuming = self.emit(Op::Jump(0));
        let start = self.here();
        if atomic {
            self.emit(Op::AtomicBegin);
        }
        self.assume_where_clauses(signature, body);
        match body {
            Some(body) => self.block(&body.block),
            None => self.arbitrary_effect(id),
        }
        self.link_gotos();
        self.span = Span::NONE;
        for jump in std::mem::take(&mut self.frame.returns) {
            self.patch(jump);
        }
        if atomic {
            self.emit(Op::AtomicEnd);
        }
        self.contract_vars(id, procedure);
        self.epilogue(procedure, body.is_some());
        self.patch(entry);
        self.scripted_beginning(id);
        self.prologue(procedure, false, start);
        self.patch(assuming);
        self.scripted_beginning(id);
        self.prologue(procedure, true, start);
        let end = self.here();
        let compiled = &mut self.code.procedures[index];
        (compiled.entry, compiled.assuming_entry, compiled.end) = (entry, assuming, end);
        compiled.variables = std::mem::take(&mut self.frame.variables);
    }

    /// Allocates the parameters, results and locals of a body.
    fn declare(&mut self, decl: usize, signature: &Signature, body: Option<&Body>) {
        let Some(vars) = self.info.bodies.get(&decl) else { return };
        let locals: &[VarDecl] = body.map_or(&[], |b| &b.locals);
        let all =
            [(&vars.ins, &signature.ins[..]), (&vars.outs, &signature.outs[..]), (&vars.locals, locals)];
        for (ids, decls) in all {
            for (id, decl) in ids.iter().zip(decls) {
                let variable = self.variable(*id, &decl.attrs);
                self.frame.variables.push(variable);
                let place = VarStorage::Local(self.frame.variables.len() as u32 - 1);
                self.meanings.insert(*id, Meaning::VarStorage(place));
                self.frame.names.insert(decl.var.name.name, *id);
                self.frame.where_clauses.extend(decl.var.where_clause.map(|e| (*id, e)));
            }
        }
    }

    /// Assumes the `where` clauses of results and locals at entry, if their values can be enumerated.
    fn assume_where_clauses(&mut self, signature: &Signature, body: Option<&Body>) {
        let locals: &[VarDecl] = body.map_or(&[], |b| &b.locals);
        for decl in signature.outs.iter().chain(locals) {
            let Some(var) = self.frame.names.get(&decl.var.name.name) else { continue };
            if let (Some(condition), true) =
                (self.frame.where_clauses.get(var).copied(), self.is_finite(*var))
            {
                self.assume(condition);
            }
        }
    }

    /// Returns true if the values of a variable can be enumerated.
    fn is_finite(&self, var: VarId) -> bool {
        let variable = match self.meanings.get(&var) {
            Some(Meaning::VarStorage(VarStorage::Local(i))) => self.frame.variables.get(*i as usize),
            Some(Meaning::VarStorage(VarStorage::Global(i))) => self.code.globals.get(*i as usize),
            _ => None,
        };
        variable.is_some_and(|v| !matches!(v.domain, Domain::Unbounded | Domain::Map))
    }

    /// Allocates the parameters and results of a procedure without a body.
    fn declare_anonymous(&mut self, id: ProcedureId) {
        let info = &self.info[id];
        for _ in 0..info.ins.len() + info.outs.len() {
            self.frame.variables.push(Variable::hidden(info.name));
        }
    }

    /// Resolves the names of parameters and results in the contract, which may differ from those in the
    /// body.
    fn contract_vars(&mut self, id: ProcedureId, procedure: &Declaration) {
        let vars = self.info.signature_vars(id);
        let decls = procedure.signature.ins.iter().chain(&procedure.signature.outs);
        for (i, (var, decl)) in vars.iter().zip(decls).enumerate() {
            self.meanings.insert(*var, Meaning::VarStorage(VarStorage::Local(i as u32)));
            let variable = self.variable(*var, &decl.attrs);
            if self.frame.variables[i].domain == Domain::Unbounded {
                let given = self.frame.variables[i].given;
                self.frame.variables[i] = Variable { given, ..variable };
            }
        }
    }

    /// A procedure without a body assigns arbitrary values that satisfy its postconditions to all that it
    /// may modify.
    fn arbitrary_effect(&mut self, id: ProcedureId) {
        for var in self.info[id].modifies.clone() {
            if let Some(Meaning::VarStorage(place)) = self.meanings.get(&var).copied() {
                self.emit(Op::Const(Value::Unset));
                self.emit(Op::Set(place));
            }
        }
        self.scripted_effect(id);
    }

    /// Assigns the values of the scripts to the results and modified globals of a procedure without a body.
    fn scripted_effect(&mut self, id: ProcedureId) {
        let info = &self.info[id];
        let outs = self.info.signature_vars(id).iter().enumerate().skip(info.ins.len());
        let target = |var: VarId, place| {
            let VarInfo { name, ty, .. } = self.info[var];
            ScriptTarget { name, ty, place }
        };
        let mut targets: Vec<_> = outs.map(|(i, var)| target(*var, VarStorage::Local(i as u32))).collect();
        for var in info.modifies.iter() {
            if let Some(Meaning::VarStorage(place)) = self.meanings.get(&var) {
                targets.push(target(var, *place));
            }
        }
        self.scripted_values(info.span, &targets);
    }

    fn epilogue(&mut self, procedure: &Declaration, has_body: bool) {
        for spec in &procedure.specs {
            let SpecKind::Ensures { free, expr } = spec.kind else { continue };
            if has_body && free {
                continue;
            }
            self.span = spec.span;
            if has_body {
                self.expr(expr);
                self.check("a postcondition does not hold", spec.span);
            } else {
                self.assume(expr);
            }
        }
        self.span = Span::NONE;
        self.emit(Op::Return);
    }

    fn prologue(&mut self, procedure: &Declaration, assuming: bool, body: Address) {
        // Preconditions refer to one state, so compiling them adds nothing to this list.
        for OldValue { place, local, .. } in self.frame.old.clone() {
            self.emit(Op::Load(place));
            self.emit(Op::Set(local));
        }
        if assuming {
            self.assume_axioms();
            let mut globals: Vec<_> = self.where_clauses.iter().map(|(n, e)| (*n, *e)).collect();
            globals.sort_unstable();
            for (name, condition) in globals {
                if self.info.global(name).is_some_and(|var| self.is_finite(var)) {
                    self.assume(condition);
                }
            }
        }
        for spec in &procedure.specs {
            let SpecKind::Requires { free, expr } = spec.kind else { continue };
            self.span = spec.span;
            if assuming || free {
                self.assume(expr);
            } else {
                self.expr(expr);
                self.check("a precondition does not hold", spec.span);
            }
        }
        self.span = Span::NONE;
        self.emit(Op::Jump(body));
    }
}
