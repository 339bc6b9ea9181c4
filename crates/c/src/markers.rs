//! Line markers, and the spans of tokens in the files that the user wrote.
//!
//! A preprocessed unit says which line of which file a line of it comes from: `# 12 "queue.c"`. The column is
//! found by comparing the tokens of the two lines. Where they differ, a macro was expanded, up to the tokens that both lines
//! have after its use: tokens that also occur in the use get the span of their occurrence, and the others get the span of the use.

use std::sync::Arc;

use dally_text::diagnostic::{Diagnostic, Diagnostics};
use dally_text::source::{SourceMap, Span};
use dally_text::symbol::Symbols;
use rustc_hash::FxHashMap;

use crate::Unit;
use crate::codes;
use crate::lexer::{self, Raw};
use crate::pragma::Packs;
use crate::token::{T, Token};

/// The most lines over which the use of a macro is followed.
const LONGEST_USE: usize = 64;

/// The most tokens that are compared to find the expansions of the macros of a line.
const MOST_WORK: usize = 1 << 16;

/// The files that markers name, by name: their index in the source map.
pub(crate) type Files = FxHashMap<String, usize>;

/// State that the tokens of all units share.
pub(crate) struct Reader<'a> {
    pub(crate) sources: &'a mut SourceMap,
    pub(crate) read: &'a mut dyn FnMut(&str) -> Option<String>,
    pub(crate) files: Files,
    pub(crate) symbols: Symbols,
    pub(crate) diagnostics: Diagnostics,
}

impl Reader<'_> {
    /// The tokens of a unit, of which the last one is the end of the text, and its pragmas.
    pub(crate) fn tokens(&mut self, unit: &Unit) -> (Vec<Token>, Packs) {
        let text: Arc<str> = unit.text.as_str().into();
        let mut lines = Lines {
            reader: self,
            unit_name: &unit.name,
            text: Arc::clone(&text),
            unit_start: None,
            place: None,
            tokens: Vec::with_capacity(text.len() / 4),
            run: 0,
            is_joined: false,
            written: Vec::new(),
            packs: Packs::default(),
        };
        lines.unit();
        (lines.tokens, lines.packs)
    }
}

/// The place that the current line of the unit comes from.
#[derive(Clone, Copy)]
struct SourceLine {
    file: usize,
    line: usize,
}

/// A token of an original line: its range in the file.
#[derive(Clone, Copy)]
struct Written {
    kind: Raw,
    start: usize,
    end: usize,
}

struct Lines<'r, 'a> {
    reader: &'r mut Reader<'a>,
    unit_name: &'r str,
    text: Arc<str>,
    /// The start of the unit in the source map, once its own text is needed.
    unit_start: Option<u32>,
    /// None: the unit itself is the source.
    place: Option<SourceLine>,
    tokens: Vec<Token>,
    /// The first token of the current line.
    run: usize,
    /// True after a part of a line that goes on behind the next marker.
    is_joined: bool,
    written: Vec<Written>,
    packs: Packs,
}

impl Lines<'_, '_> {
    fn unit(&mut self) {
        let text = Arc::clone(&self.text);
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut line_start = true;
        while at < bytes.len() {
            let (raw, end) = lexer::scan(bytes, at);
            match raw {
                Raw::Newline => {
                    self.end_line(1, end);
                    line_start = true;
                }
                Raw::Space => {
                    let breaks = bytes[at..end].iter().filter(|b| **b == b'\n').count();
                    if breaks > 0 {
                        self.end_line(breaks, end);
                    }
                }
                Raw::Hash if line_start => {
                    let stop = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
                    self.directive(at, stop);
                    at = stop;
                    continue;
                }
                _ => {
                    line_start = false;
                    if let Some(kind) = lexer::kind(raw, &text[at..end], &mut self.reader.symbols) {
                        self.tokens.push(Token { kind, span: Span::NONE, start: at as u32, end: end as u32 });
                    }
                }
            }
            at = end;
        }
        self.end_line(0, bytes.len());
        let span = match self.tokens.last() {
            Some(last) => Span::new(last.span.end, last.span.end),
            None => self.in_unit(bytes.len() as u32, bytes.len() as u32),
        };
        let end = bytes.len() as u32;
        self.tokens.push(Token { kind: T::Eof, span, start: end, end });
    }

