//! The core of a recursive-descent parser over a list of tokens.
//!
//! A language describes its tokens by [`Kind`], and its parser implements [`Parse`], whose methods look
//! ahead, consume tokens, report at most one error per token, bound the nesting, and recover.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::Span;

/// The limit on nesting.
const DEEPEST: usize = 1000;

/// The error of a parsing function that has already reported a diagnostic.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

/// The result of a parsing function.
pub type Parsed<A> = Result<A, Reported>;

/// A kind of token.
pub trait Kind: Copy + PartialEq {
    /// The end of the file: the last token, and the only one of its kind.
    const END: Self;
    /// The token that opens a block.
    const OPEN: Self;
    /// The token that closes a block.
    const CLOSE: Self;
    /// The token that ends a statement or declaration.
    const SEPARATOR: Self;

    /// The description of the token in messages.
    fn describe(self) -> String;
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<K> {
    /// The kind.
    pub kind: K,
    /// The span in the user's file.
    pub span: Span,
    /// The offset of the first byte in the text that is parsed, which may be that of a preprocessed file.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

/// A malformed token.
#[derive(Clone, Copy, Debug)]
pub enum Malformed {
    /// Characters that begin no token.
    Characters,
    /// A string without closing quote.
    String,
    /// A comment that is not closed.
    Comment,
}

impl Malformed {
    /// The error about the token.
    pub fn diagnostic(self, span: Span) -> Diagnostic {
        match self {
            Malformed::Characters => Diagnostic::new(Code::UNEXPECTED_CHARACTER, span, "invalid characters"),
            Malformed::String => {
                Diagnostic::new(Code::UNTERMINATED_STRING, span, "this string has no closing quote")
            }
            Malformed::Comment => {
                Diagnostic::new(Code::UNTERMINATED_COMMENT, span, "this comment is not closed")
            }
        }
    }
}

/// A position in a list of tokens, and the errors so far.
#[derive(Debug)]
pub struct Cursor<'a, K> {
    text: &'a str,
    /// The tokens; the last one is of the kind [`Kind::END`].
    pub tokens: &'a [Token<K>],
    /// The index of the current token.
    pub at: usize,
    depth: usize,
    /// The token of the last error: at most one error is reported per token.
    last_error: Option<usize>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a, K: Kind> Cursor<'a, K> {
    /// The beginning of a text.
    pub fn new(text: &'a str, tokens: &'a [Token<K>], diagnostics: &'a mut Diagnostics) -> Self {
        Cursor { text, tokens, at: 0, depth: 0, last_error: None, diagnostics }
    }

    /// The current token.
    pub fn token(&self) -> Token<K> {
        self.tokens[self.at]
    }

    /// The token before the current one; the current one at the beginning.
    pub fn last(&self) -> Token<K> {
        self.tokens[self.at.saturating_sub(1)]
    }

    /// The text of a token.
    pub fn text(&self, token: Token<K>) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Returns true if no more errors are recorded.
    pub fn is_full(&self) -> bool {
        self.diagnostics.is_full()
    }

    /// Notes an error at the current token; returns true if it is the first one there.
    pub fn note_error(&mut self) -> bool {
        self.last_error.replace(self.at) != Some(self.at)
    }
}

/// A parser of a text that lives for `'a`.
pub trait Parse<'a>: Sized {
    /// The kinds of tokens.
    type Kind: Kind + 'a;

    /// The error about the current token where something else is expected.
    fn explain(&self, expected: &str) -> Diagnostic;

    /// The position in the text.
    fn cursor(&self) -> &Cursor<'a, Self::Kind>;

    /// The position, to be changed.
    fn cursor_mut(&mut self) -> &mut Cursor<'a, Self::Kind>;

    /// The span from the beginning of one token to the end of another.
    fn join(start: Span, last: Span) -> Span {
        if last.end >= start.start { start.to(last) } else { start }
    }

    // Lookahead.

    /// The kind of the current token.
    fn peek(&self) -> Self::Kind {
        self.cursor().token().kind
    }

    /// The kind of the token this many after the current one.
    fn peek_at(&self, ahead: usize) -> Self::Kind {
        let cursor = self.cursor();
        cursor.tokens.get(cursor.at + ahead).map_or(Kind::END, |t| t.kind)
    }

    /// The span of the current token.
    fn span(&self) -> Span {
        self.cursor().token().span
    }

    /// The span from `start` to the end of the last token.
    fn since(&self, start: Span) -> Span {
        match self.cursor().at {
            0 => start,
            _ => Self::join(start, self.cursor().last().span),
        }
    }

    /// Returns true if the current token is of this kind.
    fn is(&self, kind: impl Into<Self::Kind>) -> bool {
        self.peek() == kind.into()
    }

    // Consuming tokens.

    /// Consumes the current token, unless it is the end.
    fn bump(&mut self) -> Token<Self::Kind> {
        let cursor = self.cursor_mut();
        let token = cursor.token();
        if token.kind != Kind::END {
            cursor.at += 1;
        }
        token
    }

