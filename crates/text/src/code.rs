//! The codes of diagnostics.
//!
//! A code is a stable number with a severity, a title and advice. The codes that any language may use are
//! constants of [`Code`]; each language has a table of its own, made with [`codes!`](crate::codes), in a range of
//! numbers that no other table uses. `docs/diagnostics.md` lists them all.

use std::ops::RangeInclusive;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The program is wrong.
    Error,
    /// The program may be right, but dally cannot handle it.
    Unsupported,
    /// The program can be used, but may not mean what its author intended.
    Warning,
}

impl Severity {
    /// The word shown in text and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Unsupported => "unsupported",
            Severity::Warning => "warning",
        }
    }
}

/// The stable code of a kind of diagnostic; shown as `E0203`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Code(&'static Description);

/// The properties of a code.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Description {
    /// The number, unique in the workspace.
    pub number: u16,
    /// The severity of all diagnostics with this code.
    pub severity: Severity,
    /// The problem, as a noun phrase.
    pub title: &'static str,
    /// How to correct it.
    pub advice: &'static str,
}

impl Code {
    /// A code. Use [`codes!`](crate::codes), which also puts it into a table.
    pub const fn new(description: &'static Description) -> Code {
        Code(description)
    }

    /// The number, as in `E0203`.
    pub fn number(self) -> u16 {
        self.0.number
    }

    /// The severity of all diagnostics with this code.
    pub fn severity(self) -> Severity {
        self.0.severity
    }

    /// The problem, as a noun phrase.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// How to correct it.
    pub fn advice(self) -> &'static str {
        self.0.advice
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "E{:04}", self.number())
    }
}

/// The codes of one language.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The language.
    pub owner: &'static str,
    /// The numbers that the table may use. Ranges of different tables are disjoint.
    pub ranges: &'static [RangeInclusive<u16>],
    /// The codes, in ascending order.
    pub codes: &'static [Code],
}

impl Table {
    /// Checks that the codes ascend and lie in the ranges of this table, and that no range overlaps one of `others`.
    pub fn validate(&self, others: &[Table]) -> Result<(), String> {
        if let Some(pair) = self.codes.windows(2).find(|pair| pair[0].number() >= pair[1].number()) {
            return Err(format!("{}: {} is not below {}", self.owner, pair[0], pair[1]));
        }
        let outside = |code: &&Code| !self.ranges.iter().any(|range| range.contains(&code.number()));
        if let Some(code) = self.codes.iter().find(outside) {
            return Err(format!("{}: {code} is outside of its ranges", self.owner));
        }
        for other in others {
            for (a, b) in self.ranges.iter().flat_map(|a| other.ranges.iter().map(move |b| (a, b))) {
                if a.start() <= b.end() && b.start() <= a.end() {
                    return Err(format!("{} {a:?} overlaps {} {b:?}", self.owner, other.owner));
                }
            }
        }
        Ok(())
    }
}

/// Defines a constant for each code, and a [`Table`](crate::code::Table) of them.
///
/// ```
/// dally_text::codes! {
///     TABLE "Example" [900..=900];
///     UNKNOWN_THING = 900 Error "A thing that is not declared" => "declare the thing";
/// }
/// assert_eq!(UNKNOWN_THING.to_string(), "E0900");
/// ```
#[macro_export]
macro_rules! codes {
    ($table:ident $owner:literal [$($range:expr),* $(,)?];
     $($name:ident = $number:literal $severity:ident $title:literal => $advice:literal;)*) => {
        $(
            #[doc = concat!($title, ".")]
            pub const $name: $crate::code::Code = $crate::codes!(@ $number $severity $title $advice);
        )*

        #[doc = concat!("The codes of ", $owner, ".")]
        pub const $table: $crate::code::Table = $crate::code::Table {
            owner: $owner,
            ranges: &[$($range),*],
            codes: &[$($crate::codes!(@ $number $severity $title $advice)),*],
        };
    };
    (@ $number:literal $severity:ident $title:literal $advice:literal) => {
        $crate::code::Code::new(&$crate::code::Description {
            number: $number,
            severity: $crate::code::Severity::$severity,
            title: $title,
            advice: $advice,
        })
    };
}

