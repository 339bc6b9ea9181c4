//! Runs the front end on arbitrary text. It must not panic, spans must lie in the text, and the
//! printed form of an accepted program must be accepted and printed unchanged.
#![no_main]

use dally_bpl::{load, print};
use dally_text::render;
use dally_text::source::SourceMap;
use libfuzzer_sys::fuzz_target;

fn sources(text: &str) -> SourceMap {
    let mut sources = SourceMap::default();
    sources.add("fuzz.bpl", text).expect("inputs are small");
    sources
}

fuzz_target!(|text: &str| {
    let original = sources(text);
    match load(&original) {
        Err(diagnostics) => {
            for d in &diagnostics {
                assert!(original.text(d.primary.span).is_some(), "the span of {d:?} is outside of the text");
                render::render(&original, d, true);
                render::to_json(&original, d);
            }
        }
        Ok(program) => {
            let text = print(&program.ast);
            let printed = sources(&text);
            match load(&printed) {
                Ok(again) => assert_eq!(text, print(&again.ast)),
                Err(e) => panic!("{}\n{text}", render::render(&printed, &e[0], false)),
            }
        }
    }
});
