//! The typed tree of small programs, as text.

#![allow(clippy::unwrap_used, reason = "test code")]

use dally_c::{ParseOptions, Unit};
use dally_text::source::SourceMap;

fn units(texts: &[&str], prelude: &[&str]) -> Result<(String, Vec<String>), Vec<String>> {
    let make = |texts: &[&str]| -> Vec<Unit> {
        let unit = |(i, text): (usize, &&str)| Unit { name: format!("{i}.c"), text: (*text).to_owned() };
        texts.iter().enumerate().map(unit).collect()
    };
    let prelude = make(prelude);
    let options = ParseOptions { prelude: &prelude, ..ParseOptions::default() };
    let mut sources = SourceMap::default();
    let show = |list: Vec<dally_text::diagnostic::Diagnostic>, sources: &SourceMap| {
        list.iter()
            .map(|d| format!("{} {}", sources.text(d.primary.span).unwrap_or("?"), d.code))
            .collect::<Vec<_>>()
    };
    match dally_c::parse(&make(texts), &mut sources, &mut |_| None, &options) {
        Ok(parsed) => Ok((dally_c::dump::program(&parsed.program), show(parsed.warnings, &sources))),
        Err(errors) => Err(show(errors, &sources)),
    }
}

/// The statements of `int f(…)` after declarations.
fn body(declarations: &str, statements: &str) -> String {
    let text = format!("{declarations}\nint f(void) {{ {statements} }}");
    let (dump, _) = units(&[&text], &[]).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let at = dump.find("int f()").unwrap();
    let lines: Vec<_> = dump[at..].lines().skip(1).collect();
    let end = lines.iter().position(|l| *l == "}").unwrap();
    lines[..end].iter().map(|l| l.trim()).collect::<Vec<_>>().join("\n")
}

fn errors(text: &str) -> Vec<String> {
    units(&[text], &[]).map(|(dump, _)| dump).unwrap_err()
}

#[test]
fn operands_are_converted() {
    assert_eq!(body("char c; long l;", "return c + 1;"), "return ((int)($c) + 1)");
    assert_eq!(body("char c; long l;", "l = c + l;"), "l = ((long)($c) + $l)");
    assert_eq!(body("unsigned u; int i;", "i = u > i;"), "i = ($u > (unsigned int)($i))");
    assert_eq!(body("short s;", "s += 1;"), "s +[int]= 1");
    assert_eq!(body("_Bool b; int *p;", "b = p;"), "b = (_Bool)($p)");
    assert_eq!(body("unsigned long l; int i;", "l <<= i;"), "l <<[unsigned long]= $i");
    assert_eq!(body("float r; int i;", "i = r * 2;"), "i = (int)(($r * 2.0))");
    assert_eq!(body("struct { unsigned b : 3; } s; int i;", "i = s.b - 1;"), "i = ((int)($s.b) - 1)");
}

#[test]
fn arrays_and_functions_become_pointers() {
    assert_eq!(body("int a[3]; int *p;", "p = a;"), "p = decay(a)");
    assert_eq!(body("int a[3]; int i;", "return a[i];"), "return $*(decay(a) +p (long)($i))");
    assert_eq!(body("int *p, *q;", "return p - q;"), "return (int)(($p -p $q))");
    assert_eq!(body("int *p;", "p -= 2; p++;"), "p -[int *]= 2:long\nold p +[int *]= 1:long");
    assert_eq!(
        body("int g(void); int (*p)(void);", "p = g; p = &g; return (*p)();"),
        "p = g\np = g\nreturn $p()"
    );
    assert_eq!(body("struct s { int x, y[2]; } *p;", "return p->y[1];"), "return $*(decay(*$p.y) +p 1:long)");
}

#[test]
fn constants_are_folded() {
    assert_eq!(body("enum { A = 3, B = A << 2, C };", "return C + sizeof(int);"), "return 17");
    assert_eq!(body("struct s { char c; long l; };", "return __builtin_offsetof(struct s, l);"), "return 8");
    assert_eq!(
        body("struct s { char c; int a[4]; };", "static int x = (int)(long)&((struct s *)0)->a[2];"),
        ""
    );
    assert_eq!(body("", "return -1 < 0u;"), "return 0");
    assert_eq!(body("", "return 'a' + '\\n' + '\\x41';"), "return 172");
    assert_eq!(body("", "return 2147483647 + 1;"), "return (2147483647 + 1)");
}

