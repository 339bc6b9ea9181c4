//! The flags of C programs.

use clap::{Args, Parser, ValueEnum};
use dally_c::types::DataModel;

/// The heading of these flags in help texts. A heading of the whole struct would apply to all flags after it, too.
const HEADING: &str = "C programs";

/// The flags with which a C program is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct CArgs {
    /// Search this folder for headers, before dally's own
    #[arg(help_heading = HEADING, short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<String>,

    /// Define a macro
    #[arg(help_heading = HEADING, short = 'D', value_name = "NAME[=TEXT]")]
    pub(crate) define: Vec<String>,

    /// The widths of `long` and pointers: 64 bits in lp64, 32 bits in ilp32 [default: lp64]
    #[arg(help_heading = HEADING, long, value_enum, value_name = "NAME", hide_possible_values = true)]
    pub(crate) data_model: Option<ModelArg>,

    /// The values that are tried for nondeterministic integers, such as 0..3 [default: a few, by the program's constants]
    #[arg(help_heading = HEADING, long, value_name = "LO..HI", value_parser = range, allow_hyphen_values = true)]
    pub(crate) nondet: Option<Values>,

    /// Report signed integer overflow as a bug; otherwise it wraps around
    #[arg(help_heading = HEADING, long)]
    pub(crate) overflow: bool,

    /// Functions without a body: their results are arbitrary, or a call is unsupported [default: arbitrary]
    #[arg(help_heading = HEADING, long, value_enum, value_name = "WHAT", hide_possible_values = true)]
    pub(crate) external: Option<ExternalArg>,

    /// Let waits on condition variables end without a signal, and weak compare-exchanges fail for no reason
    #[arg(help_heading = HEADING, long)]
    pub(crate) spurious: bool,

    /// Let an allocation be at the address of memory that was freed; otherwise such memory is not reused
    #[arg(help_heading = HEADING, long)]
    pub(crate) reuse: bool,

    /// Let other threads run between the parts of plain accesses that are wider than 8, 16 or 32 bits [default: such accesses are
    /// indivisible]
    #[arg(help_heading = HEADING, long, value_name = "BITS", value_parser = width)]
    pub(crate) atomic_width: Option<u32>,

    /// Values that the program leaves open are any of their type: the program as dally verify sees it
    #[arg(help_heading = HEADING, long, hide = true)]
    pub(crate) all_values: bool,

    /// The C compiler that preprocesses the files [default: the environment variable CC, or cc]
    #[arg(help_heading = HEADING, long, value_name = "PROGRAM")]
    pub(crate) cc: Option<String>,
}

/// A range of values, bounds included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

fn range(text: &str) -> Result<Values, String> {
    let (low, high) = text.split_once("..").ok_or("a range is written as 0..3")?;
    let number = |text: &str| text.trim().parse::<i64>().map_err(|error| format!("`{text}`: {error}"));
    let values = Values { low: number(low)?, high: number(high.trim_start_matches('='))? };
    if values.low > values.high {
        return Err("the range is empty".to_owned());
    }
    Ok(values)
}

fn width(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(bits @ (8 | 16 | 32)) => Ok(bits),
        _ => Err("the width is 8, 16 or 32".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelArg {
    /// `long` and pointers have 64 bits
    Lp64,
    /// `int`, `long` and pointers have 32 bits
    Ilp32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExternalArg {
    /// The result is arbitrary, and nothing else changes
    Arbitrary,
    /// An execution that calls it is not supported
    Unsupported,
}

/// The flags of a trace, to be parsed again.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Recorded {
    #[command(flatten)]
    c: CArgs,
}

impl CArgs {
    /// The data model.
    pub(crate) fn model(&self) -> DataModel {
        match self.data_model {
            Some(ModelArg::Ilp32) => DataModel::Ilp32,
            Some(ModelArg::Lp64) | None => DataModel::Lp64,
        }
    }

    /// The flags that are given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let flags = [
            ("-I", !self.include.is_empty()),
            ("-D", !self.define.is_empty()),
            ("--data-model", self.data_model.is_some()),
            ("--nondet", self.nondet.is_some()),
            ("--overflow", self.overflow),
            ("--external", self.external.is_some()),
            ("--spurious", self.spurious),
            ("--reuse", self.reuse),
            ("--atomic-width", self.atomic_width.is_some()),
            ("--all-values", self.all_values),
            ("--cc", self.cc.is_some()),
        ];
        flags.into_iter().filter_map(|(flag, given)| given.then_some(flag)).collect()
    }

    /// The flags as a trace records them. It does not name a program to run.
    pub(crate) fn recorded(&self) -> Vec<String> {
        let mut flags: Vec<String> = self.include.iter().map(|folder| format!("-I{folder}")).collect();
        flags.extend(self.define.iter().map(|name| format!("-D{name}")));
        if self.model() == DataModel::Ilp32 {
            flags.push("--data-model=ilp32".to_owned());
        }
        flags.extend(self.nondet.map(|Values { low, high }| format!("--nondet={low}..{high}")));
        flags.extend(self.overflow.then(|| "--overflow".to_owned()));
        if self.external == Some(ExternalArg::Unsupported) {
            flags.push("--external=unsupported".to_owned());
        }
        flags.extend(self.spurious.then(|| "--spurious".to_owned()));
        flags.extend(self.reuse.then(|| "--reuse".to_owned()));
        flags.extend(self.all_values.then(|| "--all-values".to_owned()));
        flags.extend(self.atomic_width.map(|bits| format!("--atomic-width={bits}")));
        flags
    }

    /// The flags that a trace has recorded. An error is a message.
    pub(crate) fn of_trace(flags: &[String]) -> Result<Self, String> {
        let parsed = Recorded::try_parse_from(flags);
        let c = parsed.map_err(|_| "the flags of the trace cannot be read".to_owned())?.c;
        if c.cc.is_some() {
            return Err("the trace names a program to run, which is refused".to_owned());
        }
        Ok(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_survive_a_trace() {
        let c = CArgs {
            include: vec!["a b".to_owned()],
            define: vec!["N=3".to_owned(), "X".to_owned()],
            data_model: Some(ModelArg::Ilp32),
            nondet: Some(Values { low: -1, high: 4 }),
            overflow: true,
            external: Some(ExternalArg::Unsupported),
            spurious: true,
            reuse: true,
            atomic_width: Some(8),
            all_values: true,
            cc: None,
        };
        assert_eq!(CArgs::of_trace(&c.recorded()), Ok(c));
        assert_eq!(CArgs::of_trace(&[]), Ok(CArgs::default()));
        assert!(CArgs::of_trace(&["--cc=rm".to_owned()]).is_err());
        assert!(CArgs::of_trace(&["file.c".to_owned()]).is_err());
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(range("0..3"), Ok(Values { low: 0, high: 3 }));
        assert_eq!(range("-2..=2"), Ok(Values { low: -2, high: 2 }));
        assert_eq!(width("16"), Ok(16));
        assert!(width("12").is_err() && width("-8").is_err());
        assert!(range("3").is_err() && range("3..1").is_err());
    }
}
