//! Posts become calls of wrappers: `p$post` runs a task of `p` at its place in the order, and leaves everything as
//! it was.
//!
//! The figures of [POPL11], [FSE12] and [SPIN14] have this code at every post. A wrapper per posted procedure keeps
//! the output linear in the program, and its text beside the figure. For the same reason the round and the
//! guesses of the running task are globals that the wrapper keeps and puts back, where the figures make them
//! parameters and results of every procedure.

use dally_bpl::ast::{Ast, Attrs, Call, Procedure, Role, Stmt, StmtKind, VarDecl, for_each_stmt_mut};
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build;
use crate::globals::{self, Global};
use crate::tags::Position;
use crate::tasks::{self, Tasks};
use crate::unit::{Unit, as_procedure};

/// The code of a translation around the call in a wrapper.
#[derive(Debug, Default)]
pub(crate) struct Around {
    /// The variables that it needs.
    pub(crate) locals: Vec<VarDecl>,
    /// Keeps the poster's state, and sets up that of the posted task.
    pub(crate) before: Vec<Stmt>,
    /// Confirms the guesses of the posted task.
    pub(crate) after: Vec<Stmt>,
    /// Restores the poster's state.
    pub(crate) restore: Vec<Stmt>,
}

/// Adds variables that belong to the poster: they are saved and restored around the task.
pub(crate) fn keep(ast: &mut Ast, around: &mut Around, kept: &[(Sym, VarDecl)]) {
    let saves: Vec<(Sym, Sym)> = kept.iter().map(|(var, copy)| (*var, copy.var.name.name)).collect();
    around.locals.extend(kept.iter().map(|(_, copy)| copy.clone()));
    let save: Vec<(Sym, Sym)> = saves.iter().map(|(var, copy)| (*copy, *var)).collect();
    around.before.extend(build::assign(ast, &save));
    around.restore.extend(build::assign(ast, &saves));
}

/// Fresh locals that save globals.
pub(crate) fn keepers(ast: &mut Ast, vars: &[Global]) -> Vec<(Sym, VarDecl)> {
    let copies = globals::copies(ast, vars, "poster");
    vars.iter().map(|g| g.name).zip(globals::declarations(vars, &copies)).collect()
}

/// Fresh locals that save integer variables.
pub(crate) fn int_keepers(ast: &mut Ast, vars: &[Sym]) -> Vec<(Sym, VarDecl)> {
    let keeper = |ast: &mut Ast, var: Sym| {
        let name = build::derive(ast, var, "poster", Role::Copy);
        (var, build::local_int(ast, name, Attrs::NONE))
    };
    vars.iter().map(|v| keeper(ast, *v)).collect()
}

/// A post, as translations distinguish them: the posted procedure, and the level of the posting one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Post {
    pub(crate) procedure: Sym,
    pub(crate) from: u32,
}

/// Turns all posts into calls of wrappers, which save and restore thread-local variables.
pub(crate) fn lower(
    unit: &mut Unit,
    tasks: &mut Tasks,
    thread_local: &[Global],
    place: Option<&Position>,
    around: impl Fn(&mut Ast, Post) -> Around,
) {
    let (posted, with_handle) = posted(unit);
    let own = keepers(&mut unit.ast, thread_local);
    // Variables that passes have initialised are assigned before a task reads them.
    let mut arbitrary = globals::names(thread_local);
    arbitrary.retain(|v| unit.initially.iter().all(|(set, _)| set != v));
    let mut names = Names { handle: build::fresh(&mut unit.ast, "posted"), results: FxHashMap::default() };
    let mut wrappers = FxHashMap::default();
    for post in posted {
        let Some(declaration) = unit.procedure(post.procedure).cloned() else { continue };
        let origin = unit.origin(post.procedure);
        let ast = &mut unit.ast;
        let wrapper = build::derive(ast, post.procedure, "post", Role::Wrapper);
        wrappers.insert(post, wrapper);
        let mut around = around(ast, post);
        keep(ast, &mut around, &own);
        around.before.extend(build::havoc(&arbitrary));
        let handle = with_handle.contains(&post.procedure).then_some(&mut *tasks);
        let wrapper = Wrapper { name: wrapper, begins: place.map(|place| Begins { place, origin }) };
        declare_wrapper(ast, &mut names, handle, &declaration, wrapper, around);
    }
    let levels = std::mem::take(&mut unit.levels);
    build::each_body(&mut unit.ast, |_, decl| {
        let from = level_of(&levels, decl);
        let Some(body) = build::body_mut(decl) else { return };
        build::rewrite(&mut body.block, &mut |mut s, out| {
            if let StmtKind::Async(post) = &s.kind
                && let Some(wrapper) = wrappers.get(&Post { procedure: post.procedure.name, from })
            {
                let outs =
                    if with_handle.contains(&post.procedure.name) { vec![post.handle] } else { Vec::new() };
                let procedure = dally_bpl::ast::Ident { name: *wrapper, span: post.procedure.span };
                s.kind = StmtKind::Call(Box::new(Call { free: false, outs, procedure, args: post.args }));
            }
            out.push(s);
        });
    });
    unit.levels = levels;
}

