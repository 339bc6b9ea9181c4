//! The pipes of a solver process, one thread for each: a solver that neither reads nor answers cannot block the run.

use std::io::{Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, Sender};

/// Kept of the error output, in bytes.
const MOST_ERRORS: usize = 1 << 12;

/// Writes to the input of a solver. The thread terminates when the sender is dropped, or the solver closes its input.
pub(crate) fn writer(mut stdin: ChildStdin) -> Sender<String> {
    let (sender, receiver) = mpsc::channel::<String>();
    std::thread::spawn(move || {
        for text in receiver {
            if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// Reads the output of a solver in pieces.
pub(crate) fn reader(mut stdout: ChildStdout) -> Receiver<Vec<u8>> {
    // The bound holds back a solver that prints without end.
    let (sender, receiver) = mpsc::sync_channel(64);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(n) = stdout.read(&mut buffer) {
            if n == 0 || sender.send(buffer[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Reads the error output of a solver to its end, and sends the beginning of it.
pub(crate) fn collector(mut stderr: ChildStderr) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let (mut kept, mut buffer) = (Vec::new(), vec![0; 1 << 12]);
        while let Ok(n @ 1..) = stderr.read(&mut buffer) {
            let room = MOST_ERRORS - kept.len();
            kept.extend(&buffer[..n.min(room)]);
        }
        // Fails if the process has been dropped meanwhile.
        let _ = sender.send(kept);
    });
    receiver
}