    /// Consumes the current token if it is of this kind.
    fn eat(&mut self, kind: impl Into<Self::Kind>) -> bool {
        let found = self.is(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Consumes a token of this kind, or reports that it is missing.
    fn expect(&mut self, kind: impl Into<Self::Kind>) -> Parsed<Span> {
        let kind = kind.into();
        if self.peek() == kind { Ok(self.bump().span) } else { Err(self.unexpected(&kind.describe())) }
    }

    // Errors.

    /// Records an error.
    fn report(&mut self, diagnostic: Diagnostic) {
        self.cursor_mut().diagnostics.push(diagnostic);
    }

    /// Reports that something else is expected here, unless this token already has an error.
    fn unexpected(&mut self, expected: &str) -> Reported {
        if self.cursor_mut().note_error() {
            let diagnostic = self.explain(expected);
            self.report(diagnostic);
        }
        Reported
    }

    /// Runs `f` one nesting level deeper; reports nesting beyond the limit.
    fn deeper<A>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<A>) -> Parsed<A> {
        if self.cursor().depth >= DEEPEST {
            return Err(self.too_deep());
        }
        self.cursor_mut().depth += 1;
        let result = crate::stack::grow(|| f(self));
        self.cursor_mut().depth -= 1;
        result
    }

    /// Reports nesting beyond the limit. The rest of the text is skipped, since it would be misread.
    fn too_deep(&mut self) -> Reported {
        let span = self.span();
        if self.cursor_mut().note_error() {
            self.report(Diagnostic::new(Code::TOO_DEEP, span, "nesting exceeds the limit"));
        }
        let cursor = self.cursor_mut();
        cursor.at = cursor.tokens.len() - 1;
        cursor.last_error = Some(cursor.at);
        Reported
    }

    /// Error recovery: skips past the next separator, or to the closing brace of the current block, or to a later token
    /// of one of the kinds `starts`; braces inside are skipped as a whole.
    fn recover(&mut self, starts: &[Self::Kind]) {
        let mut open = 0_usize;
        // The token of the error may itself be one of `starts`.
        let first = self.cursor().at;
        loop {
            let kind = self.peek();
            if kind == Kind::END || (open == 0 && kind == Kind::CLOSE) {
                return;
            }
            if open == 0 && self.cursor().at > first && starts.contains(&kind) {
                return;
            }
            self.bump();
            if kind == Kind::OPEN {
                open += 1;
            } else if kind == Kind::CLOSE {
                open -= 1;
            }
            if open == 0 && (kind == Kind::CLOSE || kind == Kind::SEPARATOR) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens of one character each.
    impl Kind for char {
        const END: char = '\0';
        const OPEN: char = '{';
        const CLOSE: char = '}';
        const SEPARATOR: char = ';';

        fn describe(self) -> String {
            format!("`{self}`")
        }
    }

    struct Parser<'a>(Cursor<'a, char>);

    impl<'a> Parse<'a> for Parser<'a> {
        type Kind = char;

        fn explain(&self, expected: &str) -> Diagnostic {
            Diagnostic::new(Code::UNEXPECTED_TOKEN, self.span(), format!("expected {expected}"))
        }

        fn cursor(&self) -> &Cursor<'a, char> {
            &self.0
        }

        fn cursor_mut(&mut self) -> &mut Cursor<'a, char> {
            &mut self.0
        }
    }

    impl Parser<'_> {
        /// Nested parentheses.
        fn nested(&mut self) -> Parsed<()> {
            if self.eat('(') {
                self.deeper(Self::nested)?;
                self.expect(')')?;
            }
            Ok(())
        }
    }

    fn on<A>(text: &str, f: impl FnOnce(&mut Parser<'_>) -> A) -> A {
        let token = |(kind, at): (char, u32)| {
            let span = Span::new(at + 1, at + 2);
            Token { kind, span, start: at, end: at + 1 }
        };
        let tokens: Vec<_> = text.chars().chain(['\0']).zip(0..).map(token).collect();
        let mut diagnostics = Diagnostics::default();
        f(&mut Parser(Cursor::new(text, &tokens, &mut diagnostics)))
    }

    /// The token at which parsing continues after an error in the first one.
    fn recovered(text: &str, starts: &[char]) -> char {
        on(text, |parser| {
            parser.recover(starts);
            parser.peek()
        })
    }

    #[test]
    fn recovery_skips_statements_and_blocks() {
        assert_eq!(recovered("a b ; c", &[]), ' ');
        assert_eq!(recovered("a;b", &[]), 'b');
        assert_eq!(recovered("a}b", &[]), '}');
        assert_eq!(recovered("a{b;c{d}}e", &[]), 'e');
        assert_eq!(recovered("ab", &[]), '\0');
        assert_eq!(recovered("a{b", &[]), '\0');
        // Not at the token of the error, and not inside of braces.
        assert_eq!(recovered("va{v}vb", &['v']), 'v');
        assert_eq!(recovered("xa{vw}", &['v', 'w']), '\0');
        assert_eq!(recovered("xavb", &['v']), 'v');
    }

    #[test]
    fn a_token_has_one_error() {
        on("ab", |parser| {
            parser.unexpected("`x`");
            parser.unexpected("`y`");
            assert_eq!(parser.0.diagnostics.len(), 1);
            parser.bump();
            assert!(parser.expect('c').is_err());
            assert_eq!(parser.0.diagnostics.len(), 2);
        });
    }

    #[test]
    fn nesting_is_bounded() {
        let text = |depth: usize| "(".repeat(depth) + &")".repeat(depth);
        on(&text(DEEPEST), |parser| {
            assert!(parser.nested().is_ok());
            assert!(parser.is('\0') && parser.0.diagnostics.is_empty());
        });
        on(&text(DEEPEST + 1), |parser| {
            assert!(parser.nested().is_err());
            // The rest is skipped, and has no errors.
            parser.unexpected("`x`");
            assert!(parser.is('\0'));
            assert_eq!(parser.0.diagnostics.len(), 1);
        });
    }

    #[test]
    fn spans_reach_to_the_last_token() {
        on("abc", |parser| {
            let start = parser.span();
            assert_eq!(parser.since(start), start);
            parser.bump();
            parser.bump();
            assert_eq!(parser.since(start), Span::new(1, 3));
            assert_eq!((parser.peek(), parser.peek_at(1), parser.peek_at(9)), ('c', '\0', '\0'));
        });
    }
}
