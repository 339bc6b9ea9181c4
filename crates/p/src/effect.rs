//! The effects of instructions: the one table of the instruction set, on which analyses build.

use dally_step::dead::Dead;
use dally_step::effect::{Address, Effect, Object};

use crate::code::{Change, Code, Op, PathStep};

impl Code {
    /// Finds the dead variables of functions, at each address where a machine may stop or to which a call
    /// returns.
    pub(crate) fn find_dead_variables(&mut self) {
        let mut dead = Dead::nothing(self.ops.len());
        for function in &self.functions {
            let locals = function.params + function.defaults.len() as u32;
            dead.analyse(function.entry..function.end, locals, |address| self.effect(address));
        }
        self.dead = dead;
    }

    /// The effect of an instruction.
    pub(crate) fn effect(&self, address: Address) -> Effect {
        let next = address + 1;
        let computes = |pops, pushes| Effect::computes(pops, pushes, next);
        match self.ops[address as usize] {
            Op::Const(_) | Op::This | Op::Nondet | Op::FairNondet => computes(0, 1),
            Op::Local(slot) => computes(0, 1).reads(Object::Local(slot)),
            Op::Field(field) => computes(0, 1).reads(Object::Task(field)),
            Op::SetLocal(slot) => computes(1, 0).writes(Object::Local(slot)),
            Op::SetField(field) => computes(1, 0).writes(Object::Task(field)),
            Op::Update(path, change) => {
                let path = &self.paths[path as usize];
                let indices = path.steps.iter().filter(|step| matches!(step, PathStep::Index)).count() as u32;
                let operands = match change {
                    Change::Insert => 2,
                    Change::Set | Change::Add | Change::Remove => 1,
                };
                let variable =
                    if path.field { Object::Task(path.variable) } else { Object::Local(path.variable) };
                computes(indices + operands, 0).reads(variable)
            }
            Op::Pop | Op::Print | Op::Assume(_) => computes(1, 0),
            Op::PrintFormat(_, count) => computes(count, 0),
            Op::Jump(to) => Effect::computes(0, 0, to),
            Op::JumpIfNot(to) => computes(1, 0).or(to, 0),
            Op::JumpIf(_, to) => computes(1, 0).or(to, 1),
            Op::Neg | Op::Not | Op::Item(_) | Op::Keys | Op::Values | Op::Sizeof => computes(1, 1),
            Op::Cast(_) | Op::ToInt | Op::ToFloat | Op::View(_) | Op::Choose => computes(1, 1),
            Op::Binary(_) | Op::Index => computes(2, 1),
            Op::Tuple(_, count) | Op::Format(_, count) => computes(count, 1),
            Op::Takes(slot, _) => computes(0, 0).reads(Object::Local(slot)),
            Op::Call(function) => computes(self.functions[function as usize].params, 1).resumes(next),
            // Ends the call, or all calls of the machine.
            Op::Return | Op::Goto(_) | Op::Fail => Effect::ends(1),
            Op::Foreign(_) => Effect::ends(0),
            Op::Seal(_) => computes(0, 0),
            Op::Raise => Effect::ends(2),
            Op::Reach(_) => computes(0, 0),
            Op::Yield => computes(0, 0).resumes(next),
            Op::New(_) => computes(1, 1),
            // The operands stay on the stack until the event is enqueued.
            Op::Send => computes(3, 3).resumes(next),
            Op::Enqueue => computes(3, 0),
            Op::Announce => computes(2, 0),
            Op::Conform => computes(2, 2),
            Op::Receive(cases) => {
                let targets = self.cases[cases as usize].targets.iter().flatten();
                targets.fold(Effect::ends(0), |effect, target| effect.or(*target, 1)).resumes(address)
            }
            Op::Foreach(slot, end) => {
                computes(0, 1).or(end, 0).reads(Object::Local(slot)).reads(Object::Local(slot + 1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use dally_explore::{Delays, Options, Report, SchedulerName, Search};
    use dally_step::effect::check_stack;
    use dally_text::source::SourceMap;

    use super::*;
    use crate::machine::Machine;

    /// All tests of the programs in these folders, with the name of their file.
    fn machines() -> Vec<(String, Machine)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folders = ["examples/p", "examples/liveness", "crates/dally/tests/golden/p"];
        let files = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
        let files =
            files.map(|file| file.unwrap().path()).filter(|file| file.extension() == Some("p".as_ref()));
        let mut machines = Vec::new();
        for file in files {
            let mut sources = SourceMap::default();
            sources.add("test.p", std::fs::read_to_string(&file).unwrap()).unwrap();
            // Some of the golden programs have errors.
            let Ok(program) = crate::load(&sources) else { continue };
            for test in &program.tests {
                machines.push((file.display().to_string(), Machine::new(&program, test, &sources)));
            }
        }
        machines
    }

    #[test]
    fn the_table_describes_the_stack_of_compiled_code() {
        let machines = machines();
        assert!(machines.len() > 40);
        for (file, machine) in machines {
            for function in &machine.code.functions {
                let body = function.entry..function.end;
                let checked = check_stack(body, |address| machine.code.effect(address));
                assert_eq!(checked, Ok(()), "{file}: {}: {:?}", function.name, machine.code.ops);
            }
        }
    }

    #[test]
    fn a_wrong_row_of_the_table_is_found() {
        let machines = machines();
        let wrong = machines.iter().any(|(_, machine)| {
            machine.code.functions.iter().any(|function| {
                let effect = |address: Address| match machine.code.ops[address as usize] {
                    Op::Binary(_) => Effect::computes(1, 1, address + 1),
                    _ => machine.code.effect(address),
                };
                check_stack(function.entry..function.end, effect).is_err()
            })
        });
        assert!(wrong);
    }

    fn search(machine: &Machine) -> Report {
        // A reduced search of more states can still visit fewer.
        let options = Options { states: Some(3000), reduction: false, ..Options::default() };
        Search::new(machine, &Delays::named(&SchedulerName::Rtc), &options, &()).run()
    }

    #[test]
    fn resetting_dead_variables_changes_no_verdict() {
        let mut fewer = 0;
        for (file, mut machine) in machines() {
            let with = search(&machine);
            let code = std::sync::Arc::get_mut(&mut machine.code).expect("there is no copy");
            code.dead = Dead::nothing(code.ops.len());
            machine.clear_cache();
            let without = search(&machine);
            if with.coverage.states < 3000 && without.coverage.states < 3000 {
                assert_eq!(with.verdict.to_string(), without.verdict.to_string(), "{file}");
            }
            assert!(with.coverage.states <= without.coverage.states, "{file}");
            fewer += usize::from(with.coverage.states < without.coverage.states);
        }
        assert!(fewer > 0);
    }
}
