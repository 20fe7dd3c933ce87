//! A finding, and where findings are gathered.

use std::{collections::HashMap, fmt};

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{Code, Severity};
use crate::form::answer::Answers;

/// Something that was found in a form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is about.
    pub code: Code,
    /// Where it is in the record: a JSON pointer (RFC 6901).
    pub pointer: String,
    /// What was found, in one sentence for the form's author.
    pub message: String,
    /// Answers that show it, where it takes answers to see it: walk the form with them.
    pub witness: Option<Answers>,
    /// How many places have it: 1, but for the last finding of a code that has more than
    /// [`MAX_PER_CODE`](Self::MAX_PER_CODE). That one stands for all others, and points to the first of them.
    pub count: usize,
}

impl Finding {
    /// The most places of a code that have a finding of their own. A code with more of them has one finding more, which
    /// counts the others.
    pub const MAX_PER_CODE: usize = 100;

    /// How bad it is.
    ///
    /// ```
    /// # use leadapi_core::form::{FormRecord, Policy, Severity, Version};
    /// let record: FormRecord = serde_json::from_str("{}")?;
    /// let findings = record.compile(Version::Live, &Policy::default()).check();
    /// assert_eq!(findings[0].severity(), Severity::Error);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// One line: `error endless-walk at /form/pages/0: …`.
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
        finding.serialize_field("advice", self.code.advice())?;
        finding.serialize_field("witness", &self.witness)?;
        finding.serialize_field("count", &self.count)?;
        finding.end()
    }
}

/// Findings as they come. Those above the limit of their code are counted, and their texts are never made.
#[derive(Debug, Default)]
pub(super) struct Report {
    findings: Vec<Finding>,
    counts: HashMap<Code, Count>,
}

#[derive(Debug, Default)]
struct Count {
    all: usize,
    /// The place among the findings of the one that stands for the others.
    others: Option<usize>,
}

impl Report {
    pub(super) fn add(&mut self, code: Code, pointer: impl fmt::Display, message: impl fmt::Display) {
        self.push(code, &pointer, &message, None);
    }

    pub(super) fn show(
        &mut self,
        code: Code,
        pointer: impl fmt::Display,
        message: impl fmt::Display,
        witness: Answers,
    ) {
        self.push(code, &pointer, &message, Some(witness));
    }

    fn push(&mut self, code: Code, pointer: &dyn fmt::Display, message: &dyn fmt::Display, witness: Option<Answers>) {
        let count = self.counts.entry(code).or_default();
        count.all += 1;
        if count.others.is_some() {
            return;
        }
        if count.all > Finding::MAX_PER_CODE {
            count.others = Some(self.findings.len());
        }
        let (pointer, message) = (pointer.to_string(), message.to_string());
        self.findings.push(Finding { code, pointer, message, witness, count: 1 });
    }

    /// The findings, the worst first, and otherwise as they came.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        for count in self.counts.into_values() {
            if let Some(finding) = count.others.and_then(|others| self.findings.get_mut(others)) {
                finding.count = count.all - Finding::MAX_PER_CODE;
                finding.message = format!("and {} more of {}, from here on", finding.count, finding.code);
                finding.witness = None;
            }
        }
        self.findings.sort_by_key(Finding::severity);
        self.findings
    }
}
