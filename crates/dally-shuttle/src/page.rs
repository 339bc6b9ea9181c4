//! The page of a failing execution: a lane for each thread, its operations in the order of the execution, delays, and
//! the locks that are held.
//!
//! The execution is run once more in any case, to locate its delays. If a page is wanted, that run also [records](record) the
//! stack at every step, and [listens](objects) to what shuttle tells about locks and channels. The [trace](assemble) of it is written
//! as other pages of dally are, by `dally-trace`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use dally_text::source::SourceMap;
use dally_trace::{Look, Trace};

use crate::Config;

mod assemble;
mod objects;
mod record;
mod state;

pub(crate) use assemble::{Execution, trace};
pub(crate) use objects::{listen, panicked};
pub(crate) use record::Record;

/// The environment variable with the folder for pages of failing executions.
pub const HTML: &str = "DALLY_HTML";

/// Source files with more bytes are not shown.
const LARGEST_FILE: u64 = 4 << 20;

/// The configuration, with the folder for pages that the environment names, if it names none.
pub(crate) fn from_environment(config: Config) -> Config {
    let named = || std::env::var_os(HTML).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    Config { html: config.html.clone().or_else(named), ..config }
}

/// Writes the page of a trace into a folder.
pub(crate) fn write(folder: &Path, trace: &Trace, sources: &SourceMap) -> Result<PathBuf, String> {
    let refused = |path: &Path, error: &std::io::Error| format!("cannot write `{}`: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| refused(folder, &error))?;
    let path = fresh(folder);
    let page = dally_trace::html(trace, sources, &Look::default());
    std::fs::write(&path, page).map_err(|error| refused(&path, &error))?;
    Ok(path)
}

/// A file for the page of the current test, which no other page of this process has.
fn fresh(folder: &Path) -> PathBuf {
    static WRITTEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let name = test_name();
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut path = folder.join(format!("{name}.html"));
    let mut nth = 1;
    while !written.insert(path.clone()) {
        nth += 1;
        path = folder.join(format!("{name}-{nth}.html"));
    }
    path
}

/// The name of the test that runs on this thread, with that of its executable, fit for a file.
pub(crate) fn test_name() -> String {
    let executable = std::env::current_exe().unwrap_or_default();
    let stem = executable.file_stem().unwrap_or_default().to_string_lossy();
    // Cargo appends a hash.
    let stem = stem.rsplit_once('-').map_or(&*stem, |(name, _)| name);
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("test");
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = format!("{stem}-{}", test.replace("::", "-")).chars().map(fits).take(150).collect();
    name
}

/// The texts of the source files of a trace, as far as they can be read.
pub(crate) fn sources<'a>(files: impl Iterator<Item = &'a str>) -> SourceMap {
    let mut map = SourceMap::default();
    for file in files.collect::<BTreeSet<_>>() {
        let small = std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.len() <= LARGEST_FILE);
        let Some(text) = small.then(|| std::fs::read_to_string(file).ok()).flatten() else { continue };
        if map.add(file, text).is_err() {
            break;
        }
    }
    map
}
