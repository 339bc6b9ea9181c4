//! Passes that all translations start with: constructs that are reduced to simpler statements.
//!
//! - `call {:async} r := p(e);` with an `r` of the result's type, as Corral has it: `r` gets an arbitrary value.
//! - `assume {:await} e;` is passed if `e` holds; otherwise the task blocks, which lets others run, until it does.
//! - `/` of integers, as programs without reals have it, is `div`: other tools read it as a division of reals.
//! - Seals restrict which schedules a search looks at, not what a program does: they are dropped.
//! - A program with several entry points in one buffer gets one that posts them all.

use dally_bpl::ast::{
    Ast, Async, Attrs, BinaryOp, Expr, Guard, If, LoopSpec, LoopSpecKind, Role, Stmt, StmtKind, VarDecl,
    for_each_stmt_mut,
};
use dally_bpl::check::{Info, Ty, TyKind, VarId};
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::{self, stmt};
use crate::ends::ENDS;
use crate::unit::{Entry, Unit};

/// Goes through the bodies as they were read.
pub(crate) fn odds_and_ends(unit: &mut Unit, info: &Info) {
    let mut decls = std::mem::take(&mut unit.ast.decls);
    let mut elsewhere = None;
    let daemon = unit.ast.symbols.get("daemon");
    for (index, decl) in decls.iter_mut().enumerate() {
        let vars = info.bodies.get(&index).into_iter();
        let vars = vars.flat_map(|b| b.ins.iter().chain(&b.outs).chain(&b.locals));
        let locals: FxHashMap<Sym, VarId> = vars.map(|v| (info[*v].name, *v)).collect();
        let is_task = |name: Sym| {
            let var = locals.get(&name).copied().or_else(|| info.global(name));
            var.is_some_and(|v| matches!(info.types.kind(info[v].ty), TyKind::Task(_)))
        };
        let Some(body) = build::body_mut(decl) else { continue };
        build::rewrite(&mut body.block, &mut |mut s, out| match &mut s.kind {
            StmtKind::Seal | StmtKind::Unseal => {}
            // A task that may wait forever may as well end.
            StmtKind::Await(_) if s.attrs.iter().any(|a| Some(a.name) == daemon) => {
                let branches = vec![build::branch(Guard::Any, vec![stmt(StmtKind::Return)])];
                out.push(stmt(StmtKind::If(Box::new(If { branches, otherwise: None }))));
                out.push(s);
            }
            StmtKind::Async(post) => {
                if post.buffer.is_some() && elsewhere.is_none() {
                    elsewhere = Some(s.span);
                }
                let arbitrary = post.handle.take_if(|h| !is_task(h.name));
                out.push(s);
                out.extend(build::havoc(&arbitrary.map(|h| h.name).into_iter().collect::<Vec<_>>()));
            }
            _ => out.push(s),
        });
    }
    unit.ast.decls = decls;
    if let Some(span) = elsewhere {
        let help = "`dally check` explores such posts; in a translation, a task posts to its own buffer";
        unit.unsupported(span, "a post to another buffer", help);
    }
}

/// Removes `:hot`: infinite executions are not translated.
pub(crate) fn heat(ast: &mut Ast) {
    let Some(hot) = ast.symbols.get("hot") else { return };
    ast.decls.iter_mut().for_each(|decl| decl.attrs = decl.attrs.without(hot));
}

/// `/` of integers that gives an integer becomes `div`.
pub(crate) fn old_division(ast: &mut Ast, info: &Info) {
    for e in ast.exprs.ids() {
        if matches!(ast.exprs[e], Expr::Binary(BinaryOp::RealDiv, ..)) && info.type_of(e) == Ty::INT {
            ast.exprs.set_operator(e, BinaryOp::Div);
        }
    }
}

