//! The API or store that an import writes to.

use leadapi_core::id::BusinessId;
use serde::{Deserialize, Serialize};

use crate::error::JournalProblem;

/// The API that an import writes to. The journal records it to detect an import of the same file into a different API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Destination {
    /// The base URL, or the name of the store and the business.
    #[serde(rename = "api")]
    pub name: String,
    /// `None` for an API that is called over HTTP.
    // Journals written by earlier versions have no store either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreIdentity>,
}

/// A business in a store. A store that is restored from a backup gets a different id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoreIdentity {
    /// The id of the store.
    pub id: String,
    /// The business whose leads are imported.
    pub business: BusinessId,
}

impl Destination {
    /// Describes an API that is called over HTTP.
    ///
    /// ```
    /// use leadapi_import::Destination;
    /// assert_eq!(Destination::url("https://api.example.com/v1/"), Destination::url("https://api.example.com/v1"));
    /// ```
    #[must_use]
    pub fn url(base_url: &str) -> Self {
        Self { name: base_url.trim_end_matches('/').to_owned(), store: None }
    }

    /// Describes a business in a store. `name` identifies both in messages, and `id` is the id of the store.
    ///
    /// ```
    /// use leadapi_import::Destination;
    ///
    /// let destination = Destination::store("sqlite:leads.db sol", "019bb16e", "sol".parse()?);
    /// assert_eq!(destination.name, "sqlite:leads.db sol");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    #[must_use]
    pub fn store(name: impl Into<String>, id: impl Into<String>, business: BusinessId) -> Self {
        Self { name: name.into(), store: Some(StoreIdentity { id: id.into(), business }) }
    }

    /// Returns the reason why an import into `target` cannot continue an import into this destination, if there is one.
    pub(crate) fn mismatch(&self, target: &Self) -> Option<JournalProblem> {
        let is_same = match (&self.store, &target.store) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => self.name == target.name,
        };
        let name = self.name.clone();
        let problem = if name == target.name {
            JournalProblem::Replaced { name }
        } else {
            JournalProblem::OtherDestination { name }
        };
        (!is_same).then_some(problem)
    }
}
