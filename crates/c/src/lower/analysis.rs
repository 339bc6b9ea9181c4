//! Whole-program analysis before the lowering: the functions and threads that run, the objects that must be in
//! memory, the objects that threads share, and the functions that may end their thread.

use dally_text::symbol::Sym;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use super::stmt::root_local;
use super::{escape, objects};
use crate::hir::walk::{every, roots, statements};
use crate::hir::{
    BinaryOp, Builtin, Expr, ExprKind, Function, FunctionId, GlobalId, HOOKS, LocalId, Program, Stmt,
    StmtKind,
};
use crate::types::Type;

/// The results of the analysis.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// True if the program starts threads.
    pub(super) threaded: bool,
    /// The functions that may run, in the order of the program.
    pub(super) reachable: BTreeSet<FunctionId>,
    /// The functions whose address is taken.
    pub(super) addressed: BTreeSet<FunctionId>,
    /// `main`, if only the start of the program calls it.
    pub(super) first: Option<FunctionId>,
    /// The functions that read arguments without a parameter.
    pub(super) variadic: FxHashSet<FunctionId>,
    /// The functions that may end their thread.
    pub(super) exits: FxHashSet<FunctionId>,
    /// The globals that several threads access, one of which writes.
    pub(super) shared: FxHashSet<GlobalId>,
    /// The globals that are in memory.
    pub(super) in_memory: FxHashSet<GlobalId>,
    locals_in_memory: FxHashSet<(FunctionId, LocalId)>,
    mutated: FxHashSet<(FunctionId, LocalId)>,
    variable_arrays: FxHashSet<(FunctionId, LocalId)>,
    /// The functions in which a statement may run again.
    pub(super) repeats: FxHashSet<FunctionId>,
    /// The globals that some function writes.
    pub(super) written: FxHashSet<GlobalId>,
    /// True if the program can observe the numbers of objects.
    pub(super) observes_addresses: bool,
    /// Constants with which values are compared.
    pub(super) constants: BTreeSet<i128>,
    /// True if an order weaker than sequential consistency is asked for.
    pub(super) weak_orders: bool,
    /// The parts of `dally.h` that the program uses.
    pub(super) events: super::events::Events,
}

impl Facts {
    pub(super) fn in_memory_local(&self, function: FunctionId, local: LocalId) -> bool {
        self.locals_in_memory.contains(&(function, local))
    }

    /// Returns true if a parameter is assigned to.
    pub(super) fn is_mutated(&self, function: FunctionId, local: LocalId) -> bool {
        self.mutated.contains(&(function, local))
    }

    pub(super) fn is_variable_array(&self, function: FunctionId, local: LocalId) -> bool {
        self.variable_arrays.contains(&(function, local))
    }
}

/// The effects of one function, without those of the functions that it calls.
#[derive(Debug, Default)]
struct Summary {
    calls: FxHashSet<FunctionId>,
    /// True if it calls through a pointer.
    calls_pointer: bool,
    mentions: FxHashSet<FunctionId>,
    spawns: bool,
    exits: bool,
    reads: FxHashSet<GlobalId>,
    writes: FxHashSet<GlobalId>,
}

/// Analyses a program.
pub(super) fn analyse(program: &Program, placeholder: Sym) -> Facts {
    let summaries: Vec<Summary> = program.functions.iter().map(summary).collect();
    let mut facts = Facts { reachable: reachable(program, &summaries), ..Facts::default() };
    for function in &facts.reachable {
        facts.addressed.extend(&summaries[function.index()].mentions);
    }
    let initial = program.globals.iter().flat_map(|g| &g.init).flat_map(|i| &i.parts);
    initial.for_each(|part| {
        every(&part.value, &mut |e| {
            if let ExprKind::Function(function) = e.kind {
                facts.addressed.insert(function);
            }
        });
    });
    for (index, function) in (0..).zip(&program.functions) {
        if function.destructor.is_some() && function.body.is_some() {
            facts.addressed.insert(FunctionId(index));
        }
    }
    facts.events = super::events::find(program, &facts.reachable);
    facts.threaded = facts.events.active || facts.reachable.iter().any(|f| summaries[f.index()].spawns);
    facts.first = first(program, &facts, &summaries);
    facts.exits = exits(&facts, &summaries);
    let escapes = escape::escapes(program, &facts.reachable);
    facts.in_memory = escapes.globals;
    facts.locals_in_memory = escapes.locals;
    for (index, global) in (0..).zip(&program.globals) {
        if objects::leaves(&program.types, global.ty, placeholder).is_none() {
            facts.in_memory.insert(GlobalId(index));
        }
    }
    for function in facts.reachable.clone() {
        locals(program, function, placeholder, &mut facts);
    }
    for function in &facts.reachable {
        facts.written.extend(&summaries[function.index()].writes);
    }
    facts.shared = shared(program, &facts, &summaries);
    for id in &facts.shared {
        let leaves = objects::leaves(&program.types, program.globals[id.index()].ty, placeholder);
        let has_neighbours = |leaf: &objects::Leaf| leaf.bits.is_some_and(|bits| bits.has_neighbours());
        // A write to a bit-field writes its neighbours.
        if leaves.unwrap_or_default().iter().any(has_neighbours) {
            facts.in_memory.insert(*id);
        }
    }
    facts
}

