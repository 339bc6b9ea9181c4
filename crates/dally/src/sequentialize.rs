//! `dally sequentialize`: translate an asynchronous program into a sequential one.

use dally_sequentialize::{Bounds, Sequential, Target, TranslationOptions};

use crate::cli::{Sequentialize, Translation};
use crate::language::Language;
use crate::output::{self, Exit};
use crate::print;

pub(crate) fn run(arguments: &Sequentialize) -> Exit {
    if let Some(message) = without_meaning(arguments) {
        return output::complain(&message);
    }
    let options = TranslationOptions {
        to: target(arguments),
        program: arguments.program.options(),
        reorder: arguments.bounds.reorder,
        chains: !arguments.no_chains,
    };
    let mut source = arguments.program.clone();
    // Other tools read values that the text leaves open as any of their type.
    source.c.all_values = Language::of(&source.files).name == "C";
    print::show(&source, arguments.json, |program| {
        let sequential = dally_sequentialize::sequentialize(program, &options)?;
        Ok(header(&options, &sequential) + &dally_bpl::print(&sequential.program.ast))
    })
}

/// Says which flag has no meaning here.
fn without_meaning(arguments: &Sequentialize) -> Option<String> {
    let to = arguments.to;
    if arguments.program.test.is_some() {
        return Some("--test is for P programs; dally sequentialize is for Boogie and C programs".to_owned());
    }
    arguments.bounds.without_meaning(to).or_else(|| {
        (arguments.no_chains && to != Translation::Buffers)
            .then(|| format!("--no-chains is for `buffers`: `{}` makes no chains of posts", to.name()))
    })
}

fn target(arguments: &Sequentialize) -> Target {
    let given = &arguments.bounds;
    let rounds = given.rounds.unwrap_or(2);
    let bounds = match (given.delays, given.rounds) {
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
            Target::Buffers { zields: given.zields.unwrap_or(2), yields: given.yields.unwrap_or(2) }
        }
        Translation::Synce => Target::Synce { rounds },
    }
}

/// A comment for the top of the output: the translation, and how to read its results.
fn header(options: &TranslationOptions, sequential: &Sequential) -> String {
    let root = sequential.program.ast.text(sequential.root);
    let also = match (options.program.preempt, options.reorder) {
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
