//! How values of C are written in traces.

use std::collections::BTreeMap;

/// How the values of a type are written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// As a number.
    Number,
    /// `true` or `false`.
    Bool,
    /// As a character, if it is one that prints.
    Character,
    /// By the names of enumerators.
    Enum(Vec<(String, i128)>),
    /// As the address of a part of an object.
    Pointer,
}

/// An object with static storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its name, or the text of a string literal.
    pub name: String,
    /// The size of an element of an array, or of the object.
    pub element: u64,
    /// True for an array.
    pub is_array: bool,
}

/// How the state of a lowered program is shown in the terms of C.
#[derive(Clone, Default, Debug)]
pub struct Notation {
    /// The formats of types.
    pub formats: Vec<Format>,
    /// The static objects, by number.
    pub objects: BTreeMap<i128, Object>,
    /// The functions, by number.
    pub functions: BTreeMap<i128, String>,
    /// The number of the first object on the heap.
    pub first_heap: i128,
    /// An address is the number of an object times this, plus an offset.
    pub object_size: i128,
}

impl Notation {
    /// The index of a format.
    pub fn format(&mut self, format: Format) -> usize {
        if let Some(known) = self.formats.iter().position(|f| *f == format) {
            return known;
        }
        self.formats.push(format);
        self.formats.len() - 1
    }

    /// A value as text, by the index of its format.
    pub fn number(&self, format: u32, value: i128) -> String {
        match self.formats.get(format as usize) {
            Some(Format::Bool) => (value != 0).to_string(),
            Some(Format::Character) => character(value),
            Some(Format::Enum(names)) => {
                let name = names.iter().find(|(_, n)| *n == value).map(|(name, _)| name.clone());
                name.unwrap_or_else(|| value.to_string())
            }
            Some(Format::Pointer) => self.address(value),
            Some(Format::Number) | None => value.to_string(),
        }
    }

    /// The output of `printf`, with `?` for values that are not known.
    pub fn print(&self, format: &str, args: &[Option<i128>]) -> String {
        let mut args = args.iter();
        let mut text = String::new();
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            // Flags, width, precision and length do not matter in a trace.
            let is_modifier = |c: &char| c.is_ascii_digit() || "-+ #.*'hlLqjzt".contains(*c);
            while let Some(modifier) = chars.next_if(is_modifier) {
                if modifier == '*' {
                    args.next();
                }
            }
            match chars.next() {
                Some('%') => text.push('%'),
                Some(conversion) => {
                    text.push_str(&self.converted(conversion, args.next().copied().flatten()));
                }
                None => text.push('%'),
            }
        }
        text
    }

    /// A value as a conversion of `printf` writes it.
    fn converted(&self, conversion: char, value: Option<i128>) -> String {
        match (conversion, value) {
            (_, None) => "?".to_owned(),
            ('c', Some(n)) => {
                u8::try_from(n).map_or_else(|_| "?".to_owned(), |byte| char::from(byte).to_string())
            }
            ('x' | 'X', Some(n)) => format!("{n:x}"),
            ('o', Some(n)) => format!("{n:o}"),
            ('p', Some(n)) => self.address(n),
            ('s', Some(n)) => {
                let text = self.address(n);
                text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).map_or(text.clone(), str::to_owned)
            }
            (_, Some(n)) => n.to_string(),
        }
    }

    /// An address as text: `NULL`, `&x`, `&a[2]`, `&x + 4 bytes`, `object 1 + 8`, or the name of a function.
    pub fn address(&self, value: i128) -> String {
        if value == 0 {
            return "NULL".to_owned();
        }
        if self.object_size == 0 || value < 0 {
            return value.to_string();
        }
        let (number, offset) = (value / self.object_size, value % self.object_size);
        if let Some(function) = self.functions.get(&number).filter(|_| offset == 0) {
            return function.clone();
        }
        if number >= self.first_heap {
            let object = number - self.first_heap + 1;
            return match offset {
                0 => format!("object {object}"),
                _ => format!("object {object} + {offset}"),
            };
        }
        let Some(Object { name, element, is_array }) = self.objects.get(&number) else {
            return format!("{value:#x}");
        };
        let is_text = name.starts_with('"');
        match (is_text, is_array, offset) {
            (true, _, 0) => name.clone(),
            (true, _, _) => format!("{name} + {offset}"),
            (_, false, 0) => format!("&{name}"),
            (_, true, _) if *element > 0 && offset % i128::from(*element) == 0 => {
                format!("&{name}[{}]", offset / i128::from(*element))
            }
            _ => format!("&{name} + {offset} bytes"),
        }
    }
}

fn character(value: i128) -> String {
    match u8::try_from(value) {
        Ok(byte @ 0x20..=0x7e) => format!("{:?}", char::from(byte)),
        Ok(b'\n') => "'\\n'".to_owned(),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_objects() {
        let mut notation = Notation { first_heap: 1000, object_size: 1 << 32, ..Notation::default() };
        let x = Object { name: "x".to_owned(), element: 4, is_array: false };
        let a = Object { name: "a".to_owned(), element: 4, is_array: true };
        notation.objects.extend([(1, x), (2, a)]);
        notation.functions.insert(3, "f".to_owned());
        let format = notation.format(Format::Pointer);
        let at = |number: i128, offset: i128| notation.number(format as u32, (number << 32) + offset);
        assert_eq!(at(0, 0), "NULL");
        assert_eq!(at(1, 0), "&x");
        assert_eq!(at(2, 8), "&a[2]");
        assert_eq!(at(1, 2), "&x + 2 bytes");
        assert_eq!(at(3, 0), "f");
        assert_eq!(at(1001, 8), "object 2 + 8");
    }
}
