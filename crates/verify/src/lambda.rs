//! Maps that a solver gives as functions, `(lambda ((x Int)) (ite (= x 3) 4 5))`, as tables.

use dally_text::stack::grow;

use crate::sexpr::Sexpr;

/// A function as a table, if it only compares its argument with others: its values at some arguments, and at all others.
pub(crate) fn table(text: &Sexpr) -> Option<(Vec<(Sexpr, Sexpr)>, Sexpr)> {
    let [Sexpr::List(params), body] = text.headed("lambda")? else { return None };
    let [param] = &params[..] else { return None };
    let [name, _] = param.list()? else { return None };
    let mut points = Vec::new();
    compared(body, name, &mut points);
    let value = |at: Option<&Sexpr>| At { name, at }.value(body);
    let otherwise = value(None)?;
    let mut entries = Vec::new();
    for point in points {
        entries.push((point.clone(), value(Some(point))?));
    }
    Some((entries, otherwise))
}

/// The terms that a name is compared with.
fn compared<'a>(body: &'a Sexpr, name: &Sexpr, out: &mut Vec<&'a Sexpr>) {
    let Some(parts) = body.list() else { return };
    if let Some([a, b]) = body.headed("=") {
        let other = if a == name { Some(b) } else { (b == name).then_some(a) };
        if let Some(other) = other.filter(|o| !out.contains(o) && !mentions(o, name)) {
            out.push(other);
        }
    }
    grow(|| parts.iter().for_each(|part| compared(part, name, out)));
}

fn mentions(text: &Sexpr, name: &Sexpr) -> bool {
    text == name || grow(|| text.list().into_iter().flatten().any(|part| mentions(part, name)))
}

/// A name and its value; none if it differs from everything that it is compared with.
struct At<'a> {
    name: &'a Sexpr,
    at: Option<&'a Sexpr>,
}

impl At<'_> {
    fn value(&self, text: &Sexpr) -> Option<Sexpr> {
        grow(|| match text.headed("ite") {
            Some([condition, yes, no]) => self.value(if self.holds(condition)? { yes } else { no }),
            _ if !mentions(text, self.name) => Some(text.clone()),
            _ if text == self.name => self.at.cloned(),
            _ => self.holds(text).map(|holds| Sexpr::Word(holds.to_string())),
        })
    }

    fn holds(&self, text: &Sexpr) -> Option<bool> {
        let parts = match text {
            Sexpr::Word(word) => return word.parse().ok(),
            Sexpr::List(parts) => parts,
        };
        let (head, args) = parts.split_first()?;
        let mut all = args.iter().map(|arg| grow(|| self.holds(arg)));
        match (head.word()?, args) {
            ("=", [a, b]) if a == self.name => Some(self.at == Some(b)),
            ("=", [a, b]) if b == self.name => Some(self.at == Some(a)),
            ("not", [_]) => all.next()?.map(|holds| !holds),
            ("and", _) => all.try_fold(true, |so_far, holds| Some(holds? && so_far)),
            ("or", _) => all.try_fold(false, |so_far, holds| Some(holds? || so_far)),
            ("ite", [condition, yes, no]) => self.holds(if self.holds(condition)? { yes } else { no }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let (points, otherwise) = table(&Sexpr::parse(text).unwrap())?;
        let word = |s: &Sexpr| s.word().unwrap_or("?").to_owned();
        let points: Vec<String> = points.iter().map(|(i, v)| format!("{}:{}", word(i), word(v))).collect();
        Some(format!("{} else {}", points.join(" "), word(&otherwise)))
    }

    #[test]
    fn functions_become_tables() {
        let cases = [
            ("(lambda ((x Int)) (= x 3))", "3:true else false"),
            ("(lambda ((x Int)) (ite (= x 3) 4 (ite (= 5 x) 6 7)))", "3:4 5:6 else 7"),
            ("(lambda ((x Int)) (not (or (= x 1) (= x 2))))", "1:false 2:false else true"),
            ("(lambda ((x Int)) 8)", " else 8"),
        ];
        for (text, table) in cases {
            assert_eq!(shown(text).as_deref(), Some(table), "{text}");
        }
        for text in ["(lambda ((x Int)) (<= x 3))", "(lambda ((x Int)) x)", "(f x)"] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