    /// A directive: a line marker, or one without meaning here. It extends to the line break at `stop`, which is
    /// read next.
    fn directive(&mut self, at: usize, stop: usize) {
        let text = Arc::clone(&self.text);
        let line = text[at + 1..stop].trim();
        let number = line.strip_prefix("line").unwrap_or(line).trim_start();
        let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let line = number[..digits].parse::<usize>().unwrap_or(1);
            self.marker(line, number[digits..].trim(), Span::new(at as u32, stop as u32));
            return;
        }
        let word = line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        if word == "pragma" {
            self.pragma(&line["pragma".len()..], Span::new(at as u32, stop as u32));
        }
        if !matches!(word, "" | "pragma" | "ident" | "warning") {
            let token = Token { kind: T::Directive, span: Span::NONE, start: at as u32, end: stop as u32 };
            self.tokens.push(token);
        }
    }

    fn pragma(&mut self, text: &str, range: Span) {
        let (code, message) = if text.split_whitespace().next() == Some("omp") {
            let message =
                "dally does not know OpenMP: this pragma is ignored, and the statement is sequential";
            (codes::PARALLEL_PRAGMA, message)
        } else if self.packs.pragma(text, range.start).is_none() {
            (codes::MALFORMED_PACK, "this `#pragma pack` is malformed, and is ignored")
        } else {
            return;
        };
        let span = self.in_unit(range.start, range.end);
        self.reader.diagnostics.push(Diagnostic::new(code, span, message));
    }

    fn marker(&mut self, line: usize, rest: &str, range: Span) {
        // The line break after the marker counts as a line.
        let line = line.saturating_sub(1);
        let Some(name) = quoted_name(rest) else {
            if let Some(place) = &mut self.place {
                place.line = line;
            }
            return;
        };
        // Names such as `<built-in>` are no files.
        if name.starts_with('<') && name.ends_with('>') {
            self.place = None;
            return;
        }
        let file = match self.reader.files.get(&name) {
            Some(file) => Some(*file),
            None => self.open(&name, range),
        };
        self.place = file.map(|file| SourceLine { file, line });
    }

    fn open(&mut self, name: &str, range: Span) -> Option<usize> {
        let added = match (self.reader.read)(name) {
            Some(text) => self.reader.sources.add(name, text).ok(),
            None => {
                let span = self.in_unit(range.start, range.end);
                self.reader.diagnostics.push(Diagnostic::new(
                    codes::FOREIGN_FILE,
                    span,
                    format!("this line marker names a file outside of the program's folders: `{name}`"),
                ));
                // Reported once: the text of the unit stands in for it.
                return None;
            }
        };
        if let Some(file) = added {
            self.reader.files.insert(name.to_owned(), file);
        }
        added
    }

    /// The span of a range of the unit's own text.
    fn in_unit(&mut self, start: u32, end: u32) -> Span {
        let base = match self.unit_start {
            Some(base) => base,
            None => {
                let sources = &mut *self.reader.sources;
                let added = sources.add(self.unit_name, Arc::clone(&self.text));
                let base = added.map_or(0, |index| sources.files()[index].start);
                self.unit_start = Some(base);
                base
            }
        };
        if base == 0 { Span::NONE } else { Span::new(base + start, base + end) }
    }

    /// Gives the tokens of the line their spans, and goes on to a later line, which begins at `next`.
    ///
    /// A line that uses macros of system headers is cut into parts, with markers of the same line between them.
    fn end_line(&mut self, breaks: usize, next: usize) {
        let is_empty = self.run == self.tokens.len();
        if !is_empty && !self.is_joined && self.place.is_some_and(|place| self.goes_on(place, next)) {
            self.is_joined = true;
            return;
        }
        if !std::mem::take(&mut self.is_joined) && !is_empty {
            if !self.place.is_some_and(|place| self.align(place)) {
                for i in self.run..self.tokens.len() {
                    let span = self.in_unit(self.tokens[i].start, self.tokens[i].end);
                    self.tokens[i].span = span;
                }
            }
            self.run = self.tokens.len();
        }
        if let Some(place) = &mut self.place {
            place.line += breaks;
        }
    }

    /// Returns true if a marker of the same line follows.
    fn goes_on(&self, place: SourceLine, next: usize) -> bool {
        let line = self.text[next..].lines().next().unwrap_or("");
        let Some(marker) = line.strip_prefix("# ") else { return false };
        let Some((number, rest)) = marker.split_once(' ') else { return false };
        let file = quoted_name(rest).and_then(|name| self.reader.files.get(&name).copied());
        number.parse() == Ok(place.line) && file == Some(place.file)
    }

    /// Finds the tokens of the line in the original; false if there is no such line.
    fn align(&mut self, place: SourceLine) -> bool {
        let file = &self.reader.sources.files()[place.file];
        let (original, base) = (Arc::clone(&file.text), file.start);
        let Some(range) = file.line_range(place.line) else { return false };
        let tokens = &mut self.tokens[self.run..];
        let (first, last) = (tokens[0].start as usize, tokens[tokens.len() - 1].end as usize);
        let line = &original[range.clone()];
        // Most lines are copied as they are.
        if let Some(found) = same_text(line, &self.text[first..last]) {
            let shift = base as usize + range.start + found;
            for token in tokens {
                let start = shift + (token.start as usize - first);
                token.span = Span::new(start as u32, (shift + token.end as usize - first) as u32);
            }
            return true;
        }
        let open = balance(tokens);
        write_down(&mut self.written, file, place.line, open);
        if self.written.is_empty() {
            return false;
        }
        Alignment { text: &self.text, original: &original, base, written: &self.written }.apply(tokens);
        true
    }
}

