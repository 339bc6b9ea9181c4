//! `dally verify` on the C programs of \[FSE12\]'s experiments, and on a generated driver of 10,000 lines.
//!
//! ```text
//! c_driver [DALLY]
//! ```
//!
//! The generated driver has 260 service routines, of 34 statements on integers without arithmetic that wraps around, behind one
//! dispatch routine; two requests with arbitrary codes and a stop are posted. One version has a bug, the other has none. They are
//! verified with 2 delays. DALLY is the program, by default the one beside this benchmark.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use dally_bench::Numbers;

const ROUTINES: u64 = 260;
const STATEMENTS: u64 = 34;

/// The text of the driver.
fn driver(is_correct: bool) -> String {
    let mut numbers = Numbers::new(1);
    let mut text = String::from(
        "#include <assert.h>\n#include <dally.h>\nint __VERIFIER_nondet_int(void);\nstatic int pending, stopped, errors;\n",
    );
    for routine in 0..ROUTINES {
        let _ = writeln!(text, "static int service_{routine}(int code, int value) {{\n  int result = 0;");
        for statement in 0..STATEMENTS {
            let (small, large) = (numbers.below(9), numbers.below(1000));
            let _ = match numbers.below(4) {
                0 => writeln!(text, "  if (code == {}) result = {small};", routine * 50 + statement),
                1 => writeln!(text, "  value = {large};"),
                2 => writeln!(text, "  if (value > {large}) value = {small};"),
                _ => writeln!(text, "  result = result > value ? {small} : {};", small + 1),
            };
        }
        text.push_str("  return result;\n}\n\n");
    }
    text.push_str("static int dispatch(int code, int value) {\n  switch (code / 50) {\n");
    for routine in 0..ROUTINES {
        let _ = writeln!(text, "  case {routine}: return service_{routine}(code, value);");
    }
    let claim = if is_correct { "!stopped || pending > 0" } else { "!stopped" };
    let _ = write!(
        text,
        "  default: return -1;\n  }}\n}}\n\n\
         void request(int code) {{\n  if (stopped) return;\n  pending++;\n  int result = dispatch(code, 7);\n  dally_yield();\n\
         \x20 assert({claim});\n  if (result < 0) errors++;\n  pending--;\n}}\n\n\
         void stop(int unused) {{\n  stopped = 1;\n}}\n\n\
         int main(void) {{\n  dally_post(request, __VERIFIER_nondet_int());\n  dally_post(stop, 0);\n\
         \x20 dally_post(request, __VERIFIER_nondet_int());\n  return 0;\n}}\n"
    );
    text
}

/// Runs `dally verify`, and prints its verdict and the seconds that it took.
#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn row(dally: &Path, name: &str, file: &str, flags: &[&str]) {
    let started = Instant::now();
    let output = Command::new(dally).arg("verify").args(flags).arg(file).output();
    let seconds = started.elapsed().as_secs_f64();
    let said = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let verdict: String = said.lines().next().unwrap_or("no output").chars().take(90).collect();
    println!("{name:<24} {seconds:>7.2} s  {verdict}");
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let given = std::env::args().nth(1);
    let dally = match dally_bench::dally(given.as_deref()) {
        Ok(dally) => dally,
        Err(missing) => return println!("{missing}"),
    };
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/c/");
    for (name, flags) in [
        ("fse12_fig7", &[][..]),
        ("fse12_fig8", &[][..]),
        ("device_driver", &["--zields", "1", "--yields", "2"][..]),
    ] {
        row(&dally, name, &format!("{examples}{name}.c"), flags);
    }
    let folder = std::env::temp_dir();
    for (name, is_correct) in [("generated, with a bug", false), ("generated, correct", true)] {
        let file = folder.join(format!("dally-driver-{}-{is_correct}.c", std::process::id()));
        let text = driver(is_correct);
        if let Err(error) = std::fs::write(&file, &text) {
            return println!("{}: {error}", file.display());
        }
        let lines = text.lines().count();
        row(&dally, &format!("{name}, {lines}"), &file.to_string_lossy(), &["--delays", "2"]);
        let _ = std::fs::remove_file(&file);
    }
}
