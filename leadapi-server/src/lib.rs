#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod cli;
mod demo;
mod seed;
mod serve;
mod stack;

pub use seed::{Minted, SAMPLE, Seeded};
pub use serve::Server;
pub use stack::stack;
