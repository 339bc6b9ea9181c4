//! The lexer.
//!
//! The lexer is a cursor over the text. It never fails: malformed text becomes a [`T::Bad`] token, which the parser
//! reports when it skips it.
//!
//! Conditional compilation works as in Boogie (`#if NAME`, `#elsif`, `#else`, `#endif`): the only defined name is
//! `FILE_n` in the n-th file of a program, counted from 0. `#line` pragmas are ignored, since spans refer to the
//! file that was read.

mod directives;
mod token;

pub(crate) use token::KEYWORDS;
pub use token::{Bad, T, Token};

/// One open `#if`.
#[derive(Clone, Copy, Debug)]
struct Conditional {
    start: usize,
    seen_else: bool,
    /// True until a branch has been included.
    open: bool,
}

/// A cursor over a text.
#[derive(Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    /// The index of the file in the program.
    file: usize,
    pos: usize,
    conditionals: Vec<Conditional>,
}

const IDENT_START: u8 = 1;
const DIGIT: u8 = 2;
const SPACE: u8 = 4;

const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 256 {
        let c = b as u8;
        table[b] = match c {
            b'a'..=b'z' | b'A'..=b'Z' => IDENT_START,
            b'\'' | b'~' | b'#' | b'$' | b'^' | b'_' | b'.' | b'?' | b'`' => IDENT_START,
            b'0'..=b'9' => DIGIT,
            b' ' | b'\t' | b'\r' | b'\n' => SPACE,
            _ => 0,
        };
        b += 1;
    }
    table
};

fn class(b: u8) -> u8 {
    CLASS[b as usize]
}

/// Control characters. No string may contain one, so that printed programs cannot send commands to a terminal.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control() && c != '\t'
}

/// The bytes that can continue a name.
fn is_ident_byte(b: u8) -> bool {
    class(b) & (IDENT_START | DIGIT) != 0
}

impl<'a> Lexer<'a> {
    /// A cursor at the beginning of the text of the `file`-th file of a program.
    pub fn new(text: &'a str, file: usize) -> Self {
        let pos = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, file, pos, conditionals: Vec::new() }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn at(&self, pos: usize) -> u8 {
        // NUL stands for the end of the text. A NUL in the text is a bad token, so nothing depends on the difference.
        self.bytes().get(pos).copied().unwrap_or(0)
    }

    fn skip_while(&self, mut pos: usize, test: impl Fn(u8) -> bool) -> usize {
        while pos < self.bytes().len() && test(self.bytes()[pos]) {
            pos += 1;
        }
        pos
    }

    fn digits(&self, pos: usize) -> usize {
        self.skip_while(pos, |b| b.is_ascii_digit())
    }

    /// The next token.
    pub fn next_token(&mut self) -> Token {
        loop {
            let start = self.skip_while(self.pos, |b| class(b) & SPACE != 0);
            self.pos = start;
            if start >= self.bytes().len() {
                return self.end_of_file(start);
            }
            let b = self.bytes()[start];
            let kind = match b {
                b'#' if self.is_directive(start) => match self.directive(start) {
                    Some(bad) => T::Bad(bad),
                    None => continue,
                },
                _ if class(b) & IDENT_START != 0 => self.word(start),
                b'0'..=b'9' => self.number(start),
                b'/' if self.at(start + 1) == b'/' => {
                    self.pos = self.line_end(start);
                    continue;
                }
                b'/' if self.at(start + 1) == b'*' => match self.block_comment(start) {
                    true => continue,
                    false => T::Bad(Bad::UnterminatedComment),
                },
                b'"' => self.string(start),
                b'\\' if class(self.at(start + 1)) & IDENT_START != 0 => {
                    self.word(start + 1);
                    T::Ident
                }
                b'-' if self.at(start + 1) == b'0' && self.hex_float(start + 1).is_some() => {
                    self.number(start + 1)
                }
                _ => self.operator(start),
            };
            return Token { kind, start, end: self.pos };
        }
    }

    fn end_of_file(&mut self, end: usize) -> Token {
        match self.conditionals.pop() {
            Some(open) => {
                self.conditionals.clear();
                Token { kind: T::Bad(Bad::Conditional), start: open.start, end: open.start + 3 }
            }
            None => Token { kind: T::Eof, start: end, end },
        }
    }

    fn line_end(&self, pos: usize) -> usize {
        memchr::memchr(b'\n', &self.bytes()[pos..]).map_or(self.bytes().len(), |i| pos + i)
    }

    fn word(&mut self, start: usize) -> T {
        self.pos = self.skip_while(start, is_ident_byte);
        T::Ident
    }

    /// Skips the comment that begins at `start`; comments nest. Returns false if it is not closed.
    fn block_comment(&mut self, start: usize) -> bool {
        let mut depth = 1;
        let mut pos = start + 2;
        while let Some(i) = memchr::memchr2(b'/', b'*', &self.bytes()[pos..]) {
            pos += i;
            match (self.at(pos), self.at(pos + 1)) {
                (b'/', b'*') => (depth, pos) = (depth + 1, pos + 2),
                (b'*', b'/') => (depth, pos) = (depth - 1, pos + 2),
                _ => pos += 1,
            }
            if depth == 0 {
                self.pos = pos;
                return true;
            }
        }
        self.pos = self.bytes().len();
        false
    }

