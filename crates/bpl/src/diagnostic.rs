//! What is wrong with a program, as data.
//!
//! Every diagnostic has a stable [`Code`]; `docs/diagnostics.md` lists them all. How it looks on a terminal
//! is the business of [`crate::render`].

use crate::source::Span;

/// How grave it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The program is wrong.
    Error,
    /// The program may be right, but we cannot handle it.
    Unsupported,
    /// The program is read in one way, and may be meant in another.
    Warning,
}

impl Severity {
    /// The word shown to people and machines.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Unsupported => "unsupported",
            Severity::Warning => "warning",
        }
    }
}

/// A piece of source text with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The text.
    pub span: Span,
    /// The remark; may be empty.
    pub text: String,
}

/// Something that the user should know about the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of thing it is.
    pub code: Code,
    /// One sentence, without a full stop.
    pub message: String,
    /// Where.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// What to do about it, where that is obvious.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without remarks.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            message: bounded(message.into()),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// Adds a remark at the place itself.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = bounded(text.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn with(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: bounded(text.into()) });
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(bounded(text.into()));
        self
    }

    /// Adds what to do about it, if there is something.
    #[must_use]
    pub fn maybe_help(mut self, text: Option<String>) -> Self {
        self.help = text.map(bounded).or(self.help);
        self
    }

    /// How grave it is.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// The text with long names in backquotes cut: a name may have megabytes.
fn bounded(text: String) -> String {
    // More than any sentence of ours, and than a type that has been cut already.
    const MOST: usize = 300;
    if text.len() <= MOST {
        return text;
    }
    let cut = |part: &str, most: usize| match part.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &part[..end]),
        None => part.to_owned(),
    };
    // A backquote may be part of a name.
    cut(&text.split('`').map(|part| cut(part, MOST)).collect::<Vec<_>>().join("`"), 10 * MOST)
}

/// The diagnostics of a run: all that were found, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No input makes us collect more than this many: nobody reads them, and each needs memory.
    pub const LIMIT: usize = 1000;

    /// Adds one, unless the limit is reached.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < Self::LIMIT {
            self.list.push(diagnostic);
        }
    }

    /// Whether no more will be taken.
    pub fn is_full(&self) -> bool {
        self.list.len() >= Self::LIMIT
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing stands in the way of using the program.
    pub fn are_warnings(&self) -> bool {
        self.list.iter().all(|d| d.severity() == Severity::Warning)
    }

    /// The diagnostics in the order of the text.
    pub fn sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|d| (d.primary.span, d.code.number()));
        self.list
    }

    /// The diagnostics in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal $severity:ident;)*) => {
        /// The stable code of a kind of diagnostic.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The number, as in `E0203`.
            pub fn number(self) -> u16 {
                match self { $(Code::$name => $number,)* }
            }

            /// How grave it is.
            pub fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)* }
            }
        }
    };
}

