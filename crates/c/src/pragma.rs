//! `#pragma pack`: the largest alignment of members of structs.
//!
//! As in GCC, `pack(push)` keeps the value, with a name if one is given, and `pack(pop, name)` pops up to that name.

/// The values of `#pragma pack` in a unit.
#[derive(Debug, Default)]
pub(crate) struct Packs {
    current: u8,
    stack: Vec<(String, u8)>,
    /// The value from each offset of the text on, ascending.
    changes: Vec<(u32, u8)>,
}

impl Packs {
    /// The largest alignment of members at an offset of the text; 0 if no pragma limits it.
    pub(crate) fn at(&self, offset: u32) -> u8 {
        let before = self.changes.partition_point(|(at, _)| *at <= offset);
        before.checked_sub(1).map_or(0, |n| self.changes[n].1)
    }

    /// Reads what follows `#pragma`, which is at this offset. None if it is a malformed `pack`.
    pub(crate) fn pragma(&mut self, text: &str, offset: u32) -> Option<()> {
        let Some(rest) = text.trim().strip_prefix("pack") else { return Some(()) };
        if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            return Some(());
        }
        let inside = rest.trim().strip_prefix('(')?.split_once(')')?.0.trim();
        let words: Vec<&str> = inside.split(',').map(str::trim).collect();
        match &words[..] {
            [""] => self.current = 0,
            ["push", options @ ..] => {
                let (name, value) = options_of(options)?;
                self.stack.push((name.to_owned(), self.current));
                self.current = value.unwrap_or(self.current);
            }
            ["pop", options @ ..] => {
                let (name, value) = options_of(options)?;
                self.pop(name);
                self.current = value.unwrap_or(self.current);
            }
            [value] => self.current = alignment(value)?,
            _ => return None,
        }
        self.changes.push((offset, self.current));
        Some(())
    }

    fn pop(&mut self, name: &str) {
        let depth = match name {
            "" => self.stack.len().checked_sub(1),
            name => self.stack.iter().rposition(|(pushed, _)| pushed == name),
        };
        if let Some(depth) = depth {
            self.current = self.stack[depth].1;
            self.stack.truncate(depth);
        }
    }
}

/// The name and the value after `push` or `pop`.
fn options_of<'a>(options: &[&'a str]) -> Option<(&'a str, Option<u8>)> {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    match options {
        [] => Some(("", None)),
        [value] if is_number(value) => Some(("", Some(alignment(value)?))),
        [name] => Some((name, None)),
        [name, value] => Some((name, Some(alignment(value)?))),
        _ => None,
    }
}

fn alignment(text: &str) -> Option<u8> {
    match text.parse() {
        Ok(value @ (0 | 1 | 2 | 4 | 8 | 16)) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_pushed_and_popped() {
        let mut packs = Packs::default();
        let pragmas = [
            ("pack(2)", 2),
            ("pack(push)", 2),
            ("pack (push, 4)", 4),
            ("pack(push, name, 1)", 1),
            ("pack(push,8)", 8),
            ("pack(pop, name)", 4),
            ("pack(pop)", 2),
            ("pack()", 0),
            ("pack(pop)", 2),
            ("pack(pop)", 2),
            ("packed(1)", 2),
            ("once", 2),
        ];
        for (n, (text, value)) in pragmas.into_iter().enumerate() {
            assert_eq!(packs.pragma(text, 10 * n as u32), Some(()), "{text}");
            assert_eq!(packs.at(10 * n as u32 + 5), value, "{text}");
        }
        for text in ["pack", "pack(3)", "pack(push", "pack(push,a,b)", "pack(-1)"] {
            assert_eq!(packs.pragma(text, 1000), None, "{text}");
        }
        assert_eq!((packs.at(0), packs.at(39), packs.at(9)), (2, 1, 2));
    }
}
