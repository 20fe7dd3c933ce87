#![doc = include_str!("../../README.md")]
#![forbid(unsafe_code)]

// This crate contains only the README, so that its code blocks run as doc tests with the examples' dependencies.
