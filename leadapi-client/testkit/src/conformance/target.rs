//! The description of an implementation for the suite: tokens by role, and a few ids.

use std::time::Duration;

use leadapi_core::auth::BearerToken;
use serde::{Deserialize, Deserializer};

use super::report::Stop;
use leadapi_client::{Client, ClientBuilder};

/// A description of the implementation to check: tokens by role and ids by purpose. The tokens and ids come from the
/// implementation's data set.
///
/// Only `client_id` and a token with both scopes are required. A client from [`client`](Self::client) takes that token
/// from `tokens.both`; any other client has its own token. Requirements that need a missing token or id are skipped.
///
/// ```
/// use leadapi_testkit::conformance::Target;
///
/// let target = Target::parse(r#"{
///     "tokens": {
///         "both": "pak_0001", "read": "pak_0002", "write": "pak_0003", "expired": "pak_0004", "revoked": "pak_0005",
///         "other_business": "pak_0006", "rate_limits": "pak_0007"
///     },
///     "client_id": "a client account",
///     "second_client_id": "another client account of the same business",
///     "pipelines": [
///         {"id": "a pipeline", "stages": ["its first stage", "its other stages, in order"]},
///         {"id": "another pipeline", "stages": ["its first stage"]}
///     ],
///     "other_business": {"client_id": "c9", "pipeline_id": "p9", "stage_id": "s9"},
///     "request_ids": true
/// }"#)?;
/// # drop(target);
/// # Ok::<(), leadapi_testkit::conformance::InvalidTarget>(())
/// ```
///
/// Set `request_ids` to false if the implementation is checked without the server that adds an `X-Request-Id` to each
/// response (contract D2). The default is true. The `Debug` output shows no token.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    #[serde(default)]
    pub(super) tokens: Tokens,
    pub(super) client_id: String,
    second_client_id: Option<String>,
    #[serde(default)]
    pipelines: Vec<Pipeline>,
    other_business: Option<OtherBusiness>,
    #[serde(default = "yes")]
    pub(super) request_ids: bool,
    #[serde(skip)]
    pub(super) rate_limits: bool,
    #[serde(skip, default = "ten_seconds")]
    pub(super) timeout: Duration,
}

