//! Decides whether two failures are the same bug.

use crate::Failure;

/// Returns true if both failures are of the same kind, and have the same message up to numbers or occur at
/// the same place.
pub(crate) fn same_failure(a: &Failure, b: &Failure) -> bool {
    let same_place = || place(&a.message).is_some_and(|at| place(&b.message) == Some(at));
    a.kind == b.kind && (a.message == b.message || same_place() || same_words(&a.message, &b.message))
}

/// The place at the end of a message: `(file:line:column)`.
fn place(message: &str) -> Option<&str> {
    let (_, last) = message.strip_suffix(')')?.rsplit_once('(')?;
    let is_number = |text: Option<&str>| text.is_some_and(|text| text.parse::<u32>().is_ok());
    let mut parts = last.rsplit(':');
    (is_number(parts.next()) && is_number(parts.next())).then_some(last)
}

/// Compares messages up to numbers, which may be ids of tasks. Messages at places are compared by these.
fn same_words(a: &str, b: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let words =
        |text: &str| text.split(is_digit).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let (a_words, b_words): (Vec<String>, Vec<String>) = (words(a), words(b));
    place(a).is_none() && place(b).is_none() && a_words == b_words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_matter_and_places_do() {
        let same = |a: &str, b: &str| same_failure(&Failure::assertion(a), &Failure::assertion(b));
        assert!(same("task 3 has 2", "task 14 has 5"));
        assert!(!same("task 3 has 2", "task 3 had 2"));
        assert!(same("x is 3 (a.p:3:14)", "x is 4 (a.p:3:14)"));
        assert!(!same("x is 3 (a.p:3:14)", "x is 3 (a.p:3:15)"));
        assert!(!same("x is 3 (a.p:3:14)", "x is 3"));
        let deadlock = Failure::deadlock("x");
        assert!(!same_failure(&Failure::assertion("x"), &deadlock) && same_failure(&deadlock, &deadlock));
    }
}