#[test]
fn initialisers_are_flattened() {
    let init = |text: &str| units(&[text], &[]).unwrap().0.lines().last().unwrap().to_owned();
    assert_eq!(init("int a[4] = {1, [2] = 3, 4};"), "int a[4] = {0: 1, 8: 3, 12: 4, 0...}");
    assert_eq!(init("int a[] = {[0 ... 2] = 7, [1] = 8};"), "int a[3] = {0: 7, 4: 8, 8: 7, 0...}");
    assert_eq!(init("char s[] = \"hi\";"), "char s[3] = {0: \"hi\", 0...}");
    assert_eq!(
        init("struct { int a; struct { int b, c; } d; int e; } s = {1, 2, 3, 4};"),
        "struct s = {0: 1, 4: 2, 8: 3, 12: 4, 0...}"
    );
    assert_eq!(
        init("struct { int a; struct { int b, c; }; } s = {.c = 5, .a = 1};"),
        "struct s = {0: 1, 8: 5, 0...}"
    );
    assert_eq!(init("struct { int a : 3, b : 4; } s = {1, 2};"), "struct s = {0:0+3: 1, 0:3+4: 2, 0...}");
    assert_eq!(init("int x; int *p[2] = {&x, &x + 1};"), "int *p[2] = {0: &x, 8: (&x +p 1:long), 0...}");
    assert_eq!(init("union { char c; int i; } u = {.i = 9};"), "union u = {0: 9, 0...}");
    assert_eq!(init("int m[2][2] = {1, 2, 3, 4};"), "int m[2][2] = {0: 1, 4: 2, 8: 3, 12: 4, 0...}");
    assert_eq!(
        init("struct p { int x, y; }; struct p a[] = {{1}, {.y = 2}};"),
        "struct p a[2] = {0: 1, 12: 2, 0...}"
    );
}

#[test]
fn statements_keep_their_structure() {
    assert_eq!(
        body("", "int s = 0; for (int i = 0; i < 3; i++) s += i; return s;"),
        "int s = {0: 0}\n{\nint i = {0: 0}\nfor ; ($i < 3); old i +[int]= 1\ns +[int]= $i\n}\nreturn $s"
    );
    assert_eq!(
        body(
            "int x;",
            "switch (x) { case 1: case 2 ... 4: x = 0; break; default: goto end; } end: return 1;"
        ),
        "switch $x\n{\ncase 1:\ncase 2 ... 4:\nx = 0\nbreak\ndefault:\ngoto end\n}\nend:\nreturn 1"
    );
    assert_eq!(
        body("", "int n = 3; int a[n]; return sizeof a;"),
        "int n = {0: 3}\nunsigned long #1 = {0: (unsigned long)($n)}\nvla a[$#1]\nreturn (int)(($#1 * 4:unsigned long))"
    );
    assert_eq!(
        body("int g(int);", "return ({ int t = g(1); t + 1; });"),
        "return ({\nint t = {0: g(1)}\n($t + 1)\n})"
    );
}

#[test]
fn addresses_that_escape_are_marked() {
    let dump = units(
        &[
            "int g(int *); int f(void) { int a[2], b, c, d[2]; a[0] = 1; __atomic_store_n(&c, 1, 5); g(&b); return *d + g(d); }",
        ],
        &[],
    );
    assert!(dump.unwrap().0.contains("int f() [&b &d] {"));
}

