//! `dally verify` and `dally check --exact` agree on random C programs with threads: whether an assertion can fail within K delays
//! under the same scheduler. What they find is possible for an interpreter that shares nothing with the lowering.
//!
//! `DALLY_PROGRAMS=n` runs n programs; `DALLY_SEED=n` starts with a seed that was printed.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;
#[path = "../../c/tests/support/interleave.rs"]
mod interleave;
#[path = "../../c/tests/support/threads.rs"]
mod threads;

use dally_testing::Random;
use serde_json::Value;
use threads::Program;

fn report(command: &str, flags: &[&str], file: &str) -> Value {
    let output = common::dally(&[&[command, "--json"], flags, &[file]].concat(), b"");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn random_threads() {
    let folder = std::env::temp_dir().join(format!("dally-agreement-c-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("program.i");
    let name = file.to_str().unwrap();
    let (mut compared, mut failing, mut one_way) = (0, 0, 0);
    dally_testing::for_seeds("agreement (C)", 20, |seed| {
        let program = Program::new(seed);
        let outcomes = program.outcomes();
        let sums: Vec<i64> = outcomes.sums.iter().copied().collect();
        // A deadlock comes before the assertion, which `verify` does not see.
        if outcomes.deadlock || sums.is_empty() {
            return;
        }
        let sum = sums[Random::new(seed).below(sums.len() as u64) as usize];
        let text = program.text(&format!("sum != {sum}"));
        std::fs::write(&file, &text).unwrap();
        let delays = (seed % 3).to_string();
        // Under dfw, waiting for anything but the end of a thread costs delays in `verify` only, and it says so.
        let scheduler = if seed % 5 < 3 { "dfw" } else { "df" };
        let bounds = ["--scheduler", scheduler, "--delays", &delays];
        let checked = report("check", &[&bounds[..], &["--exact", "--no-sample"]].concat(), name);
        let limits = ["--recursion", "4", "--time", "5s"];
        let verified = report("verify", &[&bounds[..], &limits].concat(), name);
        let (expected, found) = (&checked["verdict"], &verified["verdict"]);
        if found == "inconclusive" || expected == "inconclusive" || expected == "unsupported" {
            assert!(
                !verified["message"].as_str().unwrap().contains("defect"),
                "DALLY_SEED={seed}: {}\n{text}",
                verified["message"]
            );
            return;
        }
        compared += 1;
        failing += u32::from(found == "bug");
        let counts = verified["message"].as_str().unwrap().contains("counting delays also");
        if counts && expected == "bug" {
            one_way += 1;
            return;
        }
        assert_eq!(
            found == "bug",
            expected == "bug",
            "verify (left), check (right), {scheduler}, {delays} delays, DALLY_SEED={seed}: {} {}\n{text}",
            verified["message"],
            checked["message"]
        );
    });
    let _ = std::fs::remove_dir_all(&folder);
    println!("{compared} programs were compared, {failing} fail, {one_way} only where waiting costs nothing");
    assert!(compared > 0 && failing > 0, "{compared} programs were compared, {failing} fail");
}

/// The verdict of `dally verify` on a text.
fn verified(name: &str, flags: &[&str], text: &str) -> Value {
    let file = std::env::temp_dir().join(format!("dally-verified-{}-{name}.i", std::process::id()));
    std::fs::write(&file, text).unwrap();
    let found = report("verify", flags, file.to_str().unwrap());
    let _ = std::fs::remove_file(&file);
    found
}

/// To wait for the end of a thread costs no delay, also if handles are in an array.
#[test]
fn joins_cost_no_delays() {
    let text = "
        int n;
        void *add(void *a) { n = n + 1; return 0; }
        int main(void) {
          pthread_t t[2];
          for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, add, 0);
          for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
          __dally_check(n == 2, \"both are added\");
        }";
    let none = verified("joins-0", &["--delays", "0"], text);
    assert_eq!(none["message"], "proved: no execution fails with at most 0 delays under dfw");
    let one = verified("joins-1", &["--delays", "1"], text);
    assert_eq!(one["verdict"], "bug", "{}", one["message"]);
}

/// Variables without initialisers have the values of their types, and all of them.
#[test]
fn arbitrary_locals_have_all_values_of_their_types() {
    let declared = "int x; unsigned char c; struct { int f : 3; unsigned g : 2; } b;";
    let within = "-2147483647 - 1 <= x && x <= 2147483647 && c <= 255 && -4 <= b.f && b.f <= 3 && b.g <= 3";
    let program = |condition: &str| {
        format!("int main(void) {{ {declared} __dally_check({condition}, \"the values\"); return 0; }}")
    };
    assert_eq!(verified("values", &[], &program(within))["verdict"], "proved");
    for (index, value) in
        ["x != 1000", "x != -2147483647 - 1", "c != 255", "b.f != -4", "b.g != 3"].iter().enumerate()
    {
        let found = verified(&format!("value-{index}"), &[], &program(value));
        assert_eq!(found["verdict"], "bug", "{value}: {}", found["message"]);
    }
}
