//! Runs a Rust sample of the API reference. For example, `cargo run -p leadapi-examples --example docs_samples paging`
//! runs the sample `paging`.
//!
//! The base URL is in `LEADAPI_URL`, the token in `LEADAPI_TOKEN`. `tests/outside/samples.py` runs all samples.

#![allow(clippy::print_stdout, reason = "the samples report to the terminal")]

/// Includes each sample as a module, because each has its own `main`.
macro_rules! samples {
    ($($name:ident)*) => {
        $(mod $name {
            include!(concat!("../../leadapi-server/pages/src/reference/samples/", stringify!($name), ".rs"));

            pub(super) fn run() -> Result<(), Box<dyn std::error::Error>> {
                main()
            }
        })*

        fn run(name: &str) -> Result<(), Box<dyn std::error::Error>> {
            match name {
                $(stringify!($name) => $name::run(),)*
                _ => Err(format!("no sample is called {name:?}").into()),
            }
        }
    };
}

samples!(authentication errors paging idempotency limits);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&std::env::args().nth(1).ok_or("name a sample")?)
}
