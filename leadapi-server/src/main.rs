//! The binary: reads the command line and runs the command.

use std::process::ExitCode;

use leadapi_server::cli;
use mimalloc::MiMalloc;

/// A lead is made of small pieces, and a page of leads from a database of hundreds, which lie closer and are had sooner
/// here than where the system would put them.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    cli::main().await
}
