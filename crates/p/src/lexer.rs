//! The lexer.
//!
//! All keywords are reserved, as in P itself. A number with a fraction such as `1.5` is three tokens, which the parser
//! combines: in `x.1.5` the same text is two field accesses.

use dally_text::parse::Kind;
use dally_text::source::Span;

macro_rules! keywords {
    ($($name:ident $text:literal,)*) => {
        /// A reserved word.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum K { $($name,)* }

        impl K {
            fn of(word: &str) -> Option<K> {
                Some(match word { $($text => K::$name,)* _ => return None })
            }

            /// The spelling of the keyword.
            pub(crate) fn text(self) -> &'static str {
                match self { $(K::$name => $text,)* }
            }

            /// All keywords.
            pub(crate) const ALL: &'static [K] = &[$(K::$name,)*];
        }
    };
}

keywords! {
    Any "any", Bool "bool", Enum "enum", Event "event", EventSet "eventset", Float "float", Int "int",
    Machine "machine", Interface "interface", Map "map", Set "set", Str "string", Seq "seq", Data "data",
    Announce "announce", As "as", Assert "assert", Break "break", Case "case", Cold "cold",
    Continue "continue", Default "default", Defer "defer", Do "do", Else "else", Entry "entry", Exit "exit",
    Foreach "foreach", Format "format", Fun "fun", Goto "goto", Halt "halt", Hot "hot", If "if",
    Ignore "ignore", In "in", Keys "keys", New "new", Observes "observes", On "on", Print "print",
    Raise "raise", Receive "receive", Return "return", Scenario "scenario", Send "send", Sizeof "sizeof",
    Spec "spec", Start "start", State "state", This "this", Type "type", Values "values", Var "var",
    Param "param", Pairwise "pairwise", Wise "wise", While "while", With "with", Choose "choose",
    Invariant "invariant", Axiom "axiom", Is "is", Inflight "inflight", Targets "targets", Sent "sent",
    Proof "Proof", Prove "prove", Using "using", Lemma "Lemma", Theorem "Theorem", Except "except",
    Requires "requires", Ensures "ensures", Forall "forall", Exists "exists", Init "init-condition",
    Pure "pure", Assume "assume",
    Module "module", Implementation "implementation", Test "test", Paramtest "paramtest", Refines "refines",
    Compose "compose", Union "union", Hidee "hidee", Hidei "hidei", Rename "rename", Safe "safe",
    Main "main", Receives "receives", Sends "sends", Creates "creates", To "to",
    True "true", False "false", Null "null",
}

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum T {
    Eof,
    Ident,
    Int,
    Str,
    Key(K),
    /// Punctuation and operators, by their text.
    Op(&'static str),
    /// Characters that begin no token.
    Bad,
    UnterminatedString,
    UnterminatedComment,
}

impl From<K> for T {
    fn from(key: K) -> T {
        T::Key(key)
    }
}

impl From<&str> for T {
    /// The operator of this text; for other texts one that no token is.
    fn from(op: &str) -> T {
        T::Op(OPERATORS.iter().find(|known| **known == op).copied().unwrap_or(""))
    }
}

impl Kind for T {
    const END: T = T::Eof;
    const OPEN: T = T::Op("{");
    const CLOSE: T = T::Op("}");
    const SEPARATOR: T = T::Op(";");

    fn describe(self) -> String {
        match self {
            T::Eof => "the end of the file".to_owned(),
            T::Ident => "a name".to_owned(),
            T::Int => "a number".to_owned(),
            T::Str => "a string".to_owned(),
            T::Key(key) => format!("`{}`", key.text()),
            T::Op(text) => format!("`{text}`"),
            T::Bad | T::UnterminatedString | T::UnterminatedComment => "an invalid token".to_owned(),
        }
    }
}

pub(crate) type Token = dally_text::parse::Token<T>;

/// Operators; one that is a prefix of another comes after it.
const OPERATORS: &[&str] = &[
    "<==>", "==>", "$$", "&&", "||", "==", "!=", "<=", ">=", "->", "+=", "-=", "$", "!", "<", ">", "=", "+",
    "-", "*", "/", "%", "{", "}", "[", "]", "(", ")", ";", ",", ".", ":",
];

/// The tokens of a file whose text begins at `start` in the space of offsets. The last token is `Eof`.
pub(crate) fn tokens(text: &str, start: u32) -> Vec<Token> {
    let mut lexer = Lexer { text, pos: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } };
    let mut tokens = Vec::new();
    loop {
        let (kind, from) = lexer.next();
        let span = Span::new(start + from as u32, start + lexer.pos as u32);
        tokens.push(Token { kind, span, start: from as u32, end: lexer.pos as u32 });
        if kind == T::Eof {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    pos: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.pos..]
    }

    fn skip_while(&mut self, test: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.pos += rest.find(|c| !test(c)).unwrap_or(rest.len());
    }

    /// The next token and its start.
    fn next(&mut self) -> (T, usize) {
        loop {
            self.skip_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{c}'));
            let start = self.pos;
            if self.rest().starts_with("//") {
                self.skip_while(|c| c != '\n' && c != '\r');
            } else if self.rest().starts_with("/*") {
                match self.rest().find("*/") {
                    // The star of `/*/` does not close the comment.
                    Some(end) if end > 1 => self.pos += end + 2,
                    Some(_) if self.rest()[2..].contains("*/") => {
                        self.pos += self.rest()[2..].find("*/").unwrap_or(0) + 4;
                    }
                    _ => {
                        self.pos = self.text.len();
                        return (T::UnterminatedComment, start);
                    }
                }
            } else {
                return (self.token(), start);
            }
        }
    }

    fn token(&mut self) -> T {
        let Some(first) = self.rest().chars().next() else { return T::Eof };
        let start = self.pos;
        match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                self.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
                if &self.text[start..self.pos] == "init" && self.rest().starts_with("-condition") {
                    self.pos += "-condition".len();
                }
                K::of(&self.text[start..self.pos]).map_or(T::Ident, T::Key)
            }
            '0'..='9' => {
                self.skip_while(|c| c.is_ascii_digit());
                T::Int
            }
            '"' => self.string(),
            _ => match OPERATORS.iter().find(|op| self.rest().starts_with(**op)) {
                Some(op) => {
                    self.pos += op.len();
                    T::Op(op)
                }
                None => {
                    self.skip_while(|c| !c.is_ascii() || c.is_ascii_control());
                    self.pos = self.pos.max(start + first.len_utf8());
                    T::Bad
                }
            },
        }
    }

    /// A string literal; it may span several lines.
    fn string(&mut self) -> T {
        self.pos += 1;
        while let Some(found) = self.rest().find(['"', '\\']) {
            self.pos += found;
            let escape = self.rest().starts_with('\\');
            self.pos += 1;
            if !escape {
                return T::Str;
            }
            self.pos += self.rest().chars().next().map_or(0, char::len_utf8);
        }
        self.pos = self.text.len();
        T::UnterminatedString
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<T> {
        let mut kinds: Vec<T> = tokens(text, 1).into_iter().map(|t| t.kind).collect();
        kinds.pop();
        kinds
    }

    #[test]
    fn names_numbers_and_operators() {
        assert_eq!(kinds("machine m1 12"), [T::Key(K::Machine), T::Ident, T::Int]);
        assert_eq!(kinds("<==> ==> == ="), ["<==>", "==>", "==", "="].map(T::Op));
        assert_eq!(kinds("$$ $ x.1"), [T::Op("$$"), T::Op("$"), T::Ident, T::Op("."), T::Int]);
        assert_eq!(kinds("init-condition init - condition").len(), 4);
    }

    #[test]
    fn comments_and_strings() {
        assert_eq!(kinds("a /* b */ c // d"), [T::Ident, T::Ident]);
        assert_eq!(kinds("/*/ a */ b"), [T::Ident]);
        assert_eq!(kinds("/**/ b /*"), [T::Ident, T::UnterminatedComment]);
        assert_eq!(kinds(r#" "a\"b" x "#), [T::Str, T::Ident]);
        assert_eq!(kinds("\"a\\"), [T::UnterminatedString]);
    }

    #[test]
    fn junk_is_one_token() {
        assert_eq!(kinds("é\u{1}é x"), [T::Bad, T::Ident]);
    }
}
