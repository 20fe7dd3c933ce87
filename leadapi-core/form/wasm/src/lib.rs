//! The form engine of leadapi for browsers and Node.js: compiles a form record, walks through it, and checks it.
//!
//! Records, answers and results are passed as JSON text, so the numbers of a record stay exact. The package in
//! `package/` converts them to objects and describes their types.

mod form;

use wasm_bindgen::prelude::*;

pub use form::CompiledForm;

/// A compiled form.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Form(CompiledForm);

#[wasm_bindgen]
impl Form {
    /// Compiles a version of a record from JSON: the draft if `draft` is true or the form was never published, and
    /// otherwise the published version. The locale, such as `de`, replaces the locale of the form.
    ///
    /// # Errors
    ///
    /// Returns an error if `record` is not a JSON object.
    pub fn compile(record: &str, draft: bool, locale: Option<String>) -> Result<Self, JsError> {
        Ok(Self(CompiledForm::compile(record, draft, locale)?))
    }

    /// Walks through the form with these answers, a JSON object that maps question ids to answers. Returns the walk as
    /// JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if `answers` is not a JSON object.
    pub fn walk(&self, answers: &str, fallback: &str) -> Result<String, JsError> {
        Ok(self.0.walk(answers, fallback)?)
    }

    /// Checks the form (feature `check`). Returns a JSON array of findings.
    ///
    /// # Errors
    ///
    /// Returns an error if a finding cannot be written as JSON.
    #[cfg(feature = "check")]
    pub fn check(&self) -> Result<String, JsError> {
        Ok(self.0.check()?)
    }

    /// Returns the version that was compiled: `live` or `draft`.
    pub fn version(&self) -> String {
        self.0.version().to_owned()
    }
}
