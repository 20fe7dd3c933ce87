//! What came of each sentence, for people.

use std::{fmt, time::Duration};

/// Which sentences of the contract hold. It is shown as a text, by section, with what is broken in full.
///
/// ```
/// use leadapi_client::testkit::{FakeLeadApi, conformance::{self, Target}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), leadapi_core::BoxError> {
/// let api = FakeLeadApi::start().await;
/// let target = Target::parse(r#"{"client_id": "not one of the business", "request_ids": false}"#)?;
/// let report = conformance::run(&api.client(), &target).await;
/// assert!(!report.holds());
/// let text = report.to_string();
/// assert!(text.contains("BROKEN  POST /leads answers 201"));
/// assert!(text.contains("came      403 Forbidden"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// In the order in which they were checked.
    pub sentences: Vec<Sentence>,
    /// Ids of leads that the suite made and could not delete.
    pub left_behind: Vec<String>,
}

/// A sentence of the contract, and what came of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Sentence {
    /// The section that it is of, such as `D3`, or `5` of the specification.
    pub section: &'static str,
    /// In plain words.
    pub text: String,
    /// Whether it holds.
    pub outcome: Outcome,
    /// How long it took to find out.
    pub took: Duration,
}

/// Whether a sentence holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It does, for all that was asked.
    Holds,
    /// It does not.
    Broken(Violation),
    /// It was not asked, for this reason.
    Skipped(String),
}

/// How a sentence is broken; without tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The request.
    pub asked: String,
    /// What should have come of it.
    pub expected: String,
    /// What did.
    pub came: String,
}

/// Why a check ends before its end.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    Skipped(String),
    Broken(Violation),
}

impl Report {
    /// Whether no sentence is broken. Those that were skipped are not known to hold; the text counts them.
    ///
    /// ```
    /// # use leadapi_client::testkit::{FakeLeadApi, conformance::{self, Outcome, Target}};
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

    /// The sections, each with its sentences, in the order of their first ones.
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
            "          asked     {}\n          expected  {}\n          came      {}",
            self.asked, self.expected, self.came
        )
    }
}
