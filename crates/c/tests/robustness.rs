//! Malformed and extreme programs: errors in good order, never a crash.

use dally_c::{ParseOptions, Unit};
use dally_text::source::SourceMap;

fn read(text: &str) -> bool {
    let units = [Unit { name: "x.c".to_owned(), text: text.to_owned() }];
    let mut sources = SourceMap::default();
    match dally_c::parse(&units, &mut sources, &mut |_| Some(String::new()), &ParseOptions::default()) {
        Ok(parsed) => {
            dally_c::dump::program(&parsed.program);
            true
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(errors.windows(2).all(|pair| pair[0].primary.span <= pair[1].primary.span));
            false
        }
    }
}

const PROGRAM: &str = r#"
typedef struct node { int value; struct node *next; unsigned flags : 3; } node_t;
enum color { RED, GREEN = 5, BLUE };
static node_t pool[4] = { { 1, &pool[1] }, [2] = { .value = 3 } };
extern int printf(const char *, ...);
_Atomic int counter;
static inline int max(int a, int b) { return a > b ? a : b; }
int sum(const node_t *list, int (*f)(int, int))
{
  int total = 0, i;
  for (const node_t *n = list; n; n = n->next) { total += f(n->value, 2); if (total > 100) break; }
  switch (total) { case RED: return 0; case 1 ... 3: total--; default: goto out; }
  do { i = total++ % 3; } while (i && total < 7);
out:
  printf("%d %s\n", total, "text" "more");
  return (int)sizeof(node_t) + ({ int t = total; t * 2; }) + (long)&((node_t *)0)->next;
}
int main(void) { union { int i; char c[4]; } u = { .c = "abc" }; atomic_fetch_add(&counter, u.i);
  int (*p)(const node_t *, int (*)(int, int)) = &sum; return p(pool, max) + _Generic(u.i, int: 1, default: 2); }
"#;

/// The tokens and the white space between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| {
            if first.is_alphanumeric() || first == '_' { c.is_alphanumeric() || c == '_' } else { false }
        };
        let end = rest.char_indices().skip(1).find(|(_, c)| !same(*c)).map_or(rest.len(), |(i, _)| i);
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

#[test]
fn the_program_is_read() {
    assert!(read(PROGRAM));
}

#[test]
fn mutated_programs_do_not_crash() {
    let all = pieces(PROGRAM);
    dally_testing::for_inputs(8_000, |u| {
        let mut pieces = all.clone();
        for _ in 0..u.int_in_range(1..=4)? {
            let at = u.choose_index(pieces.len())?;
            match u.int_in_range(0..=3)? {
                0 => {
                    pieces.remove(at);
                }
                1 => pieces[at] = u.choose(&all)?,
                2 => pieces.insert(at, u.choose(&all)?),
                _ => pieces.truncate(at + 1),
            }
        }
        read(&pieces.concat());
        Ok(())
    });
}

#[test]
fn random_words_do_not_crash() {
    const WORDS: &[&str] = &[
        "int",
        "struct",
        "s",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        "*",
        "=",
        ",",
        "x",
        "typedef",
        "T",
        "1",
        "\"a\"",
        "if",
        "else",
        "for",
        "switch",
        "case",
        ":",
        "return",
        "sizeof",
        "union",
        "enum",
        ".",
        "->",
        "?",
        "&",
        "...",
        "static",
        "extern",
        "'c'",
        "__attribute__((packed))",
        "_Atomic",
        "volatile",
        "__typeof__",
        "goto",
        "\n# 1 \"f\"\n",
        "0x",
        "1e",
        "\"",
        "'",
        "/*",
        "é",
        "\\u00e9",
        "__builtin_offsetof",
        "_Generic",
        "({",
        "})",
        "asm",
        "do",
        "while",
    ];
    dally_testing::for_inputs(8_000, |u| {
        let count = u.int_in_range(0..=60)?;
        let words = (0..count).map(|_| u.choose(WORDS).copied()).collect::<Result<Vec<_>, _>>()?;
        read(&words.join(" "));
        Ok(())
    });
}

#[test]
fn nesting_is_bounded() {
    let n = 100_000;
    for (open, close) in
        [("(", ")"), ("-", ""), ("!", ""), ("sizeof ", ""), ("*&", ""), ("(int)", ""), ("({ ", "; })")]
    {
        let text = format!("int x; int f(void) {{ return {}x{}; }}", open.repeat(n), close.repeat(n));
        assert!(!read(&text), "{open}");
    }
    for (open, close) in
        [("{", "}"), ("if (x) ", ";"), ("while (x) ", ";"), ("x: ", ";"), ("struct {", "} s;")]
    {
        let text = format!("int x; int f(void) {{ {}{} }}", open.repeat(n), close.repeat(n));
        assert!(!read(&text), "{open}");
    }
    assert!(!read(&format!("int {}x;", "*".repeat(n))));
    assert!(!read(&format!("int {}x{};", "(".repeat(n), ")".repeat(n))));
    assert!(!read(&format!("int x{};", "[1]".repeat(n))));
    assert!(!read(&format!("int a[] = {}1{};", "{".repeat(n), "}".repeat(n))));
    assert!(!read(&format!("{} x;", "struct {".repeat(n))));
    assert!(!read(&"(".repeat(n)));
    let chain: String = (1..2000).map(|i| format!("typedef T{} *T{i};\n", i - 1)).collect();
    assert!(!read(&format!("typedef int T0;\n{chain}")));
}

#[test]
fn long_chains_are_read_up_to_a_limit() {
    let sum = |n: usize| format!("int x; int f(void) {{ return {}x; }}", "x + ".repeat(n));
    assert!(read(&sum(3_000)));
    assert!(!read(&sum(100_000)));
    assert!(!read(&format!("int f(void) {{ return {}1; }}", "1, ".repeat(100_000))));
    assert!(!read(&format!("int f(); int g(void) {{ return f{}; }}", "()".repeat(100_000))));
    assert!(read(&format!("char *s = {};", "\"a\" ".repeat(50_000))));
    assert!(read(&format!("int a[] = {{ {} }};", "1, ".repeat(50_000))));
}

#[test]
fn chains_of_else_if_have_no_depth() {
    let chain = |n: usize| {
        let middle: String = (0..n).map(|i| format!("else if (x == {i}) x = {}; ", i + 1)).collect();
        format!("int x; int main(void) {{ if (x < 0) x = 0; {middle} else return 1; return 0; }}")
    };
    assert!(read(&chain(3_900)));
    assert!(!read(&chain(100_000)));
}

#[test]
fn large_values_are_refused() {
    assert!(!read("int a[1l << 60];"));
    assert!(!read("int a[] = { [0 ... 99999999] = 1 };"));
    assert!(!read("int x = 99999999999999999999;"));
    assert!(!read("struct { int x : 33; } s;"));
    assert!(read("struct {} a[1000000000] = { 1 };"));
}
