//! The effects of instructions: the one table of the instruction set, on which analyses build.

use dally_step::dead::Dead;
use dally_step::effect::{Address, Effect, Object};

use crate::code::{BvOp, Code, Op, Operand, Procedure, VarStorage};

impl Code {
    /// Finds the dead locals at each address where a task may stop or to which a call returns.
    pub(crate) fn find_dead_locals(&mut self) {
        let mut dead = Dead::nothing(self.ops.len());
        for procedure in &self.procedures {
            let locals = procedure.variables.len() as u32;
            dead.analyse(procedure.entry..procedure.end, locals, |address| self.effect(procedure, address));
        }
        self.dead = dead;
    }

    /// The effect of an instruction of a procedure.
    pub(crate) fn effect(&self, procedure: &Procedure, address: Address) -> Effect {
        self.describe(self.ops[address as usize], address, Some(procedure))
    }

    /// The effect of an instruction of a procedure, not fused with those after it.
    pub(crate) fn plain_effect(&self, procedure: &Procedure, address: Address) -> Effect {
        self.describe(self.plain[address as usize], address, Some(procedure))
    }

    /// The change in the height of the operand stack from an instruction to the next one.
    pub(crate) fn height_change(&self, op: Op) -> i32 {
        let effect = self.describe(op, 0, None);
        let next = effect.exits.iter().find(|exit| exit.to == 1);
        next.map_or(0, |next| next.pushes as i32 - effect.pops as i32)
    }

    /// The effect of an instruction at an address. What it reads is complete only if its procedure is known.
    fn describe(&self, op: Op, address: Address, procedure: Option<&Procedure>) -> Effect {
        let next = address + 1;
        let computes = |pops, pushes| Effect::computes(pops, pushes, next);
        match op {
            Op::Const(_) | Op::Stack(_) | Op::Mentioned(_) | Op::ThreadId | Op::ChildId => computes(0, 1),
            // It may also skip the current instance of a quantifier; that reads nothing.
            Op::Undefined(_) | Op::IsKnown(_) => computes(0, 1),
            Op::Pick(..) => computes(0, 1),
            Op::Load(place) => read(computes(0, 1), procedure, place),
            Op::Take(place) => read(computes(0, 1), procedure, place),
            Op::Not | Op::Neg | Op::Floor | Op::ToReal | Op::ConstantMap => computes(1, 1),
            Op::Extract(..) | Op::ZeroExtend | Op::SignExtend(..) => computes(1, 1),
            Op::Field(_) | Op::Is(_) => computes(1, 1),
            Op::Arith(_) | Op::Eq | Op::Ne | Op::Compare(_) | Op::Concat(_) | Op::FieldUpdate(_) => {
                computes(2, 1)
            }
            Op::Bv(op, _) => computes(if matches!(op, BvOp::Not | BvOp::Neg) { 1 } else { 2 }, 1),
            Op::Wide(op) => computes(if op.is_binary() { 2 } else { 1 }, 1),
            Op::Select(count, _) => computes(1 + u32::from(count), 1),
            Op::Store(count) => computes(2 + u32::from(count), 1),
            Op::Construct(_, count) | Op::Apply(_, count) | Op::BuiltIn(_, count) => {
                computes(u32::from(count), 1)
            }
            Op::Recall(_) => computes(1, 1),
            Op::Result | Op::Remember(_) => Effect::ends(1),
            Op::Slide(count) => computes(1 + u32::from(count), 1),
            Op::Put(_) | Op::Pop | Op::Assume | Op::Check(_) => computes(1, 0),
            Op::AndThen(to) | Op::OrElse(to) => computes(1, 0).or(to, 1),
            Op::Each(_, exit) => computes(2, 3).or(exit, 1),
            Op::Again(_, begin) => computes(4, 1).or(begin, 2),
            Op::Set(place) => computes(1, 0).writes(object(place)),
            Op::SetConst(place, _) => Effect::computes(0, 0, address + 2).writes(object(place)),
            Op::Binary(_, a, b) => {
                let effect = Effect::computes(0, 1, address + 3);
                [a, b].into_iter().fold(effect, |effect, operand| match operand {
                    Operand::VarStorage(place) => read(effect, procedure, place),
                    Operand::Const(_) | Operand::Stack(_) => effect,
                })
            }
            Op::Jump(to) => Effect::computes(0, 0, to),
            Op::JumpUnless(to) => computes(1, 0).or(to, 0),
            Op::Choose(list) | Op::FollowTo(_, list) => {
                let targets = self.targets[list as usize].iter();
                targets.fold(Effect::ends(0), |effect, target| effect.or(target.to, 0))
            }
            // The script determines the assigned variables.
            Op::Follow(_) => computes(0, 0),
            Op::AssumeEq(place) => read(computes(1, 0), procedure, place),
            Op::AssumeIs(place, _) => read(computes(0, 0), procedure, place),
            Op::Call(callee) => {
                let callee = &self.procedures[callee as usize];
                computes(callee.ins, callee.outs).resumes(next)
            }
            Op::Return => {
                let results = procedure.map_or(0..0, |it| it.ins..it.ins + it.outs);
                results.fold(Effect::ends(0), |effect, result| effect.reads(Object::Local(result)))
            }
            Op::Post(callee, ..) => computes(self.procedures[callee as usize].ins, 1),
            Op::Wait(local) => read(computes(0, 1), procedure, VarStorage::Local(local)).resumes(address),
            Op::Await => computes(0, 0).resumes(address),
            Op::AwaitEnd(begin) => computes(1, 0).or(begin, 0),
            Op::Interrupt | Op::AtomicEnd => computes(0, 0).resumes(next),
            Op::Yield | Op::Zield | Op::YieldByLevel | Op::ZieldByLevel => computes(0, 0).resumes(next),
            Op::AtomicBegin | Op::Seal | Op::Unseal => computes(0, 0),
            Op::Print(print) => {
                let arguments = self.telling.prints[print as usize].arguments.iter();
                arguments.fold(computes(0, 0), |effect, argument| match argument {
                    Operand::VarStorage(place) => effect.reads(object(*place)),
                    Operand::Const(_) | Operand::Stack(_) => effect,
                })
            }
        }
    }
}

