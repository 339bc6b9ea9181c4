//! The declarations of the program in the solver's logic: types, constants and functions. Axioms are in [`crate::axioms`].
//!
//! A symbol is declared when it is first used, so that the solver does not see the rest of the program.

use dally_bpl::Program;
use dally_bpl::ast::{Attr, AttrArg, Attrs, BinderKind, Decl, DeclKind, ExprId, RoundingMode};
use dally_bpl::check::{ConstructorInfo, FunctionId, Ty, TyCon, TyKind, VarId, VarKind};
use dally_bpl::codes;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::Scope;
use crate::inline::NoAnswer;
use crate::limits::VerifyLimits;
use crate::pointwise::Pointwise;
use crate::term::{Sort, Term, Terms};

pub(crate) type Found<T> = Result<T, NoAnswer>;

/// The error for a construct that cannot be verified.
pub(crate) fn unsupported<T>(span: Span, what: impl std::fmt::Display) -> Found<T> {
    let problem = Diagnostic::new(codes::NOT_VERIFIED, span, format!("{what} cannot be verified"));
    Err(NoAnswer::Unsupported(vec![problem]))
}

/// A constructor with its name in the solver.
#[derive(Clone, Debug)]
pub(crate) struct Constructor {
    pub(crate) name: String,
    /// The name in the program.
    pub(crate) original: String,
    pub(crate) fields: Vec<(String, Sort)>,
}

/// The structure of a sort, for reading values.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Scalar,
    Map(Sort, Sort),
    Datatype(Vec<Constructor>),
    /// Bitvectors without bits.
    NoBits,
    /// A type without a definition.
    Abstract,
}

/// An uninterpreted function, at the sorts at which it is used.
#[derive(Clone, Debug)]
pub(crate) struct Uninterpreted {
    pub(crate) function: FunctionId,
    /// Its name in the solver.
    pub(crate) head: String,
}

/// The declarations that are in use.
#[derive(Debug)]
pub(crate) struct Logic<'a> {
    pub(crate) program: &'a Program,
    /// Limits of the run.
    pub(crate) limits: VerifyLimits,
    pub(crate) terms: Terms,
    /// Commands that have not been sent.
    pub(crate) declarations: String,
    /// Commands that have been sent.
    pub(crate) declared: String,
    /// Axioms and definitions of inlined calls that have not been sent.
    pub(crate) axioms: Vec<Term>,
    /// All formulas that hold in every execution, sent or not.
    pub(crate) stated: Vec<Term>,
    /// True if definitions of functions are among them.
    pub(crate) defines: bool,
    sorts: FxHashMap<Ty, Sort>,
    /// Types that have a sort and are not yet in use.
    new_types: Vec<TyCon>,
    applied: FxHashMap<(TyCon, Vec<Sort>), Sort>,
    shapes: FxHashMap<Sort, Shape>,
    constants: FxHashMap<VarId, Term>,
    /// The number of unique constants of each sort.
    unique: FxHashMap<Sort, usize>,
    /// The types of which all unique constants are in use.
    all_unique: FxHashSet<Ty>,
    functions: FxHashMap<(FunctionId, Vec<Sort>), String>,
    pub(crate) uninterpreted: Vec<Uninterpreted>,
    /// Functions that the solver interprets: their names in the solver, and where they are declared.
    pub(crate) built_ins: Vec<(String, Span)>,
    /// The inlined bodies of functions, by their arguments.
    pub(crate) applications: FxHashMap<(FunctionId, Vec<Term>), Term>,
    /// Functions that cannot be inlined.
    pub(crate) axiomatic: FxHashSet<FunctionId>,
    /// The groups of symbols of axioms that contain a constant or function.
    pub(crate) about: FxHashMap<Symbol, Vec<usize>>,
    /// Groups of symbols: the number that is not in use, and the axiom that is waiting for them.
    pub(crate) groups: Vec<(usize, usize)>,
    /// The axioms, until they are asserted.
    pub(crate) waiting: Vec<Option<ExprId>>,
    pub(crate) used: FxHashSet<Symbol>,
    /// Skolem constants of the quantifiers of the program, by their variables ([`crate::witness`]).
    pub(crate) witnesses: Vec<(VarId, Term)>,
    /// The number of quantifiers around the expression for which witnesses are introduced; none in axioms.
    pub(crate) witnessing: Option<u32>,
    pub(crate) pointwise: Pointwise,
    fresh: usize,
}

/// A constant, a function or a type without a definition, as a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Symbol {
    Constant(VarId),
    Function(FunctionId),
    Type(TyCon),
}

