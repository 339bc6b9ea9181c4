//! S-expressions, as solvers write their answers.

use dally_text::stack::grow;

use crate::solver::SolverError;

/// A word, or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sexpr {
    Word(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// Reads one expression; only blanks may follow. It does not recurse: an answer may be nested to any depth.
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

/// The largest size of an answer after `let` is expanded.
const MOST: usize = 1 << 20;

impl Sexpr {
    /// Expands `let`, as in `(let ((a 1)) (+ a a))`; none if the result is too large.
    pub(crate) fn expanded(&self) -> Option<Sexpr> {
        self.expand(&mut Vec::new(), &mut 0)
    }

    fn expand<'a>(&'a self, known: &mut Vec<(&'a str, Sexpr)>, size: &mut usize) -> Option<Sexpr> {
        *size += 1;
        if *size > MOST {
            return None;
        }
        grow(|| match self {
            Sexpr::Word(word) => match known.iter().rev().find(|(name, _)| name == word) {
                Some((_, meaning)) => {
                    *size += meaning.size();
                    Some(meaning.clone())
                }
                None => Some(Sexpr::Word(word.clone())),
            },
            Sexpr::List(parts) => match self.headed("let") {
                Some([Sexpr::List(bindings), body]) => {
                    let before = known.len();
                    let mut new = Vec::new();
                    for binding in bindings {
                        let [Sexpr::Word(name), meaning] = binding.list()? else { return None };
                        new.push((name.as_str(), meaning.expand(known, size)?));
                    }
                    known.extend(new);
                    let body = body.expand(known, size);
                    known.truncate(before);
                    body
                }
                _ => Some(Sexpr::List(
                    parts.iter().map(|part| part.expand(known, size)).collect::<Option<_>>()?,
                )),
            },
        })
    }

    /// The number of words and lists.
    fn size(&self) -> usize {
        let (mut size, mut todo) = (0, vec![self]);
        while let Some(item) = todo.pop() {
            size += 1;
            todo.extend(item.list().into_iter().flatten());
        }
        size
    }
}

impl Drop for Sexpr {
    /// Deep lists are dropped without recursion.
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
        let short = Sexpr::parse("(let ((a 1) (b 2)) (let ((a (+ a b))) (f a b)))").unwrap();
        assert_eq!(short.expanded().unwrap(), Sexpr::parse("(f (+ 1 2) 2)").unwrap());
        let doubled = "(let ((a (a a))) ".repeat(60) + "a" + &")".repeat(60);
        assert!(Sexpr::parse(&doubled).unwrap().expanded().is_none());
        let deep = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert!(Sexpr::parse(&deep).is_ok());
    }
}