fn each_expr<'a>(function: &'a Function, f: &mut dyn FnMut(&'a Expr)) {
    for stmt in function.body.iter().flatten() {
        roots(stmt, &mut |root| every(root, f));
    }
}

/// Calls `f` for each statement, those of statement expressions included.
fn each_stmt<'a>(function: &'a Function, f: &mut dyn FnMut(&'a Stmt)) {
    statements(function.body.as_deref().unwrap_or(&[]), f);
    each_expr(function, &mut |e| {
        if let ExprKind::Block(stmts) = &e.kind {
            statements(stmts, f);
        }
    });
}

fn summary(function: &Function) -> Summary {
    let mut s = Summary::default();
    // The functions that are called directly are not mentioned by that.
    let mut called: FxHashSet<*const Expr> = FxHashSet::default();
    // The arrays of subscripts: what happens to the element is seen elsewhere.
    let mut subscripts: FxHashSet<*const Expr> = FxHashSet::default();
    each_expr(function, &mut |e| match &e.kind {
        ExprKind::Call(callee, _) => {
            let inner = without_casts(callee);
            match inner.kind {
                ExprKind::Function(f) => {
                    s.calls.insert(f);
                    called.insert(inner);
                }
                _ => s.calls_pointer = true,
            }
        }
        ExprKind::Function(f) if !called.contains(&std::ptr::from_ref(e)) => {
            s.mentions.insert(*f);
        }
        ExprKind::Builtin(Builtin::Spawn, _) => s.spawns = true,
        ExprKind::Builtin(Builtin::ExitThread, _) => s.exits = true,
        ExprKind::Load(lvalue) => s.reads.extend(root_global(lvalue)),
        ExprKind::Assign(target, _) => s.writes.extend(root_global(target)),
        ExprKind::Update(update) => s.writes.extend(root_global(&update.target)),
        ExprKind::AddressOf(lvalue) => s.writes.extend(root_global(lvalue)),
        // A subscript is a read or write of its own.
        ExprKind::Deref(pointer) => {
            s.reads.extend(root_of_pointer(pointer));
            subscripts.extend(array_of(pointer).map(std::ptr::from_ref));
        }
        ExprKind::Decay(lvalue) => {
            s.reads.extend(root_global(lvalue));
            // The address of an element: it may be written.
            if !subscripts.contains(&std::ptr::from_ref(e)) {
                s.writes.extend(root_global(lvalue));
            }
        }
        _ => {}
    });
    s
}

fn without_casts(mut e: &Expr) -> &Expr {
    while let ExprKind::Cast(inner) = &e.kind {
        e = inner;
    }
    e
}

/// The decay of an array that a pointer is computed from.
fn array_of(pointer: &Expr) -> Option<&Expr> {
    match &pointer.kind {
        ExprKind::Decay(_) => Some(pointer),
        ExprKind::PointerAdd(inner, _) | ExprKind::Cast(inner) => array_of(inner),
        _ => None,
    }
}

/// The variable with static storage that an lvalue is part of.
pub(super) fn root_global(e: &Expr) -> Option<GlobalId> {
    match &e.kind {
        ExprKind::Global(global) => Some(*global),
        ExprKind::Member(record, _) => root_global(record),
        ExprKind::Deref(pointer) => root_of_pointer(pointer),
        _ => None,
    }
}

fn root_of_pointer(e: &Expr) -> Option<GlobalId> {
    match &e.kind {
        ExprKind::Decay(array) | ExprKind::AddressOf(array) => root_global(array),
        ExprKind::PointerAdd(pointer, _) | ExprKind::Cast(pointer) => root_of_pointer(pointer),
        _ => None,
    }
}

fn reachable(program: &Program, summaries: &[Summary]) -> BTreeSet<FunctionId> {
    let is_root = |f: &Function| match f.library {
        true => HOOKS.contains(&f.name.as_str()),
        false => {
            let marks = &f.events;
            let begins = f.name == "main" || marks.entry.is_some() || marks.interrupt.is_some();
            f.body.is_some() && (begins || f.constructor.is_some() || f.destructor.is_some())
        }
    };
    let functions = program.functions.iter().enumerate().filter(|(_, f)| is_root(f));
    let mut found: BTreeSet<FunctionId> = functions.map(|(index, _)| FunctionId(index as u32)).collect();
    for part in program.globals.iter().flat_map(|g| &g.init).flat_map(|i| &i.parts) {
        every(&part.value, &mut |e| {
            if let ExprKind::Function(function) = e.kind {
                found.insert(function);
            }
        });
    }
    let mut todo: Vec<FunctionId> = found.iter().copied().collect();
    while let Some(function) = todo.pop() {
        let s = &summaries[function.index()];
        for next in s.calls.iter().chain(&s.mentions) {
            if found.insert(*next) {
                todo.push(*next);
            }
        }
    }
    found
}

