//! The report as `JUnit` XML.

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::report::{Outcome, Report};

/// The error for a report that could not be written as XML.
#[derive(Debug, thiserror::Error)]
#[error("the report cannot be written as JUnit XML")]
pub struct JunitError(#[from] quick_junit::SerializeError);

impl Report {
    /// Returns the report as `JUnit` XML, with a suite for each section and a case for each requirement.
    ///
    /// ```
    /// # use leadapi_testkit::{FakeLeadApi, conformance::{self, Target}};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), leadapi_core::BoxError> {
    /// let api = FakeLeadApi::start().await;
    /// let target = Target::parse(r#"{"client_id": "casa-verde", "request_ids": false}"#)?;
    /// let report = conformance::run(&api.client(), &target).await;
    /// assert!(report.to_junit()?.contains(r#"<testsuites name="contract" "#));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`JunitError`] if the report cannot be written as XML. No report is known to cause this error.
    pub fn to_junit(&self) -> Result<String, JunitError> {
        let mut junit = quick_junit::Report::new("contract");
        for (name, sentences) in self.sections() {
            let mut suite = TestSuite::new(name);
            suite.add_test_cases(sentences.into_iter().map(|sentence| {
                let status = match &sentence.outcome {
                    Outcome::Holds => TestCaseStatus::success(),
                    Outcome::Skipped(reason) => {
                        let mut status = TestCaseStatus::skipped();
                        status.set_message(reason.as_str());
                        status
                    }
                    Outcome::Broken(violation) => {
                        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                        status.set_message(format!("expected {}", violation.expected));
                        status.set_description(violation.to_string());
                        status
                    }
                };
                let mut case = TestCase::new(sentence.text.as_str(), status);
                case.set_classname(format!("contract.{name}")).set_time(sentence.took);
                case
            }));
            junit.add_test_suite(suite);
        }
        Ok(junit.to_string()?)
    }
}
