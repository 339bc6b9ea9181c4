//! Inputs: values for the parts of a program that are left open, namely arbitrary variables, constants, and
//! functions without a definition. With them, an execution that a solver has found can be run.

use std::collections::BTreeMap;

use dally_bpl::ast::{Expr, RoundingMode};
use dally_bpl::check::{FunctionId, Ty, TyKind, VarId, VarKind};
use dally_bpl::float::{Float, Format};
use dally_bpl::literal::Literal;
use dally_text::source::Span;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::{Compiler, Meaning, Script};
use crate::code::{Arith, Domain, GivenValue, Op, Quotient};
use crate::real::Real;
use crate::value::Value;

/// All inputs, by name.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Inputs {
    /// The values to try for arbitrary variables whose types are too large to enumerate.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Vec<Literal>>,
    /// The values of constants that no axiom defines.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, Literal>,
    /// The values of functions without a definition, at the relevant arguments.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub functions: BTreeMap<String, Vec<FunctionPoint>>,
    /// Witnesses of quantifiers, by the names of the bound variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub witnesses: BTreeMap<String, Vec<Literal>>,
    /// The results of divisions by zero.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub divisions: Vec<DivisionByZero>,
    /// The decisions of tasks at nondeterministic choices. If there are no scripts, all choices are
    /// explored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Script>,
    /// The indices of the scripts of the first tasks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<usize>,
    /// The span of the only failure to report, if it is known: other failures are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Span>,
    /// True if a variable may also take the values given for other variables of its type.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wide: bool,
}

/// The value of a function at one point. Serialised as `[args, value]`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "(Vec<Literal>, Literal)", into = "(Vec<Literal>, Literal)")]
pub struct FunctionPoint {
    /// The arguments.
    pub args: Vec<Literal>,
    /// The result.
    pub value: Literal,
}

impl From<(Vec<Literal>, Literal)> for FunctionPoint {
    fn from((args, value): (Vec<Literal>, Literal)) -> Self {
        FunctionPoint { args, value }
    }
}

impl From<FunctionPoint> for (Vec<Literal>, Literal) {
    fn from(point: FunctionPoint) -> Self {
        (point.args, point.value)
    }
}

/// The result of a division by zero. Dividend and result are both integers or both reals. Serialised as
/// `[remainder, dividend, value]`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "(bool, Literal, Literal)", into = "(bool, Literal, Literal)")]
pub struct DivisionByZero {
    /// True for the remainder.
    pub remainder: bool,
    /// The dividend.
    pub dividend: Literal,
    /// The result.
    pub value: Literal,
}

impl From<(bool, Literal, Literal)> for DivisionByZero {
    fn from((remainder, dividend, value): (bool, Literal, Literal)) -> Self {
        DivisionByZero { remainder, dividend, value }
    }
}

impl From<DivisionByZero> for (bool, Literal, Literal) {
    fn from(division: DivisionByZero) -> Self {
        (division.remainder, division.dividend, division.value)
    }
}

/// The limit on the values that a variable takes over from others of its type.
const MOST: usize = 16;
/// The limit on the explicit entries of a map with several indices; it has its default elsewhere.
pub(super) const MOST_KEYS: usize = 1 << 14;
/// The limit on the indices taken from other rows.
const MOST_INDICES: usize = 100;

impl Inputs {
    /// The values of variables and constants.
    fn values(&self) -> impl Iterator<Item = &Literal> {
        self.variables.values().flatten().chain(self.constants.values())
    }
}

/// The indices of a map of maps at a level.
fn indices_at(input: &Literal, level: usize, out: &mut Vec<Literal>) {
    let Literal::Map(entries, default) = input else { return };
    if level == 0 {
        return out.extend(entries.iter().map(|(index, _)| index.clone()));
    }
    let rows = entries.iter().map(|(_, row)| row);
    rows.chain([&**default]).for_each(|row| indices_at(row, level - 1, out));
}

/// The default of a map.
fn default_of(map: &Literal) -> &Literal {
    match map {
        Literal::Map(_, default) => default,
        other => other,
    }
}

/// The value of a map at an index. The last entry for the index counts.
fn value_at<'m>(map: &'m Literal, index: &Literal) -> &'m Literal {
    match map {
        Literal::Map(entries, default) => {
            entries.iter().rev().find(|(i, _)| i == index).map_or(default, |(_, value)| value)
        }
        other => other,
    }
}

