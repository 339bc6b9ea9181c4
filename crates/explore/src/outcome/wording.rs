//! The words of outcomes: the same for every command, in text and in JSON.

use std::fmt;

use super::{Bug, Exit, Limit, Verdict};

impl<B> Verdict<B> {
    /// The word that stands for the verdict in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Proved | Self::ProvedWithin(_) => "proved",
            Self::NoBug => "no-bug",
            Self::Bug(_) => "bug",
            Self::Inconclusive(_) => "inconclusive",
            Self::Unsupported(_) => "unsupported",
        }
    }

    /// The words that a sentence with the verdict begins with.
    pub fn headline(&self) -> &'static str {
        match self {
            Self::NoBug => "no bug found",
            other => other.word(),
        }
    }
}

impl Exit {
    /// The word that stands in JSON for a run without a verdict.
    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "no-bug",
            Self::Bug => "bug",
            Self::Error => "error",
            Self::Inconclusive => "unsupported",
        }
    }
}

impl fmt::Display for Verdict<Bug> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headline = self.headline();
        match self {
            Self::Proved | Self::NoBug => f.write_str(headline),
            Self::ProvedWithin(bound) => write!(f, "{headline} within {bound}"),
            Self::Bug(bug) => write!(f, "{headline}: {}", bug.failure),
            Self::Inconclusive(limit) => write!(f, "{headline}: {limit}"),
            Self::Unsupported(construct) => write!(f, "{headline}: {construct}"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "the time is up",
            Self::Memory => "the memory is used up",
            Self::States => "there are too many states",
            Self::Schedules => "the limit on schedules is reached",
            Self::Steps => "some schedules were cut off by the limit on steps",
            Self::Query => "a query took the solver longer than --query-time allows",
            Self::Size => "there is too much to inline",
            Self::Unknown => "the solver does not know",
            Self::Solver => "the solver does not answer",
            Self::Contradiction => "the program contradicts itself",
            Self::Unconfirmed => "the solver has found a failing execution that was not confirmed",
            Self::Conflicts => {
                "no execution fails in which tasks are delayed before conflicting operations only; executions with \
                 other delays were not run"
            }
            Self::Replay => "this schedule does not fail; no other was run",
            Self::Cancelled => "interrupted",
            Self::Unfinished => "the search has not finished",
        })
    }
}

/// A number with its digits in groups of three.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).unwrap_or("")).collect();
    groups.join(",")
}

/// A number of things, with the noun in the singular or plural.
pub fn counted(n: usize, noun: &str) -> String {
    let plural = match noun {
        _ if n == 1 => noun.to_owned(),
        "query" => "queries".to_owned(),
        "branch" => "branches".to_owned(),
        _ => format!("{noun}s"),
    };
    format!("{} {plural}", count(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_has_its_word_headline_and_exit_code() {
        let verdicts: [(Verdict<()>, &str, &str, u8); 6] = [
            (Verdict::Proved, "proved", "proved", 0),
            (Verdict::ProvedWithin(2), "proved", "proved", 0),
            (Verdict::NoBug, "no-bug", "no bug found", 0),
            (Verdict::Bug(Box::new(())), "bug", "bug", 1),
            (Verdict::Inconclusive(Limit::Time), "inconclusive", "inconclusive", 3),
            (Verdict::Unsupported(String::new()), "unsupported", "unsupported", 3),
        ];
        for (verdict, word, headline, code) in verdicts {
            assert_eq!((verdict.word(), verdict.headline(), verdict.exit().code()), (word, headline, code));
        }
        assert_eq!((Exit::Error.word(), Exit::Error.code()), ("error", 2));
    }
}
