//! Random programs with threads, and a simple interpreter that enumerates their interleavings.
//!
//! The program is data, from which both the C text and the interpreter's code are made. They share nothing with the
//! lowering: the interpreter switches before every access to a cell.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dally_testing::Random;

/// The number of shared cells.
pub(crate) const CELLS: usize = 4;
const MUTEXES: usize = 2;
const REGISTERS: usize = 2;

/// A statement of a thread.
#[derive(Clone, Debug)]
enum Stmt {
    /// `r = cell;`
    Read(usize, usize),
    /// `cell = n;`
    Write(usize, i64),
    /// `cell = r + n;`
    Store(usize, usize, i64),
    /// `cell += n;`: a read and a write.
    Add(usize, i64),
    /// An atomic addition; the register gets the old value.
    FetchAdd(usize, usize, i64),
    /// The register gets 1 if the cell was `old`, and is now `new`.
    Cas(usize, usize, i64, i64),
    /// The statements with the mutex.
    Lock(usize, Vec<Stmt>),
    /// The statements with the mutex, if it is free.
    TryLock(usize, Vec<Stmt>),
    /// One indivisible step.
    Atomic(Vec<Stmt>),
    /// `if (r == n) … else …`
    If(usize, i64, Vec<Stmt>, Vec<Stmt>),
    /// An arbitrary one of two.
    Choose(Vec<Stmt>, Vec<Stmt>),
    /// The statements n times.
    Repeat(u32, Vec<Stmt>),
    /// Waits until the cell is n, without blocking.
    Spin(usize, i64),
    /// `sem_post(&sem);`
    Post,
    /// `sem_wait(&sem);`
    Wait,
    /// Discards the execution if the register is n.
    Assume(usize, i64),
    /// Arithmetic of the register with a number.
    Compute(usize, Arithmetic, i64),
    /// `r = array[s & 1];`, where the first two cells are an array.
    ReadAt(usize, usize),
    /// `array[r & 1] = n;`
    WriteAt(usize, i64),
}

/// Operations on a register and a number below 3, whose results are small.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arithmetic {
    /// Unsigned bytes wrap around.
    Byte,
    /// Division and remainder round towards zero.
    Divide,
    Remainder,
    /// Shifts, and bits of negative numbers.
    Shift,
    Bits,
    /// An `int` that wraps around, and becomes small again.
    Wrap,
    /// An unsigned comparison with a negative number.
    Compare,
}

impl Arithmetic {
    const ALL: [Arithmetic; 7] =
        [Self::Byte, Self::Divide, Self::Remainder, Self::Shift, Self::Bits, Self::Wrap, Self::Compare];

    fn text(self, r: usize, n: i64) -> String {
        match self {
            Self::Byte => format!("r{r} = (unsigned char)(r{r} - {n}) % 9;"),
            Self::Divide => format!("r{r} = (r{r} - 5) / ({n} + 2);"),
            Self::Remainder => format!("r{r} = (r{r} - 5) % ({n} + 2);"),
            Self::Shift => format!("r{r} = ((int)r{r} << {n}) % 8 - ((int)r{r} >> 1);"),
            Self::Bits => format!("r{r} = (~r{r} & 6) ^ (r{r} | {n}) % 8;"),
            Self::Wrap => format!("r{r} = (int)((unsigned)r{r} * 1000000007u + 2147483647u) % 5 + {n};"),
            Self::Compare => format!("r{r} = (unsigned)r{r} - 2u < (unsigned)-{n};"),
        }
    }

    /// The value, computed in Rust.
    pub(crate) fn value(self, r: i64, n: i64) -> i64 {
        match self {
            Self::Byte => i64::from((r - n) as u8) % 9,
            Self::Divide => (r - 5) / (n + 2),
            Self::Remainder => (r - 5) % (n + 2),
            Self::Shift => i64::from((r as i32) << n) % 8 - i64::from(r as i32 >> 1),
            Self::Bits => (!r & 6) ^ ((r | n) % 8),
            Self::Wrap => {
                let wrapped = (r as u32).wrapping_mul(1_000_000_007).wrapping_add(2_147_483_647);
                i64::from(wrapped as i32 % 5) + n
            }
            Self::Compare => i64::from((r as u32).wrapping_sub(2) < (n as u32).wrapping_neg()),
        }
    }
}