/// Reports statements of code expressions that would have to be translated: in the middle of an expression no task can be
/// switched, and no flag raised.
pub(crate) fn code_expressions(unit: &mut Unit) {
    let ids = unit.ast.exprs.ids().filter_map(|e| match unit.ast.exprs[e] {
        Expr::Code(code) => Some(code),
        _ => None,
    });
    let is_invariant = |spec: &LoopSpec| matches!(spec.kind, LoopSpecKind::Invariant { .. });
    let mut found = Vec::new();
    for id in ids {
        let mut block = unit.ast.exprs.code(id).block.clone();
        for_each_stmt_mut(&mut block, &mut |s| {
            let what = match &s.kind {
                StmtKind::Async(_) => "a post",
                StmtKind::Wait(..) => "a wait",
                StmtKind::Yield | StmtKind::Zield => "a yield",
                StmtKind::Await(_) => "an await",
                StmtKind::AtomicBegin | StmtKind::AtomicEnd => "an atomic section",
                StmtKind::Assert(_) => "an assertion",
                StmtKind::Call(_) => "a call",
                StmtKind::While(w) if w.specs.iter().any(is_invariant) => "a loop invariant",
                _ => return,
            };
            found.push((s.span, what));
        });
    }
    for (span, what) in found {
        let help = "make it a statement before the one that has the code expression";
        unit.unsupported(span, format!("{what} in a code expression"), help);
    }
}

/// `assume {:await} e;` becomes `if (!e) { yield; assume e; }`, with a `zield` after the `yield` where there are several
/// buffers: it may be the task of another buffer that makes `e` hold. The `yield` keeps the attribute `{:ends n}`.
pub(crate) fn awaits(unit: &mut Unit, levels: bool) {
    let several = levels && unit.has_several_buffers();
    build::rewrite_bodies(&mut unit.ast, |ast, s, out| {
        let StmtKind::Await(condition) = s.kind else { return out.push(s) };
        let again = ast.copy_expr(condition);
        let blocked = build::not(ast, condition);
        let mut kept = build::assume(again);
        let ends = ast.attr(&s.attrs, ENDS).filter(|_| !levels).cloned();
        (kept.attrs, kept.span) = (s.attrs, s.span);
        let mut pause = vec![Stmt { attrs: ends.into_iter().collect(), ..stmt(StmtKind::Yield) }];
        pause.extend(several.then(|| stmt(StmtKind::Zield)));
        pause.push(kept);
        let mut lowered = build::when(blocked, pause);
        lowered.span = s.span;
        out.push(lowered);
    });
}

/// Lets each posted task be postponed before it begins: such programs are reorderable in the sense of [FSE12 §3.1].
///
/// There, the first statement is `while (*) { yield; }`; here, one yield lets a task move on by any number of rounds. A procedure
/// that is also called gets a version for tasks, `p$later`: in the paper no procedure is both called and posted.
pub(crate) fn make_reorderable(unit: &mut Unit) {
    let tasks = unit.task_procedures();
    let mut called = FxHashSet::default();
    build::each_stmt(&mut unit.ast, |_, s| {
        if let StmtKind::Call(call) = &s.kind {
            called.insert(call.procedure.name);
        }
    });
    let mut both: Vec<Sym> = tasks.intersection(&called).copied().collect();
    both.sort_unstable();
    let later: FxHashMap<Sym, Sym> = both.iter().map(|p| (*p, declare_later(unit, *p))).collect();
    build::each_stmt(&mut unit.ast, |_, s| {
        if let StmtKind::Async(post) = &mut s.kind {
            post.procedure.name = later.get(&post.procedure.name).copied().unwrap_or(post.procedure.name);
        }
    });
    for entry in &mut unit.entries {
        entry.procedure = later.get(&entry.procedure).copied().unwrap_or(entry.procedure);
    }
    build::each_body(&mut unit.ast, |_, decl| {
        if crate::unit::as_procedure(decl).is_some_and(|p| {
            tasks.contains(&p.signature.name.name) && !called.contains(&p.signature.name.name)
        }) && let Some(body) = build::body_mut(decl)
        {
            body.block.stmts.insert(0, stmt(StmtKind::Yield));
        }
    });
}

/// `procedure p$later(…)`, which yields, and then calls `p`.
fn declare_later(unit: &mut Unit, procedure: Sym) -> Sym {
    let signature = unit.procedure(procedure).map(|p| p.signature.clone());
    let ast = &mut unit.ast;
    let name = build::derive(ast, procedure, "later", Role::Wrapper);
    let Some(mut signature) = signature else { return name };
    signature.name = build::ident(name);
    (signature.ins, signature.outs) = (build::same_vars(&signature.ins), build::same_vars(&signature.outs));
    let args = build::names(ast, &build::var_names(&signature.ins));
    let call = build::call(ast, &build::var_names(&signature.outs), procedure, &args);
    build::declare_procedure(ast, signature, vec![], vec![stmt(StmtKind::Yield), call], Attrs::NONE);
    name
}

