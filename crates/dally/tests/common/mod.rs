//! What tests of the command line share.

#![allow(dead_code, reason = "each test uses a part of this")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `dally` with these arguments, and this on its standard input.
pub(crate) fn dally(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dally"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// What `dally verify` says of a program, with these flags, and its exit code.
pub(crate) fn verify(text: &str, flags: &[&str]) -> (Option<i32>, String) {
    let output = dally(&[&["verify", "-"], flags].concat(), text.as_bytes());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}
