//! The tokens of C.

use dally_text::parse::Kind;
use dally_text::symbol::{Sym, Symbols};

/// A token of a preprocessed unit.
pub(crate) type Token = dally_text::parse::Token<T>;

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum T {
    Ident(Sym),
    Key(K),
    Op(Op),
    Number,
    Char,
    Str,
    Bad,
    UnterminatedString,
    UnterminatedComment,
    Directive,
    Eof,
}

macro_rules! operators {
    ($($name:ident $text:literal),* $(,)?) => {
        /// Operators and punctuation.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Op { $($name),* }

        impl Op {
            /// All of them; an operator precedes its prefixes.
            pub(crate) const ALL: &'static [Op] = &[$(Op::$name),*];

            pub(crate) fn text(self) -> &'static str {
                match self { $(Op::$name => $text),* }
            }
        }
    };
}

operators! {
    Ellipsis "...", ShlAssign "<<=", ShrAssign ">>=",
    Arrow "->", Increment "++", Decrement "--", Shl "<<", Shr ">>", Le "<=", Ge ">=", EqEq "==", Ne "!=",
    AndAnd "&&", OrOr "||", MulAssign "*=", DivAssign "/=", RemAssign "%=", AddAssign "+=", SubAssign "-=",
    AndAssign "&=", XorAssign "^=", OrAssign "|=",
    LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}", Dot ".", Amp "&", Star "*",
    Plus "+", Minus "-", Tilde "~", Bang "!", Slash "/", Percent "%", Lt "<", Gt ">", Caret "^", Pipe "|",
    Question "?", Colon ":", Semi ";", Assign "=", Comma ",",
}

macro_rules! keywords {
    ($($name:ident $($text:literal)+),* $(,)?) => {
        /// Keywords; several spellings can mean the same.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum K { $($name),* }

        impl K {
            const SPELLINGS: &'static [(&'static str, K)] = &[$($(($text, K::$name)),+),*];

            /// The first spelling.
            pub(crate) fn text(self) -> &'static str {
                match self { $(K::$name => [$($text),+][0]),* }
            }
        }
    };
}

keywords! {
    Auto "auto", Break "break", Case "case", Char "char", Const "const" "__const" "__const__",
    Continue "continue", Default "default", Do "do", Double "double", Else "else", Enum "enum",
    Extern "extern", Float "float", For "for", Goto "goto", If "if", Inline "inline" "__inline" "__inline__",
    Int "int", Long "long", Register "register", Restrict "restrict" "__restrict" "__restrict__",
    Return "return", Short "short", Signed "signed" "__signed" "__signed__", Sizeof "sizeof",
    Static "static", Struct "struct", Switch "switch", Typedef "typedef", Union "union",
    Unsigned "unsigned", Void "void", Volatile "volatile" "__volatile" "__volatile__", While "while",
    Alignas "_Alignas", Alignof "_Alignof" "__alignof__" "__alignof", Atomic "_Atomic", Bool "_Bool" "__CPROVER_bool",
    Complex "_Complex" "__complex__" "__complex", Generic "_Generic", Noreturn "_Noreturn",
    StaticAssert "_Static_assert", ThreadLocal "_Thread_local" "__thread" "__CPROVER_thread_local",
    Asm "asm" "__asm__" "__asm", Attribute "__attribute__" "__attribute", Extension "__extension__",
    Typeof "typeof" "__typeof__" "__typeof", AutoType "__auto_type", Label "__label__",
    Int128 "__int128" "__int128_t" "__uint128_t", Float128 "__float128" "_Float128",
    Float32 "_Float32", Float64 "_Float64" "_Float32x", Float64x "_Float64x",
    VaList "__builtin_va_list", VaArg "__builtin_va_arg", Offsetof "__builtin_offsetof",
    TypesCompatible "__builtin_types_compatible_p", Nondet "__dally_nondet",
    Func "__func__" "__FUNCTION__" "__PRETTY_FUNCTION__", Real "__real__" "__real", Imag "__imag__" "__imag",
}

impl K {
    /// A table of symbols in which the keywords come first.
    pub(crate) fn symbols() -> Symbols {
        Symbols::with_keywords(K::SPELLINGS.iter().map(|(text, _)| *text))
    }

    /// The keyword that a symbol of such a table is.
    pub(crate) fn of(sym: Sym) -> Option<K> {
        K::SPELLINGS.get(sym.index()).map(|(_, key)| *key)
    }
}

impl From<K> for T {
    fn from(key: K) -> T {
        T::Key(key)
    }
}

impl From<Op> for T {
    fn from(op: Op) -> T {
        T::Op(op)
    }
}

impl Kind for T {
    const END: T = T::Eof;
    const OPEN: T = T::Op(Op::LBrace);
    const CLOSE: T = T::Op(Op::RBrace);
    const SEPARATOR: T = T::Op(Op::Semi);

    fn describe(self) -> String {
        match self {
            T::Ident(_) => "a name".to_owned(),
            T::Key(key) => format!("`{}`", key.text()),
            T::Op(op) => format!("`{}`", op.text()),
            T::Number => "a number".to_owned(),
            T::Char => "a character".to_owned(),
            T::Str | T::UnterminatedString => "a string".to_owned(),
            T::Bad => "invalid characters".to_owned(),
            T::UnterminatedComment => "a comment".to_owned(),
            T::Directive => "a preprocessing directive".to_owned(),
            T::Eof => "the end of the file".to_owned(),
        }
    }
}
