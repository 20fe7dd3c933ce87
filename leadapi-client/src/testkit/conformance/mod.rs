//! Whether another implementation keeps the contract, sentence by sentence, over HTTP.
//!
//! Who writes the API anew, in whatever language, starts it with a known data set, says what that data set holds, and is
//! told which sentences of the contract hold:
//!
//! ```
//! use leadapi_client::testkit::{FakeLeadApi, conformance::{self, Target}};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), leadapi_core::BoxError> {
//! let api = FakeLeadApi::start().await;
//! // In place of somebody's server stands the fake. The token of the client is one with both scopes.
//! let target = Target::parse(r#"{"client_id": "casa-verde", "request_ids": false}"#)?;
//! let report = conformance::run(&api.client(), &target).await;
//! assert!(report.holds(), "{report}");
//! std::fs::write(std::env::temp_dir().join("contract.xml"), report.to_junit()?)?;
//! # Ok(()) }
//! ```
//!
//! The same from a command line, against a server that was started with the [standard](Target::standard) data set:
//!
//! ```console
//! $ leadapi-server serve --data leadapi-client/conformance/dataset.json \
//!       --reads-per-minute 100000 --writes-per-minute 100000 &
//! $ cargo run -p leadapi-tests --bin contract -- --url http://127.0.0.1:8080/v1 --junit contract.xml
//! ```
//!
//! - **What it asks.** Requests as bytes, good ones and bad ones, through the client's [`Transport`]; the client's own
//!   rules, its pace and its repetitions are not in the way.
//! - **What it needs to know** is in a [`Target`]: tokens by their role and a few ids. What a target does not name is
//!   [skipped](Outcome::Skipped) with the reason, and never taken to hold.
//! - **What it touches.** It creates leads of its own, and deletes them at its end. Nobody else should write to the two
//!   businesses meanwhile, because it counts.
//! - **How fast.** One request after the other. A 429 is waited for as long as `Retry-After` says, so a server with the
//!   contract's limits is checked within some six minutes, and one with raised limits within seconds.
//! - **What cannot be reached** is no reason to wait for each sentence: after a few requests without any answer the rest
//!   is broken unasked.
//!
//! [`Transport`]: crate::transport::Transport

mod answer;
mod ask;
mod junit;
mod report;
mod rules;
mod run;
mod sections;
mod target;

pub use self::{
    junit::JunitError,
    report::{Outcome, Report, Sentence, Violation},
    target::{InvalidTarget, Target},
};
use crate::Client;

/// Holds an implementation to the contract; the client says where it is, and its token is one with both scopes.
///
/// It never fails: whatever is wrong stands in the report, a server that is not there too.
///
/// ```
/// use leadapi_client::testkit::{FakeLeadApi, conformance::{self, Target}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), leadapi_core::BoxError> {
/// let api = FakeLeadApi::start().await;
/// let target = Target::parse(r#"{"client_id": "casa-verde", "request_ids": false}"#)?;
/// let report = conformance::run(&api.client(), &target).await;
/// assert!(report.holds(), "{report}");
/// # Ok(()) }
/// ```
pub async fn run(client: &Client, target: &Target) -> Report {
    let run = run::Run::new(client.shared(), target);
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
