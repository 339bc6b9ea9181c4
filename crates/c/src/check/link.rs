//! Leaves out the functions and variables that the program does not use.

use rustc_hash::FxHashMap;

use crate::hir::walk::{PartMut, parts_of_expr_mut, parts_of_stmt_mut};
use crate::hir::{Expr, ExprKind, FunctionId, GlobalId, HOOKS, Program, Stmt};

/// A mention of a function or variable.
enum Mention<'a> {
    Function(&'a mut FunctionId),
    Global(&'a mut GlobalId),
}

/// A function or variable whose mentions are still to be followed.
#[derive(Clone, Copy)]
enum Item {
    Function(FunctionId),
    Global(GlobalId),
}

#[derive(Default)]
struct Used {
    functions: Vec<bool>,
    globals: Vec<bool>,
    queue: Vec<Item>,
}

impl Used {
    fn function(&mut self, id: FunctionId) {
        if !std::mem::replace(&mut self.functions[id.index()], true) {
            self.queue.push(Item::Function(id));
        }
    }

    fn global(&mut self, id: GlobalId) {
        if !std::mem::replace(&mut self.globals[id.index()], true) {
            self.queue.push(Item::Global(id));
        }
    }
}

/// The program without the parts of the library that it does not use, and without names that headers declare and
/// nothing mentions. `library` tells which variables belong to the library.
pub(super) fn link(mut program: Program, library: &[bool]) -> Program {
    let mut used = Used {
        functions: vec![false; program.functions.len()],
        globals: vec![false; program.globals.len()],
        queue: Vec::new(),
    };
    for (index, function) in program.functions.iter().enumerate() {
        let is_root = !function.library || HOOKS.contains(&function.name.as_str());
        if is_root && function.body.is_some() {
            used.function(FunctionId(index as u32));
        }
    }
    for (index, global) in program.globals.iter().enumerate() {
        if !global.external && !library[index] {
            used.global(GlobalId(index as u32));
        }
    }
    while let Some(item) = used.queue.pop() {
        let mut mark = |mention: Mention<'_>| match mention {
            Mention::Function(id) => used.function(*id),
            Mention::Global(id) => used.global(*id),
        };
        follow(&mut program, item, &mut mark);
    }
    renumber(program, &used)
}

/// Replaces the mentions of functions that are other names of a function.
pub(super) fn replace_aliases(program: &mut Program, aliases: &FxHashMap<FunctionId, String>) {
    let target = |name: &String| {
        let index = program.functions.iter().position(|f| f.name == *name && f.body.is_some())?;
        Some(FunctionId(index as u32))
    };
    let targets: FxHashMap<FunctionId, FunctionId> =
        aliases.iter().filter_map(|(alias, name)| Some((*alias, target(name)?))).collect();
    if targets.is_empty() {
        return;
    }
    let mut change = |mention: Mention<'_>| {
        if let Mention::Function(id) = mention {
            *id = targets.get(id).copied().unwrap_or(*id);
        }
    };
    for index in 0..program.functions.len() {
        follow(program, Item::Function(FunctionId(index as u32)), &mut change);
    }
    for index in 0..program.globals.len() {
        follow(program, Item::Global(GlobalId(index as u32)), &mut change);
    }
}

fn follow(program: &mut Program, item: Item, f: &mut dyn FnMut(Mention<'_>)) {
    match item {
        Item::Function(id) => {
            program.functions[id.index()].body.iter_mut().flatten().for_each(|s| stmt(s, f));
        }
        Item::Global(id) => {
            let init = program.globals[id.index()].init.iter_mut();
            init.flat_map(|i| &mut i.parts).for_each(|part| expr(&mut part.value, f));
        }
    }
}

fn renumber(mut program: Program, used: &Used) -> Program {
    let numbers = |used: &[bool]| -> Vec<u32> {
        let mut next = 0;
        used.iter()
            .map(|used| {
                next += u32::from(*used);
                next.saturating_sub(1)
            })
            .collect()
    };
    let (functions, globals) = (numbers(&used.functions), numbers(&used.globals));
    let mut keep = used.functions.iter();
    program.functions.retain(|_| keep.next() == Some(&true));
    let mut keep = used.globals.iter();
    program.globals.retain(|_| keep.next() == Some(&true));
    let mut change = |mention: Mention<'_>| match mention {
        Mention::Function(id) => id.0 = functions[id.index()],
        Mention::Global(id) => id.0 = globals[id.index()],
    };
    for index in 0..program.functions.len() {
        follow(&mut program, Item::Function(FunctionId(index as u32)), &mut change);
    }
    for index in 0..program.globals.len() {
        follow(&mut program, Item::Global(GlobalId(index as u32)), &mut change);
        if let Some(id) = &mut program.globals[index].function {
            id.0 = functions[id.index()];
        }
    }
    program
}

fn stmt(it: &mut Stmt, f: &mut dyn FnMut(Mention<'_>)) {
    parts_of_stmt_mut(it, &mut |inner| part(inner, f));
}

fn expr(it: &mut Expr, f: &mut dyn FnMut(Mention<'_>)) {
    match &mut it.kind {
        ExprKind::Global(id) => f(Mention::Global(id)),
        ExprKind::Function(id) => f(Mention::Function(id)),
        _ => parts_of_expr_mut(it, &mut |inner| part(inner, f)),
    }
}

fn part(it: PartMut<'_>, f: &mut dyn FnMut(Mention<'_>)) {
    dally_text::stack::grow(|| match it {
        PartMut::Expr(e) => expr(e, f),
        PartMut::Stmt(s) => stmt(s, f),
    });
}
