//! The length and the pattern that a text answer must have.

use regex_lite::{Regex, RegexBuilder};

#[cfg(feature = "check")]
use super::sample::sample;
use crate::{Field, Number, Question, problem::Problem};

/// The limits on a text answer: a short or long text, an email address, a phone number or a URL.
#[derive(Debug)]
pub(crate) struct Limits {
    min: Option<usize>,
    max: Option<usize>,
    pattern: Option<Regex>,
}

/// The number of patterns that one form may still compile. It bounds the memory of an untrusted form.
pub(super) struct PatternBudget(usize);

impl Default for PatternBudget {
    fn default() -> Self {
        Self(Limits::MAX_PATTERNS)
    }
}

impl Limits {
    /// The maximum number of patterns in a form. Further patterns are ignored.
    const MAX_PATTERNS: usize = 1_000;
    /// The maximum length in bytes of a pattern.
    const MAX_PATTERN: usize = 1_000;
    /// The maximum size in bytes of a compiled pattern.
    const MAX_COMPILED: usize = 32_768;
    /// The maximum length in bytes of text that is matched against a pattern. Longer text is accepted without matching,
    /// because the time for matching is proportional to the length of the text times the size of the pattern.
    const MAX_TEXT: usize = 10_000;

    /// Compiles the limits of a question, or returns `None` if it has none.
    pub(super) fn new(question: &Question, budget: &mut PatternBudget) -> Option<Box<Self>> {
        let pattern = question.pattern.as_str().filter(|_| budget.0 > 0).and_then(compile);
        budget.0 -= usize::from(pattern.is_some());
        let limits = Self { min: length(&question.min_length), max: length(&question.max_length), pattern };
        let any = limits.min.is_some() || limits.max.is_some() || limits.pattern.is_some();
        any.then(|| Box::new(limits))
    }

    /// Checks trimmed text.
    pub(super) fn check(&self, text: &str) -> Result<(), Problem> {
        // Text never has more characters than bytes, so the characters are rarely counted.
        if self.max.is_some_and(|max| text.len() > max && text.chars().nth(max).is_some()) {
            return Err(Problem::TooLong);
        }
        if self.min.is_some_and(|min| min > 0 && text.chars().nth(min - 1).is_none()) {
            return Err(Problem::TooShort);
        }
        let mut pattern = self.pattern.iter().filter(|_| text.len() <= Self::MAX_TEXT);
        if pattern.all(|pattern| pattern.is_match(text)) { Ok(()) } else { Err(Problem::PatternMismatch) }
    }

    /// Returns strings that are probably within the limits, for proofs.
    #[cfg(feature = "check")]
    pub(crate) fn samples(&self) -> Vec<String> {
        /// Proofs keep their samples, so the samples must be short.
        const MAX_CHARS: usize = 1_000;
        let mut samples: Vec<String> = self.pattern.iter().filter_map(|pattern| sample(pattern.as_str())).collect();
        let least = self.min.unwrap_or(1).max(1);
        if least <= MAX_CHARS {
            samples.push("x".repeat(least));
        }
        samples
    }

    /// Returns whether no length is valid.
    pub(crate) fn is_empty(&self) -> bool {
        matches!((self.min, self.max), (Some(min), Some(max)) if min > max)
    }

    /// Returns the minimum and the maximum length, as far as they are set.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = usize> {
        self.min.into_iter().chain(self.max)
    }

    pub(crate) fn min(&self) -> Option<usize> {
        self.min
    }

    pub(crate) fn max(&self) -> Option<usize> {
        self.max
    }

    pub(crate) fn has_pattern(&self) -> bool {
        self.pattern.is_some()
    }
}

/// Compiles a pattern, or returns `None` if it is too long, too large or not a regular expression that can be matched
/// in linear time.
fn compile(pattern: &str) -> Option<Regex> {
    if pattern.len() > Limits::MAX_PATTERN {
        return None;
    }
    RegexBuilder::new(pattern).size_limit(Limits::MAX_COMPILED).nest_limit(50).build().ok()
}

/// Returns a length, or `None` if the number is negative or not whole.
fn length(length: &Field<Number>) -> Option<usize> {
    length.get()?.as_i64()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, text: &str) -> Result<(), Problem> {
        let question: Question = serde_json::from_str(question).unwrap();
        Limits::new(&question, &mut PatternBudget::default()).map_or(Ok(()), |limits| limits.check(text))
    }

    #[test]
    fn characters_are_counted_and_a_pattern_matches_anywhere() {
        let lengths = r#"{"minLength":2,"maxLength":3}"#;
        assert_eq!(check(lengths, "ä"), Err(Problem::TooShort));
        assert_eq!([check(lengths, "äö"), check(lengths, "äöü")], [Ok(()), Ok(())]);
        assert_eq!(check(lengths, "äöüß"), Err(Problem::TooLong));
        assert_eq!(check(r#"{"pattern":"\\d{5}"}"#, "D-10115 Berlin"), Ok(()));
        assert_eq!(check(r#"{"pattern":"^\\d{5}$"}"#, "D-10115"), Err(Problem::PatternMismatch));
    }

    #[test]
    fn an_unusable_limit_is_ignored() {
        let large = format!(r#"{{"pattern":"{}"}}"#, "a".repeat(1_001));
        for question in [
            "{}",
            r#"{"minLength":-1,"maxLength":2.5,"pattern":7}"#,
            r#"{"pattern":"("}"#,
            r#"{"pattern":"(?=a)"}"#,
            r#"{"pattern":"(a{900}){900}"}"#,
            large.as_str(),
        ] {
            assert_eq!(check(question, "b"), Ok(()), "{question}");
        }
        // Backtracking engines take exponential time to match this pattern.
        assert_eq!(
            check(r#"{"pattern":"^(a+)+$"}"#, &format!("{}b", "a".repeat(5_000))),
            Err(Problem::PatternMismatch)
        );
        assert_eq!(check(r#"{"pattern":"^b"}"#, &"a".repeat(10_001)), Ok(()));
    }
}
