//! The smallest and the largest value that a question accepts.

use crate::{Bound, Field, Number, Question, date, problem::Problem};

/// The inclusive bounds of numbers or dates. A bound of the wrong type is ignored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds<T> {
    pub min: Option<T>,
    pub max: Option<T>,
}

impl Bounds<f64> {
    pub(super) fn numbers(question: &Question) -> Self {
        let number = |bound: &Field<Bound>| bound.as_number().and_then(Number::as_f64);
        Self { min: number(&question.min), max: number(&question.max) }
    }
}

impl Bounds<i32> {
    pub(super) fn dates(question: &Question) -> Self {
        let date = |bound: &Field<Bound>| bound.as_text().and_then(date::parse);
        Self { min: date(&question.min), max: date(&question.max) }
    }
}

impl<T: Copy + PartialOrd> Bounds<T> {
    /// Takes absent bounds from `other`.
    pub(super) fn or(self, other: Self) -> Self {
        Self { min: self.min.or(other.min), max: self.max.or(other.max) }
    }

    pub(super) fn check(&self, value: T, too_small: Problem, too_large: Problem) -> Result<(), Problem> {
        if self.min.is_some_and(|min| value < min) {
            return Err(too_small);
        }
        if self.max.is_some_and(|max| value > max) {
            return Err(too_large);
        }
        Ok(())
    }

    /// Returns whether no value is within the bounds.
    pub(crate) fn is_empty(&self) -> bool {
        matches!((self.min, self.max), (Some(min), Some(max)) if min > max)
    }
}

/// Parses a decimal number to the nearest double. Accepts only a sign, digits, a decimal point and an exponent.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    // For text with only these characters, Rust's parser accepts exactly the decimal numbers. The check excludes `inf`
    // and `nan`.
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimal_numbers_are_parsed() {
        for (text, number) in
            [("5", 5.0_f64), (" -5. ", -5.0), ("+.5", 0.5), ("1e3", 1000.0), ("007", 7.0), ("1E-2", 0.01)]
        {
            assert_eq!(decimal(text).map(f64::to_bits), Some(number.to_bits()), "{text}");
        }
        for text in
            ["", " ", "+", ".", "e", "1e", "1e+", "--1", "0x10", "inf", "nan", "infinity", "1_000", "1 000", "٣"]
        {
            assert_eq!(decimal(text), None, "{text}");
        }
        assert_eq!(decimal("1e400"), Some(f64::INFINITY));
    }
}
