//! The file format of a stored idempotency key (contract D10).

use leadapi_model::hex;
use serde::{Deserialize, Serialize};

use super::{InvalidDataset, Place, Seen, check_name};
use crate::{
    dataset::IdempotencySeed,
    model::{IdempotencyKey, Lead},
};

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawIdempotency {
    key: String,
    fingerprint: String,
    /// References in the lead are not checked, because the referenced records may have been deleted since.
    lead: Lead,
}

impl RawIdempotency {
    pub(super) fn of(seed: &IdempotencySeed) -> Self {
        Self {
            key: seed.idempotency.key.as_str().to_owned(),
            fingerprint: hex::encode(&seed.idempotency.fingerprint),
            lead: seed.lead.clone(),
        }
    }

    pub(super) fn check(self, place: &Place<'_>, seen: &mut Seen) -> Result<IdempotencySeed, InvalidDataset> {
        let wrong =
            |name: &str, rule: &dyn std::fmt::Display| InvalidDataset::new(format_args!("{place}.{name}"), rule);
        let key = IdempotencyKey::parse(&self.key).map_err(|rule| wrong("key", &rule))?;
        seen.once("idempotency key", self.key, format_args!("{place}.key"), "occurs twice in this business")?;
        let fingerprint = hex::decode(&self.fingerprint);
        let fingerprint =
            fingerprint.ok_or_else(|| wrong("fingerprint", &"must be 64 lower-case hexadecimal digits"))?;
        check_name(&self.lead.name, place)?;
        Ok(IdempotencySeed::new(key, fingerprint, self.lead))
    }
}
