//! Translation of expressions to terms.

use dally_bpl::ast::{BinaryOp, BinderKind, Expr, ExprId, ExprList, UnaryOp};
use dally_bpl::check::{Ref, Ty, TyKind, VarId, VarKind};
use dally_bpl::float::{Float, Format};
use dally_text::source::Span;
use dally_text::stack::grow;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::build::code_of_function;
use crate::flow::Flows;
use crate::logic::{Found, Logic, unsupported};
use crate::term::{Node, Sort, Term, Terms};

/// The values of the variables of an expression.
#[derive(Debug)]
pub(crate) struct Scope<'e> {
    state: Option<State<'e>>,
    bound: FxHashMap<VarId, Term>,
    in_old: bool,
}

/// The values of variables at a program point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<'e> {
    pub(crate) flows: &'e Flows,
    /// By slot.
    pub(crate) now: &'e [Term],
    /// The globals on entry to the procedure.
    pub(crate) old: &'e [Term],
}

impl<'e> Scope<'e> {
    /// No variables: for axioms and the bodies of functions.
    pub(crate) fn stateless() -> Scope<'e> {
        Scope { state: None, bound: FxHashMap::default(), in_old: false }
    }

    pub(crate) fn of(state: State<'e>) -> Scope<'e> {
        Scope { state: Some(state), bound: FxHashMap::default(), in_old: false }
    }

    pub(crate) fn bind(&mut self, vars: impl IntoIterator<Item = (VarId, Term)>) {
        self.bound.extend(vars);
    }

    /// The value of a code expression.
    fn code(&self, e: ExprId) -> Option<Term> {
        let state = self.state?;
        state.now.get(state.flows.result(e)?).copied()
    }

    /// True if each read of a variable yields another value.
    fn is_untracked(&self, var: VarId) -> bool {
        let Some(State { flows, .. }) = self.state else { return false };
        !self.bound.contains_key(&var) && flows.slot(var).is_some_and(|slot| flows.untracked.contains(&slot))
    }

    fn variable(&self, var: VarId) -> Option<Term> {
        if let Some(term) = self.bound.get(&var) {
            return Some(*term);
        }
        let state = self.state?;
        let slot = state.flows.slot(var)?;
        if self.in_old && slot < state.flows.globals.len() {
            return state.old.get(slot).copied();
        }
        state.now.get(slot).copied()
    }
}

