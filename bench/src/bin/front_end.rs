//! Speed of the front end: parses, resolves and type-checks a generated program of 20 MB.
//!
//! Targets: at least 20 MB/s on one core, and at most 40 times the file's size in memory. The
//! baseline is lexing alone, in the same process.

use dally_bench::{Numbers, best_of, memory, table};
use dally_bpl::lexer::{Lexer, T};
use dally_text::source::SourceMap;

/// The size of the generated program, in bytes.
const SIZE: usize = 20_000_000;

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let before = memory::peak();
    let text = generate(SIZE);
    let size = text.len() as f64;
    let mut sources = SourceMap::default();
    if sources.add("generated.bpl", text).is_err() {
        return println!("the generated program is too large");
    }

    // First, so that the peak is that of a single run.
    let (first, diagnostics) = best_of(1, || dally_bpl::load(&sources).err().unwrap_or_default());
    let memory = memory::peak().zip(before).map(|(after, before)| after.saturating_sub(before) as f64 / size);
    if let Some(d) = diagnostics.first() {
        return println!("{}", dally_text::render::render(&sources, d, false));
    }

    let (lexing, tokens) = best_of(3, || count_tokens(&sources));
    let (parsing, (ast, _)) = best_of(3, || dally_bpl::parse(&sources));
    let (checking, _) = best_of(3, || dally_bpl::check(&ast));
    let (printing, _) = best_of(3, || dally_bpl::print(&ast));

    let row = |what: &str, time: std::time::Duration| {
        vec![
            what.to_owned(),
            format!("{:.3}", time.as_secs_f64()),
            format!("{:.1}", size / 1e6 / time.as_secs_f64()),
            format!("{:.2}", time.as_secs_f64() / lexing.as_secs_f64()),
        ]
    };
    let rows = [
        row("lex (baseline)", lexing),
        row("parse", parsing),
        row("resolve and type check", checking),
        row("parse, resolve and type check", parsing + checking),
        row("parse, resolve and type check, first run", first),
        row("print", printing),
    ];
    println!("{:.1} MB, {tokens} tokens, {} expressions\n", size / 1e6, ast.exprs.len());
    print!("{}", table(&["pass", "seconds", "MB/s", "× lexing"], &rows));
    if let Some(memory) = memory {
        println!("\npeak memory, program text included: {memory:.1} × the file's size (at most 40)");
    }
}

fn count_tokens(sources: &SourceMap) -> usize {
    let Some(file) = sources.files().first() else { return 0 };
    let mut lexer = Lexer::new(&file.text, 0);
    std::iter::from_fn(|| Some(lexer.next_token().kind).filter(|k| *k != T::Eof)).count()
}

/// A program in the style of verification tools: globals, maps, axioms, procedures that call each
/// other.
fn generate(size: usize) -> String {
    let mut numbers = Numbers::new(1);
    let mut out = String::with_capacity(size + 10_000);
    out.push_str("type Ref;\nconst null: Ref;\nfunction {:inline} add(x: int, y: int): int { x + y }\n");
    out.push_str("datatype Pair { Pair(fst: int, snd: bool) }\n");
    for i in 0..50 {
        out.push_str(&format!("var g{i}: int;\nvar heap{i}: [Ref][int]int;\n"));
    }
    let mut procedure = 0;
    while out.len() < size {
        function(&mut out, &mut numbers, procedure);
        body(&mut out, &mut numbers, procedure);
        procedure += 1;
    }
    out
}

fn function(out: &mut String, numbers: &mut Numbers, i: usize) {
    let g = numbers.below(1000);
    out.push_str(&format!(
        "function f{i}(x: int, r: Ref): int;\n\
         axiom (forall x: int, r: Ref :: {{ f{i}(x, r) }} x >= {g} ==> f{i}(x, r) == add(x, {g}) || r == null);\n"
    ));
}

fn body(out: &mut String, numbers: &mut Numbers, i: usize) {
    out.push_str(&format!("procedure {{:source \"p{i}.c\"}} p{i}(x: int, r: Ref) returns (result: int)\n"));
    out.push_str(
        "  requires x >= 0;\n  ensures result >= old(g0) - x;\n{\n  var local, other: int;\n  var p: Pair;\n",
    );
    for _ in 0..10 + numbers.below(20) {
        statement(out, numbers, i);
    }
    out.push_str("  result := local;\n}\n\n");
}

fn statement(out: &mut String, numbers: &mut Numbers, i: usize) {
    let (g, n) = (numbers.below(50), numbers.below(100_000));
    out.push_str(&match numbers.below(9) {
        0 => format!("  assert {{:id{n}}} g{g} + local * {n} <= add(x, other) - {g} && r != null;\n"),
        1 => format!("  heap{g}[r][local + {n}] := heap{g}[r][other];\n"),
        2 => format!("  if (local < {n}) {{ other := other + {g}; }} else {{ havoc other; }}\n"),
        3 => format!("  while (other > {n}) invariant other >= 0; {{ other := other - 1; }}\n"),
        4 => format!("  call local := p{}(other, r);\n", numbers.below(i as u64 + 1)),
        5 => format!("  call {{:async}} p{}(g{g}, null);\n", numbers.below(i as u64 + 1)),
        6 => format!("  g{g} := if r == null then f{i}({n}, r) else -local;\n"),
        7 => format!("  p := Pair({n}, local == g{g}); local := p->fst;\n"),
        _ => format!("  // a comment about line {n}\n  assume local mod {} == 0 ==> g{g} != {n};\n", n + 1),
    });
}