impl Compiler<'_> {
    /// The values that the inputs give for a variable, if any.
    pub(super) fn domain_of_inputs(&mut self, var: VarId) -> Option<Domain> {
        let inputs = self.options.inputs.as_ref()?;
        let (name, ty) = (self.info[var].name, self.info[var].ty);
        let mut values = Vec::new();
        let own = inputs.variables.get(self.text(name));
        for input in own.into_iter().flatten() {
            values.extend(self.input(input, ty));
        }
        if values.is_empty() || inputs.wide {
            let mut others: Vec<&Literal> = inputs.variables.values().flatten().collect();
            others.sort_unstable();
            others.dedup();
            let others = others.into_iter().filter_map(|input| self.input(input, ty));
            values.extend(others.take(MOST).collect::<Vec<_>>());
        }
        if values.is_empty() {
            values.extend(self.some_value(ty));
        }
        let mut distinct: Vec<Value> = Vec::new();
        for value in values {
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        (!distinct.is_empty()).then_some(Domain::Values(distinct))
    }

    /// An arbitrary representative of a type.
    fn some_value(&mut self, ty: Ty) -> Option<Value> {
        match self.info.types.kind(ty) {
            TyKind::Bool => Some(Value::Bool(false)),
            TyKind::Int => Some(Value::Int(0)),
            TyKind::Real => Some(self.heap.real(Real::from_int(0.into()))),
            TyKind::Bv(width) => Some(self.heap.bits(BigUint::ZERO, *width)),
            TyKind::Float(significand, exponent) => {
                let format = Format::new(*significand, *exponent)?;
                Some(self.heap.float(&Float::zero(format, false)))
            }
            TyKind::Rounding => Some(self.heap.rounding(RoundingMode::Rne)),
            TyKind::Map(_, _, result) => {
                let result = *result;
                let value = dally_text::stack::grow(|| self.some_value(result))?;
                Some(self.heap.constant_map(value))
            }
            TyKind::Con(con, _) if !self.info.datatypes.contains_key(con) => {
                self.abstract_value("some", Some(ty))
            }
            _ => None,
        }
    }

    /// An input as a value of a type, if it is one.
    pub(super) fn input(&mut self, input: &Literal, ty: Ty) -> Option<Value> {
        let info = self.info;
        match (input, info.types.kind(ty)) {
            (Literal::Bool(b), TyKind::Bool) => Some(Value::Bool(*b)),
            (Literal::Int(n), TyKind::Int) => Some(self.heap.int(n.clone())),
            (Literal::Real(n), TyKind::Real) => Some(self.heap.real(n.clone())),
            (Literal::Bv(n, _), TyKind::Bv(width)) => Some(self.heap.bits(n.clone(), *width)),
            (Literal::Float(float), TyKind::Float(..)) => Some(self.heap.float(float)),
            (Literal::Rounding(mode), TyKind::Rounding) => Some(self.heap.rounding(*mode)),
            (Literal::Map(..), TyKind::Map(_, indices, result)) => {
                let (indices, result) = (indices.clone(), *result);
                dally_text::stack::grow(|| self.map(input, &indices, result))
            }
            (Literal::Data(constructor, fields), TyKind::Con(con, _)) => {
                let constructors = &info.datatypes.get(con)?.constructors;
                let found = constructors.iter().find(|c| self.text(info[c.function].name) == constructor)?;
                let types = info[found.function].params.clone();
                let number = self.constructor(found.function);
                let fields: Option<Vec<Value>> = fields
                    .iter()
                    .zip(types)
                    .map(|(field, ty)| dally_text::stack::grow(|| self.input(field, ty)))
                    .collect();
                Some(self.heap.construct(number, &fields?))
            }
            (Literal::Abstract(name), TyKind::Con(con, _)) if !info.datatypes.contains_key(con) => {
                self.abstract_value(name, Some(ty))
            }
            (_, TyKind::Param(_)) => self.untyped(input),
            _ => None,
        }
    }

    /// An input whose type is a parameter of a function or of a datatype.
    fn untyped(&mut self, input: &Literal) -> Option<Value> {
        match input {
            Literal::Bool(b) => Some(Value::Bool(*b)),
            Literal::Int(n) => Some(self.heap.int(n.clone())),
            Literal::Real(n) => Some(self.heap.real(n.clone())),
            Literal::Bv(n, width) => Some(self.heap.bits(n.clone(), *width)),
            Literal::Float(float) => Some(self.heap.float(float)),
            Literal::Rounding(mode) => Some(self.heap.rounding(*mode)),
            Literal::Abstract(name) => self.abstract_value(name, None),
            Literal::Data(constructor, fields) => {
                let constructors = self.info.datatypes.values().flat_map(|d| &d.constructors);
                let mut named = constructors.filter(|c| self.text(self.info[c.function].name) == constructor);
                let number = named.next().map(|c| c.function)?;
                let number = self.constructor(number);
                let fields: Option<Vec<Value>> =
                    fields.iter().map(|field| dally_text::stack::grow(|| self.untyped(field))).collect();
                Some(self.heap.construct(number, &fields?))
            }
            Literal::Map(entries, default) => {
                let default = dally_text::stack::grow(|| self.untyped(default))?;
                let mut value = self.heap.constant_map(default);
                for (index, entry) in entries {
                    let (index, entry) =
                        dally_text::stack::grow(|| Some((self.untyped(index)?, self.untyped(entry)?)))?;
                    value = self.heap.store(value, index, entry);
                }
                Some(value)
            }
        }
    }

    /// Flattens nested maps into a map with several indices. Its entries cover all combinations of the
    /// indices that occur in this input and, if there are several indices, in the text and other inputs.
    fn map(&mut self, input: &Literal, indices: &[Ty], result: Ty) -> Option<Value> {
        let mut keys: Vec<Vec<Literal>> = vec![Vec::new()];
        for (level, ty) in indices.iter().enumerate() {
            let mut known = Vec::new();
            indices_at(input, level, &mut known);
            if indices.len() > 1 {
                known.extend(self.values_of_type(*ty));
            }
            known.sort_unstable();
            known.dedup();
            let longer = |key: &Vec<Literal>| {
                let key = key.clone();
                known.iter().map(move |index| [&key[..], std::slice::from_ref(index)].concat())
            };
            keys = keys.iter().flat_map(longer).take(MOST_KEYS).collect();
        }
        let default = (0..indices.len()).fold(input, |map, _| default_of(map));
        let default = self.input(default, result)?;
        let mut value = self.heap.constant_map(default);
        for key in keys {
            let entry = key.iter().fold(input, value_at);
            let entry = self.input(entry, result)?;
            let key: Option<Vec<Value>> = key.iter().zip(indices).map(|(i, ty)| self.input(i, *ty)).collect();
            let key = self.heap.key(&key?);
            value = self.heap.store(value, key, entry);
        }
        Some(value)
    }

    /// The values of a type that occur in the text or in the inputs.
    fn values_of_type(&mut self, ty: Ty) -> Vec<Literal> {
        let mut all: Vec<Literal> = self.options.inputs.iter().flat_map(Inputs::values).cloned().collect();
        for id in self.ast.exprs.ids() {
            match self.ast.exprs[id] {
                Expr::Int(digits) => all.extend(self.text(digits).parse().map(Literal::Int)),
                Expr::Bool(b) => all.push(Literal::Bool(b)),
                _ => {}
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|input| !matches!(input, Literal::Map(..)) && self.input(input, ty).is_some());
        all.truncate(MOST_INDICES);
        all
    }

    /// The element with this name of a type without a definition.
    fn abstract_value(&mut self, name: &str, ty: Option<Ty>) -> Option<Value> {
        if let Some(value) = self.atoms.get(name) {
            return Some(*value);
        }
        let value = Value::Atom(self.code.atoms.len() as u32);
        let shown = self.code.symbols.intern(name);
        self.code.atoms.push(shown);
        self.code.atom_types.push(ty);
        self.atoms.insert(name.to_owned(), value);
        Some(value)
    }

    /// Gives constants their values from the inputs. Unique constants already have one.
    pub(super) fn constants_from_inputs(&mut self) {
        let Some(inputs) = &self.options.inputs else { return };
        let constants: Vec<VarId> = (0..self.info.vars.len())
            .filter_map(|index| {
                let var = &self.info.vars[index];
                let id = self.info.global(var.name).filter(|v| v.index() == index)?;
                matches!(var.kind, VarKind::Const { .. }).then_some(id)
            })
            .collect();
        for constant in &constants {
            let name = self.text(self.info[*constant].name);
            if let (Some(Literal::Abstract(abstract_name)), Some(Meaning::Const(value))) =
                (inputs.constants.get(name), self.meanings.get(constant))
            {
                self.atoms.insert(abstract_name.clone(), *value);
            }
        }
        let constrained = self.constrained();
        for constant in constants {
            let (name, ty) = (self.info[constant].name, self.info[constant].ty);
            if self.meanings.contains_key(&constant) {
                continue;
            }
            let given = inputs.constants.get(self.text(name));
            let given = given.and_then(|input| self.input(input, ty));
            self.code.given.extend(given.map(|value| GivenValue { name, args: None, value }));
            // A constrained constant must not be read without a value from the inputs: a placeholder could
            // violate the axiom.
            let otherwise = |this: &mut Self| match constrained.contains(&constant) {
                true => Some(Value::Unset),
                false => this.some_value(ty),
            };
            if let Some(value) = given.or_else(|| otherwise(self)) {
                self.meanings.insert(constant, Meaning::Const(value));
            }
        }
    }

    /// With inputs, a division by zero has a value: that of the inputs, or zero.
    pub(super) fn divisions_from_inputs(&mut self) {
        let Some(inputs) = &self.options.inputs else { return };
        let mut known = Vec::new();
        for DivisionByZero { remainder, dividend, value } in &inputs.divisions {
            let (op, ty) = match (dividend, remainder) {
                (Literal::Real(_), _) => (Arith::Quotient, Ty::REAL),
                (_, true) => (Arith::Mod, Ty::INT),
                (_, false) => (Arith::Div, Ty::INT),
            };
            if let (Some(dividend), Some(value)) = (self.input(dividend, ty), self.input(value, ty))
                && !known.contains(&Quotient { op, dividend, value })
            {
                known.push(Quotient { op, dividend, value });
            }
        }
        self.code.by_zero = Some(known);
    }

    /// Returns true if the inputs give values for a function without a definition.
    pub(super) fn is_given(&self, function: FunctionId) -> bool {
        self.options.inputs.is_some() && self.info[function].params.len() <= 255
    }

    /// Compiles a function with values from the inputs: its arguments are compared with those of each
    /// entry.
    pub(super) fn given_function(&mut self, function: FunctionId) {
        let inputs = self.options.inputs.as_ref();
        let (name, params, result) =
            (self.info[function].name, self.info[function].params.clone(), self.info[function].result);
        let points = inputs.and_then(|inputs| inputs.functions.get(self.text(name)));
        let mut last = None;
        let mut ends = Vec::new();
        let depth = self.depth;
        // The solver may know more of a map than this execution: then the result is arbitrary.
        let is_map = |ty: &Ty| matches!(self.info.types.kind(*ty), TyKind::Map(..));
        let maps: Vec<u32> =
            (0..).zip(&params).filter(|(_, ty)| is_map(ty)).map(|(place, _)| place).collect();
        for place in maps {
            self.emit(Op::IsKnown(place));
            let known = self.emit(Op::JumpUnless(0));
            let over = self.emit(Op::Jump(0));
            self.patch(known);
            self.emit(Op::Const(Value::Unset));
            ends.push(self.emit(Op::Jump(0)));
            self.depth = depth;
            self.patch(over);
        }
        for FunctionPoint { args, value } in points.into_iter().flatten() {
            let args: Option<Vec<Value>> =
                args.iter().zip(&params).map(|(arg, ty)| self.input(arg, *ty)).collect();
            let (Some(args), Some(value)) = (args, self.input(value, result)) else { continue };
            last = Some(value);
            let point = GivenValue { name, args: Some(args.clone()), value };
            if !self.code.given.contains(&point) {
                self.code.given.push(point);
            }
            let mut misses = Vec::new();
            for (place, arg) in (0..).zip(args) {
                self.emit(Op::Stack(place));
                self.emit(Op::Const(arg));
                self.emit(Op::Eq);
                misses.push(self.emit(Op::JumpUnless(0)));
            }
            self.emit(Op::Const(value));
            ends.push(self.emit(Op::Jump(0)));
            self.depth = depth;
            misses.into_iter().for_each(|miss| self.patch(miss));
        }
        let otherwise = last.or_else(|| self.some_value(result)).unwrap_or(Value::Unset);
        self.emit(Op::Undefined(otherwise));
        ends.into_iter().for_each(|end| self.patch(end));
    }
}
