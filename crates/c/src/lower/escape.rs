//! Escape analysis: which variables must be in memory, because code that is not known here may get their address.
//!
//! An address does not escape by a subscript, a member access, or a test for null; nor as an argument of a builtin that
//! takes a place, or of a library function that does no more with its parameter.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use super::analysis::root_global;
use super::stmt::root_local;
use crate::hir::walk::{children, statements};
use crate::hir::{
    BinaryOp, Builtin, Expr, ExprKind, FunctionId, GlobalId, LocalId, Program, Stmt, StmtKind, UnaryOp,
};
use crate::types::Type;

/// The variables whose address escapes.
#[derive(Debug, Default)]
pub(super) struct Escapes {
    pub(super) globals: FxHashSet<GlobalId>,
    pub(super) locals: FxHashSet<(FunctionId, LocalId)>,
}

/// The use of the value of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// Anything.
    Value,
    /// It is dereferenced.
    Place,
    /// It is compared with null.
    Test,
}

struct Walk<'a> {
    program: &'a Program,
    function: FunctionId,
    /// The parameters of library functions whose pointers are not only dereferenced.
    kept: FxHashSet<(FunctionId, LocalId)>,
    escapes: Escapes,
}

pub(super) fn escapes(program: &Program, reachable: &BTreeSet<FunctionId>) -> Escapes {
    let mut walk =
        Walk { program, function: FunctionId(0), kept: FxHashSet::default(), escapes: Escapes::default() };
    // A parameter is kept if it is passed to one that is: repeat until nothing changes.
    loop {
        let before = walk.kept.len();
        reachable.iter().filter(|f| program.functions[f.index()].library).for_each(|f| walk.function(*f));
        if walk.kept.len() == before {
            break;
        }
    }
    walk.escapes = Escapes::default();
    reachable.iter().for_each(|f| walk.function(*f));
    for part in program.globals.iter().flat_map(|g| &g.init).flat_map(|i| &i.parts) {
        walk.visit(&part.value, Use::Value);
    }
    walk.escapes
}

