//! Reading rules: one rule after another, with recovery at the next separator.

use std::ops::Range;

use super::error::similar;
use super::token::{Token, TokenKind, tokens};
use super::{
    Comparison, Literal, Name, Predicate, Rule, RuleError, RuleKind, RuleSet, Target, Trigger, Until, Whom,
    check,
};

/// The words of the language. As names they are written in quotation marks.
pub(super) const WORDS: [&str; 32] = [
    "a",
    "an",
    "and",
    "any",
    "after",
    "before",
    "blocks",
    "completes",
    "costs",
    "creating",
    "delay",
    "enters",
    "false",
    "first",
    "in",
    "it",
    "keep",
    "last",
    "never",
    "not",
    "of",
    "only",
    "or",
    "queue",
    "receives",
    "receiving",
    "run",
    "runs",
    "that",
    "true",
    "until",
    "while",
];

/// More words that are special in some places only.
const OTHERS: [&str; 4] = ["receiver", "sends", "sending", "together"];

/// Rules have at most this many bytes: a mistaken file name need not be read to its end.
const LONGEST: usize = 1 << 20;

/// The greatest cost of a delay.
const MOST: i64 = 100;

/// A condition has at most this many parts, and parentheses inside of each other. A condition of this many parts prints with
/// fewer parentheses than that.
const MOST_PARTS: usize = 32;
const DEEPEST: usize = 100;

/// More rules than this are a mistake, and more errors than this are not read.
const MOST_RULES: usize = 500;
const MOST_ERRORS: usize = 20;

