//! Tags: what puts a path of the sequential program back into the order of the original one.
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
//! Each has the round and the place within the round at which the piece runs: `{:round k} {:order order}`. Begins
//! and ends are nested like the calls that post tasks, so that it is known whose piece it is. **In the order of
//! (round, order) the pieces are an execution of the original program**, and a task that is in a later round than
//! at its previous tag, or at its post, has been delayed by the difference. `dally sequentialize --to buffers`
//! has more to say: see [`crate::priorities`].

use dally_bpl::ast::{Ast, Attr, AttrArg, Stmt};
use dally_bpl::symbol::Sym;

use crate::build;

/// The variables that say where a piece belongs.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Attribute and variable, the first one counting most.
    pub(crate) keys: Vec<(&'static str, Sym)>,
}

impl Place {
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
        let mut attrs = vec![first];
        for (attr, variable) in &self.keys {
            let value = build::name(ast, *variable);
            attrs.push(build::attr(ast, attr, vec![AttrArg::Expr(value)]));
        }
        let condition = build::boolean(ast, true);
        Stmt { attrs: attrs.into_iter().collect(), ..build::assume(condition) }
    }
}
