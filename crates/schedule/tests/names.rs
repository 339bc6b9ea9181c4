//! Names of strategies, to and from text.
#![allow(missing_docs, reason = "test code")]

use dally_schedule::table::{Family, STRATEGIES};
use dally_schedule::{Arrangement, ListContext, PORTFOLIO, SchedulerName, StrategyName, Unit, Vocabulary};
use dally_testing::arbitrary::{Result, Unstructured};
use dally_testing::for_inputs;

fn any_scheduler(u: &mut Unstructured<'_>, depth: usize) -> Result<SchedulerName> {
    let last = if depth > 0 { 12 } else { 11 };
    Ok(match u.int_in_range(0..=last)? {
        0 => SchedulerName::Bag,
        1 => SchedulerName::BoundedBag(u.int_in_range(1..=usize::MAX)?),
        2 => SchedulerName::Rr(Arrangement::Creation),
        3 => SchedulerName::Rr(Arrangement::Reverse),
        4 => SchedulerName::Rr(Arrangement::Seeded(u.arbitrary()?)),
        5 => SchedulerName::Dfs,
        6 => SchedulerName::Df,
        7 => SchedulerName::Dfw,
        8 => SchedulerName::Rtc,
        9 => SchedulerName::Random(u.arbitrary()?),
        10 => SchedulerName::Pct { seed: u.arbitrary()?, changes: u.int_in_range(0..=1000)? },
        11 => SchedulerName::ReverseDfs,
        _ => SchedulerName::Priority(Box::new(any_scheduler(u, depth - 1)?)),
    })
}

fn any_strategy(u: &mut Unstructured<'_>) -> Result<StrategyName> {
    Ok(match u.int_in_range(0..=7)? {
        0 => StrategyName::Preemptions,
        1 => StrategyName::Contexts,
        2 => StrategyName::Depth,
        3 => StrategyName::Exhaustive,
        _ => StrategyName::Delays(any_scheduler(u, 3)?),
    })
}

#[test]
fn a_strategy_prints_as_the_name_that_it_is_parsed_from() {
    for_inputs(1_000, |u| {
        let strategy = any_strategy(u)?;
        let text = strategy.to_string();
        assert_eq!(text.parse().as_ref(), Ok(&strategy), "{text}");
        assert_eq!(StrategyName::known_or_custom(&text), strategy);
        let scheduler = text.parse::<SchedulerName>();
        assert_eq!(scheduler.as_ref().ok(), strategy.scheduler(), "{text}: {scheduler:?}");
        Ok(())
    });
}

#[test]
fn a_list_is_parsed_into_the_strategies_that_it_joins() {
    for_inputs(1_000, |u| {
        let strategies: Vec<StrategyName> =
            (0..u.int_in_range(1..=5)?).map(|_| any_strategy(u)).collect::<Result<_>>()?;
        let names: Vec<String> = strategies.iter().map(ToString::to_string).collect();
        for separator in [",", ", ", ";"] {
            let text = names.join(separator);
            let list = Vocabulary::STRATEGIES.parse_list(&text, ListContext::default());
            assert_eq!(list.map(|list| list.strategies).as_ref(), Ok(&strategies), "{text}");
        }
        Ok(())
    });
}

#[test]
fn no_text_makes_parsing_panic() {
    for_inputs(1_000, |u| {
        let pieces =
            ["rr", "pct", "priority", ":", "(", ")", ",", ";", "7", "reverse", " ", "é", "portfolio", ""];
        let text: String =
            (0..u.int_in_range(0..=12)?).map(|_| u.choose(&pieces).copied()).collect::<Result<_>>()?;
        let list = Vocabulary::STRATEGIES.parse_list(&text, ListContext::default());
        assert!(list.is_ok() || !list.unwrap_err().to_string().is_empty());
        Ok(())
    });
    let nested = "priority(".repeat(100_000);
    assert!(nested.parse::<StrategyName>().is_err());
}

