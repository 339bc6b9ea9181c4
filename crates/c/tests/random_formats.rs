//! Random formats: `snprintf` and `sscanf` write what the system's C library writes, with literal formats and with formats that
//! are known only at run time.
//!
//! `DALLY_PROGRAMS=n` runs n programs; `DALLY_SEED=n` starts with a seed that was printed.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

#[path = "support/compiled.rs"]
mod compiled;
mod support;

use std::fmt::Write as _;

use compiled::{compiled, with_check};
use dally_explore::Verdict;
use dally_testing::Random;

/// Programs that are compiled together.
const BATCH: u64 = 20;

/// A format and its arguments.
struct Call {
    format: String,
    arguments: String,
}

fn one<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.below(list.len() as u64) as usize]
}

fn integer(random: &mut Random) -> i64 {
    let shift = random.below(64);
    (random.below(u64::MAX) >> shift) as i64 * if random.below(2) == 0 { 1 } else { -1 }
}

fn number(random: &mut Random, call: &mut Call, most: u64) {
    match random.below(4) {
        0 => {
            call.format.push('*');
            let _ = write!(call.arguments, ", {}", random.below(most) as i64 - 2);
        }
        1 => {}
        _ => call.format.push_str(&(1 + random.below(most)).to_string()),
    }
}

/// A conversion of `printf`. Flags are those that the conversion defines.
fn conversion(random: &mut Random, call: &mut Call) {
    call.format.push('%');
    let letter = one(random, &["d", "i", "u", "x", "X", "o", "c", "s"]);
    let flags: &[&str] = match letter {
        "d" | "i" => &["-", "+", " ", "0"],
        "u" => &["-", "0"],
        "x" | "X" | "o" => &["-", "0", "#"],
        _ => &["-"],
    };
    while random.below(3) == 0 {
        call.format.push_str(one(random, flags));
    }
    number(random, call, 9);
    if letter != "c" && random.below(3) == 0 {
        call.format.push('.');
        number(random, call, 6);
    }
    let lengths =
        [("", "int"), ("h", "short"), ("hh", "char"), ("l", "long"), ("ll", "long long"), ("z", "long")];
    match letter {
        "c" => {
            let _ = write!(call.arguments, ", {}", 33 + random.below(90));
        }
        "s" => {
            let _ = write!(call.arguments, ", \"{}\"", one(random, &["", "a", "word", "some text", "x%d"]));
        }
        _ => {
            let (length, ty) = lengths[random.below(6) as usize];
            call.format.push_str(length);
            let _ = write!(call.arguments, ", ({ty}){}ll", integer(random).max(-i64::MAX));
        }
    }
    call.format.push_str(letter);
}

fn print_call(random: &mut Random) -> Call {
    let mut call = Call { format: String::new(), arguments: String::new() };
    for _ in 0..1 + random.below(3) {
        call.format.push_str(one(random, &["", "a", "%%", "x = ", "]"]));
        conversion(random, &mut call);
    }
    call
}

/// A format of `sscanf` for integers, words and characters.
fn scan_call(random: &mut Random) -> Call {
    let mut call = Call { format: String::new(), arguments: String::new() };
    for _ in 0..1 + random.below(3) {
        call.format.push_str(one(random, &["", " ", ",", "a", "%%"]));
        let (conversion, variable) = match random.below(6) {
            0 => ("d", "&i"),
            1 => ("u", "&u"),
            2 => ("x", "&u"),
            3 => ("ld", "&l"),
            4 => ("9s", "w"),
            _ => ("c", "&c"),
        };
        call.format.push('%');
        if random.below(6) == 0 {
            call.format.push('*');
        } else {
            let _ = write!(call.arguments, ", {variable}");
        }
        if !conversion.starts_with('9') && conversion != "c" && random.below(4) == 0 {
            call.format.push_str(&(1 + random.below(4)).to_string());
        }
        call.format.push_str(conversion);
    }
    call
}

fn program(seed: u64, n: u64) -> String {
    let mut random = Random::new(seed);
    let hash = "for (int k = 0; k < sizeof b; k++) h = h * 31 + (unsigned char)b[k]; h = h * 31 + r;";
    let mut body = String::new();
    for _ in 0..3 {
        let Call { format, arguments } = print_call(&mut random);
        let size = 1 + random.below(24);
        let format = match random.below(2) {
            0 => format!("\"{format}\""),
            _ => {
                let _ = writeln!(body, "  f = \"{format}\";");
                "f".to_owned()
            }
        };
        let _ = writeln!(body, "  clear{n}(b); r = snprintf(b, {size}, {format}{arguments}); {hash}");
    }
    for _ in 0..2 {
        let Call { format, arguments } = scan_call(&mut random);
        let parts = ["12", "-7", "+3", " ", "  ", ",", "a", "%", "word", "0x1f", "x", "99"];
        let text: String = (0..1 + random.below(5)).map(|_| one(&mut random, &parts)).collect();
        let _ = writeln!(
            body,
            "  clear{n}(w); i = 1; u = 2; l = 3; c = 4; r = sscanf(\"{text}\", \"{format}\"{arguments});\n  \
             h = h * 31 + i; h = h * 31 + u; h = h * 31 + l; h = h * 31 + c; h = h * 31 + r;\n  \
             for (int k = 0; k < 10; k++) h = h * 31 + (unsigned char)w[k];"
        );
    }
    format!(
        "int snprintf(char *, unsigned long, const char *, ...);\nint sscanf(const char *, const char *, ...);\n\
         static void clear{n}(char *b) {{ for (int k = 0; k < 24; k++) b[k] = '~'; }}\n\
         unsigned long test{n}(void) {{\n  char b[24], w[24]; unsigned long h = 0; int r, i; unsigned u; long l; char c;\n  \
         const char *f;\n{body}  return h;\n}}\n"
    )
}

#[test]
fn random_formats_agree_with_the_library_of_the_system() {
    let all = dally_testing::seeds(30);
    for batch in all.clone().step_by(BATCH as usize) {
        let seeds: Vec<u64> = (batch..all.end.min(batch + BATCH)).collect();
        let programs: Vec<String> = (0..).zip(&seeds).map(|(n, seed)| program(*seed, n)).collect();
        let results = compiled(&programs, batch);
        assert_eq!(results.len(), programs.len(), "a program from seed {batch} on does not end well");
        for (n, (program, expected)) in (0..).zip(programs.iter().zip(results)) {
            let seed = seeds[n as usize];
            let text = with_check(program, n, expected);
            let (verdict, _) = support::run(&text);
            assert!(matches!(verdict, Verdict::Proved), "seed {seed}: {verdict:?}\n{text}");
            let (verdict, _) = support::run(&with_check(program, n, expected.wrapping_add(1)));
            assert!(matches!(verdict, Verdict::Bug(_)), "seed {seed}: {verdict:?}\n{text}");
        }
    }
}
