//! Types become sorts. A datatype is declared together with the datatypes of its fields, once for each list of arguments.

use dally_bpl::ast::{AttrArg, Decl, DeclKind};
use dally_bpl::check::{ConstructorInfo, Ty, TyCon, TyKind};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::{Found, Logic, Symbol, unsupported};
use crate::term::Sort;

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

impl Logic<'_> {
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
}
