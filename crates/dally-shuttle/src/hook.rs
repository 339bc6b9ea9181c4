//! Panics of the program under test: recorded during a search instead of printed.
//!
//! A program may panic many times and catch it, a failing execution is run twice, and shuttle's own hook prints its
//! schedule each time. So our hook replaces it on threads that run a search.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use shuttle::scheduler::RoundRobinScheduler;

use crate::{BugKind, Explorer};

/// A panic of the program under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Panic {
    pub(crate) message: String,
    /// File and line.
    pub(crate) place: Option<(String, u32)>,
}

struct Watch {
    explorer: Explorer,
    panics: Vec<Panic>,
}

thread_local! {
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
    static REPORTING: Cell<bool> = const { Cell::new(false) };
}

/// The failure of an execution: the message of its last panic, and all of its panics, the last one first.
pub(crate) struct Crash {
    pub(crate) message: String,
    pub(crate) panics: Vec<Panic>,
}

impl Crash {
    /// The panic that explains the failure: a `PoisonError` follows from an earlier panic.
    pub(crate) fn root(&self) -> Option<&Panic> {
        let is_poison = |panic: &Panic| panic.message.contains("PoisonError");
        let last = self.panics.first()?;
        if is_poison(last) {
            self.panics.iter().rfind(|panic| !is_poison(panic)).or(Some(last))
        } else {
            Some(last)
        }
    }

    /// The kind of failure, and the location of the panic that explains it. Executions that agree in it fail in the same way.
    pub(crate) fn signature(&self) -> (BugKind, Option<(String, u32)>) {
        let kind = BugKind::of(&self.message);
        let place = self.root().and_then(|panic| panic.place.clone());
        (kind, place.filter(|_| kind == BugKind::Panic))
    }
}

/// True if a source file belongs to shuttle.
pub(crate) fn is_in_shuttle(file: &str) -> bool {
    let is_shuttle = |folder: &str| {
        let version = folder.strip_prefix("shuttle-");
        version.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            || folder.starts_with("shuttle-engine-")
            || folder.starts_with("shuttle-std-")
            || folder.starts_with("shuttle-schedulers-")
    };
    file.split(['/', '\\']).any(is_shuttle)
}

/// Runs a search without printing its panics.
pub(crate) fn watch(explorer: &Explorer, search: impl FnOnce()) -> Result<(), Crash> {
    install();
    let watch = Watch { explorer: explorer.clone(), panics: Vec::new() };
    let outer = WATCH.replace(Some(watch));
    let result = panic::catch_unwind(AssertUnwindSafe(search));
    let watch = WATCH.replace(outer);
    result.map_err(|payload| {
        let panics = watch.into_iter().flat_map(|watch| watch.panics).rev().collect();
        Crash { message: message(payload.as_ref()), panics }
    })
}

/// An execution begins: panics of earlier ones, which the program caught, do not explain its failure.
pub(crate) fn begin_execution() {
    WATCH.with(|cell| {
        if let Ok(mut watch) = cell.try_borrow_mut() {
            watch.iter_mut().for_each(|watch| watch.panics.clear());
        }
    });
}

/// Panics with a report. The report is printed without shuttle's hook, which would add a schedule of its own.
#[track_caller]
pub(crate) fn fail(report: &str) -> ! {
    install();
    REPORTING.set(true);
    panic!("{report}");
}

/// Replaces shuttle's hook, which is installed at shuttle's first execution.
fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let nothing = shuttle::Runner::new(RoundRobinScheduler::new(1), shuttle::Config::default());
        nothing.run(|| {});
        let shuttles = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if REPORTING.take() {
                print(info);
            } else if !note(info) {
                shuttles(info);
            }
        }));
    });
}

#[allow(clippy::print_stderr, reason = "a panic is printed to standard error")]
fn print(info: &PanicHookInfo<'_>) {
    let place = info.location().map(|location| format!(" at {location}")).unwrap_or_default();
    eprintln!("panicked{place}:\n{}", message(info.payload()));
}

/// Records the panic, if a search runs on this thread.
fn note(info: &PanicHookInfo<'_>) -> bool {
    crate::page::panicked();
    WATCH.with(|cell| {
        // No code that borrows it can panic.
        let Ok(mut watch) = cell.try_borrow_mut() else { return false };
        let Some(watch) = watch.as_mut() else { return false };
        let place = info.location().map(|location| (location.file().to_owned(), location.line()));
        let panic = Panic { message: message(info.payload()), place };
        if panic.message == "panic in a destructor during cleanup" {
            last_words(watch);
        }
        // A program may catch any number of panics: the last ones explain the failure.
        if watch.panics.len() >= 64 {
            watch.panics.drain(..32);
        }
        watch.panics.push(panic);
        true
    })
}

/// Prints the panic of a process that is about to abort.
#[allow(clippy::print_stderr, reason = "the process is about to abort")]
fn last_words(watch: &Watch) {
    for Panic { message, place } in &watch.panics {
        let place = place.as_ref().map(|(file, line)| format!(" at {file}:{line}")).unwrap_or_default();
        eprintln!("panic{place}: {message}");
    }
    if let Some(schedule) = watch.explorer.inspect(crate::search::Search::schedule) {
        eprintln!("a panic in a destructor during another panic ends the process, under schedule {schedule}");
    }
}

fn message(payload: &dyn Any) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic with a value that is no text".to_owned())
}
