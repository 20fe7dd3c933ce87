//! The transaction of a group commit.

use std::collections::BTreeSet;

use async_trait::async_trait;
use leadapi_core::id::BusinessId;

use super::{change, lookup, session::PgSession, statement};
use crate::{
    change::{ChangeKind, Changes},
    error::SqlError,
    lookup::{Found, Lookup},
    row::Row,
    session::{Query, Read, Session, query},
    write::WriteSession,
};

/// A transaction that records its id when it saves its changes.
pub(super) struct GroupTransaction<'a> {
    pub(super) session: PgSession,
    pub(super) operation: &'a str,
    pub(super) server_id: &'a str,
    /// Whether Citus distributes the database.
    pub(super) is_distributed: bool,
}

#[async_trait]
impl Session for GroupTransaction<'_> {
    async fn query(&mut self, queries: Vec<Query>, read: &mut Read<'_>) -> Result<(), SqlError> {
        self.session.query(queries, read).await
    }

    async fn execute(&mut self, query: Query) -> Result<(), SqlError> {
        self.session.execute(query).await
    }
}

#[async_trait]
impl WriteSession for GroupTransaction<'_> {
    async fn look_up(
        &mut self,
        business: &BusinessId,
        lookups: BTreeSet<Lookup>,
        found: &mut (dyn FnMut(Found) + Send),
    ) -> Result<(), SqlError> {
        let mut read = |_, row: Row<'_>| lookup::read(row).map(&mut *found);
        self.query(vec![lookup::query(business, &lookups)?], &mut read).await
    }

    async fn save(&mut self, business: &BusinessId, mut changes: Changes) -> Result<(), SqlError> {
        if self.is_distributed {
            return self.save_one_by_one(business, changes).await;
        }
        // The next statement must not see these records, because it inserts others with the same keys.
        for delete in changes.0.remove(&ChangeKind::DeleteKey).unwrap_or_default() {
            self.execute(delete).await?;
        }
        self.execute(change::query(business, self.operation, self.server_id, changes)?).await
    }
}

impl GroupTransaction<'_> {
    /// Saves each change with a statement of its own. Citus passes such a statement on to one node. It would split a
    /// statement that changes several tables, and run some of the parts on all nodes.
    async fn save_one_by_one(&mut self, business: &BusinessId, changes: Changes) -> Result<(), SqlError> {
        for change in changes.0.into_values().flatten() {
            self.execute(change).await?;
        }
        self.execute(query!(statement::RECORD_COMMIT_ID, self.operation, business, self.server_id)).await
    }
}
