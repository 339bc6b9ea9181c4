//! Tokens and keywords.

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "a token is its spelling, and `T::describe` gives it")]
pub enum T {
    Eof,
    Bad(Bad),
    Ident,
    Int,
    BvLit,
    Real,
    Float,
    Str,
    // Punctuation.
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    LCode,
    RCode,
    Semi,
    Comma,
    Colon,
    ColonColon,
    Assign,
    Arrow,
    Equals,
    Bar,
    // Operators.
    Iff,
    Implies,
    Explies,
    And,
    Or,
    Eq,
    Neq,
    Lt,
    Gt,
    Le,
    Ge,
    PlusPlus,
    Plus,
    Minus,
    Star,
    StarStar,
    Slash,
    Not,
    // Keywords.
    Var,
    Const,
    Function,
    Axiom,
    Type,
    Datatype,
    Procedure,
    Implementation,
    Returns,
    Requires,
    Ensures,
    Modifies,
    Free,
    Unique,
    Where,
    Invariant,
    If,
    Else,
    Then,
    While,
    Break,
    Goto,
    Return,
    Assert,
    Assume,
    Havoc,
    Call,
    BoolType,
    IntType,
    RealType,
    True,
    False,
    Old,
    Forall,
    Exists,
    Lambda,
    Div,
    Mod,
    Is,
    Rne,
    Rna,
    Rtp,
    Rtn,
    Rtz,
    // Soft keywords: see `is_soft`.
    Async,
    Yield,
    Zield,
    Uses,
    Hideable,
    Revealed,
    Measure,
    Pure,
    Action,
    Preserves,
    Refines,
    Asserts,
    Atomic,
    Both,
    Left,
    Right,
    Reveal,
    Hide,
    Push,
    Pop,
}

/// The kinds of malformed tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bad {
    /// Characters that begin no token.
    Characters,
    /// A string without its closing quote on the same line.
    UnterminatedString,
    /// A string that contains a control character.
    ControlCharacter,
    /// A comment that is never closed.
    UnterminatedComment,
    /// A line that begins with `#` and is not a known pragma.
    Pragma,
    /// An `#if` without `#endif`, or an `#endif`, `#else` or `#elsif` without `#if`.
    Conditional,
}

/// The keywords. The index of a keyword is that of its symbol in every [`Ast`](crate::ast::Ast).
pub(crate) const KEYWORDS: &[(&str, T)] = &[
    ("var", T::Var),
    ("const", T::Const),
    ("function", T::Function),
    ("axiom", T::Axiom),
    ("type", T::Type),
    ("datatype", T::Datatype),
    ("procedure", T::Procedure),
    ("implementation", T::Implementation),
    ("returns", T::Returns),
    ("requires", T::Requires),
    ("ensures", T::Ensures),
    ("modifies", T::Modifies),
    ("free", T::Free),
    ("unique", T::Unique),
    ("where", T::Where),
    ("invariant", T::Invariant),
    ("if", T::If),
    ("else", T::Else),
    ("then", T::Then),
    ("while", T::While),
    ("break", T::Break),
    ("goto", T::Goto),
    ("return", T::Return),
    ("assert", T::Assert),
    ("assume", T::Assume),
    ("havoc", T::Havoc),
    ("call", T::Call),
    ("bool", T::BoolType),
    ("int", T::IntType),
    ("real", T::RealType),
    ("true", T::True),
    ("false", T::False),
    ("old", T::Old),
    ("forall", T::Forall),
    ("exists", T::Exists),
    ("lambda", T::Lambda),
    ("div", T::Div),
    ("mod", T::Mod),
    ("is", T::Is),
    ("RNE", T::Rne),
    ("RNA", T::Rna),
    ("RTP", T::Rtp),
    ("RTN", T::Rtn),
    ("RTZ", T::Rtz),
    ("roundNearestTiesToEven", T::Rne),
    ("roundNearestTiesToAway", T::Rna),
    ("roundTowardPositive", T::Rtp),
    ("roundTowardNegative", T::Rtn),
    ("roundTowardZero", T::Rtz),
    ("async", T::Async),
    ("yield", T::Yield),
    ("zield", T::Zield),
    ("uses", T::Uses),
    ("hideable", T::Hideable),
    ("revealed", T::Revealed),
    ("measure", T::Measure),
    ("pure", T::Pure),
    ("action", T::Action),
    ("preserves", T::Preserves),
    ("refines", T::Refines),
    ("asserts", T::Asserts),
    ("atomic", T::Atomic),
    ("both", T::Both),
    ("left", T::Left),
    ("right", T::Right),
    ("reveal", T::Reveal),
    ("hide", T::Hide),
    ("push", T::Push),
    ("pop", T::Pop),
];

impl T {
    /// The keyword with this symbol index, if any.
    pub(crate) fn keyword(index: usize) -> Option<T> {
        KEYWORDS.get(index).map(|k| k.1)
    }

    /// Returns true if the keyword is soft: a name wherever it cannot be a keyword.
    ///
    /// Deviation from Boogie, which reserves some of these words: older programs use them as names.
    pub(crate) fn is_soft(self) -> bool {
        use T::*;
        matches!(
            self,
            Async
                | Yield
                | Zield
                | Hideable
                | Revealed
                | Measure
                | Pure
                | Action
                | Preserves
                | Refines
                | Asserts
        ) || self.is_name_in_boogie()
    }

    /// Returns true if Boogie itself accepts the keyword as a name.
    pub(crate) fn is_name_in_boogie(self) -> bool {
        use T::*;
        matches!(self, Zield | Atomic | Both | Left | Right | Reveal | Hide | Push | Pop)
    }

    /// The description of the token in messages.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            T::Eof => "the end of the file",
            T::Bad(_) => "an invalid character",
            T::Ident => "a name",
            T::Int => "a number",
            T::BvLit => "a bitvector literal",
            T::Real | T::Float => "a real literal",
            T::Str => "a string",
            other => other.spelling().unwrap_or("a token"),
        }
    }

    fn spelling(self) -> Option<&'static str> {
        const PUNCTUATION: &[(T, &str)] = &[
            (T::LParen, "`(`"),
            (T::RParen, "`)`"),
            (T::LBracket, "`[`"),
            (T::RBracket, "`]`"),
            (T::LBrace, "`{`"),
            (T::RBrace, "`}`"),
            (T::LCode, "`|{`"),
            (T::RCode, "`}|`"),
            (T::Semi, "`;`"),
            (T::Comma, "`,`"),
            (T::Colon, "`:`"),
            (T::ColonColon, "`::`"),
            (T::Assign, "`:=`"),
            (T::Arrow, "`->`"),
            (T::Equals, "`=`"),
            (T::Gt, "`>`"),
            (T::Call, "`call`"),
            (T::Then, "`then`"),
            (T::Else, "`else`"),
            (T::Procedure, "`procedure`"),
            (T::Axiom, "`axiom`"),
            (T::Function, "`function`"),
            (T::Invariant, "`invariant`"),
        ];
        PUNCTUATION.iter().find(|(t, _)| *t == self).map(|(_, s)| *s)
    }
}

/// A token: its kind and its byte range in the text.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The kind.
    pub kind: T,
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}