/// How threads are waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joins {
    /// By local handles, in turn.
    Local,
    /// By an array of handles, in a loop.
    Array,
    /// By an array, the last one first.
    Backwards,
    /// By handles in globals, in a function.
    Global,
    /// The first thread creates the second one.
    Nested,
    /// The first thread creates the second one, and waits for it.
    Child,
    /// The second thread is created first, and the first one waits for it.
    Sibling,
    /// The first thread is created first, and waits for the second one.
    Later,
}

/// A program.
#[derive(Debug)]
pub(crate) struct Program {
    /// The statements of `main` between the start and the join of the threads, and of the threads.
    bodies: Vec<Vec<Stmt>>,
    /// How each cell is spelled, and how it is declared.
    spellings: Vec<String>,
    declarations: String,
    setup: String,
    /// True if all threads run the function of the first one.
    symmetric: bool,
    joins: Joins,
    /// The number of cells that `main` looks at.
    observed: usize,
    start: u64,
    style: u64,
}

struct Generator {
    random: Random,
    /// The number of statements that are left.
    left: u32,
    style: u64,
}

impl Generator {
    fn cell(&mut self) -> usize {
        self.random.below(CELLS as u64) as usize
    }

    fn register(&mut self) -> usize {
        self.random.below(REGISTERS as u64) as usize
    }

    fn number(&mut self) -> i64 {
        self.random.below(3) as i64
    }

    fn block(&mut self, depth: u32, most: u64) -> Vec<Stmt> {
        let count = 1 + self.random.below(most);
        let mut stmts = Vec::new();
        for _ in 0..count {
            if self.left > 0 {
                self.left -= 1;
                stmts.push(self.stmt(depth));
            }
        }
        stmts
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        let kind = self.random.below(if depth == 0 { 18 } else { 26 });
        let (cell, register, number) = (self.cell(), self.register(), self.number());
        match kind {
            0..=2 => Stmt::Read(register, cell),
            3 | 4 => Stmt::Write(cell, number),
            5 | 6 => Stmt::Store(cell, register, number),
            7 | 8 => Stmt::Add(cell, 1 + number),
            9 => Stmt::FetchAdd(register, cell, 1 + number),
            10 => Stmt::Cas(register, cell, number, 3 + number),
            11 => Stmt::Spin(cell, number),
            12 if self.style.is_multiple_of(3) => Stmt::Post,
            12 => Stmt::Write(cell, number),
            13 if self.style.is_multiple_of(4) => Stmt::Assume(register, number),
            13 => Stmt::Read(register, cell),
            14 | 15 => Stmt::Compute(register, self.arithmetic(), number),
            16 => Stmt::ReadAt(register, self.register()),
            17 => Stmt::WriteAt(register, number),
            18 | 19 if self.style % 7 < 3 => Stmt::Lock(cell % MUTEXES, self.block(depth - 1, 3)),
            18 | 19 => Stmt::Read(register, cell),
            20 => Stmt::TryLock(cell % MUTEXES, self.block(depth - 1, 2)),
            21 => Stmt::Atomic(self.plain(2)),
            22 | 23 => {
                let then = self.block(depth - 1, 2);
                Stmt::If(register, number, then, self.block(depth - 1, 2))
            }
            24 => {
                let then = self.block(depth - 1, 2);
                Stmt::Choose(then, self.block(depth - 1, 2))
            }
            _ if self.style.is_multiple_of(3) => Stmt::Wait,
            _ => Stmt::Repeat(2, self.block(depth - 1, 1)),
        }
    }

    fn arithmetic(&mut self) -> Arithmetic {
        Arithmetic::ALL[self.random.below(Arithmetic::ALL.len() as u64) as usize]
    }

    /// Statements that never block.
    fn plain(&mut self, count: usize) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..count {
            let (cell, register, number) = (self.cell(), self.register(), self.number());
            stmts.push(match self.random.below(4) {
                0 => Stmt::Compute(register, self.arithmetic(), number),
                1 => Stmt::Read(register, cell),
                2 => Stmt::Store(cell, register, number),
                _ => Stmt::Add(cell, 1 + number),
            });
        }
        stmts
    }
}

