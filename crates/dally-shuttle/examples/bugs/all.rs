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

const fn program(name: &'static str, run: fn()) -> Program {
    Program { name, run }
}

/// All of them.
pub const PROGRAMS: &[Program] = &[
    program("bank_account", bank_account::run),
    program("lazy_initialisation", lazy_initialisation::run),
    program("lost_wakeup", lost_wakeup::run),
    program("work_stealing", work_stealing::run),
    program("treiber_stack", treiber_stack::run),
    program("bounded_buffer", bounded_buffer::run),
    program("reader_writer", reader_writer::run),
    program("philosophers", philosophers::run),
    program("token_ring", token_ring::run),
    program("two_stage", || two_stage::run(1)),
    program("wrong_lock", wrong_lock::run),
    program("cancellation", cancellation::run),
    program("relay", relay::run),
    program("writers_3", || writers::run(3)),
    program("writers_5", || writers::run(5)),
    program("writers_10", || writers::run(10)),
    program("writers_20", || writers::run(20)),
    program("two_stage_100", || two_stage::run(99)),
    program("account", classics::account),
    program("bluetooth", classics::bluetooth),
    program("carter", classics::carter),
    program("circular_buffer", classics::circular_buffer),
    program("deadlock", classics::deadlock),
    program("lazy", classics::lazy),
    program("queue", classics::queue),
    program("reorder_3", || classics::reorder(3)),
    program("reorder_5", || classics::reorder(5)),
    program("reorder_10", || classics::reorder(10)),
    program("reorder_20", || classics::reorder(20)),
    program("stack", classics::stack),
    program("string_buffer", classics::string_buffer),
    program("notified_before", classics::notified_before),
];
