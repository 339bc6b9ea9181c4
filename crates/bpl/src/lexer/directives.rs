//! Lines that begin with `#`: pragmas and conditional compilation.

use super::{Bad, Conditional, Lexer, SPACE, class};

impl Lexer<'_> {
    /// Returns true if the `#` at `pos` begins a pragma or a conditional rather than a name.
    pub(super) fn is_directive(&self, pos: usize) -> bool {
        let before = &self.bytes()[..pos];
        let blank = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
        let at_line_start = before.len() == blank || before[before.len() - blank - 1] == b'\n';
        at_line_start && (blank == 0 || self.conditional_word(pos).is_some())
    }

    fn conditional_word(&self, pos: usize) -> Option<&'static str> {
        let line = self.text[pos..self.line_end(pos)].trim_end();
        ["#if", "#elsif"]
            .into_iter()
            .find(|w| line.starts_with(w))
            .or_else(|| ["#else", "#endif"].into_iter().find(|w| line == *w))
    }

    /// Processes the directive at `pos`: it is skipped like white space, or becomes a bad token.
    pub(super) fn directive(&mut self, pos: usize) -> Option<Bad> {
        let end = self.line_end(pos);
        let line = self.text[pos..end].trim_end();
        self.pos = end;
        let Some(word) = self.conditional_word(pos) else {
            return (!is_line_pragma(line)).then(|| {
                self.pos = pos + line.len();
                Bad::Pragma
            });
        };
        match (word, self.conditionals.last_mut()) {
            ("#if", _) => {
                let include = condition_holds(&line[3..], self.file);
                self.conditionals.push(Conditional { start: pos, seen_else: false, open: !include });
                (!include).then(|| self.skip_branch()).flatten()
            }
            ("#endif", Some(_)) => {
                self.conditionals.pop();
                None
            }
            // The previous branch was included: skip all others.
            (_, Some(top)) if !top.seen_else => {
                top.seen_else = word == "#else";
                self.skip_branch()
            }
            _ => {
                self.pos = pos + line.len();
                Some(Bad::Conditional)
            }
        }
    }

    /// Skips lines up to the included branch of the innermost `#if`, or past its `#endif`.
    fn skip_branch(&mut self) -> Option<Bad> {
        let mut depth = 0;
        while self.pos < self.bytes().len() {
            let start = self.skip_while(self.pos, |b| class(b) & SPACE != 0);
            let end = self.line_end(start);
            let line = self.text[start..end].trim_end();
            let word = if self.at(start) == b'#' { self.conditional_word(start) } else { None };
            self.pos = end;
            let file = self.file;
            let top = self.conditionals.last_mut()?;
            match word {
                Some("#if") => depth += 1,
                Some("#endif") if depth > 0 => depth -= 1,
                Some("#endif") => {
                    self.conditionals.pop();
                    return None;
                }
                Some(w) if depth == 0 => {
                    if top.seen_else {
                        return Some(Bad::Conditional);
                    }
                    top.seen_else = w == "#else";
                    if top.open && (w == "#else" || condition_holds(&line[w.len()..], file)) {
                        top.open = false;
                        return None;
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// `NAME`, with any number of `!` before it.
fn condition_holds(condition: &str, file: usize) -> bool {
    let mut name = condition.trim();
    let mut holds = true;
    while let Some(rest) = name.strip_prefix('!') {
        (name, holds) = (rest.trim_start(), !holds);
    }
    (name.strip_prefix("FILE_").and_then(|n| n.parse().ok()) == Some(file)) == holds
}

fn is_line_pragma(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("#line") && words.next().is_some_and(|n| n.parse::<i32>().is_ok())
}
