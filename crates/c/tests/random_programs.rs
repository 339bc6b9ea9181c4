//! Random programs compute what the system's C compiler makes of them.
//!
//! `DALLY_PROGRAMS=n` runs n programs; `DALLY_SEED=n` starts with a seed that was printed.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

#[path = "support/random.rs"]
mod random;
mod support;

use dally_explore::Verdict;
use random::Program;
use std::fmt::Write as _;
use std::process::Command;

/// Programs that are compiled together.
const BATCH: u64 = 20;

/// The checksums of programs, as compiled by `cc`.
fn compiled(programs: &[String], first: u64) -> Vec<u64> {
    let mut text = "int printf(const char *, ...);\n".to_owned();
    programs.iter().for_each(|p| text.push_str(p));
    text.push_str("int main(void) {\n");
    for n in 0..programs.len() as u64 {
        let _ = writeln!(text, "  printf(\"%lu\\n\", test{n}());");
    }
    text.push_str("  return 0;\n}\n");
    let folder = std::env::temp_dir().join(format!("dally-c-{}-{first}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, binary) = (folder.join("all.c"), folder.join("all"));
    std::fs::write(&source, text).unwrap();
    let flags = ["-w", "-O0", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-fsigned-char"];
    let status = Command::new("cc").args(flags).arg(&source).arg("-o").arg(&binary).status().unwrap();
    assert!(status.success(), "cc rejects {}", source.display());
    let output = Command::new(&binary).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(|l| l.parse().unwrap()).collect()
}

fn with_check(program: &str, n: u64, expected: u64) -> String {
    format!(
        "{program}int main(void) {{ __dally_check(test{n}() == {expected}ul, \"the checksum\"); return 0; }}\n"
    )
}

#[test]
fn random_programs_agree_with_the_compiler() {
    let all = dally_testing::seeds(60);
    for batch in all.clone().step_by(BATCH as usize) {
        let seeds: Vec<u64> = (batch..all.end.min(batch + BATCH)).collect();
        let programs: Vec<String> = (0..).zip(&seeds).map(|(n, seed)| Program::text(*seed, n)).collect();
        let results = compiled(&programs, batch);
        assert_eq!(results.len(), programs.len(), "a program from seed {batch} on does not end well");
        for (n, (program, expected)) in (0..).zip(programs.iter().zip(results)) {
            let seed = seeds[n as usize];
            let text = with_check(program, n, expected);
            let (verdict, boogie) = support::run(&text);
            assert!(matches!(verdict, Verdict::Proved), "seed {seed}: {verdict:?}\n{text}\n{boogie}");
            let (verdict, _) = support::run(&with_check(program, n, expected.wrapping_add(1)));
            assert!(matches!(verdict, Verdict::Bug(_)), "seed {seed}: {verdict:?}\n{text}");
        }
    }
}
