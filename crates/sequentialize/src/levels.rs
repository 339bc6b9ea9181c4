//! Levels and buffers known in the text: each procedure runs at one level, in one buffer.
//!
//! [FSE12 Figs. 4 and 5] pass the current level to every procedure, and test it at every post. Here a procedure that
//! runs at several levels gets a version for each, `p$1`, so that the code for a post is that of its case
//! alone. Procedures that cannot run are left out.
//!
//! A post by more than one level up becomes a chain of posts, as the paper has it: `p$up`, one level up, posts
//! what is to run further up.

use std::collections::VecDeque;

use dally_bpl::ast::{Ast, Async, Attrs, DeclKind, Procedure, Role, StmtKind, for_each_stmt_mut};
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::build::{self, stmt};
use crate::unit::{Entry, Unit, as_procedure};

/// Where a procedure runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Home {
    pub(crate) buffer: u32,
    pub(crate) level: u32,
}

/// Numbers the levels that are in use from 0: only their order matters. Returns the levels by their numbers.
pub(crate) fn rank(unit: &mut Unit) -> Vec<u32> {
    let mut used: Vec<u32> = unit.entries.iter().map(|e| e.level).collect();
    build::each_stmt(&mut unit.ast, |_, s| {
        if let StmtKind::Async(post) = &s.kind {
            used.extend(post.level);
        }
    });
    used.sort_unstable();
    used.dedup();
    let rank = |level: u32| used.partition_point(|l| *l < level) as u32;
    build::each_stmt(&mut unit.ast, |_, s| {
        if let StmtKind::Async(post) = &mut s.kind {
            post.level = post.level.map(rank);
        }
    });
    for entry in &mut unit.entries {
        entry.level = rank(entry.level);
    }
    used
}

/// Leaves one entry point for each buffer, in the order of the buffers.
pub(crate) fn entry_per_buffer(unit: &mut Unit) {
    let mut buffers: Vec<u32> = unit.entries.iter().map(|e| e.buffer).collect();
    buffers.sort_unstable();
    buffers.dedup();
    let mut entries = Vec::new();
    for buffer in buffers {
        let own: Vec<Entry> = unit.entries.iter().filter(|e| e.buffer == buffer).copied().collect();
        entries.push(match own[..] {
            [only] => only,
            _ => crate::lower::post_all(unit, &own),
        });
    }
    // A task of the lowest level posts an entry point of a higher one.
    if let [only] = entries[..]
        && only.level > 0
    {
        let base = crate::lower::post_all(unit, &[only]);
        entries = vec![Entry { level: 0, ..base }];
    }
    unit.entries = entries;
}

/// Makes a version of each procedure for each level at which it runs, and with `buffers` also for each buffer.
pub(crate) fn specialise(unit: &mut Unit, buffers: bool) -> FxHashMap<Sym, Home> {
    let home = |e: &Entry| Home { buffer: if buffers { e.buffer } else { 0 }, level: e.level };
    let mut versions =
        Versions { names: FxHashMap::default(), homes: FxHashMap::default(), todo: VecDeque::new(), buffers };
    let entries: Vec<(Entry, Home)> = unit.entries.iter().map(|e| (*e, home(e))).collect();
    unit.entries = entries
        .into_iter()
        .map(|(e, home)| Entry { procedure: versions.version(&mut unit.ast, e.procedure, home), ..e })
        .collect();
    let mut others = Vec::new();
    let mut procedures: FxHashMap<Sym, (Box<Procedure>, Attrs)> = FxHashMap::default();
    for decl in std::mem::take(&mut unit.ast.decls) {
        match decl.kind {
            DeclKind::Procedure(p) => {
                procedures.insert(p.signature.name.name, (p, decl.attrs));
            }
            kind => others.push(dally_bpl::ast::Decl { kind, ..decl }),
        }
    }
    unit.ast.decls = others;
    while let Some(Version { original, version, home }) = versions.todo.pop_front() {
        let Some((procedure, attrs)) = procedures.get(&original) else { continue };
        let mut copy = procedure.clone();
        // The first version is the original itself.
        if version != original {
            copy.body = procedure.body.as_ref().map(|b| unit.ast.copy_body(b));
            copy.signature.ins = build::same_vars(&copy.signature.ins);
            copy.signature.name.name = version;
        }
        if let Some(body) = &mut copy.body {
            for_each_stmt_mut(&mut body.block, &mut |s| match &mut s.kind {
                StmtKind::Call(call) => {
                    call.procedure.name = versions.version(&mut unit.ast, call.procedure.name, home);
                }
                StmtKind::Async(post) => {
                    let level = *post.level.get_or_insert(home.level);
                    let home = Home { level, ..home };
                    post.procedure.name = versions.version(&mut unit.ast, post.procedure.name, home);
                }
                _ => {}
            });
        }
        build::declare(&mut unit.ast, DeclKind::Procedure(copy), attrs.clone());
    }
    unit.levels = versions.homes.iter().map(|(p, home)| (*p, home.level)).collect();
    versions.homes
}

