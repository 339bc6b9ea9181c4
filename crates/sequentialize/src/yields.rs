//! Θ_Y(K): removal of yields; the tasks of each level run in K rounds.
//!
//! [FSE12 §5.1, Fig. 4]. A task has a round, and copies of the globals for each round of the tasks of its level; at a
//! yield it may move to a later round. A task that posts one of a higher level sets the copies aside, and runs
//! the higher level on guesses of its own, of which the first is where the poster stands; when that level is done,
//! each of its rounds must have begun where the one before it ended, and the poster goes on from the last
//! one. A task posted at a lower level begins no earlier than the round of the task of that level that was
//! interrupted.
//!
//! Deviations:
//! 1. Where the figure reads and writes `G[k]`, a task loads its globals from the copies of its round, and stores
//!    them there when it moves on or ends. They are thread-local, as its round is.
//! 2. Levels are known in the text ([`crate::levels`]), so that each post has the code of its case only. The
//!    rounds of the interrupted tasks, `R` of the figure, are passed to tasks as parameters: they need not be
//!    guessed.
//! 3. With one round nothing is copied.
//!
//! # Tags
//!
//! The place of a piece ([`crate::tags`]) is the round of its buffer, if there are several, and then three numbers for
//! each level from the lowest to its own: the round of the task of that level that is running or interrupted
//! (left out if there is only one round), a number for the task, and a number that goes up by two with each
//! interruption of it, with the odd numbers for what interrupts.

use dally_bpl::ast::{
    Ast, Async, Attrs, BinaryOp, ExprId, Role, Signature, Stmt, StmtKind, VarDecl, for_each_stmt_mut,
};
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::buffers::Zields;
use crate::build::{self, stmt};
use crate::globals::{self, GHOST, Global, Globals, THREAD_LOCAL, pairs, vector_pairs};
use crate::tags::Position;
use crate::translation::Translation;
use crate::unit::{Unit, as_procedure};

/// The state of a task that is running or interrupted: its round, unless there is only one; its number; and the number of its
/// interruptions.
#[derive(Clone, Debug)]
struct Known {
    round: Option<Sym>,
    task: Sym,
    part: Sym,
}

impl Known {
    fn declare(ast: &mut Ast, rounds: u32, suffix: &str) -> Known {
        let thread_local: Attrs = [build::attr(ast, THREAD_LOCAL, Vec::new())].into_iter().collect();
        let mut declare =
            |name: &str| build::global_int(ast, &format!("{name}{suffix}"), thread_local.clone());
        let round = (rounds > 1).then(|| declare("round"));
        Known { round, task: declare("task"), part: declare("part") }
    }

    fn parts(&self) -> Vec<Sym> {
        self.round.into_iter().chain([self.task, self.part]).collect()
    }
}

/// The procedures that load, store, and may move to a later round.
#[derive(Clone, Copy)]
struct Switches {
    load: Sym,
    store: Sym,
    pause: Sym,
}

struct Pass {
    shared: Vec<Global>,
    vars: Vec<Sym>,
    /// A copy of the globals for each round; none if there is only one.
    copies: Vec<Vec<Sym>>,
    /// Locals that save the copies while a higher level runs, and those with guesses for it.
    saved: Vec<Vec<Sym>>,
    guess: Vec<Vec<Sym>>,
    running: Known,
    /// The interrupted task of each lower level.
    below: Vec<Known>,
    /// Parameters with the same state, for a task that begins.
    below_at: Vec<Vec<Sym>>,
    round_at: Sym,
    /// The number of tasks that have begun.
    begun: Sym,
    zields: Option<Zields>,
    /// The procedures that begin a task, and those that post to a higher level.
    starts: FxHashMap<Sym, Sym>,
    raises: FxHashMap<Sym, Sym>,
}

pub(crate) fn translate(unit: &mut Unit, rounds: u32, zields: Option<Zields>) -> Translation {
    let mut pass = Pass::declare(unit, rounds, zields);
    let switches = pass.declare_switches(&mut unit.ast);
    let entry = unit.entries[0].procedure;
    let (posted, raised) = posts(unit, entry);
    pass.starts = named(&mut unit.ast, &posted, "start");
    pass.raises = named(&mut unit.ast, &raised, "raise");
    pass.rewrite(unit, switches);
    posted.iter().for_each(|p| pass.declare_start(unit, *p, switches));
    raised.iter().for_each(|p| pass.declare_raise(unit, *p));
    pass.declare_entry(unit, entry);
    let (Some(first), Some(last)) = (pass.copies.first(), pass.copies.last()) else {
        return Translation::default();
    };
    Translation {
        valid: vector_pairs(&pass.copies[1..], &pass.copies),
        first: pairs(&pass.vars, first).into_iter().collect(),
        last: pairs(&pass.vars, last).into_iter().collect(),
    }
}