/// The level at which a procedure runs.
fn level_of(levels: &FxHashMap<Sym, u32>, decl: &dally_bpl::ast::Decl) -> u32 {
    let name = as_procedure(decl).map(|p| p.signature.name.name);
    name.and_then(|n| levels.get(&n)).copied().unwrap_or(0)
}

/// The posts in the order of the text, each once, and the procedures whose tasks have handles.
fn posted(unit: &mut Unit) -> (Vec<Post>, FxHashSet<Sym>) {
    let (mut posted, mut seen, mut with_handle) = (Vec::new(), FxHashSet::default(), FxHashSet::default());
    let levels = std::mem::take(&mut unit.levels);
    build::each_body(&mut unit.ast, |_, decl| {
        let from = level_of(&levels, decl);
        let Some(body) = build::body_mut(decl) else { return };
        for_each_stmt_mut(&mut body.block, &mut |s| {
            if let StmtKind::Async(async_call) = &s.kind {
                let post = Post { procedure: async_call.procedure.name, from };
                if seen.insert(post) {
                    posted.push(post);
                }
                if async_call.handle.is_some() {
                    with_handle.insert(post.procedure);
                }
            }
        });
    });
    unit.levels = levels;
    (posted, with_handle)
}

/// Names of local variables, the same in all wrappers.
struct Names {
    handle: Sym,
    results: FxHashMap<Sym, Sym>,
}

impl Names {
    fn result(&mut self, ast: &mut Ast, out: Sym) -> Sym {
        *self.results.entry(out).or_insert_with(|| build::derive(ast, out, "result", Role::Copy))
    }
}

/// The wrapper of a posted procedure.
#[derive(Clone, Copy)]
struct Wrapper<'p> {
    name: Sym,
    begins: Option<Begins<'p>>,
}

/// The tags of a task: its place, and the procedure of the source that it runs.
#[derive(Clone, Copy)]
struct Begins<'p> {
    place: &'p Position,
    origin: Sym,
}

fn declare_wrapper(
    ast: &mut Ast,
    names: &mut Names,
    tasks: Option<&mut Tasks>,
    procedure: &Procedure,
    wrapper: Wrapper<'_>,
    around: Around,
) {
    let Wrapper { name, begins } = wrapper;
    let Around { mut locals, before, after, restore } = around;
    let signature = &procedure.signature;
    let ins = build::vars_apart(ast, &signature.ins);
    let mut results = Vec::new();
    for out in &signature.outs {
        let result = names.result(ast, out.var.name.name);
        locals.push(build::var(result, out.var.ty, Attrs::NONE));
        results.push(result);
    }
    let mut stmts = before;
    stmts.extend(begins.map(|b| b.place.begins(ast, b.origin)));
    let args = build::names(ast, &build::var_names(&ins));
    stmts.push(build::call(ast, &results, signature.name.name, &args));
    stmts.extend(begins.map(|b| b.place.ends(ast)));
    stmts.extend(after);
    let mut outs = Vec::new();
    if let (Some(tasks), Some(Begins { place, .. })) = (tasks, begins) {
        let (ty, constructor) = tasks.type_for(ast, signature.outs.first().map(|o| o.var.ty));
        outs.push(build::var(names.handle, ty, Attrs::NONE));
        let keys: Vec<Sym> = place.0.iter().copied().chain(results).collect();
        let parts = build::names(ast, &keys);
        let value = tasks::make(ast, constructor, &parts);
        stmts.push(build::set(ast, &[names.handle], &[value]));
    }
    stmts.extend(restore);
    let mut wrapper = build::signature(name, ins, outs);
    wrapper.type_params.clone_from(&signature.type_params);
    build::declare_procedure(ast, wrapper, locals, stmts, Attrs::NONE);
}
