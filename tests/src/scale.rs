//! The scale of a test: small by default, and larger in a long run. `tests/long/run` sets the variables.

use std::{env, fmt::Display, str::FromStr};

/// Returns the number in this environment variable, or `default` if the variable is not set.
///
/// # Panics
///
/// Panics if the variable does not contain a number.
pub fn from_env<N: FromStr>(variable: &str, default: N) -> N {
    let Ok(text) = env::var(variable) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{variable} must be a number, not {text}"))
}

/// Prints what a run has done and found, on a line that `tests/long/run` copies into its report.
pub fn print_figures(figures: impl Display) {
    eprintln!("figures: {figures}");
}
