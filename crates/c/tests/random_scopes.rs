//! Random programs with pointers to variables of blocks, loops, functions and compound literals: an access after the end of the
//! block is a bug, and otherwise the values are those of an interpreter.
//!
//! `DALLY_PROGRAMS=n` runs n programs; `DALLY_SEED=n` starts with a seed that was printed.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use std::fmt::Write as _;

use dally_explore::Verdict;
use dally_testing::Random;

/// A statement. Conditions are about the variable `total`.
enum Stmt {
    /// `{ int v = n; … out: ; }`
    Block {
        variable: u32,
        body: Vec<Stmt>,
    },
    /// `for (…) { int v = n; … }`
    Loop {
        variable: u32,
        turns: u32,
        body: Vec<Stmt>,
    },
    /// `if (total % n == 0) …`
    If {
        modulus: i32,
        body: Vec<Stmt>,
    },
    /// `p = &v;`
    Point(u32),
    /// `p = &(int){n};`
    Literal(i32),
    /// `*p = n;`
    Write(i32),
    /// `total = total * 3 + *p;`
    Read,
    /// `f();`
    Call(usize),
    Break,
    Continue,
    /// `goto out;`, to the end of a block around it.
    Leave(u32),
}

/// Generates statements.
struct Generator {
    random: Random,
    variables: u32,
    /// The functions that may be called.
    functions: usize,
}

/// The variables and labels to which a statement may refer.
#[derive(Clone, Default)]
struct Around {
    variables: Vec<u32>,
    blocks: Vec<u32>,
    in_loop: bool,
}

impl Generator {
    fn block(&mut self, depth: u32, around: &Around) -> Stmt {
        let variable = self.variables;
        self.variables += 1;
        let mut around = around.clone();
        around.variables.push(variable);
        if self.random.below(3) == 0 {
            around.in_loop = true;
            let turns = 1 + self.random.below(3) as u32;
            return Stmt::Loop { variable, turns, body: self.body(depth, &around) };
        }
        around.blocks.push(variable);
        Stmt::Block { variable, body: self.body(depth, &around) }
    }

    fn body(&mut self, depth: u32, around: &Around) -> Vec<Stmt> {
        (0..2 + self.random.below(4)).map(|_| self.statement(depth, around)).collect()
    }

    fn statement(&mut self, depth: u32, around: &Around) -> Stmt {
        let pick = |random: &mut Random, list: &[u32]| list[random.below(list.len() as u64) as usize];
        match self.random.below(14) {
            0..=2 if depth > 0 => self.block(depth - 1, around),
            3 if depth > 0 => {
                let modulus = 2 + self.random.below(2) as i32;
                Stmt::If { modulus, body: self.body(depth - 1, around) }
            }
            4 | 5 => Stmt::Point(pick(&mut self.random, &around.variables)),
            6 => Stmt::Literal(self.random.below(50) as i32),
            7 => Stmt::Write(self.random.below(50) as i32),
            8 if self.functions > 0 => Stmt::Call(self.random.below(self.functions as u64) as usize),
            9 if around.in_loop => Stmt::Break,
            10 if around.in_loop => Stmt::Continue,
            11 if !around.blocks.is_empty() => Stmt::Leave(pick(&mut self.random, &around.blocks)),
            _ => Stmt::Read,
        }
    }
}

fn print(stmts: &[Stmt], out: &mut String) {
    for stmt in stmts {
        let _ = match stmt {
            Stmt::Block { variable, body } => {
                let _ = writeln!(out, "{{ int v{variable} = {variable};");
                print(body, out);
                writeln!(out, "out{variable}: ; }}")
            }
            Stmt::Loop { variable, turns, body } => {
                let _ = writeln!(out, "for (int i = 0; i < {turns}; i++) {{ int v{variable} = {variable};");
                print(body, out);
                writeln!(out, "}}")
            }
            Stmt::If { modulus, body } => {
                let _ = writeln!(out, "if (total % {modulus} == 0) {{");
                print(body, out);
                writeln!(out, "}}")
            }
            Stmt::Point(variable) => writeln!(out, "p = &v{variable};"),
            Stmt::Literal(n) => writeln!(out, "p = &(int){{{n}}};"),
            Stmt::Write(n) => writeln!(out, "*p = {n};"),
            Stmt::Read => writeln!(out, "total = total * 3 + *p;"),
            Stmt::Call(f) => writeln!(out, "f{f}();"),
            Stmt::Break => writeln!(out, "if (total % 2 == 0) break;"),
            Stmt::Continue => writeln!(out, "if (total % 3 == 0) continue;"),
            Stmt::Leave(block) => writeln!(out, "if (total % 2 != 0) goto out{block};"),
        };
    }
}

/// How control leaves a statement.
enum Exit {
    Normal,
    Break,
    Continue,
    Leave(u32),
    /// An object was used after its end.
    Dead,
}