impl Program {
    pub(crate) fn new(seed: u64) -> Program {
        let mut random = Random::new(seed);
        let style = random.below(60);
        let threads = 1 + random.below(2) as usize;
        let start = random.below(4);
        let (spellings, declarations, setup) = cells(&mut random);
        let joins = match random.below(if threads == 2 { 10 } else { 5 }) {
            0 | 5 => Joins::Array,
            1 => Joins::Backwards,
            2 => Joins::Global,
            3 | 4 => Joins::Local,
            6 => Joins::Nested,
            7 => Joins::Child,
            8 => Joins::Sibling,
            _ => Joins::Later,
        };
        let mut generator = Generator { random, left: 0, style };
        let mut bodies = Vec::new();
        for index in 0..=threads {
            generator.left = if index == 0 { 2 } else { 5 - threads as u32 };
            let empty = index == 0 && generator.random.chance(40);
            bodies.push(if empty { Vec::new() } else { generator.block(2, 4) });
        }
        let same = matches!(joins, Joins::Local | Joins::Array | Joins::Backwards | Joins::Global);
        let symmetric = threads == 2 && same && generator.random.chance(30);
        if symmetric {
            bodies[2] = bodies[1].clone();
        }
        // Without an access in `main`, a cell may have another kind of storage.
        let observed =
            if bodies[0].is_empty() { generator.random.below(CELLS as u64 + 1) as usize } else { CELLS };
        Program { bodies, spellings, declarations, setup, symmetric, joins, observed, start, style }
    }

    /// The C text, with a check of the final sum: `condition` is about `sum`.
    pub(crate) fn text(&self, condition: &str) -> String {
        let mut text = self.declarations.clone();
        text.push_str(
            "pthread_mutex_t m[2];\nsem_t sem;\nint get(int *p) { return *p; }\n\
             void put(int *p, int v) { *p = v; }\npthread_t handles[3];\nvoid *results[3];\n\
             void join(int index) { pthread_join(handles[index], &results[index]); }\n",
        );
        let functions = if self.symmetric { 1 } else { self.bodies.len() - 1 };
        for index in (1..=functions).rev() {
            let _ = writeln!(text, "void *thread{index}(void *argument) {{\n  long r0 = 0, r1 = 0, t;");
            if index == 1 && matches!(self.joins, Joins::Nested | Joins::Child) {
                text.push_str("  pthread_create(&handles[2], 0, thread2, 0);\n");
            }
            self.block(&self.bodies[index], &mut text, 1);
            text.push_str(match self.joins {
                Joins::Child | Joins::Sibling if index == 1 => "  join(2);\n",
                Joins::Later if index == 1 => "  __VERIFIER_assume(handles[2] != 0);\n  join(2);\n",
                _ => "",
            });
            text.push_str("  return (void *)(r0 + 11 * r1);\n}\n");
        }
        if self.start == 2 {
            text.push_str("void start(pthread_t *t, void *(*f)(void *)) { pthread_create(t, 0, f, 0); }\n");
        }
        let _ = writeln!(
            text,
            "int main(void) {{\n  long r0 = 0, r1 = 0, t;\n  sem_init(&sem, 0, 0);\n{}",
            self.setup
        );
        self.starts(&mut text);
        self.block(&self.bodies[0], &mut text, 1);
        text.push_str("  long sum = r0 + 11 * r1;\n");
        self.joined(&mut text);
        for index in 1..self.bodies.len() {
            let _ = writeln!(text, "  sum = sum * 121 + (long)results[{index}];");
        }
        for cell in &self.spellings[..self.observed] {
            let _ = writeln!(text, "  sum = sum * 31 + {cell};");
        }
        let _ = writeln!(text, "  __dally_check({condition}, \"the sum\");\n  return 0;\n}}");
        text
    }