impl Logic<'_> {
    /// The term of an expression.
    pub(crate) fn expr(&mut self, e: ExprId, scope: &mut Scope<'_>) -> Found<Term> {
        self.limits.poll()?;
        grow(|| self.node(e, scope))
    }

    fn exprs(&mut self, list: ExprList, scope: &mut Scope<'_>) -> Found<Vec<Term>> {
        let program = self.program;
        program.ast.exprs.list(list).iter().map(|e| self.expr(*e, scope)).collect()
    }

    fn span(&self, e: ExprId) -> Span {
        self.program.ast.exprs.span(e)
    }

    fn sort_of_expr(&mut self, e: ExprId) -> Found<Sort> {
        let ty = self.program.info.type_of(e);
        self.sort(ty, self.span(e))
    }

    fn node(&mut self, e: ExprId, scope: &mut Scope<'_>) -> Found<Term> {
        let program = self.program;
        let span = self.span(e);
        match program.ast.exprs[e] {
            Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Real(_)
            | Expr::Bv(..)
            | Expr::Rounding(_)
            | Expr::Float(_)
            | Expr::Str(_) => self.literal(e),
            Expr::Code(_) => match scope.code(e) {
                Some(term) => Ok(term),
                None => unsupported(span, "a code expression here"),
            },
            Expr::Wildcard => {
                let sort = self.sort_of_expr(e)?;
                Ok(self.unknown("any", sort))
            }
            Expr::Name(_) => self.named_value(e, scope),
            Expr::Call(..) if let Some((body, _)) = code_of_function(program, e) => match scope.code(body) {
                Some(term) => Ok(term),
                None => unsupported(span, "a code expression here"),
            },
            Expr::Call(_, args) => {
                let args = self.exprs(args, scope)?;
                let sort = self.sort_of_expr(e)?;
                match program.info.meaning(e) {
                    Some(Ref::Function(f)) => self.apply(f, &args, sort, span),
                    _ => unsupported(span, "a name that is not known"),
                }
            }
            Expr::Unary(op, a) => {
                let a = self.expr(a, scope)?;
                Ok(self.unary(op, a))
            }
            Expr::Binary(op, a, b) => {
                let whole = program.info.type_of(e);
                let parts = (self.expr(a, scope)?, self.expr(b, scope)?);
                self.binary(op, parts.0, parts.1, whole, span)
            }
            Expr::Ite(a, b, c) => {
                let (a, b, c) = (self.expr(a, scope)?, self.expr(b, scope)?, self.expr(c, scope)?);
                Ok(self.terms.ite(a, b, c))
            }
            Expr::Old(a) => {
                let outer = std::mem::replace(&mut scope.in_old, true);
                let a = self.expr(a, scope);
                scope.in_old = outer;
                a
            }
            Expr::ToInt(a) => {
                let a = self.expr(a, scope)?;
                Ok(self.terms.named("to_int", &[a], Sort::INT))
            }
            Expr::ToReal(a) => {
                let a = self.expr(a, scope)?;
                Ok(self.terms.named("to_real", &[a], Sort::REAL))
            }
            Expr::Coerce(a, _) => self.expr(a, scope),
            Expr::Select(..)
            | Expr::Store(..)
            | Expr::Extract(..)
            | Expr::Field(..)
            | Expr::FieldUpdate(..)
            | Expr::Is(..) => self.part(e, scope),
            Expr::Binder(_) => self.binder(e, scope),
            Expr::Let(binding) => {
                let binding = program.ast.exprs.binding(binding);
                let values = self.exprs(binding.values, scope)?;
                let vars = program.info.bound_vars(e).to_vec();
                scope.bind(vars.into_iter().zip(values));
                self.expr(binding.body, scope)
            }
        }
    }

    /// A variable, a constant or a function without arguments.
    fn named_value(&mut self, e: ExprId, scope: &mut Scope<'_>) -> Found<Term> {
        let (program, span) = (self.program, self.span(e));
        match program.info.meaning(e) {
            Some(Ref::Var(var)) if scope.is_untracked(var) => self.arbitrary(var),
            Some(Ref::Var(var)) => match scope.variable(var) {
                Some(term) => Ok(term),
                None if matches!(program.info[var].kind, VarKind::Const { .. }) => self.constant(var),
                None => unsupported(span, "a variable here"),
            },
            Some(Ref::Function(f)) => {
                let sort = self.sort_of_expr(e)?;
                self.apply(f, &[], sort, span)
            }
            None => unsupported(span, "a name that is not known"),
        }
    }

    /// A literal.
    fn unary(&mut self, op: UnaryOp, a: Term) -> Term {
        match op {
            UnaryOp::Neg if self.terms.is_number(a) => self.terms.neg(a),
            UnaryOp::Neg => {
                let sort = self.terms.sort_of(a);
                self.terms.named("fp.neg", &[a], sort)
            }
            UnaryOp::Not => self.terms.not(a),
        }
    }

    fn literal(&mut self, e: ExprId) -> Found<Term> {
        let program = self.program;
        let span = self.span(e);
        match program.ast.exprs[e] {
            Expr::Bool(value) => Ok(self.terms.bool(value)),
            Expr::Int(digits) => match program.ast.text(digits).parse::<num_bigint::BigInt>() {
                Ok(n) => Ok(self.terms.int(n)),
                Err(_) => unsupported(span, "this number"),
            },
            Expr::Real(text) => self.real(program.ast.text(text), span),
            Expr::Bv(_, 0) => Ok(self.without_bits()),
            Expr::Bv(digits, width) => {
                let sort = self.sort_of_expr(e)?;
                let digits = program.ast.text(digits).trim_start_matches('0');
                let digits = if digits.is_empty() { "0" } else { digits };
                Ok(self.terms.literal(&format!("(_ bv{digits} {width})"), sort))
            }
            Expr::Rounding(mode) => {
                let sort = self.sort_of_expr(e)?;
                Ok(self.terms.literal(mode.spelling(), sort))
            }
            Expr::Float(text) => match Float::literal(program.ast.text(text)) {
                Some(float) => {
                    let sort = self.sort_of_expr(e)?;
                    Ok(self.terms.literal(&bits_of(&float), sort))
                }
                None => unsupported(span, "a floating-point literal of so many bits"),
            },
            Expr::Str(text) => {
                let sort = self.sort_of_expr(e)?;
                Ok(self.terms.literal(&string_literal(program.ast.text(text)), sort))
            }
            _ => unsupported(span, "this literal"),
        }
    }

    /// An access to a part of a map, a bitvector or a value of a datatype.
    fn part(&mut self, e: ExprId, scope: &mut Scope<'_>) -> Found<Term> {
        let program = self.program;
        let span = self.span(e);
        match program.ast.exprs[e] {
            Expr::Select(map, indices) => {
                self.closed_map(map)?;
                let map = self.expr(map, scope)?;
                let indices = self.exprs(indices, scope)?;
                Ok(self.select(map, &indices))
            }
            Expr::Store(map, indices, value) => {
                self.closed_map(map)?;
                let map = self.expr(map, scope)?;
                let indices = self.exprs(indices, scope)?;
                let value = self.expr(value, scope)?;
                Ok(self.store(map, &indices, value))
            }
            Expr::Extract(a, high, low) => {
                let a = self.expr(a, scope)?;
                if high <= low {
                    return Ok(self.without_bits());
                }
                let sort = self.sort_of_expr(e)?;
                Ok(self.terms.named(&format!("(_ extract {} {low})", high - 1), &[a], sort))
            }
            Expr::Field(a, field) => {
                let ty = program.info.type_of(a);
                let a = self.expr(a, scope)?;
                self.field(a, ty, field, span)
            }
            Expr::FieldUpdate(a, field, value) => {
                let ty = program.info.type_of(a);
                let (a, value) = (self.expr(a, scope)?, self.expr(value, scope)?);
                self.field_update(a, ty, field, value, span)
            }
            Expr::Is(a, constructor) => {
                let ty = program.info.type_of(a);
                let a = self.expr(a, scope)?;
                match self.constructor(ty, constructor) {
                    Some(which) => Ok(self.terms.is(which, a)),
                    None => unsupported(span, "a constructor that is not known"),
                }
            }
            _ => unsupported(span, "this expression"),
        }
    }

    fn without_bits(&mut self) -> Term {
        let sort = self.no_bits();
        self.terms.literal(Logic::NO_BITS, sort)
    }

    /// Maps that bind type variables have no sort.
    fn closed_map(&mut self, map: ExprId) -> Found<()> {
        self.sort_of_expr(map).map(|_| ())
    }

    /// `1.5`, `2e10`: as a fraction, which all solvers read.
    fn real(&mut self, text: &str, span: Span) -> Found<Term> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((m, e)) => (m, e.parse::<i64>().ok()),
            None => (text, Some(0)),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let Some(exponent) = exponent.filter(|e| e.abs() <= 10_000) else {
            return unsupported(span, "a real with so large an exponent");
        };
        let shift = exponent - fraction.len() as i64;
        let digits = format!("{whole}{fraction}");
        let zeros = |n: i64| "0".repeat(usize::try_from(n).unwrap_or(0));
        let trimmed = digits.trim_start_matches('0');
        let digits = if trimmed.is_empty() { "0" } else { trimmed };
        let literal = if shift >= 0 {
            format!("{digits}{}.0", zeros(shift))
        } else {
            format!("(/ {digits}.0 1{}.0)", zeros(-shift))
        };
        Ok(self.terms.literal(&literal, Sort::REAL))
    }

    fn binary(&mut self, op: BinaryOp, a: Term, b: Term, whole: Ty, span: Span) -> Found<Term> {
        let terms = &mut self.terms;
        let real = |terms: &mut Terms, t: Term| {
            if terms.sort_of(t) == Sort::INT { terms.named("to_real", &[t], Sort::REAL) } else { t }
        };
        Ok(match op {
            // As in Boogie, operators round to the nearest even number, and equality is that of values: `fp.eq` is the one of
            // IEEE 754.
            _ if let Some(head) = float_operator(op)
                && terms.sort_text(terms.sort_of(a)).starts_with("(_ FloatingPoint") =>
            {
                let sort = self.sort(whole, span)?;
                self.terms.named(head, &[a, b], sort)
            }
            BinaryOp::Iff | BinaryOp::Eq => terms.eq(a, b),
            BinaryOp::Neq => {
                let equal = terms.eq(a, b);
                terms.not(equal)
            }
            BinaryOp::Implies => terms.implies(a, b),
            BinaryOp::And => terms.and(a, b),
            BinaryOp::Or => terms.or(a, b),
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge if !terms.is_number(a) => {
                return unsupported(span, "this comparison");
            }
            BinaryOp::Lt => terms.lt(a, b),
            BinaryOp::Gt => terms.lt(b, a),
            BinaryOp::Le => terms.le(a, b),
            BinaryOp::Ge => terms.le(b, a),
            BinaryOp::Concat => {
                let sort = self.sort(whole, span)?;
                match (self.terms.sort_of(a), self.terms.sort_of(b)) {
                    // The other operand has no bits.
                    (own, _) if own == sort => a,
                    (_, own) if own == sort => b,
                    _ => self.terms.named("concat", &[a, b], sort),
                }
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if !terms.is_number(a) => {
                return unsupported(span, "this operator");
            }
            BinaryOp::Add => terms.add_terms(a, b),
            BinaryOp::Sub => terms.sub_terms(a, b),
            BinaryOp::Mul => terms.mul(a, b),
            BinaryOp::Div => terms.named("div", &[a, b], Sort::INT),
            BinaryOp::Mod => terms.named("mod", &[a, b], Sort::INT),
            BinaryOp::RealDiv if whole == Ty::INT => terms.named("div", &[a, b], Sort::INT),
            BinaryOp::RealDiv if whole == Ty::REAL => {
                let (a, b) = (real(terms, a), real(terms, b));
                terms.named("/", &[a, b], Sort::REAL)
            }
            BinaryOp::RealDiv => return unsupported(span, "floating-point arithmetic"),
            BinaryOp::Pow => return unsupported(span, "`**`"),
        })
    }

    pub(crate) fn select(&mut self, map: Term, indices: &[Term]) -> Term {
        indices.iter().fold(map, |map, index| {
            let sort = self.value_sort(self.terms.sort_of(map));
            self.terms.select(map, *index, sort)
        })
    }

    /// A map with several indices is a map of maps.
    pub(crate) fn store(&mut self, map: Term, indices: &[Term], value: Term) -> Term {
        let Some((first, rest)) = indices.split_first() else { return value };
        let inner = if rest.is_empty() {
            value
        } else {
            let inner = self.select(map, &[*first]);
            self.store(inner, rest, value)
        };
        self.terms.store(map, *first, inner)
    }

    fn constructor(&self, ty: Ty, name: Sym) -> Option<u32> {
        let info = &self.program.info;
        let TyKind::Con(con, _) = info.types.kind(ty) else { return None };
        let constructors = &info.datatypes.get(con)?.constructors;
        constructors.iter().position(|c| info[c.function].name == name).map(|i| i as u32)
    }

    /// The constructors that have a field, each with the index of the field.
    fn having(&self, ty: Ty, field: Sym) -> Vec<(u32, u32)> {
        let info = &self.program.info;
        let TyKind::Con(con, _) = info.types.kind(ty) else { return Vec::new() };
        let Some(datatype) = info.datatypes.get(con) else { return Vec::new() };
        let place = |fields: &[Sym]| fields.iter().position(|f| *f == field);
        let all = datatype.constructors.iter().enumerate();
        all.filter_map(|(i, c)| Some((i as u32, place(&c.fields)? as u32))).collect()
    }

    pub(crate) fn field(&mut self, value: Term, ty: Ty, field: Sym, span: Span) -> Found<Term> {
        let having = self.having(ty, field);
        let sort = self.terms.sort_of(value);
        let Some(((last, at), others)) = having.split_last() else {
            return unsupported(span, "a field that is not known");
        };
        let part = |logic: &mut Self, c: u32, f: u32| {
            let own = logic.constructors(sort)[c as usize].fields[f as usize].1;
            logic.terms.get(c, f, value, own)
        };
        let mut result = part(self, *last, *at);
        for (c, f) in others.iter().rev() {
            let (is, own) = (self.terms.is(*c, value), part(self, *c, *f));
            result = self.terms.ite(is, own, result);
        }
        Ok(result)
    }

    pub(crate) fn field_update(
        &mut self,
        value: Term,
        ty: Ty,
        field: Sym,
        new: Term,
        span: Span,
    ) -> Found<Term> {
        let having = self.having(ty, field);
        if having.is_empty() {
            return unsupported(span, "a field that is not known");
        }
        let sort = self.terms.sort_of(value);
        let mut result = value;
        for (c, f) in having.into_iter().rev() {
            let fields: Vec<Sort> =
                self.constructors(sort)[c as usize].fields.iter().map(|(_, s)| *s).collect();
            let parts: Vec<Term> = (0u32..)
                .zip(&fields)
                .map(|(i, s)| if i == f { new } else { self.terms.get(c, i, value, *s) })
                .collect();
            let made = self.terms.construct(c, &parts, sort);
            let is = self.terms.is(c, value);
            result = self.terms.ite(is, made, result);
        }
        Ok(result)
    }

    /// The result type of a map.
    pub(crate) fn value_type(&self, map: Ty) -> Ty {
        match self.program.info.types.kind(map) {
            TyKind::Map(_, _, value) => *value,
            _ => map,
        }
    }

    /// The type of a field, as the datatype declares it.
    pub(crate) fn field_type(&self, ty: Ty, field: Sym) -> Ty {
        let info = &self.program.info;
        let TyKind::Con(con, _) = info.types.kind(ty) else { return ty };
        let found = info.datatypes.get(con).and_then(|d| d.field(field));
        found.and_then(|at| info[at.constructor].params.get(at.index).copied()).unwrap_or(ty)
    }

    /// The fields of a value made by a constructor, and the condition that it was.
    pub(crate) fn take_apart(&mut self, value: Term, constructor: Sym, ty: Ty) -> Option<(Term, Vec<Term>)> {
        let which = self.constructor(ty, constructor)?;
        let sort = self.terms.sort_of(value);
        let fields: Vec<Sort> =
            self.constructors(sort).get(which as usize)?.fields.iter().map(|(_, s)| *s).collect();
        let parts = (0u32..).zip(fields).map(|(i, s)| self.terms.get(which, i, value, s)).collect();
        Some((self.terms.is(which, value), parts))
    }

    fn binder(&mut self, e: ExprId, scope: &mut Scope<'_>) -> Found<Term> {
        let program = self.program;
        let Expr::Binder(id) = program.ast.exprs[e] else { return unsupported(self.span(e), "this") };
        let binder = program.ast.exprs.binder(id);
        if !binder.type_params.is_empty() {
            return unsupported(self.span(e), "a quantifier with type parameters");
        }
        let vars = program.info.bound_vars(e).to_vec();
        let (mut texts, mut bound) = (Vec::new(), Vec::new());
        for var in vars {
            let sort = self.sort(program.info[var].ty, self.span(e))?;
            self.use_unique(program.info[var].ty)?;
            let (name, term) = self.bound(var, sort);
            texts.push(format!("({name} {})", self.terms.sort_text(sort)));
            scope.bind([(var, term)]);
            bound.push(term);
        }
        let body = self.expr(binder.body, scope)?;
        if binder.kind == BinderKind::Lambda {
            return self.lambda(e, &texts, &bound, body);
        }
        let mut patterns = Vec::new();
        for trigger in binder.triggers.iter().filter(|t| t.positive) {
            patterns.push(self.exprs(trigger.exprs, scope)?);
        }
        let head = format!("{} ({})", Logic::quantifier(binder.kind), texts.join(" "));
        let quantified = self.terms.quantified(&head, &bound, body, patterns);
        self.quantifier_of_program(e, quantified, scope)
    }

    /// A lambda is a map that an axiom defines pointwise. If it depends on variables of quantifiers or lambdas around it, it is a
    /// function of these.
    fn lambda(&mut self, e: ExprId, texts: &[String], bound: &[Term], body: Term) -> Found<Term> {
        let sort = self.sort_of_expr(e)?;
        let free = self.terms.free(body);
        if bound.iter().all(|var| !free.contains(var)) {
            let mut map = body;
            let mut sorts = vec![sort];
            for _ in 1..bound.len() {
                sorts.push(self.value_sort(sorts[sorts.len() - 1]));
            }
            for sort in sorts.into_iter().rev() {
                let head = format!("(as const {})", self.terms.sort_text(sort));
                map = self.terms.named(&head, &[map], sort);
            }
            return Ok(map);
        }
        let around: Vec<Term> = free.iter().copied().filter(|var| !bound.contains(var)).collect();
        let map = match around.as_slice() {
            [] => self.unknown("lambda", sort),
            around => self.lambda_function(around, sort),
        };
        let at = self.select(map, bound);
        let equal = self.terms.eq(at, body);
        let outer = around.iter().filter_map(|var| match self.terms.node(*var) {
            Node::Bound(name) => {
                let sort = self.terms.sort_text(self.terms.sort_of(*var));
                Some(format!("({} {sort})", self.terms.text(*name)))
            }
            _ => None,
        });
        let head = format!("forall ({})", outer.chain(texts.iter().cloned()).collect::<Vec<_>>().join(" "));
        let all: Vec<Term> = around.iter().chain(bound).copied().collect();
        let axiom = self.terms.quantified(&head, &all, equal, vec![vec![at]]);
        self.state(axiom);
        Ok(map)
    }

    /// A new function, applied to these variables.
    fn lambda_function(&mut self, args: &[Term], sort: Sort) -> Term {
        let head = self.name("lambda");
        let sorts: Vec<&str> =
            args.iter().map(|arg| self.terms.sort_text(self.terms.sort_of(*arg))).collect();
        let text = format!("(declare-fun {head} ({}) {})\n", sorts.join(" "), self.terms.sort_text(sort));
        self.declarations.push_str(&text);
        self.terms.named(&head, args, sort)
    }
}