fn first(program: &Program, facts: &Facts, summaries: &[Summary]) -> Option<FunctionId> {
    let is_main = |f: &Function| f.name == "main" && f.body.is_some() && !f.library;
    let main = FunctionId(program.functions.iter().position(is_main)? as u32);
    let is_called = facts.reachable.iter().any(|f| summaries[f.index()].calls.contains(&main));
    (!is_called && !facts.addressed.contains(&main)).then_some(main)
}

/// The functions that may end their thread: those that do, and their callers.
fn exits(facts: &Facts, summaries: &[Summary]) -> FxHashSet<FunctionId> {
    let mut exits: FxHashSet<FunctionId> = FxHashSet::default();
    loop {
        let by_pointer = facts.addressed.iter().any(|f| exits.contains(f));
        let before = exits.len();
        for function in &facts.reachable {
            let s = &summaries[function.index()];
            if s.exits || s.calls.iter().any(|f| exits.contains(f)) || s.calls_pointer && by_pointer {
                exits.insert(*function);
            }
        }
        if exits.len() == before {
            return exits;
        }
    }
}

/// Facts about the locals and statements of a function.
fn locals(program: &Program, id: FunctionId, placeholder: Sym, facts: &mut Facts) {
    let function = &program.functions[id.index()];
    for (index, local) in (0..).zip(&function.locals) {
        if function.body.is_some() && objects::leaves(&program.types, local.ty, placeholder).is_none() {
            facts.locals_in_memory.insert((id, LocalId(index)));
        }
    }
    each_stmt(function, &mut |stmt| match &stmt.kind {
        StmtKind::Vla(local, _) => {
            facts.variable_arrays.insert((id, *local));
        }
        StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For(..) | StmtKind::Goto(_) => {
            facts.repeats.insert(id);
        }
        StmtKind::Case(low, high) if !function.library => facts.constants.extend([*low, *high]),
        _ => {}
    });
    each_expr(function, &mut |e| match &e.kind {
        ExprKind::Assign(target, _) => {
            facts.mutated.extend(root_local(target).map(|l| (id, l)));
        }
        ExprKind::Update(update) => {
            facts.mutated.extend(root_local(&update.target).map(|l| (id, l)));
        }
        ExprKind::AddressOf(lvalue) => {
            facts.mutated.extend(root_local(lvalue).map(|l| (id, l)));
        }
        ExprKind::Builtin(Builtin::VaArguments, _) => {
            facts.variadic.insert(id);
        }
        ExprKind::Binary(op, a, b) if !function.library => {
            let compares = matches!(
                op,
                BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
            );
            let is_order = compares && !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            if is_order && program.types.pointee(a.ty).is_some() {
                facts.observes_addresses = true;
            }
            for operand in [a, b] {
                if let (true, Some(n)) = (compares, constant(operand)) {
                    facts.constants.insert(n);
                }
            }
        }
        ExprKind::Cast(a) if !function.library => {
            let types = &program.types;
            let to_int = matches!(types.get(types.unqualified(e.ty)), Type::Int(_) | Type::Enum(_));
            facts.observes_addresses |= to_int && types.pointee(a.ty).is_some();
        }
        _ => {}
    });
}

/// The constant that an expression is, conversions aside.
fn constant(e: &Expr) -> Option<i128> {
    match &e.kind {
        ExprKind::Int(n) => Some(*n),
        ExprKind::Cast(inner) => constant(inner),
        _ => None,
    }
}

