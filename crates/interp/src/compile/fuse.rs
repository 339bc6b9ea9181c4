//! Instructions that stand for several, where those are common.
//!
//! The code keeps its addresses: an instruction is replaced by one that does the work of the next ones too, and
//! goes on behind them. Those stay where they are, for jumps into the middle, and so does the code as it was,
//! for the case that a variable turns out to be arbitrary, and for those who watch every instruction.

use crate::code::{Address, Binary, Code, Op, Operand, Target};
use crate::value::Value;

/// Fuses instructions, and finds the guards of choices.
pub(super) fn fuse(code: &mut Code) {
    code.plain = code.ops.clone();
    for at in 0..code.plain.len() {
        if let Some(op) = fused(&code.plain[at..], &mut code.constants) {
            code.ops[at] = op;
        }
    }
    let Code { plain, constants, targets, .. } = code;
    for target in targets.iter_mut().flatten() {
        *target = guarded(target.to, plain, constants);
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

/// The target with the guard that it begins with, if that is a variable and a word.
fn guarded(to: Address, ops: &[Op], constants: &[Value]) -> Target {
    let guard = match ops.get(to as usize) {
        Some(Op::AssumeIs(place, constant)) => match constants[*constant as usize] {
            Value::Unset | Value::Map(_) | Value::Data(_) => None,
            word => Some((*place, word)),
        },
        _ => None,
    };
    Target { to, guard }
}