impl Walk<'_> {
    fn function(&mut self, id: FunctionId) {
        self.function = id;
        let program = self.program;
        self.statements(program.functions[id.index()].body.as_deref().unwrap_or(&[]));
    }

    fn statements(&mut self, stmts: &[Stmt]) {
        statements(stmts, &mut |stmt| match &stmt.kind {
            StmtKind::Expr(e)
            | StmtKind::If(e, ..)
            | StmtKind::While(e, _)
            | StmtKind::DoWhile(_, e)
            | StmtKind::Switch(e, _) => self.visit(e, Use::Test),
            StmtKind::For(condition, step, _) => {
                condition.iter().chain(step).for_each(|e| self.visit(e, Use::Test));
            }
            StmtKind::Declare(_, init) => {
                init.iter().flat_map(|i| &i.parts).for_each(|part| self.visit(&part.value, Use::Value));
            }
            StmtKind::Vla(_, e) | StmtKind::Return(Some(e)) => self.visit(e, Use::Value),
            _ => {}
        });
    }

    fn visit(&mut self, e: &Expr, used: Use) {
        dally_text::stack::grow(|| self.visit_node(e, used));
    }

    fn visit_node(&mut self, e: &Expr, used: Use) {
        match &e.kind {
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => {
                if used == Use::Value {
                    self.escape(lvalue);
                }
                self.lvalue(lvalue);
            }
            ExprKind::Load(lvalue) => {
                if let (ExprKind::Local(local), Use::Value) = (&lvalue.kind, used) {
                    self.kept.insert((self.function, *local));
                }
                self.lvalue(lvalue);
            }
            ExprKind::Cast(inner) => {
                let same = self.same_target(inner, e);
                self.visit(inner, if same || used == Use::Test { used } else { Use::Value });
            }
            ExprKind::PointerAdd(pointer, n) => {
                let is_element = match &pointer.kind {
                    ExprKind::Decay(_) | ExprKind::PointerAdd(..) => true,
                    ExprKind::AddressOf(lvalue) => matches!(lvalue.kind, ExprKind::Deref(_)),
                    _ => false,
                };
                self.visit(pointer, if is_element && used == Use::Place { Use::Place } else { Use::Value });
                self.visit(n, Use::Value);
            }
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                self.visit(a, if is_null(b) { Use::Test } else { Use::Value });
                self.visit(b, if is_null(a) { Use::Test } else { Use::Value });
            }
            ExprKind::Unary(UnaryOp::Not, a) => self.visit(a, Use::Test),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.visit(a, Use::Test);
                self.visit(b, Use::Test);
            }
            ExprKind::Conditional(c, a, b) => {
                self.visit(c, if a.is_some() { Use::Test } else { Use::Value });
                a.iter().for_each(|a| self.visit(a, Use::Value));
                self.visit(b, Use::Value);
            }
            ExprKind::Comma(a, b) => {
                self.visit(a, Use::Test);
                self.visit(b, used);
            }
            ExprKind::Call(callee, args) => self.call(callee, args),
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args),
            ExprKind::Assign(target, value) => {
                self.lvalue(target);
                self.visit(value, Use::Value);
            }
            ExprKind::Update(update) => {
                self.lvalue(&update.target);
                self.visit(&update.operand, Use::Value);
            }
            ExprKind::Block(stmts) => {
                self.statements(stmts);
                // The last expression is the value.
                if let Some(Stmt { kind: StmtKind::Expr(value), .. }) = stmts.last() {
                    self.visit(value, Use::Value);
                }
            }
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::String(_)
            | ExprKind::Deref(_)
            | ExprKind::Member(..)
            | ExprKind::Compound(..) => self.lvalue(e),
            _ => children(e, &mut |child| self.visit(child, Use::Value)),
        }
    }

    fn lvalue(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Deref(pointer) => self.visit(pointer, Use::Place),
            ExprKind::Member(record, _) => self.lvalue(record),
            ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::String(_) => {}
            ExprKind::Compound(_, init) => init.parts.iter().for_each(|p| self.visit(&p.value, Use::Value)),
            _ => self.visit(e, Use::Value),
        }
    }

    fn escape(&mut self, lvalue: &Expr) {
        self.escapes.globals.extend(root_global(lvalue));
        self.escapes.locals.extend(root_local(lvalue).map(|l| (self.function, l)));
    }

    /// Returns true if a conversion does not change the type of the target of a pointer.
    fn same_target(&self, from: &Expr, to: &Expr) -> bool {
        let types = &self.program.types;
        match (types.pointee(from.ty), types.pointee(to.ty)) {
            (Some(a), Some(b)) => types.unqualified(a) == types.unqualified(b),
            _ => false,
        }
    }

    fn call(&mut self, callee: &Expr, args: &[Expr]) {
        let ExprKind::Function(id) = callee.kind else {
            self.visit(callee, Use::Value);
            return args.iter().for_each(|a| self.visit(a, Use::Value));
        };
        let function = &self.program.functions[id.index()];
        for (number, arg) in args.iter().enumerate() {
            let param = function.params.get(number);
            let is_place = function.library
                && function.body.is_some()
                && param.is_some_and(|p| {
                    let target = self.program.types.pointee(function.locals[p.index()].ty);
                    let types = &self.program.types;
                    let complete =
                        target.is_some_and(|t| !matches!(types.get(types.unqualified(t)), Type::Void));
                    complete && !self.kept.contains(&(id, *p))
                });
            self.visit(arg, if is_place { Use::Place } else { Use::Value });
        }
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Expr]) {
        let places = match builtin {
            Builtin::AtomicLoad
            | Builtin::AtomicStore
            | Builtin::AtomicExchange
            | Builtin::AtomicFetch(_)
            | Builtin::AtomicFetchNand
            | Builtin::AtomicNandFetch
            | Builtin::AtomicUpdate(_)
            | Builtin::SyncValCas
            | Builtin::SyncBoolCas => 1,
            Builtin::AtomicCompareExchange => 2,
            _ => 0,
        };
        for (number, arg) in args.iter().enumerate() {
            let used = match builtin {
                _ if number < places => Use::Place,
                Builtin::Check | Builtin::Await | Builtin::Assume | Builtin::Restrict | Builtin::Fence => {
                    Use::Test
                }
                _ => Use::Value,
            };
            self.visit(arg, used);
        }
    }
}

fn is_null(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(0) => true,
        ExprKind::Cast(inner) => is_null(inner),
        _ => false,
    }
}
