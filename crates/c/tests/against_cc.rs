//! Constants, sizes, offsets and conversions against the answers of the C compiler.

#![allow(clippy::unwrap_used, reason = "test code")]

use std::process::Command;

use dally_c::{ParseOptions, Unit};
use dally_text::source::SourceMap;

const DECLARATIONS: &str = r"
enum small { S0, S1 = 7 }; enum negative { N0 = -1, N1 }; enum large { L0 = 1ll << 40 };
enum __attribute__((packed)) tiny { T0, T1 };
struct a { char c; int i; }; struct b { char c; double d; short s; }; struct c { int x : 3; int y : 30; };
struct d { char c; int b : 4; int : 0; short s : 9; }; struct e { long l : 40; int i : 20; char c; };
struct __attribute__((packed)) f { char c; long l; }; struct g { char c; struct a a[3]; union { int i; char t[7]; }; };
struct h { int n; char rest[]; }; struct i { _Bool b : 1; unsigned u : 31; unsigned v : 1; };
struct j { char c __attribute__((aligned(16))); int i; }; union k { struct b b; char t[33]; };
struct l { _Alignas(32) char c; long double x; }; struct m {}; struct n { unsigned char a : 4, b : 5; int c : 31, d : 2; };
struct o { short s; __extension__ union { struct { char p, q; }; int r; }; }; typedef int (*callback)(int, char *);
struct p { char c; int i __attribute__((packed)); short s; }; typedef int array[3][5];
struct q { int i; const int c; int a[2]; }; extern struct q q; extern const struct q constant; extern const char *const words[2];
struct k0 { char c; int b : 20; char d; int e : 12; } __attribute__((packed));
#pragma pack(1)
struct k1 { char c; int i; short s; long l; }; struct k2 { char c; struct b b; int x : 3; long y : 40; char d; };
struct k3 { char c; int i __attribute__((aligned(8))); } __attribute__((aligned(4))); union k4 { char c[5]; long l; };
struct k5 { int a : 3; int : 0; char b : 4; int c : 20; char d; };
#pragma pack(push, 2)
struct k6 { char c; int i; struct k1 k; double d; }; struct k7 { int a : 20, b : 20; char c; int d : 31; };
struct k8 { char c; int : 0; char d; int e : 5; long f : 33; };
#pragma pack(push, name, 4)
struct k9 { char c; long l; struct j j; }; struct __attribute__((packed)) ka { char c; long l; };
struct kb { long a : 40, b : 40; char c; }; struct kc { _Alignas(16) char c; short s; };
#pragma pack(pop)
struct kd { char c; int i; };
#pragma pack(pop)
struct ke { char c; int i; };
#pragma pack()
struct kf { char c; int i; long l; }; enum { PACKED_FIRST = sizeof(struct k1) };
";

