//! The axioms that are sent to the solver.
//!
//! An axiom is asserted when a symbol that it mentions is used; an axiom with triggers, when all symbols of one trigger are.
//! Boogie prunes axioms in the same way. An axiom that compares values of a type may restrict how many there are, so it
//! mentions the type as well. An axiom about nothing but datatypes is asserted when one of them is used.

use dally_bpl::Program;
use dally_bpl::ast::{BinaryOp, DeclKind, Expr, ExprId};
use dally_bpl::check::{FunctionId, FunctionInfo, Ref, Ty, TyKind, VarId, VarKind, components};
use dally_text::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::Scope;
use crate::inline::NoAnswer;
use crate::logic::{Found, Logic, Symbol};
use crate::term::Term;

impl Logic<'_> {
    /// True if axioms describe a function: it is recursive, or a trigger mentions it.
    pub(crate) fn find_axiomatic(&mut self) {
        let (ast, info) = (&self.program.ast, &self.program.info);
        let mut calls: Vec<Vec<u32>> = vec![Vec::new(); info.functions.len()];
        for (id, function) in info.functions.iter().enumerate() {
            if let Some(body) = body_of(self.program, function) {
                self.visit(body, &mut |logic, e| {
                    if let Some(Ref::Function(callee)) = logic.program.info.meaning(e) {
                        calls[id].push(callee.index() as u32);
                    }
                });
            }
        }
        let recursive = components(&calls);
        let by_index: FxHashMap<usize, FunctionId> = ast
            .exprs
            .ids()
            .filter_map(|e| match info.meaning(e) {
                Some(Ref::Function(f)) => Some((f.index(), f)),
                _ => None,
            })
            .collect();
        for component in recursive {
            let cyclic = component.len() > 1 || calls[component[0] as usize].contains(&component[0]);
            if cyclic {
                self.axiomatic.extend(component.iter().filter_map(|f| by_index.get(&(*f as usize))));
            }
        }
        for e in ast.exprs.ids() {
            let Expr::Binder(binder) = ast.exprs[e] else { continue };
            for pattern in ast.exprs.binder(binder).triggers.iter().flat_map(|t| ast.exprs.list(t.exprs)) {
                self.visit(*pattern, &mut |logic, e| {
                    if let Some(Ref::Function(f)) = logic.program.info.meaning(e) {
                        logic.axiomatic.insert(f);
                    }
                });
            }
        }
    }

    fn visit(&mut self, root: ExprId, f: &mut dyn FnMut(&mut Self, ExprId)) {
        let program = self.program;
        program.ast.exprs.any(root, &mut |e| {
            f(self, e);
            false
        });
    }

    pub(crate) fn collect_axioms(&mut self) -> Found<()> {
        let program = self.program;
        let mut found: Vec<ExprId> = Vec::new();
        for decl in &program.ast.decls {
            match &decl.kind {
                DeclKind::Axiom(axiom) => found.push(axiom.expr),
                DeclKind::Const(c) => found.extend(c.uses.iter().map(|used| used.axiom.expr)),
                DeclKind::Function(f) => found.extend(f.uses.iter().map(|used| used.axiom.expr)),
                _ => {}
            }
        }
        for (index, axiom) in found.iter().enumerate() {
            self.waiting.push(Some(*axiom));
            let groups = self.waits_for(*axiom);
            let at_once = groups.is_empty() || groups.iter().any(FxHashSet::is_empty);
            for group in groups {
                for what in &group {
                    self.about.entry(*what).or_default().push(self.groups.len());
                }
                self.groups.push((group.len(), index));
            }
            if at_once {
                self.assert_axiom(index)?;
            }
        }
        Ok(())
    }

    /// The groups of symbols of an axiom: it matters once all symbols of one group are in use.
    fn waits_for(&mut self, axiom: ExprId) -> Vec<FxHashSet<Symbol>> {
        let program = self.program;
        let exprs = &program.ast.exprs;
        let triggers: Vec<Vec<ExprId>> = match exprs[axiom] {
            Expr::Binder(binder) => {
                let triggers = exprs.binder(binder).triggers.iter().filter(|t| t.positive);
                triggers.map(|t| exprs.list(t.exprs).to_vec()).collect()
            }
            _ => Vec::new(),
        };
        if triggers.is_empty() {
            let mentioned = self.relevant(&[axiom]);
            let limited = if mentioned.is_empty() { FxHashSet::default() } else { self.limited(axiom) };
            return mentioned.into_iter().chain(limited).map(|s| [s].into_iter().collect()).collect();
        }
        triggers.iter().map(|t| self.relevant(t)).collect()
    }

    /// True if a function is interpreted by the solver: a constructor, or a built-in.
    fn is_given(&self, id: FunctionId) -> bool {
        let (ast, function) = (&self.program.ast, &self.program.info[id]);
        let is_built_in = |attrs| ["bvbuiltin", "builtin"].iter().any(|name| ast.attr(attrs, name).is_some());
        function.constructs.is_some() || ast.decls.get(function.decl).is_some_and(|d| is_built_in(&d.attrs))
    }

    /// The constants and functions in expressions; if there are none, the datatypes.
    fn relevant(&mut self, roots: &[ExprId]) -> FxHashSet<Symbol> {
        let mut symbols = self.mentioned(roots);
        if symbols.iter().any(|symbol| !matches!(symbol, Symbol::Type(_))) {
            symbols.retain(|symbol| !matches!(symbol, Symbol::Type(_)));
        }
        symbols
    }

    /// The constants, functions and datatypes in expressions, without functions that the solver interprets, which are always in
    /// use.
    fn mentioned(&mut self, roots: &[ExprId]) -> FxHashSet<Symbol> {
        let mut mentioned = FxHashSet::default();
        for root in roots {
            self.visit(*root, &mut |logic, e| {
                let info = &logic.program.info;
                match info.meaning(e) {
                    Some(Ref::Var(v)) if matches!(info[v].kind, VarKind::Const { .. }) => {
                        mentioned.insert(Symbol::Constant(v));
                    }
                    Some(Ref::Function(f)) if !logic.is_given(f) => {
                        mentioned.insert(Symbol::Function(f));
                    }
                    _ => match info.types.kind(info.type_of(e)) {
                        TyKind::Con(con, _) if info.datatypes.contains_key(con) => {
                            mentioned.insert(Symbol::Type(*con));
                        }
                        _ => {}
                    },
                }
            });
        }
        mentioned
    }

    /// The uninterpreted types whose values an expression compares, directly or inside other values. No other expression
    /// restricts how many values they have.
    fn limited(&mut self, root: ExprId) -> FxHashSet<Symbol> {
        let mut types: Vec<Ty> = Vec::new();
        self.visit(root, &mut |logic, e| {
            if let Expr::Binary(BinaryOp::Eq | BinaryOp::Neq, left, _) = logic.program.ast.exprs[e] {
                types.push(logic.program.info.type_of(left));
            }
        });
        let info = &self.program.info;
        let (mut seen, mut limited) = (FxHashSet::default(), FxHashSet::default());
        while let Some(ty) = types.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match info.types.kind(ty) {
                TyKind::Con(con, args) => {
                    types.extend(args);
                    match info.datatypes.get(con) {
                        Some(datatype) => {
                            let constructors = datatype.constructors.iter().map(|c| &info[c.function]);
                            types.extend(constructors.flat_map(|constructor| &constructor.params));
                        }
                        None => {
                            limited.insert(Symbol::Type(*con));
                        }
                    }
                }
                TyKind::Map(_, indices, value) => types.extend(indices.iter().chain([value])),
                _ => {}
            }
        }
        limited
    }

    /// True if an axiom is asserted, or matters to the symbols in use.
    pub(crate) fn uses_axioms(&mut self) -> bool {
        let waiting: Vec<ExprId> = self.waiting.iter().flatten().copied().collect();
        waiting.len() < self.waiting.len() || waiting.into_iter().any(|axiom| self.matters(axiom))
    }

    /// True if an axiom matters to the symbols in use. It does if it mentions a constant or function of which the solver knows
    /// only axioms, or no symbol at all, so that it is valid or contradictory; or a constant that differs from one in use; or the
    /// number of values of a type. An inlined function counts as the symbols of its body; triggers do not count.
    fn matters(&mut self, axiom: ExprId) -> bool {
        let exprs = &self.program.ast.exprs;
        let body = match exprs[axiom] {
            Expr::Binder(binder) => exprs.binder(binder).body,
            _ => axiom,
        };
        let (mut todo, mut seen, mut of_others) = (vec![body], FxHashSet::default(), false);
        while let Some(e) = todo.pop() {
            if self.limited(e).iter().any(|symbol| self.used.contains(symbol)) {
                return true;
            }
            for symbol in self.mentioned(&[e]) {
                if !seen.insert(symbol) {
                    continue;
                }
                match symbol {
                    Symbol::Constant(v) if self.differs_from_used(v) => return true,
                    Symbol::Function(f) if self.is_replaced(f) => {
                        todo.extend(body_of(self.program, &self.program.info[f]));
                    }
                    _ if self.used.contains(&symbol) => return true,
                    _ => of_others = true,
                }
            }
        }
        !of_others
    }

    /// True if a constant is unique, and another one of its type is in use.
    fn differs_from_used(&self, constant: VarId) -> bool {
        let info = &self.program.info[constant];
        info.kind == (VarKind::Const { unique: true }) && self.uses_unique(info.ty)
    }

    /// True if a function is inlined.
    pub(crate) fn is_replaced(&self, id: FunctionId) -> bool {
        body_of(self.program, &self.program.info[id]).is_some() && !self.axiomatic.contains(&id)
    }

    /// Adds a formula that holds in every execution.
    pub(crate) fn state(&mut self, fact: Term) {
        self.axioms.push(fact);
        self.stated.push(fact);
    }

    pub(crate) fn assert_axiom(&mut self, index: usize) -> Found<()> {
        let Some(axiom) = self.waiting[index].take() else { return Ok(()) };
        let term = self.without_witnesses(|logic| logic.expr(axiom, &mut Scope::stateless()))?;
        self.state(term);
        Ok(())
    }

    /// Asserts the axioms that mention symbols in use although their triggers do not occur.
    pub(crate) fn assert_left_out(&mut self) -> Found<Late> {
        let exprs = &self.program.ast.exprs;
        let before = self.waiting.clone();
        let (mut asserted, mut left_out) = (Vec::new(), Vec::new());
        let mut index = 0;
        while index < self.waiting.len() {
            let matters = self.waiting[index].filter(|axiom| self.matters(*axiom));
            index += 1;
            let Some(axiom) = matters else { continue };
            match self.assert_axiom(index - 1) {
                Ok(()) => {
                    asserted.push(exprs.span(axiom));
                    // It may use symbols that further axioms mention.
                    index = 0;
                }
                Err(NoAnswer::Unsupported(_)) => left_out.push(exprs.span(axiom)),
                Err(other) => return Err(other),
            }
        }
        // Includes the axioms that were waiting for the symbols that are used only now.
        let new = before.iter().zip(&self.waiting).filter_map(|(old, now)| old.filter(|_| now.is_none()));
        let has_quantifier = |axiom| exprs.any(axiom, &mut |e| matches!(exprs[e], Expr::Binder(_)));
        let quantified = new.into_iter().any(has_quantifier);
        Ok(Late { asserted, left_out, quantified })
    }

    pub(crate) fn used(&mut self, what: Symbol) -> Found<()> {
        self.used.insert(what);
        for group in self.about.remove(&what).unwrap_or_default() {
            let (missing, axiom) = &mut self.groups[group];
            *missing -= 1;
            if *missing == 0 {
                let axiom = *axiom;
                self.assert_axiom(axiom)?;
            }
        }
        Ok(())
    }
}

/// Axioms that were left out at first, by their places in the text.
pub(crate) struct Late {
    /// The axioms that are asserted now.
    pub(crate) asserted: Vec<Span>,
    /// The axioms that cannot be asserted.
    pub(crate) left_out: Vec<Span>,
    /// True if an axiom that is asserted now has a quantifier.
    pub(crate) quantified: bool,
}

/// The body of a function.
fn body_of(program: &Program, function: &FunctionInfo) -> Option<ExprId> {
    match program.ast.decls.get(function.decl).map(|d| &d.kind) {
        Some(DeclKind::Function(f)) if function.constructs.is_none() => f.body,
        _ => None,
    }
}
