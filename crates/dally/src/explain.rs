//! `dally explain`: the meaning of a code of diagnostics.

use dally_text::code::{Code, Table};

use crate::cli::Explain;
use crate::output::{self, Exit};

/// The codes of all languages.
const TABLES: [Table; 4] =
    [Code::COMMON, dally_bpl::codes::TABLE, dally_p::codes::TABLE, dally_c::codes::TABLE];

pub(crate) fn run(arguments: &Explain) -> Exit {
    let Some(wanted) = &arguments.code else { return output::stdout(list().as_bytes()) };
    match find(wanted) {
        Some((table, code)) => output::stdout(text(table, code).as_bytes()),
        None => output::complain(&format!(
            "there is no code `{wanted}`: codes are written as E0306, and `dally explain` lists them"
        )),
    }
}

/// The code that a user means: `E0306`, `e306` or `306`.
fn find(wanted: &str) -> Option<(&'static Table, Code)> {
    let digits = wanted.trim().trim_start_matches(['E', 'e']);
    let number: u16 = digits.parse().ok()?;
    let mut all = TABLES.iter().flat_map(|table| table.codes.iter().map(move |code| (table, *code)));
    all.find(|(_, code)| code.number() == number)
}

fn text(table: &Table, code: Code) -> String {
    let severity = code.severity().word();
    format!("{code}: {} ({severity}, {})\n\n{}\n", code.title(), table.owner, code.advice())
}

/// One line for each code.
fn list() -> String {
    let line = |code: &Code| format!("{code}  {:<11}  {}\n", code.severity().word(), code.title());
    TABLES.iter().flat_map(|table| table.codes).map(line).collect()
}
