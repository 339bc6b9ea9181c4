//! Interned names.

use rustc_hash::FxBuildHasher;
use string_interner::{StringInterner, Symbol, backend::StringBackend, symbol::SymbolU32};

/// An interned string. Two symbols of the same [`Symbols`] are equal exactly if their texts are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Sym(SymbolU32);

impl Sym {
    /// A small number that is the symbol's own, for tables indexed by symbol.
    pub fn index(self) -> usize {
        self.0.to_usize()
    }
}

/// The table of interned strings of a program.
///
/// The keywords of the language come first, so that the lexer tells a keyword from a name by its index.
#[derive(Clone, Debug)]
pub struct Symbols {
    strings: StringInterner<StringBackend<SymbolU32>, FxBuildHasher>,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut strings = StringInterner::new();
        for keyword in crate::lexer::KEYWORDS {
            strings.get_or_intern(keyword.0);
        }
        Symbols { strings }
    }
}

impl Symbols {
    /// The symbol of a text.
    pub fn intern(&mut self, text: &str) -> Sym {
        Sym(self.strings.get_or_intern(text))
    }

    /// The symbol of a text, if it has been interned.
    pub fn get(&self, text: &str) -> Option<Sym> {
        self.strings.get(text).map(Sym)
    }

    /// The text of a symbol.
    pub fn text(&self, sym: Sym) -> &str {
        // Symbols only come from `intern` of the same table: an unknown one has no text to show.
        self.strings.resolve(sym.0).unwrap_or("<unknown symbol>")
    }

    /// The number of symbols: every [`Sym::index`] is below it.
    pub fn len(&self) -> usize {
        self.strings.len()
    }

    /// Whether there are no symbols, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }
}
