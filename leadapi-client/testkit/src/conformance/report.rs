//! The report of a run, and its human-readable form.

use std::{fmt, time::Duration};

/// The result of a run: which requirements of the contract are met. The `Display` output groups the requirements by
/// section and includes all violations.
///
/// ```
/// use leadapi_testkit::{FakeLeadApi, conformance::{self, Target}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), leadapi_core::BoxError> {
/// let api = FakeLeadApi::start().await;
/// let target = Target::parse(r#"{"client_id": "not-ours", "request_ids": false}"#)?;
/// let report = conformance::run(&api.client(), &target).await;
/// assert!(!report.holds());
/// let text = report.to_string();
/// assert!(text.contains("BROKEN  POST /leads answers 201"));
/// assert!(text.contains("actual    403 Forbidden"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The requirements, in the order in which they were checked.
    pub sentences: Vec<Sentence>,
    /// The ids of leads that the suite created but could not delete.
    pub left_behind: Vec<String>,
}

/// A requirement of the contract, stated in one sentence, and its result.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Sentence {
    /// The section of the contract, such as `D3` or `5`.
    pub section: &'static str,
    /// The requirement in plain words.
    pub text: String,
    /// The result of the check.
    pub outcome: Outcome,
    /// The duration of the check.
    pub took: Duration,
}

/// The result of checking a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The responses to all requests that were sent meet the requirement.
    Holds,
    /// A response violates the requirement, or no response was received.
    Broken(Violation),
    /// The requirement was not checked. The string states the reason.
    Skipped(String),
}

/// A violation of a requirement. It contains no tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The request that exposed the violation.
    pub request: String,
    /// The required response.
    pub expected: String,
    /// The response that was received, or the reason why there was none.
    pub actual: String,
}

/// The reason why a check ends early.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    Skipped(String),
    Broken(Violation),
}

impl Report {
    /// Returns true if no requirement is violated. Skipped requirements do not count as violated. The report states how
    /// many requirements were skipped.
    ///
    /// ```
    /// # use leadapi_testkit::{FakeLeadApi, conformance::{self, Outcome, Target}};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), leadapi_core::BoxError> {
    /// let api = FakeLeadApi::start().await;
    /// let target = Target::parse(r#"{"client_id": "casa-verde", "request_ids": false}"#)?;
    /// let report = conformance::run(&api.client(), &target).await;
    /// assert!(report.holds());
    /// assert!(report.sentences.iter().any(|sentence| matches!(sentence.outcome, Outcome::Skipped(_))));
    /// # Ok(()) }
    /// ```
    pub fn holds(&self) -> bool {
        !self.sentences.iter().any(|sentence| matches!(sentence.outcome, Outcome::Broken(_)))
    }

    /// Groups the requirements by section, in the order of each section's first requirement.
    pub(super) fn sections(&self) -> Vec<(&'static str, Vec<&Sentence>)> {
        let mut sections: Vec<(&'static str, Vec<&Sentence>)> = Vec::new();
        for sentence in &self.sentences {
            match sections.iter_mut().find(|(name, _)| *name == sentence.section) {
                Some((_, sentences)) => sentences.push(sentence),
                None => sections.push((sentence.section, vec![sentence])),
            }
        }
        sections
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut held, mut broken, mut skipped) = (0, 0, 0);
        for (name, sentences) in self.sections() {
            writeln!(f, "{name}")?;
            for Sentence { text, outcome, .. } in sentences {
                match outcome {
                    Outcome::Holds => {
                        held += 1;
                        writeln!(f, "  holds   {text}")?;
                    }
                    Outcome::Skipped(reason) => {
                        skipped += 1;
                        writeln!(f, "  skipped {text}: {reason}")?;
                    }
                    Outcome::Broken(violation) => {
                        broken += 1;
                        writeln!(f, "  BROKEN  {text}\n{violation}")?;
                    }
                }
            }
        }
        if !self.left_behind.is_empty() {
            writeln!(f, "leads that could not be deleted: {}", self.left_behind.join(", "))?;
        }
        write!(f, "{held} hold, {broken} broken, {skipped} skipped")
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "          request   {}\n          expected  {}\n          actual    {}",
            self.request, self.expected, self.actual
        )
    }
}
