//! Lists businesses.

use leadapi_core::{id::BusinessId, model::Timestamp};
use serde::Serialize;

use crate::store::{AdminError, SqlStore, row::Row, session::query, statement as shared};

/// A business, without the records that belong to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Business {
    /// The id of the business.
    pub id: BusinessId,
    /// The display name.
    pub name: String,
    /// The creation time.
    pub created_at: Timestamp,
}

impl SqlStore {
    /// Returns all businesses, ordered by creation time, then by id.
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails.
    pub async fn businesses(&self) -> Result<Vec<Business>, AdminError> {
        let business = |mut row: Row<'_>| Ok(Business { id: row.take()?, name: row.take()?, created_at: row.take()? });
        Ok(self.database.rows(query!(shared::BUSINESSES), business).await?)
    }
}
