//! Asynchronous statements: the parser normalises the syntax of dally, c2s and Corral to one tree.
//!
//! | | dally | c2s | Corral |
//! |---|---|---|---|
//! | post | `call {:async} p(e);` | the same | `async call p(e);` |
//! | post with a handle | `call {:async} t := p(e);` | `call {:async t} r := p(e);` | |
//! | wait | `call r := wait(t);` | `assume {:wait r, t} true;` | |
//! | yield | `yield;` | `assume {:yield} true;` | `yield;`, `call corral_yield();` |
//! | failure | `assert false;` | the same | `call corral_assert_not_reachable();` |
//!
//! In c2s's post, `r` only gives the type of the result. The wait assigns to it, so the post checks its type and
//! does not print it.

use dally_text::diagnostic::{Diagnostic, Diagnostics};
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::stmt::StmtParts;
use super::{Parsed, Parser};
use crate::ast::{
    Ast, Async, Attr, AttrArg, Attrs, Call, DeclKind, Expr, ExprId, Ident, Stmt, StmtKind, for_each_stmt_mut,
};
use crate::codes;
use crate::lexer::T;

const WAIT: &str = "wait";

/// The attributes that turn an `assume` into an asynchronous statement.
const ASSUME_KINDS: [&str; 6] = [WAIT, "yield", "zield", "await", "seal", "unseal"];

impl Parser<'_> {
    /// `[async] [free] call {:attrs} outs := p(args);`
    pub(super) fn call(&mut self) -> Parsed<StmtParts> {
        let start = self.token.start;
        let keyword_async = self.eat(T::Async);
        let free = self.eat(T::Free);
        self.expect(T::Call)?;
        let attrs = self.attrs()?;
        let call = self.call_target(free)?;
        while self.eat(T::Bar) {
            self.attrs()?;
            self.call_target(false)?;
            let span = self.span_from(start);
            self.civl_parallel_call(span);
        }
        self.expect(T::Semi)?;
        let async_attr = self.ast.attr(&attrs, "async").cloned();
        if keyword_async || async_attr.is_some() {
            return Ok(self.post(&call, async_attr.as_ref(), &attrs));
        }
        self.waits |= self.ast.text(call.procedure.name) == WAIT;
        let kind = match self.ast.text(call.procedure.name) {
            "corral_yield" => StmtKind::Yield,
            "corral_atomic_begin" => StmtKind::AtomicBegin,
            "corral_atomic_end" => StmtKind::AtomicEnd,
            "corral_assert_not_reachable" => {
                StmtKind::Assert(self.ast.exprs.add(Expr::Bool(false), call.procedure.span))
            }
            _ => return Ok(StmtParts { kind: StmtKind::Call(Box::new(call)), attrs }),
        };
        if !call.outs.is_empty() || !call.args.is_empty() {
            let name = self.ast.text(call.procedure.name);
            let message = format!("`{name}` takes no arguments and returns no results");
            self.bad_async(call.procedure.span, message, "");
        }
        Ok(StmtParts { kind, attrs })
    }

    /// `outs := p(args)` or `p(args)`
    fn call_target(&mut self, free: bool) -> Parsed<Call> {
        let mut outs =
            self.comma_separated(|p| if p.eat(T::Star) { Ok(None) } else { p.ident().map(Some) })?;
        let procedure = match outs[..] {
            [Some(name)] if self.at(T::LParen) => {
                outs.clear();
                name
            }
            _ => {
                self.expect(T::Assign)?;
                self.ident()?
            }
        };
        let args = self.call_arguments()?;
        let args = self.ast.exprs.add_list(&args);
        Ok(Call { free, outs, procedure, args })
    }

    fn post(&mut self, call: &Call, attr: Option<&Attr>, attrs: &Attrs) -> StmtParts {
        let mut result = None;
        let handle = match attr.map_or(&[][..], |a| &a.args) {
            [] => {
                if call.outs.len() > 1 {
                    let span = call.outs.iter().flatten().next_back().map_or(call.procedure.span, |o| o.span);
                    let message = "an asynchronous call returns one task handle".to_owned();
                    self.bad_async(span, message, "wait for the results with `call r := wait(t);`");
                }
                call.outs.first().copied().flatten()
            }
            [AttrArg::Expr(task)] => {
                result = call.outs.first().copied().flatten();
                self.name_of(*task)
            }
            _ => {
                let span = attr.map_or(call.procedure.span, |a| a.span);
                self.bad_async(span, "`:async` takes at most one variable".to_owned(), "");
                None
            }
        };
        self.handles |= handle.is_some();
        let (level, buffer) = (self.number(attrs, "level"), self.number(attrs, "buffer"));
        let attrs = self.without(&self.without(&self.without(attrs, "async"), "level"), "buffer");
        let Call { procedure, args, .. } = *call;
        let kind = StmtKind::Async(Box::new(Async { handle, result, procedure, args, level, buffer }));
        StmtParts { kind, attrs }
    }

    /// `{:level n}` or `{:buffer n}`
    fn number(&mut self, attrs: &Attrs, name: &str) -> Option<u32> {
        let attr = self.ast.attr(attrs, name)?;
        let digits = match attr.args[..] {
            [AttrArg::Expr(e)] => match self.ast.exprs[e] {
                Expr::Int(digits) => Some(digits),
                _ => None,
            },
            _ => None,
        };
        let number = digits.and_then(|d| self.ast.text(d).parse().ok());
        if number.is_none() {
            let span = attr.span;
            self.bad_async(span, format!("`:{name}` takes a number"), &format!("write `{{:{name} 2}}`"));
        }
        number
    }

    /// `assume {:attrs} e;`, which may be an asynchronous statement.
    pub(super) fn assume(&mut self) -> Parsed<StmtParts> {
        let StmtParts { kind, attrs } = self.simple(|p, _| Ok(StmtKind::Assume(p.expr()?)))?;
        let special = ASSUME_KINDS.into_iter().find_map(|n| Some((n, self.ast.attr(&attrs, n)?.clone())));
        let (Some((name, attr)), StmtKind::Assume(condition)) = (special, &kind) else {
            return Ok(StmtParts { kind, attrs });
        };
        let condition = *condition;
        if name != "await" && self.ast.exprs[condition] != Expr::Bool(true) {
            let message = format!("the condition of `assume {{:{name}}}` must be `true`");
            let help = "to block until a condition holds, write `assume {:await} e;`";
            self.bad_async(self.ast.exprs.span(condition), message, help);
        }
        let kind = match name {
            "yield" => StmtKind::Yield,
            "zield" => StmtKind::Zield,
            "seal" => StmtKind::Seal,
            "unseal" => StmtKind::Unseal,
            "await" => StmtKind::Await(condition),
            _ => self.wait(&attr),
        };
        if name != WAIT && !attr.args.is_empty() {
            self.bad_async(attr.span, format!("`:{name}` takes no arguments"), "");
        }
        Ok(StmtParts { kind, attrs: self.without(&attrs, name) })
    }

    /// `{:wait r, t}`, or `{:wait t}`.
    fn wait(&mut self, attr: &Attr) -> StmtKind {
        match attr.args[..] {
            [AttrArg::Expr(task)] => StmtKind::Wait(None, task),
            [AttrArg::Expr(result), AttrArg::Expr(task)] => StmtKind::Wait(self.name_of(result), task),
            _ => {
                let help = "write `assume {:wait r, t} true;`";
                self.bad_async(attr.span, "`:wait` takes a variable and a task".to_owned(), help);
                StmtKind::Yield
            }
        }
    }

    /// The expression as a variable; reports one that is not a variable.
    fn name_of(&mut self, expr: ExprId) -> Option<Ident> {
        let span = self.ast.exprs.span(expr);
        if let Expr::Name(name) = self.ast.exprs[expr] {
            return Some(Ident { name, span });
        }
        self.bad_async(span, "this must be a variable".to_owned(), "");
        None
    }

    fn without(&self, attrs: &Attrs, name: &str) -> Attrs {
        self.ast.symbols.get(name).map_or_else(|| attrs.clone(), |name| attrs.without(name))
    }

    fn bad_async(&mut self, span: Span, message: String, help: &str) {
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.error(Diagnostic::new(codes::BAD_ASYNC, span, message).maybe_help(help));
    }
}

