//! Models for the comparison of partial-order reductions. Each is a Rust model here, and a Promela
//! and a P or Boogie program in `bench/models`, with the same processes and channels.

pub mod commit;
pub mod german;
pub mod ring;
pub mod window;

/// Appends a message to a queue, which has 8 bits for each message, the oldest lowest. No message is 0.
fn append(queue: impl Into<u128>, message: u8) -> u128 {
    let queue = queue.into();
    queue | u128::from(message) << (u128::BITS - queue.leading_zeros()).next_multiple_of(8)
}