#[test]
fn every_form_of_the_table_is_read_and_belongs_to_its_row() {
    for row in STRATEGIES {
        assert!(!row.keyword.starts_with(|first: char| first.is_ascii_digit()), "lists rely on that");
        for form in row.forms {
            let example =
                form.replace("SEED", "7").replace("(S)", "(rr)").replace('N', "2").replace('D', "3");
            let strategy: StrategyName = example.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(strategy.to_string(), example);
            let free = strategy
                .scheduler()
                .map(|it| dally_schedule::DelayingScheduler::delay_cost(&it.build()) == 0);
            let family = match free {
                Some(true) => Family::Free,
                Some(false) => Family::Delaying,
                None => Family::Baseline,
            };
            assert_eq!(family, row.family, "{form}");
        }
    }
}

#[test]
fn parameters_have_defaults() {
    assert_eq!("random".parse::<SchedulerName>(), Ok(SchedulerName::Random(0)));
    assert_eq!("priority".parse::<SchedulerName>(), "priority(rr)".parse());
}

#[test]
fn the_context_of_a_list_fills_in_portfolio_and_seed() {
    let portfolio = SchedulerName::portfolio();
    let names = |text: &str, seed| {
        let list = Vocabulary::SCHEDULERS
            .parse_list(text, ListContext { portfolio: &portfolio, seed, own: &[] })
            .expect("a list");
        let names: Vec<String> = list.strategies.iter().map(ToString::to_string).collect();
        (names.join(" "), list.uses_seed)
    };
    assert_eq!(names(PORTFOLIO, None), ("rr rr:reverse rtc random:1".to_owned(), true));
    assert_eq!(names("dfw,portfolio", Some(9)), ("dfw rr rr:reverse rtc random:9".to_owned(), true));
    assert_eq!(names("random,random:3", Some(9)), ("random:9 random:3".to_owned(), true));
    assert_eq!(names("random:3", Some(9)), ("random:3".to_owned(), false));
}

#[test]
fn units_are_counted_in_words() {
    let count = |name: &str, number| name.parse::<StrategyName>().map(|it| it.unit().count(number));
    assert_eq!(count("rr", 1), Ok("1 delay".to_owned()));
    assert_eq!(count("preemptions", 2), Ok("2 preemptions".to_owned()));
    assert_eq!(count("contexts", 2), Ok("2 context switches".to_owned()));
    assert_eq!(count("depth", 0), Ok("0 steps".to_owned()));
    assert_eq!(Unit::Nothing.count(7), "any schedule");
}

#[test]
fn bad_names_are_explained() {
    let error = |text: &str| text.parse::<SchedulerName>().expect_err("it is bad").to_string();
    assert_eq!(error("randum:1"), "there is no scheduler `randum:1`; did you mean `random`?");
    assert_eq!(error("boundedbag:3"), "there is no scheduler `boundedbag:3`; did you mean `bounded-bag`?");
    assert!(error("fifo").starts_with("there is no scheduler `fifo`; there are `rr`, `rr:reverse`, "));
    assert!(!error("fifo").contains("preemptions"));
    assert_eq!(
        error("rr:up"),
        "bad scheduler `rr:up`: the parameter is `reverse` or a seed; write, for example, `rr:reverse` or `rr:42`"
    );
    assert_eq!(error("df:1"), "bad scheduler `df:1`: `df` takes no parameter; write, for example, `df`");
    assert_eq!(
        error("random:-1"),
        "bad scheduler `random:-1`: `-1` is not a number in range; write, for example, `random:42`"
    );
    assert!(error("priority(rr").contains("the `)` is missing"));
    assert!(error("priority(up)").contains("there is no scheduler `up`"));
    assert!(error("pct:7").contains("`pct:7,3`"));
    assert!(error("bounded-bag").contains("`bounded-bag:3`"));
    assert_eq!(error("depth"), "`depth` cannot be used here: it is a baseline without a scheduler");
}