/// Where the text of the tokens is in the original line, if it is a part of it that ends no word, and only white
/// space and comments are around it.
fn same_text(line: &str, text: &str) -> Option<usize> {
    let trimmed = line.trim_start();
    let lead = line.len() - trimmed.len();
    let rest = trimmed.strip_prefix(text)?.trim();
    (rest.is_empty() || rest.starts_with("//")).then_some(lead)
}

/// The number of parentheses that are open after the tokens.
fn balance(tokens: &[Token]) -> isize {
    use crate::token::Op;
    tokens.iter().fold(0, |n, t| match t.kind {
        T::Op(Op::LParen) => n + 1,
        T::Op(Op::RParen) => n - 1,
        _ => n,
    })
}

/// How a token changes the number of open parentheses, brackets and braces.
fn nesting(token: &Token) -> isize {
    use crate::token::Op;
    match token.kind {
        T::Op(Op::LParen | Op::LBrace | Op::LBracket) => 1,
        T::Op(Op::RParen | Op::RBrace | Op::RBracket) => -1,
        _ => 0,
    }
}

/// The tokens of an original line. It goes on over a backslash, and while more parentheses are open than in the
/// preprocessed line, since the use of a macro becomes one line.
fn write_down(written: &mut Vec<Written>, file: &dally_text::source::SourceFile, line: usize, open: isize) {
    use crate::token::Op;
    written.clear();
    let bytes = file.text.as_bytes();
    let mut depth = 0_isize;
    let mut next = line;
    while let Some(range) = file.line_range(next) {
        let mut at = range.start;
        while at < range.end {
            let (kind, end) = lexer::scan(bytes, at);
            match kind {
                Raw::Space | Raw::Newline => {}
                _ => written.push(Written { kind, start: at, end: end.min(range.end).max(at + 1) }),
            }
            match kind {
                Raw::Op(Op::LParen) => depth += 1,
                Raw::Op(Op::RParen) => depth -= 1,
                _ => {}
            }
            at = end;
        }
        let continued = file.text[range.clone()].trim_end().ends_with('\\');
        next += 1;
        if !(continued || depth > open) || next - line >= LONGEST_USE {
            break;
        }
        // A comment can have gone over several lines.
        while file.line_range(next).is_some_and(|range| range.start < at.min(bytes.len()) && range.end < at) {
            next += 1;
        }
    }
}

/// The comparison of a preprocessed line with its original.
struct Alignment<'a> {
    text: &'a str,
    original: &'a str,
    base: u32,
    written: &'a [Written],
}

