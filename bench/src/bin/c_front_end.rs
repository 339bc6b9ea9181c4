//! How long a C program of 10,000 lines takes to be read and lowered.
//!
//! ```text
//! c_front_end [LINES]
//! ```
//!
//! The program is generated: structs, globals, functions with loops, pointers and locks, and two threads that call all of
//! them. Each row is the best of five runs.

use dally_c::library::{LibraryOptions, prelude};
use dally_c::{LowerOptions, ParseOptions, Unit};
use dally_text::source::SourceMap;
use std::fmt::Write as _;
use std::time::Instant;

/// The lines of one generated function, with its declarations.
const LINES: usize = 25;

fn program(lines: usize) -> String {
    let count = (lines / LINES).max(1);
    let mut text = String::new();
    for n in 0..count {
        let _ = write!(
            text,
            "struct s{n} {{
  int key;
  unsigned short flags : 3;
  struct s{n} *next;
  long values[4];
}};
static struct s{n} pool{n}[2];
static int total{n};
pthread_mutex_t lock{n};
static long f{n}(struct s{n} *p, int by) {{
  long sum = 0;
  pthread_mutex_lock(&lock{n});
  for (int i = 0; i < 4; i++) {{
    p->values[i] += by * (i + {n});
    sum += p->values[i] & 0xff;
  }}
  if (p->next != 0 && p->next->key > {n})
    sum -= p->next->values[sum % 4 < 0 ? 0 : sum % 4];
  switch (by % 3) {{
    case 0: total{n}++; break;
    default: total{n} = total{n} + (int)sum;
  }}
  pthread_mutex_unlock(&lock{n});
  return sum;
}}
"
        );
    }
    text.push_str("void *run(void *argument) {\n  int by = *(int *)argument;\n");
    for n in 0..count {
        let _ = writeln!(text, "  f{n}(&pool{n}[by % 2], by);");
    }
    text.push_str(
        "  return 0;\n}\nint main(void) {\n  pthread_t one, two;\n  int a = 1, b = 2;\n\
         \x20 pthread_create(&one, 0, run, &a);\n  pthread_create(&two, 0, run, &b);\n\
         \x20 pthread_join(one, 0);\n  pthread_join(two, 0);\n  return 0;\n}\n",
    );
    text
}

/// The seconds of reading and of lowering.
fn measure(text: &str) -> Option<(f64, f64)> {
    let start = Instant::now();
    let units = [Unit { name: "generated.c".to_owned(), text: text.to_owned() }];
    let library = [Unit { name: "library".to_owned(), text: prelude(&LibraryOptions::of([text])) }];
    let options = ParseOptions { prelude: &library, ..ParseOptions::default() };
    let mut sources = SourceMap::default();
    let parsed = dally_c::parse(&units, &mut sources, &mut |_| None, &options).ok()?;
    let read = start.elapsed().as_secs_f64();
    let start = Instant::now();
    dally_c::lower(&parsed.program, &LowerOptions::default()).ok()?;
    Some((read, start.elapsed().as_secs_f64()))
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let lines: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_000);
    println!("| lines | read | lowered | together |\n|---|---|---|---|");
    for lines in [lines / 10, lines] {
        let text = program(lines);
        let runs = (0..5).filter_map(|_| measure(&text));
        let Some((read, lowered)) = runs.min_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1))) else {
            println!("the generated program is rejected");
            return;
        };
        let count = text.lines().count();
        println!("| {count} | {read:.3} s | {lowered:.3} s | {:.3} s |", read + lowered);
    }
}
