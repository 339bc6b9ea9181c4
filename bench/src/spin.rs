//! SPIN, where it is installed.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::cpu::timed;

/// What a run of SPIN's verifier came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// States stored.
    pub states: u64,
    /// CPU time of the verifier, without its making.
    pub cpu: Duration,
    /// Bytes for each state, all told, by its own account.
    pub bytes_per_state: f64,
}

/// The one-line hint for those who do not have it.
pub const HINT: &str = "spin or gcc is missing: its column is left out (Debian: apt-get install spin gcc)";

/// Whether SPIN and a C compiler can be run.
pub fn is_there() -> bool {
    let runs = |program: &str, flag: &str| Command::new(program).arg(flag).output().is_ok();
    runs("spin", "-V") && runs("gcc", "--version")
}

/// Exhausts a model, with definitions such as `-DN=7`.
pub fn run(model: &Path, definitions: &[String]) -> Option<Outcome> {
    let folder = std::env::temp_dir().join(format!("dally-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let here = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(&folder);
        command
    };
    let made = here("spin").args(definitions).arg("-a").arg(model).status().ok()?.success()
        && here("gcc").args(["-O3", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"]).status().ok()?.success();
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
    })
}
