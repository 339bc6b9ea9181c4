//! `__attribute__((cleanup(f)))` against the C compiler: each function records the calls in its result.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

#[path = "support/compiled.rs"]
mod compiled;
mod support;

use compiled::{compiled, with_check};
use dally_explore::Verdict;

const START: &str = r"
static unsigned long trace@;
static void note@(int n) { trace@ = trace@ * 10 + n; }
static void end@(int *p) { note@(*p); }
static int seen@(int n) { note@(9); return n; }
";

/// The bodies of functions. `V(a, 1)` declares a variable whose end is recorded.
const BODIES: &[&str] = &[
    "V(a, 1); V(b, 2); note@(8); return 0;",
    "{ V(a, 1); { V(b, 2); note@(8); } note@(7); } note@(6);",
    "V(a, 1); V(b, 2); if (a) return seen@(3) + (a = 5); note@(4); return 0;",
    "for (int i = 0; i < 3; i++) { V(a, i); if (i == 1) continue; V(b, 5); if (i == 2) break; note@(8); }",
    "int i = 0; while (i < 4) { V(a, i); i++; switch (i) { case 1: { V(b, 7); break; } case 2: continue; default: { V(c, 6); i = 9; } } note@(8); }",
    "for (V(a, 1); a < 4; a++) { V(b, 5); if (a == 3) break; }",
    "int n = 0; again: ; V(a, 1); n++; if (n < 3) goto again; note@(8); { V(b, 2); goto out; } out: note@(7);",
    "V(a, 1); { V(b, 2); { V(c, 3); if (c) goto out; note@(4); } note@(5); } out: note@(6);",
    "int x = ({ V(a, 1); V(b, 2); seen@(a + b); }); note@(x);",
    "int x = 0; for (int i = 0; i < 2; i++) x += ({ V(a, 1); if (i) break; a + 4; }); note@(x);",
    "({ V(a, 1); note@(5); }); note@(6);",
    "do { V(a, 1); if (trace@ > 20) break; note@(3); } while (trace@ < 1000);",
    "V(a, 1); int x __attribute__((cleanup(end@), unused)), y = 2; x = 3; a = 4; note@(y); if (y) { V(z, 5); return 0; }",
    "struct { int x, y; } s = { 1, 2 }; { V(a, 3); int *p = &a; *p = 4; } note@(s.x);",
    "goto in; { in: ; V(a, 3); note@(4); } { V(b, 5); goto end; } end: ;",
    "for (int i = 0; i < 2; i++) if (i) { V(a, 1); } else { V(a, 2); }",
];

fn test(n: usize, body: &str) -> String {
    let mut text = START.to_owned();
    // These programs are not preprocessed.
    let mut expanded = String::new();
    let mut rest = body;
    while let Some(at) = rest.find("V(") {
        let (name, tail) = rest[at + 2..].split_once(", ").unwrap();
        let (value, tail) = tail.split_once(')').unwrap();
        expanded += &format!("{}int {name} __attribute__((cleanup(end@))) = {value}", &rest[..at]);
        rest = tail;
    }
    expanded += rest;
    text += &format!(
        "static int body@(void) {{ {expanded} return 0; }}\n\
         unsigned long test@(void) {{ int r = body@(); return trace@ * 100 + r; }}\n"
    );
    text.replace('@', &n.to_string())
}

#[test]
fn functions_are_called_when_scopes_are_left() {
    let programs: Vec<String> = BODIES.iter().enumerate().map(|(n, body)| test(n, body)).collect();
    for (n, expected) in compiled(&programs, 1).into_iter().enumerate() {
        let text = with_check(&programs[n], n as u64, expected);
        let (verdict, boogie) = support::run(&text);
        assert!(matches!(verdict, Verdict::Proved), "{verdict:?}, not {expected}\n{text}\n{boogie}");
        let wrong = with_check(&programs[n], n as u64, expected + 1);
        assert!(matches!(support::run(&wrong).0, Verdict::Bug(_)), "{text}");
    }
}
