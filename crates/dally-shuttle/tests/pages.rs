//! Pages of failing executions.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use dally_shuttle::{Config, HTML, Strategy, Verdict, check, explore};
use serde_json::Value;
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::sync::{Condvar, Mutex, RwLock, mpsc};
use shuttle::thread;

/// Explores a test, and reads the data of the page of its bug.
fn page_data(name: &str, test: impl Fn() + Send + Sync + 'static) -> (String, Value) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pages").join(name);
    let strategies = Strategy::list("rr").unwrap();
    let config =
        Config { html: Some(folder), strategies, samplers: Vec::new(), delays: Some(2), ..Config::default() };
    let report = explore(&config, test);
    let text = report.to_string();
    let Verdict::Bug(bug) = report.verdict else { panic!("{text}") };
    let path = bug.page.unwrap().unwrap();
    assert!(text.contains(&format!("page: {}", path.display())), "{text}");
    let page = std::fs::read_to_string(path).unwrap();
    let data = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap().1;
    (text, serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap())
}

/// The steps of the page, one line each: the task, the first entry, and the values that it changes.
fn lines(data: &Value) -> Vec<String> {
    let steps = data["trace"]["steps"].as_array().unwrap();
    let line = |step: &Value| {
        for task in step["delayed"].as_array().unwrap() {
            assert!(task["name"].is_string());
        }
        let entry = &step["statements"][0];
        let changes = entry["changes"].as_array().into_iter().flatten();
        let changes: Vec<String> = changes
            .map(|change| {
                format!("{} = {}", change["variable"].as_str().unwrap(), change["value"].as_str().unwrap())
            })
            .collect();
        let text = entry["text"].as_str().unwrap();
        format!("{} {text} [{}] {}", step["task"], changes.join(", "), step["end"]["how"].as_str().unwrap())
    };
    steps.iter().map(line).collect()
}

#[test]
fn a_page_of_a_deadlock_shows_who_holds_and_who_waits() {
    let (_, data) = page_data("deadlock", || {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = Arc::clone(&locks);
        let thread = thread::spawn(move || {
            let _second = other.1.lock().unwrap();
            let _first = other.0.lock().unwrap(); // THE THREAD WAITS
        });
        let first = locks.0.lock().unwrap();
        let second = locks.1.lock().unwrap();
        drop((first, second));
        thread.join().unwrap();
    });
    let first = "mutex 1 = held by main-thread (task 0)";
    let expected = [
        "0 begins [] yields",
        "0 spawn · let thread = thread::spawn(move || { [] yields",
        &format!("0 lock · let first = locks.0.lock().unwrap(); [{first}] yields"),
        "1 begins [] yields",
        &format!(
            "1 lock · let _second = other.1.lock().unwrap(); [{first}; waiting: thread (task 1), mutex 2 = held by \
             thread (task 1); waiting: main-thread (task 0)] blocks"
        ),
        "0 lock · let second = locks.1.lock().unwrap(); [] blocks",
    ];
    assert_eq!(lines(&data), expected);
    let trace = &data["trace"];
    assert_eq!((&trace["failure"]["kind"], &trace["cost"]), (&"deadlock".into(), &1.into()));
    assert_eq!(trace["steps"][3]["delayed"][0]["task"], 0);
    let waits =
        include_str!("pages.rs").lines().position(|line| line.ends_with("// THE THREAD WAITS")).unwrap();
    assert_eq!(trace["notes"][1], format!("thread 1 waits at tests/pages.rs:{}", waits + 1));
    let source = &data["sources"][0]["parts"][0]["lines"][waits];
    assert!(source.as_str().unwrap().contains("let _first"), "{source}");
    assert_eq!(data["arrows"][0]["kind"], "post");
}

