//! `dally sequentialize`: translate an asynchronous program into a sequential one.

use dally_sequentialize::{Bounds, Options, Sequential, Target};

use crate::cli::{Sequentialize, Translation};
use crate::output::{self, Exit};
use crate::print;

pub(crate) fn run(arguments: &Sequentialize) -> Exit {
    if let Some(message) = without_meaning(arguments) {
        return output::complain(&message);
    }
    let options = Options {
        to: target(arguments),
        entry: arguments.program.entry.clone(),
        preempt: arguments.program.preempt,
        reorder: arguments.reorder,
        chains: !arguments.no_chains,
    };
    print::show(&arguments.program.files, arguments.json, |program| {
        let sequential = dally_sequentialize::sequentialize(program, &options)?;
        Ok(header(&options, &sequential) + &dally_bpl::print(&sequential.ast))
    })
}

/// Says which flag is not one of the translation.
fn without_meaning(arguments: &Sequentialize) -> Option<String> {
    let to = arguments.to;
    let by_delays = matches!(to, Translation::Dfs | Translation::Df | Translation::Dfw);
    let buffers = to == Translation::Buffers;
    let own = match to {
        Translation::Dfs | Translation::Df | Translation::Dfw => "use --delays or --rounds",
        Translation::LalReps | Translation::Synce => "use --rounds",
        Translation::Buffers => "use --zields and --yields",
    };
    let name = target(arguments).name();
    let bounds = [
        ("--delays", arguments.delays.is_some() && !by_delays),
        ("--rounds", arguments.rounds.is_some() && buffers),
        ("--yields", arguments.yields.is_some() && !buffers),
        ("--zields", arguments.zields.is_some() && !buffers),
    ];
    if let Some((flag, _)) = bounds.into_iter().find(|(_, wrong)| *wrong) {
        return Some(format!("{flag} does not bound `{name}`: {own}"));
    }
    (arguments.no_chains && !buffers)
        .then(|| format!("--no-chains is for `buffers`: `{name}` makes no chains of posts"))
}

fn target(arguments: &Sequentialize) -> Target {
    let rounds = arguments.rounds.unwrap_or(2);
    let bounds = match (arguments.delays, arguments.rounds) {
        (Some(delays), None) => Bounds::delays(delays),
        (None, Some(rounds)) => Bounds::rounds(rounds),
        (None, None) => Bounds::delays(1),
        (Some(delays), Some(rounds)) => Bounds { delays: Some(delays), rounds },
    };
    match arguments.to {
        Translation::Dfs => Target::Dfs(bounds),
        Translation::Df => Target::Df(bounds),
        Translation::Dfw => Target::Dfw(bounds),
        Translation::LalReps => Target::LalReps { rounds },
        Translation::Buffers => {
            let rounds = |given: Option<u32>| given.unwrap_or(2);
            Target::Buffers { zields: rounds(arguments.zields), yields: rounds(arguments.yields) }
        }
        Translation::Synce => Target::Synce { rounds },
    }
}

/// What the program is, and how to read its results.
fn header(options: &Options, sequential: &Sequential) -> String {
    let root = sequential.ast.text(sequential.root);
    let also = match (options.preempt, options.reorder) {
        (false, false) => "",
        (true, false) => "// Tasks may be switched before each statement that touches a shared variable.\n",
        (false, true) => "// Posted tasks may be put off before they begin.\n",
        (true, true) => {
            "// Tasks may be switched before each statement that touches a shared variable, and put off before they \
             begin.\n"
        }
    };
    format!(
        "// Made by dally sequentialize: {}.\n\
         {also}\
         //\n\
         // Executions of `{root}` that reach its end are executions of the original program. There, each variable\n\
         // of the original program has its final value, and the assertion fails if one of its assertions does.\n\
         // In the order of the places of their tags, the pieces from {{:begins}} or {{:resumes}} to {{:pauses}} or\n\
         // {{:ends}} are the original execution.\n\n",
        options.to.describe()
    )
}
