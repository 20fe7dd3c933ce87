//! Exports a database as a data set, from one snapshot.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use leadapi_core::{
    BoxError,
    auth::Role,
    dataset::{BusinessSeed, IdempotencySeed, MemberSeed, TokenSeed},
    form::FormRecord,
    id::{BusinessId, LeadId},
    model::{ClientAccount, IdempotencyKey, Lead, Pipeline, Timestamp, Window},
    port::AuditEntry,
};

use super::{
    SqlStore, SqlStoreError,
    error::SqlError,
    idempotency::Record,
    lead, lead_statement, read,
    row::{Cell, FromCell, Row, parsed},
    session::{Session, Value, Work, query},
    settings::ReadAudit,
    statement, tokens,
};

/// The maximum number of leads that one query reads.
const LEADS: i64 = 5_000;

impl SqlStore {
    /// Passes each business to `sink`, with its members, client accounts, pipelines, forms, tokens, leads, idempotency
    /// keys and audit log. Reads all of them from one snapshot.
    ///
    /// Tokens are exported without their secrets. `progress` receives the number of leads that were read since its last
    /// call.
    ///
    /// # Errors
    ///
    /// Returns an error if the database or the sink fails. The sink may then have received only some of the businesses.
    pub async fn export(
        &self,
        sink: impl FnMut(BusinessSeed) -> Result<(), BoxError> + Send + 'static,
        progress: impl Fn(u64) + Send + Sync + 'static,
    ) -> Result<(), SqlStoreError> {
        Ok(self.database.read_long(Export { sink: Mutex::new(sink), progress: Box::new(progress) }).await?)
    }
}

/// A function that receives the number of leads that were read since its last call.
type Progress = dyn Fn(u64) + Send + Sync;

struct Export<S> {
    sink: Mutex<S>,
    progress: Box<Progress>,
}

#[async_trait]
impl<S: FnMut(BusinessSeed) -> Result<(), BoxError> + Send + 'static> Work for Export<S> {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        let read = |mut row: Row<'_>| Ok(BusinessSeed::new(row.take()?, row.take::<String>()?, row.take()?));
        for mut seed in session.rows(query!(statement::BUSINESSES), read).await? {
            fill(session, &mut seed, &*self.progress).await?;
            let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
            sink(seed).map_err(SqlError::other)?;
        }
        Ok(())
    }
}

async fn fill(session: &mut dyn Session, seed: &mut BusinessSeed, progress: &Progress) -> Result<(), SqlError> {
    let business = seed.id.clone();
    seed.members = session.rows(query!(statement::MEMBERS, &business), member).await?;
    seed.clients = clients(session, &business).await?;
    seed.pipelines = pipelines(session, &business).await?;
    seed.forms = forms(session, &business).await?;
    let token = |row: Row<'_>| tokens::read(row).map(TokenSeed::from);
    seed.tokens = session.rows(query!(statement::TOKENS, &business), token).await?;
    seed.leads = leads(session, &business, progress).await?;
    seed.idempotency = idempotency(session, &business, &seed.leads).await?;
    seed.audit = audit(session, &business).await?;
    Ok(())
}

pub(super) fn member(mut row: Row<'_>) -> Result<MemberSeed, SqlError> {
    Ok(MemberSeed::new(row.take::<String>()?, row.take()?))
}

pub(super) async fn forms(session: &mut dyn Session, business: &BusinessId) -> Result<Vec<FormRecord>, SqlError> {
    session.rows(query!(statement::FORMS, business), form).await
}

pub(super) fn form(mut row: Row<'_>) -> Result<FormRecord, SqlError> {
    serde_json::from_str(&row.take::<String>()?).map_err(SqlError::other)
}

/// Reads the idempotency records of a business. `leads` contains its leads, in creation order.
async fn idempotency(
    session: &mut dyn Session,
    business: &BusinessId,
    leads: &[Lead],
) -> Result<Vec<IdempotencySeed>, SqlError> {
    let read = |mut row: Row<'_>| {
        let (key, created_at): (IdempotencyKey, Timestamp) = (row.take()?, row.take()?);
        let find = |id: &LeadId| {
            let nth = leads.binary_search_by(|lead| (lead.created_at, &lead.id).cmp(&(created_at, id))).ok()?;
            leads.get(nth).cloned().map(Arc::new)
        };
        let stored = Record::read(row)?.resolve(find)?;
        Ok(IdempotencySeed::new(key, stored.fingerprint, Arc::unwrap_or_clone(stored.lead)))
    };
    session.rows(query!(statement::KEYS, business), read).await
}

async fn leads(session: &mut dyn Session, business: &BusinessId, progress: &Progress) -> Result<Vec<Lead>, SqlError> {
    let mut leads: Vec<Lead> = Vec::new();
    let mut reader = lead::Reader::of_many();
    let mut after = (i64::MIN, String::new());
    loop {
        let query = query!(&lead_statement::AFTER, business, after.0, &after.1, LEADS);
        let more = session.rows(query, |row| reader.read(row)).await?;
        let Some(last) = more.last() else { return Ok(leads) };
        after = (last.created_at.unix_millis(), last.id.to_string());
        progress(more.len().try_into().unwrap_or(u64::MAX));
        leads.extend(more.into_iter().map(Arc::unwrap_or_clone));
    }
}

pub(super) async fn clients(session: &mut dyn Session, business: &BusinessId) -> Result<Vec<ClientAccount>, SqlError> {
    let mut list = read::Clients::default();
    session.rows(read::Clients::all(business), |row| list.read(row)).await?;
    Ok(list.into_vec())
}

pub(super) async fn pipelines(session: &mut dyn Session, business: &BusinessId) -> Result<Vec<Pipeline>, SqlError> {
    let mut list = read::Pipelines::default();
    session.rows(read::Pipelines::all(business), |row| list.read(row)).await?;
    Ok(list.into_vec())
}

/// Reads the audit log, page by page, oldest entry first.
async fn audit(session: &mut dyn Session, business: &BusinessId) -> Result<Vec<AuditEntry>, SqlError> {
    let mut all = Vec::new();
    loop {
        let page = ReadAudit { business: business.clone(), window: next(all.len())? }.run(session).await?;
        if page.data.is_empty() {
            all.reverse();
            return Ok(all);
        }
        all.extend(page.data);
    }
}

fn next(offset: usize) -> Result<Window, SqlError> {
    let offset = u64::try_from(offset).map_err(SqlError::other)?;
    Window::new(Window::MAX_LIMIT, offset).map_err(SqlError::other)
}

impl From<Role> for Value {
    fn from(role: Role) -> Self {
        role.to_string().into()
    }
}

impl FromCell for Role {
    fn from_cell(cell: Cell<'_>) -> Result<Self, SqlError> {
        parsed(cell, str::parse)
    }
}