/// The procedures that are posted, or in which execution starts, and those posted from a lower level.
fn posts(unit: &mut Unit, entry: Sym) -> (Vec<Sym>, Vec<Sym>) {
    let (mut posted, mut raised) = (vec![entry], Vec::new());
    let levels = &unit.levels;
    build::each_body(&mut unit.ast, |_, decl| {
        let own = as_procedure(decl).and_then(|p| levels.get(&p.signature.name.name)).copied();
        let Some(body) = build::body_mut(decl) else { return };
        for_each_stmt_mut(&mut body.block, &mut |s| {
            if let StmtKind::Async(post) = &s.kind {
                posted.push(post.procedure.name);
                if post.level > own {
                    raised.push(post.procedure.name);
                }
            }
        });
    });
    for list in [&mut posted, &mut raised] {
        list.sort_unstable();
        list.dedup();
    }
    (posted, raised)
}

fn named(ast: &mut Ast, procedures: &[Sym], suffix: &str) -> FxHashMap<Sym, Sym> {
    procedures.iter().map(|p| (*p, build::derive(ast, *p, suffix, Role::Wrapper))).collect()
}

impl Pass {
    fn declare(unit: &mut Unit, rounds: u32, zields: Option<Zields>) -> Pass {
        let Globals { shared, .. } = Globals::of(&unit.ast);
        let most = unit.levels.values().copied().max().unwrap_or(0);
        let ast = &mut unit.ast;
        let mut copies = Vec::new();
        if rounds > 1 {
            copies = globals::declare_vector(ast, &shared, "y", rounds);
            globals::make_thread_local(ast, &shared);
        }
        let saved = globals::vector(ast, &shared, "saved", copies.len() as u32);
        let guess = globals::vector(ast, &shared, "guess", copies.len().saturating_sub(1) as u32);
        let running = Known::declare(ast, rounds, "");
        let below: Vec<Known> = (0..most).map(|l| Known::declare(ast, rounds, &l.to_string())).collect();
        let ghost: Attrs = [build::attr(ast, GHOST, Vec::new())].into_iter().collect();
        let begun = build::global_int(ast, "begun", ghost);
        let parameter = |ast: &mut Ast, v: Sym| build::derive(ast, v, "at", Role::Copy);
        let below_at = below.iter().map(|k| k.parts().iter().map(|v| parameter(ast, *v)).collect()).collect();
        let round_at = build::fresh(ast, "round$at");
        unit.initially.push((begun, 0));
        // They are saved over posts even where they have no meaning yet.
        let known = [&running].into_iter().chain(&below).flat_map(Known::parts);
        unit.initially.extend(known.map(|v| (v, 0)));
        Pass {
            vars: globals::names(&shared),
            shared,
            copies,
            saved,
            guess,
            running,
            below,
            below_at,
            round_at,
            begun,
            zields,
            starts: FxHashMap::default(),
            raises: FxHashMap::default(),
        }
    }

    fn is_zield(&self, procedure: Sym) -> bool {
        self.zields.as_ref().is_some_and(|z| z.procedure == procedure)
    }

    fn place(&self, level: u32) -> Position {
        let below = self.below[..level as usize].iter().flat_map(Known::parts);
        let buffer = self.zields.as_ref().map(|z| z.round);
        Position(buffer.into_iter().chain(below).chain(self.running.parts()).collect())
    }

    fn declare_switches(&self, ast: &mut Ast) -> Option<Switches> {
        let round = self.running.round?;
        let last = self.copies.len() as u32 - 1;
        let helper = |ast: &mut Ast, name: &str, loads: bool| {
            let case = |ast: &mut Ast, copies: &Vec<Sym>| match loads {
                true => build::assign(ast, &pairs(&self.vars, copies)),
                false => build::assign(ast, &pairs(copies, &self.vars)),
            };
            let cases = self.copies.iter().map(|copies| case(ast, copies)).collect();
            let stmts = build::by_value(ast, round, cases);
            let name = build::fresh(ast, name);
            build::declare_helper(ast, name, Vec::new(), stmts);
            name
        };
        let (load, store) = (helper(ast, "load", true), helper(ast, "store", false));
        let to = build::fresh(ast, "to");
        let range = build::range(ast, last);
        let mut stmts = vec![build::call(ast, &[], store, &[])];
        stmts.extend(build::havoc(&[to]));
        let from = build::relate(ast, round, BinaryOp::Le, to);
        let within = build::compare(ast, to, BinaryOp::Le, last);
        stmts.push(build::assume(build::binary(ast, BinaryOp::And, from, within)));
        stmts.extend(build::assign(ast, &[(round, to)]));
        stmts.push(build::call(ast, &[], load, &[]));
        let pause = build::fresh(ast, "pause");
        let locals = vec![build::local_int(ast, to, range)];
        build::declare_helper(ast, pause, locals, stmts);
        Some(Switches { load, store, pause })
    }