    /// Waits for all threads that no other thread waits for.
    fn joined(&self, text: &mut String) {
        let count = self.bodies.len() - 1;
        match self.joins {
            Joins::Local => {
                for index in 1..=count {
                    let _ = writeln!(text, "  pthread_join(t{index}, &results[{index}]);");
                }
            }
            Joins::Array => {
                let _ = writeln!(
                    text,
                    "  for (int i = 1; i <= {count}; i++) pthread_join(handles[i], &results[i]);"
                );
            }
            Joins::Backwards => {
                let _ = writeln!(text, "  for (int i = {count}; i > 0; i--) join(i);");
            }
            Joins::Global | Joins::Nested => {
                (1..=count).for_each(|index| text.push_str(&format!("  join({index});\n")));
            }
            Joins::Child | Joins::Sibling | Joins::Later => text.push_str("  join(1);\n"),
        }
    }

    /// Starts the threads: directly, through a variable, through a function, or from a table in a loop.
    fn starts(&self, text: &mut String) {
        let name =
            |index: usize| if self.symmetric { "thread1".to_owned() } else { format!("thread{index}") };
        let count = self.bodies.len() - 1;
        let order: Vec<usize> = match self.joins {
            Joins::Nested | Joins::Child => vec![1],
            Joins::Sibling => vec![2, 1],
            _ => (1..=count).collect(),
        };
        if self.joins != Joins::Local {
            for index in order {
                let function = name(index);
                let _ = match self.start {
                    2 => writeln!(text, "  start(&handles[{index}], {function});"),
                    _ => writeln!(text, "  pthread_create(&handles[{index}], 0, {function}, 0);"),
                };
            }
            return;
        }
        if self.start == 3 {
            let names: Vec<String> = (1..=count).map(name).collect();
            let _ = writeln!(text, "  pthread_t all[{count}];");
            let _ = writeln!(text, "  void *(*table[])(void *) = {{ {} }};", names.join(", "));
            let _ = writeln!(
                text,
                "  for (int i = 0; i < {count}; i++) pthread_create(&all[i], 0, table[i], 0);"
            );
            for index in 1..=count {
                let _ = writeln!(text, "  pthread_t t{index} = all[{}];", index - 1);
            }
            return;
        }
        if self.start == 1 && self.symmetric {
            text.push_str("  void *(*f)(void *) = thread1;\n");
        }
        for index in 1..=count {
            let function = if self.start == 1 && self.symmetric { "f".to_owned() } else { name(index) };
            let _ = match self.start {
                2 => writeln!(text, "  pthread_t t{index}; start(&t{index}, {function});"),
                _ => writeln!(text, "  pthread_t t{index}; pthread_create(&t{index}, 0, {function}, 0);"),
            };
        }
    }

    fn block(&self, stmts: &[Stmt], text: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        for stmt in stmts {
            text.push_str(&indent);
            self.stmt(stmt, text, depth);
        }
    }