impl<'a> Logic<'a> {
    /// The bitvector without bits.
    pub(crate) const NO_BITS: &'static str = "no-bits";

    pub(crate) fn new(program: &'a Program, limits: VerifyLimits) -> Found<Self> {
        let mut logic = Logic {
            program,
            limits,
            terms: Terms::default(),
            declarations: String::new(),
            declared: String::new(),
            axioms: Vec::new(),
            stated: Vec::new(),
            defines: false,
            sorts: FxHashMap::default(),
            new_types: Vec::new(),
            applied: FxHashMap::default(),
            shapes: FxHashMap::default(),
            constants: FxHashMap::default(),
            unique: FxHashMap::default(),
            all_unique: FxHashSet::default(),
            functions: FxHashMap::default(),
            uninterpreted: Vec::new(),
            built_ins: Vec::new(),
            applications: FxHashMap::default(),
            axiomatic: FxHashSet::default(),
            about: FxHashMap::default(),
            groups: Vec::new(),
            waiting: Vec::new(),
            used: FxHashSet::default(),
            witnesses: Vec::new(),
            witnessing: Some(0),
            pointwise: Pointwise::default(),
            fresh: 0,
        };
        logic.find_axiomatic();
        logic.collect_axioms()?;
        Ok(logic)
    }

    /// Takes the commands that have not been sent: the caller sends them.
    pub(crate) fn take_declarations(&mut self) -> String {
        let new = std::mem::take(&mut self.declarations);
        self.declared.push_str(&new);
        new
    }

