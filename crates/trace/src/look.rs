//! Colours and widths: how a trace is shown to people.
//!
//! Texts of programs are not trusted: a [`Page`] escapes everything that is written to it, and adds colours itself.

use dally_text::render::printable;

/// How a trace is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// True if the text has colours, as escape sequences of terminals.
    pub colours: bool,
    /// The number of columns of the terminal, to which charts are fitted.
    pub width: Option<usize>,
}

/// The styles of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    /// The name of the task that runs.
    Task,
    /// Places in the source, and numbers of steps.
    Place,
    /// Values of variables.
    Value,
    /// Delays and choices.
    Deviation,
    /// The failure.
    Failure,
}

impl Style {
    /// The escape sequence that begins the style.
    fn begin(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Task => "\x1b[1m",
            Style::Place => "\x1b[2m",
            Style::Value => "\x1b[36m",
            Style::Deviation => "\x1b[33m",
            Style::Failure => "\x1b[1;31m",
        }
    }
}

/// Text that is being written.
#[derive(Debug)]
pub(crate) struct Page {
    colours: bool,
    out: String,
    /// The number of characters in the current line.
    column: usize,
}

impl Page {
    pub(crate) fn new(look: &Look) -> Self {
        Page { colours: look.colours, out: String::new(), column: 0 }
    }

    /// Writes a text, without control characters and in one line.
    pub(crate) fn put(&mut self, style: Style, text: &str) {
        let text = printable(&text.replace('\n', "\\n"));
        self.column += text.chars().count();
        let begin = if self.colours && !text.is_empty() { style.begin() } else { "" };
        self.out.push_str(begin);
        self.out.push_str(&text);
        if !begin.is_empty() {
            self.out.push_str("\x1b[0m");
        }
    }

    /// Writes spaces up to a column, at least two.
    pub(crate) fn pad_to(&mut self, column: usize) {
        let spaces = column.saturating_sub(self.column).max(2);
        self.put(Style::Plain, &" ".repeat(spaces));
    }

    pub(crate) fn end_line(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, style: Style, text: &str) {
        self.put(style, text);
        self.end_line();
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_colours_are_not() {
        let mut page = Page::new(&Look { colours: true, width: None });
        page.line(Style::Failure, "a\x1b[2J\nb");
        page.line(Style::Plain, "c");
        assert_eq!(page.finish(), "\x1b[1;31ma\u{fffd}[2J\\nb\x1b[0m\nc\n");
        let mut page = Page::new(&Look::default());
        page.put(Style::Task, "ab");
        page.pad_to(6);
        page.line(Style::Value, "c");
        assert_eq!(page.finish(), "ab    c\n");
    }
}
