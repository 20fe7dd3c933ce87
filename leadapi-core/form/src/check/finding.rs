//! Findings, and the report that collects them.

use std::{borrow::Cow, collections::HashMap, fmt};

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{Code, Severity};
use crate::answer::Answers;

/// A problem, or another fact about a form that its author should know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of the finding.
    pub code: Code,
    /// The JSON pointer (RFC 6901) to the finding's location in the record.
    pub pointer: String,
    /// A message for the form's author. It names the page, question, option, ending or rule that the finding is about,
    /// if any, by its title and its id.
    pub message: String,
    /// The fix, in one imperative sentence: the general fix of the code ([`Code::fix`]), or a fix specific to this
    /// finding.
    pub fix: Cow<'static, str>,
    /// Answers with which a walk reproduces the finding. Present for [`Code::EndlessWalk`], [`Code::LeadWithoutName`]
    /// and [`Code::LeadWithoutContact`].
    pub witness: Option<Answers>,
    /// The number of locations to which the finding applies, normally 1. If a code has more than
    /// [`MAX_PER_CODE`](Self::MAX_PER_CODE) locations, its last finding represents all remaining locations and points
    /// to the first of them.
    pub count: usize,
}

impl Finding {
    /// The maximum number of findings that are listed individually for each code. One more finding represents the rest.
    pub const MAX_PER_CODE: usize = 100;

    /// Returns the severity.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, FormRecord, Policy, Severity, Version};
    /// let record: FormRecord = serde_json::from_str("{}")?;
    /// let findings = Questionnaire::compile(&record, Version::Live, &Policy::default()).check();
    /// assert_eq!(findings[0].severity(), Severity::Error);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// Formats the finding as one line, such as `error endless-walk at /form/pages/0: …`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at {}: {}", self.severity(), self.code, self.pointer, self.message)
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut finding = serializer.serialize_struct("Finding", 7)?;
        finding.serialize_field("code", &self.code)?;
        finding.serialize_field("severity", self.severity().as_str())?;
        finding.serialize_field("pointer", &self.pointer)?;
        finding.serialize_field("message", &self.message)?;
        finding.serialize_field("fix", &self.fix)?;
        finding.serialize_field("witness", &self.witness)?;
        finding.serialize_field("count", &self.count)?;
        finding.end()
    }
}

/// The findings so far. When a code exceeds its limit, further findings are counted but not formatted.
#[derive(Debug, Default)]
pub(super) struct Report {
    findings: Vec<Finding>,
    counts: HashMap<Code, Count>,
}

#[derive(Debug, Default)]
struct Count {
    all: usize,
    /// The index of the finding that represents the remaining locations.
    others: Option<usize>,
}

impl Report {
    pub(super) fn add(&mut self, code: Code, pointer: impl fmt::Display, message: impl fmt::Display) {
        self.push(code, &pointer, &message, || Cow::Borrowed(code.fix()), None);
    }

    /// Like [`add`](Self::add), but if `fix` returns a fix for this finding, that fix replaces the general fix of the
    /// code. `fix` is not called for a finding that is only counted.
    pub(super) fn add_with_fix(
        &mut self,
        code: Code,
        pointer: impl fmt::Display,
        message: impl fmt::Display,
        fix: impl FnOnce() -> Option<String>,
    ) {
        let fix = || fix().map_or(Cow::Borrowed(code.fix()), Cow::Owned);
        self.push(code, &pointer, &message, fix, None);
    }

    pub(super) fn add_with_witness(
        &mut self,
        code: Code,
        pointer: impl fmt::Display,
        message: impl fmt::Display,
        witness: Answers,
    ) {
        self.push(code, &pointer, &message, || Cow::Borrowed(code.fix()), Some(witness));
    }

    fn push(
        &mut self,
        code: Code,
        pointer: &dyn fmt::Display,
        message: &dyn fmt::Display,
        fix: impl FnOnce() -> Cow<'static, str>,
        witness: Option<Answers>,
    ) {
        let count = self.counts.entry(code).or_default();
        count.all += 1;
        if count.others.is_some() {
            return;
        }
        if count.all > Finding::MAX_PER_CODE {
            count.others = Some(self.findings.len());
        }
        let (pointer, message) = (pointer.to_string(), message.to_string());
        self.findings.push(Finding { code, pointer, message, fix: fix(), witness, count: 1 });
    }

    /// Returns the findings, most severe first. Findings of the same severity stay in insertion order.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        for count in self.counts.into_values() {
            if let Some(finding) = count.others.and_then(|others| self.findings.get_mut(others)) {
                finding.count = count.all - Finding::MAX_PER_CODE;
                finding.message = format!("and {} more {} findings, starting here", finding.count, finding.code);
                finding.fix = Cow::Borrowed(finding.code.fix());
                finding.witness = None;
            }
        }
        self.findings.sort_by_key(Finding::severity);
        self.findings
    }
}
