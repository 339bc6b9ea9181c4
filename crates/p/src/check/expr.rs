//! Expressions.

use dally_text::code::Code;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::Checker;
use super::body::Body;
use super::info::{HALT, Use};
use super::types::{Kind, Permission, Ty, Types};
use crate::ast::{Binary, ExprId, ExprKind, FunId, Name, Unary};
use crate::codes;

/// An operand and its type.
#[derive(Clone, Copy)]
struct Operand {
    expr: ExprId,
    ty: Ty,
}

/// The maximal number of options of a `choose`.
const MOST_CHOICES: i64 = 10_000;

impl Checker<'_> {
    /// The type of an expression. `body` is none outside of functions.
    pub(super) fn expr(&mut self, body: Option<&mut Body>, id: ExprId) -> Ty {
        let ty = dally_text::stack::grow(|| self.expr_here(body, id));
        self.info.expr_types[id.index()] = ty;
        ty
    }

    fn expr_here(&mut self, mut body: Option<&mut Body>, id: ExprId) -> Ty {
        let ast = self.ast;
        let expr = &ast.exprs[id.index()];
        let span = expr.span;
        match &expr.kind {
            ExprKind::Bool(_) => Types::BOOL,
            ExprKind::Int(_) => Types::INT,
            ExprKind::Float(_) => Types::FLOAT,
            ExprKind::Null => Types::NULL,
            ExprKind::Verifier => Types::BOOL,
            ExprKind::Halt => {
                self.info.uses[id.index()] = Use::Event(HALT);
                Types::EVENT
            }
            ExprKind::Name(name) => self.name(body.as_deref(), id, Name { sym: *name, span }),
            ExprKind::Nondet { .. } => {
                self.chooses(body, span, "choose");
                Types::BOOL
            }
            ExprKind::This => self.this(body.as_deref(), span),
            ExprKind::Default(ty) => self.ty(*ty),
            ExprKind::Str(text, args) => {
                for arg in args {
                    self.expr(body.as_deref_mut(), *arg);
                }
                self.format(*text, args.len(), span);
                Types::STR
            }
            ExprKind::Tuple(fields) => {
                let types = fields.iter().map(|f| self.expr(body.as_deref_mut(), *f)).collect();
                self.info.types.intern(Kind::Tuple(types))
            }
            ExprKind::Named(fields) => self.named_tuple(body, fields),
            ExprKind::New(name, args) => {
                let Some(body) = body else { return self.no_function(span) };
                self.reject_in_monitor(body, span, "create machines");
                let Some(interface) = self.creation(body, *name, args, span) else { return Types::ERROR };
                self.info.uses[id.index()] = Use::Interface(interface);
                self.info.types.intern(Kind::Permission(Permission::Interface(interface), name.sym))
            }
            ExprKind::Call(name, args) => {
                let Some(body) = body else { return self.no_function(span) };
                let Some(fun) = self.call(body, *name, args, span) else { return Types::ERROR };
                self.info.uses[id.index()] = Use::Fun(fun);
                self.info.funs[fun.index()].ret
            }
            ExprKind::Choose(from) => {
                let from = from.map(|e| (e, self.expr(body.as_deref_mut(), e)));
                self.chooses(body, span, "choose");
                from.map_or(Types::BOOL, |(e, ty)| self.choose(e, ty))
            }
            ExprKind::Field(..)
            | ExprKind::Item(..)
            | ExprKind::Index(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Cast(..)
            | ExprKind::Coerce(..) => self.operation(body, id),
        }
    }

    /// The type of an expression that is an operation on its operands.
    fn operation(&mut self, mut body: Option<&mut Body>, id: ExprId) -> Ty {
        let ast = self.ast;
        let expr = &ast.exprs[id.index()];
        let span = expr.span;
        match &expr.kind {
            ExprKind::Field(inner, name) => {
                let ty = self.expr(body, *inner);
                self.field(id, ty, *name, span)
            }
            ExprKind::Item(inner, item) => {
                let ty = self.expr(body, *inner);
                self.item(id, ty, *item, span)
            }
            ExprKind::Index(inner, index) => {
                let collection = self.expr(body.as_deref_mut(), *inner);
                let found = self.expr(body, *index);
                self.index(collection, found, *inner, *index)
            }
            ExprKind::Unary(op, operand) => {
                let ty = self.expr(body, *operand);
                self.unary(*op, ty, *operand)
            }
            ExprKind::Binary(op, left, right) => {
                let left = Operand { expr: *left, ty: self.expr(body.as_deref_mut(), *left) };
                let right = Operand { expr: *right, ty: self.expr(body, *right) };
                self.binary(*op, left, right, span)
            }
            ExprKind::Cast(inner, ty) => {
                let from = self.expr(body, *inner);
                let to = self.ty(*ty);
                if !self.info.types.fits(to, from) && !self.info.types.fits(from, to) {
                    self.incomparable(from, to, span);
                    return Types::ERROR;
                }
                to
            }
            ExprKind::Coerce(inner, ty) => {
                let from = self.expr(body, *inner);
                let to = self.ty(*ty);
                self.coerce(from, to, span)
            }
            _ => Types::ERROR,
        }
    }

    fn named_tuple(&mut self, mut body: Option<&mut Body>, fields: &[(Name, ExprId)]) -> Ty {
        let mut types: Vec<(Sym, Ty)> = Vec::new();
        for (name, value) in fields {
            let ty = self.expr(body.as_deref_mut(), *value);
            self.reject_repeated(*name, types.iter().map(|t| t.0));
            types.push((name.sym, ty));
        }
        self.info.types.intern(Kind::Named(types))
    }

    fn no_function(&mut self, span: Span) -> Ty {
        self.error(codes::BAD_TEST, span, "this expression is only allowed inside of a function");
        Types::ERROR
    }

    fn chooses(&mut self, body: Option<&mut Body>, span: Span, what: &str) {
        match body {
            None => {
                self.no_function(span);
            }
            Some(body) => {
                self.reject_in_monitor(body, span, what);
                self.info.funs[body.fun.index()].effects.acts = true;
            }
        }
    }

    fn name(&mut self, body: Option<&Body>, id: ExprId, name: Name) -> Ty {
        let (meaning, ty) = if let Some(variable) = self.variable(body, name.sym) {
            variable
        } else if let Some(constant) = self.globals.elements.get(&name.sym) {
            let ty = self.info.types.intern(Kind::Enum(constant.enumeration));
            (Use::Element(constant.value), ty)
        } else if let Some(event) = self.globals.events.get(&name.sym) {
            (Use::Event(*event), Types::EVENT)
        } else {
            let mut known = self.variable_names(body);
            known.extend(self.globals.elements.keys().chain(self.globals.events.keys()));
            self.unknown(Code::UNKNOWN_NAME, "variable, event or element", name, known.iter());
            return Types::ERROR;
        };
        self.info.uses[id.index()] = meaning;
        ty
    }

    fn this(&mut self, body: Option<&Body>, span: Span) -> Ty {
        let Some(body) = body else { return self.no_function(span) };
        let Some(machine) = body.owner else {
            let message = "`this` is not available outside of a machine";
            self.error(Code::MISPLACED_STATEMENT, span, message);
            return Types::ERROR;
        };
        if self.reject_in_monitor(body, span, "refer to itself") {
            return Types::ERROR;
        }
        let info = &self.info.machines[machine];
        let Some(interface) = info.interface else { return Types::ERROR };
        let name = info.name;
        self.info.types.intern(Kind::Permission(Permission::Interface(interface), name))
    }

    /// Checks the placeholders of a format string against the number of arguments.
    fn format(&mut self, text: Sym, given: usize, span: Span) {
        match places(self.text(text)) {
            Some(wanted) if wanted == given => {}
            Some(wanted) => {
                let values = if wanted == 1 { "value" } else { "values" };
                let message = format!("the format string takes {wanted} {values}, found {given}");
                self.error(Code::WRONG_COUNT, span, message);
            }
            None => {
                let message = "a brace in a format string must be part of a placeholder `{0}`, or doubled";
                self.error(codes::BAD_FORMAT, span, message);
            }
        }
    }

    fn field(&mut self, id: ExprId, ty: Ty, name: Name, span: Span) -> Ty {
        match self.info.types.kind(ty) {
            Kind::Error => Types::ERROR,
            Kind::Named(fields) => match fields.iter().position(|f| f.0 == name.sym) {
                Some(place) => {
                    let ty = fields[place].1;
                    self.info.uses[id.index()] = Use::Item(place as u32);
                    ty
                }
                None => {
                    let known: Vec<Sym> = fields.iter().map(|f| f.0).collect();
                    self.unknown(Code::UNKNOWN_FIELD, "field", name, known.iter());
                    Types::ERROR
                }
            },
            _ => self.not_of(ty, span, "a tuple with named fields"),
        }
    }

    fn item(&mut self, id: ExprId, ty: Ty, item: u32, span: Span) -> Ty {
        match self.info.types.kind(ty) {
            Kind::Error => Types::ERROR,
            Kind::Tuple(fields) => match fields.get(item as usize) {
                Some(ty) => {
                    self.info.uses[id.index()] = Use::Item(item);
                    *ty
                }
                None => {
                    let message = format!("the tuple has only {} fields, counted from 0", fields.len());
                    self.error(Code::UNKNOWN_FIELD, span, message);
                    Types::ERROR
                }
            },
            _ => self.not_of(ty, span, "a tuple"),
        }
    }

    /// Reports an operand of the wrong kind of type.
    fn not_of(&mut self, ty: Ty, span: Span, wanted: &str) -> Ty {
        if ty != Types::ERROR {
            let message = format!("expected {wanted}, found `{}`", self.show(ty));
            self.error(Code::NOT_APPLICABLE, span, message);
        }
        Types::ERROR
    }

    fn index(&mut self, collection: Ty, found: Ty, inner: ExprId, index: ExprId) -> Ty {
        let (wanted, element) = match self.info.types.kind(collection) {
            Kind::Seq(element) | Kind::Set(element) => (Types::INT, *element),
            Kind::Map(key, value) => (*key, *value),
            _ => {
                let span = self.ast.exprs[inner.index()].span;
                return self.not_of(collection, span, "a sequence, set or map");
            }
        };
        self.expect(wanted, found, self.ast.exprs[index.index()].span);
        element
    }

    /// `new M(…)`. Returns the interface.
    pub(super) fn creation(
        &mut self,
        body: &mut Body,
        name: Name,
        args: &[ExprId],
        span: Span,
    ) -> Option<u32> {
        let types: Vec<Ty> = args.iter().map(|a| self.expr(Some(body), *a)).collect();
        let interface = self.interface(name)?;
        self.payload(self.info.interfaces[interface as usize].payload, args, &types, span);
        let fun = &mut self.info.funs[body.fun.index()];
        fun.effects.acts = true;
        fun.creates.push(interface);
        Some(interface)
    }

    /// A call. Returns the function.
    pub(super) fn call(&mut self, body: &mut Body, name: Name, args: &[ExprId], span: Span) -> Option<FunId> {
        let types: Vec<Ty> = args.iter().map(|a| self.expr(Some(body), *a)).collect();
        let own = body.owner.and_then(|m| self.members[m].funs.get(&name.sym));
        let Some(fun) = own.or_else(|| self.globals.funs.get(&name.sym)).copied() else {
            let own = body.owner.iter().flat_map(|m| self.members[*m].funs.keys());
            let known: Vec<Sym> = own.chain(self.globals.funs.keys()).copied().collect();
            self.unknown(Code::UNKNOWN_FUNCTION, "function", name, known.iter());
            return None;
        };
        let wanted = self.param_types(fun);
        if wanted.len() != types.len() {
            let message = format!(
                "`{}` takes {} argument{}, found {}",
                self.text(name.sym),
                wanted.len(),
                if wanted.len() == 1 { "" } else { "s" },
                types.len()
            );
            self.error(Code::WRONG_COUNT, span, message);
        }
        for ((wanted, found), arg) in wanted.iter().zip(&types).zip(args) {
            self.expect(*wanted, *found, self.ast.exprs[arg.index()].span);
        }
        self.info.funs[body.fun.index()].callees.push(fun);
        Some(fun)
    }

    fn unary(&mut self, op: Unary, ty: Ty, operand: ExprId) -> Ty {
        if ty == Types::ERROR {
            return ty;
        }
        let span = self.ast.exprs[operand.index()].span;
        match (op, self.info.types.kind(ty).clone()) {
            (Unary::Neg, Kind::Int | Kind::Float) | (Unary::Not, Kind::Bool) => ty,
            (Unary::Neg, _) => self.not_of(ty, span, "a number"),
            (Unary::Not, _) => self.not_of(ty, span, "`bool`"),
            (Unary::Keys, Kind::Map(key, _)) => self.info.types.intern(Kind::Seq(key)),
            (Unary::Values, Kind::Map(_, value)) => self.info.types.intern(Kind::Seq(value)),
            (Unary::Keys | Unary::Values, _) => self.not_of(ty, span, "a map"),
            (Unary::Sizeof, Kind::Seq(_) | Kind::Set(_) | Kind::Map(..)) => Types::INT,
            (Unary::Sizeof, _) => self.not_of(ty, span, "a sequence, set or map"),
        }
    }

    fn binary(&mut self, op: Binary, left: Operand, right: Operand, span: Span) -> Ty {
        let (l, r) = (left.ty, right.ty);
        if l == Types::ERROR || r == Types::ERROR {
            return match op {
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod => Types::ERROR,
                _ => Types::BOOL,
            };
        }
        let numeric = l == r && [Types::INT, Types::FLOAT].contains(&l);
        let ordered = numeric || (l == r && l == Types::STR);
        match op {
            Binary::Add if ordered => l,
            Binary::Mul | Binary::Div | Binary::Sub | Binary::Mod if numeric => l,
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge if ordered => Types::BOOL,
            Binary::Eq | Binary::Ne => {
                if !self.info.types.fits(l, r) && !self.info.types.fits(r, l) {
                    self.incomparable(l, r, span);
                }
                Types::BOOL
            }
            Binary::In => {
                let element = match self.info.types.kind(r) {
                    Kind::Map(element, _) | Kind::Seq(element) | Kind::Set(element) => *element,
                    _ => {
                        let span = self.ast.exprs[right.expr.index()].span;
                        self.not_of(r, span, "a sequence, set or map");
                        return Types::BOOL;
                    }
                };
                self.expect(element, l, self.ast.exprs[left.expr.index()].span);
                Types::BOOL
            }
            Binary::And | Binary::Or | Binary::Implies | Binary::Iff => {
                self.expect(Types::BOOL, l, self.ast.exprs[left.expr.index()].span);
                self.expect(Types::BOOL, r, self.ast.exprs[right.expr.index()].span);
                Types::BOOL
            }
            _ => {
                let (l, r) = (self.show(l), self.show(r));
                self.error(
                    Code::TYPE_MISMATCH,
                    span,
                    format!("the operator does not apply to `{l}` and `{r}`"),
                );
                Types::ERROR
            }
        }
    }

    fn incomparable(&mut self, a: Ty, b: Ty, span: Span) {
        let (a, b) = (self.show(a), self.show(b));
        self.error(Code::TYPE_MISMATCH, span, format!("`{a}` and `{b}` have no values in common"));
    }

    /// `e to T`: conversions between numbers and enumerations, and to interfaces.
    fn coerce(&mut self, from: Ty, to: Ty, span: Span) -> Ty {
        if from == Types::ERROR || to == Types::ERROR {
            return Types::ERROR;
        }
        let allowed = match (self.info.types.kind(from), self.info.types.kind(to)) {
            (Kind::Int | Kind::Float, Kind::Int | Kind::Float) | (Kind::Enum(_), Kind::Int) => true,
            (Kind::Machine, Kind::Permission(..)) => true,
            (Kind::Permission(a, _), Kind::Permission(b, _)) => {
                match (self.info.types.allowed(*a), self.info.types.allowed(*b)) {
                    (Some(from), Some(to)) => to.first_outside(from).is_none(),
                    _ => false,
                }
            }
            _ => false,
        };
        if allowed {
            return to;
        }
        let (from, to) = (self.show(from), self.show(to));
        self.error(Code::TYPE_MISMATCH, span, format!("`{from}` cannot be converted to `{to}`"));
        Types::ERROR
    }

    fn choose(&mut self, from: ExprId, ty: Ty) -> Ty {
        let span = self.ast.exprs[from.index()].span;
        match self.info.types.kind(ty) {
            Kind::Error => Types::ERROR,
            Kind::Seq(element) | Kind::Set(element) | Kind::Map(element, _) => *element,
            Kind::Int => {
                if let ExprKind::Int(n) = self.ast.exprs[from.index()].kind
                    && n > MOST_CHOICES
                {
                    let message = format!("`choose` has at most {MOST_CHOICES} options");
                    self.error(Code::BAD_NUMBER, span, message);
                }
                Types::INT
            }
            _ => self.not_of(ty, span, "`int`, a sequence, set or map"),
        }
    }
}

/// The number of values that a format string takes; none if it is malformed.
pub(crate) fn places(text: &str) -> Option<usize> {
    let mut most = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' if chars.peek() == Some(&'{') => {
                chars.next();
            }
            '{' => {
                let mut place: usize = 0;
                let mut digits = 0;
                loop {
                    match chars.next()? {
                        '}' if digits > 0 => break,
                        c => {
                            place = place.checked_mul(10)?.checked_add(c.to_digit(10)? as usize)?;
                            digits += 1;
                        }
                    }
                }
                most = most.max(place.checked_add(1)?);
            }
            '}' if chars.next() != Some('}') => return None,
            _ => {}
        }
    }
    Some(most)
}
