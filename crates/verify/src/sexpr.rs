//! Lists in parentheses, as solvers write their answers.

use crate::solver::SolverError;

/// A word, or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sexpr {
    Word(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// Reads one; what follows it must be blank. No recursion: an answer may nest as deep as it likes.
    pub(crate) fn parse(text: &str) -> Result<Sexpr, SolverError> {
        let garbage =
            || SolverError::Broken(format!("the solver answers what makes no sense: {}", shown(text)));
        let mut open: Vec<Vec<Sexpr>> = Vec::new();
        let mut done: Option<Sexpr> = None;
        for token in tokens(text) {
            if done.is_some() {
                return Err(garbage());
            }
            let item = match token {
                "(" => {
                    open.push(Vec::new());
                    continue;
                }
                ")" => Sexpr::List(open.pop().ok_or_else(garbage)?),
                word => Sexpr::Word(word.to_owned()),
            };
            match open.last_mut() {
                Some(list) => list.push(item),
                None => done = Some(item),
            }
        }
        done.filter(|_| open.is_empty()).ok_or_else(garbage)
    }

    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Sexpr::Word(word) => Some(word),
            Sexpr::List(_) => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::List(list) => Some(list),
            Sexpr::Word(_) => None,
        }
    }

    /// The parts of a list whose first word is this one.
    pub(crate) fn headed(&self, head: &str) -> Option<&[Sexpr]> {
        match self.list()? {
            [first, rest @ ..] if first.word() == Some(head) => Some(rest),
            _ => None,
        }
    }
}

impl Drop for Sexpr {
    /// Deep lists are taken apart one by one.
    fn drop(&mut self) {
        let mut todo = match self {
            Sexpr::List(list) => std::mem::take(list),
            Sexpr::Word(_) => return,
        };
        while let Some(mut item) = todo.pop() {
            if let Sexpr::List(list) = &mut item {
                todo.append(list);
            }
        }
    }
}

/// The beginning of a text, for messages.
pub(crate) fn shown(text: &str) -> String {
    let start: String = text.trim().chars().take(200).collect();
    format!("`{}`", start.replace('`', "'"))
}

/// Parentheses, words, strings and quoted names.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        while rest.starts_with(';') {
            rest = rest.split_once('\n').map_or("", |(_, after)| after).trim_start();
        }
        let end = match rest.chars().next()? {
            '(' | ')' => 1,
            quote @ ('"' | '|') => rest[1..].find(quote).map_or(rest.len(), |i| i + 2),
            _ => rest.find(|c: char| c.is_whitespace() || "()\"|;".contains(c)).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let list = Sexpr::parse("((x 1) (y (- 2)) (z |a b|))").unwrap();
        assert_eq!(list.list().unwrap().len(), 3);
        assert_eq!(list.list().unwrap()[1].headed("y").unwrap()[0].headed("-").unwrap()[0].word(), Some("2"));
        for wrong in ["", "(", ")", "(a))", "a b"] {
            assert!(Sexpr::parse(wrong).is_err(), "{wrong}");
        }
        let deep = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert!(Sexpr::parse(&deep).is_ok());
    }
}
