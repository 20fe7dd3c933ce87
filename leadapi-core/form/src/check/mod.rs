//! Form checks, which report errors, warnings and notes, each with a code and a JSON pointer.

mod code;
mod colour;
mod conditions;
mod finding;
mod flow;
mod foreign;
mod ids;
mod lead;
mod names;
mod order;
mod placement;
mod questions;
mod rules;
mod settings;
mod shape;
mod similar;
mod texts;

pub use code::{Code, Severity};
pub use finding::Finding;
use finding::Report;
use order::PageOrder;

use super::plan::Questionnaire;

impl Questionnaire<'_> {
    /// Checks the compiled version. Returns errors first, then warnings, then notes.
    ///
    /// The check compares the two versions, but otherwise ignores the version that was not compiled. It considers all
    /// combinations of answers, as far as the [`budget`](super::Policy::budget) allows. [`Code::meaning`] and
    /// [`Code::fix`] explain each kind of finding and how to fix it. If a code has many findings, the first
    /// [`MAX_PER_CODE`](Finding::MAX_PER_CODE) are listed and the rest are counted.
    ///
    /// Time and memory are roughly linear in the size of the record, in addition to the cost that the budget allows.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, Code, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"client_id":"c1","fields":[
    ///     {"id":"q_name","type":"short_text","label":"{nmae}, your name?","mappedKey":"name"}]}}"#)?;
    /// let findings = Questionnaire::compile(&record, Version::Live, &Policy::default()).check();
    /// let codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
    /// assert_eq!(codes, [Code::UnknownPlaceholder, Code::LeadWithoutName, Code::LeadWithoutContact]);
    /// assert_eq!(findings[0].pointer, "/form/fields/0/label");
    /// // The name is not required, so a walk without any answers creates a lead without a name.
    /// assert_eq!(findings[1].witness.as_ref().map(|answers| answers.iter().count()), Some(0));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn check(&self) -> Vec<Finding> {
        let mut report = Report::default();
        shape::check(self, &mut report);
        foreign::check(self, &mut report);
        ids::check(self, &mut report);
        questions::check(self, &mut report);
        rules::check(self, &mut report);
        let mut order = PageOrder::new(self);
        conditions::check(self, &mut order, &mut report);
        texts::check(self, &mut order, &mut report);
        lead::check(self, &mut report);
        placement::check(self, &mut report);
        settings::check(self, &mut report);
        flow::check(self, &mut report);
        report.finish()
    }
}