    fn stmt(&self, stmt: &Stmt, text: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        let cell = |cell: &usize| self.spellings[*cell].as_str();
        let _ = match stmt {
            Stmt::Read(r, c) if self.style.is_multiple_of(5) => writeln!(text, "r{r} = get(&{});", cell(c)),
            Stmt::Read(r, c) if self.style % 5 == 1 => {
                writeln!(text, "r{r} = __atomic_load_n(&{}, 5);", cell(c))
            }
            Stmt::Read(r, c) => writeln!(text, "r{r} = {};", cell(c)),
            Stmt::Write(c, n) if self.style % 5 == 1 => {
                writeln!(text, "__atomic_store_n(&{}, {n}, 5);", cell(c))
            }
            Stmt::Write(c, n) => writeln!(text, "{} = {n};", cell(c)),
            Stmt::Store(c, r, n) if self.style.is_multiple_of(5) => {
                writeln!(text, "put(&{}, r{r} % 7 + {n});", cell(c))
            }
            Stmt::Store(c, r, n) => writeln!(text, "{} = r{r} % 7 + {n};", cell(c)),
            Stmt::Add(c, n) if self.style.is_multiple_of(2) => {
                writeln!(text, "t = {}; {} = (t + {n}) % 7;", cell(c), cell(c))
            }
            Stmt::Add(c, n) => writeln!(text, "{} = ({} + {n}) % 7;", cell(c), cell(c)),
            Stmt::FetchAdd(r, c, n) if self.style.is_multiple_of(2) => {
                writeln!(text, "r{r} = __sync_fetch_and_add(&{}, {n});", cell(c))
            }
            Stmt::FetchAdd(r, c, n) => writeln!(text, "r{r} = __atomic_fetch_add(&{}, {n}, 5);", cell(c)),
            Stmt::Cas(r, c, old, new) => {
                writeln!(text, "r{r} = __sync_bool_compare_and_swap(&{}, {old}, {new});", cell(c))
            }
            Stmt::Post => writeln!(text, "sem_post(&sem);"),
            Stmt::Wait => writeln!(text, "sem_wait(&sem);"),
            Stmt::Assume(r, n) => writeln!(text, "__VERIFIER_assume(r{r} != {n});"),
            Stmt::Spin(c, n) => writeln!(text, "while ({} != {n}) {{ }}", cell(c)),
            Stmt::Lock(m, _) => writeln!(text, "pthread_mutex_lock(&m[{m}]);"),
            Stmt::TryLock(m, _) => writeln!(text, "if (pthread_mutex_trylock(&m[{m}]) == 0) {{"),
            Stmt::Atomic(_) => writeln!(text, "__VERIFIER_atomic_begin();"),
            Stmt::If(r, n, ..) => writeln!(text, "if (r{r} == {n}) {{"),
            Stmt::Compute(r, how, n) => writeln!(text, "{}", how.text(*r, *n)),
            Stmt::ReadAt(r, s) => writeln!(text, "r{r} = *(r{s} & 1 ? &{} : &{});", cell(&1), cell(&0)),
            Stmt::WriteAt(r, n) => writeln!(text, "*(r{r} & 1 ? &{} : &{}) = {n};", cell(&1), cell(&0)),
            Stmt::Choose(..) => writeln!(text, "if (__VERIFIER_nondet_bool()) {{"),
            Stmt::Repeat(n, _) => writeln!(text, "for (int i = 0; i < {n}; i++) {{"),
        };
        match stmt {
            Stmt::Lock(m, inner) => {
                self.block(inner, text, depth);
                let _ = writeln!(text, "{indent}pthread_mutex_unlock(&m[{m}]);");
            }
            Stmt::TryLock(m, inner) => {
                self.block(inner, text, depth + 1);
                let _ = writeln!(text, "{indent}  pthread_mutex_unlock(&m[{m}]);\n{indent}}}");
            }
            Stmt::Atomic(inner) => {
                self.block(inner, text, depth);
                let _ = writeln!(text, "{indent}__VERIFIER_atomic_end();");
            }
            Stmt::Repeat(_, inner) => {
                self.block(inner, text, depth + 1);
                let _ = writeln!(text, "{indent}}}");
            }
            Stmt::If(_, _, then, otherwise) | Stmt::Choose(then, otherwise) => {
                self.block(then, text, depth + 1);
                let _ = writeln!(text, "{indent}}} else {{");
                self.block(otherwise, text, depth + 1);
                let _ = writeln!(text, "{indent}}}");
            }
            _ => {}
        }
    }

    /// The outcomes of all executions.
    pub(crate) fn outcomes(&self) -> Outcomes {
        let codes: Vec<Vec<Op>> = self.bodies.iter().map(|body| code(body)).collect();
        super::interleave::outcomes(&codes, self.observed)
    }
}

/// How the cells are spelled and declared, and what `main` does first.
fn cells(random: &mut Random) -> (Vec<String>, String, String) {
    let (mut spellings, mut declarations, mut setup) = (Vec::new(), String::new(), String::new());
    let first = if random.chance(30) {
        spellings.extend(["array[0]".to_owned(), "array[1]".to_owned()]);
        declarations.push_str("int array[2];\n");
        2
    } else {
        0
    };
    for index in first..CELLS {
        let _ = match random.below(7) {
            0 | 1 => {
                spellings.push(format!("g{index}"));
                writeln!(declarations, "int g{index};")
            }
            2 => {
                spellings.push(format!("a{index}[1]"));
                writeln!(declarations, "int a{index}[2];")
            }
            3 => {
                spellings.push(format!("a{index}[one{index}]"));
                writeln!(declarations, "int a{index}[2];\nint one{index} = 1;")
            }
            4 => {
                spellings.push(format!("s{index}.y"));
                writeln!(declarations, "struct {{ int x; int y; }} s{index};")
            }
            5 => {
                spellings.push(format!("h{index}->y"));
                let _ = writeln!(setup, "  h{index} = calloc(1, sizeof(struct h{index}));");
                writeln!(declarations, "struct h{index} {{ long x; int y; }} *h{index};")
            }
            _ => {
                spellings.push(format!("(*p{index})"));
                let _ = writeln!(setup, "  int l{index} = 0;\n  p{index} = &l{index};");
                writeln!(declarations, "int *p{index};")
            }
        };
    }
    (spellings, declarations, setup)
}

