//! The binary: reads the command line and runs the command.

use std::process::ExitCode;

use leadapi_server::cli;
use mimalloc::MiMalloc;

/// A lead consists of many small allocations, and a page from a database of hundreds. This allocator serves them
/// faster than the system's and places them closer together.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    cli::main().await
}
