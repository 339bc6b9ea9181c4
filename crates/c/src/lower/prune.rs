//! Removes what the program does not use of the runtime.

use dally_bpl::ast::{
    Access, Ast, Attrs, BinderKind, Block, Decl, DeclKind, Expr, ExprId, ExprList, Stmt, StmtKind,
    for_each_stmt_mut,
};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

/// Statements of the runtime have no place in the program.
pub(super) fn remove_spans(decls: &mut [Decl]) {
    for decl in decls {
        decl.span = Span::NONE;
        if let DeclKind::Procedure(p) = &mut decl.kind
            && let Some(body) = &mut p.body
        {
            for_each_stmt_mut(&mut body.block, &mut |stmt: &mut Stmt| {
                stmt.span = Span::NONE;
                stmt.id = None;
            });
        }
    }
}

/// Removes the attributes that let a search renumber the objects of the heap.
pub(super) fn hide_heap(ast: &mut Ast) {
    for decl in &mut ast.decls {
        let kept = decl.attrs.iter().filter(|a| !ast.symbols.text(a.name).starts_with("heap_")).cloned();
        decl.attrs = kept.collect::<Attrs>();
    }
}

/// Removes the declarations that the entry point does not reach, and assignments to variables that are never read.
/// Returns true if objects are allocated at run time. A search may renumber them if `numbers_move`.
pub(super) fn prune(ast: &mut Ast, numbers_move: bool) -> bool {
    let mut read = read_globals(ast);
    let allocate = ast.symbols.get("$allocate").filter(|name| reachable(ast).contains(name));
    if allocate.is_some() && numbers_move {
        // Only the search reads it.
        read.extend(ast.symbols.get("$fixed"));
    }
    let unused: FxHashSet<Sym> = ast
        .decls
        .iter()
        .filter_map(|d| match &d.kind {
            DeclKind::Var(v) => Some(v.name.name),
            _ => None,
        })
        .filter(|name| ast.text(*name).starts_with('$') && !read.contains(name))
        .collect();
    for decl in &mut ast.decls {
        if let DeclKind::Procedure(p) = &mut decl.kind
            && let Some(body) = &mut p.body
        {
            remove_assignments(&mut body.block, &unused);
        }
    }
    let used = reachable(ast);
    ast.decls.retain(|d| match &d.kind {
        DeclKind::Var(v) => used.contains(&v.name.name) && !unused.contains(&v.name.name),
        DeclKind::Function(f) => used.contains(&f.name.name),
        DeclKind::Procedure(p) => used.contains(&p.signature.name.name),
        _ => true,
    });
    allocate.is_some()
}

/// Removes assignments to unused variables, and conditionals that have nothing left.
fn remove_assignments(block: &mut Block, unused: &FxHashSet<Sym>) {
    block.stmts.retain_mut(|stmt| match &mut stmt.kind {
        StmtKind::Assign(targets, _) => !targets.iter().all(|t| unused.contains(&t.base.name)),
        StmtKind::If(conditional) => {
            let mut blocks: Vec<&mut Block> = conditional.branches.iter_mut().map(|b| &mut b.block).collect();
            blocks.extend(&mut conditional.otherwise);
            let had_stmts = blocks.iter().any(|b| !b.stmts.is_empty());
            blocks.iter_mut().for_each(|b| remove_assignments(b, unused));
            !had_stmts || blocks.iter().any(|b| !b.stmts.is_empty())
        }
        StmtKind::While(w) => {
            remove_assignments(&mut w.body, unused);
            true
        }
        _ => true,
    });
}

/// The names that expressions of reachable procedures mention: globals that are only assigned to are not read.
fn read_globals(ast: &Ast) -> FxHashSet<Sym> {
    let reached = reachable(ast);
    let mut read = FxHashSet::default();
    for decl in &ast.decls {
        let DeclKind::Procedure(p) = &decl.kind else { continue };
        if !reached.contains(&p.signature.name.name) {
            continue;
        }
        let Some(body) = &p.body else { continue };
        each_stmt(&body.block, &mut |stmt| {
            for e in expressions(ast, stmt) {
                names(ast, e, &mut read);
            }
        });
    }
    read
}