    /// A string literal. A quote after a backslash does not end it.
    ///
    /// Deviation from Boogie, where such a quote ends the string if the line has no other one: here the extent of a
    /// string does not depend on the text after it.
    fn string(&mut self, start: usize) -> T {
        let mut pos = start + 1;
        while let Some(i) = memchr::memchr3(b'"', b'\\', b'\n', &self.bytes()[pos..]) {
            pos += i;
            match self.at(pos) {
                b'"' => {
                    self.pos = pos + 1;
                    let bad = self.text[start..pos].chars().any(is_control);
                    return if bad { T::Bad(Bad::ControlCharacter) } else { T::Str };
                }
                b'\\' => pos += if self.at(pos + 1) == b'"' { 2 } else { 1 },
                _ => break,
            }
        }
        self.pos = self.line_end(start);
        T::Bad(Bad::UnterminatedString)
    }

    fn number(&mut self, start: usize) -> T {
        if let Some(end) = self.hex_float(start).or_else(|| self.special_float(start)) {
            self.pos = end;
            return T::Float;
        }
        let end = self.digits(start);
        self.pos = end;
        let digit_at = |pos: usize| self.at(pos).is_ascii_digit();
        if self.at(end) == b'b' && self.at(end + 1) == b'v' && digit_at(end + 2) {
            self.pos = self.digits(end + 2);
            return T::BvLit;
        }
        let fraction = if self.at(end) == b'.' && digit_at(end + 1) { self.digits(end + 1) } else { end };
        let exponent = self.exponent(fraction);
        self.pos = exponent.unwrap_or(fraction);
        if self.pos == end { T::Int } else { T::Real }
    }

    /// The end of `e[-]digits` at `pos`, if the text matches.
    fn exponent(&self, pos: usize) -> Option<usize> {
        if self.at(pos) != b'e' {
            return None;
        }
        let digits = if self.at(pos + 1) == b'-' { pos + 2 } else { pos + 1 };
        self.at(digits).is_ascii_digit().then(|| self.digits(digits))
    }

    /// The end of `0xH.HeDfDeD` at `pos`, if the text matches.
    fn hex_float(&self, pos: usize) -> Option<usize> {
        let hex = |pos: usize| {
            let end = self.skip_while(pos, |b| b.is_ascii_hexdigit());
            (end > pos).then_some(end)
        };
        if self.at(pos) != b'0' || self.at(pos + 1) != b'x' {
            return None;
        }
        let whole = hex(pos + 2)?;
        if self.at(whole) != b'.' {
            return None;
        }
        // `e` is a hexadecimal digit too: the exponent begins at the last `e` before the `f` of the format.
        let fraction = hex(whole + 1)?;
        (whole + 2..=fraction).rev().find_map(|e| self.float_format(self.exponent(e)?))
    }

    /// The end of `0NaNDeD`, `0nanDeD`, `0+ooDeD` or `0-ooDeD` at `pos`, if the text matches.
    fn special_float(&self, pos: usize) -> Option<usize> {
        let rest = &self.bytes()[pos..];
        let special = [b"0NaN", b"0nan", b"0+oo", b"0-oo"].iter().any(|s| rest.starts_with(*s));
        if !special || !self.at(pos + 4).is_ascii_digit() {
            return None;
        }
        self.exponent(self.digits(pos + 4))
    }

    /// The end of the format `fDeD` at `pos`, if the text matches.
    fn float_format(&self, pos: usize) -> Option<usize> {
        if self.at(pos) != b'f' || !self.at(pos + 1).is_ascii_digit() {
            return None;
        }
        self.exponent(self.digits(pos + 1))
    }

    fn operator(&mut self, start: usize) -> T {
        let rest = &self.text[start..];
        if let Some((kind, length)) = ascii_operator(rest.as_bytes()).or_else(|| unicode_operator(rest)) {
            self.pos = start + length;
            return kind;
        }
        let begins_token = |(i, c): &(usize, char)| {
            let ascii =
                |b: u8| class(b) != 0 || b == b'"' || ascii_operator(&rest.as_bytes()[*i..]).is_some();
            u8::try_from(*c).is_ok_and(ascii) || unicode_operator(&rest[*i..]).is_some()
        };
        let end = rest.char_indices().skip(1).find(begins_token).map_or(rest.len(), |(i, _)| i);
        self.pos = start + end;
        T::Bad(Bad::Characters)
    }
}

