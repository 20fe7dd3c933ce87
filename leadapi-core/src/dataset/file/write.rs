//! Serialization of data sets to the file format, without secrets.

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{idempotency::RawIdempotency, token::RawToken};
use crate::dataset::{BusinessSeed, TokenSeed};

impl Serialize for BusinessSeed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut business = serializer.serialize_struct("BusinessSeed", 11)?;
        business.serialize_field("id", &self.id)?;
        business.serialize_field("name", &self.name)?;
        business.serialize_field("created_at", &self.created_at)?;
        business.serialize_field("members", &self.members)?;
        business.serialize_field("clients", &self.clients)?;
        business.serialize_field("pipelines", &self.pipelines)?;
        business.serialize_field("leads", &self.leads)?;
        business.serialize_field("forms", &self.forms)?;
        business.serialize_field("tokens", &self.written_tokens())?;
        if self.idempotency.is_empty() {
            business.skip_field("idempotency")?;
        } else {
            let written: Vec<_> = self.idempotency.iter().map(RawIdempotency::of).collect();
            business.serialize_field("idempotency", &written)?;
        }
        if self.audit.is_empty() {
            business.skip_field("audit")?;
        } else {
            business.serialize_field("audit", &self.audit)?;
        }
        business.end()
    }
}

impl BusinessSeed {
    /// Converts the tokens for writing. A token whose secret the data set supplies gets the creation time of its
    /// business, because a token cannot be older than its business.
    fn written_tokens(&self) -> Vec<RawToken> {
        let write = |seed: &TokenSeed| RawToken::of(seed, self.created_at);
        self.tokens.iter().map(write).collect()
    }
}
