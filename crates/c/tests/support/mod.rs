//! Runs C programs: parse, lower, explore.

use dally_c::library::{LibraryOptions, prelude};
use dally_c::{LowerOptions, ParseOptions, Unit};
use dally_explore::{Exhaustive, Options, Search, Verdict};
use dally_interp::Machine;
use dally_text::source::SourceMap;

/// The verdict on a preprocessed program, and its Boogie.
pub(crate) fn run(text: &str) -> (Verdict, String) {
    let units = [Unit { name: "test.c".to_owned(), text: text.to_owned() }];
    let library = [Unit { name: "library".to_owned(), text: prelude(&LibraryOptions::of([text])) }];
    let options = ParseOptions { prelude: &library, ..ParseOptions::default() };
    let mut sources = SourceMap::default();
    let parsed = dally_c::parse(&units, &mut sources, &mut |_| None, &options);
    let parsed = parsed
        .unwrap_or_else(|d| panic!("{} at {:?} in {text}", d[0].message, sources.text(d[0].primary.span)));
    let lowered = dally_c::lower(&parsed.program, &LowerOptions::default());
    let lowered = lowered.unwrap_or_else(|d| panic!("{} in {text}", d[0].message));
    let boogie = dally_bpl::print(&lowered.program.ast);
    let machine = Machine::new(&lowered.program, &sources, &dally_interp::MachineOptions::default());
    let machine = machine.unwrap_or_else(|d| panic!("{} in {text}\n{boogie}", d[0].message));
    (Search::new(&machine, &Exhaustive, &Options::default(), &()).run().verdict, boogie)
}