/// Two messages to a thread, which announces its end.
fn messages() {
    let (sender, receiver) = mpsc::channel();
    let ready = Arc::new((Mutex::new(false), Condvar::new()));
    let there = Arc::clone(&ready);
    let last = Arc::new(RwLock::new(0));
    let written = Arc::clone(&last);
    let worker = thread::Builder::new().name("worker </script>".to_owned()).spawn(move || {
        while let Ok(number) = receiver.recv() {
            *written.write().unwrap() = number;
        }
        *there.0.lock().unwrap() = true;
        there.1.notify_one();
    });
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    drop(sender);
    let mut done = ready.0.lock().unwrap();
    while !*done {
        done = ready.1.wait(done).unwrap();
    }
    assert_eq!(*last.read().unwrap(), 3);
    worker.unwrap().join().unwrap();
}

#[test]
fn a_page_has_messages_condition_variables_and_readers() {
    let (_, data) = page_data("channel", messages);
    let lines = lines(&data);
    let find = |text: &str| {
        lines.iter().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{lines:#?}"))
    };
    let sent = [find("send(1)"), find("send(2)")];
    let received: Vec<usize> = (0..lines.len()).filter(|nth| lines[*nth].contains("recv · ")).collect();
    let arrows = data["arrows"].as_array().unwrap();
    let end = |arrow: &Value, name: &str| arrow[name].as_u64().unwrap() as usize;
    let messages = arrows.iter().filter(|arrow| arrow["kind"] == "message");
    let messages: Vec<_> = messages.map(|arrow| (end(arrow, "sent"), end(arrow, "received"))).collect();
    assert_eq!(messages, [(sent[0], received[0]), (sent[1], received[1])]);
    assert!(lines[sent[1]].contains("[channel 1 = 2 messages]"), "{lines:#?}");
    assert!(lines[received[1]].contains("[channel 1 = empty]"), "{lines:#?}");
    let worker = "worker </script> (task 1)";
    assert!(
        lines[find("write · ")].contains(&format!("[rwlock 1 = written by {worker}] yields")),
        "{lines:#?}"
    );
    let waits = "[mutex 1 = free, condvar 1 = waiting: main-thread (task 0)] blocks";
    assert!(lines[find("wait · ")].contains(waits), "{lines:#?}");
    assert!(lines[find("notify_one · ")].ends_with("[] completes"), "{lines:#?}");
    assert!(lines[find("read · ")].contains("[rwlock 1 = read by main-thread (task 0)]"), "{lines:#?}");
    // Unwinding releases the lock: the page shows it as it was when the assertion failed.
    assert_eq!(lines.last().unwrap(), "0 unwinds after the panic [] fails");
    let held =
        data["trace"]["globals"].as_array().unwrap().iter().find(|object| object["variable"] == "rwlock 1");
    assert_eq!(held.unwrap()["value"], "read by main-thread (task 0)");
}

#[test]
fn long_executions_show_their_ends() {
    let (_, data) = page_data("long", || {
        let counter = Arc::new(AtomicUsize::new(0));
        (0..12_000).for_each(|_| {
            counter.fetch_add(1, SeqCst);
        });
        assert_eq!(counter.load(SeqCst), 0);
    });
    let trace = &data["trace"];
    let (steps, all) =
        (trace["steps"].as_array().unwrap(), trace["schedule"]["steps"].as_array().unwrap().len());
    assert_eq!((steps.len(), all), (10_000, 12_002));
    assert_eq!(trace["left_out"], serde_json::json!({ "after": 5000, "steps": 2002 }));
    assert_eq!(steps[9_999]["number"], 12_002);
}

/// Run in a process of its own, by the test below.
#[test]
#[ignore = "fails, on purpose"]
fn fails_with_a_page() {
    check(|| assert!(thread::spawn(|| panic!("on purpose")).join().is_ok()));
}

#[test]
fn the_environment_names_the_folder() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pages").join("environment");
    let run = |folder: &std::path::Path| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["fails_with_a_page", "--exact", "--ignored", "--nocapture"])
            .env(HTML, folder)
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap()
    };
    let text = run(&folder);
    let page = folder.join("pages-fails_with_a_page.html");
    assert!(text.contains(&format!("page: {}", page.display())), "{text}");
    assert!(std::fs::read_to_string(&page).unwrap().contains("on purpose"));
    // The test fails with its own message, even if the page cannot be written.
    let text = run(&page);
    assert!(text.contains("no page is written: cannot write") && text.contains("on purpose"), "{text}");
}