/// A floating-point number for the solver.
fn bits_of(float: &Float) -> String {
    let Format { significand, exponent } = float.format();
    let width = float.format().width() as usize;
    let bits = float.bits().to_str_radix(2);
    let bits = format!("{bits:0>width$}");
    let (sign, rest) = bits.split_at(1);
    let (power, fraction) = rest.split_at(exponent as usize);
    match float.is_nan() {
        true => format!("(_ NaN {exponent} {significand})"),
        false => format!("(fp #b{sign} #b{power} #b{fraction})"),
    }
}

/// The function that an operator on floating-point numbers is.
fn float_operator(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Lt => "fp.lt",
        BinaryOp::Le => "fp.leq",
        BinaryOp::Gt => "fp.gt",
        BinaryOp::Ge => "fp.geq",
        BinaryOp::Add => "fp.add RNE",
        BinaryOp::Sub => "fp.sub RNE",
        BinaryOp::Mul => "fp.mul RNE",
        BinaryOp::RealDiv => "fp.div RNE",
        _ => return None,
    })
}

/// A string in SMT-LIB: printable ASCII stands for itself, a quote is written twice, other characters by their numbers.
fn string_literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => literal.push_str("\"\""),
            ' '..='~' => literal.push(c),
            other => literal.push_str(&format!("\\u{{{:x}}}", u32::from(other))),
        }
    }
    literal.push('"');
    literal
}
