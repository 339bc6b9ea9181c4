//! Sampling beside systematic search, on the examples with a bug.
//!
//! ```text
//! sampling [FOLDER[+FOLDER…]…]
//! ```
//!
//! The first table has one row for each bug: the walks that each sampler takes to find it (mean over ten
//! seeds, and how many of the ten found it) and the samples per second, beside the states and the time of
//! systematic search under the default scheduler. The second has the deviations (delays, and chosen values
//! other than the first) of the shrunk executions (median and greatest over the seeds)
//! beside those of systematic search. The arguments are P programs, each as a list of folders; only
//! sampling is tried on their tests.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dally_explore::{
    Arrangement, Delays, Limit, Options, Program, SampleOptions, Sampled, Sampler, SamplerName,
    SchedulerName, Search, Slice, StateCoverage, Verdict, Watch,
};
use dally_text::source::SourceMap;

/// The time limit of a search, and of sampling with one seed.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// The limit on the walks with one seed.
const WALKS: u64 = 5_000;

const SEEDS: u64 = 10;

struct Deadline(Instant);

impl<S> Watch<S> for Deadline {
    fn poll(&self, _: &StateCoverage) -> Option<Limit> {
        (self.0.elapsed() > TIME_LIMIT).then_some(Limit::Time)
    }

    fn poll_samples(&self, _: &Sampled) -> Option<Limit> {
        (self.0.elapsed() > TIME_LIMIT).then_some(Limit::Time)
    }
}

/// The rows of a program in both tables.
struct Rows {
    walks: String,
    deviations: Option<Deviations>,
}

struct Deviations {
    name: String,
    systematic: u32,
    /// The deviations of the shrunk executions, ascending.
    shrunk: Vec<u32>,
    /// The most steps that were taken to shrink an execution.
    shrinking: u64,
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<String> = samplers().iter().map(|sampler| format!("{sampler} |")).collect();
    println!("| program | states | time | samples/s | portfolio | {}", names.join(" "));
    println!("|---|---|---|---|---|{}", "---|".repeat(names.len()));
    let mut all = Vec::new();
    let mut add = |rows: Option<Rows>| {
        if let Some(rows) = rows {
            println!("{}", rows.walks);
            all.extend(rows.deviations);
        }
    };
    for given in &arguments {
        let files: Vec<PathBuf> = given.split('+').flat_map(|folder| files(Path::new(folder), "p")).collect();
        p(&files, given).into_iter().for_each(|(name, machine)| {
            add(row(&name, &machine, &SchedulerName::Rtc, false));
        });
    }
    if arguments.is_empty() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let rr = SchedulerName::Rr(Arrangement::Creation);
        for file in files(&examples, "bpl") {
            for (name, machine) in boogie(&file) {
                add(row(&name, &machine, &rr, true));
            }
        }
        for file in files(&examples, "p") {
            for (name, machine) in p(std::slice::from_ref(&file), &stem(&file)) {
                add(row(&name, &machine, &SchedulerName::Rtc, true));
            }
        }
    }
    show_deviations(&all);
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn show_deviations(all: &[Deviations]) {
    println!(
        "\n| program | systematic | shrunk (median) | shrunk (greatest) | steps to shrink |\n|---|---|---|---|---|"
    );
    let mut ratios = Vec::new();
    for Deviations { name, systematic, shrunk, shrinking } in all {
        let (median, greatest) = (shrunk[shrunk.len() / 2], shrunk[shrunk.len() - 1]);
        println!("| {name} | {systematic} | {median} | {greatest} | {shrinking} |");
        ratios.extend(shrunk.iter().map(|one| f64::from(*one + 1) / f64::from(systematic + 1)));
    }
    ratios.sort_unstable_by(f64::total_cmp);
    if let (Some(middle), Some(greatest)) = (ratios.get(ratios.len() / 2), ratios.last()) {
        println!("\nratio of (deviations + 1): median {middle:.2}, greatest {greatest:.2}");
    }
}

/// The samplers that are tried alone: those of the portfolio, and `pos`.
fn samplers() -> Vec<SamplerName> {
    let mut samplers = SamplerName::portfolio();
    samplers.push(SamplerName::Pos);
    samplers
}

/// Searches and samples a program, if it has a bug.
fn row<P: Program>(name: &str, program: &P, scheduler: &SchedulerName, searches: bool) -> Option<Rows> {
    // A program without a bug is left out as soon as that is known.
    let found = if searches { Some(systematic(program, scheduler)?) } else { None };
    let portfolio = sample(program, scheduler, &SamplerName::portfolio());
    if portfolio.bugs.is_empty() && !searches {
        return None;
    }
    let each = samplers().into_iter().map(|sampler| sample(program, scheduler, &[sampler]));
    let each: String = each.map(|tried| format!(" {} |", tried.walks())).collect();
    let (states, time) = found.as_ref().map_or(("–".to_owned(), "–".to_owned()), |found| {
        (found.states.to_string(), format!("{:.1} ms", found.time.as_secs_f64() * 1e3))
    });
    let speed = samples_per_second(program, scheduler);
    let walks = format!("| {name} | {states} | {time} | {speed:.0} | {} |{each}", portfolio.walks());
    let mut shrunk = portfolio.bugs.clone();
    shrunk.sort_unstable();
    let deviations = found.filter(|_| !shrunk.is_empty()).map(|found| Deviations {
        name: name.to_owned(),
        systematic: found.cost,
        shrunk,
        shrinking: portfolio.shrinking,
    });
    Some(Rows { walks, deviations })
}

