//! The contents of a store when a test begins.

use leadapi_core::{dataset::Dataset, id::BusinessId, port::TokenRecord};

/// Businesses and their tokens.
#[derive(Debug, Clone, Default)]
pub struct Seed {
    /// Data sets that are imported one after the other.
    pub data: Vec<Dataset>,
    /// The tokens, each with its business.
    pub tokens: Vec<(BusinessId, TokenRecord)>,
}

impl Seed {
    /// All businesses in one data set, for a store that takes a single data set.
    pub fn dataset(&self) -> Dataset {
        Dataset::new(self.data.iter().flat_map(|data| data.businesses.clone()).collect())
    }
}
