//! Checks inputs against a program: they may have been written for another version of it.

use dally_bpl::Program;
use dally_bpl::check::{FunctionInfo, Ty, TyKind, VarKind};
use dally_bpl::float::Format;
use dally_bpl::literal::{Literal, beginning};
use dally_text::stack::grow;
use rustc_hash::FxHashMap;

use super::inputs::MOST_KEYS;
use super::{Decision, DivisionByZero, FunctionPoint, Inputs};

impl Inputs {
    /// Removes the inputs that do not fit a program, and returns a message for each.
    pub fn fit(&mut self, program: &Program) -> Vec<String> {
        let mut names: FxHashMap<&str, Vec<(Ty, VarKind)>> = FxHashMap::default();
        for var in &program.info.vars {
            names.entry(program.ast.text(var.name)).or_default().push((var.ty, var.kind));
        }
        let mut fitter = Fitter { program, names, rejected: Vec::new() };
        self.constants.retain(|name, value| fitter.named("constant", name, value));
        self.functions.retain(|name, points| fitter.function(name, points));
        self.divisions.retain(|DivisionByZero { remainder, dividend, value }| {
            let of = |ty: Ty| fitter.fits(dividend, ty) && fitter.fits(value, ty);
            let fits = of(Ty::INT) || !remainder && of(Ty::REAL);
            fitter.judge(fits, || {
                let (dividend, value) = (beginning(&dividend.to_string()), beginning(&value.to_string()));
                let kind = if *remainder {
                    "a remainder by zero takes integers"
                } else {
                    "a quotient by zero takes numbers"
                };
                format!("{kind}, not {dividend} with the result {value}")
            })
        });
        for (name, values) in &mut self.witnesses {
            values.retain(|value| fitter.named("variable", name, value));
        }
        for (name, values) in &mut self.variables {
            values.retain(|value| fitter.named("variable", name, value));
        }
        self.variables.retain(|_, values| !values.is_empty());
        let scripts = self.scripts.len();
        for script in &mut self.scripts {
            let known = program.ast.symbols.get(&script.procedure);
            let known = known.is_some_and(|name| program.info.procedure(name).is_some());
            fitter.judge(known, || format!("there is no procedure `{}`", beginning(&script.procedure)));
            script.decisions.retain_mut(|decision| fitter.decision(decision, scripts));
        }
        self.entries.retain(|entry| fitter.judge(*entry < scripts, || format!("there is no script {entry}")));
        fitter.rejected
    }
}

struct Fitter<'p> {
    program: &'p Program,
    /// The variables and constants of each name.
    names: FxHashMap<&'p str, Vec<(Ty, VarKind)>>,
    rejected: Vec<String>,
}