/// A systematic search that finds a bug.
struct Found {
    states: usize,
    time: Duration,
    cost: u32,
}

fn systematic<P: Program>(program: &P, scheduler: &SchedulerName) -> Option<Found> {
    let options = Options { memory: Some(2 << 30), choice_cost: 1, ..Options::default() };
    let (start, watch) = (Instant::now(), Deadline(Instant::now()));
    let policy = Delays::named(scheduler);
    let report = Search::new(program, &policy, &options, &watch).run();
    match report.verdict {
        Verdict::Bug(bug) => {
            Some(Found { states: report.coverage.states, time: start.elapsed(), cost: bug.cost })
        }
        _ => None,
    }
}

/// The result of sampling with several seeds.
#[derive(Default)]
struct Tried {
    /// The deviations of the bugs found.
    bugs: Vec<u32>,
    found_after: u64,
    shrinking: u64,
}

impl Tried {
    fn walks(&self) -> String {
        match self.bugs.len() as u64 {
            0 => "–".to_owned(),
            SEEDS => (self.found_after / SEEDS).to_string(),
            found => format!("{} ({found}/{SEEDS})", self.found_after / found),
        }
    }
}

fn sample<P: Program>(program: &P, scheduler: &SchedulerName, samplers: &[SamplerName]) -> Tried {
    let mut tried = Tried::default();
    for seed in 0..SEEDS {
        let options = SampleOptions {
            samplers: samplers.to_vec(),
            scheduler: scheduler.clone(),
            seed,
            walks: Some(WALKS),
            choice_cost: 1,
            ..SampleOptions::default()
        };
        let watch = Deadline(Instant::now());
        let mut sampler = Sampler::new(program, options, &watch);
        let end = sampler.run();
        let sampled = sampler.sampled();
        if let Slice::Bug(bug) = end {
            tried.bugs.push(bug.cost);
            tried.found_after += sampled.walks;
            tried.shrinking = tried.shrinking.max(sampled.shrinking);
        }
    }
    tried
}

/// The walks per second of one thread, without shrinking: at least for a hundred milliseconds.
fn samples_per_second<P: Program>(program: &P, scheduler: &SchedulerName) -> f64 {
    let (start, mut walks) = (Instant::now(), 0);
    for seed in 0.. {
        let options = SampleOptions {
            scheduler: scheduler.clone(),
            seed,
            walks: Some(WALKS),
            choice_cost: 1,
            shrinking: 0,
            ..SampleOptions::default()
        };
        let watch = Deadline(start);
        let mut sampler = Sampler::new(program, options, &watch);
        sampler.run();
        walks += sampler.sampled().walks;
        if start.elapsed() > Duration::from_millis(100) {
            break;
        }
    }
    walks as f64 / start.elapsed().as_secs_f64()
}

/// The files below a folder with this extension, sorted.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|other| other == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A Boogie program, without and with preemptions.
fn boogie(file: &Path) -> Vec<(String, dally_interp::Machine)> {
    let mut sources = SourceMap::default();
    let added = sources.add(stem(file), std::fs::read_to_string(file).unwrap_or_default());
    let Some(Ok(program)) = added.ok().map(|_| dally_bpl::load(&sources)) else { return Vec::new() };
    let machine = |preempt: bool| {
        let mut options = dally_interp::MachineOptions::default();
        options.program.preempt = preempt;
        let name = format!("{}{}", stem(file), if preempt { " --preempt" } else { "" });
        Some((name, dally_interp::Machine::new(&program, &sources, &options).ok()?))
    };
    [false, true].into_iter().filter_map(machine).collect()
}

/// The tests of a P program.
fn p(files: &[PathBuf], title: &str) -> Vec<(String, dally_p::Machine)> {
    let mut sources = SourceMap::default();
    for file in files {
        if sources.add(file.display().to_string(), std::fs::read_to_string(file).unwrap_or_default()).is_err()
        {
            return Vec::new();
        }
    }
    let Ok(program) = dally_p::load(&sources) else { return Vec::new() };
    let title = title.rsplit('/').next().unwrap_or(title);
    let named = |test: &dally_p::TestInfo| {
        let machine = dally_p::Machine::new(&program, test, &sources);
        Some((format!("{title} {}", test.name), machine))
    };
    program.tests.iter().filter_map(named).collect()
}