/// The globals that several threads access. `main` is one thread, with the constructors, and so is a function whose address is taken; it
/// counts twice unless it is mentioned once, in `main`, outside of loops.
fn shared(program: &Program, facts: &Facts, summaries: &[Summary]) -> FxHashSet<GlobalId> {
    if !facts.threaded {
        return FxHashSet::default();
    }
    let main = program.functions.iter().position(|f| f.name == "main" && f.body.is_some() && !f.library);
    let mut weights = vec![0_u32; program.globals.len()];
    let mut written = vec![false; program.globals.len()];
    let single = mentioned_once(program, main, facts);
    let threads = facts.addressed.iter().map(|f| (vec![*f], if single.contains(f) { 1 } else { 2 }));
    let constructors = (0..).zip(&program.functions).filter(|(_, f)| f.constructor.is_some());
    let first: Vec<FunctionId> = main
        .map(|m| m as u32)
        .into_iter()
        .chain(constructors.map(|(index, _)| index))
        .map(FunctionId)
        .collect();
    // Two instances of one entry point or interrupt never run at a time.
    let events = facts.events.roots().filter(|f| Some(f.index()) != main).map(|f| (vec![f], 1));
    for (roots, weight) in [(first, 1)].into_iter().chain(threads).chain(events) {
        let mut touched: FxHashSet<GlobalId> = FxHashSet::default();
        for function in called_from(&roots, facts, summaries) {
            let s = &summaries[function.index()];
            touched.extend(s.reads.iter().chain(&s.writes));
            s.writes.iter().for_each(|g| written[g.index()] = true);
        }
        touched.iter().for_each(|g| weights[g.index()] += weight);
    }
    let is_shared =
        |index: &usize| weights[*index] >= 2 && written[*index] && !program.globals[*index].thread_local;
    (0..program.globals.len()).filter(is_shared).map(|i| GlobalId(i as u32)).collect()
}

/// The functions that are mentioned once, by `main`, as the argument of a function that starts one thread, where the
/// statement runs once.
fn mentioned_once(program: &Program, main: Option<usize>, facts: &Facts) -> FxHashSet<FunctionId> {
    let Some(main) = main else { return FxHashSet::default() };
    let mut counts = rustc_hash::FxHashMap::<FunctionId, u32>::default();
    for function in &facts.reachable {
        let weight = if Some(*function) == facts.first { 1 } else { 2 };
        let mut started: FxHashSet<*const Expr> = FxHashSet::default();
        each_expr(&program.functions[function.index()], &mut |e| match &e.kind {
            ExprKind::Call(callee, arguments) if starts_thread(program, callee) => {
                started.extend(arguments.iter().map(|a| std::ptr::from_ref(without_casts(a))));
            }
            ExprKind::Builtin(Builtin::Spawn, arguments) => {
                started.extend(arguments.first().map(std::ptr::from_ref));
            }
            ExprKind::Function(f) => {
                let weight = if started.contains(&std::ptr::from_ref(e)) { weight } else { 2 };
                *counts.entry(*f).or_default() += weight;
            }
            _ => {}
        });
    }
    for part in program.globals.iter().flat_map(|g| &g.init).flat_map(|i| &i.parts) {
        every(&part.value, &mut |e| {
            if let ExprKind::Function(f) = e.kind {
                *counts.entry(f).or_default() += 2;
            }
        });
    }
    // A function that a loop mentions counts twice, since it can be started twice.
    let function = &program.functions[main];
    let mut has_goto = false;
    each_stmt(function, &mut |s| has_goto |= matches!(s.kind, StmtKind::Goto(_)));
    each_stmt(function, &mut |stmt| {
        if has_goto || matches!(stmt.kind, StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For(..)) {
            roots(stmt, &mut |root| {
                every(root, &mut |e| {
                    if let ExprKind::Function(f) = e.kind {
                        *counts.entry(f).or_default() += 1;
                    }
                });
            });
        }
    });
    facts.addressed.iter().copied().filter(|f| counts.get(f) == Some(&1)).collect()
}

/// Returns true for the functions of the library that start one thread.
fn starts_thread(program: &Program, callee: &Expr) -> bool {
    let ExprKind::Function(function) = without_casts(callee).kind else { return false };
    let function = &program.functions[function.index()];
    let names = ["pthread_create", "thrd_create", "__VERIFIER_spawn", "__VERIFIER_spawn_symmetric"];
    function.library && names.contains(&function.name.as_str())
}

/// The functions that a thread may run.
fn called_from(starts: &[FunctionId], facts: &Facts, summaries: &[Summary]) -> FxHashSet<FunctionId> {
    let mut found: FxHashSet<FunctionId> = starts.iter().copied().collect();
    let mut todo = starts.to_vec();
    while let Some(function) = todo.pop() {
        let s = &summaries[function.index()];
        let pointers = facts.addressed.iter().filter(|_| s.calls_pointer);
        for next in s.calls.iter().chain(pointers) {
            if found.insert(*next) {
                todo.push(*next);
            }
        }
    }
    found
}

/// The globals that the program mentions.
pub(super) fn used_globals(program: &Program, facts: &Facts) -> FxHashSet<GlobalId> {
    let mut used: FxHashSet<GlobalId> = FxHashSet::default();
    let mut mention = |e: &Expr| {
        if let ExprKind::Global(global) = e.kind {
            used.insert(global);
        }
    };
    for function in &facts.reachable {
        each_expr(&program.functions[function.index()], &mut |e| mention(e));
    }
    for part in program.globals.iter().flat_map(|g| &g.init).flat_map(|i| &i.parts) {
        every(&part.value, &mut |e| mention(e));
    }
    used
}