const EXPRESSIONS: &[&str] = &[
    "sizeof(enum small)",
    "sizeof(enum large)",
    "sizeof(enum tiny)",
    "(enum small)-1 > 0",
    "(enum negative)-1 < 0",
    "sizeof(struct a)",
    "sizeof(struct b)",
    "sizeof(struct c)",
    "sizeof(struct d)",
    "sizeof(struct e)",
    "sizeof(struct f)",
    "sizeof(struct g)",
    "sizeof(struct h)",
    "sizeof(struct i)",
    "sizeof(struct j)",
    "sizeof(union k)",
    "sizeof(struct l)",
    "sizeof(struct m)",
    "sizeof(struct n)",
    "sizeof(struct o)",
    "sizeof(struct p)",
    "sizeof(array)",
    "sizeof(callback)",
    "sizeof(struct k0) + 100 * _Alignof(struct k0)",
    "sizeof(struct k1) + 100 * _Alignof(struct k1)",
    "sizeof(struct k2) + 100 * _Alignof(struct k2)",
    "sizeof(struct k3) + 100 * _Alignof(struct k3)",
    "sizeof(union k4) + 100 * _Alignof(union k4)",
    "sizeof(struct k5) + 100 * _Alignof(struct k5)",
    "sizeof(struct k6) + 100 * _Alignof(struct k6)",
    "sizeof(struct k7) + 100 * _Alignof(struct k7)",
    "sizeof(struct k8) + 100 * _Alignof(struct k8)",
    "sizeof(struct k9) + 100 * _Alignof(struct k9)",
    "sizeof(struct ka) + 100 * _Alignof(struct ka)",
    "sizeof(struct kb) + 100 * _Alignof(struct kb)",
    "sizeof(struct kc) + 100 * _Alignof(struct kc)",
    "sizeof(struct kd) + 100 * _Alignof(struct kd)",
    "sizeof(struct ke) + 100 * _Alignof(struct ke)",
    "sizeof(struct kf) + 100 * _Alignof(struct kf)",
    "__builtin_offsetof(struct k3, i)",
    "__builtin_offsetof(struct k6, d)",
    "__builtin_offsetof(struct k8, d)",
    "__builtin_offsetof(struct k9, l)",
    "__builtin_offsetof(struct k9, j)",
    "__builtin_offsetof(struct kc, s)",
    "_Alignof(struct b)",
    "_Alignof(struct d)",
    "_Alignof(struct f)",
    "_Alignof(struct j)",
    "_Alignof(struct l)",
    "_Alignof(struct c)",
    "_Alignof(struct p)",
    "__builtin_offsetof(struct b, s)",
    "__builtin_offsetof(struct g, a[2].i)",
    "__builtin_offsetof(struct g, t[3])",
    "__builtin_offsetof(struct e, c)",
    "__builtin_offsetof(struct o, q)",
    "__builtin_offsetof(struct p, i)",
    "(int)((long)&((struct g *)16)->a[1])",
    "sizeof(((struct g *)0)->a)",
    "sizeof \"text\" \"more\"",
    "sizeof L\"ab\"",
    "sizeof('a')",
    "sizeof(1 ? (char)1 : (short)2)",
    "sizeof(1.0f + 1)",
    "sizeof(1u + 1l)",
    "sizeof((char)1 + (char)1)",
    "-1 < 0u",
    "-1 < (unsigned char)1",
    "-1l < 0u",
    "(unsigned)-1 + 1",
    "(unsigned char)300",
    "(signed char)200",
    "(short)70000",
    "(_Bool)256",
    "(_Bool)0.5",
    "(int)3.99",
    "(int)-3.99",
    "(long)1e15",
    "-7 / 2",
    "-7 % 2",
    "7 % -3",
    "7u / -2",
    "~0u >> 28",
    "-16 >> 2",
    "1 << 31 >> 31",
    "1ull << 63 >> 3",
    "'\\377'",
    "'ab'",
    "'\\x7f'",
    "L'\\u00e9'",
    "0777",
    "0x7fffffff + 0x1u",
    "4294967295 - 1",
    "2147483648 > 0",
    "sizeof(2147483648)",
    "sizeof(0x80000000)",
    "sizeof(4294967295u)",
    "0x8000000000000000 > 0",
    "0xffffffffffffffff + 1",
    "sizeof(1ul * 1)",
    "!5",
    "!!5",
    "3 && 0",
    "0 || 2",
    "1 ? 2 : 3",
    "0 ? 1 / 1 : 5",
    "5 > 3 == 1",
    "1 | 2 ^ 3 & 4",
    "1 + 2 * 3 - 4 / 2",
    "(1, 2) * 0 + 1",
    "sizeof(int[3]) / sizeof(int)",
    "__builtin_types_compatible_p(int, const int)",
    "__builtin_types_compatible_p(int, long)",
    "__builtin_types_compatible_p(int[], int[3])",
    "_Generic(1.0f, float: 1, double: 2)",
    "_Generic(\"a\", char *: 3, default: 4)",
    "_Generic((char)1, int: 1, char: 2)",
    "_Generic((const char *)0, char *: 1, const char *: 2, default: 3)",
    "_Generic((char *)0, const char *: 1, default: 2)",
    "_Generic((const char *)0, char *: 1, default: 2)",
    "_Generic((char *const)0, char *: 1, default: 2)",
    "_Generic((const int)0, const int: 1, int: 2)",
    "_Generic(&q, const struct q *: 1, struct q *: 2)",
    "_Generic(&constant, const struct q *: 1, struct q *: 2)",
    "_Generic(&constant.i, const int *: 1, int *: 2)",
    "_Generic(constant.a, const int *: 1, int *: 2)",
    "_Generic(&q.c, const int *: 1, int *: 2)",
    "_Generic(&q.i, const int *: 1, int *: 2)",
    "_Generic(q.a + 1, const int *: 1, int *: 2)",
    "_Generic(&*words[0], const char *: 1, char *: 2)",
    "_Generic(words, const char *const *: 1, const char **: 2, char **: 3)",
    "_Generic((volatile int *)0, int *: 1, volatile int *: 2, const int *: 3)",
    "_Generic(1 ? (const char *)0 : (char *)0, char *: 1, const char *: 2)",
    "_Generic(1 ? &q.a[0] : &q.c, int *: 1, const int *: 2)",
    "__builtin_types_compatible_p(char *, const char *)",
    "__builtin_types_compatible_p(char *, char *const)",
    "__builtin_popcount(255)",
    "__builtin_clz(1)",
    "__builtin_ctz(8)",
    "__builtin_ffs(0)",
    "__builtin_constant_p(3)",
    "18446744073709551615u * 18446744073709551615u",
    "(int)4294967297l",
    "(unsigned short)-1 * 2",
    "1e3 == 1000",
    "sizeof(long double)",
    "sizeof(1.0l)",
    "(char)127 + 1",
    "-2147483647 - 1 < 0",
    "0b101",
    "1 ?: 2",
    "0 ?: 2",
    "sizeof(_Atomic int)",
    "sizeof(volatile struct a)",
    "(unsigned long)(int)-1 >> 60",
    "3 / 2.0 * 2 == 3",
];

