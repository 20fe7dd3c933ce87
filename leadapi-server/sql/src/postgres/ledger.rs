//! The [`LedgerStore`] for rate limits that several servers share through PostgreSQL.
//!
//! In two round trips, a claim locks the row of the limit, computes the new shares and writes them. It also locks the
//! server's row against removal, so a removed server cannot claim permits.
//!
//! The times in a ledger are key times, which do not follow steps of the database's clock.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use async_trait::async_trait;
use leadapi_core::{BoxError, id::TokenId, port::Class};
use leadapi_limiter::{
    Claim, Claimed, Key, Ledger, LedgerStore, Member, RECALL_MILLIS, Release, ServerId, key_time::Reading,
};

use super::{Postgres, statement};
use crate::{
    clock::DatabaseClock,
    error::SqlError,
    row::Row,
    session::{Query, Session, Work, query},
};

#[async_trait]
impl LedgerStore for Postgres {
    async fn claim(&self, server: &ServerId, key: &Key, claim: &Claim) -> Result<Option<Claimed>, BoxError> {
        let clock = self.connections.clock.clone();
        let work = ClaimPermits { server: server.clone(), key: key.clone(), claim: claim.clone(), clock };
        Ok(self.brief_work(work).await?)
    }

    async fn release(&self, server: &ServerId, key: &Key, release: &Release) -> Result<(), BoxError> {
        let clock = self.connections.clock.clone();
        let work = ReleasePermits { server: server.clone(), key: key.clone(), release: release.clone(), clock };
        Ok(self.brief_work(work).await?)
    }

    async fn wanted(&self) -> Result<Vec<Key>, BoxError> {
        let read = |mut row: Row<'_>| Ok((row.take::<TokenId>()?, row.take::<String>()?));
        let rows = self
            .rows(None, &query!(statement::WANTED, self.connections.clock.key_millis(), RECALL_MILLIS), read)
            .await?;
        Ok(rows.into_iter().filter_map(|(token, class)| Some((token, class_of(&class)?))).collect())
    }

    async fn join(&self, server: &ServerId) -> Result<(), BoxError> {
        Ok(self.brief_work(Join(server.clone())).await?)
    }

    async fn beat(&self, server: &ServerId) -> Result<Option<Vec<Member>>, BoxError> {
        let members = self.rows(None, &query!(statement::BEAT, &*server.0), read_member).await?;
        Ok((!members.is_empty()).then_some(members))
    }

    async fn remove(&self, member: &Member) -> Result<(), BoxError> {
        Ok(self.brief_work(Remove(member.clone())).await?)
    }
}

struct ClaimPermits {
    server: ServerId,
    key: Key,
    claim: Claim,
    clock: Arc<DatabaseClock>,
}

#[async_trait]
impl Work for ClaimPermits {
    type Output = Option<Claimed>;

    async fn run(&self, session: &mut dyn Session) -> Result<Option<Claimed>, SqlError> {
        let (token, class) = (&self.key.0, class_name(self.key.1));
        let (mut alive, mut found) = (BTreeSet::new(), None);
        let sent = self.clock.elapsed();
        let statements = vec![
            query!(statement::LOCK_SERVER, &*self.server.0),
            query!(statement::CREATE_LEDGER, token, class),
            query!(statement::LOCK_LEDGER, token, class),
            query!(statement::SERVERS),
        ];
        let mut read = |nth, mut row: Row<'_>| {
            match nth {
                2 => found = Some(read_ledger(&mut row)?),
                3 => drop(alive.insert(ServerId(row.take()?))),
                _ => {}
            }
            Ok(())
        };
        session.query(statements, &mut read).await?;
        let Some((mut ledger, now)) = found else { return Err(SqlError::Retry(Arc::new(LedgerDeleted))) };
        let now = key_millis(&self.clock, now, sent);
        let claimed = ledger.claim(&self.server, &self.claim, &alive, now);
        if claimed.is_some() {
            save(session, &self.key, &ledger).await?;
        }
        Ok(claimed)
    }
}

/// The error for a ledger that another server deleted between two statements.
#[derive(Debug, thiserror::Error)]
#[error("the ledger of a rate limit was deleted")]
struct LedgerDeleted;

struct ReleasePermits {
    server: ServerId,
    key: Key,
    release: Release,
    clock: Arc<DatabaseClock>,
}

#[async_trait]
impl Work for ReleasePermits {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        let lock = query!(statement::LOCK_LEDGER, &self.key.0, class_name(self.key.1));
        let sent = self.clock.elapsed();
        let Some((mut ledger, now)) = session.row(lock, |mut row| read_ledger(&mut row)).await? else { return Ok(()) };
        ledger.release(&self.server, &self.release, key_millis(&self.clock, now, sent));
        save(session, &self.key, &ledger).await
    }
}

struct Join(ServerId);

#[async_trait]
impl Work for Join {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        session.execute(query!(statement::ADD_SERVER, &*self.0.0)).await
    }
}

struct Remove(Member);

#[async_trait]
impl Work for Remove {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        session.execute(remove(&self.0)?).await
    }
}

/// Returns the statement that removes a member, unless it has sent another heartbeat.
pub(super) fn remove(member: &Member) -> Result<Query, SqlError> {
    let beat = i64::try_from(member.beat).map_err(SqlError::other)?;
    Ok(query!(statement::REMOVE_SERVER, &*member.server.0, beat))
}

pub(super) fn read_member(mut row: Row<'_>) -> Result<Member, SqlError> {
    let server = ServerId(row.take()?);
    let beat = u64::try_from(row.take::<i64>()?).map_err(SqlError::other)?;
    Ok(Member { server, beat })
}

/// Returns the key time in milliseconds, given the database's clock in the response to a query that was sent at `sent`.
fn key_millis(clock: &DatabaseClock, micros: i64, sent: Duration) -> i64 {
    let reading = Reading { micros, sent, received: clock.elapsed() };
    clock.adopt(reading, None).key_time.div_euclid(1_000)
}

/// Reads a ledger and the time on the database's clock.
fn read_ledger(row: &mut Row<'_>) -> Result<(Ledger, i64), SqlError> {
    let shares: String = row.take()?;
    let shares = serde_json::from_str(&shares).map_err(SqlError::other)?;
    Ok((Ledger { shares, wanted_until: row.take()? }, row.take()?))
}

async fn save(session: &mut dyn Session, key: &Key, ledger: &Ledger) -> Result<(), SqlError> {
    let (token, class) = (&key.0, class_name(key.1));
    if ledger.shares.is_empty() {
        return session.execute(query!(statement::DELETE_LEDGER, token, class)).await;
    }
    let shares = serde_json::to_string(&ledger.shares).map_err(SqlError::other)?;
    session.execute(query!(statement::SAVE_LEDGER, &*shares, ledger.wanted_until, token, class)).await
}

const fn class_name(class: Class) -> &'static str {
    match class {
        Class::Read => "read",
        Class::Write => "write",
    }
}

fn class_of(name: &str) -> Option<Class> {
    [Class::Read, Class::Write].into_iter().find(|class| class_name(*class) == name)
}