fn object(place: VarStorage) -> Object {
    match place {
        VarStorage::Global(global) => Object::Shared(global),
        VarStorage::Local(local) => Object::Local(local),
        VarStorage::ThreadLocal(variable) => Object::Task(variable),
    }
}

/// Reads a variable. If it is arbitrary, its value may come from the hidden variable next to it.
fn read(effect: Effect, procedure: Option<&Procedure>, place: VarStorage) -> Effect {
    let effect = effect.reads(object(place));
    match place {
        VarStorage::Local(local) => match procedure.and_then(|it| it.variables[local as usize].given) {
            Some(given) => effect.reads(Object::Local(given)),
            None => effect,
        },
        VarStorage::Global(_) | VarStorage::ThreadLocal(_) => effect,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use dally_step::effect::check_stack;
    use dally_text::source::SourceMap;

    use dally_bpl::ProgramOptions;

    use super::*;
    use crate::compile::{MachineOptions, compile};

    /// The code of the programs of this repository, with the name of their file.
    fn codes() -> Vec<(String, Code)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folders =
            ["examples", "crates/dally/tests/golden/check", "crates/dally/tests/golden/sequentialize"];
        let files = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
        let files = files.map(|file| file.unwrap().path());
        let mut codes = Vec::new();
        for file in files.filter(|file| file.extension() == Some("bpl".as_ref())) {
            let mut sources = SourceMap::default();
            sources.add("test.bpl", std::fs::read_to_string(&file).unwrap()).unwrap();
            // Some of the golden programs have errors.
            let Ok(program) = dally_bpl::load(&sources) else { continue };
            for preempt in [false, true] {
                let options = MachineOptions {
                    program: ProgramOptions { entry: None, preempt },
                    ..MachineOptions::default()
                };
                if let Ok((code, _)) = compile(&program, &options) {
                    codes.push((file.display().to_string(), code));
                }
            }
        }
        codes
    }

    /// The first procedure whose code contradicts the table, if there is one.
    fn unbalanced(code: &Code, effect: impl Fn(&Procedure, Address) -> Effect) -> Option<&Procedure> {
        code.procedures.iter().find(|procedure| {
            check_stack(procedure.entry..procedure.end, |address| effect(procedure, address)).is_err()
        })
    }

    #[test]
    fn the_table_describes_the_stack_of_compiled_code() {
        let codes = codes();
        assert!(codes.len() > 50);
        for (file, code) in &codes {
            let wrong = unbalanced(code, |procedure, address| code.effect(procedure, address));
            let name = wrong.map(|procedure| code.symbols.text(procedure.name));
            assert_eq!(name, None, "{file}");
        }
    }

    #[test]
    fn a_wrong_row_of_the_table_is_found() {
        let found = codes().iter().any(|(_, code)| {
            let effect = |procedure: &Procedure, address: Address| match code.ops[address as usize] {
                Op::Select(..) => Effect::computes(1, 1, address + 1),
                _ => code.effect(procedure, address),
            };
            unbalanced(code, effect).is_some()
        });
        assert!(found);
    }
}