/// Reads rules. Reports contradictions between them only if all of them can be read.
pub(super) fn rules(text: &str) -> Result<RuleSet, Vec<RuleError>> {
    if text.len() > LONGEST {
        return Err(vec![RuleError::new(0..0, "this is longer than 1 MiB, and is no list of rules")]);
    }
    let mut errors = Vec::new();
    let tokens = tokens(text, &mut errors);
    let mut list: Vec<Rule> = Vec::new();
    for words in tokens.split(|token| token.kind == TokenKind::Separator).filter(|words| !words.is_empty()) {
        if list.len() == MOST_RULES || errors.len() == MOST_ERRORS {
            let message = format!("there are more than {MOST_RULES} rules, or {MOST_ERRORS} errors");
            errors.push(RuleError::new(words[0].span.clone(), message));
            break;
        }
        let mut parser = Parser { words, at: 0, parts: 0 };
        match parser.rule() {
            Ok(kind) => {
                let span = words[0].span.start..words[words.len() - 1].span.end;
                list.push(Rule { span, kind });
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        errors = check::contradictions(&list);
    }
    if list.is_empty() && errors.is_empty() {
        let error = RuleError::new(0..text.len().min(1), "there is no rule here");
        errors.push(error.with_help("write, for example, `Coordinator before Participant`"));
    }
    if errors.is_empty() {
        return Ok(RuleSet::new(list));
    }
    errors.sort_by_key(|error| error.span.start);
    Err(errors)
}

/// Reads one rule.
struct Parser<'t> {
    words: &'t [Token],
    at: usize,
    /// The parts of the condition that were read.
    parts: usize,
}

type Read<T> = Result<T, RuleError>;

impl Parser<'_> {
    fn rule(&mut self) -> Read<RuleKind> {
        let kind = match self.word() {
            Some("after") => self.reaction(),
            Some("keep") => self.together(),
            Some("never") => self.never(),
            Some("delay") => self.delay(),
            _ => self.about_tasks(),
        }?;
        match self.words.get(self.at) {
            None => Ok(kind),
            Some(_) => Err(self.unexpected(
                "the end of the rule (rules are separated by `;`, `,` or the end of a line)",
                &[],
            )),
        }
    }

    /// A rule that begins with names: an order, or a task that runs on.
    fn about_tasks(&mut self) -> Read<RuleKind> {
        let begins = self.at;
        if matches!(self.word(), Some("a" | "an")) {
            self.at += 1;
        }
        let whom = self.whom()?;
        if self.eat("that") {
            return self.runs_on(whom);
        }
        let Whom::Named(names) = whom else {
            self.at = begins + 1;
            return Err(self.unexpected("`that`", &["that"]));
        };
        for (word, first) in [("first", true), ("last", false)] {
            if self.eat(word) {
                return Ok(RuleKind::Extreme { names, first });
            }
        }
        let mut groups = vec![names];
        while self.eat("before") {
            groups.push(self.names()?);
        }
        match groups.len() {
            1 => {
                Err(self
                    .unexpected("`before`, `first`, `last` or `that`", &["before", "first", "last", "that"]))
            }
            _ => Ok(RuleKind::Before(groups)),
        }
    }

    fn runs_on(&mut self, who: Whom) -> Read<RuleKind> {
        self.expect("receives")?;
        let event = self.name("an event")?;
        self.expect("runs")?;
        self.expect("until")?;
        self.expect("it")?;
        let until = match self.word() {
            Some("sends") => self.then(|it| Ok(Until::Sends(it.optional_name()))),
            Some("receives") => self.then(|it| Ok(Until::Receives(it.optional_name()))),
            Some("blocks") => self.then(|_| Ok(Until::Blocks)),
            Some("completes") => self.then(|_| Ok(Until::Completes)),
            Some("enters") => self.then(|it| it.name("a state or procedure").map(Until::Enters)),
            _ => {
                let words = ["sends", "receives", "blocks", "completes", "enters"];
                return Err(self.unexpected("`sends`, `receives`, `blocks`, `completes` or `enters`", &words));
            }
        }?;
        Ok(RuleKind::Until { who, event, until })
    }

    fn reaction(&mut self) -> Read<RuleKind> {
        self.expect("after")?;
        let trigger = match self.word() {
            Some("receiving") => self.then(|it| it.name("an event").map(Trigger::Received)),
            Some("sending") => self.then(|it| it.name("an event").map(Trigger::Sent)),
            Some("creating") => self.then(|it| it.name("a task").map(Trigger::Created)),
            _ => {
                let name = self.name("an event or a task")?;
                match self.word() {
                    Some("completes") => self.then(|_| Ok(Trigger::Completed(name))),
                    Some("blocks") => self.then(|_| Ok(Trigger::Blocked(name))),
                    Some("enters") => {
                        self.then(|it| Ok(Trigger::Entered(name, it.name("a state or procedure")?)))
                    }
                    _ => Ok(Trigger::Sent(name)),
                }
            }
        }?;
        self.expect("run")?;
        let run = match self.word() {
            Some("it") => self.then(|_| Ok(Target::It)),
            Some("receiver") => self.then(|_| Ok(Target::Receiver)),
            _ => self.name("a task, `it` or `receiver`").map(Target::Named),
        }?;
        if self.eat("first") {
            return Ok(RuleKind::After { trigger, run, first: true });
        }
        self.expect_one(&["first", "last"])?;
        Ok(RuleKind::After { trigger, run, first: false })
    }

    fn together(&mut self) -> Read<RuleKind> {
        self.expect("keep")?;
        let names = self.names()?;
        if names.len() < 2 {
            return Err(self.unexpected("`and` with another task", &["and"]));
        }
        self.expect("together")?;
        Ok(RuleKind::Together(names))
    }

    fn never(&mut self) -> Read<RuleKind> {
        self.expect("never")?;
        self.expect("delay")?;
        let whom = self.whom()?;
        let condition = if self.eat("while") { Some(self.predicate(0)?) } else { None };
        Ok(RuleKind::Never { whom, condition })
    }

    fn delay(&mut self) -> Read<RuleKind> {
        self.expect("delay")?;
        if self.eat("only") {
            return self.names().map(RuleKind::Only);
        }
        self.expect_one(&["only", "of"])?;
        let whom = self.whom()?;
        self.expect("costs")?;
        match self.words.get(self.at).map(|token| (&token.kind, token.span.clone())) {
            Some((TokenKind::Number(cost), _)) if (1..=MOST).contains(cost) => {
                self.at += 1;
                Ok(RuleKind::Cost { whom, cost: *cost as u32 })
            }
            Some((TokenKind::Number(_), span)) => {
                let error = RuleError::new(span, format!("a delay costs at least 1, and at most {MOST}"));
                Err(error.with_help("a delay that cost nothing would make every order free"))
            }
            _ => Err(self.unexpected("a number", &[])),
        }
    }

    // Conditions.

    fn predicate(&mut self, depth: usize) -> Read<Predicate> {
        let mut left = self.conjunction(depth)?;
        while self.eat("or") {
            left = Predicate::Or(Box::new(left), Box::new(self.conjunction(depth)?));
        }
        Ok(left)
    }

    fn conjunction(&mut self, depth: usize) -> Read<Predicate> {
        let mut left = self.condition(depth)?;
        while self.eat("and") {
            left = Predicate::And(Box::new(left), Box::new(self.condition(depth)?));
        }
        Ok(left)
    }

    fn condition(&mut self, depth: usize) -> Read<Predicate> {
        if self.parts == MOST_PARTS || depth == DEEPEST {
            return Err(RuleError::new(self.here(), format!("a condition has at most {MOST_PARTS} parts")));
        }
        if self.eat("not") {
            self.parts += 1;
            return Ok(Predicate::Not(Box::new(self.condition(depth + 1)?)));
        }
        if self.eat_sign("(") {
            let inner = self.predicate(depth + 1)?;
            return if self.eat_sign(")") { Ok(inner) } else { Err(self.unexpected("`)`", &[])) };
        }
        self.parts += 1;
        if self.eat("queue") {
            let name = self.name("a task")?;
            let comparison =
                self.comparison().ok_or_else(|| self.unexpected("a comparison, such as `>`", &[]))?;
            return match self.literal()? {
                Literal::Int(number) => Ok(Predicate::Queue(name, comparison, number)),
                _ => {
                    self.at -= 1;
                    Err(self.unexpected("a number", &[]))
                }
            };
        }
        let name = self.name("a task or a variable")?;
        if self.eat("in") {
            return Ok(Predicate::In(name, self.name("a state or procedure")?));
        }
        match self.comparison() {
            Some(comparison) => Ok(Predicate::Variable(name, comparison, self.literal()?)),
            None => Ok(Predicate::Variable(name, Comparison::Equal, Literal::Bool(true))),
        }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let TokenKind::Sign(sign) = self.words.get(self.at)?.kind else { return None };
        let comparison = match sign {
            "=" | "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            _ => return None,
        };
        self.at += 1;
        Some(comparison)
    }

    fn literal(&mut self) -> Read<Literal> {
        let literal = match self.words.get(self.at).map(|token| &token.kind) {
            Some(TokenKind::Number(number)) => Literal::Int(*number),
            Some(TokenKind::Quoted(text)) => Literal::Text(text.clone()),
            Some(TokenKind::Word(word)) => match word.as_str() {
                "true" => Literal::Bool(true),
                "false" => Literal::Bool(false),
                word if !WORDS.contains(&word) => Literal::Text(word.to_owned()),
                _ => return Err(self.unexpected("a value", &[])),
            },
            _ => return Err(self.unexpected("a value", &[])),
        };
        self.at += 1;
        Ok(literal)
    }

    // Names and words.

    fn whom(&mut self) -> Read<Whom> {
        if self.eat("any") { Ok(Whom::Any) } else { self.names().map(Whom::Named) }
    }

    fn names(&mut self) -> Read<Vec<Name>> {
        let mut names = vec![self.name("a task")?];
        while self.eat("and") {
            names.push(self.name("a task")?);
        }
        Ok(names)
    }

    fn name(&mut self, what: &str) -> Read<Name> {
        self.optional_name().ok_or_else(|| self.unexpected(&format!("the name of {what}"), &[]))
    }

    fn optional_name(&mut self) -> Option<Name> {
        let token = self.words.get(self.at)?;
        let text = match &token.kind {
            TokenKind::Quoted(name) => name,
            TokenKind::Word(name) if !WORDS.contains(&name.as_str()) => name,
            _ => return None,
        };
        self.at += 1;
        Some(Name { text: text.clone(), span: token.span.clone() })
    }

    /// The next word.
    fn word(&self) -> Option<&str> {
        match &self.words.get(self.at)?.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    fn then<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.at += 1;
        read(self)
    }

    fn eat(&mut self, word: &str) -> bool {
        let is_next = self.word() == Some(word);
        self.at += usize::from(is_next);
        is_next
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let is_next = self
            .words
            .get(self.at)
            .is_some_and(|token| matches!(token.kind, TokenKind::Sign(s) if s == sign));
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, word: &str) -> Read<()> {
        self.expect_one(&[word])
    }

    /// The last of these words. The message names all of them.
    fn expect_one(&mut self, words: &[&str]) -> Read<()> {
        if words.last().is_some_and(|word| self.eat(word)) {
            return Ok(());
        }
        let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        Err(self.unexpected(&quoted.join(" or "), words))
    }

    /// Where the next word is, or the end of the rule.
    fn here(&self) -> Range<usize> {
        match (self.words.get(self.at), self.words.last()) {
            (Some(token), _) => token.span.clone(),
            (None, Some(last)) => last.span.clone(),
            (None, None) => 0..0,
        }
    }

    fn unexpected(&self, expected: &str, words: &[&str]) -> RuleError {
        let Some(token) = self.words.get(self.at) else {
            return RuleError::new(self.here(), format!("the rule ends here, and {expected} is missing"));
        };
        let error = RuleError::new(token.span.clone(), format!("expected {expected}"));
        match &token.kind {
            TokenKind::Word(word) => match similar(word, words.iter().copied()) {
                Some(other) => error.with_help(format!("did you mean `{other}`?")),
                None if WORDS.contains(&word.as_str()) || OTHERS.contains(&word.as_str()) => {
                    error.with_help(format!(
                        "`{word}` is a word of rules; the name is written with quotation marks: \"{word}\""
                    ))
                }
                None => error,
            },
            _ => error,
        }
    }
}
