//! The fingerprint by which a retry of a create is recognised (contract D10).

use sha2::{Digest, Sha256};

use super::LeadDraft;

impl LeadDraft {
    /// Returns the SHA-256 of the body after parsing and normalising (contract D10). Equal requests have equal
    /// fingerprints, however they are written.
    pub fn fingerprint(&self) -> [u8; 32] {
        // Serializing strings and finite numbers to memory cannot fail.
        let text = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(text).into()
    }
}

#[cfg(test)]
mod tests {
    use crate::{id::ClientId, model::NewLead};

    #[test]
    fn equal_requests_have_one_fingerprint() {
        let fingerprint = |new: NewLead| new.check().unwrap().fingerprint();
        let plain = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann");
        assert_eq!(fingerprint(plain.clone().email(" ").notes("")), fingerprint(plain.clone()));
        assert_ne!(fingerprint(plain.clone().value(0)), fingerprint(plain));
    }
}