    /// Rewrites yields and posts, and adds tags where another buffer may run.
    fn rewrite(&self, unit: &mut Unit, switches: Option<Switches>) {
        let levels = std::mem::take(&mut unit.levels);
        build::each_body(&mut unit.ast, |ast, decl| {
            let Some(name) = as_procedure(decl).map(|p| p.signature.name.name) else { return };
            let Some(level) = levels.get(&name).copied() else { return };
            let ours = self.zields.as_ref().is_some_and(|z| z.main == name);
            let Some(body) = build::body_mut(decl) else { return };
            let place = self.place(level);
            build::rewrite(&mut body.block, &mut |mut s, out| match &mut s.kind {
                StmtKind::Yield => {
                    if let Some(Switches { pause, .. }) = switches {
                        s.kind = build::call(ast, &[], pause, &[]).kind;
                        out.extend([place.pauses(ast), s, place.resumes(ast)]);
                    }
                }
                StmtKind::Call(call) if !ours && self.is_zield(call.procedure.name) => {
                    out.extend([place.pauses(ast), s, place.resumes(ast)]);
                }
                StmtKind::Async(post) => {
                    self.post(ast, post, level);
                    if post.level > Some(level) {
                        let raise = self.raises[&post.procedure.name];
                        let args = ast.exprs.list(post.args).to_vec();
                        s.kind = build::call(ast, &[], raise, &args).kind;
                    } else {
                        post.procedure.name = self.starts[&post.procedure.name];
                    }
                    out.push(s);
                }
                _ => out.push(s),
            });
        });
        unit.levels = levels;
    }

    /// Adds the state that a task needs at its beginning to its arguments, unless it interrupts.
    fn post(&self, ast: &mut Ast, post: &mut Async, from: u32) {
        let level = post.level.unwrap_or(from);
        if level > from {
            return;
        }
        // Not before the task of that level that was interrupted.
        let of_level = if level == from { &self.running } else { &self.below[level as usize] };
        let mut args = ast.exprs.list(post.args).to_vec();
        args.extend(of_level.round.map(|r| build::name(ast, r)));
        args.extend(self.context(ast, level));
        post.args = ast.exprs.add_list(&args);
    }

    /// The state of the interrupted tasks below a level.
    fn context(&self, ast: &mut Ast, level: u32) -> Vec<ExprId> {
        let parts: Vec<Sym> = self.below[..level as usize].iter().flat_map(Known::parts).collect();
        build::names(ast, &parts)
    }

    /// The parameters for the additional arguments of a task of a level.
    fn more_ins(&self, ast: &mut Ast, level: u32) -> Vec<VarDecl> {
        let round = self.running.round.map(|_| self.round_at);
        let names = round.into_iter().chain(self.below_at[..level as usize].concat());
        names.collect::<Vec<Sym>>().into_iter().map(|n| build::local_int(ast, n, Attrs::NONE)).collect()
    }

    /// `procedure p$start(…, round, …)`, which begins a task.
    fn declare_start(&self, unit: &mut Unit, procedure: Sym, switches: Option<Switches>) {
        let Some(signature) = unit.procedure(procedure).map(|p| p.signature.clone()) else { return };
        let level = unit.levels.get(&procedure).copied().unwrap_or(0);
        let origin = unit.origin(procedure);
        let ast = &mut unit.ast;
        let mut stmts = Vec::new();
        let mut known = Vec::new();
        known.extend(self.running.round.map(|r| (r, self.round_at)));
        for (known_of, at) in self.below.iter().zip(&self.below_at).take(level as usize) {
            known.extend(pairs(&known_of.parts(), at));
        }
        stmts.extend(build::assign(ast, &known));
        let (count, one) = (build::name(ast, self.begun), build::int(ast, 1));
        let next = build::binary(ast, BinaryOp::Add, count, one);
        stmts.push(build::set(ast, &[self.begun], &[next]));
        let (number, zero) = (build::name(ast, self.begun), build::int(ast, 0));
        stmts.push(build::set(ast, &[self.running.task, self.running.part], &[number, zero]));
        stmts.extend(switches.map(|s| build::call(ast, &[], s.load, &[])));
        let place = self.place(level);
        let tagged = self.zields.as_ref().is_none_or(|z| z.main != procedure);
        stmts.extend(tagged.then(|| place.begins(ast, origin)));
        let locals = build::same_vars(&signature.outs);
        let args = build::names(ast, &build::var_names(&signature.ins));
        stmts.push(build::call(ast, &build::var_names(&locals), procedure, &args));
        stmts.extend(tagged.then(|| place.ends(ast)));
        stmts.extend(switches.map(|s| build::call(ast, &[], s.store, &[])));
        let mut ins = build::same_vars(&signature.ins);
        ins.extend(self.more_ins(ast, level));
        let start =
            Signature { name: build::ident(self.starts[&procedure]), ins, outs: Vec::new(), ..signature };
        unit.levels.insert(start.name.name, level);
        build::declare_procedure(ast, start, locals, stmts, Attrs::NONE);
    }

