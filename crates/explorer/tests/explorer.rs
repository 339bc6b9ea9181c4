//! Answers about paths, and the manners of the server.

#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use dally_explore::{Checked, Failure, Plan, Program, Successors, TaskId, Verdict};
use dally_explorer::{Explorer, ExplorerLimits, PathStep, Server, WalkPath};
use dally_trace::{Change, Explain, Taken, TaskNumbers};

/// Two tasks read a number and then write it, one higher. The second to write may lose what the first has written.
struct Increments;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    number: u32,
    /// The number that each task has read; true if it is done.
    read: [Option<u32>; 2],
    done: [bool; 2],
}

impl Program for Increments {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        out.push(State::default()).posts(TaskId(0)).posts(TaskId(1));
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        tasks.extend((0..2).filter(|task| !state.done[*task as usize]).map(TaskId));
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        let (mut next, me) = (state.clone(), task.0 as usize);
        match next.read[me].take() {
            None => {
                next.read[me] = Some(state.number);
                out.push(next);
            }
            Some(read) => {
                (next.number, next.done[me]) = (read + 1, true);
                let lost = next.done == [true; 2] && next.number < 2;
                let successor = out.push(next).completes();
                if lost {
                    successor.fails(Failure::assertion("an increment is lost"));
                }
            }
        }
    }
}

impl Explain for Increments {
    fn task_name(&self, _: &State, task: TaskId) -> String {
        format!("counter {task}")
    }

    fn action(&self, taken: &Taken<'_, State>) -> Option<String> {
        let reads = taken.before.read[taken.task.0 as usize].is_none();
        Some(if reads { "reads" } else { "writes" }.to_owned())
    }

    fn variables(&self, state: &State, _: &TaskNumbers) -> Vec<Change> {
        vec![Change { variable: "number".to_owned(), shared: true, value: state.number.to_string() }]
    }
}

fn explorer(program: &Increments) -> Explorer<'_, Increments> {
    Explorer::of_model(program, &"rr".parse().unwrap())
}

fn path(tasks: &[u32]) -> WalkPath {
    let steps = tasks.iter().map(|task| PathStep { task: *task, choices: Vec::new() }).collect();
    WalkPath { initial: 0, steps }
}

#[test]
fn a_view_shows_what_each_task_would_do() {
    let view = explorer(&Increments).view(&path(&[])).unwrap();
    let offers: Vec<_> =
        view.offers.iter().map(|offer| (offer.task, offer.cost, offer.delayed.len())).collect();
    assert_eq!(offers, [(0, 0, 0), (1, 1, 1)]);
    assert_eq!(view.offers[0].outcomes[0].statements[0].text, "· reads");
    let view = explorer(&Increments).view(&path(&[0, 1, 0])).unwrap();
    assert_eq!((view.spent, view.steps.len(), &*view.values[0].value), (2, 3, "1"));
    assert_eq!(view.steps[2].statements[0].text, "· writes");
    assert_eq!(view.offers[0].outcomes[0].failure.as_deref(), Some("assertion failed: an increment is lost"));
    let view = explorer(&Increments).view(&path(&[0, 0])).unwrap();
    assert_eq!(view.spent, 0, "round-robin keeps a task until it blocks or completes");
}

#[test]
fn a_bug_is_found_from_a_state() {
    let found = explorer(&Increments).find_bug(&path(&[0])).unwrap().unwrap();
    assert_eq!(found.steps[0].task, 0);
    let view = explorer(&Increments).view(&found).unwrap();
    assert!(view.failure.unwrap().contains("lost"));
    let trace = explorer(&Increments).trace(&found).unwrap();
    assert_eq!((trace.steps.len(), &*trace.failure.message), (found.steps.len(), "an increment is lost"));
    // After one task is done, nothing is lost any more.
    let none = explorer(&Increments).find_bug(&path(&[0, 0])).unwrap().unwrap_err();
    assert!(none.starts_with("no execution from here fails"), "{none}");
    let limited = explorer(&Increments).with_limits(ExplorerLimits { time: Duration::ZERO, states: 1 });
    assert!(limited.find_bug(&path(&[])).unwrap().is_err());
}