/// A procedure of which there is a version for one level and buffer.
struct Version {
    original: Sym,
    version: Sym,
    /// Where it runs.
    home: Home,
}

struct Versions {
    names: FxHashMap<(Sym, Home), Sym>,
    homes: FxHashMap<Sym, Home>,
    todo: VecDeque<Version>,
    buffers: bool,
}

impl Versions {
    fn version(&mut self, ast: &mut Ast, procedure: Sym, home: Home) -> Sym {
        if let Some(name) = self.names.get(&(procedure, home)) {
            return *name;
        }
        let name = if self.homes.contains_key(&procedure) {
            let Home { buffer, level } = home;
            let suffix = if self.buffers { format!("b{buffer}l{level}") } else { level.to_string() };
            build::derive(ast, procedure, &suffix, Role::Version)
        } else {
            procedure
        };
        self.names.insert((procedure, home), name);
        self.homes.insert(name, home);
        self.todo.push_back(Version { original: procedure, version: name, home });
        name
    }
}

/// Replaces posts by more than one level up by chains of posts, or reports them.
pub(crate) fn chain(unit: &mut Unit, allowed: bool) {
    let levels = unit.levels.clone();
    let mut links: FxHashMap<(Sym, u32), Sym> = FxHashMap::default();
    let mut wanted: Vec<(Sym, u32, u32)> = Vec::new();
    let mut refused = None;
    build::each_body(&mut unit.ast, |ast, decl| {
        let own = as_procedure(decl).and_then(|p| levels.get(&p.signature.name.name)).copied().unwrap_or(0);
        let Some(body) = build::body_mut(decl) else { return };
        for_each_stmt_mut(&mut body.block, &mut |s| {
            let StmtKind::Async(post) = &mut s.kind else { return };
            let Some(level) = post.level.filter(|level| *level > own + 1) else { return };
            if !allowed {
                refused.get_or_insert(s.span);
                return;
            }
            let target = post.procedure.name;
            for between in own + 1..level {
                links.entry((target, between)).or_insert_with(|| {
                    wanted.push((target, between, level));
                    build::derive(ast, target, &format!("up{between}"), Role::Poster)
                });
            }
            post.procedure.name = links[&(target, own + 1)];
            post.level = Some(own + 1);
        });
    });
    if let Some(span) = refused {
        let message = "a post by more than one level up";
        unit.unsupported(span, message, "without `--no-chains` it becomes a chain of posts");
    }
    for (target, between, level) in wanted {
        let Some(signature) = unit.procedure(target).map(|p| p.signature.clone()) else { continue };
        let ast = &mut unit.ast;
        let next = if between + 1 == level { target } else { links[&(target, between + 1)] };
        let args = build::names(ast, &build::var_names(&signature.ins));
        let args = ast.exprs.add_list(&args);
        let procedure = build::ident(next);
        let post =
            Async { handle: None, result: None, procedure, args, level: Some(between + 1), buffer: None };
        let name = links[&(target, between)];
        let mut link = build::signature(name, build::same_vars(&signature.ins), Vec::new());
        link.type_params = signature.type_params;
        build::declare_procedure(ast, link, vec![], vec![stmt(StmtKind::Async(Box::new(post)))], Attrs::NONE);
        unit.levels.insert(name, between);
    }
}
