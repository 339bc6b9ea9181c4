//! The names of functions that SMT-LIB, z3 and Boogie's library define.

use dally_bpl::ast::{Attr, AttrArg, RoundingMode};
use dally_bpl::check::{FunctionId, Ty, TyKind};
use dally_bpl::float::Format;

use super::Compiler;
use crate::builtin::{Bits, BuiltIn, FloatKind, FloatOp, Scalar};
use crate::code::{Arith, BvOp, Compare, Op, WideOp};
use crate::wide;

impl Compiler<'_> {
    /// The instruction for a function with `:bvbuiltin` or `:builtin`; `Some(None)` if the name is unknown.
    pub(super) fn built_in(&mut self, function: FunctionId) -> Option<Option<Op>> {
        let decl = &self.ast.decls[self.info[function].decl];
        let attr =
            self.ast.attr(&decl.attrs, "bvbuiltin").or_else(|| self.ast.attr(&decl.attrs, "builtin"))?;
        let Attr { args, .. } = attr;
        let [AttrArg::Str(name)] = args[..] else { return Some(None) };
        let name = self.text(name).to_owned();
        let separators = |c: char| c.is_whitespace() || "()".contains(c);
        let words: Vec<&str> = name.split(separators).filter(|w| !w.is_empty() && *w != "_").collect();
        let info = &self.info[function];
        let types = Types { params: info.params.clone(), result: info.result };
        Some(self.instruction(&words, &types))
    }

    fn instruction(&mut self, words: &[&str], types: &Types) -> Option<Op> {
        if let Some(op) = self.plain(words, types) {
            return Some(op);
        }
        let found = pointwise(words)
            .or_else(|| scalar(words).map(BuiltIn::Scalar))
            .or_else(|| self.bits(words, types))
            .or_else(|| self.float(words, types))?;
        Some(self.built_in_op(found, types.params.len().min(255) as u8))
    }

    /// The instruction that applies a function to this many arguments.
    fn built_in_op(&mut self, function: BuiltIn, count: u8) -> Op {
        let known = self.code.built_ins.iter().position(|other| *other == function);
        let number = known.unwrap_or_else(|| {
            self.code.built_ins.push(function);
            self.code.built_ins.len() - 1
        });
        Op::BuiltIn(number as u32, count)
    }

    /// The instruction for an operator of Boogie on floating-point numbers, which rounds to the nearest even number.
    pub(super) fn float_operator(&mut self, kind: FloatKind, count: u8) -> Op {
        let mode = Some(RoundingMode::Rne);
        self.built_in_op(BuiltIn::Float(FloatOp { kind, mode }), count)
    }

    fn width(&self, ty: Option<&Ty>) -> Option<u32> {
        match self.info.types.kind(*ty?) {
            TyKind::Bv(w) if *w <= wide::MAX_WIDTH => Some(*w),
            _ => None,
        }
    }

    fn format(&self, ty: Ty) -> Option<Format> {
        match self.info.types.kind(ty) {
            TyKind::Float(significand, exponent) => Format::new(*significand, *exponent),
            _ => None,
        }
    }

    /// Functions with an instruction of their own.
    fn plain(&self, words: &[&str], types: &Types) -> Option<Op> {
        let count = types.params.len();
        let numbers = types.params.iter().all(|ty| *ty == Ty::INT || *ty == Ty::REAL);
        match (words, count) {
            (["MapConst"], 1) => return Some(Op::ConstantMap),
            (["not"], 1) => return Some(Op::Not),
            (["="], 2) => return Some(Op::Eq),
            (["distinct"], 2) => return Some(Op::Ne),
            (["to_real"], 1) => return Some(Op::ToReal),
            (["to_int"], 1) => return Some(Op::Floor),
            (["-"], 1) if numbers => return Some(Op::Neg),
            ([word], 2) if numbers => {
                if let Some(op) = arithmetic(word) {
                    return Some(op);
                }
            }
            _ => {}
        }
        let result = self.width(Some(&types.result));
        let first = self.width(types.params.first())?;
        let op = match (words, result) {
            (["zero_extend", _], Some(result)) => Some(WideOp::ZeroExtend(result)),
            (["sign_extend", _], Some(result)) => Some(WideOp::SignExtend(first, result)),
            (["concat"], Some(_)) => self.width(types.params.get(1)).map(WideOp::Concat),
            ([word], _) => bv_op(word).map(|op| WideOp::Bv(op, first)),
            _ => None,
        };
        let narrow = first.max(result.unwrap_or(0)) <= 64;
        op.map(|op| if narrow { of_words(op) } else { Op::Wide(op) })
    }

    fn bits(&self, words: &[&str], types: &Types) -> Option<BuiltIn> {
        let (first, result) = (self.width(types.params.first()), self.width(Some(&types.result)));
        let number = |text: &str| text.parse::<u32>().ok();
        Some(match (words, first, result) {
            (["int2bv" | "nat2bv" | "int_to_bv", _], None, Some(width)) => BuiltIn::Bits(Bits::OfInt, width),
            (["bv2nat" | "bv2int" | "ubv_to_int"], Some(width), _) => BuiltIn::Bits(Bits::ToNatural, width),
            (["sbv_to_int"], Some(width), _) => BuiltIn::Bits(Bits::ToSigned, width),
            (["bvredor"], Some(width), _) => BuiltIn::Bits(Bits::AnySet, width),
            (["bvredand"], Some(width), _) => BuiltIn::Bits(Bits::AllSet, width),
            (["rotate_left", by], Some(width), _) => {
                BuiltIn::Bits(Bits::Rotate(number(by)? % width.max(1)), width)
            }
            (["rotate_right", by], Some(width), _) => {
                BuiltIn::Bits(Bits::Rotate(width - number(by)? % width.max(1)), width)
            }
            (["ext_rotate_left"], Some(width), _) => BuiltIn::Bits(Bits::RotateBy { left: true }, width),
            (["ext_rotate_right"], Some(width), _) => BuiltIn::Bits(Bits::RotateBy { left: false }, width),
            (["repeat", times], Some(width), Some(_)) => BuiltIn::Bits(Bits::Repeat(number(times)?), width),
            (["extract", high, low], Some(width), Some(_)) => {
                let (high, low) = (number(high)?.checked_add(1)?, number(low)?);
                (low < high && high <= width).then_some(BuiltIn::Bits(Bits::Extract(high, low), width))?
            }
            _ => return None,
        })
    }

    /// Floating-point functions; the rounding mode may follow the name.
    fn float(&self, words: &[&str], types: &Types) -> Option<BuiltIn> {
        let (mode, words) = match words {
            [rest @ .., last] if let Some(mode) = RoundingMode::named(last) => (Some(mode), rest),
            _ => (None, words),
        };
        let kind = match words {
            ["to_fp", ..] => self.to_float(mode.is_some(), types)?,
            ["to_fp_unsigned", ..] => FloatKind::OfUnsigned(self.format(types.result)?),
            ["fp"] => FloatKind::OfFields(self.format(types.result)?),
            ["fp.to_sbv", _] => FloatKind::ToSigned(self.width(Some(&types.result)).filter(|w| *w > 0)?),
            ["fp.to_ubv", _] => FloatKind::ToUnsigned(self.width(Some(&types.result))?),
            [word] => float_kind(word)?,
            _ => return None,
        };
        Some(BuiltIn::Float(FloatOp { kind, mode }))
    }

    /// `to_fp`, whose meaning depends on its arguments.
    fn to_float(&self, has_mode: bool, types: &Types) -> Option<FloatKind> {
        let format = self.format(types.result)?;
        let (first, last) = (types.params.first(), types.params.last()?);
        let rounds =
            has_mode || first.is_some_and(|ty| matches!(self.info.types.kind(*ty), TyKind::Rounding));
        Some(match self.width(Some(last)) {
            Some(width) if rounds => FloatKind::OfSigned(format, width),
            Some(_) => FloatKind::OfBits(format),
            None => FloatKind::Convert(format),
        })
    }
}

