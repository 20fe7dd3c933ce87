//! The file format for tokens (contract D8). An entry contains the secret, requests a new secret, or describes a token
//! that was exported from a store.

use serde::{Deserialize, Serialize};

use super::{InvalidDataset, Place, Seen};
use crate::{
    auth::{BearerToken, Scopes, TokenHash},
    dataset::{TokenOrigin, TokenSeed},
    id::TokenId,
    model::Timestamp,
    validate::{check_email, check_token_name},
};

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawToken {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<TokenId>,
    name: String,
    scopes: Scopes,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
    /// The secret. A file that is read may contain it, but this crate never writes it to a file.
    #[serde(skip_serializing)]
    token: Option<String>,
}

impl RawToken {
    /// Converts a token for writing. A data set has no creation time for a token whose secret it supplies
    /// (`TokenOrigin::Given`), so that token gets the time `at`.
    pub(super) fn of(seed: &TokenSeed, at: Timestamp) -> Self {
        let record = seed.record(at);
        Self {
            id: record.as_ref().map(|record| record.id.clone()),
            name: seed.name.clone(),
            scopes: seed.scopes,
            created_at: record.as_ref().map(|record| record.created_at),
            expires_at: seed.expires_at,
            revoked_at: seed.revoked_at,
            prefix: record.as_ref().map(|record| record.hint.clone()),
            hash: record.as_ref().map(|record| record.hash.to_hex()),
            last_used_at: record.as_ref().and_then(|record| record.last_used_at),
            created_by: record.and_then(|record| record.created_by),
            token: None,
        }
    }

    pub(super) fn check(self, place: &Place<'_>, seen: &mut Seen) -> Result<TokenSeed, InvalidDataset> {
        check_token_name(&self.name).map_err(|rule| InvalidDataset::new(format_args!("{place}.name"), rule))?;
        let wrong = |key: &str, rule: &str| InvalidDataset::new(format_args!("{place}.{key}"), rule);
        let (created_by, last_used_at) = (self.created_by, self.last_used_at);
        if self.hash.is_none() && (created_by.is_some() || last_used_at.is_some()) {
            return Err(wrong("hash", "is missing: it is required with created_by and last_used_at"));
        }
        if let Some(Err(rule)) = created_by.as_deref().map(check_email) {
            return Err(wrong("created_by", &rule.to_string()));
        }
        let origin = match (self.token, self.id, self.created_at, self.hash, self.prefix) {
            (None, None, None, None, None) => TokenOrigin::Open,
            (Some(text), None, None, None, None) => {
                let secret = BearerToken::parse(&text).ok().filter(BearerToken::has_good_checksum);
                let secret = secret.ok_or_else(|| wrong("token", "is not a token, or its checksum is wrong"))?;
                seen.once("token hash", secret.hash().to_hex(), format_args!("{place}.token"), "occurs twice")?;
                TokenOrigin::Given(secret)
            }
            (None, Some(id), Some(created_at), Some(hash), Some(hint)) => {
                let hash = TokenHash::from_hex(&hash).map_err(|rule| wrong("hash", &rule.to_string()))?;
                if !BearerToken::is_hint(&hint) {
                    return Err(wrong("prefix", "must be the start of a token: pak_ and at most four more characters"));
                }
                seen.id("token", id.as_str(), place)?;
                seen.once("token hash", hash.to_hex(), format_args!("{place}.hash"), "occurs twice")?;
                TokenOrigin::Kept { id, created_at, hash, hint, created_by, last_used_at }
            }
            (Some(_), ..) => return Err(wrong("token", "cannot be combined with id, created_at, hash or prefix")),
            (None, id, created_at, hash, _) => {
                let missing = match (id, created_at, hash) {
                    (None, ..) => "id",
                    (_, None, _) => "created_at",
                    (.., None) => "hash",
                    _ => "prefix",
                };
                return Err(wrong(missing, "is missing: id, created_at, hash and prefix must be given together"));
            }
        };
        Ok(TokenSeed {
            name: self.name,
            scopes: self.scopes,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
            origin,
        })
    }
}