impl Fitter<'_> {
    fn judge(&mut self, fits: bool, otherwise: impl FnOnce() -> String) -> bool {
        if !fits {
            self.rejected.push(otherwise());
        }
        fits
    }

    /// Returns true if a variable or constant of this name exists and may have this value.
    fn named(&mut self, kind: &str, name: &str, value: &Literal) -> bool {
        let mut own = Vec::from(self.names.get(name).map_or(&[][..], Vec::as_slice));
        own.retain(|(_, k)| matches!(k, VarKind::Const { .. }) == (kind == "constant"));
        if own.is_empty() {
            return self.judge(false, || format!("there is no {kind} `{}`", beginning(name)));
        }
        let fits = own.iter().any(|(ty, _)| self.fits(value, *ty));
        self.judge(fits, || {
            format!(
                "the {kind} `{name}` cannot be {}: its type has no such value",
                beginning(&value.to_string())
            )
        })
    }

    fn function(&mut self, name: &str, points: &mut Vec<FunctionPoint>) -> bool {
        let info = &self.program.info;
        let found = info.functions.iter().find(|f| self.program.ast.text(f.name) == name);
        let Some(function) = found else {
            return self.judge(false, || format!("there is no function `{}`", beginning(name)));
        };
        if points.len() > MOST_KEYS {
            return self.judge(false, || format!("the function `{name}` has values at too many points"));
        }
        let mut known: FxHashMap<Vec<Literal>, Literal> = FxHashMap::default();
        points.retain(|FunctionPoint { args, value }| {
            let fits = args.len() == function.params.len()
                && args.iter().zip(&function.params).all(|(arg, ty)| self.fits(arg, *ty))
                && self.fits(value, function.result);
            let first = known.entry(args.clone()).or_insert_with(|| value.clone());
            self.judge(fits && first == value, || {
                let point = Literal::Data(name.to_owned(), args.clone()).to_string();
                let (point, first, value) =
                    (beginning(&point), beginning(&first.to_string()), beginning(&value.to_string()));
                match fits {
                    true => format!("`{point}` cannot be both {first} and {value}"),
                    false => format!("`{point}` cannot be {value}: the signature of the function differs"),
                }
            })
        });
        true
    }

    fn decision(&mut self, decision: &mut Decision, scripts: usize) -> bool {
        match decision {
            Decision::Choose(_, option) => {
                let fits = u32::try_from(*option).is_ok();
                self.judge(fits, || format!("there is no option {option} to choose"))
            }
            Decision::Set(_, values) | Decision::Enter(_, values) => {
                values.retain(|(name, value)| self.named("variable", name, value));
                true
            }
            Decision::Post(task) => self.judge(*task < scripts, || format!("there is no script {task}")),
        }
    }

    /// Returns true if a value is of a type.
    fn fits(&self, value: &Literal, ty: Ty) -> bool {
        let info = &self.program.info;
        grow(|| match (value, info.types.kind(ty)) {
            (Literal::Bool(_), TyKind::Bool)
            | (Literal::Int(_), TyKind::Int)
            | (Literal::Real(_), TyKind::Real) => true,
            (Literal::Bv(n, own), TyKind::Bv(width)) => own == width && n.bits() <= u64::from(*width),
            (Literal::Float(float), TyKind::Float(significand, exponent)) => {
                float.format() == Format { significand: *significand, exponent: *exponent }
            }
            (Literal::Rounding(_), TyKind::Rounding) => true,
            (_, TyKind::Map(_, indices, result)) => self.fits_map(value, indices, *result),
            (Literal::Data(name, fields), TyKind::Con(con, _)) => {
                let constructors = info.datatypes.get(con).map_or(&[][..], |d| &d.constructors);
                self.constructed(name, fields, constructors.iter().map(|c| &info[c.function]))
            }
            (Literal::Abstract(_), TyKind::Con(con, _)) => !info.datatypes.contains_key(con),
            (Literal::Data(name, fields), TyKind::Param(_)) => {
                let constructors = info.functions.iter().filter(|f| f.constructs.is_some());
                self.constructed(name, fields, constructors)
            }
            (_, TyKind::Param(_)) => true,
            _ => false,
        })
    }

    fn constructed<'f>(
        &self,
        name: &str,
        fields: &[Literal],
        mut constructors: impl Iterator<Item = &'f FunctionInfo>,
    ) -> bool {
        constructors.find(|c| self.program.ast.text(c.name) == name).is_some_and(|c| {
            fields.len() == c.params.len()
                && fields.iter().zip(&c.params).all(|(field, ty)| self.fits(field, *ty))
        })
    }

    /// Returns true if a nested map has these indices.
    fn fits_map(&self, value: &Literal, indices: &[Ty], result: Ty) -> bool {
        let Some((first, others)) = indices.split_first() else { return self.fits(value, result) };
        let Literal::Map(entries, default) = value else { return false };
        entries.len() <= MOST_KEYS
            && self.fits_map(default, others, result)
            && entries.iter().all(|(i, v)| self.fits(i, *first) && self.fits_map(v, others, result))
    }
}