/// Turns calls of `wait` into [`StmtKind::Wait`].
///
/// `wait` is reserved unless the program declares a procedure of that name, which is known only after all files
/// are parsed.
pub(super) fn lower_waits(ast: &mut Ast, diagnostics: &mut Diagnostics) {
    let wait = ast.symbols.intern(WAIT);
    let declares = |kind: &DeclKind| matches!(kind, DeclKind::Procedure(p) if p.signature.name.name == wait);
    if ast.decls.iter().any(|d| declares(&d.kind)) {
        return;
    }
    let mut codes = ast.exprs.take_codes();
    let bodies = ast.decls.iter_mut().filter_map(|d| match &mut d.kind {
        DeclKind::Procedure(p) => p.body.as_mut(),
        DeclKind::Implementation(i) => Some(&mut i.body),
        _ => None,
    });
    let exprs = &ast.exprs;
    for body in bodies.chain(&mut codes) {
        for_each_stmt_mut(&mut body.block, &mut |stmt| {
            lower_wait(stmt, wait, |call| exprs.list(call.args), diagnostics);
        });
    }
    ast.exprs.put_codes(codes);
}

fn lower_wait<'a>(
    stmt: &mut Stmt,
    wait: Sym,
    args: impl Fn(&Call) -> &'a [ExprId],
    diagnostics: &mut Diagnostics,
) {
    let StmtKind::Call(call) = &stmt.kind else { return };
    if call.procedure.name != wait {
        return;
    }
    match (&call.outs[..], args(call)) {
        ([], [task]) => stmt.kind = StmtKind::Wait(None, *task),
        ([out], [task]) => stmt.kind = StmtKind::Wait(*out, *task),
        _ => diagnostics.push(
            Diagnostic::new(
                codes::BAD_ASYNC,
                call.procedure.span,
                "`wait` takes one task and returns at most one result",
            )
            .help("write `call r := wait(t);`, or `call wait(t);` for a task without a result"),
        ),
    }
}
