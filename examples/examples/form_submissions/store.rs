//! Stores submissions in a SQLite file. Each change is on the disk before its method returns.

use std::{
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, OptionalExtension, Row, named_params};

/// The schema. The lead is stored as it will be sent, because a retry must send the same body, even if the form has
/// changed since.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS submission (
    form TEXT NOT NULL,
    id TEXT NOT NULL,
    answers TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    lead TEXT,
    lead_id TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    attempted_at INTEGER,
    PRIMARY KEY (form, id)
) STRICT;
CREATE INDEX IF NOT EXISTS pending ON submission (attempts) WHERE state = 'pending'";

/// The time, in seconds, for which the API is sure to recognise an idempotency key: an hour less than the 24 hours of
/// the contract. When the API no longer recognises the key, a retry could create a second lead.
const KEY_LIFETIME: i64 = 23 * 60 * 60;

/// The state of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The worker has yet to create the lead.
    Pending,
    /// The lead exists.
    Created,
    /// The form creates no lead from these answers.
    NoLead,
    /// A person has to decide.
    Review,
}

impl State {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Created => "created",
            Self::NoLead => "no_lead",
            Self::Review => "review",
        }
    }
}

/// The name of a form, and the id that the visitor's browser chose.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub form: String,
    pub id: String,
}

/// A stored submission, without its lead.
pub(crate) struct Submission {
    pub answers: String,
    pub state: String,
    pub reason: Option<String>,
    pub lead_id: Option<String>,
}

/// A submission whose lead is about to be created.
pub(crate) struct Pending {
    pub key: Key,
    pub lead: String,
}

/// Returns whether the text can name a form or a submission: it becomes part of a path and of an idempotency key.
pub(crate) fn is_name(text: &str) -> bool {
    (1..=100).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// The open SQLite file.
pub(crate) struct Store(Connection);

impl Store {
    pub(crate) fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // In WAL mode, the level `normal` would not wait for the disk in each commit.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.execute_batch(TABLE)?;
        Ok(Self(connection))
    }

    pub(crate) fn find(&self, key: &Key) -> rusqlite::Result<Option<Submission>> {
        let sql = "SELECT answers, state, reason, lead_id FROM submission WHERE form = ?1 AND id = ?2";
        let submission = |row: &Row<'_>| {
            let (answers, state, reason, lead_id) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(Submission { answers, state, reason, lead_id })
        };
        self.0.prepare_cached(sql)?.query_row([&key.form, &key.id], submission).optional()
    }

    /// Stores a submission, unless there is one with this id.
    pub(crate) fn add(
        &self,
        key: &Key,
        answers: &str,
        state: State,
        lead: Option<&str>,
        reason: Option<&str>,
    ) -> rusqlite::Result<()> {
        let sql = "INSERT INTO submission (form, id, answers, state, lead, reason)
            VALUES (:form, :id, :answers, :state, :lead, :reason) ON CONFLICT DO NOTHING";
        let values = named_params! {
            ":form": key.form, ":id": key.id, ":answers": answers, ":state": state.as_str(), ":lead": lead, ":reason": reason
        };
        self.0.prepare_cached(sql)?.execute(values).map(drop)
    }

    /// Returns up to `limit` pending submissions, those with the fewest attempts, and records an attempt for each. If
    /// the first attempt is so old that the API may no longer recognise its key, the submission goes to review instead.
    pub(crate) fn claim(&mut self, limit: u32) -> rusqlite::Result<Vec<Pending>> {
        let now = now();
        let transaction = self.0.transaction()?;
        transaction.execute(
            "UPDATE submission SET state = 'review', reason = 'a lead may exist: no answer from the API for a day'
            WHERE state = 'pending' AND attempted_at < ?1",
            [now - KEY_LIFETIME],
        )?;
        let sql = "UPDATE submission SET attempts = attempts + 1, attempted_at = coalesce(attempted_at, ?1)
            WHERE rowid IN (SELECT rowid FROM submission WHERE state = 'pending' ORDER BY attempts, rowid LIMIT ?2)
            RETURNING form, id, lead";
        let pending =
            |row: &Row<'_>| Ok(Pending { key: Key { form: row.get(0)?, id: row.get(1)? }, lead: row.get(2)? });
        let claimed = transaction.prepare_cached(sql)?.query_map([now, limit.into()], pending)?.collect();
        transaction.commit()?;
        claimed
    }

    /// Records the lead of a submission, or the reason why the API refused it.
    pub(crate) fn settle(&self, key: &Key, outcome: Result<&str, &str>) -> rusqlite::Result<()> {
        let (state, lead_id, reason) = match outcome {
            Ok(lead_id) => (State::Created, Some(lead_id), None),
            Err(reason) => (State::Review, None, Some(reason)),
        };
        let sql = "UPDATE submission SET state = ?3, lead_id = ?4, reason = ?5 WHERE form = ?1 AND id = ?2";
        self.0.prepare_cached(sql)?.execute((&key.form, &key.id, state.as_str(), lead_id, reason)).map(drop)
    }
}

/// Returns the Unix time in seconds.
fn now() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}
