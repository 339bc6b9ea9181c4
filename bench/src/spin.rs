//! Runs SPIN, if it is installed.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::cpu::timed;

/// The result of a run of SPIN's verifier.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// States stored.
    pub states: u64,
    /// CPU time of the verifier, without generating and compiling it.
    pub cpu: Duration,
    /// Total memory per state in bytes, as SPIN reports it.
    pub bytes_per_state: f64,
    /// True if SPIN has explored all states that it needs to and found no error.
    pub is_proof: bool,
}

/// Printed if SPIN is not installed.
pub const HINT: &str =
    "spin or gcc is not installed: omitting the column of SPIN (Debian: apt-get install spin gcc)";

/// Returns true if SPIN and a C compiler are installed.
pub fn is_installed() -> bool {
    let runs = |program: &str, flag: &str| Command::new(program).arg(flag).output().is_ok();
    runs("spin", "-V") && runs("gcc", "--version")
}

/// Explores all states of a model, with preprocessor definitions such as `-DN=7`.
pub fn run(model: &Path, definitions: &[String]) -> Option<Outcome> {
    verify(model, definitions, &["-DNOREDUCE"])
}

/// Runs the verifier of a model, which is compiled with the flags.
pub fn verify(model: &Path, definitions: &[String], flags: &[&str]) -> Option<Outcome> {
    let folder = std::env::temp_dir().join(format!("dally-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let here = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(&folder);
        command
    };
    let made = here("spin").args(definitions).arg("-a").arg(model).status().ok()?.success()
        && here("gcc").args(["-O3", "-DSAFETY", "-o", "pan", "pan.c"]).args(flags).status().ok()?.success();
    let mut verifier = Command::new(folder.join("pan"));
    verifier.current_dir(&folder).args(["-m1000000", "-w24"]);
    let (output, took) = timed(|| made.then(|| verifier.output().ok()).flatten());
    let text = String::from_utf8_lossy(&output?.stdout).into_owned();
    std::fs::remove_dir_all(&folder).ok()?;
    let number = |what: &str| -> Option<f64> {
        text.lines().find(|line| line.contains(what))?.split_whitespace().next()?.parse().ok()
    };
    let states = number("states, stored")?;
    let megabytes = number("total actual memory usage")?;
    Some(Outcome {
        states: states as u64,
        cpu: took.children,
        bytes_per_state: megabytes * 1024.0 * 1024.0 / states,
        is_proof: text.contains("errors: 0")
            && !text.contains("not completed")
            && !text.contains("max search depth too small"),
    })
}