/// The error for an invalid target.
#[derive(Debug, thiserror::Error)]
#[error("the target cannot be read: {0}")]
pub struct InvalidTarget(#[from] serde_json::Error);

/// The role of a request's token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Both,
    Read,
    Write,
    Expired,
    Revoked,
    OtherBusiness,
    RateLimits,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Tokens {
    both: Option<Secret>,
    read: Option<Secret>,
    write: Option<Secret>,
    expired: Option<Secret>,
    revoked: Option<Secret>,
    other_business: Option<Secret>,
    rate_limits: Option<Secret>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pipeline {
    pub(super) id: String,
    stages: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OtherBusiness {
    #[serde(rename = "client_id")]
    pub(super) client: String,
    #[serde(rename = "pipeline_id")]
    pub(super) pipeline: String,
    #[serde(rename = "stage_id")]
    pub(super) stage: String,
}

#[derive(Debug, Clone)]
struct Secret(BearerToken);

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // The invalid string may be a mistyped secret, so the error does not contain it.
        BearerToken::parse(&text).map(Self).map_err(|_| serde::de::Error::custom("a token must begin with pak_"))
    }
}

const fn yes() -> bool {
    true
}

const fn ten_seconds() -> Duration {
    Duration::from_secs(10)
}

impl Target {
    /// Parses a target from a JSON object.
    ///
    /// ```
    /// use leadapi_testkit::conformance::Target;
    ///
    /// let error = Target::parse(r#"{"clientid": "c1"}"#).unwrap_err();
    /// assert!(error.to_string().contains("unknown field `clientid`"));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`InvalidTarget`] if the string is not JSON or does not have the expected structure. The error message
    /// states the position.
    pub fn parse(json: &str) -> Result<Self, InvalidTarget> {
        Ok(serde_json::from_str(json)?)
    }

    /// Returns the target for this crate's data set, `conformance/dataset.json`.
    ///
    /// ```
    /// use leadapi_testkit::conformance::Target;
    ///
    /// let client = Target::standard().client("http://127.0.0.1:8080/v1").build()?;
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Never panics, because the file is part of the crate and the tests parse it.
    #[expect(clippy::expect_used, reason = "the file is part of the crate, and each test of the suite reads it")]
    pub fn standard() -> Self {
        Self::parse(include_str!("../../conformance/target.json")).expect("a target")
    }

    /// Also checks the requirements for rate limits. These checks use up the limits of the token `tokens.rate_limits`
    /// and take about three more minutes.
    ///
    /// ```
    /// # use leadapi_testkit::conformance::Target;
    /// let target = Target::standard().with_rate_limits();
    /// # drop(target);
    /// ```
    #[must_use]
    pub const fn with_rate_limits(mut self) -> Self {
        self.rate_limits = true;
        self
    }

    /// Sets the timeout for each request. The default is 10 seconds.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_testkit::conformance::Target;
    /// let target = Target::standard().timeout(Duration::from_secs(1));
    /// # drop(target);
    /// ```
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns a client builder for this base URL, with the target's token that has both scopes.
    ///
    /// ```
    /// # use leadapi_testkit::conformance::Target;
    /// let client = Target::standard().client("http://127.0.0.1:8080/v1").build()?;
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// ```
    ///
    /// If the target has no such token, [`build`](ClientBuilder::build) fails.
    pub fn client(&self, url: &str) -> ClientBuilder {
        match &self.tokens.both {
            Some(Secret(token)) => Client::builder(url, token),
            None => Client::builder(url, ""),
        }
    }

    /// Returns the token for a role, or skips the requirement if the target has none. For `Role::Both`, a run uses the
    /// client's token instead.
    pub(super) fn token(&self, role: Role) -> Result<&BearerToken, Stop> {
        let tokens = &self.tokens;
        let (name, token) = match role {
            Role::Both => ("both", &tokens.both),
            Role::Read => ("read", &tokens.read),
            Role::Write => ("write", &tokens.write),
            Role::Expired => ("expired", &tokens.expired),
            Role::Revoked => ("revoked", &tokens.revoked),
            Role::OtherBusiness => ("other_business", &tokens.other_business),
            Role::RateLimits => ("rate_limits", &tokens.rate_limits),
        };
        token.as_ref().map(|Secret(token)| token).ok_or_else(|| missing(&format!("tokens.{name}")))
    }

    pub(super) fn second_client(&self) -> Result<&str, Stop> {
        self.second_client_id.as_deref().ok_or_else(|| missing("second_client_id"))
    }

    /// Returns the ids of a pipeline and of two of its stages, or skips the requirement if the target has no pipeline
    /// with two stages.
    pub(super) fn pipeline(&self) -> Result<(&str, &str, &str), Stop> {
        let found = self.pipelines.iter().find_map(|pipeline| match pipeline.stages.as_slice() {
            [first, .., other] => Some((pipeline.id.as_str(), first.as_str(), other.as_str())),
            _ => None,
        });
        found.ok_or_else(|| missing("pipeline with two stages (pipelines)"))
    }

    /// Returns the ids of a second pipeline and its first stage, or skips the requirement if the target has no second
    /// pipeline.
    pub(super) fn second_pipeline(&self) -> Result<(&str, &str), Stop> {
        let (first, ..) = self.pipeline()?;
        let mut others = self.pipelines.iter().filter(|pipeline| pipeline.id != first);
        let found = others.find_map(|pipeline| Some((pipeline.id.as_str(), pipeline.stages.first()?.as_str())));
        found.ok_or_else(|| missing("second pipeline (pipelines)"))
    }

    pub(super) fn other_business(&self) -> Result<&OtherBusiness, Stop> {
        self.other_business.as_ref().ok_or_else(|| missing("other_business"))
    }
}

fn missing(what: &str) -> Stop {
    Stop::Skipped(format!("the target has no {what}"))
}
