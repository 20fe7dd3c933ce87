//! The records in which this server finds out the outcome of its commits.
//!
//! A server creates its record for a business before its first transaction there. A missing record therefore never
//! proves a rollback: the record may have been deleted together with the proof of a commit. So no clock, and no command
//! that deletes records, can turn a commit into a rollback.
//!
//! # Members
//!
//! With its first record, a server becomes a member of the servers that share the database. The records of members are
//! never deleted, whatever the clocks say. Each member sends heartbeats, and the others remove it when its heartbeat
//! has not changed for 70 s of their monotonic clocks. A server that was removed while it was frozen creates its
//! records again.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use leadapi_core::id::BusinessId;
use leadapi_limiter::{Lease, ServerId};

use super::{
    Connections,
    ledger::{read_member, remove},
    statement,
};
use crate::{error::SqlError, row::Row, session::query};

/// The businesses in which this server has a record.
#[derive(Debug, Default)]
pub(super) struct CommitRecords(Mutex<HashSet<BusinessId>>);

impl CommitRecords {
    pub(super) fn contains(&self, business: &BusinessId) -> bool {
        self.lock().contains(business)
    }

    pub(super) fn insert(&self, business: &BusinessId) {
        self.lock().insert(business.clone());
    }

    pub(super) fn remove(&self, business: &BusinessId) {
        self.lock().remove(business);
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<BusinessId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connections {
    /// Returns what this server knows about the other members.
    pub(super) fn lease(&self) -> Lease {
        Lease::new(ServerId(self.server_id.clone()))
    }

    /// Sends a heartbeat, and removes the members that have stopped. Does nothing if this server has no records, such
    /// as a command.
    pub(super) async fn send_heartbeat(&self, lease: &mut Lease) -> Result<(), SqlError> {
        if self.records.lock().is_empty() {
            return Ok(());
        }
        let sent = self.clock.elapsed();
        let members = self.query(None, query!(statement::BEAT, &self.server_id)).await?;
        if members.is_empty() {
            // The others have removed this server, and its records may have been deleted.
            self.records.lock().clear();
            return Ok(());
        }
        let members = members.iter().map(|row| read_member(Row::new(row))).collect::<Result<_, _>>()?;
        for stopped in lease.observe(members, sent, self.clock.elapsed()) {
            self.query(None, remove(&stopped)?).await?;
        }
        Ok(())
    }
}