/// The declarations that are used, by name, from the entry point on.
fn reachable(ast: &Ast) -> FxHashSet<Sym> {
    let mut by_name: FxHashMap<Sym, Vec<usize>> = FxHashMap::default();
    for (index, decl) in ast.decls.iter().enumerate() {
        let name = match &decl.kind {
            DeclKind::Var(v) => v.name.name,
            DeclKind::Function(f) => f.name.name,
            DeclKind::Procedure(p) => p.signature.name.name,
            _ => continue,
        };
        by_name.entry(name).or_default().push(index);
    }
    let mut found: FxHashSet<Sym> = FxHashSet::default();
    let is_entry = |decl: &&Decl| ast.attr(&decl.attrs, "entrypoint").is_some();
    let entries = ast.decls.iter().filter(is_entry).filter_map(|decl| match &decl.kind {
        DeclKind::Procedure(p) => Some(p.signature.name.name),
        _ => None,
    });
    let mut todo: Vec<Sym> = entries.collect();
    while let Some(name) = todo.pop() {
        if !found.insert(name) {
            continue;
        }
        for index in by_name.get(&name).into_iter().flatten() {
            let mut mentioned = FxHashSet::default();
            mentions(ast, &ast.decls[*index].kind, &mut mentioned);
            todo.extend(mentioned);
        }
    }
    found
}

fn mentions(ast: &Ast, kind: &DeclKind, found: &mut FxHashSet<Sym>) {
    match kind {
        DeclKind::Function(f) => f.body.into_iter().for_each(|body| names(ast, body, found)),
        DeclKind::Procedure(p) => {
            let Some(body) = &p.body else { return };
            each_stmt(&body.block, &mut |stmt| {
                match &stmt.kind {
                    StmtKind::Call(call) => {
                        found.insert(call.procedure.name);
                    }
                    StmtKind::Async(post) => {
                        found.insert(post.procedure.name);
                    }
                    _ => {}
                }
                found.extend(stmt.kind.accesses(&ast.exprs).assigned.iter().map(|v| v.name));
                expressions(ast, stmt).into_iter().for_each(|e| names(ast, e, found));
            });
        }
        _ => {}
    }
}

/// The expressions of a statement, those of its attributes included.
fn expressions(ast: &Ast, stmt: &Stmt) -> Vec<ExprId> {
    let mut all = match &stmt.kind {
        // An element of a map that is assigned to is not read.
        StmtKind::Assign(targets, values) => {
            let mut all = list(ast, *values);
            for access in targets.iter().flat_map(|t| &t.path) {
                if let Access::Index(indices, _) = access {
                    all.extend(list(ast, *indices));
                }
            }
            all
        }
        kind => kind.accesses(&ast.exprs).evaluated,
    };
    let args = stmt.attrs.iter().flat_map(|a| &a.args);
    all.extend(args.filter_map(|arg| match arg {
        dally_bpl::ast::AttrArg::Expr(e) => Some(*e),
        dally_bpl::ast::AttrArg::Str(_) => None,
    }));
    all
}

fn list(ast: &Ast, list: ExprList) -> Vec<ExprId> {
    ast.exprs.list(list).to_vec()
}

fn names(ast: &Ast, e: ExprId, found: &mut FxHashSet<Sym>) {
    ast.exprs.any(e, &mut |part| {
        match ast.exprs[part] {
            Expr::Name(name) | Expr::Call(name, _) => {
                found.insert(name);
            }
            Expr::Binder(binder) => {
                debug_assert_eq!(
                    ast.exprs.binder(binder).kind,
                    BinderKind::Lambda,
                    "the lowering has no quantifiers"
                );
            }
            _ => {}
        }
        false
    });
}

/// Calls `f` for each statement of a block and of the blocks inside it.
fn each_stmt<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in &block.stmts {
        f(stmt);
        match &stmt.kind {
            StmtKind::If(conditional) => {
                conditional.branches.iter().for_each(|b| each_stmt(&b.block, f));
                conditional.otherwise.iter().for_each(|b| each_stmt(b, f));
            }
            StmtKind::While(w) => each_stmt(&w.body, f),
            _ => {}
        }
    }
}
