//! The formats of `printf` and `scanf`, taken apart.

/// A part of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// Characters that are written, or have to match, as they are.
    Text(String),
    /// A conversion.
    Conversion(Conversion),
}

/// A conversion such as `%-8.3s`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Conversion {
    /// A sum of [`flags`].
    pub(crate) flags: u8,
    /// True for `%*d` in a format of `scanf`: nothing is assigned.
    pub(crate) suppressed: bool,
    /// The least, or for `scanf` the greatest number of characters.
    pub(crate) width: Option<Amount>,
    /// The number after the dot.
    pub(crate) precision: Option<Amount>,
    /// The length modifier: `hh`, `h`, `l`, `ll`, `z`, `j`, `t`, `L`, or nothing.
    pub(crate) length: String,
    /// The letter. `\0` if the format ends before it.
    pub(crate) letter: char,
}

/// A number in a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Amount {
    /// Part of the format.
    Fixed(u32),
    /// `*`: the next argument.
    Argument,
}

/// The flags of conversions; `lib/format.c` has the same numbers.
pub(crate) mod flags {
    /// `-`
    pub(crate) const LEFT: u8 = 1;
    /// `+`
    pub(crate) const PLUS: u8 = 2;
    /// A space.
    pub(crate) const SPACE: u8 = 4;
    /// `#`
    pub(crate) const ALTERNATE: u8 = 8;
    /// `0`
    pub(crate) const ZERO: u8 = 16;
    /// The letter is a capital one.
    pub(crate) const CAPITAL: u8 = 32;
}

impl Conversion {
    /// Returns true for conversions of integers.
    pub(crate) fn is_integer(&self) -> bool {
        "diouxX".contains(self.letter)
    }

    /// The base of an integer conversion.
    pub(crate) fn base(&self) -> i128 {
        match self.letter {
            'o' => 8,
            'x' | 'X' => 16,
            _ => 10,
        }
    }
}

/// The pieces of a format. In those of `scanf`, `*` does not stand for an argument.
pub(crate) fn pieces(format: &str, scans: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = Rest(format);
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
        } else if rest.take('%') {
            // As other conversions, `%%` skips white space of the input.
            text.push_str(if scans { " %" } else { "%" });
        } else {
            if !text.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
            }
            pieces.push(Piece::Conversion(rest.conversion(scans)));
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// The conversions among some pieces.
pub(crate) fn conversions(pieces: &[Piece]) -> impl Iterator<Item = &Conversion> {
    pieces.iter().filter_map(|piece| match piece {
        Piece::Conversion(conversion) => Some(conversion),
        Piece::Text(_) => None,
    })
}

/// The rest of a format, which is still to be parsed.
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.0.chars().next()?;
        self.0 = &self.0[c.len_utf8()..];
        Some(c)
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.0.starts_with(c);
        if found {
            self.0 = &self.0[c.len_utf8()..];
        }
        found
    }

    fn conversion(&mut self, scans: bool) -> Conversion {
        let mut found = Conversion { suppressed: scans && self.take('*'), ..Conversion::default() };
        if !scans {
            found.flags = self.flags();
        }
        found.width = self.amount();
        if self.take('.') {
            found.precision = Some(self.amount().unwrap_or(Amount::Fixed(0)));
        }
        let modifiers = self.0.len() - self.0.trim_start_matches(|c| "hlLqjzt".contains(c)).len();
        let (length, rest) = self.0.split_at(modifiers);
        found.length = length.to_owned();
        self.0 = rest;
        found.letter = self.next().unwrap_or('\0');
        if found.letter.is_ascii_uppercase() {
            found.flags |= flags::CAPITAL;
        }
        found
    }

    fn flags(&mut self) -> u8 {
        let mut found = 0;
        while let Some(c) = self.0.chars().next() {
            found |= match c {
                '-' => flags::LEFT,
                '+' => flags::PLUS,
                ' ' => flags::SPACE,
                '#' => flags::ALTERNATE,
                '0' => flags::ZERO,
                _ => return found,
            };
            self.0 = &self.0[1..];
        }
        found
    }

    fn amount(&mut self) -> Option<Amount> {
        if self.take('*') {
            return Some(Amount::Argument);
        }
        let digits = self.0.len() - self.0.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        (digits > 0).then(|| Amount::Fixed(number.parse().unwrap_or(u32::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let text = |t: &str| Piece::Text(t.to_owned());
        let number = Conversion { letter: 'd', ..Conversion::default() };
        assert_eq!(
            pieces("x%% = %d\n", false),
            [text("x% = "), Piece::Conversion(number.clone()), text("\n")]
        );
        let string = Conversion {
            flags: flags::LEFT,
            width: Some(Amount::Fixed(8)),
            precision: Some(Amount::Argument),
            letter: 's',
            ..Conversion::default()
        };
        assert_eq!(pieces("%-8.*s", false), [Piece::Conversion(string)]);
        let long =
            Conversion { length: "ll".to_owned(), flags: flags::CAPITAL, letter: 'X', ..number.clone() };
        assert_eq!(pieces("%llX", false), [Piece::Conversion(long)]);
        let skipped = Conversion { suppressed: true, width: Some(Amount::Fixed(3)), ..number };
        assert_eq!(pieces("%*3d", true), [Piece::Conversion(skipped)]);
        let cut = Conversion::default();
        assert_eq!(pieces("%", false), [Piece::Conversion(cut)]);
    }
}
