//! The initial contents of a store in a test.

use leadapi_core::{dataset::Dataset, id::BusinessId, port::TokenRecord};

/// Businesses and their tokens.
#[derive(Debug, Clone, Default)]
pub struct Seed {
    /// Data sets to import in order.
    pub data: Vec<Dataset>,
    /// The tokens, each with its business.
    pub tokens: Vec<(BusinessId, TokenRecord)>,
}

impl Seed {
    /// Merges all businesses into one data set, for stores that take a single one.
    pub fn dataset(&self) -> Dataset {
        Dataset::new(self.data.iter().flat_map(|data| data.businesses.clone()).collect())
    }
}