impl Alignment<'_> {
    fn apply(&self, tokens: &mut [Token]) {
        let (mut token, mut at) = (0, 0);
        let mut work = MOST_WORK;
        while token < tokens.len() {
            if self.is_same(&tokens[token], at) {
                tokens[token].span = self.span(&self.written[at], &self.written[at]);
                (token, at) = (token + 1, at + 1);
                continue;
            }
            let Some((length, end)) = self.end_of_expansion(&tokens[token..], at, &mut work) else {
                return self.remainder(&mut tokens[token..], at);
            };
            self.expansion(&mut tokens[token..token + length], at..end);
            (token, at) = (token + length, end);
        }
    }

    /// Lines that cannot be matched from `at` on, but for their ends.
    fn remainder(&self, tokens: &mut [Token], at: usize) {
        let most = tokens.len().min(self.written.len().saturating_sub(at));
        let mut end = self.written.len();
        let mut count = tokens.len();
        while end + most > self.written.len() && self.is_same(&tokens[count - 1], end - 1) {
            (count, end) = (count - 1, end - 1);
            tokens[count].span = self.span(&self.written[end], &self.written[end]);
        }
        self.expansion(&mut tokens[..count], at.min(end)..end);
    }

    fn is_same(&self, token: &Token, at: usize) -> bool {
        self.written.get(at).is_some_and(|w| self.text_of(token) == self.written_text(w))
    }

    /// The tokens that the macro used at `at` expands to, and the end of its use: what follows is in both lines. Uses that
    /// follow each other are taken together. None if the lines cannot be matched.
    fn end_of_expansion(&self, tokens: &[Token], at: usize, work: &mut usize) -> Option<(usize, usize)> {
        let mut end = at;
        loop {
            if !matches!(self.written.get(end)?.kind, Raw::Word) {
                return None;
            }
            end += self.length_of_use(&self.written[end..]);
            // An expansion has as many opening as closing parentheses.
            let mut depth = 0_isize;
            for length in 0..=tokens.len() {
                *work = work.checked_sub(1)?;
                if depth == 0 && self.goes_on(&tokens[length..], end, work)? {
                    return Some((length, end));
                }
                depth += tokens.get(length).map_or(0, nesting);
                if depth < 0 {
                    break;
                }
            }
        }
    }

    /// Returns true if the tokens are those that are written at `at`, up to the end or the use of another macro. None if
    /// this has taken too long.
    fn goes_on(&self, tokens: &[Token], at: usize, work: &mut usize) -> Option<bool> {
        let same = tokens.iter().enumerate().take_while(|(n, token)| self.is_same(token, at + n)).count();
        *work = work.checked_sub(same + 1)?;
        Some(match self.written.get(at + same) {
            None => same == tokens.len(),
            Some(next) => same > 0 && matches!(next.kind, Raw::Word),
        })
    }

    /// The number of tokens in the use of a macro: its name, and its arguments in parentheses.
    fn length_of_use(&self, used: &[Written]) -> usize {
        let last = self.end_of_use(used);
        used.iter().take_while(|w| w.start <= last.start).count()
    }

    /// Tokens that the macros of a part of the original line expand to.
    fn expansion(&self, tokens: &mut [Token], used: std::ops::Range<usize>) {
        let whole = match (&self.written[used.clone()], used.start.checked_sub(1)) {
            ([first, ..], _) => self.span(first, &self.written[used.end - 1]),
            ([], Some(before)) => self.span(&self.written[before], &self.written[before]),
            ([], None) => self.span(&self.written[0], &self.written[self.written.len() - 1]),
        };
        let used = &self.written[used];
        // Where each name of the use is: the preprocessor repeats and reorders arguments.
        let mut places: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (i, w) in used.iter().enumerate() {
            if !matches!(w.kind, Raw::Op(_)) {
                places.entry(self.written_text(w)).or_default().push(i);
            }
        }
        let mut cursor = 0;
        for token in tokens {
            token.span = whole;
            let Some(found) = places.get(self.text_of(token)) else { continue };
            let next = found.partition_point(|i| *i < cursor);
            let index = match found.get(next) {
                Some(index) => {
                    cursor = index + 1;
                    *index
                }
                None => found[found.len() - 1],
            };
            token.span = self.span(&used[index], &used[index]);
        }
    }

    /// The last token of the use of a macro at the start: its name, or the parenthesis that closes its arguments.
    fn end_of_use<'w>(&self, used: &'w [Written]) -> &'w Written {
        use crate::token::Op;
        if used.len() < 2 || used[1].kind != Raw::Op(Op::LParen) {
            return &used[0];
        }
        let mut depth = 0;
        for w in &used[1..] {
            match w.kind {
                Raw::Op(Op::LParen) => depth += 1,
                Raw::Op(Op::RParen) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return w;
            }
        }
        &used[used.len() - 1]
    }

    fn text_of(&self, token: &Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn written_text(&self, written: &Written) -> &str {
        self.original.get(written.start..written.end).unwrap_or("")
    }

    fn span(&self, first: &Written, last: &Written) -> Span {
        Span::new(self.base + first.start as u32, self.base + last.end.max(first.end) as u32)
    }
}

/// The file name at the start of the rest of a marker, with its escapes undone.
fn quoted_name(rest: &str) -> Option<String> {
    let mut chars = rest.strip_prefix('"')?.chars();
    let mut name = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(name),
            '\\' => name.push(chars.next()?),
            c => name.push(c),
        }
    }
}