    /// `procedure p$raise(…)`, which posts a task one level up, and continues when that level is done.
    fn declare_raise(&self, unit: &mut Unit, procedure: Sym) {
        let Some(signature) = unit.procedure(procedure).map(|p| p.signature.clone()) else { return };
        let level = unit.levels.get(&procedure).copied().unwrap_or(1);
        let ast = &mut unit.ast;
        let place = self.place(level - 1);
        let mut around = self.around_level(ast);
        let tagged = self.zields.as_ref().is_none_or(|z| !z.entries.contains(&procedure));
        let mut stmts: Vec<Stmt> = tagged.then(|| place.pauses(ast)).into_iter().collect();
        stmts.push(self.next_part(ast));
        stmts.append(&mut around.before);
        let ins = build::vars_apart(ast, &signature.ins);
        let mut args = build::names(ast, &build::var_names(&ins));
        args.extend(self.running.round.map(|_| build::int(ast, 0)));
        args.extend(self.context(ast, level - 1));
        args.extend(build::names(ast, &self.running.parts()));
        let args = ast.exprs.add_list(&args);
        let start = build::ident(self.starts[&procedure]);
        let post =
            Async { handle: None, result: None, procedure: start, args, level: Some(level), buffer: None };
        stmts.push(stmt(StmtKind::Async(Box::new(post))));
        stmts.append(&mut around.after);
        stmts.push(self.next_part(ast));
        stmts.extend(tagged.then(|| place.resumes(ast)));
        let name = self.raises[&procedure];
        let raise = Signature { name: build::ident(name), ins, outs: Vec::new(), ..signature };
        unit.levels.insert(name, level - 1);
        build::declare_procedure(ast, raise, around.locals, stmts, Attrs::NONE);
    }

    fn next_part(&self, ast: &mut Ast) -> Stmt {
        let (part, one) = (build::name(ast, self.running.part), build::int(ast, 1));
        let next = build::binary(ast, BinaryOp::Add, part, one);
        build::set(ast, &[self.running.part], &[next])
    }

    /// The copies of this level are set aside for those of the next.
    fn around_level(&self, ast: &mut Ast) -> Around {
        let (Some((first, later)), Some(last)) = (self.copies.split_first(), self.copies.last()) else {
            return Around::default();
        };
        let (saved, guess) = (&self.saved, &self.guess);
        let mut locals = globals::vector_declarations(&self.shared, saved);
        locals.extend(globals::vector_declarations(&self.shared, guess));
        let mut before = build::assign(ast, &vector_pairs(saved, &self.copies));
        before.extend(build::havoc(&guess.concat()));
        before.extend(build::assign(ast, &pairs(first, &self.vars)));
        before.extend(build::assign(ast, &vector_pairs(later, guess)));
        let mut after = build::assume_equal(ast, &vector_pairs(&self.copies, guess));
        after.extend(build::assign(ast, &pairs(&self.vars, last)));
        after.extend(build::assign(ast, &vector_pairs(&self.copies, saved)));
        Around { locals, before, after }
    }

    /// The entry point, in the first round.
    fn declare_entry(&self, unit: &mut Unit, entry: Sym) {
        let Some(signature) = unit.procedure(entry).map(|p| p.signature.clone()) else { return };
        let ast = &mut unit.ast;
        let name = build::derive(ast, entry, "first", Role::Wrapper);
        let mut args = build::names(ast, &build::var_names(&signature.ins));
        args.extend(self.running.round.map(|_| build::int(ast, 0)));
        let call = build::call(ast, &[], self.starts[&entry], &args);
        let ins = build::same_vars(&signature.ins);
        build::declare_procedure(ast, build::signature(name, ins, vec![]), vec![], vec![call], Attrs::NONE);
        unit.levels.insert(name, 0);
        unit.entries[0].procedure = name;
    }
}

/// The code around a post to a higher level.
#[derive(Default)]
struct Around {
    locals: Vec<VarDecl>,
    before: Vec<Stmt>,
    after: Vec<Stmt>,
}