fn ours() -> Vec<i128> {
    let mut text = format!("{DECLARATIONS}\nlong long results[] = {{\n");
    for expression in EXPRESSIONS {
        // A comma is not constant in C, but compilers fold it.
        let expression = expression.replace("(1, 2)", "(2)");
        text.push_str(&format!("(long long)({expression}),\n"));
    }
    text.push_str("};\n");
    let units = [Unit { name: "x.c".to_owned(), text }];
    let mut sources = SourceMap::default();
    let parsed = dally_c::parse(&units, &mut sources, &mut |_| None, &ParseOptions::default());
    let parsed = parsed.unwrap_or_else(|errors| {
        panic!("{:?}", errors.iter().map(|e| (&e.message, sources.text(e.primary.span))).collect::<Vec<_>>())
    });
    let init = parsed.program.globals[0].init.as_ref().unwrap();
    let value = |part: &dally_c::hir::InitPart| match part.value.kind {
        dally_c::hir::ExprKind::Int(value) => value,
        ref other => panic!("{other:?}"),
    };
    init.parts.iter().map(value).collect()
}

#[test]
fn constants_have_the_values_of_the_compiler() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("constants.c"), folder.join("constants"));
    let mut text = format!("#include <stdio.h>\n{DECLARATIONS}\nint main(void) {{\n");
    for expression in EXPRESSIONS {
        text.push_str(&format!("printf(\"%lld\\n\", (long long)({expression}));\n"));
    }
    text.push_str("return 0; }\n");
    std::fs::write(&source, text).unwrap();
    let compiled = Command::new("cc").arg("-w").arg(&source).arg("-o").arg(&program).status();
    // Rust links with `cc`, so it is there.
    assert!(compiled.unwrap().success());
    let output = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
    let theirs: Vec<i128> = output.lines().map(|line| line.parse().unwrap()).collect();
    let ours = ours();
    assert_eq!(ours.len(), EXPRESSIONS.len());
    let differ = |i: &usize| ours[*i] != theirs[*i];
    let wrong: Vec<_> =
        (0..ours.len()).filter(differ).map(|i| (EXPRESSIONS[i], ours[i], theirs[i])).collect();
    assert_eq!(wrong, []);
}
