//! Vectors of globals, one copy per round, as df and dfw have them.
//!
//! [SPIN14 Fig. 6] reads and writes `G[k]`. Here the running task has its globals under their own names, so that
//! its text stays as it is, and with them copies `x$0`, `x$1`, … for the other rounds: where the task moves on to
//! another round, it stores its globals in the copies of the old one, and loads those of the new one.

use dally_bpl::ast::{Ast, Stmt, VarDecl};
use dally_text::symbol::Sym;

use crate::build;
use crate::globals::{self, Global, pairs, vector_pairs};
use crate::posts::{self, Around};
use crate::rounds::Rounds;

#[derive(Debug)]
pub(crate) struct Vectors {
    pub(crate) shared: Vec<Global>,
    pub(crate) vars: Vec<Sym>,
    /// `G`: the values that the rounds of the running task have reached. That of the current round is out of date.
    pub(crate) reached: Vec<Vec<Sym>>,
    /// `Next`: the values that the tasks posted so far will leave.
    pub(crate) next: Vec<Vec<Sym>>,
    load: Sym,
    store: Sym,
    /// The procedure that may move the running task to another round, if that is possible.
    pub(crate) pause: Option<Sym>,
}

impl Vectors {
    /// The code around a posted task: it begins in a later round, where the guess for the end of its piece is made, and confirmed when
    /// it ends.
    pub(crate) fn run_later(&self, ast: &mut Ast, rounds: &Rounds, guess: &[Vec<Sym>], around: &mut Around) {
        around.before.extend(self.advance(ast, guess));
        around.before.extend(rounds.begin_piece(ast));
        around.before.extend(rounds.maybe_delay(ast));
        around.before.push(self.load(ast));
        around.after = self.confirm(ast, guess);
    }

    pub(crate) fn declare(ast: &mut Ast, shared: Vec<Global>, rounds: &Rounds) -> Vectors {
        let vars = globals::names(&shared);
        let reached = globals::declare_vector(ast, &shared, "", rounds.count);
        let next = globals::declare_vector(ast, &shared, "next", rounds.count);
        let helper = |ast: &mut Ast, name: &str, from_copies: bool| {
            let case = |ast: &mut Ast, copies: &Vec<Sym>| match from_copies {
                true => build::assign(ast, &pairs(&vars, copies)),
                false => build::assign(ast, &pairs(copies, &vars)),
            };
            let cases = reached.iter().map(|copies| case(ast, copies)).collect();
            let stmts = build::by_value(ast, rounds.round, cases);
            let name = build::fresh(ast, name);
            build::declare_helper(ast, name, Vec::new(), stmts);
            name
        };
        let (load, store) = (helper(ast, "load", true), helper(ast, "store", false));
        let mut vectors = Vectors { shared, vars, reached, next, load, store, pause: None };
        vectors.declare_pause(ast, rounds);
        vectors
    }

    fn declare_pause(&mut self, ast: &mut Ast, rounds: &Rounds) {
        let delay = rounds.maybe_delay(ast);
        if delay.is_empty() {
            return;
        }
        let mut stmts = vec![rounds.place().pauses(ast), self.store(ast)];
        stmts.extend(delay);
        stmts.push(self.load(ast));
        stmts.push(rounds.place().resumes(ast));
        let name = build::fresh(ast, "pause");
        build::declare_helper(ast, name, Vec::new(), stmts);
        self.pause = Some(name);
    }

    pub(crate) fn load(&self, ast: &mut Ast) -> Stmt {
        build::call(ast, &[], self.load, &[])
    }

    pub(crate) fn store(&self, ast: &mut Ast) -> Stmt {
        build::call(ast, &[], self.store, &[])
    }

    /// `Next := guess := *`
    pub(crate) fn guess_next(&self, ast: &mut Ast, guess: &[Vec<Sym>]) -> Vec<Stmt> {
        let mut stmts = build::havoc(&self.next.concat());
        stmts.extend(build::assign(ast, &vector_pairs(guess, &self.next)));
        stmts
    }

    /// `G := Next; Next := guess := *`
    pub(crate) fn advance(&self, ast: &mut Ast, guess: &[Vec<Sym>]) -> Vec<Stmt> {
        let mut stmts = build::assign(ast, &vector_pairs(&self.reached, &self.next));
        stmts.extend(self.guess_next(ast, guess));
        stmts
    }

    /// `assume G = guess`, of whole vectors.
    pub(crate) fn confirm(&self, ast: &mut Ast, guess: &[Vec<Sym>]) -> Vec<Stmt> {
        let mut stmts = vec![self.store(ast)];
        stmts.extend(build::assume_equal(ast, &vector_pairs(&self.reached, guess)));
        stmts
    }

    /// Locals that save the globals of the poster, and the values that it has reached.
    pub(crate) fn keepers(&self, ast: &mut Ast) -> Vec<(Sym, VarDecl)> {
        let mut kept = posts::keepers(ast, &self.shared);
        kept.extend(self.keepers_of(ast, &self.reached, "poster"));
        kept
    }

    /// Locals that save a vector.
    pub(crate) fn keepers_of(&self, ast: &mut Ast, vector: &[Vec<Sym>], suffix: &str) -> Vec<(Sym, VarDecl)> {
        let saves = globals::vector(ast, &self.shared, suffix, vector.len() as u32);
        let by_round = vector.iter().zip(&saves);
        by_round.flat_map(|(v, s)| v.iter().copied().zip(globals::declarations(&self.shared, s))).collect()
    }

    /// Locals for the values at the beginnings of rounds.
    pub(crate) fn initial(&self, ast: &mut Ast) -> (Vec<VarDecl>, Vec<Vec<Sym>>) {
        let init = globals::vector(ast, &self.shared, "init", self.reached.len() as u32);
        (globals::vector_declarations(&self.shared, &init), init)
    }

    /// The first round begins with the globals as they are, the others with what is guessed.
    pub(crate) fn begin(&self, ast: &mut Ast, init: &[Vec<Sym>], guess: &[Vec<Sym>]) -> Vec<Stmt> {
        let mut stmts = build::assign(ast, &pairs(&init[0], &self.vars));
        stmts.extend(build::assign(ast, &vector_pairs(&self.reached, init)));
        stmts.extend(self.guess_next(ast, guess));
        stmts
    }

    /// Each round has begun where the one before it ended; the last one has left the final values.
    pub(crate) fn finish(&self, ast: &mut Ast, guess: &[Vec<Sym>], init: &[Vec<Sym>]) -> Vec<Stmt> {
        let mut stmts = self.confirm(ast, guess);
        stmts.extend(build::assume_equal(ast, &vector_pairs(&self.next, &init[1..])));
        if let Some(last) = self.next.last() {
            stmts.extend(build::assign(ast, &pairs(&self.vars, last)));
        }
        stmts
    }
}
