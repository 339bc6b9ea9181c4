//! The table of dialects: how each solver is started, and which options it needs.

use std::path::Path;

/// The differences between solvers.
#[derive(Debug)]
pub struct Dialect {
    /// The names of its programs, or prefixes of them (`z3-4.13`); the usual one first.
    pub programs: &'static [&'static str],
    /// Command-line flags that make it read SMT-LIB 2 commands from its input.
    pub flags: &'static [&'static str],
    /// Commands sent before all others: options, and the logic where the solver wants one.
    pub setup: &'static str,
    /// How to change the mode of queries, if the solver can.
    pub modes: Option<Modes>,
    /// Further commands, after `setup`, each of which makes another solver of it: where one takes long, others may not.
    pub variants: &'static [&'static str],
    /// True if it decides constrained Horn clauses (`(set-logic HORN)`).
    pub horn: bool,
}

/// True if the solver of this name decides constrained Horn clauses.
pub fn has_horn_clauses(name: &str) -> bool {
    Named::new(name).dialect.horn
}

/// Commands that set the mode of the queries that follow: see [`dally_verify::QueryMode`]. The limit is a measure of work
/// rather than of time, so that it is the same on all machines.
#[derive(Debug)]
pub struct Modes {
    /// The initial mode.
    pub models: &'static str,
    /// No search for models of quantifiers.
    pub triggers: &'static str,
    /// Gives up soon: after a second or two.
    pub limited: &'static str,
}

/// All solvers with a dialect of their own.
pub const DIALECTS: &[Dialect] = &[
    Dialect {
        programs: &["z3"],
        flags: &["-in", "-smt2"],
        // Automatic configuration, and long searches for models of quantifiers, cost more than they find. The older
        // arithmetic, that of Boogie and Dafny, and the phase selection that tries `true` first, which is to follow one
        // path, together take a tenth to a half less time on most programs of the papers, and a third of it on the tests
        // of Corral.
        setup: "(set-option :print-success false)\n\
                (set-option :auto_config false)\n\
                (set-option :smt.mbqi.max_iterations 10)\n\
                (set-option :smt.arith.solver 2)\n\
                (set-option :smt.phase_selection 1)\n",
        // Queries of limited effort are about axioms: more rounds of model-based quantifier instantiation find the values
        // for which an axiom does not hold.
        modes: Some(Modes {
            models: "(set-option :rlimit 0)\n(set-option :smt.mbqi true)\n\
                     (set-option :smt.mbqi.max_iterations 10)\n",
            triggers: "(set-option :rlimit 0)\n(set-option :smt.mbqi false)\n",
            limited: "(set-option :rlimit 4000000)\n(set-option :smt.mbqi true)\n\
                      (set-option :smt.mbqi.max_iterations 1000)\n",
        }),
        variants: &[
            // Boogie's own: splits on the literals that the goal depends on. It is lost in fewer array equations.
            "(set-option :smt.case_split 3)\n",
            "(set-option :smt.arith.solver 6)\n(set-option :smt.phase_selection 3)\n\
             (set-option :smt.random_seed 7)\n",
            "(set-option :smt.case_split 3)\n(set-option :smt.arith.solver 6)\n(set-option :smt.random_seed 11)\n",
            "(set-option :smt.relevancy 0)\n(set-option :smt.random_seed 13)\n",
        ],
        horn: true,
    },
    Dialect {
        programs: &["cvc5"],
        flags: &["--lang=smt2", "--incremental", "--produce-models", "--quiet"],
        setup: SET_LOGIC,
        modes: None,
        variants: &[],
        horn: false,
    },
    Dialect {
        programs: &["yices-smt2", "yices"],
        flags: &["--incremental"],
        setup: SET_LOGIC,
        modes: None,
        variants: &[],
        horn: false,
    },
];

/// The dialect of a program that the table does not name: plain SMT-LIB 2.
const OTHER: Dialect =
    Dialect { programs: &[], flags: &[], setup: SET_LOGIC, modes: None, variants: &[], horn: false };

const SET_LOGIC: &str = "(set-logic ALL)\n";

/// A solver as the user names it: a program, perhaps with flags (`z3 smt.random_seed=1`).
#[derive(Debug)]
pub(crate) struct Named<'n> {
    pub(crate) program: &'n str,
    pub(crate) flags: Vec<&'n str>,
    pub(crate) dialect: &'static Dialect,
}

impl<'n> Named<'n> {
    pub(crate) fn new(name: &'n str) -> Named<'n> {
        let mut words = name.split_whitespace();
        let (program, flags) = match words.next() {
            // A path may contain spaces.
            Some(program) if !Path::new(name).exists() => (program, words.collect()),
            _ => (name, Vec::new()),
        };
        let stem = Path::new(program).file_stem().and_then(|s| s.to_str()).unwrap_or(program);
        let dialect =
            DIALECTS.iter().find(|d| d.programs.iter().any(|p| stem.starts_with(p))).unwrap_or(&OTHER);
        Named { program, flags, dialect }
    }
}

#[cfg(test)]
mod tests {
    use super::Named;

    #[test]
    fn a_dialect_is_found_by_the_name_of_the_program() {
        let program = |name: &str| Named::new(name).dialect.programs.first().copied().unwrap_or("");
        assert_eq!(program("z3"), "z3");
        assert_eq!(program("/opt/z3-4.13/bin/z3-4.13.exe smt.random_seed=1"), "z3");
        assert_eq!(program("cvc5"), "cvc5");
        assert_eq!(program("yices-smt2 --timeout=5"), "yices-smt2");
        assert_eq!(program("yices"), "yices-smt2");
        assert_eq!(program("mathsat"), "");
        assert_eq!(Named::new("z3  a b").flags, ["a", "b"]);
    }
}
