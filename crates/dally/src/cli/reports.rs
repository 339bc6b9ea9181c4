//! The flags of reports: files about a search that are written whatever its verdict.

use clap::Args;

/// The heading of these flags in help texts.
const HEADING: &str = "Reports";

/// The files to which reports are written.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ReportFiles {
    /// Write what of the program was reached, and at which bound first: as a page if the name ends in .html, otherwise
    /// in the format of lcov
    #[arg(help_heading = HEADING, long, value_name = "FILE")]
    pub(crate) coverage: Option<String>,

    /// Write a table with a row for each bound: states, transitions, frontier, time, memory, new coverage
    #[arg(help_heading = HEADING, long, value_name = "FILE.csv")]
    pub(crate) stats: Option<String>,

    /// Write the graph of all states for Graphviz, coloured by bound, with failures and cycles, if there are few states
    #[arg(help_heading = HEADING, long, value_name = "FILE.dot")]
    pub(crate) graph: Option<String>,

    /// The most states of --graph
    #[arg(help_heading = HEADING, long, value_name = "N", default_value_t = 500, requires = "graph",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) graph_states: u32,

    #[command(flatten)]
    pub(crate) cases: CaseFiles,
}

/// The files to which a verdict is written for other tools.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CaseFiles {
    /// Write the verdict as a test case in the XML of JUnit, for continuous integration
    #[arg(help_heading = HEADING, long, value_name = "FILE.xml")]
    pub(crate) junit: Option<String>,

    /// Write the verdict with the locations of its trace as SARIF, for code scanning and editors
    #[arg(help_heading = HEADING, long, value_name = "FILE.sarif")]
    pub(crate) sarif: Option<String>,
}

impl CaseFiles {
    /// The files, each with its flag.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let files = [("--junit", &self.junit), ("--sarif", &self.sarif)];
        files.into_iter().filter_map(|(flag, file)| Some((flag, file.as_deref()?)))
    }
}

impl ReportFiles {
    /// The files, each with its flag.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let files = [("--coverage", &self.coverage), ("--stats", &self.stats), ("--graph", &self.graph)];
        files.into_iter().filter_map(|(flag, file)| Some((flag, file.as_deref()?))).chain(self.cases.named())
    }

    /// True if the search must record what it reaches at each bound.
    pub(crate) fn record_bounds(&self) -> bool {
        self.coverage.is_some() || self.stats.is_some()
    }
}
