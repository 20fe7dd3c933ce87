//! A finding, and where findings are gathered.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{Code, Severity};
use crate::form::{answer::Answers, plan::Questionnaire};

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
}

impl Finding {
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
        let mut finding = serializer.serialize_struct("Finding", 5)?;
        finding.serialize_field("code", &self.code)?;
        finding.serialize_field("severity", self.severity().as_str())?;
        finding.serialize_field("pointer", &self.pointer)?;
        finding.serialize_field("message", &self.message)?;
        finding.serialize_field("witness", &self.witness)?;
        finding.end()
    }
}

/// Findings as they come.
#[derive(Debug, Default)]
pub(super) struct Report(Vec<Finding>);

impl Report {
    pub(super) fn add(&mut self, code: Code, pointer: impl Into<String>, message: impl Into<String>) {
        self.0.push(Finding { code, pointer: pointer.into(), message: message.into(), witness: None });
    }

    pub(super) fn show(
        &mut self,
        code: Code,
        pointer: impl Into<String>,
        message: impl Into<String>,
        witness: Answers,
    ) {
        self.0.push(Finding { code, pointer: pointer.into(), message: message.into(), witness: Some(witness) });
    }

    /// The findings, the worst first, and otherwise as they came.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.0.sort_by_key(Finding::severity);
        self.0
    }
}

/// Where things stand in the record.
impl Questionnaire<'_> {
    pub(super) fn at(&self, member: impl fmt::Display) -> String {
        format!("{}/{member}", self.source.pointer())
    }

    pub(super) fn page_at(&self, page: usize) -> String {
        match self.pages.get(page).and_then(|page| page.at) {
            Some(at) => self.at(format_args!("pages/{at}")),
            None => "/form".to_owned(),
        }
    }

    pub(super) fn question_at(&self, question: usize) -> String {
        let plan = self.questions.get(question);
        let (page, at) = plan.map_or((0, 0), |question| (question.page, question.at));
        format!("{}/fields/{at}", self.page_at(page))
    }

    pub(super) fn rule_at(&self, at: usize) -> String {
        self.at(format_args!("logic/rules/{at}"))
    }

    pub(super) fn ending_at(&self, at: usize) -> String {
        self.at(format_args!("settings/endings/{at}"))
    }

    /// What a page is called in a message.
    pub(super) fn page_name(&self, page: usize) -> String {
        match self.pages.get(page).and_then(|page| page.id) {
            Some(id) => format!("page {id:?}"),
            None => format!("page number {}", page + 1),
        }
    }
}