/// Initialises the variables that passes have added, at the beginning of the first entry point.
pub(crate) fn start_with(unit: &mut Unit) {
    let Some(entry) = unit.entries.first().map(|e| e.procedure) else { return };
    let ast = &mut unit.ast;
    let stmts: Vec<_> = unit.initially.iter().map(|(v, n)| build::set_int(ast, *v, *n)).collect();
    build::each_body(ast, |_, decl| {
        if crate::unit::as_procedure(decl).is_some_and(|p| p.signature.name.name == entry)
            && let Some(body) = build::body_mut(decl)
        {
            body.block.stmts.splice(0..0, stmts.iter().cloned());
        }
    });
}

/// Leaves one entry point, or reports that there are several buffers.
pub(crate) fn single_entry(unit: &mut Unit, translation: &str) -> Option<Entry> {
    let first = *unit.entries.first()?;
    if let Some(other) =
        unit.entries.iter().find(|e| e.buffer != first.buffer || e.level != first.level).copied()
    {
        let message = format!("`{translation}` knows one buffer and one level only");
        unit.unsupported(other.span, message, "the translations `buffers` and `synce` know several");
    }
    let mut leveled = None;
    build::each_stmt(&mut unit.ast, |_, s| {
        if matches!(&s.kind, StmtKind::Async(post) if post.level.is_some_and(|l| l != first.level)) {
            leveled.get_or_insert(s.span);
        }
    });
    if let Some(span) = leveled {
        let message = format!("`{translation}` knows one level only");
        unit.unsupported(span, message, "the translations `buffers` and `synce` know several");
    }
    build::rewrite_bodies(&mut unit.ast, |_, s, out| match s.kind {
        StmtKind::Zield => {}
        _ => out.push(s),
    });
    if unit.entries.len() == 1 {
        return Some(first);
    }
    let own = unit.entries.clone();
    let entry = post_all(unit, &own);
    unit.entries = vec![entry];
    Some(entry)
}

/// Posts an entry point at a level, with arbitrary arguments.
pub(crate) fn post_entry(unit: &mut Unit, entry: &Entry, level: u32, locals: &mut Vec<VarDecl>) -> Stmt {
    let ins = unit.procedure(entry.procedure).map(|p| p.signature.ins.clone()).unwrap_or_default();
    let args = arbitrary_arguments(&mut unit.ast, &ins, locals);
    let args = build::names(&mut unit.ast, &args);
    let args = unit.ast.exprs.add_list(&args);
    let procedure = build::ident(entry.procedure);
    stmt(StmtKind::Async(Box::new(Async {
        handle: None,
        result: None,
        procedure,
        args,
        level: Some(level),
        buffer: None,
    })))
}

/// Declares a procedure, at the lowest of their levels, that posts several entry points of one buffer.
pub(crate) fn post_all(unit: &mut Unit, entries: &[Entry]) -> Entry {
    let root = build::fresh(&mut unit.ast, "entries");
    let (mut stmts, mut locals) = (Vec::new(), Vec::new());
    for entry in entries {
        stmts.push(post_entry(unit, entry, entry.level, &mut locals));
    }
    build::declare_procedure(
        &mut unit.ast,
        build::signature(root, vec![], vec![]),
        locals,
        stmts,
        Attrs::NONE,
    );
    let level = entries.iter().map(|e| e.level).min().unwrap_or(0);
    Entry { procedure: root, level, ..entries[0] }
}

/// Fresh locals for the parameters of an entry point.
pub(crate) fn arbitrary_arguments(ast: &mut Ast, ins: &[VarDecl], locals: &mut Vec<VarDecl>) -> Vec<Sym> {
    let mut names = Vec::new();
    for decl in ins {
        let name = build::derive(ast, decl.var.name.name, "any", Role::Copy);
        locals.push(build::var(name, decl.var.ty, decl.attrs.clone()));
        names.push(name);
    }
    names
}
