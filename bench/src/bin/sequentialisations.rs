//! Size of sequentialised programs, and time of the translations.
//!
//! Targets: the size is linear in the program and in K, and a program of 10,000 lines is translated
//! within a second. The first table has the size of the output by K, for a program of 1,000 lines;
//! the second has size and time for programs of growing size, at K = 2.
//!
//! ```text
//! cargo run --release -p dally-bench --bin sequentialisations
//! ```

use dally_bench::{best_of, table};
use dally_bpl::Program;
use dally_sequentialize::{Bounds, Target, TranslationOptions, sequentialize};
use dally_text::source::SourceMap;

/// The translations at a bound.
fn targets(k: u32) -> [(&'static str, Target); 6] {
    let (delays, rounds) = (Bounds::delays(k), k + 1);
    [
        ("dfs", Target::Dfs(delays)),
        ("df", Target::Df(delays)),
        ("dfw", Target::Dfw(delays)),
        ("lal-reps", Target::LalReps { rounds }),
        ("buffers", Target::Buffers { zields: 1, yields: rounds }),
        ("synce", Target::Synce { rounds }),
    ]
}

/// A program of about this many lines: tasks that post, yield, call and compute, over ten globals.
/// Returns the number of its lines as well.
fn program(lines: usize) -> Option<(Program, usize)> {
    let mut text = String::from("var x0, x1, x2, x3, x4, x5, x6, x7, x8, x9: int;\n\nprocedure main()\n{\n");
    let workers = lines.saturating_sub(5) / 21;
    for worker in 0..workers {
        text.push_str(&format!("  call {{:async}} w{worker}({worker});\n"));
    }
    text.push_str("}\n");
    for worker in 0..workers {
        let (read, write) = (worker % 10, (worker + 3) % 10);
        text.push_str(&format!("\nprocedure w{worker}(n: int)\n{{\n  var l: int;\n\n  l := n;\n"));
        text.push_str(&format!(
            "  yield;\n  l := x{read} + l;\n  if (l > 10)\n  {{\n    x{write} := l;\n  }}\n"
        ));
        text.push_str(&format!(
            "  yield;\n  x{read} := x{write} - 1;\n  call l := help(l);\n  x{write} := l;\n"
        ));
        text.push_str("  assert x0 >= 0;\n  yield;\n}\n");
    }
    text.push_str("\nprocedure help(n: int) returns (r: int)\n{\n  r := n + x0;\n}\n");
    let count = text.lines().count();
    let mut sources = SourceMap::default();
    sources.add("generated.bpl", text).ok()?;
    Some((dally_bpl::load(&sources).ok()?, count))
}

/// The size of a translation in kilobytes.
fn kilobytes(program: &Program, to: Target) -> usize {
    sequentialize(program, &TranslationOptions::new(to))
        .map_or(0, |s| dally_bpl::print(&s.program.ast).len() / 1000)
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let Some((small, count)) = program(1_000) else { return println!("the generated program has errors") };
    let mut rows = Vec::new();
    for k in 0..=10 {
        let mut row = vec![k.to_string()];
        row.extend(targets(k).iter().map(|(_, to)| kilobytes(&small, *to).to_string()));
        rows.push(row);
    }
    println!("Kilobytes of the translations of a program of {count} lines\n");
    let names = targets(0).map(|(name, _)| name);
    let header: Vec<&str> = ["K"].into_iter().chain(names).collect();
    println!("{}", table(&header, &rows));

    let mut rows = Vec::new();
    for size in [2_500, 5_000, 10_000, 20_000] {
        let Some((program, count)) = program(size) else { continue };
        let (checking, _) = best_of(3, || dally_bpl::check(&program.ast));
        for (name, to) in targets(2) {
            let (time, sequential) = best_of(3, || sequentialize(&program, &TranslationOptions::new(to)));
            let Ok(sequential) = sequential else { continue };
            let text = dally_bpl::print(&sequential.program.ast);
            rows.push(vec![
                count.to_string(),
                name.to_owned(),
                format!("{:.3}", time.as_secs_f64()),
                format!("{:.1}", time.as_secs_f64() / checking.as_secs_f64()),
                text.lines().count().to_string(),
                format!("{:.1}", text.lines().count() as f64 / count as f64),
                format!("{:.1}", text.len() as f64 / 1e6),
            ]);
        }
    }
    println!("Time and size by the size of the program, K = 2\n");
    let header = [
        "lines",
        "translation",
        "seconds",
        "× type checking",
        "lines of output",
        "output / input",
        "MB of output",
    ];
    println!("{}", table(&header, &rows));
}
