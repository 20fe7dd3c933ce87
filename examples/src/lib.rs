#![doc = include_str!("../../README.md")]
#![forbid(unsafe_code)]

// There is nothing here but the README, whose code is tested with everything that examples may use.
