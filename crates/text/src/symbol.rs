//! Interned names.

use rustc_hash::FxBuildHasher;
use string_interner::{StringInterner, Symbol, backend::StringBackend, symbol::SymbolU32};

/// An interned string. Two symbols of the same [`Symbols`] are equal exactly if their texts are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Sym(SymbolU32);

impl Sym {
    /// The index of the symbol, for tables by symbol.
    pub fn index(self) -> usize {
        self.0.to_usize()
    }
}

/// The table of interned strings of a program.
#[derive(Clone, Debug)]
pub struct Symbols {
    strings: StringInterner<StringBackend<SymbolU32>, FxBuildHasher>,
}

impl Default for Symbols {
    fn default() -> Self {
        Symbols { strings: StringInterner::new() }
    }
}

impl Symbols {
    /// A table in which the i-th keyword has the index i, so that a lexer tells keywords from names by index.
    ///
    /// The keywords must be distinct.
    pub fn with_keywords<'a>(keywords: impl IntoIterator<Item = &'a str>) -> Self {
        let mut symbols = Symbols::default();
        for (index, keyword) in keywords.into_iter().enumerate() {
            let sym = symbols.intern(keyword);
            debug_assert_eq!(sym.index(), index, "the keyword `{keyword}` occurs twice");
        }
        symbols
    }

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
        // Only a symbol of another table can be unknown.
        self.strings.resolve(sym.0).unwrap_or("<unknown symbol>")
    }

    /// The number of symbols: every [`Sym::index`] is below it.
    pub fn len(&self) -> usize {
        self.strings.len()
    }

    /// Returns true if there are no symbols.
    pub fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }
}