/// The interpreter. An object is a value, or none after its end.
struct Machine<'p> {
    functions: &'p [Stmt],
    objects: Vec<Option<i32>>,
    /// The objects of variables, innermost last.
    variables: Vec<(u32, usize)>,
    pointer: usize,
    total: i32,
}

impl Machine<'_> {
    /// Runs a block; its objects end with it.
    fn block(&mut self, variable: Option<u32>, body: &[Stmt]) -> Exit {
        let (objects, variables) = (self.objects.len(), self.variables.len());
        if let Some(variable) = variable {
            self.variables.push((variable, objects));
            self.objects.push(Some(variable as i32));
        }
        let mut literals = Vec::new();
        let mut exit = Exit::Normal;
        for stmt in body {
            exit = self.statement(stmt, &mut literals);
            if !matches!(exit, Exit::Normal) {
                break;
            }
        }
        self.variables.truncate(variables);
        if variable.is_some() {
            self.objects[objects] = None;
        }
        literals.into_iter().for_each(|literal: usize| self.objects[literal] = None);
        match exit {
            Exit::Leave(block) if Some(block) == variable => Exit::Normal,
            other => other,
        }
    }

    fn statement(&mut self, stmt: &Stmt, literals: &mut Vec<usize>) -> Exit {
        match stmt {
            Stmt::Block { variable, body } => return self.block(Some(*variable), body),
            Stmt::Loop { variable, turns, body } => {
                for _ in 0..*turns {
                    match self.block(Some(*variable), body) {
                        Exit::Break => break,
                        Exit::Normal | Exit::Continue => {}
                        other => return other,
                    }
                }
            }
            Stmt::If { modulus, body } if self.total % modulus == 0 => return self.block(None, body),
            Stmt::If { .. } => {}
            Stmt::Point(variable) => {
                self.pointer = self.variables.iter().rfind(|(v, _)| v == variable).unwrap().1;
            }
            Stmt::Literal(n) => {
                self.pointer = self.objects.len();
                literals.push(self.pointer);
                self.objects.push(Some(*n));
            }
            Stmt::Write(n) => match &mut self.objects[self.pointer] {
                Some(value) => *value = *n,
                None => return Exit::Dead,
            },
            Stmt::Read => match self.objects[self.pointer] {
                Some(value) => self.total = self.total.wrapping_mul(3).wrapping_add(value),
                None => return Exit::Dead,
            },
            Stmt::Call(f) => {
                let functions = self.functions;
                return self.block(None, std::slice::from_ref(&functions[*f]));
            }
            Stmt::Break if self.total % 2 == 0 => return Exit::Break,
            Stmt::Continue if self.total % 3 == 0 => return Exit::Continue,
            Stmt::Leave(block) if self.total % 2 != 0 => return Exit::Leave(*block),
            Stmt::Break | Stmt::Continue | Stmt::Leave(_) => {}
        }
        Exit::Normal
    }
}

/// The text of a program, and the final value of `total`; none if an object is used after its end.
fn program(seed: u64) -> (String, Option<i32>) {
    let mut generator = Generator { random: Random::new(seed), variables: 0, functions: 0 };
    let mut functions = Vec::new();
    for count in 0..3 {
        generator.functions = count;
        functions.push(generator.block(2, &Around::default()));
    }
    let mut text = "int total = 1;\nint first;\nint *p = &first;\n".to_owned();
    for (n, body) in functions.iter().enumerate() {
        let _ = writeln!(text, "void f{n}(void) {{");
        print(std::slice::from_ref(body), &mut text);
        text.push_str("}\n");
    }
    let mut machine = Machine {
        functions: &functions,
        objects: vec![Some(0)],
        variables: Vec::new(),
        pointer: 0,
        total: 1,
    };
    let exit = machine.block(None, &[Stmt::Call(2), Stmt::Call(1)]);
    (text, (!matches!(exit, Exit::Dead)).then_some(machine.total))
}

#[test]
fn random_scopes_agree_with_an_interpreter() {
    let (mut bugs, mut proofs) = (0, 0);
    let seeds = dally_testing::seeds(300);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let (text, total) = program(seed);
        let check = |total: i32| {
            format!(
                "{text}int main(void) {{ f2(); f1(); __dally_check(total == {total}, \"the total\"); return 0; }}\n"
            )
        };
        let (verdict, boogie) = support::run(&check(total.unwrap_or(0)));
        match (total, &verdict) {
            (None, Verdict::Bug(bug)) if bug.failure.message.contains("use after scope") => bugs += 1,
            (Some(total), Verdict::Proved) => {
                proofs += 1;
                let (verdict, _) = support::run(&check(total.wrapping_add(1)));
                assert!(matches!(verdict, Verdict::Bug(_)), "seed {seed}: {verdict:?}\n{text}");
            }
            _ => panic!("seed {seed}: {verdict:?}, but the total is {total:?}\n{text}\n{boogie}"),
        }
    }
    // Both happen often.
    assert!(bugs * 10 > count && proofs * 10 > count, "{bugs} bugs and {proofs} proofs");
}