    /// A fresh name that resembles a name of the program.
    pub(crate) fn name(&mut self, base: &str) -> String {
        self.fresh += 1;
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_$.".contains(c) { c } else { '_' };
        let mut name: String = base.chars().take(60).map(plain).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'v');
        }
        format!("{name}!{}", self.fresh)
    }

    /// An arbitrary value. It is declared when it is first used.
    pub(crate) fn unknown(&mut self, base: &str, sort: Sort) -> Term {
        let name = self.name(base);
        self.terms.unknown(&name, sort)
    }

    /// An arbitrary value of a variable's type.
    pub(crate) fn arbitrary(&mut self, var: VarId) -> Found<Term> {
        let info = &self.program.info[var];
        let sort = self.sort(info.ty, info.span)?;
        let name = self.program.ast.text(self.program.info[var].name).to_owned();
        Ok(self.unknown(&name, sort))
    }

    /// The condition that a value lies within the bounds of a `{:range}`. Bitvectors are unsigned.
    pub(crate) fn in_range(&mut self, value: Term, (low, high): (i64, i64)) -> Term {
        let sort = self.terms.sort_of(value);
        let bits = self.terms.sort_text(sort).strip_prefix("(_ BitVec ").and_then(|t| t.strip_suffix(')'));
        let (above, below) = match bits.map(str::to_owned) {
            Some(bits) => {
                let mut at = |n: i64| self.terms.literal(&format!("(_ bv{} {bits})", n.max(0)), sort);
                let (low, high) = (at(low), at(high));
                (
                    self.terms.named("bvule", &[low, value], Sort::BOOL),
                    self.terms.named("bvule", &[value, high], Sort::BOOL),
                )
            }
            None if sort == Sort::INT => {
                let (low, high) = (self.terms.int(low), self.terms.int(high));
                (self.terms.le(low, value), self.terms.le(value, high))
            }
            // Ranges do not apply to other types.
            None => return Terms::TRUE,
        };
        self.terms.and(above, below)
    }

    /// An arbitrary value for a slot; a slot without a variable holds a condition.
    pub(crate) fn arbitrary_of(&mut self, var: Option<VarId>) -> Found<Term> {
        match var {
            Some(var) => self.arbitrary(var),
            None => Ok(self.unknown("code", Sort::BOOL)),
        }
    }

    pub(crate) fn sort(&mut self, ty: Ty, span: Span) -> Found<Sort> {
        if let Some(sort) = self.sorts.get(&ty) {
            return Ok(*sort);
        }
        let sort = self.sort_with(ty, &FxHashMap::default(), span)?;
        self.sorts.insert(ty, sort);
        // Not before: axioms about a type may need all of a datatype that contains its values.
        while let Some(con) = self.new_types.pop() {
            self.used(Symbol::Type(con))?;
        }
        Ok(sort)
    }

    /// The sort of a type, given those of its type variables.
    fn sort_with(&mut self, ty: Ty, params: &FxHashMap<u32, Sort>, span: Span) -> Found<Sort> {
        let program = self.program;
        dally_text::stack::grow(|| match program.info.types.kind(ty) {
            TyKind::Bool => Ok(Sort::BOOL),
            TyKind::Int => Ok(Sort::INT),
            TyKind::Real => Ok(Sort::REAL),
            TyKind::Str => Ok(self.terms.sort("String")),
            TyKind::Regex => Ok(self.terms.sort("(RegEx String)")),
            TyKind::Rounding => Ok(self.terms.sort("RoundingMode")),
            TyKind::Bv(0) => Ok(self.no_bits()),
            TyKind::Bv(n) => Ok(self.terms.sort(&format!("(_ BitVec {n})"))),
            TyKind::Float(s, e) => Ok(self.terms.sort(&format!("(_ FloatingPoint {e} {s})"))),
            TyKind::Con(con, args) => {
                let args =
                    args.iter().map(|a| self.sort_with(*a, params, span)).collect::<Found<Vec<_>>>()?;
                self.applied_sort(*con, args, span)
            }
            TyKind::Map(0, args, value) => {
                let mut sort = self.sort_with(*value, params, span)?;
                for arg in args.iter().rev() {
                    let index = self.sort_with(*arg, params, span)?;
                    sort = self.map_sort(index, sort);
                }
                Ok(sort)
            }
            TyKind::Map(..) => unsupported(span, "a map whose type binds type variables"),
            // Handles of tasks are plain values in a sequential program.
            TyKind::Task(_) => Ok(Sort::INT),
            TyKind::Param(p) => match params.get(p) {
                Some(sort) => Ok(*sort),
                None => unsupported(span, "a value whose type has a parameter that nothing determines"),
            },
            TyKind::Error | TyKind::Bound(..) | TyKind::Infer(_) => {
                unsupported(span, "a type that is not known")
            }
        })
    }

    /// The sort of bitvectors without bits, which solvers do not have: it has one value, [`NO_BITS`](Self::NO_BITS).
    pub(crate) fn no_bits(&mut self) -> Sort {
        let sort = self.terms.sort("NoBits");
        if self.shapes.insert(sort, Shape::NoBits).is_none() {
            let text = format!("(declare-datatypes ((NoBits 0)) ((({}))))\n", Self::NO_BITS);
            self.declarations.push_str(&text);
        }
        sort
    }

    fn map_sort(&mut self, index: Sort, value: Sort) -> Sort {
        let text = format!("(Array {} {})", self.terms.sort_text(index), self.terms.sort_text(value));
        let sort = self.terms.sort(&text);
        self.shapes.insert(sort, Shape::Map(index, value));
        sort
    }

    pub(crate) fn shape(&self, sort: Sort) -> &Shape {
        self.shapes.get(&sort).unwrap_or(&Shape::Scalar)
    }

    /// A name for an element of a type without a definition, `T#1`; a solver calls it `T!3!val!1`. Equal names denote equal
    /// elements, also where a type is used with several arguments.
    pub(crate) fn abstract_name(&self, sort: Sort, value: &str) -> String {
        let text = self.terms.sort_text(sort);
        let Some((base, number)) = text.rsplit_once('!') else { return value.to_owned() };
        let Some(own) = value.rsplit_once("!val!").filter(|(s, _)| *s == text) else {
            return value.to_owned();
        };
        let alike = |(other, shape): (&Sort, &Shape)| {
            let base_of = |s: Sort| self.terms.sort_text(s).rsplit_once('!').map(|(base, _)| base);
            *other != sort && matches!(shape, Shape::Abstract) && base_of(*other) == Some(base)
        };
        let number = if self.shapes.iter().any(alike) { number } else { "" };
        format!("{base}{number}#{}", own.1)
    }

    /// The parts of a map sort.
    pub(crate) fn value_sort(&self, map: Sort) -> Sort {
        match self.shape(map) {
            Shape::Map(_, value) => *value,
            _ => map,
        }
    }

    fn applied_sort(&mut self, con: TyCon, args: Vec<Sort>, span: Span) -> Found<Sort> {
        if let Some(sort) = self.applied.get(&(con, args.clone())) {
            return Ok(*sort);
        }
        let program = self.program;
        if program.info.datatypes.contains_key(&con) {
            return self.declare_datatypes(con, args, span);
        }
        let name = program.info.types.constructors[con.index()].name;
        if let Some(text) = self.built_in_type(name) {
            let args: Vec<&str> = args.iter().map(|sort| self.terms.sort_text(*sort)).collect();
            let text = if args.is_empty() { text } else { format!("({text} {})", args.join(" ")) };
            return Ok(self.terms.sort(&text));
        }
        let text = program.ast.text(name);
        let name = self.name(text);
        self.declarations.push_str(&format!("(declare-sort {name} 0)\n"));
        let sort = self.terms.sort(&name);
        self.shapes.insert(sort, Shape::Abstract);
        self.applied.insert((con, args), sort);
        self.new_types.push(con);
        Ok(sort)
    }

    /// The name of a type that the solver interprets: `type {:builtin "Seq"} Seq _;`.
    fn built_in_type(&self, name: Sym) -> Option<String> {
        let ast = &self.program.ast;
        let declared = |decl: &&Decl| matches!(&decl.kind, DeclKind::Type(ty) if ty.name.name == name);
        let attr = ast.attr(&ast.decls.iter().find(declared)?.attrs, "builtin")?;
        let [AttrArg::Str(text)] = attr.args[..] else { return None };
        let text = ast.text(text).trim();
        // The text is sent as it is: it must be one symbol or one list.
        let plain = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
        let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
        let is_one = !text.is_empty() && text.chars().all(plain)
            || inner.is_some_and(|inner| inner.chars().all(|c| plain(c) || c == ' '));
        is_one.then(|| text.to_owned())
    }

    /// Declares a datatype together with the datatypes of its fields, which may be mutually recursive.
    fn declare_datatypes(&mut self, con: TyCon, args: Vec<Sort>, span: Span) -> Found<Sort> {
        let program = self.program;
        let outermost = self.reserve_datatype(con, &args);
        let mut todo = vec![(con, args, outermost)];
        let mut made: Vec<Sort> = Vec::new();
        while let Some((con, args, sort)) = todo.pop() {
            made.push(sort);
            let mut constructors = Vec::new();
            for ConstructorInfo { function, fields } in &program.info.datatypes[&con].constructors {
                let function = &program.info[*function];
                let params = match program.info.types.kind(function.result) {
                    TyKind::Con(_, own) => self.bind(own, &args),
                    _ => FxHashMap::default(),
                };
                let mut known = Vec::new();
                for (field, ty) in fields.iter().zip(&function.params) {
                    self.reserve_inside(*ty, &params, &mut todo, span)?;
                    let field_sort = self.sort_with(*ty, &params, span)?;
                    known.push((self.name(program.ast.text(*field)), field_sort));
                }
                let original = program.ast.text(function.name).to_owned();
                constructors.push(Constructor { name: self.name(&original), original, fields: known });
            }
            self.shapes.insert(sort, Shape::Datatype(constructors));
        }
        let names: Vec<String> = made.iter().map(|s| format!("({} 0)", self.terms.sort_text(*s))).collect();
        let bodies: Vec<String> = made.iter().map(|s| self.datatype_text(*s)).collect();
        let text = format!("(declare-datatypes ({}) ({}))\n", names.join(" "), bodies.join(" "));
        self.declarations.push_str(&text);
        Ok(outermost)
    }

    fn bind(&self, own: &[Ty], args: &[Sort]) -> FxHashMap<u32, Sort> {
        let number = |ty: &Ty| match self.program.info.types.kind(*ty) {
            TyKind::Param(p) => Some(*p),
            _ => None,
        };
        own.iter().zip(args).filter_map(|(ty, sort)| Some((number(ty)?, *sort))).collect()
    }

    fn reserve_datatype(&mut self, con: TyCon, args: &[Sort]) -> Sort {
        let text = self.program.ast.text(self.program.info.types.constructors[con.index()].name);
        let name = self.name(text);
        let sort = self.terms.sort(&name);
        self.shapes.insert(sort, Shape::Abstract);
        self.applied.insert((con, args.to_vec()), sort);
        self.new_types.push(con);
        sort
    }

    /// Declares the datatypes in a type that are not declared yet.
    fn reserve_inside(
        &mut self,
        ty: Ty,
        params: &FxHashMap<u32, Sort>,
        todo: &mut Vec<(TyCon, Vec<Sort>, Sort)>,
        span: Span,
    ) -> Found<()> {
        // A datatype may contain itself at ever larger types.
        const MOST: usize = 1000;
        if self.applied.len() > MOST {
            return unsupported(span, "a datatype that contains itself at ever larger types");
        }
        let program = self.program;
        dally_text::stack::grow(|| match program.info.types.kind(ty) {
            TyKind::Con(con, args) => {
                for arg in args {
                    self.reserve_inside(*arg, params, todo, span)?;
                }
                if program.info.datatypes.contains_key(con) {
                    let args =
                        args.iter().map(|a| self.sort_with(*a, params, span)).collect::<Found<Vec<_>>>()?;
                    if !self.applied.contains_key(&(*con, args.clone())) {
                        let sort = self.reserve_datatype(*con, &args);
                        todo.push((*con, args, sort));
                    }
                }
                Ok(())
            }
            TyKind::Map(_, args, value) => {
                for part in args.iter().chain([value]) {
                    self.reserve_inside(*part, params, todo, span)?;
                }
                Ok(())
            }
            _ => Ok(()),
        })
    }

    fn datatype_text(&self, sort: Sort) -> String {
        let Shape::Datatype(constructors) = self.shape(sort) else { return String::new() };
        let constructor = |c: &Constructor| {
            let field = |(name, sort): &(String, Sort)| format!(" ({name} {})", self.terms.sort_text(*sort));
            format!("({}{})", c.name, c.fields.iter().map(field).collect::<String>())
        };
        format!("({})", constructors.iter().map(constructor).collect::<Vec<_>>().join(" "))
    }

    /// The constructors of a datatype.
    pub(crate) fn constructors(&self, sort: Sort) -> &[Constructor] {
        match self.shape(sort) {
            Shape::Datatype(constructors) => constructors,
            _ => &[],
        }
    }

    /// A constant of the program.
    pub(crate) fn constant(&mut self, var: VarId) -> Found<Term> {
        // Axioms about its type, once that is in use, may mention the constant.
        let info = &self.program.info[var];
        self.sort(info.ty, info.span)?;
        if let Some(term) = self.constants.get(&var) {
            return Ok(*term);
        }
        let term = self.arbitrary(var)?;
        self.constants.insert(var, term);
        if let VarKind::Const { unique: true } = self.program.info[var].kind {
            self.number_unique(term);
        }
        self.used(Symbol::Constant(var))?;
        Ok(term)
    }

    /// Marks all unique constants of a type as used: an axiom about all values of the type depends on their number.
    pub(crate) fn use_unique(&mut self, ty: Ty) -> Found<()> {
        let info = &self.program.info;
        let is_abstract =
            matches!(info.types.kind(ty), TyKind::Con(con, _) if !info.datatypes.contains_key(con));
        if !is_abstract || !self.all_unique.insert(ty) {
            return Ok(());
        }
        for var in info.vars.iter().filter(|v| v.ty == ty && v.kind == (VarKind::Const { unique: true })) {
            if let Some(id) = info.global(var.name) {
                self.constant(id)?;
            }
        }
        Ok(())
    }

    /// True if a unique constant of this type is in use: all others differ from it.
    pub(crate) fn uses_unique(&self, ty: Ty) -> bool {
        self.sorts.get(&ty).is_some_and(|sort| self.unique.contains_key(sort))
    }

    /// True if unique constants of one type are in use.
    pub(crate) fn has_unique(&self) -> bool {
        self.unique.values().any(|count| *count > 1)
    }

    /// The constants of the program that are in use.
    pub(crate) fn constants(&self) -> Vec<(VarId, Term)> {
        let mut all: Vec<_> = self.constants.iter().map(|(v, t)| (*v, *t)).collect();
        all.sort_unstable();
        all
    }

    /// Constants with different numbers are different.
    fn number_unique(&mut self, term: Term) {
        let sort = self.terms.sort_of(term);
        let head = format!("unique!{}", sort.index());
        let count = self.unique.entry(sort).or_insert(0);
        if *count == 0 {
            let text = self.terms.sort_text(sort);
            self.declarations.push_str(&format!("(declare-fun {head} ({text}) Int)\n"));
        }
        let number = *count;
        *count += 1;
        let number = self.terms.int(number);
        let own = self.terms.named(&head, &[term], Sort::INT);
        let numbered = self.terms.eq(own, number);
        self.state(numbered);
    }

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

    /// A variable that a quantifier binds.
    pub(crate) fn bound(&mut self, var: VarId, sort: Sort) -> (String, Term) {
        let text = self.program.ast.text(self.program.info[var].name);
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name = format!("q_{}!{}", text.chars().take(60).map(plain).collect::<String>(), var.index());
        let term = self.terms.bound(&name, sort);
        (name, term)
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

    /// The keyword of a quantifier.
    pub(crate) fn quantifier(kind: BinderKind) -> &'static str {
        match kind {
            BinderKind::Exists => "exists",
            BinderKind::Forall | BinderKind::Lambda => "forall",
        }
    }
}
