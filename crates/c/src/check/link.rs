//! Leaves out the functions and variables that the program does not use.

use rustc_hash::FxHashMap;

use crate::hir::{Expr, ExprKind, FunctionId, GlobalId, HOOKS, Init, Program, Stmt, StmtKind};

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
        Item::Global(id) => program.globals[id.index()].init.iter_mut().for_each(|i| init(i, f)),
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

fn init(init: &mut Init, f: &mut dyn FnMut(Mention<'_>)) {
    init.parts.iter_mut().for_each(|part| expr(&mut part.value, f));
}

fn stmt(stmt: &mut Stmt, f: &mut dyn FnMut(Mention<'_>)) {
    dally_text::stack::grow(|| stmt_here(stmt, f));
}

fn stmt_here(it: &mut Stmt, f: &mut dyn FnMut(Mention<'_>)) {
    match &mut it.kind {
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) | StmtKind::Vla(_, e) => expr(e, f),
        StmtKind::Declare(_, Some(i)) => init(i, f),
        StmtKind::Block(stmts) => stmts.iter_mut().for_each(|s| stmt(s, f)),
        StmtKind::If(c, then, otherwise) => {
            expr(c, f);
            stmt(then, f);
            otherwise.iter_mut().for_each(|s| stmt(s, f));
        }
        StmtKind::While(c, body) | StmtKind::DoWhile(body, c) | StmtKind::Switch(c, body) => {
            expr(c, f);
            stmt(body, f);
        }
        StmtKind::For(c, step, body) => {
            c.iter_mut().chain(step).for_each(|e| expr(e, f));
            stmt(body, f);
        }
        _ => {}
    }
}

fn expr(it: &mut Expr, f: &mut dyn FnMut(Mention<'_>)) {
    dally_text::stack::grow(|| expr_here(it, f));
}

fn expr_here(it: &mut Expr, f: &mut dyn FnMut(Mention<'_>)) {
    match &mut it.kind {
        ExprKind::Global(id) => f(Mention::Global(id)),
        ExprKind::Function(id) => f(Mention::Function(id)),
        ExprKind::Compound(_, i) => init(i, f),
        ExprKind::Block(stmts) => stmts.iter_mut().for_each(|s| stmt(s, f)),
        _ => children(it, &mut |child| expr(child, f)),
    }
}

/// Calls `f` for each operand of an expression; not for those inside of initialisers and statements.
pub(super) fn children(it: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    match &mut it.kind {
        ExprKind::Deref(a)
        | ExprKind::Member(a, _)
        | ExprKind::Load(a)
        | ExprKind::Decay(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Unary(_, a)
        | ExprKind::Cast(a) => f(a),
        ExprKind::Binary(_, a, b)
        | ExprKind::PointerAdd(a, b)
        | ExprKind::PointerDiff(a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Assign(a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Conditional(c, a, b) => {
            f(c);
            a.iter_mut().for_each(|a| f(a));
            f(b);
        }
        ExprKind::Update(update) => {
            f(&mut update.target);
            f(&mut update.operand);
        }
        ExprKind::Call(callee, arguments) => {
            f(callee);
            arguments.iter_mut().for_each(f);
        }
        ExprKind::Builtin(_, operands) => operands.iter_mut().for_each(f),
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::String(_)
        | ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::Function(_)
        | ExprKind::Compound(..)
        | ExprKind::Block(_) => {}
    }
}