codes! {
    /// The file is not UTF-8.
    NotUtf8 = 1 Error;
    /// Characters that begin no token, or control characters in a string.
    UnexpectedCharacter = 2 Error;
    /// A string without its closing quote.
    UnterminatedString = 3 Error;
    /// A comment that is never closed.
    UnterminatedComment = 4 Error;
    /// A `#` line that is no pragma, or a conditional without its counterpart.
    BadPragma = 5 Error;
    /// A number that is out of range or malformed.
    BadNumber = 6 Error;
    /// The files are too large, together.
    TooLarge = 7 Error;
    /// The file cannot be read.
    Unreadable = 8 Error;

    /// Something else was expected here.
    UnexpectedToken = 101 Error;
    /// Operators that need parentheses between them.
    AmbiguousOperators = 102 Error;
    /// Nested more deeply than we read.
    TooDeep = 103 Error;
    /// A trigger, where clause or the like in a place that has none.
    MisplacedClause = 104 Error;
    /// Bounds of a bitvector extraction where there is none.
    BadExtract = 105 Error;
    /// An attribute whose arguments are not what it takes.
    BadAttribute = 106 Error;
    /// A malformed parameter list of a function.
    BadParameter = 107 Error;

    /// A name that is not declared.
    UnknownName = 201 Error;
    /// A type that is not declared.
    UnknownType = 202 Error;
    /// A function that is not declared.
    UnknownFunction = 203 Error;
    /// A procedure that is not declared.
    UnknownProcedure = 204 Error;
    /// A label that is not there.
    UnknownLabel = 205 Error;
    /// A field or constructor that the datatype does not have.
    UnknownField = 206 Error;
    /// A name declared twice.
    Duplicate = 207 Error;
    /// A `break` outside of what it could leave.
    MisplacedBreak = 208 Error;
    /// A type synonym that stands for itself.
    CyclicSynonym = 209 Error;
    /// A type variable that nothing determines.
    UnusedTypeVariable = 210 Error;
    /// A global variable where there is no state.
    GlobalInStatelessContext = 211 Error;
    /// `old` where there are not two states.
    MisplacedOld = 212 Error;
    /// A pattern that cannot be a trigger.
    BadTrigger = 213 Error;
    /// A datatype without a finite value.
    NotWellFounded = 214 Error;
    /// A statement that may not stand here.
    MisplacedStatement = 215 Error;

    /// Types that do not fit.
    TypeMismatch = 301 Error;
    /// The wrong number of arguments, results or type arguments.
    WrongCount = 302 Error;
    /// An operation on a value of a type that does not have it.
    NotApplicable = 303 Error;
    /// A condition that is not `bool`.
    NotBool = 304 Error;
    /// An implementation that does not fit its procedure.
    SignatureMismatch = 305 Error;
    /// `/` of integers read as `div`.
    OldDivision = 306 Warning;

    /// An assignment to something that cannot change.
    Immutable = 401 Error;
    /// An assignment to a global that is not in the `modifies` clause.
    NotInModifies = 402 Error;
    /// A variable assigned twice by one statement.
    AssignedTwice = 403 Error;
    /// A pure procedure that is not.
    Impure = 404 Error;
    /// A misused assumption variable.
    BadAssumptionVariable = 405 Error;

    /// Asynchrony put together wrongly.
    BadAsync = 501 Error;

    /// There is no procedure to start in.
    NoEntry = 502 Error;

    /// P: an event that is not declared.
    UnknownEvent = 601 Error;
    /// P: a machine or interface that is not declared.
    UnknownMachine = 602 Error;
    /// P: a state that the machine does not have.
    UnknownState = 603 Error;
    /// P: states without a beginning, or with two answers to one event.
    BadState = 604 Error;
    /// P: a function that cannot be a handler.
    BadHandler = 605 Error;
    /// P: something that a monitor cannot do.
    MonitorOperation = 606 Error;
    /// P: an event raised, or a state left, where that is not possible.
    StateChange = 607 Error;
    /// P: a way through a function that returns nothing.
    NoReturn = 608 Error;
    /// P: a format string whose braces are not in order.
    BadFormat = 609 Error;
    /// P: modules that do not fit together.
    BadModule = 610 Error;
    /// P: a test that cannot be run as it is declared.
    BadTest = 611 Error;
    /// P: a project file that cannot be used.
    BadProject = 612 Error;
    /// P: a specification that no test asserts.
    NotAsserted = 613 Warning;

    /// A construct of Civl.
    Civl = 901 Unsupported;
    /// An explicit search cannot evaluate this.
    NotExplicit = 902 Unsupported;
    /// A sequentialisation cannot translate this.
    NotSequential = 903 Unsupported;
    /// The verifier cannot handle this.
    NotVerified = 907 Unsupported;
    /// P: something that only the verifier knows.
    PVerifier = 904 Unsupported;
    /// P: a function whose body is in another language.
    Foreign = 905 Unsupported;
    /// P: a test of refinement.
    Refinement = 906 Unsupported;
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "E{:04}", self.number())
    }
}

/// "did you mean", if one of the candidates is close to what was written.
pub fn did_you_mean<'a>(written: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    // Nobody misspells a name of 100 letters by chance, and comparing costs the product of the lengths.
    if written.len() > 100 {
        return None;
    }
    // Any two names of one or two letters are close.
    let allowed = (written.chars().count() / 3).min(4);
    candidates
        .filter(|c| c.len().abs_diff(written.len()) <= allowed && *c != written)
        .map(|c| (strsim::osa_distance(written, c), c))
        .filter(|(d, _)| *d <= allowed)
        .min()
        .map(|(_, c)| format!("did you mean `{c}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let mut numbers: Vec<_> = Code::ALL.iter().map(|c| c.number()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), Code::ALL.len());
    }

    #[test]
    fn close_names_are_suggested() {
        assert_eq!(
            did_you_mean("blance", ["total", "balance"].into_iter()),
            Some("did you mean `balance`?".into())
        );
        assert_eq!(did_you_mean("x", ["total"].into_iter()), None);
    }
}
