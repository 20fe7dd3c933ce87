//! The program `leadapi`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A lead needs many small allocations, and a page of leads from a database needs hundreds. The mimalloc allocator
/// serves them faster than the system allocator and packs them more closely.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    leadapi::main().await
}
