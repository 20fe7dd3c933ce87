//! Ids for new records.

use std::str::FromStr;

use leadapi_core::id::InvalidId;
use leadapi_sql::SqlStoreError;
use uuid::Uuid;

use super::CommandError;

/// Returns the supplied id, or a new UUID if there is none.
pub(super) fn given_or_new<T: FromStr<Err = InvalidId>>(given: Option<T>) -> Result<T, CommandError> {
    let new = || Uuid::now_v7().to_string().parse().map_err(|error: InvalidId| SqlStoreError::Failed(error.into()));
    Ok(given.map_or_else(new, Ok)?)
}
