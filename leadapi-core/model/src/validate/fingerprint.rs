//! The fingerprint of a create, which distinguishes a retry from a different request with the same key (contract D10).

use sha2::{Digest, Sha256};

use super::LeadDraft;

impl LeadDraft {
    /// Returns the SHA-256 hash of the parsed and normalized body (contract D10). Requests with equal content have
    /// equal fingerprints, regardless of the formatting of the JSON.
    pub fn fingerprint(&self) -> [u8; 32] {
        // Serializing strings and finite numbers to memory cannot fail.
        let text = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(text).into()
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        hex,
        id::{ClientId, PipelineId, StageId},
        model::NewLead,
    };

    #[test]
    fn equal_requests_have_equal_fingerprints() {
        let fingerprint = |new: NewLead| new.check().unwrap().fingerprint();
        let plain = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann");
        assert_eq!(fingerprint(plain.clone().email(" ").notes("")), fingerprint(plain.clone()));
        assert_ne!(fingerprint(plain.clone().value(0)), fingerprint(plain));
    }

    /// Stores keep fingerprints for a day, so a new version of this crate must compute the same fingerprints.
    #[test]
    fn the_fingerprint_of_a_request_stays_the_same() {
        let full = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann")
            .email("ann@example.org")
            .phone("112")
            .source("web")
            .notes("n")
            .value(450)
            .business_name("B")
            .pipeline(&PipelineId::parse("p1").unwrap());
        let minimal = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann");
        assert_eq!(
            hex::encode(&minimal.check().unwrap().fingerprint()),
            "db80bca477ec44ae7df469c79eeff391482ed9e977a4ebabd5a376055568e14e"
        );
        let both = full.clone().stage(&StageId::parse("s1").unwrap());
        assert_eq!(
            hex::encode(&full.check().unwrap().fingerprint()),
            "6a3a1abf919580c4563db98126bdafe9c69ae6f6190d232aad4fd43641815a42"
        );
        assert_eq!(
            hex::encode(&both.check().unwrap().fingerprint()),
            "1772da0c5efc6984a8ae19487a5d702f1d049b4e9bd0852de90e77cb55344c67"
        );
    }

    /// References that are not valid ids match no record, but requests with different references still differ.
    #[test]
    fn texts_that_are_not_ids_have_different_fingerprints() {
        let stage = |text: &str| {
            let new = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann");
            NewLead { stage_id: Some(text.to_owned()), ..new }.check().unwrap().fingerprint()
        };
        assert_eq!(stage("a b"), stage("a b"));
        assert_ne!(stage("a b"), stage("a c"));
        assert_ne!(stage("a b"), stage("ab"));
    }
}
