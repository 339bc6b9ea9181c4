//! The declarations of the program in the solver's logic: constants here, types and functions in modules of their own. Axioms
//! are in [`crate::axioms`].
//!
//! A symbol is declared when it is first used, so that the solver does not see the rest of the program.

mod functions;
mod sorts;

use dally_bpl::Program;
use dally_bpl::ast::{BinderKind, ExprId};
use dally_bpl::check::{FunctionId, Ty, TyCon, TyKind, VarId, VarKind};
use dally_bpl::codes;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::inline::NoAnswer;
use crate::limits::VerifyLimits;
use crate::pointwise::Pointwise;
use crate::term::{Sort, Term, Terms};

pub(crate) use self::sorts::{Constructor, Shape};

pub(crate) type Found<T> = Result<T, NoAnswer>;

/// The error for a construct that cannot be verified.
pub(crate) fn unsupported<T>(span: Span, what: impl std::fmt::Display) -> Found<T> {
    let problem = Diagnostic::new(codes::NOT_VERIFIED, span, format!("{what} cannot be verified"));
    Err(NoAnswer::Unsupported(vec![problem]))
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

    /// A variable that a quantifier binds.
    pub(crate) fn bound(&mut self, var: VarId, sort: Sort) -> (String, Term) {
        let text = self.program.ast.text(self.program.info[var].name);
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name = format!("q_{}!{}", text.chars().take(60).map(plain).collect::<String>(), var.index());
        let term = self.terms.bound(&name, sort);
        (name, term)
    }

    /// The keyword of a quantifier.
    pub(crate) fn quantifier(kind: BinderKind) -> &'static str {
        match kind {
            BinderKind::Exists => "exists",
            BinderKind::Forall | BinderKind::Lambda => "forall",
        }
    }
}
