//! Checks over HTTP whether another implementation meets the requirements of the contract.
//!
//! To check an implementation in any language, start it with a known data set and describe that data set in a
//! [`Target`]. The report states which requirements are met:
//!
//! ```
//! use leadapi_testkit::{FakeLeadApi, conformance::{self, Target}};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), leadapi_core::BoxError> {
//! let api = FakeLeadApi::start().await;
//! // The fake takes the place of another implementation. The client's token has both scopes.
//! let target = Target::parse(r#"{"client_id": "casa-verde", "request_ids": false}"#)?;
//! let report = conformance::run(&api.client(), &target).await;
//! assert!(report.holds(), "{report}");
//! std::fs::write(std::env::temp_dir().join("contract.xml"), report.to_junit()?)?;
//! # Ok(()) }
//! ```
//!
//! The equivalent commands, for a server with the [standard](Target::standard) data set:
//!
//! ```console
//! $ leadapi serve --data leadapi-client/testkit/conformance/dataset.json \
//!       --reads-per-minute 100000 --writes-per-minute 100000 &
//! $ cargo run -p leadapi-tests --bin contract -- --url http://127.0.0.1:8080/v1 --junit contract.xml
//! ```
//!
//! - **Requests.** The suite sends valid and invalid requests as bytes, through the client's [`Transport`]. The
//!   requests bypass the client's validation, rate limiting and retries.
//! - **Configuration.** A [`Target`] contains tokens by role and a few ids. Requirements that need a missing token or
//!   id are [skipped](Outcome::Skipped) with the reason, and are never reported as met.
//! - **Side effects.** The suite creates its own leads and deletes them at the end. Because the suite counts records,
//!   no other program should write to the two businesses during a run.
//! - **Duration.** Requests are sent one after the other, except in a check of concurrent creates. After a 429, the
//!   suite waits for `Retry-After`, so a run takes about sixteen minutes with the contract's limits and a few seconds
//!   with raised limits.
//! - **Unreachable servers.** After three consecutive connection failures or timeouts, the suite stops sending requests
//!   and reports the remaining requirements as violated.
//!
//! [`Transport`]: leadapi_client::transport::Transport

mod junit;
mod report;
mod request;
mod response;
mod rules;
mod run;
mod sections;
mod sender;
mod target;

pub use self::{
    junit::JunitError,
    report::{Outcome, Report, Sentence, Violation},
    target::{InvalidTarget, Target},
};
use leadapi_client::Client;

/// Checks an implementation against the contract. The client provides the base URL and a token with both scopes.
///
/// The run itself never fails. Problems such as an unreachable server appear in the report as violations.
///
/// ```
/// use leadapi_testkit::{FakeLeadApi, conformance::{self, Target}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), leadapi_core::BoxError> {
/// let api = FakeLeadApi::start().await;
/// let target = Target::parse(r#"{"client_id": "casa-verde", "request_ids": false}"#)?;
/// let report = conformance::run(&api.client(), &target).await;
/// assert!(report.holds(), "{report}");
/// # Ok(()) }
/// ```
pub async fn run(client: &Client, target: &Target) -> Report {
    let run = run::Run::new(client, target);
    sections::check(&run).await;
    run.finish().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_can_be_spawned() {
        const fn is_send<T: Send>(_: &T) {}
        let target = Target::standard();
        is_send(&run(&target.client("http://127.0.0.1:1/v1").build().unwrap(), &target));
    }
}
