//! `dally explore`: a page on the loopback interface in which a user walks through the states of a program.

use dally_explorer::Server;

use crate::cli::Explore;
use crate::input::Rejected;
use crate::language::Language;
use crate::output::{self, Exit};
use crate::own::OwnSchedulers;
use crate::rules::Rules;

pub(crate) fn run(arguments: &Explore, own: &OwnSchedulers) -> Exit {
    serve(arguments, own).unwrap_or_else(|exit| exit)
}

fn serve(arguments: &Explore, own: &OwnSchedulers) -> Result<Exit, Exit> {
    let language = Language::of(&arguments.program.files);
    let complain = |message: String| output::complain(&message);
    let flags = arguments.program.language_flags();
    language.refuses(&flags).map_or(Ok(()), |message| Err(complain(message)))?;
    let mut scheduler = match &arguments.scheduler {
        Some(name) => own.parse(name).map_err(complain)?,
        None => language.scheduler.clone(),
    };
    let reject = |Rejected { sources, diagnostics }| output::show(&sources, &diagnostics);
    let rules = Rules::read(&arguments.order).map_err(reject)?;
    if let Some(rules) = &rules {
        scheduler = rules.around_one(scheduler).map_err(complain)?;
    }
    let loaded = language.load(&arguments.program).map_err(reject)?;
    let sources = loaded.sources();
    output::warn(sources, loaded.warnings());
    let program =
        loaded.compile(&arguments.program).map_err(|diagnostics| output::show(sources, &diagnostics))?;
    rules.map_or(Ok(()), |rules| rules.check(&program.names())).map_err(reject)?;
    let server = Server::bind(arguments.port)
        .map_err(|error| complain(format!("cannot listen on 127.0.0.1:{}: {error}", arguments.port)))?;
    output::stdout(format!("exploring at {} (Ctrl-C ends)\n", server.url()).as_bytes());
    match program.explore(&server, &scheduler, sources) {
        Ok(()) => Ok(Exit::Success),
        Err(error) => Err(complain(format!("the server has ended: {error}"))),
    }
}
