//! Selection of the test to run.

use dally_text::diagnostic::{Diagnostic, did_you_mean};
use dally_text::source::Span;

use crate::Program;
use crate::check::info::TestInfo;
use crate::codes;

impl Program {
    /// The test of this name; without a name, the only test.
    pub fn test(&self, name: Option<&str>) -> Result<&TestInfo, Diagnostic> {
        let tests = &self.tests;
        let found = match (name, tests.as_slice()) {
            (Some(name), _) => tests.iter().find(|test| test.name == name),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        found.ok_or_else(|| self.no_test(name))
    }

    fn no_test(&self, name: Option<&str>) -> Diagnostic {
        // Parametric tests may have thousands of instances.
        const MOST: usize = 20;
        let tests: Vec<&str> = self.tests.iter().map(|test| test.name.as_str()).collect();
        let rest = if tests.len() > MOST { ", …" } else { "" };
        let names = format!("{}{rest}", tests[..tests.len().min(MOST)].join(", "));
        let (message, help) = match (name, tests.len()) {
            (_, 0) => (
                "the program has no test, and no machine `Main` to start with".to_owned(),
                "declare a test: `test T [main=M]: { M, … };`".to_owned(),
            ),
            (Some(name), _) => {
                let similar = did_you_mean(name, tests.iter().copied());
                let help = similar.unwrap_or_else(|| format!("its tests are: {names}"));
                (format!("the program has no test `{name}`"), help)
            }
            (None, count) => {
                (format!("the program has {count} tests: {names}"), "choose one with --test".to_owned())
            }
        };
        Diagnostic::new(codes::BAD_TEST, Span::NONE, message).help(help)
    }
}
