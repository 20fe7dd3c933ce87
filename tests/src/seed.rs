//! What a store holds when a test begins.

use leadapi_core::{dataset::Dataset, id::BusinessId, port::TokenRecord};

/// Businesses and their tokens.
#[derive(Debug, Clone, Default)]
pub struct Seed {
    /// Data sets that are put in one after the other.
    pub data: Vec<Dataset>,
    /// The tokens, each with the business that it is of.
    pub tokens: Vec<(BusinessId, TokenRecord)>,
}

impl Seed {
    /// All businesses at once, for a store that is filled once.
    pub fn dataset(&self) -> Dataset {
        Dataset::new(self.data.iter().flat_map(|data| data.businesses.clone()).collect())
    }
}