#[test]
fn atomic_functions_are_builtins() {
    assert_eq!(
        body("_Atomic int x;", "return atomic_fetch_add(&x, 1);"),
        "return AtomicFetch(Add)(&x, 1, 5)"
    );
    assert_eq!(
        body("int x, y;", "__atomic_load(&x, &y, 0); return 0;"),
        "(void)(y = AtomicLoad(&x, 0))\nreturn 0"
    );
    assert_eq!(
        body("int x;", "return __sync_bool_compare_and_swap(&x, 1, 2);"),
        "return (int)(SyncBoolCas(&x, 1, 2))"
    );
    assert_eq!(body("_Atomic(int *) p;", "atomic_fetch_add(&p, 2);"), "AtomicFetch(Add)(&p, 8:long, 5)");
    assert_eq!(
        body("int atomic_load(int *p) { return *p; } int x;", "return atomic_load(&x);"),
        "return atomic_load(&x)"
    );
}

#[test]
fn units_are_linked() {
    let a = "int x; static int y = 1; extern int z[]; int g(void) { return x + y; }";
    let b = "extern int x; static int y = 2; int z[3]; int g(void); int main(void) { return g() + x + y + z[0]; }";
    let (dump, _) = units(&[a, b], &[]).unwrap();
    assert!(dump.starts_with("int x\nint y = {0: 1}\nint z[3]\nint y = {0: 2}\n"), "{dump}");
    assert_eq!(dump.matches("int g()").count(), 1);
}

#[test]
fn the_library_is_around_the_program() {
    let library = "typedef struct { int __owner; int __kind; } pthread_mutex_t; int unused;
        void unused_too(void) { unused = 1; }
        static int count; int lock(pthread_mutex_t *m) { count++; return m->__owner; }
        int other(void) { return 1; }";
    let program = "typedef union { char size[40]; long align; } pthread_mutex_t;
        extern int lock(pthread_mutex_t *); int other(void) { return 2; }
        pthread_mutex_t m = {{0, 0, 1, {0}}}; int main(void) { return lock(&m) + other(); }";
    let (dump, warnings) = units(&[program], &[library]).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
    assert!(dump.contains("struct m = {4: 1, 0...}"), "{dump}");
    assert!(dump.contains("int lock(struct *m) library {") && dump.contains("int count"), "{dump}");
    assert!(!dump.contains("unused") && dump.contains("return 2"), "{dump}");
}

#[test]
fn errors_are_found_together() {
    assert_eq!(errors("int f(void) { x = 1; return y; }"), ["x E0201", "y E0201"]);
    assert_eq!(errors("int f(void) { int a } int g(void) { return b; }"), ["} E0101"]);
    assert_eq!(errors("struct s; struct s v; int main(void) { return 0; }"), ["v E0704"]);
    assert_eq!(errors("int f(int a) { return f(1, 2); }"), ["f(1, 2) E0302"]);
    assert_eq!(errors("int x; int x = y;"), ["y E0201"]);
    assert_eq!(errors("int f(void) { 1 = 2; break; goto l; }"), ["1 E0706", "break; E0208", "l E0710"]);
    assert_eq!(errors("int a[1 / 0];"), ["[1 / 0] E0705"]);
    assert_eq!(
        errors("_Static_assert(sizeof(int) == 8, \"no\");"),
        ["_Static_assert(sizeof(int) == 8, \"no\") E0712"]
    );
    assert_eq!(errors("int f(struct s { int i; } v) { return v.j; }"), ["j E0206"]);
    assert_eq!(errors("typo x;"), ["typo E0202"]);
    assert_eq!(errors("int f(int x) { switch (x) { case 1: case 1:; } }"), ["case 1: E0711"]);
    assert_eq!(errors("#include <stdio.h>\nint x;"), ["#include <stdio.h> E0702"]);
}

#[test]
fn doubtful_code_is_warned_about() {
    let warnings = |text: &str| units(&[text], &[]).unwrap().1;
    assert_eq!(warnings("int f(void) { return g(1); }"), ["g E0730"]);
    assert_eq!(warnings("f() { return 1; }"), ["f E0731"]);
    assert_eq!(warnings("int *p = 5;"), ["5 E0732"]);
    assert_eq!(warnings("int a[1] = {1, 2};"), ["{1, 2} E0733"]);
    assert_eq!(
        warnings("const char *s = \"x\"; void *p = 0; int *q; int f(void) { q = p; return *q; }"),
        [""; 0]
    );
}
