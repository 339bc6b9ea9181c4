//! The command line of dally: flags, files, terminal and exit codes. Everything else is a library.

mod budget;
mod check;
mod cli;
mod explain;
mod explore;
mod input;
mod language;
mod outcome;
mod output;
mod p_flags;
mod preprocess;
mod print;
mod regression;
mod replay;
mod sequentialize;
mod show;
mod status_line;
mod traces;
mod verify;

use clap::FromArgMatches;

use crate::output::Exit;

/// Threads of a search free what others have allocated, at which the system's allocator makes them wait for one another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let command = cli::command();
    let arguments = match p_flags::translate(cli::join_optional_values(std::env::args_os()), &command) {
        Ok(arguments) => arguments,
        Err(message) => return output::complain(&message).into(),
    };
    let matches = command.try_get_matches_from(arguments);
    match matches.and_then(|matches| cli::Cli::from_arg_matches(&matches)) {
        Ok(arguments) => run(arguments),
        Err(message) => output::usage(&message),
    }
    .into()
}

fn run(mut arguments: cli::Cli) -> Exit {
    arguments.color.write_global();
    if let Some(program) = arguments.command.program_mut()
        && let Err(message) = program.find_files()
    {
        return output::complain(&message);
    }
    match arguments.command {
        cli::Command::Check(check) => check::run(&check),
        cli::Command::Replay(replay) => replay::run(&replay),
        cli::Command::Show(show) => show::run(&show),
        cli::Command::Explore(arguments) => explore::run(&arguments),
        cli::Command::Print(print) => print::run(&print),
        cli::Command::Sequentialize(arguments) => sequentialize::run(&arguments),
        cli::Command::Verify(arguments) => verify::run(&arguments),
        cli::Command::Explain(explain) => explain::run(&explain),
        cli::Command::Man(man) => manual(&man),
        cli::Command::Completions { shell } => completions(shell),
    }
}

fn completions(shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "dally", &mut script);
    output::stdout(&script)
}

/// Manual pages follow from the definitions of the flags.
fn manual(arguments: &cli::Man) -> Exit {
    let command = cli::command();
    if let Some(folder) = &arguments.folder {
        return match clap_mangen::generate_to(command, folder) {
            Ok(()) => Exit::Success,
            Err(error) => output::complain(&format!("cannot write to `{folder}`: {error}")),
        };
    }
    let mut page = Vec::new();
    match clap_mangen::Man::new(command).render(&mut page) {
        Ok(()) => output::stdout(&page),
        Err(error) => output::complain(&format!("cannot write the page: {error}")),
    }
}
