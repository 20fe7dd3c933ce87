//! The initial contents of a store under test.

use leadapi_core::{dataset::Dataset, id::BusinessId, port::TokenRecord};

/// Businesses and their tokens.
#[derive(Debug, Clone, Default)]
pub struct Seed {
    /// The data sets, in the order in which to import them.
    pub data: Vec<Dataset>,
    /// Each token with its business.
    pub tokens: Vec<(BusinessId, TokenRecord)>,
}

impl Seed {
    /// Merges all businesses into one data set, for stores that take only one.
    pub fn dataset(&self) -> Dataset {
        Dataset::new(self.data.iter().flat_map(|data| data.businesses.clone()).collect())
    }
}
