//! Peephole optimisation: fused instructions for common sequences.
//!
//! Addresses do not change: a fused instruction replaces the first one of its sequence and continues after
//! the last. The others stay in place as jump targets. The unfused code is kept as well, for reads of
//! arbitrary variables and for observers of every instruction.

use crate::code::{Binary, Code, Guard, Op, Operand};
use crate::value::Value;

/// Fuses instructions, and finds the guards of choices.
pub(super) fn fuse(code: &mut Code) {
    code.plain = code.ops.clone();
    for at in 0..code.plain.len() {
        if let Some(op) = fused(&code.plain[at..], &mut code.constants) {
            code.ops[at] = op;
        }
    }
    remember(code);
    let Code { plain, constants, targets, guards, .. } = code;
    for target in targets.iter_mut().flatten() {
        let first = guards.len();
        let ops = plain.get(target.to as usize..).unwrap_or_default();
        let mut at = 0;
        while let Some(guard) = ops.get(at..).and_then(|ops| guard(ops, constants)) {
            at += guard.length() as usize;
            guards.push(guard);
        }
        target.guards = (first as u32, guards.len() as u32);
    }
}

/// Memoises functions of one argument that call no function but themselves.
fn remember(code: &mut Code) {
    let Code { ops, plain, remembers, .. } = code;
    for call in 0..plain.len() {
        let Op::Apply(function, 1) = plain[call] else { continue };
        let Some(length) = recursive(&plain[function as usize..], function) else { continue };
        *remembers = true;
        ops[call] = Op::Recall(function);
        ops[function as usize + length] = Op::Remember(function);
    }
}

/// The length of the body of a function, if it calls itself and otherwise only computes.
fn recursive(ops: &[Op], function: u32) -> Option<usize> {
    let length = ops.iter().position(|op| *op == Op::Result)?;
    let is_pure = |op: &Op| match op {
        Op::Apply(to, _) => *to == function,
        Op::Const(_) | Op::Stack(_) | Op::Not | Op::Neg | Op::Arith(_) | Op::Compare(_) | Op::Eq | Op::Ne => {
            true
        }
        Op::AndThen(_) | Op::OrElse(_) | Op::Jump(_) | Op::JumpUnless(_) | Op::Slide(_) | Op::Pop => true,
        _ => false,
    };
    let calls_itself = ops[..length].contains(&Op::Apply(function, 1));
    (calls_itself && ops[..length].iter().all(is_pure)).then_some(length)
}

fn fused(ops: &[Op], constants: &mut Vec<Value>) -> Option<Op> {
    if let [Op::Const(value), Op::Set(place), ..] = *ops {
        constants.push(value);
        return Some(Op::SetConst(place, constants.len() as u32 - 1));
    }
    let [a, b, op, ..] = *ops else { return None };
    let op = match op {
        Op::Eq => Binary::Eq,
        Op::Ne => Binary::Ne,
        Op::Compare(op) => Binary::Compare(op),
        Op::Arith(op) => Binary::Arith(op),
        _ => return None,
    };
    let mut operand = |op| match op {
        Op::Load(place) => Some(Operand::VarStorage(place)),
        Op::Stack(index) => Some(Operand::Stack(index)),
        Op::Const(value) => {
            constants.push(value);
            Some(Operand::Const(constants.len() as u32 - 1))
        }
        _ => None,
    };
    Some(Op::Binary(op, operand(a)?, operand(b)?))
}

/// The guard that a sequence of instructions begins with.
fn guard(ops: &[Op], constants: &[Value]) -> Option<Guard> {
    match *ops {
        [Op::AssumeIs(place, constant), ..] => match constants[constant as usize] {
            Value::Bool(b) => Some(Guard::Bool(place, b)),
            Value::Int(n) => Some(Guard::Int(place, n)),
            _ => None,
        },
        [Op::Load(place), Op::Const(Value::Int(n)), Op::Ne, Op::Assume, ..] => Some(Guard::NotInt(place, n)),
        [Op::Load(place), Op::Const(Value::Int(n)), Op::Compare(op), Op::Assume, ..] => {
            Some(Guard::Compare(op, place, n))
        }
        _ => None,
    }
}
