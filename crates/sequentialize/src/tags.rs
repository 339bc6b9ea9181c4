//! Tags, which restore the order of the original program on a path of the sequential one.
//!
//! A sequential program runs the pieces of tasks in another order than the original. Each piece begins and ends at
//! a tag, an `assume` of `true` with attributes:
//!
//! | tag | where |
//! |---|---|
//! | `{:begins "p"}` | a task of procedure `p` begins, after the delays spent on it |
//! | `{:pauses}` | the running task may be switched |
//! | `{:resumes}` | the running task goes on, perhaps in another round |
//! | `{:ends}` | the running task ends |
//!
//! Each has the place at which the piece runs, `{:place k, order}`: the round, and a number within the round.
//! Begins and ends are nested like the calls that post tasks, so that the task of each piece is known. **In the
//! lexicographic order of their places, the pieces are an execution of the original program**; pieces of the same
//! place follow each other as on the path. A task that is in a later round than at its previous tag, or than its
//! poster, has been delayed by the difference.
//!
//! With levels and buffers a place has more parts: see [`crate::yields`].

use dally_bpl::ast::{Ast, Attr, AttrArg, Stmt};
use dally_text::symbol::Sym;

use crate::build;

/// The variables that say where a piece belongs, the first one counting most.
#[derive(Clone, Debug)]
pub(crate) struct Position(pub(crate) Vec<Sym>);

impl Position {
    pub(crate) fn begins(&self, ast: &mut Ast, procedure: Sym) -> Stmt {
        let text = ast.text(procedure).to_owned();
        let tag = build::attr_text(ast, "begins", &text);
        self.tag(ast, tag)
    }

    pub(crate) fn pauses(&self, ast: &mut Ast) -> Stmt {
        let tag = build::attr(ast, "pauses", Vec::new());
        self.tag(ast, tag)
    }

    pub(crate) fn resumes(&self, ast: &mut Ast) -> Stmt {
        let tag = build::attr(ast, "resumes", Vec::new());
        self.tag(ast, tag)
    }

    pub(crate) fn ends(&self, ast: &mut Ast) -> Stmt {
        let tag = build::attr(ast, "ends", Vec::new());
        self.tag(ast, tag)
    }

    fn tag(&self, ast: &mut Ast, first: Attr) -> Stmt {
        let parts = build::names(ast, &self.0).into_iter().map(AttrArg::Expr).collect();
        let place = build::attr(ast, "place", parts);
        let condition = build::boolean(ast, true);
        Stmt { attrs: [first, place].into_iter().collect(), ..build::assume(condition) }
    }
}
