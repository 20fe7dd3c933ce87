//! A compiled form together with its record.

use leadapi_form::{Answers, FormRecord, Policy, Questionnaire, Version};
use self_cell::self_cell;
use serde_json::Error;

self_cell!(
    /// A record together with the compiled form that borrows it, because a JavaScript object cannot borrow.
    struct RecordAndForm {
        owner: FormRecord,
        #[covariant]
        dependent: Questionnaire,
    }

    impl {Debug}
);

/// A compiled form. Its methods take and return JSON, like the WebAssembly module, but also work in native code.
#[derive(Debug)]
pub struct CompiledForm(RecordAndForm);

impl CompiledForm {
    /// Compiles a version of a record. The locale, such as `de`, replaces the locale of the form.
    ///
    /// # Errors
    ///
    /// Returns an error if `record` is not a JSON object.
    pub fn compile(record: &str, draft: bool, locale: Option<String>) -> Result<Self, Error> {
        let version = if draft { Version::Draft } else { Version::Live };
        let mut policy = Policy::default();
        policy.locale = locale;
        let record = serde_json::from_str(record)?;
        Ok(Self(RecordAndForm::new(record, |record| Questionnaire::compile(record, version, &policy))))
    }

    /// Walks through the form with these answers, and returns the walk as
    /// [`Walk::to_json`](leadapi_form::Walk::to_json) describes it.
    ///
    /// # Errors
    ///
    /// Returns an error if `answers` is not a JSON object.
    pub fn walk(&self, answers: &str, fallback: &str) -> Result<String, Error> {
        let answers: Answers = serde_json::from_str(answers)?;
        serde_json::to_string(&self.0.borrow_dependent().walk(&answers).to_json(fallback))
    }

    /// Checks the form, and returns the findings.
    ///
    /// # Errors
    ///
    /// Returns an error if a finding cannot be written as JSON.
    #[cfg(feature = "check")]
    pub fn check(&self) -> Result<String, Error> {
        serde_json::to_string(&self.0.borrow_dependent().check())
    }

    /// Returns the version that was compiled: `live` or `draft`.
    pub fn version(&self) -> &'static str {
        match self.0.borrow_dependent().version() {
            Version::Live => "live",
            Version::Draft => "draft",
        }
    }
}
