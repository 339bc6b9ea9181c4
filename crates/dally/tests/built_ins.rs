//! Functions of SMT-LIB: the interpreter and the solver agree on their results. These tests need a solver.
//!
//! Each program assumes that unknown values equal random applications. The solver finds the values, and the replay, in which
//! the interpreter evaluates the same applications, follows them to the failure only if both agree.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use dally_testing::{Random, for_seeds};

/// A function: its SMT-LIB name, the types of its arguments, and the type of its result.
type Function = (&'static str, &'static [&'static str], &'static str);

const INTEGERS: &[Function] = &[
    ("div", &["int", "nonzero"], "int"),
    ("mod", &["int", "nonzero"], "int"),
    ("rem", &["int", "nonzero"], "int"),
    ("abs", &["int"], "int"),
    ("-", &["int"], "int"),
    ("*", &["int", "int"], "int"),
    ("<", &["int", "int"], "bool"),
    ("to_real", &["int"], "real"),
    ("and", &["bool", "bool"], "bool"),
    ("xor", &["bool", "bool"], "bool"),
    ("=>", &["bool", "bool"], "bool"),
    ("ite", &["bool", "int", "int"], "int"),
    ("(_ int2bv 8)", &["int"], "bv8"),
    ("(_ int2bv 100)", &["int"], "bv100"),
    ("bv2nat", &["bv8"], "int"),
    ("bv2int", &["bv100"], "int"),
];

const BITS: &[Function] = &[
    ("bvcomp", &["bv8", "bv8"], "bv1"),
    ("bvurem", &["bv8", "bv8"], "bv8"),
    ("bvsmod", &["bv8", "bv8"], "bv8"),
    ("bvsdiv", &["bv100", "bv100"], "bv100"),
    ("(_ rotate_left 3)", &["bv8"], "bv8"),
    ("(_ rotate_right 3)", &["bv8"], "bv8"),
    ("(_ rotate_left 8)", &["bv8"], "bv8"),
    ("(_ rotate_right 77)", &["bv100"], "bv100"),
    ("ext_rotate_left", &["bv8", "bv8"], "bv8"),
    ("ext_rotate_right", &["bv100", "bv100"], "bv100"),
    ("(_ repeat 3)", &["bv8"], "bv24"),
    ("(_ repeat 9)", &["bv8"], "bv72"),
    ("(_ extract 6 2)", &["bv8"], "bv5"),
    ("(_ extract 80 3)", &["bv100"], "bv78"),
    ("(_ sign_extend 4)", &["bv8"], "bv12"),
    ("concat", &["bv8", "bv100"], "bv108"),
    ("bvredor", &["bv8"], "bv1"),
    ("bvredand", &["bv8"], "bv1"),
];

const MAPS: &[Function] = &[
    ("MapAdd", &["[int]int", "[int]int"], "[int]int"),
    ("MapSub", &["[int]int", "[int]int"], "[int]int"),
    ("MapMul", &["[int]int", "[int]int"], "[int]int"),
    ("MapLt", &["[int]int", "[int]int"], "[int]bool"),
    ("MapGe", &["[int]int", "[int]int"], "[int]bool"),
    ("MapEq", &["[int]int", "[int]int"], "[int]bool"),
    ("MapAnd", &["[int]bool", "[int]bool"], "[int]bool"),
    ("MapOr", &["[int]bool", "[int]bool"], "[int]bool"),
    ("MapImp", &["[int]bool", "[int]bool"], "[int]bool"),
    ("MapIff", &["[int]bool", "[int]bool"], "[int]bool"),
    ("MapNot", &["[int]bool"], "[int]bool"),
    ("MapIte", &["[int]bool", "[int]int", "[int]int"], "[int]int"),
];

const FLOATS: &[Function] = &[
    ("fp.add", &["rmode", "float5e3", "float5e3"], "float5e3"),
    ("fp.sub", &["rmode", "float5e3", "float5e3"], "float5e3"),
    ("fp.mul", &["rmode", "float5e3", "float5e3"], "float5e3"),
    ("fp.div", &["rmode", "float5e3", "float5e3"], "float5e3"),
    ("fp.fma", &["rmode", "float5e3", "float5e3", "float5e3"], "float5e3"),
    ("fp.sqrt", &["rmode", "float5e3"], "float5e3"),
    ("fp.roundToIntegral", &["rmode", "float5e3"], "float5e3"),
    ("fp.mul RNA", &["float24e8", "float24e8"], "float24e8"),
    ("fp.add", &["rmode", "float24e8", "float24e8"], "float24e8"),
    ("fp.abs", &["float5e3"], "float5e3"),
    ("fp.neg", &["float24e8"], "float24e8"),
    ("fp.leq", &["float5e3", "float5e3"], "bool"),
    ("fp.lt", &["float24e8", "float24e8"], "bool"),
    ("fp.eq", &["float5e3", "float5e3"], "bool"),
    ("fp.isNormal", &["float5e3"], "bool"),
    ("fp.isSubnormal", &["float5e3"], "bool"),
    ("fp.isZero", &["float5e3"], "bool"),
    ("fp.isInfinite", &["float5e3"], "bool"),
    ("fp.isNaN", &["float5e3"], "bool"),
    ("fp.isNegative", &["float5e3"], "bool"),
    ("fp.isPositive", &["float5e3"], "bool"),
    ("(_ to_fp 3 5) RTZ", &["float24e8"], "float5e3"),
    ("(_ to_fp 8 24)", &["rmode", "float5e3"], "float24e8"),
    ("(_ to_fp 3 5)", &["rmode", "real"], "float5e3"),
    ("(_ to_fp 3 5)", &["rmode", "bv8"], "float5e3"),
    ("(_ to_fp_unsigned 8 24)", &["rmode", "bv8"], "float24e8"),
    ("(_ to_fp 3 5)", &["bv8"], "float5e3"),
];

/// A random value of a type, in Boogie. Bits become floats by `to_fp`.
fn value(random: &mut Random, ty: &str) -> String {
    let small = |random: &mut Random| random.below(41) as i64 - 20;
    match ty {
        "bool" => (random.below(2) == 1).to_string(),
        "int" => small(random).to_string(),
        "nonzero" => (small(random) * 2 + 1).to_string(),
        "real" => format!("{}.{}", random.below(30), random.below(1000)),
        "rmode" => ["RNE", "RNA", "RTP", "RTN", "RTZ"][random.below(5) as usize].to_owned(),
        "bv8" => format!("{}bv8", random.below(256)),
        "bv32" => format!("{}bv32", random.below(1 << 16) * 65536 + random.below(1 << 16)),
        "bv100" => format!("{}{}bv100", random.below(1 << 30), random.below(1 << 30)),
        "float5e3" => format!("float5e3_of({})", value(random, "bv8")),
        "float24e8" => format!("float24e8_of({})", value(random, "bv32")),
        "[int]int" => format!(
            "(allints({}))[{} := {}][{} := {}]",
            small(random),
            small(random),
            small(random),
            small(random),
            small(random)
        ),
        "[int]bool" => {
            format!("(allbools({}))[{} := {}]", value(random, "bool"), small(random), value(random, "bool"))
        }
        other => panic!("no values of {other}"),
    }
}

/// A program whose failure is reached if all results agree.
fn program(random: &mut Random, functions: &[Function], count: usize) -> String {
    let mut declarations = String::from(
        "function {:builtin \"MapConst\"} allints(x: int): [int]int;\n\
         function {:builtin \"MapConst\"} allbools(x: bool): [int]bool;\n\
         function {:builtin \"(_ to_fp 3 5)\"} float5e3_of(x: bv8): float5e3;\n\
         function {:builtin \"(_ to_fp 8 24)\"} float24e8_of(x: bv32): float24e8;\n",
    );
    let (mut variables, mut body) = (String::new(), String::new());
    for nth in 0..count {
        let (name, params, result) = functions[random.below(functions.len() as u64) as usize];
        let typed = |(i, ty): (usize, &&str)| {
            let ty = if *ty == "nonzero" { "int" } else { ty };
            format!("p{i}: {ty}")
        };
        let typed: Vec<String> = params.iter().enumerate().map(typed).collect();
        declarations.push_str(&format!(
            "function {{:builtin \"{name}\"}} f{nth}({}): {result};\n\
             function {{:builtin \"=\"}} same{nth}(a: {result}, b: {result}): bool;\n",
            typed.join(", ")
        ));
        let args: Vec<String> = params.iter().map(|ty| value(random, ty)).collect();
        variables.push_str(&format!("  var x{nth}: {result};\n"));
        body.push_str(&format!("  assume same{nth}(x{nth}, f{nth}({}));\n", args.join(", ")));
    }
    format!("{declarations}procedure main() {{\n{variables}{body}  assert false;\n}}\n")
}

fn agree(name: &str, functions: &[Function], seeds: u64, count: usize) {
    for_seeds(name, seeds, |seed| {
        let text = program(&mut Random::new(seed), functions, count);
        let (code, said) = common::verify(&text, &[]);
        assert_eq!(code, Some(1), "{text}\n{said}");
        assert!(said.starts_with("bug: "), "{text}\n{said}");
    });
}

#[test]
fn integers_and_booleans_agree() {
    agree("integers_and_booleans_agree", INTEGERS, 20, 12);
}

#[test]
fn bits_agree() {
    agree("bits_agree", BITS, 20, 12);
}

#[test]
fn maps_agree() {
    agree("maps_agree", MAPS, 20, 5);
}

#[test]
fn floats_agree() {
    agree("floats_agree", FLOATS, 30, 6);
}

/// Operators of Boogie are those of IEEE 754.
#[test]
fn operators_on_floats_are_replayed() {
    let text = "procedure main() {\n\
                  var x, y: float24e8;\n\
                  assume x == 0x1.8e0f24e8 && y > x && y < 0x2.0e0f24e8;\n\
                  assert x + y - x != 0x3.8e0f24e8 / 0x2.0e0f24e8;\n\
                }\n";
    let (code, said) = common::verify(text, &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("x = 0x1.8e0f24e8, y = 0x1."), "{said}");
    // As in Boogie, `==` compares values, and `fp.eq` is the equality of IEEE 754.
    let head =
        "function {:builtin \"fp.eq\"} eq(float24e8, float24e8): bool;\nprocedure main() { var x: float24e8;";
    let nan = |rest: &str| common::verify(&format!("{head} x := 0NaN24e8; {rest} }}"), &[]).0;
    assert_eq!([nan("assert x == x;"), nan("assert x != x;")], [Some(0), Some(1)]);
    assert_eq!([nan("assert eq(x, x);"), nan("assert !eq(x, x);")], [Some(1), Some(0)]);
    let zero = |rest: &str| common::verify(&format!("{head} x := 0x0.0e0f24e8; {rest} }}"), &[]).0;
    assert_eq!([zero("assert x == -x;"), zero("assert eq(x, -x);")], [Some(1), Some(0)]);
    let (code, said) = common::verify(
        "procedure main() { var x: float24e8; assume x > 0x0.0e0f24e8; \
        assert -x < x; }",
        &[],
    );
    assert_eq!(code, Some(0), "{said}");
}
