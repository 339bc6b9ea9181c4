//! Quantifiers: a loop over values, until one decides. Lambdas: a loop that makes a map.
//!
//! Over a type with few values, these are all of them. Over any other type, quantifiers are evaluated only where values come
//! from outside, to run an execution that a solver has found: for the values that the execution mentions
//! ([`crate::quantifier`]). What comes out may then be wrong, and whoever shows the execution says so.

use dally_bpl::ast::{BinderId, BinderKind, Expr, ExprId};
use dally_bpl::check::{Ty, TyKind, VarId, VarKind};
use dally_bpl::literal::Literal;

use super::{Compiler, Meaning};
use crate::code::{Arith, Domain, Op, Quantifier};
use crate::evaluate;
use crate::quantifier::Kind;
use crate::value::{DataValue, Value};
use crate::wide;

/// Lambdas over more values are not made into maps, value by value.
const MOST_ENTRIES: usize = 1 << 10;
/// Nor are those that make more entries in all, for the values of what lies around them.
const MOST_ENTRIES_IN_ALL: usize = 1 << 16;
/// So many values are mentioned, as a rule.
const SOME_VALUES: usize = 16;

impl Compiler<'_> {
    /// Compiles `forall` or `exists`.
    ///
    /// Each variable is a loop. On the stack are the values, how many have been tried, and the one that is being tried.
    pub(super) fn quantifier(&mut self, e: ExprId, binder: BinderId) {
        let binder = self.ast.exprs.binder(binder);
        let forall = binder.kind == BinderKind::Forall;
        let vars: Vec<VarId> = self.info.bound_vars(e).to_vec();
        if !binder.type_params.is_empty() {
            return self.give_up(e, "quantifiers over types cannot be evaluated");
        }
        let mut loops = Vec::new();
        for var in &vars {
            match self.values_for(self.info[*var].ty) {
                Some(values) => loops.push(values),
                None if self.options.inputs.is_none() => {
                    return self.give_up(e, "quantifiers over so many values cannot be evaluated");
                }
                None => return self.give_up(e, "quantifiers over values of such a type cannot be evaluated"),
            }
        }
        let mut begins = Vec::new();
        let around = self.turns;
        for (var, values) in vars.iter().zip(loops) {
            self.turns = self.turns.saturating_mul(self.count(values));
            // In an axiom, no value is tried of which nobody says anything.
            let exact = !matches!(values, Op::Mentioned(_)) && !self.in_axiom;
            self.code.partly |= !exact;
            let quantifier = Quantifier { forall, exact };
            self.emit(values);
            self.emit(Op::Const(Value::Int(0)));
            begins.push((quantifier, self.emit(Op::Each(quantifier, 0))));
            self.meanings.insert(*var, Meaning::Stack(self.depth - 1));
        }
        self.expr(binder.body);
        self.turns = around;
        for (quantifier, begin) in begins.into_iter().rev() {
            self.emit(Op::Again(quantifier, begin));
            self.patch(begin);
        }
    }

    /// Compiles a lambda with one variable: the map that has its values where they are tried, and is arbitrary elsewhere. So
    /// whatever is read from it is right.
    pub(super) fn table(&mut self, e: ExprId, binder: BinderId) {
        let vars = self.info.bound_vars(e);
        let values = match vars {
            [var] => self.values_for(self.info[*var].ty).filter(|values| self.count(*values) <= MOST_ENTRIES),
            _ => None,
        };
        let (Some(values), [var]) = (values, vars) else {
            return self.give_up(e, "a lambda whose body depends on its variables cannot be evaluated");
        };
        let around = self.turns;
        self.turns = around.saturating_mul(self.count(values));
        if self.turns > MOST_ENTRIES_IN_ALL {
            self.turns = around;
            return self.give_up(e, "a lambda cannot be evaluated for so many values of what lies around it");
        }
        let quantifier = Quantifier { forall: true, exact: !matches!(values, Op::Mentioned(_)) };
        let map = self.depth;
        self.emit(Op::Const(self.heap.constant_map(Value::Unset)));
        self.emit(values);
        self.emit(Op::Const(Value::Int(0)));
        let begin = self.emit(Op::Each(quantifier, 0));
        let value = self.depth - 1;
        self.meanings.insert(*var, Meaning::Stack(value));
        self.emit(Op::Stack(map));
        self.emit(Op::Stack(value));
        self.expr(self.ast.exprs.binder(binder).body);
        self.turns = around;
        self.emit(Op::Store(1));
        self.emit(Op::Put(map));
        self.emit(Op::Const(Value::Bool(true)));
        self.emit(Op::Again(quantifier, begin));
        self.patch(begin);
        self.emit(Op::Pop);
    }

    /// For how many values a variable is tried, given what puts them on the stack.
    fn count(&self, values: Op) -> usize {
        match values {
            Op::Const(Value::Data(id)) => self.heap.data.get(id).fields.len(),
            _ => SOME_VALUES,
        }
    }

    /// What puts the values for which a variable of a type is tried on the stack.
    pub(super) fn values_for(&mut self, ty: Ty) -> Option<Op> {
        let all = match self.domain(ty) {
            Domain::Values(values) => Some(values),
            Domain::Bvs(low, high) => Some((low..=high).map(Value::Bv).collect()),
            Domain::Ints(..) | Domain::Unbounded | Domain::Map => None,
        };
        if let Some(all) = all {
            return Some(Op::Const(self.heap.construct(DataValue::TUPLE, &all)));
        }
        self.options.inputs.as_ref()?;
        let kind = self.kind(ty);
        (self.code.kinds[kind as usize] != Kind::Unknown).then_some(Op::Mentioned(kind))
    }

    /// What tells values of a type from others.
    fn kind(&mut self, ty: Ty) -> u32 {
        if let Some(known) = self.kinds.get(&ty) {
            return *known;
        }
        // A datatype may contain itself.
        let number = self.code.kinds.len() as u32;
        self.code.kinds.push(Kind::Unknown);
        self.kinds.insert(ty, number);
        let info = self.info;
        let kind = dally_text::stack::grow(|| match info.types.kind(ty) {
            TyKind::Bool => Kind::Bool,
            TyKind::Int => Kind::Int,
            TyKind::Real => Kind::Real,
            TyKind::Bv(width) if *width <= wide::MAX_WIDTH => Kind::Bv(*width),
            TyKind::Map(0, indices, result) => {
                let indices = indices.iter().map(|index| self.kind(*index)).collect();
                Kind::Map(indices, self.kind(*result))
            }
            TyKind::Con(con, args) => match info.datatypes.get(con) {
                None => Kind::Abstract(ty),
                Some(datatype) if args.is_empty() => {
                    let constructors = datatype.constructors.iter().map(|constructor| {
                        let function = constructor.function;
                        let fields = info[function].params.iter().map(|field| self.kind(*field)).collect();
                        (self.constructor(function), fields)
                    });
                    Kind::Data(constructors.collect())
                }
                // The types of its fields are not known from here.
                Some(_) => Kind::Unknown,
            },
            _ => Kind::Unknown,
        });
        self.code.kinds[number as usize] = kind;
        number
    }

    /// The values that the text and what comes from outside mention, if some quantifier is evaluated for those.
    pub(super) fn mention(&mut self) {
        let (Some(inputs), false) = (&self.options.inputs, self.code.kinds.is_empty()) else { return };
        let mut values: Vec<Value> = Vec::new();
        let vars = &self.info.vars;
        let named = |name: &str, bound: bool| -> Vec<Ty> {
            let same = |v: &&dally_bpl::check::VarInfo| {
                self.ast.text(v.name) == name && (v.kind == VarKind::Bound) == bound
            };
            let mut types: Vec<Ty> = vars.iter().filter(same).map(|v| v.ty).collect();
            types.sort_unstable();
            types.dedup();
            types
        };
        let mut typed: Vec<(&Literal, Ty)> = Vec::new();
        for (all, bound) in [(&inputs.witnesses, true), (&inputs.variables, false)] {
            for (name, given) in all {
                let types = named(name, bound);
                typed.extend(given.iter().flat_map(|input| types.iter().map(move |ty| (input, *ty))));
            }
        }
        for (input, ty) in typed {
            values.extend(self.input(input, ty));
        }
        for (_, args, value) in &self.code.given {
            values.extend(args.iter().flatten().chain([value]));
        }
        values.extend(self.meanings.values().filter_map(|meaning| match meaning {
            Meaning::Const(value) => Some(*value),
            _ => None,
        }));
        values.extend(self.literals());
        self.code.mentioned = values;
    }

    /// The numbers in the text, and those beside them.
    fn literals(&self) -> Vec<Value> {
        let mut found = vec![Value::Int(0), Value::Int(1)];
        for id in self.ast.exprs.ids() {
            let Some(value) = self.literal(id) else { continue };
            found.push(value);
            for op in [Arith::Sub, Arith::Add] {
                found.extend(evaluate::arith(&self.heap, op, value, Value::Int(1)));
            }
        }
        found
    }

    fn literal(&self, id: ExprId) -> Option<Value> {
        matches!(self.ast.exprs[id], Expr::Int(_) | Expr::Real(_) | Expr::Bv(..))
            .then(|| self.constant(id))?
    }
}
