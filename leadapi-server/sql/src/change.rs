//! The changed rows of a transaction.

use std::collections::BTreeMap;

use super::session::Query;

/// What a change does. SQLite saves the kinds in this order, so an expired key is deleted before its new record is
/// inserted, and an existing key fails the transaction before a lead is written. On PostgreSQL, all kinds except
/// [`Self::DeleteKey`] are parts of one statement, in which their order does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ChangeKind {
    DeleteKey,
    InsertKey,
    /// Copies a lead into the idempotency record that refers to it.
    PreserveLead,
    InsertLead,
    UpdateLead,
    DeleteLead,
    AddCount,
    SubtractCount,
    /// Deletes a count that [`Self::SubtractCount`] has reduced to zero.
    DeleteEmptyCount,
}

/// The changes of a transaction, as one query for each row.
#[derive(Debug, Default)]
pub(crate) struct Changes(pub(crate) BTreeMap<ChangeKind, Vec<Query>>);

impl Changes {
    pub(crate) fn add(&mut self, kind: ChangeKind, change: Query) {
        self.0.entry(kind).or_default().push(change);
    }
}