/// The codes that more than one language uses.
impl Code {
    codes! {
        COMMON "all languages" [
            1..=4, 6..=99, 100..=101, 103..=103, 108..=199, 200..=203, 206..=209, 215..=299, 300..=304,
            307..=399, 400..=401, 406..=499,
        ];
        NOT_UTF8 = 1 Error "A file that is not UTF-8"
            => "convert the file to UTF-8";
        UNEXPECTED_CHARACTER = 2 Error "Characters that begin no token, or control characters in a string"
            => "remove the characters";
        UNTERMINATED_STRING = 3 Error "A string without its closing quote"
            => "close the string on the line on which it begins; `\\\"` does not close it";
        UNTERMINATED_COMMENT = 4 Error "A comment that is never closed"
            => "close the comment; comments nest";
        BAD_NUMBER = 6 Error "A number that is out of range or malformed"
            => "floating-point literals must be exact; widths are bounded";
        TOO_LARGE = 7 Error "Files that are too large in total"
            => "split the program";
        UNREADABLE = 8 Error "A file that cannot be read"
            => "the message quotes the operating system";
        BAD_RULE = 9 Error "A rule for the scheduler that cannot be used"
            => "the message says what was expected; `docs/schedulers.md` has the syntax";

        UNEXPECTED_TOKEN = 101 Error "An unexpected token"
            => "the message says what was expected";
        TOO_DEEP = 103 Error "Nesting beyond the limit"
            => "name parts of the expression with functions or variables";

        UNKNOWN_NAME = 201 Error "An undeclared name"
            => "declare the variable, or correct the name";
        UNKNOWN_TYPE = 202 Error "An undeclared type"
            => "declare the type, or correct the name";
        UNKNOWN_FUNCTION = 203 Error "An undeclared function"
            => "declare the function, or correct the name";
        UNKNOWN_FIELD = 206 Error "An undeclared field or constructor"
            => "correct the name of the field or constructor";
        DUPLICATE = 207 Error "A name declared twice"
            => "rename one of them";
        MISPLACED_BREAK = 208 Error "A `break` outside of a loop"
            => "`break` leaves a loop; `break L` leaves the `while` or `if` labelled `L`";
        CYCLIC_SYNONYM = 209 Error "A cyclic type synonym"
            => "break the cycle";
        MISPLACED_STATEMENT = 215 Error "A statement that is not allowed here"
            => "the message says where it is allowed";

        TYPE_MISMATCH = 301 Error "Mismatched types"
            => "the message gives both types";
        WRONG_COUNT = 302 Error "The wrong number of arguments, results or type arguments"
            => "the message gives both numbers";
        NOT_APPLICABLE = 303 Error "An operation that the type does not support"
            => "the message gives the types";
        NOT_BOOL = 304 Error "A condition that is not `bool`"
            => "conditions are of type `bool`";

        IMMUTABLE = 401 Error "An assignment to a constant, parameter or other immutable name"
            => "copy the parameter into a local variable";
        NEVER_REACHED = 406 Warning "An assertion that no explored execution reaches, so that the verdict says nothing about it"
            => "find out why: an assumption, a condition or a bound may exclude it";
        DISCARDS_ALL = 407 Warning "An assumption that discards every explored execution that reaches it, so that the verdict says nothing about what follows"
            => "correct the assumption";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: Table =
        Table { owner: "a", ranges: &[1..=8], codes: &[Code::NOT_UTF8, Code::UNEXPECTED_CHARACTER] };
    const TWICE: Table = Table { codes: &[Code::NOT_UTF8, Code::NOT_UTF8], ..VALID };
    const OUTSIDE: Table = Table { ranges: &[2..=8], ..VALID };
    const OVERLAPPING: Table = Table { owner: "b", ranges: &[500..=599, 8..=9], codes: &[] };

    #[test]
    fn the_common_table_is_valid() {
        assert_eq!(Code::COMMON.validate(&[]), Ok(()));
    }

    #[test]
    fn invalid_tables_are_recognised() {
        assert_eq!(VALID.validate(&[]), Ok(()));
        assert_eq!(TWICE.validate(&[]), Err("a: E0001 is not below E0001".to_owned()));
        assert_eq!(OUTSIDE.validate(&[]), Err("a: E0001 is outside of its ranges".to_owned()));
        assert_eq!(VALID.validate(&[OVERLAPPING]), Err("a 1..=8 overlaps b 8..=9".to_owned()));
    }
}
