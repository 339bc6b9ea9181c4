//! Functions become their bodies, functions that the solver interprets, or uninterpreted functions with an axiom.

use dally_bpl::ast::{Attr, AttrArg, Attrs, DeclKind, ExprId, RoundingMode};
use dally_bpl::check::FunctionId;
use dally_text::source::Span;

use super::{Found, Logic, Shape, Symbol, Uninterpreted, unsupported};
use crate::expr::Scope;
use crate::term::{Sort, Term};

impl Logic<'_> {
    /// The function applied to arguments.
    pub(crate) fn apply(&mut self, id: FunctionId, args: &[Term], result: Sort, span: Span) -> Found<Term> {
        let info = &self.program.info[id];
        if let Some(construction) = info.constructs {
            return Ok(self.terms.construct(construction.index as u32, args, result));
        }
        let decl = self.program.ast.decls.get(info.decl);
        let Some(DeclKind::Function(function)) = decl.map(|d| &d.kind) else {
            return unsupported(span, "a function without a declaration");
        };
        let attrs = decl.map_or(&Attrs::NONE, |d| &d.attrs);
        if let Some(head) = self.built_in(attrs, args, result, span)? {
            let known = (head.clone(), decl.map_or(span, |d| d.span));
            if !self.built_ins.contains(&known) {
                self.built_ins.push(known);
            }
            return Ok(self.terms.named(&head, args, result));
        }
        match function.body {
            Some(body) if self.is_replaced(id) => {
                if let Some(term) = self.applications.get(&(id, args.to_vec())) {
                    return Ok(*term);
                }
                self.used(Symbol::Function(id))?;
                let mut scope = Scope::stateless();
                let vars = self.program.info.function_vars(id).to_vec();
                scope.bind(vars.into_iter().zip(args).filter_map(|(v, t)| Some((v?, *t))));
                let term = dally_text::stack::grow(|| self.expr(body, &mut scope))?;
                self.applications.insert((id, args.to_vec()), term);
                Ok(term)
            }
            body => {
                let head = self.declare_function(id, args, result, body, span)?;
                Ok(self.terms.named(&head, args, result))
            }
        }
    }

    fn declare_function(
        &mut self,
        id: FunctionId,
        args: &[Term],
        result: Sort,
        body: Option<ExprId>,
        span: Span,
    ) -> Found<String> {
        let mut sorts: Vec<Sort> = args.iter().map(|a| self.terms.sort_of(*a)).collect();
        sorts.push(result);
        if let Some(head) = self.functions.get(&(id, sorts.clone())) {
            return Ok(head.clone());
        }
        let head = self.name(self.program.ast.text(self.program.info[id].name));
        let texts: Vec<&str> = sorts.iter().map(|s| self.terms.sort_text(*s)).collect();
        let (own, params) = texts.split_last().unwrap_or((&"Bool", &[]));
        let text = format!("(declare-fun {head} ({}) {own})\n", params.join(" "));
        self.declarations.push_str(&text);
        self.functions.insert((id, sorts.clone()), head.clone());
        self.uninterpreted.push(Uninterpreted { function: id, head: head.clone() });
        self.used(Symbol::Function(id))?;
        if let Some(body) = body {
            self.define(id, &head, body, &sorts, span)?;
        }
        Ok(head)
    }

    /// `forall args :: f(args) == body`
    fn define(&mut self, id: FunctionId, head: &str, body: ExprId, sorts: &[Sort], span: Span) -> Found<()> {
        let vars = self.program.info.function_vars(id).to_vec();
        let Some((result, params)) = sorts.split_last() else { return Ok(()) };
        let (mut scope, mut bound, mut terms) = (Scope::stateless(), Vec::new(), Vec::new());
        for (var, sort) in vars.iter().zip(params) {
            let Some(var) = var else {
                return unsupported(span, "a function whose parameters have no names");
            };
            let (name, term) = self.bound(*var, *sort);
            bound.push(format!("({name} {})", self.terms.sort_text(*sort)));
            scope.bind([(*var, term)]);
            terms.push(term);
        }
        let body = self.without_witnesses(|logic| logic.expr(body, &mut scope))?;
        let own = self.terms.named(head, &terms, *result);
        let equal = self.terms.eq(own, body);
        let axiom = if bound.is_empty() {
            equal
        } else {
            self.terms.quantified(&format!("forall ({})", bound.join(" ")), &terms, equal, vec![vec![own]])
        };
        self.state(axiom);
        self.defines = true;
        Ok(())
    }

    /// The name of a function that the solver interprets: `{:bvbuiltin "bvadd"}`.
    fn built_in(&mut self, attrs: &Attrs, args: &[Term], result: Sort, span: Span) -> Found<Option<String>> {
        let ast = &self.program.ast;
        let attr = ast.attr(attrs, "bvbuiltin").or_else(|| ast.attr(attrs, "builtin"));
        let Some(Attr { args: named, .. }) = attr else { return Ok(None) };
        let Some(AttrArg::Str(text)) = named.first() else { return Ok(None) };
        let text = ast.text(*text).trim();
        // The text is sent as it is: it must be one symbol or one list.
        let plain = |c: char| c.is_ascii_alphanumeric() || "_.-+*/<>=!$".contains(c);
        let listed = |c: char| plain(c) || c == ' ';
        Ok(Some(if text == "MapConst" {
            format!("(as const {})", self.terms.sort_text(result))
        } else if text == "seq.empty" {
            format!("(as seq.empty {})", self.terms.sort_text(result))
        } else if let Some(operation) = self.map_operation(text, args, result) {
            operation
        } else if let Some((head, mode)) = text.rsplit_once(' ')
            && RoundingMode::named(mode).is_some()
            && head.trim_start_matches("(_ ").trim_end_matches(')').chars().all(listed)
            && head.starts_with('(') == head.ends_with(')')
        {
            // The rounding mode is the first argument.
            text.to_owned()
        } else if !text.is_empty() && text.chars().all(plain) {
            text.to_owned()
        } else if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'))
            && inner.chars().all(listed)
        {
            text.to_owned()
        } else if !text.is_empty() && text.chars().all(listed) {
            format!("(_ {text})")
        } else {
            return unsupported(span, "this built-in function");
        }))
    }

    /// A map function of Boogie's library: an operation on the elements of maps.
    fn map_operation(&self, name: &str, args: &[Term], result: Sort) -> Option<String> {
        let element = |sort: Sort| match *self.shape(sort) {
            Shape::Map(_, value) => self.terms.sort_text(value).to_owned(),
            _ => String::new(),
        };
        let integers = |op: &str, to: &str| Some(format!("(_ map ({op} (Int Int) {to}))"));
        match name {
            "MapAdd" => integers("+", "Int"),
            "MapSub" => integers("-", "Int"),
            "MapMul" => integers("*", "Int"),
            "MapDiv" => integers("div", "Int"),
            "MapMod" => integers("mod", "Int"),
            "MapGt" => integers(">", "Bool"),
            "MapGe" => integers(">=", "Bool"),
            "MapLt" => integers("<", "Bool"),
            "MapLe" => integers("<=", "Bool"),
            "MapIff" => Some("(_ map (= (Bool Bool) Bool))".to_owned()),
            "MapOr" => Some("(_ map or)".to_owned()),
            "MapAnd" => Some("(_ map and)".to_owned()),
            "MapNot" => Some("(_ map not)".to_owned()),
            "MapImp" => Some("(_ map =>)".to_owned()),
            "MapEq" => {
                let own = args.first().map(|arg| element(self.terms.sort_of(*arg)))?;
                Some(format!("(_ map (= ({own} {own}) Bool))"))
            }
            "MapIte" => {
                let own = element(result);
                Some(format!("(_ map (ite (Bool {own} {own}) {own}))"))
            }
            _ => None,
        }
    }
}
