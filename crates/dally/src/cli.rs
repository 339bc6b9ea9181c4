//! The flags, each defined once: help and completions come from here.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// dally finds bugs in asynchronous programs, and proves their absence where it can, by exploring few delays.
#[derive(Debug, Parser)]
#[command(
    name = "dally",
    version,
    about = "Finds bugs in asynchronous programs by exploring few delays",
    long_about = "dally finds bugs in asynchronous programs by exploring few delays.\n\n\
                  A deterministic scheduler fixes one order of tasks; each time it is told to delay the task \
                  that it would run next, one more deviation is explored. Programs are written in Boogie with \
                  asynchronous calls (.bpl); the spellings of c2s and of Corral are read as well.",
    after_help = "Exit codes:\n  \
                  0  all is well\n  \
                  1  a bug was found\n  \
                  2  usage or input error\n  \
                  3  inconclusive, or a construct that is not supported",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true)]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Print(Print),

    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  dally completions bash > ~/.local/share/bash-completion/completions/dally"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Check a program and print it in canonical form
///
/// Parses the files as one program, resolves names, checks types, and prints the program in canonical form: one
/// layout, one spelling of each asynchronous construct. All errors are reported at once.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
                  dally print program.bpl           check it and print it\n  \
                  dally print library.bpl main.bpl  several files are one program\n  \
                  generator | dally print -         read standard input\n  \
                  dally print --json program.bpl    errors as JSON, for editors and scripts\n\n\
                  Spellings that mean the same:\n  \
                  call {:async} p(e);        async call p(e);\n  \
                  call {:async} t := p(e);   call {:async t} r := p(e);\n  \
                  call r := wait(t);         assume {:wait r, t} true;\n  \
                  yield;                     assume {:yield} true;  call corral_yield();")]
pub(crate) struct Print {
    /// The files of the program; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On terminals, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Makes the choice hold for all output.
    pub(crate) fn write_global(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}
