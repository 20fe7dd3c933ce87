//! Deletes expired idempotency keys, sign-in links and sessions.

use async_trait::async_trait;
use leadapi_core::{id::BusinessId, model::Timestamp, port::Idempotency};

use super::{
    Database, SqlStore, SqlStoreError, admin,
    error::SqlError,
    session::{Session, Work, query},
    settings, statement,
};

/// The maximum number of keys deleted in one transaction. Small batches avoid blocking other writes for long.
const BATCH: i64 = 1_000;

impl SqlStore {
    /// Deletes expired idempotency keys (contract D10), and returns whether any were deleted. Also deletes expired
    /// sign-in links and sessions. Servers call this periodically.
    ///
    /// On PostgreSQL, one server at a time deletes records, according to the database's clock. Keys are deleted in
    /// large groups, usually within 12 hours after they expire. Expired keys have no effect, whether or not they have
    /// been deleted. Nothing is deleted if the system clock and the database's clock differ by more than a minute.
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails. Some keys may already have been deleted.
    pub async fn delete_expired(&self) -> Result<bool, SqlStoreError> {
        let now = match &self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => Some(Timestamp::now()),
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.deletion_time().await?,
        };
        let Some(now) = now else { return Ok(false) };
        self.delete_expired_at(now).await
    }

    /// Deletes the records that have expired at a given time. Unlike [`delete_expired`](Self::delete_expired), reads no
    /// clock, so a wrong time deletes records that are still in use.
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails. Some keys may already have been deleted.
    pub async fn delete_expired_at(&self, now: Timestamp) -> Result<bool, SqlStoreError> {
        let Some(until) = now.checked_sub(Idempotency::LIFETIME) else { return Ok(false) };
        #[cfg(feature = "postgres")]
        if let Database::Postgres(postgres) = &self.database {
            return Ok(postgres.delete_expired(now, until).await?);
        }
        self.database.work(None, DeleteExpiredSessions { now }).await?;
        let mut deleted = false;
        for business in self.database.rows(None, admin::businesses(), admin::read_business).await? {
            // Most businesses have no expired keys. Checking with a read avoids blocking their writes.
            while self
                .database
                .row(None, query!(statement::EXPIRED_KEY, &business.id, until), |_| Ok(()))
                .await?
                .is_some()
            {
                let work = DeleteExpiredKeys { business: business.id.clone(), until };
                self.database.work(Some(&business.id), work).await?;
                deleted = true;
            }
        }
        Ok(deleted)
    }
}

struct DeleteExpiredSessions {
    now: Timestamp,
}

#[async_trait]
impl Work for DeleteExpiredSessions {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        settings::delete_expired(session, self.now).await
    }
}

struct DeleteExpiredKeys {
    business: BusinessId,
    until: Timestamp,
}

#[async_trait]
impl Work for DeleteExpiredKeys {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        session.execute(query!(statement::DELETE_EXPIRED_KEYS, &self.business, self.until, BATCH)).await
    }
}

#[cfg(test)]
mod tests {
    use leadapi_core::{
        auth::Author,
        dataset::{Dataset, SAMPLE},
        model::{IdempotencyKey, NewLead},
        port::{Created, Store},
        validate::NewLeadMeta,
    };

    use super::*;

    /// The first of two businesses has `BATCH` + 1 old keys and one newer key.
    #[tokio::test]
    async fn keys_are_deleted_when_they_are_a_day_old() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("leads.db").display());
        let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
        let dataset = Dataset::parse(SAMPLE).unwrap();
        let (business, client) = (dataset.businesses[0].id.clone(), dataset.businesses[0].clients[0].id.clone());
        store.import(dataset, |_| {}).await.unwrap();
        let old: Timestamp = "2026-05-04T12:00:00Z".parse().unwrap();
        let later: Timestamp = "2026-05-04T12:00:00.001Z".parse().unwrap();
        let create = async |nth: i64, at: Timestamp| {
            let new = NewLead::new(&client, "Ann");
            let idempotency = Idempotency::new(IdempotencyKey::parse(&format!("key-{nth}")).unwrap(), [0; 32]);
            let meta = NewLeadMeta::new(format!("lead-{at}-{nth}").parse().unwrap(), at);
            store.create(&business, &Author::Host, meta, new.check().unwrap(), Some(&idempotency)).await.unwrap()
        };
        futures_util::future::join_all((0..=BATCH).map(|nth| create(nth, old))).await;
        create(BATCH + 1, later).await;
        let next_day: Timestamp = "2026-05-05T12:00:00Z".parse().unwrap();
        let just_before = next_day.checked_sub(std::time::Duration::from_millis(1)).unwrap();
        assert!(!store.delete_expired_at(just_before).await.unwrap());
        assert!(store.delete_expired_at(next_day).await.unwrap());
        let left = query!("SELECT count(*) FROM idempotency");
        assert_eq!(store.database.row(None, left, |mut row| row.take::<i64>()).await.unwrap(), Some(1));
        assert!(!store.delete_expired_at(next_day).await.unwrap());
        assert!(matches!(create(0, later).await, Created::New(_)));
        assert!(matches!(create(BATCH + 1, later).await, Created::Replayed(_)));
    }
}
