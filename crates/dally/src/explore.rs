//! `dally explore`: a page on the loopback interface in which a user walks through the states of a program.

use dally_explore::SchedulerName;
use dally_explorer::Server;

use crate::cli::Explore;
use crate::input::Rejected;
use crate::language::Language;
use crate::output::{self, Exit};

pub(crate) fn run(arguments: &Explore) -> Exit {
    serve(arguments).unwrap_or_else(|exit| exit)
}

fn serve(arguments: &Explore) -> Result<Exit, Exit> {
    let language = Language::of(&arguments.program.files);
    let complain = |message: String| output::complain(&message);
    let flags = arguments.program.language_flags();
    language.refuses(&flags).map_or(Ok(()), |message| Err(complain(message)))?;
    let scheduler = match &arguments.scheduler {
        Some(name) => name.parse::<SchedulerName>().map_err(|error| complain(error.to_string()))?,
        None => language.scheduler.clone(),
    };
    let reject = |Rejected { sources, diagnostics }| output::show(&sources, &diagnostics);
    let loaded = language.load(&arguments.program).map_err(reject)?;
    let sources = loaded.sources();
    output::warn(sources, loaded.warnings());
    let program =
        loaded.compile(&arguments.program).map_err(|diagnostics| output::show(sources, &diagnostics))?;
    let server = Server::bind(arguments.port)
        .map_err(|error| complain(format!("cannot listen on 127.0.0.1:{}: {error}", arguments.port)))?;
    output::stdout(format!("exploring at {} (Ctrl-C ends)\n", server.url()).as_bytes());
    match program.explore(&server, &scheduler, sources) {
        Ok(()) => Ok(Exit::Success),
        Err(error) => Err(complain(format!("the server has ended: {error}"))),
    }
}
