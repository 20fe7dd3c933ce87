//! What the suite is told of an implementation: tokens by their role, and a few ids.

use std::time::Duration;

use leadapi_core::auth::BearerToken;
use serde::{Deserialize, Deserializer};

use super::report::Stop;
use crate::{Builder, Client};

/// Tokens by their role and ids by their part, as they are in the data set that an implementation was started with.
///
/// Only `client_id` must be there, beside a token with both scopes, which is that of the client or, for
/// [`client`](Self::client), `tokens.both`. What else is left out skips the sentences that need it.
///
/// ```
/// use leadapi_client::testkit::conformance::Target;
///
/// let target = Target::parse(r#"{
///     "tokens": {
///         "both": "pak_0001", "read": "pak_0002", "write": "pak_0003", "expired": "pak_0004", "revoked": "pak_0005",
///         "other_business": "pak_0006", "rate_limits": "pak_0007"
///     },
///     "client_id": "a client account of the business",
///     "second_client_id": "another one of it",
///     "pipelines": [
///         {"id": "a pipeline of it", "stages": ["its first stage", "and the others, in their order"]},
///         {"id": "another one", "stages": ["its first stage"]}
///     ],
///     "other_business": {"client_id": "c9", "pipeline_id": "p9", "stage_id": "s9"},
///     "request_ids": true
/// }"#)?;
/// # drop(target);
/// # Ok::<(), leadapi_client::testkit::conformance::InvalidTarget>(())
/// ```
///
/// `request_ids` says whether there is a server around the service, which gives each answer an `X-Request-Id` (contract
/// D2); without a word on it there is. Its `Debug` shows no token.
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

/// What is wrong with a target's text.
#[derive(Debug, thiserror::Error)]
#[error("the target cannot be read: {0}")]
pub struct InvalidTarget(#[from] serde_json::Error);

/// Who asks.
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
        // The text is not shown: it may be a secret that is only written wrongly.
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
    /// Reads a target, which is a JSON object.
    ///
    /// ```
    /// use leadapi_client::testkit::conformance::Target;
    ///
    /// let error = Target::parse(r#"{"clientid": "c1"}"#).unwrap_err();
    /// assert!(error.to_string().contains("unknown field `clientid`"));
    /// ```
    ///
    /// # Errors
    ///
    /// It is no JSON, or not of this shape; the text says where.
    pub fn parse(json: &str) -> Result<Self, InvalidTarget> {
        Ok(serde_json::from_str(json)?)
    }

    /// What the data set `conformance/dataset.json` of this crate holds.
    ///
    /// ```
    /// use leadapi_client::testkit::conformance::Target;
    ///
    /// let client = Target::standard().client("http://127.0.0.1:8080/v1").build()?;
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Never: the file that it reads is part of the crate.
    #[expect(clippy::expect_used, reason = "the file is part of the crate, and each test of the suite reads it")]
    pub fn standard() -> Self {
        Self::parse(include_str!("../../../conformance/target.json")).expect("a target")
    }

    /// The sentences on rate limits are checked too; they spend the limits of the token `tokens.rate_limits`, and take
    /// two minutes more.
    ///
    /// ```
    /// # use leadapi_client::testkit::conformance::Target;
    /// let target = Target::standard().with_rate_limits();
    /// # drop(target);
    /// ```
    #[must_use]
    pub const fn with_rate_limits(mut self) -> Self {
        self.rate_limits = true;
        self
    }

    /// Each request is given so long; 10 s unless said otherwise.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use leadapi_client::testkit::conformance::Target;
    /// let target = Target::standard().timeout(Duration::from_secs(1));
    /// # drop(target);
    /// ```
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The beginning of a client of this base URL with the target's token of both scopes.
    ///
    /// ```
    /// # use leadapi_client::testkit::conformance::Target;
    /// let client = Target::standard().client("http://127.0.0.1:8080/v1").build()?;
    /// # Ok::<(), leadapi_client::ConfigError>(())
    /// ```
    ///
    /// Without such a token it is [`build`](Builder::build) that says so.
    pub fn client(&self, url: &str) -> Builder {
        match &self.tokens.both {
            Some(Secret(token)) => Client::builder(url, token),
            None => Client::builder(url, ""),
        }
    }

    /// The token of a role; that of both scopes is the client's.
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

    /// A pipeline with its first stage and another one of it.
    pub(super) fn pipeline(&self) -> Result<(&str, &str, &str), Stop> {
        let found = self.pipelines.iter().find_map(|pipeline| match pipeline.stages.as_slice() {
            [first, .., other] => Some((pipeline.id.as_str(), first.as_str(), other.as_str())),
            _ => None,
        });
        found.ok_or_else(|| missing("pipeline with two stages (pipelines)"))
    }

    /// Another pipeline than [`pipeline`](Self::pipeline), with its first stage.
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
    Stop::Skipped(format!("the target names no {what}"))
}