/// The longest operator or punctuation that the text begins with, and its length.
fn ascii_operator(rest: &[u8]) -> Option<(T, usize)> {
    Some(match rest {
        [b'(', ..] => (T::LParen, 1),
        [b')', ..] => (T::RParen, 1),
        [b';', ..] => (T::Semi, 1),
        [b',', ..] => (T::Comma, 1),
        [b':', b'=', ..] => (T::Assign, 2),
        [b':', b':', ..] => (T::ColonColon, 2),
        [b':', ..] => (T::Colon, 1),
        [b'[', ..] => (T::LBracket, 1),
        [b']', ..] => (T::RBracket, 1),
        [b'{', ..] => (T::LBrace, 1),
        [b'}', b'|', ..] => (T::RCode, 2),
        [b'}', ..] => (T::RBrace, 1),
        [b'=', b'=', b'>', ..] => (T::Implies, 3),
        [b'=', b'=', ..] => (T::Eq, 2),
        [b'=', ..] => (T::Equals, 1),
        [b'+', b'+', ..] => (T::PlusPlus, 2),
        [b'+', ..] => (T::Plus, 1),
        [b'-', b'>', ..] => (T::Arrow, 2),
        [b'-', ..] => (T::Minus, 1),
        [b'&', b'&', ..] => (T::And, 2),
        [b'|', b'|', ..] => (T::Or, 2),
        [b'|', b'{', ..] => (T::LCode, 2),
        [b'|', ..] => (T::Bar, 1),
        [b'<', b'=', b'=', b'>', ..] => (T::Iff, 4),
        [b'<', b'=', b'=', ..] => (T::Explies, 3),
        [b'<', b'=', ..] => (T::Le, 2),
        [b'<', ..] => (T::Lt, 1),
        [b'>', b'=', ..] => (T::Ge, 2),
        [b'>', ..] => (T::Gt, 1),
        [b'!', b'=', ..] => (T::Neq, 2),
        [b'!', ..] => (T::Not, 1),
        [b'*', b'*', ..] => (T::StarStar, 2),
        [b'*', ..] => (T::Star, 1),
        [b'/', ..] => (T::Slash, 1),
        _ => return None,
    })
}

fn unicode_operator(rest: &str) -> Option<(T, usize)> {
    let first = rest.chars().next()?;
    let kind = match first {
        '\u{21d4}' => T::Iff,
        '\u{21d2}' => T::Implies,
        '\u{21d0}' => T::Explies,
        '\u{2227}' => T::And,
        '\u{2228}' => T::Or,
        '\u{2260}' => T::Neq,
        '\u{2264}' => T::Le,
        '\u{2265}' => T::Ge,
        '\u{00ac}' => T::Not,
        '\u{2200}' => T::Forall,
        '\u{2203}' => T::Exists,
        '\u{03bb}' => T::Lambda,
        '\u{2022}' => T::ColonColon,
        _ => return None,
    };
    Some((kind, first.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<T> {
        let mut lexer = Lexer::new(text, 0);
        std::iter::from_fn(|| Some(lexer.next_token().kind).filter(|k| *k != T::Eof)).collect()
    }

    #[test]
    fn longest_operator_wins() {
        assert_eq!(kinds("<==> ==> <== <= <"), [T::Iff, T::Implies, T::Explies, T::Le, T::Lt]);
        assert_eq!(kinds("\u{2200}\u{2022}\u{ac}"), [T::Forall, T::ColonColon, T::Not]);
    }

    #[test]
    fn numbers() {
        assert_eq!(kinds("12 12bv8 1.5 1e3 1.5e-3"), [T::Int, T::BvLit, T::Real, T::Real, T::Real]);
        assert_eq!(kinds("0x1.8e2f24e8 -0x1.0e-2f24e8 0NaN24e8 0+oo53e11"), [T::Float; 4]);
        assert_eq!(kinds("12e"), [T::Int, T::Ident]);
        assert_eq!(kinds("1-0"), [T::Int, T::Minus, T::Int]);
    }

    #[test]
    fn names_and_strings() {
        assert_eq!(kinds(r#"$x#'.^?~` \old "a\"b""#), [T::Ident, T::Ident, T::Str]);
        assert_eq!(kinds("\"abc\nx"), [T::Bad(Bad::UnterminatedString), T::Ident]);
    }

    #[test]
    fn comments_nest() {
        assert_eq!(kinds("a /* /* */ b */ c // d"), [T::Ident, T::Ident]);
        assert_eq!(kinds("a /* /* */"), [T::Ident, T::Bad(Bad::UnterminatedComment)]);
    }

    #[test]
    fn conditional_lines() {
        assert_eq!(kinds("#if A\nx x x\n#elsif !B\n1\n#else\n\"\"\n#endif\n;"), [T::Int, T::Semi]);
        assert_eq!(kinds("  #if !A\nx\n#else\n1\n#endif"), [T::Ident]);
        assert_eq!(kinds("#if A\n#if B\n1\n#endif\n1\n#else\nx\n#endif"), [T::Ident]);
        assert_eq!(kinds("#if FILE_0\nx\n#elsif !FILE_1\n1\n#endif"), [T::Ident]);
        assert_eq!(kinds("#if A\n"), [T::Bad(Bad::Conditional)]);
        assert_eq!(kinds("#endif"), [T::Bad(Bad::Conditional)]);
        assert_eq!(kinds("#line 12 foo\nx\n#nonsense is\nx"), [T::Ident, T::Bad(Bad::Pragma), T::Ident]);
    }

    #[test]
    fn junk_is_one_token() {
        assert_eq!(kinds("\0\u{1}é@ x"), [T::Bad(Bad::Characters), T::Ident]);
    }
}
