//! Scheduler names, to and from text.

use dally_schedule::Name;

#[test]
fn names_print_as_they_are_parsed() {
    for text in [
        "bag",
        "bounded-bag:3",
        "rr",
        "rr:reverse",
        "rr:42",
        "dfs",
        "df",
        "dfw",
        "rtc",
        "random:42",
        "priority(rr)",
        "priority(priority(random:1))",
        "pct:7,3",
    ] {
        assert_eq!(text.parse::<Name>().map(|name| name.to_string()), Ok(text.to_owned()));
    }
    assert_eq!("random".parse::<Name>(), Ok(Name::Random(0)));
    assert_eq!("priority".parse::<Name>(), "priority(rr)".parse());
}

#[test]
fn bad_names_are_explained() {
    let error = |text: &str| text.parse::<Name>().expect_err("it is bad").to_string();
    assert_eq!(error("randum:1"), "there is no scheduler `randum`; did you mean `random`?");
    assert_eq!(error("boundedbag:3"), "there is no scheduler `boundedbag`; did you mean `bounded-bag`?");
    assert!(error("fifo").starts_with("there is no scheduler `fifo`; there are `bag`, `bounded-bag:N`, "));
    assert_eq!(
        error("rr:up"),
        "bad scheduler `rr:up`: the parameter is `reverse` or a seed; write, for example, `rr:reverse` or `rr:42`"
    );
    assert_eq!(error("dfs:1"), "bad scheduler `dfs:1`: `dfs` takes no parameter; write, for example, `dfs`");
    assert_eq!(
        error("random:-1"),
        "bad scheduler `random:-1`: `-1` is not a number in range; write, for example, `random:42`"
    );
    assert!(error("priority(rr").contains("the `)` is missing"));
    assert!(error("pct:7").contains("`pct:7,3`"));
    assert!(error("bounded-bag").contains("`bounded-bag:3`"));
}