/// The sums at the end of executions, and whether one of them deadlocks.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) sums: BTreeSet<i64>,
    pub(crate) deadlock: bool,
}

/// The instructions of the interpreter.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Read(usize, usize),
    Write(usize, i64),
    Store(usize, usize, i64),
    /// Reads a cell into the hidden register.
    Fetch(usize),
    /// Writes the hidden register plus a number.
    PutBack(usize, i64),
    FetchAdd(usize, usize, i64),
    Cas(usize, usize, i64, i64),
    Lock(usize),
    Unlock(usize),
    /// Jumps if the mutex is not free.
    TryLock(usize, usize),
    Begin,
    End,
    /// Jumps if the register is not n.
    Unless(usize, i64, usize),
    /// Jumps, or does not.
    Maybe(usize),
    Jump(usize),
    ReadAt(usize, usize),
    WriteAt(usize, i64),
    Compute(usize, Arithmetic, i64),
    Post,
    Wait,
    Spin(usize, i64),
    Assume(usize, i64),
}

fn code(stmts: &[Stmt]) -> Vec<Op> {
    let mut ops = Vec::new();
    emit(stmts, &mut ops);
    ops
}

fn emit(stmts: &[Stmt], ops: &mut Vec<Op>) {
    for stmt in stmts {
        match stmt {
            Stmt::Read(r, c) => ops.push(Op::Read(*r, *c)),
            Stmt::Write(c, n) => ops.push(Op::Write(*c, *n)),
            Stmt::Store(c, r, n) => ops.push(Op::Store(*c, *r, *n)),
            Stmt::Add(c, n) => ops.extend([Op::Fetch(*c), Op::PutBack(*c, *n)]),
            Stmt::FetchAdd(r, c, n) => ops.push(Op::FetchAdd(*r, *c, *n)),
            Stmt::Cas(r, c, old, new) => ops.push(Op::Cas(*r, *c, *old, *new)),
            Stmt::Compute(r, how, n) => ops.push(Op::Compute(*r, *how, *n)),
            Stmt::ReadAt(r, s) => ops.push(Op::ReadAt(*r, *s)),
            Stmt::WriteAt(r, n) => ops.push(Op::WriteAt(*r, *n)),
            Stmt::Spin(c, n) => ops.push(Op::Spin(*c, *n)),
            Stmt::Post => ops.push(Op::Post),
            Stmt::Wait => ops.push(Op::Wait),
            Stmt::Assume(r, n) => ops.push(Op::Assume(*r, *n)),
            Stmt::Lock(m, inner) => {
                ops.push(Op::Lock(*m));
                emit(inner, ops);
                ops.push(Op::Unlock(*m));
            }
            Stmt::TryLock(m, inner) => {
                let at = ops.len();
                ops.push(Op::Jump(0));
                emit(inner, ops);
                ops.push(Op::Unlock(*m));
                ops[at] = Op::TryLock(*m, ops.len());
            }
            Stmt::Atomic(inner) => {
                ops.push(Op::Begin);
                emit(inner, ops);
                ops.push(Op::End);
            }
            Stmt::Repeat(n, inner) => (0..*n).for_each(|_| emit(inner, ops)),
            Stmt::If(_, _, then, otherwise) | Stmt::Choose(then, otherwise) => {
                let at = ops.len();
                ops.push(Op::Jump(0));
                emit(then, ops);
                let end = ops.len();
                ops.push(Op::Jump(0));
                ops[at] = match stmt {
                    Stmt::If(r, n, ..) => Op::Unless(*r, *n, ops.len()),
                    _ => Op::Maybe(ops.len()),
                };
                emit(otherwise, ops);
                ops[end] = Op::Jump(ops.len());
            }
        }
    }
}