/// The types of a function.
struct Types {
    params: Vec<Ty>,
    result: Ty,
}

/// Operations on two numbers.
fn arithmetic(word: &str) -> Option<Op> {
    Some(match word {
        "+" => Op::Arith(Arith::Add),
        "-" => Op::Arith(Arith::Sub),
        "*" => Op::Arith(Arith::Mul),
        "/" => Op::Arith(Arith::Quotient),
        "div" => Op::Arith(Arith::Div),
        "mod" => Op::Arith(Arith::Mod),
        "<" => Op::Compare(Compare::Lt),
        "<=" => Op::Compare(Compare::Le),
        ">" => Op::Compare(Compare::Gt),
        ">=" => Op::Compare(Compare::Ge),
        _ => return None,
    })
}

fn scalar(words: &[&str]) -> Option<Scalar> {
    let [word] = words else { return None };
    Some(match *word {
        "and" => Scalar::And,
        "or" => Scalar::Or,
        "xor" => Scalar::Xor,
        "=>" => Scalar::Implies,
        "ite" => Scalar::IfThenElse,
        "abs" => Scalar::Abs,
        "rem" => Scalar::Rem,
        "is_int" => Scalar::IsInt,
        _ => return None,
    })
}

/// The map functions of Boogie's library.
fn pointwise(words: &[&str]) -> Option<BuiltIn> {
    let [word] = words else { return None };
    Some(BuiltIn::Pointwise(match *word {
        "MapAdd" => Scalar::Arith(Arith::Add),
        "MapSub" => Scalar::Arith(Arith::Sub),
        "MapMul" => Scalar::Arith(Arith::Mul),
        "MapDiv" => Scalar::Arith(Arith::Div),
        "MapMod" => Scalar::Arith(Arith::Mod),
        "MapEq" | "MapIff" => Scalar::Eq,
        "MapGt" => Scalar::Compare(Compare::Gt),
        "MapGe" => Scalar::Compare(Compare::Ge),
        "MapLt" => Scalar::Compare(Compare::Lt),
        "MapLe" => Scalar::Compare(Compare::Le),
        "MapOr" => Scalar::Or,
        "MapAnd" => Scalar::And,
        "MapNot" => Scalar::Not,
        "MapImp" => Scalar::Implies,
        "MapIte" => Scalar::IfThenElse,
        _ => return None,
    }))
}

