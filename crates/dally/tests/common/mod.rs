//! Helpers for tests of the command line.

#![allow(dead_code, reason = "each test uses some of these functions")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `dally` with these arguments and this standard input. `DALLY_PROGRAM=FILE` runs another build of it: many random
/// programs need one with optimisation.
pub(crate) fn dally(args: &[&str], input: &[u8]) -> Output {
    let program = std::env::var_os("DALLY_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_dally").into());
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The process may exit before it has read all of its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Runs `dally verify` on a program with these flags. Returns the exit code and all output.
pub(crate) fn verify(text: &str, flags: &[&str]) -> (Option<i32>, String) {
    let output = dally(&[&["verify", "-"], flags].concat(), text.as_bytes());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}