#[test]
fn paths_that_do_not_exist_are_refused() {
    let explorer = explorer(&Increments);
    assert_eq!(explorer.view(&path(&[7])).unwrap_err(), "step 1: task 7 cannot run here");
    assert!(explorer.view(&path(&[0, 0, 0])).unwrap_err().starts_with("step 3"));
    assert!(explorer.view(&WalkPath { initial: 3, steps: Vec::new() }).is_err());
    let choices = PathStep { task: 0, choices: vec![9] };
    assert!(explorer.view(&WalkPath { initial: 0, steps: vec![choices] }).is_err());
}

#[test]
fn checked_models_show_what_has_held() {
    let checked = Checked::new(Increments).eventually("two", |state| state.number == 2);
    assert!(matches!(checked.check(&Plan::exhaustive()).report.verdict, Verdict::Bug(_)));
    let explorer = Explorer::of_model(&checked, &"rr".parse().unwrap());
    let value = |tasks: &[u32]| explorer.view(&path(tasks)).unwrap().values[1].clone();
    assert_eq!((&*value(&[0]).variable, &*value(&[0]).value), ("eventually two", "not yet"));
    assert_eq!(value(&[0, 0, 1, 1]).value, "has held");
}

/// Sends a request as it is. Returns the answer.
fn ask(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn only_the_page_itself_is_answered() {
    let server = Server::bind(0).unwrap();
    let url = server.url();
    let rest = url.strip_prefix("http://127.0.0.1:").unwrap();
    let (port, token) = rest.trim_end_matches('/').split_once('/').unwrap();
    let (port, token): (u16, String) = (port.parse().unwrap(), token.to_owned());
    assert_eq!(token.len(), 32);
    std::thread::spawn(move || server.serve(&explorer(&Increments)));
    let host = format!("127.0.0.1:{port}");
    let request = |method: &str, path: &str, headers: &str, body: &str| {
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n");
        ask(port, &format!("{head}{headers}\r\n{body}"))
    };
    let own = format!("Host: {host}\r\n");
    let json = format!("{own}Content-Type: application/json\r\n");
    let status = |answer: &str| answer.split(' ').nth(1).map(str::to_owned).unwrap_or_default();
    let is = |answer: String, code: &str| assert_eq!(status(&answer), code, "{answer:.300}");
    let view = format!("/{token}/view");
    let page = request("GET", &format!("/{token}/"), &own, "");
    assert!(
        page.contains("200 OK") && page.contains("connect-src 'self'") && page.contains("no-store"),
        "{page:.900}"
    );
    let answer = request("POST", &view, &json, "{\"steps\":[]}");
    assert!(answer.contains("200 OK") && answer.contains("\"offers\""), "{answer}");
    is(request("POST", &view, &format!("{json}Origin: http://{host}\r\n"), "{\"steps\":[]}"), "200");
    // Another host, another origin, a form, another token, another method.
    is(request("GET", &format!("/{token}/"), "Host: evil.example\r\n", ""), "403");
    is(request("GET", &format!("/{token}/"), &format!("Host: evil.example:{port}\r\n"), ""), "403");
    is(request("POST", &view, &format!("{json}Origin: http://evil.example\r\n"), "{\"steps\":[]}"), "403");
    is(request("POST", &view, &format!("{json}Origin: null\r\n"), "{\"steps\":[]}"), "403");
    is(request("POST", &view, &format!("{own}Content-Type: text/plain\r\n"), "{\"steps\":[]}"), "403");
    is(request("GET", "/", &own, ""), "404");
    is(request("GET", &format!("/{}/", "0".repeat(32)), &own, ""), "404");
    is(request("GET", &view, &own, ""), "405");
    is(request("POST", &format!("/{token}/"), &json, "{}"), "405");
    is(request("POST", &format!("/{token}/other"), &json, "{}"), "404");
    // Nonsense.
    is(request("POST", &view, &json, "nonsense"), "400");
    is(request("POST", &view, &json, "{\"steps\":[{\"task\":9}]}"), "422");
}
