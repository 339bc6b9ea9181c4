//! Instructions that stand for several, where those are common.
//!
//! The code keeps its addresses: an instruction is replaced by one that does the work of the next ones too, and
//! goes on behind them. Those stay where they are, for jumps into the middle, and so does the code as it was,
//! for the case that a variable turns out to be arbitrary, and for those who watch every instruction.

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
    let Code { plain, constants, targets, guards, .. } = code;
    for target in targets.iter_mut().flatten() {
        let first = guards.len();
        let ops = plain.get(target.to as usize..).unwrap_or_default();
        guards.extend(ops.iter().map_while(|op| guard(*op, constants)));
        target.guards = (first as u32, guards.len() as u32);
    }
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
        Op::Load(place) => Some(Operand::Place(place)),
        Op::Stack(index) => Some(Operand::Stack(index)),
        Op::Const(value) => {
            constants.push(value);
            Some(Operand::Const(constants.len() as u32 - 1))
        }
        _ => None,
    };
    Some(Op::Binary(op, operand(a)?, operand(b)?))
}

/// The guard that an instruction is.
fn guard(op: Op, constants: &[Value]) -> Option<Guard> {
    let Op::AssumeIs(place, constant) = op else { return None };
    match constants[constant as usize] {
        Value::Bool(b) => Some(Guard::Bool(place, b)),
        Value::Int(n) => Some(Guard::Int(place, n)),
        _ => None,
    }
}
