//! Well-known concurrency bugs, one file each.

pub mod bank_account;
pub mod bounded_buffer;
pub mod cancellation;
pub mod classics;
pub mod lazy_initialisation;
pub mod lost_wakeup;
pub mod philosophers;
pub mod reader_writer;
pub mod relay;
pub mod sync;
pub mod token_ring;
pub mod treiber_stack;
pub mod two_stage;
pub mod work_stealing;
pub mod writers;
pub mod wrong_lock;

/// A program with a bug.
pub struct Program {
    pub name: &'static str,
    pub run: fn(),
}

macro_rules! programs {
    ($($name:ident: $run:expr),* $(,)?) => {
        &[$(Program { name: stringify!($name), run: $run }),*]
    };
}

/// All of them.
pub const PROGRAMS: &[Program] = programs! {
    bank_account: bank_account::run, lazy_initialisation: lazy_initialisation::run,
    lost_wakeup: lost_wakeup::run, work_stealing: work_stealing::run, treiber_stack: treiber_stack::run,
    bounded_buffer: bounded_buffer::run, reader_writer: reader_writer::run,
    philosophers: philosophers::run, token_ring: token_ring::run, two_stage: || two_stage::run(1),
    wrong_lock: wrong_lock::run, cancellation: cancellation::run, relay: relay::run,
    writers_3: || writers::run(3), writers_5: || writers::run(5),
    writers_10: || writers::run(10), writers_20: || writers::run(20), two_stage_100: || two_stage::run(99),
    account: classics::account, bluetooth: classics::bluetooth, carter: classics::carter,
    circular_buffer: classics::circular_buffer, deadlock: classics::deadlock, lazy: classics::lazy,
    queue: classics::queue, reorder_3: || classics::reorder(3), reorder_5: || classics::reorder(5),
    reorder_10: || classics::reorder(10), reorder_20: || classics::reorder(20), stack: classics::stack,
    string_buffer: classics::string_buffer, notified_before: classics::notified_before,
};