fn float_kind(word: &str) -> Option<FloatKind> {
    Some(match word {
        "fp.abs" => FloatKind::Abs,
        "fp.neg" => FloatKind::Neg,
        "fp.add" => FloatKind::Add,
        "fp.sub" => FloatKind::Sub,
        "fp.mul" => FloatKind::Mul,
        "fp.div" => FloatKind::Div,
        "fp.fma" => FloatKind::Fma,
        "fp.sqrt" => FloatKind::Sqrt,
        "fp.rem" => FloatKind::Rem,
        "fp.roundToIntegral" => FloatKind::RoundToIntegral,
        "fp.min" => FloatKind::Min,
        "fp.max" => FloatKind::Max,
        "fp.leq" => FloatKind::Compare(Compare::Le),
        "fp.lt" => FloatKind::Compare(Compare::Lt),
        "fp.geq" => FloatKind::Compare(Compare::Ge),
        "fp.gt" => FloatKind::Compare(Compare::Gt),
        "fp.eq" => FloatKind::Eq,
        "fp.isNormal" => FloatKind::IsNormal,
        "fp.isSubnormal" => FloatKind::IsSubnormal,
        "fp.isZero" => FloatKind::IsZero,
        "fp.isInfinite" => FloatKind::IsInfinite,
        "fp.isNaN" => FloatKind::IsNaN,
        "fp.isNegative" => FloatKind::IsNegative,
        "fp.isPositive" => FloatKind::IsPositive,
        "fp.to_real" => FloatKind::ToReal,
        "fp.to_ieee_bv" | "to_ieee_bv" => FloatKind::ToBits,
        _ => return None,
    })
}

/// The instruction for the operation on bitvectors of up to 64 bits.
fn of_words(op: WideOp) -> Op {
    match op {
        WideOp::Bv(op, width) => Op::Bv(op, width as u8),
        WideOp::Extract(high, low) => Op::Extract(high as u8, low as u8),
        WideOp::Concat(right) => Op::Concat(right as u8),
        WideOp::ZeroExtend(_) => Op::ZeroExtend,
        WideOp::SignExtend(from, to) => Op::SignExtend(from as u8, to as u8),
    }
}

fn bv_op(name: &str) -> Option<BvOp> {
    Some(match name {
        "bvadd" => BvOp::Add,
        "bvsub" => BvOp::Sub,
        "bvmul" => BvOp::Mul,
        "bvudiv" => BvOp::Udiv,
        "bvurem" => BvOp::Urem,
        "bvsdiv" => BvOp::Sdiv,
        "bvsrem" => BvOp::Srem,
        "bvsmod" => BvOp::Smod,
        "bvand" => BvOp::And,
        "bvor" => BvOp::Or,
        "bvxor" => BvOp::Xor,
        "bvnand" => BvOp::Nand,
        "bvnor" => BvOp::Nor,
        "bvxnor" => BvOp::Xnor,
        "bvcomp" => BvOp::Comp,
        "bvnot" => BvOp::Not,
        "bvneg" => BvOp::Neg,
        "bvshl" => BvOp::Shl,
        "bvlshr" => BvOp::Lshr,
        "bvashr" => BvOp::Ashr,
        "bvult" => BvOp::Ult,
        "bvule" => BvOp::Ule,
        "bvugt" => BvOp::Ugt,
        "bvuge" => BvOp::Uge,
        "bvslt" => BvOp::Slt,
        "bvsle" => BvOp::Sle,
        "bvsgt" => BvOp::Sgt,
        "bvsge" => BvOp::Sge,
        _ => return None,
    })
}
