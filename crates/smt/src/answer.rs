//! Where an answer ends in the output of a solver.

/// A scan for the end of the first word or list.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    at: usize,
    depth: usize,
    quote: Option<u8>,
    begun: bool,
}

impl Scan {
    /// The end of the first word or list, if it is complete. The bytes are those of the last call, and more.
    pub(crate) fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(byte) = bytes.get(self.at) {
            self.at += 1;
            if let Some(quote) = self.quote {
                self.quote = self.quote.filter(|_| *byte != quote);
                continue;
            }
            match byte {
                b'"' | b'|' => {
                    self.quote = Some(*byte);
                    self.begun = true;
                }
                b'(' => {
                    self.depth += 1;
                    self.begun = true;
                }
                b')' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.begun = true;
                    if self.depth == 0 {
                        return Some(self.at);
                    }
                }
                b if b.is_ascii_whitespace() => {
                    if self.begun && self.depth == 0 {
                        return Some(self.at);
                    }
                }
                _ => self.begun = true,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Scan;

    #[test]
    fn an_answer_is_one_word_or_one_balanced_list() {
        let end = |text: &str| Scan::default().end(text.as_bytes());
        assert_eq!(end("sat\n"), Some(4));
        assert_eq!(end("sat"), None);
        assert_eq!(end("((x \")\") (y |)|))\nsat\n"), Some(17));
        assert_eq!(end("((x 1)"), None);
        assert_eq!(end("\n\n"), None);
    }
}
