//! Quantifiers, as a loop over values until one decides. Lambdas, as a loop that builds a map.
//!
//! Over a small type, the loop covers all values. Over any other type, quantifiers are evaluated only with
//! inputs, to run an execution that a solver has found: for the values that the execution mentions
//! ([`crate::quantifier`]). The result is then approximate, and the trace says so.

use dally_bpl::ast::{BinderId, BinderKind, Expr, ExprId};
use dally_bpl::check::{Ty, TyKind, VarId, VarKind};
use dally_bpl::literal::Literal;

use super::{Compiler, Meaning};
use crate::code::{Arith, Domain, GivenValue, Op, Quantifier};
use crate::evaluate;
use crate::quantifier::Kind;
use crate::value::{DataValue, Value};
use crate::wide;

/// The limit on the entries of the map of one lambda.
const MOST_ENTRIES: usize = 1 << 10;
/// The limit on the entries of a lambda, over all evaluations that enclosing quantifiers and lambdas cause.
const MOST_ENTRIES_IN_ALL: usize = 1 << 16;
/// The estimated number of mentioned values.
const SOME_VALUES: usize = 16;

impl Compiler<'_> {
    /// Compiles `forall` or `exists`.
    ///
    /// Each variable is a loop. Its state on the stack: the tuple of values, the number of values tried,
    /// and the current value.
    pub(super) fn quantifier(&mut self, e: ExprId, binder: BinderId) {
        let binder = self.ast.exprs.binder(binder);
        let forall = binder.kind == BinderKind::Forall;
        let vars: Vec<VarId> = self.info.bound_vars(e).to_vec();
        if !binder.type_params.is_empty() {
            return self.give_up(e, "a quantifier over types cannot be evaluated");
        }
        let mut loops = Vec::new();
        for var in &vars {
            match self.values_for(self.info[*var].ty) {
                Some(values) => loops.push(values),
                None if self.options.inputs.is_none() => {
                    return self.give_up(e, "a quantifier over so many values cannot be evaluated");
                }
                None => return self.give_up(e, "a quantifier over values of this type cannot be evaluated"),
            }
        }
        let mut begins = Vec::new();
        let around = self.turns;
        for (var, values) in vars.iter().zip(loops) {
            self.turns = self.turns.saturating_mul(self.count(values));
            // Instances of an axiom are skipped if they depend on a value that the inputs do not define.
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

    /// Compiles a lambda to a map with an entry for each list of values tried, and arbitrary elsewhere. All its known values are
    /// therefore correct.
    pub(super) fn table(&mut self, e: ExprId, binder: BinderId) {
        let vars = self.info.bound_vars(e);
        let values: Option<Vec<Op>> = vars.iter().map(|var| self.values_for(self.info[*var].ty)).collect();
        let entries =
            |values: &Vec<Op>| values.iter().fold(1, |all: usize, v| all.saturating_mul(self.count(*v)));
        let Some(values) = values.filter(|values| entries(values) <= MOST_ENTRIES) else {
            return self.give_up(e, "a lambda whose body depends on its variables cannot be evaluated");
        };
        let around = self.turns;
        self.turns = around.saturating_mul(entries(&values));
        if self.turns > MOST_ENTRIES_IN_ALL {
            self.turns = around;
            return self
                .give_up(e, "a lambda cannot be evaluated for so many values of the enclosing quantifiers");
        }
        let map = self.depth;
        self.emit(Op::Const(self.heap.constant_map(Value::Unset)));
        let (mut begins, mut index) = (Vec::new(), Vec::new());
        for (var, values) in vars.iter().zip(values) {
            let quantifier = Quantifier { forall: true, exact: !matches!(values, Op::Mentioned(_)) };
            self.emit(values);
            self.emit(Op::Const(Value::Int(0)));
            begins.push((quantifier, self.emit(Op::Each(quantifier, 0))));
            index.push(self.depth - 1);
            self.meanings.insert(*var, Meaning::Stack(self.depth - 1));
        }
        self.emit(Op::Stack(map));
        for value in &index {
            self.emit(Op::Stack(*value));
        }
        self.expr(self.ast.exprs.binder(binder).body);
        self.turns = around;
        self.emit(Op::Store(index.len() as u8));
        self.emit(Op::Put(map));
        self.emit(Op::Const(Value::Bool(true)));
        for (quantifier, begin) in begins.into_iter().rev() {
            self.emit(Op::Again(quantifier, begin));
            self.patch(begin);
        }
        self.emit(Op::Pop);
    }

    /// The number of values that an instruction pushes for a variable.
    fn count(&self, values: Op) -> usize {
        match values {
            Op::Const(Value::Data(id)) => self.heap.data.get(id).fields.len(),
            _ => SOME_VALUES,
        }
    }

    /// The instruction that pushes the values to try for a variable of a type.
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

    /// The kind of a type.
    fn kind(&mut self, ty: Ty) -> u32 {
        if let Some(known) = self.kinds.get(&ty) {
            return *known;
        }
        // Registered before its parts are visited, since a datatype may be recursive.
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
                // The types of its fields depend on type arguments.
                Some(_) => Kind::Unknown,
            },
            _ => Kind::Unknown,
        });
        self.code.kinds[number as usize] = kind;
        number
    }

    /// Records the values that the text and the inputs mention, if some quantifier is evaluated for those.
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
        for GivenValue { args, value, .. } in &self.code.given {
            values.extend(args.iter().flatten().chain([value]));
        }
        values.extend(self.meanings.values().filter_map(|meaning| match meaning {
            Meaning::Const(value) => Some(*value),
            _ => None,
        }));
        values.extend(self.literals());
        self.code.mentioned = values;
    }

    /// The numbers in the text, and their neighbours.
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
