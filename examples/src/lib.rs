//! The examples stand beside this file, in `examples/`: `cargo run -p leadapi-examples --example no_runtime`.
