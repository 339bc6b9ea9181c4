//! Bodies of functions.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::Checker;
use super::info::{Local, Slot, Use};
use super::types::{Ty, Types};
use crate::ast::{FunId, Name, StmtId, StmtKind};
use crate::codes;

/// The context of the function that is being checked.
pub(super) struct Body {
    pub(super) fun: FunId,
    /// The machine to which it belongs.
    pub(super) owner: Option<usize>,
    /// The scopes of variables: the function's, and those of the enclosing cases of `receive`.
    scopes: Vec<FxHashMap<Sym, u32>>,
    slots: Vec<Slot>,
    /// The type of `return`'s operand; none inside of a case.
    pub(super) ret: Ty,
    /// The loop depth within the function and within each enclosing case.
    pub(super) loops: Vec<u32>,
}

impl Checker<'_> {
    pub(super) fn check_bodies(&mut self) {
        let ast = self.ast;
        let owned: Vec<FunId> = self.info.machines.iter().flat_map(|m| m.funs.clone()).collect();
        for fun in ast.globals.iter().copied().chain(owned) {
            let info = &self.info.funs[fun.index()];
            let mut body = Body {
                fun,
                owner: info.owner.map(|m| m as usize),
                scopes: Vec::new(),
                slots: Vec::new(),
                ret: info.ret,
                loops: vec![0],
            };
            if ast.funs[fun.index()].is_pure {
                self.check_pure(&mut body, fun);
            } else {
                self.check_function(&mut body, fun);
            }
            let info = &mut self.info.funs[fun.index()];
            info.slots = body.slots;
        }
    }

    /// Checks a pure function. If its body is ill-typed in P, such as one that reads the fields of another machine,
    /// only P's verifier can evaluate it.
    fn check_pure(&mut self, body: &mut Body, fun: FunId) {
        let before = std::mem::take(&mut self.diagnostics);
        self.check_function(body, fun);
        let found = std::mem::replace(&mut self.diagnostics, before);
        if !found.are_warnings() {
            self.info.verifier_only.insert(fun);
        }
    }

    /// Checks a function, or a case of a `receive` inside of one.
    pub(super) fn check_function(&mut self, body: &mut Body, fun: FunId) {
        let ast = self.ast;
        let decl = &ast.funs[fun.index()];
        body.scopes.push(FxHashMap::default());
        let params: Vec<_> = decl.params.iter().map(|p| p.name).zip(self.param_types(fun)).collect();
        let params = params
            .into_iter()
            .map(|(name, ty)| Local { slot: self.declare_local(body, name, ty), ty })
            .collect();
        self.info.funs[fun.index()].params = params;
        if let Some(block) = &decl.body {
            for var in &block.vars {
                let ty = self.ty(var.ty);
                for name in &var.names {
                    let slot = self.declare_local(body, *name, ty);
                    self.info.funs[fun.index()].vars.push(Local { slot, ty });
                }
            }
            for stmt in &block.stmts {
                self.stmt(body, *stmt);
            }
            let returns = block.stmts.iter().any(|s| self.surely_returns(*s));
            if !returns && self.info.funs[fun.index()].ret != Types::NULL && fun == body.fun {
                let message = "not all paths of this function return a value";
                self.error(codes::NO_RETURN, decl.span, message);
            }
        }
        body.scopes.pop();
    }

    fn declare_local(&mut self, body: &mut Body, name: Name, ty: Ty) -> u32 {
        self.reject_parameter(name);
        let slot = body.slots.len() as u32;
        body.slots.push(Slot { name: name.sym, ty });
        let scope = body.scopes.last_mut().expect("a function has a scope");
        if scope.insert(name.sym, slot).is_some() {
            let message = format!("the variable `{}` is declared twice", self.text(name.sym));
            self.report(Diagnostic::new(Code::DUPLICATE, name.span, message));
        }
        slot
    }

    /// The variable of this name and its type.
    pub(super) fn variable(&self, body: Option<&Body>, name: Sym) -> Option<(Use, Ty)> {
        if let Some(body) = body {
            if let Some(slot) = body.scopes.iter().rev().find_map(|s| s.get(&name)) {
                return Some((Use::Local(*slot), body.slots[*slot as usize].ty));
            }
            let field = body.owner.and_then(|m| Some((m, self.members[m].fields.get(&name)?)));
            if let Some((machine, field)) = field {
                let ty = self.info.machines[machine].fields[*field as usize].ty;
                return Some((Use::Field(*field), ty));
            }
        }
        let param = self.globals.params.get(&name)?;
        Some((Use::Param(*param), self.info.params[*param as usize].ty))
    }

    /// The names of variables, for suggestions.
    pub(super) fn variable_names(&self, body: Option<&Body>) -> Vec<Sym> {
        let mut names: Vec<Sym> = self.globals.params.keys().copied().collect();
        if let Some(body) = body {
            names.extend(body.slots.iter().map(|s| s.name));
            names.extend(body.owner.iter().flat_map(|m| self.members[*m].fields.keys()));
        }
        names
    }

    /// Returns true if all paths through the statement return or change state.
    fn surely_returns(&self, stmt: StmtId) -> bool {
        dally_text::stack::grow(|| match &self.ast.stmts[stmt.index()].kind {
            StmtKind::Block(stmts) => stmts.iter().any(|s| self.surely_returns(*s)),
            StmtKind::If(_, then, Some(other)) => self.surely_returns(*then) && self.surely_returns(*other),
            StmtKind::Return(_) | StmtKind::Goto(..) | StmtKind::Raise(..) => true,
            StmtKind::Assert(condition, _) | StmtKind::Assume(condition, _) => {
                matches!(self.ast.exprs[condition.index()].kind, crate::ast::ExprKind::Bool(false))
            }
            StmtKind::Receive(cases) => cases.iter().all(|case| {
                let body = self.ast.funs[case.fun.index()].body.as_ref();
                body.is_some_and(|b| b.stmts.iter().any(|s| self.surely_returns(*s)))
            }),
            _ => false,
        })
    }
}
