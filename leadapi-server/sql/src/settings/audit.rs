//! The audit log of a business.

use std::net::IpAddr;

use async_trait::async_trait;
use leadapi_core::{
    id::BusinessId,
    model::{Page, Window},
    port::{AuditAction, AuditEntry},
};

use super::statement;
use crate::{
    error::SqlError,
    row::{Cell, FromCell, Row, parsed},
    session::{Query, Session, Value, Work, query},
};

pub(crate) fn insert(business: &BusinessId, entry: &AuditEntry) -> Query {
    query!(
        statement::INSERT_AUDIT,
        business,
        entry.at,
        &entry.id,
        entry.action.to_string(),
        &entry.email,
        entry.address,
        entry.token_id.as_ref(),
        entry.token_name.clone(),
        entry.detail.clone(),
    )
}

fn read(mut row: Row<'_>) -> Result<AuditEntry, SqlError> {
    let mut entry = AuditEntry::stored(row.take()?, row.take()?, row.take()?, row.take()?, row.take()?);
    (entry.token_id, entry.token_name, entry.detail) = (row.take()?, row.take()?, row.take()?);
    Ok(entry)
}

pub(crate) struct ReadAudit {
    pub(crate) business: BusinessId,
    pub(crate) window: Window,
}

#[async_trait]
impl Work for ReadAudit {
    type Output = Page<AuditEntry>;

    async fn run(&self, session: &mut dyn Session) -> Result<Page<AuditEntry>, SqlError> {
        let Self { business, window } = self;
        let total = session.row(query!(statement::COUNT_AUDIT, business), |mut row| row.take::<u64>()).await?;
        // The maximum offset fits into an i64.
        let offset = i64::try_from(window.offset()).unwrap_or(i64::MAX);
        let entries = session.rows(query!(statement::AUDIT, business, i64::from(window.limit()), offset), read).await?;
        Ok(Page::new(entries, total.unwrap_or_default(), *window))
    }
}

impl From<IpAddr> for Value {
    fn from(address: IpAddr) -> Self {
        address.to_string().into()
    }
}

impl FromCell for IpAddr {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        parsed(cell, str::parse)
    }
}

impl FromCell for AuditAction {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        parsed(cell, str::parse)
    }
}
