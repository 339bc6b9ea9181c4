//! The program `dally`.

/// Threads of a search free what others have allocated, at which the system's allocator makes them wait for one another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    dally::Dally::new().main()
}
