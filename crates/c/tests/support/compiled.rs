//! Functions `unsigned long test0(void)`, … as the system's C compiler executes them.

use std::fmt::Write as _;
use std::process::Command;

/// The results of the functions. `first` makes the name of a folder unique.
pub(crate) fn compiled(programs: &[String], first: u64) -> Vec<u64> {
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

/// A program that checks the result of its function.
pub(crate) fn with_check(program: &str, n: u64, expected: u64) -> String {
    format!(
        "{program}int main(void) {{ __dally_check(test{n}() == {expected}ul, \"the checksum\"); return 0; }}\n"
    )
}
