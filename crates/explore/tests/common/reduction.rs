//! Searches with reduction against a search without it: by every kind of policy, with one thread and with two.

use std::collections::BTreeSet;
use std::sync::Mutex;

use dally_explore::policy::Policy;
use dally_explore::{
    Delays, Exhaustive, Fingerprint, Limit, Options, Preemptions, Program, Report, SchedulerName, Search,
    Switches, Verdict, Watch,
};

const NAMES: [&str; 8] = ["bag", "rr", "rr:reverse", "dfs", "df", "rtc", "random:9", "priority(rr)"];

/// Collects the final states of a search.
struct Finals<'p, P>(&'p P, Mutex<BTreeSet<Fingerprint>>);

impl<P: Program> Watch<P::State> for Finals<'_, P> {
    fn final_state(&self, state: &P::State) {
        self.1.lock().expect("no thread panics with the lock").insert(self.0.fingerprint(state));
    }
}

/// A search, and its final states.
pub(crate) fn search<P: Program, O: Policy>(
    program: &P,
    policy: &O,
    options: &Options,
) -> (Report, BTreeSet<Fingerprint>) {
    let finals = Finals(program, Mutex::default());
    let report = Search::new(program, policy, options, &finals).run();
    (report, finals.1.into_inner().expect("no thread panics with the lock"))
}

/// A search without reduction: true if it finds a bug, and the final states.
type Expected = (bool, BTreeSet<Fingerprint>);

fn difference_of<P: Program, O: Policy>(
    program: &P,
    policy: &O,
    options: &Options,
    (fails, ends): &Expected,
) -> Option<String> {
    let (one, finals) = search(program, policy, options);
    if *fails && one.verdict == Verdict::Inconclusive(Limit::States) {
        // In another order, the bug comes after more states than the search may have. Their number depends on the threads.
        return None;
    }
    let (two, _) = search(program, policy, &Options { threads: 2, share_from: 1, ..options.clone() });
    let counts = |report: &Report| {
        let it = &report.coverage;
        (it.states, it.transitions, it.reduced, it.fused, it.completed_bound)
    };
    let strategy = policy.strategy();
    if one.verdict != two.verdict || one.bug().is_none() && counts(&one) != counts(&two) {
        return Some(format!("{strategy}: {:?} with one thread, {:?} with two", counts(&one), counts(&two)));
    }
    let agrees = match &one.verdict {
        Verdict::Bug(_) => *fails,
        Verdict::Proved => !fails && *ends == finals,
        // Schedulers need not propose every task.
        Verdict::NoBug => !fails,
        _ => false,
    };
    let what = if *fails { "a bug" } else { "no bug" };
    (!agrees).then(|| format!("{strategy}: {:?} with reduction, {what} without, or other ends", one.verdict))
}

/// Compares searches with these options with one without reduction. Returns the first difference; `None` if there is none;
/// an error if the search without reduction needs more than `most` states.
pub(crate) fn difference<P: Program>(
    program: &P,
    options: &Options,
    most: usize,
) -> Result<Option<String>, ()> {
    let plain = Options { reduction: false, states: Some(most), ..options.clone() };
    let (without, ends) = search(program, &Exhaustive, &plain);
    let expected = match without.verdict {
        Verdict::Bug(_) => (true, ends),
        Verdict::Proved => (false, ends),
        _ => return Err(()),
    };
    let named = |name: &&str| Delays::named(&name.parse::<SchedulerName>().expect("a good name"));
    let delays = NAMES.iter().find_map(|name| difference_of(program, &named(name), options, &expected));
    let found = delays
        .or_else(|| difference_of(program, &Exhaustive, options, &expected))
        .or_else(|| difference_of(program, &Preemptions(Switches::Preemptive), options, &expected))
        .or_else(|| difference_of(program, &Preemptions(Switches::All), options, &expected));
    Ok(found)
}
