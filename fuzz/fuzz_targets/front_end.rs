//! Any text goes through the whole front end: no panic, spans that lie in the text, and what is accepted is
//! accepted again after printing, and printed as itself.
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
                assert!(original.text(d.primary.span).is_some(), "{d:?} points nowhere");
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
