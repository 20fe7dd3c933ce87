//! Stores submissions in a SQLite file. Each change is on the disk before the method returns.

use std::path::Path;

use leadapi_client::{
    bulk::{RowDecision, RowState},
    model::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

/// The schema. The lead is stored as it will be sent, because a retry must send the same body, even if the form has
/// changed since. `attempted_at` is the time of the first attempt without a known result, in seconds, and `clock`
/// contains the latest time that the worker has seen.
const TABLES: &str = "CREATE TABLE IF NOT EXISTS submission (
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
CREATE INDEX IF NOT EXISTS pending ON submission (attempts) WHERE state = 'pending';
CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY CHECK (id = 1), latest INTEGER NOT NULL) STRICT";

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
    /// The state after the attempt was recorded.
    row: RowState,
}

/// Returns whether the text is valid as the name of a form or the id of a submission. Both become part of a path and of
/// an idempotency key.
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
        connection.execute_batch(TABLES)?;
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

    /// Returns up to `limit` pending submissions, those with the fewest attempts, and records an attempt for each. If the
    /// API may no longer recognise the key of an unresolved attempt, the submission goes to review instead.
    pub(crate) fn claim(&mut self, limit: u32) -> rusqlite::Result<Vec<Pending>> {
        let now = Timestamp::now();
        let transaction = self.0.transaction()?;
        let latest = "SELECT latest FROM clock";
        let latest: Option<i64> = transaction.query_row(latest, [], |row| row.get(0)).optional()?;
        if latest.and_then(from_seconds).is_some_and(|latest| RowState::is_set_back(latest, now)) {
            // The clock was set back, so the ages of the attempts are unknown.
            let review = "UPDATE submission SET state = 'review', reason = 'a lead may exist: the clock was set back'
                WHERE state = 'pending' AND attempted_at IS NOT NULL";
            transaction.execute(review, [])?;
        }
        transaction.execute("INSERT OR REPLACE INTO clock (id, latest) VALUES (1, ?1)", [seconds(now)])?;
        let sql = "SELECT form, id, lead, attempted_at FROM submission WHERE state = 'pending'
            ORDER BY attempts, rowid LIMIT ?1";
        let pending = |row: &Row<'_>| {
            let attempted_at: Option<i64> = row.get(3)?;
            let row_state = RowState::unresolved(attempted_at.and_then(from_seconds));
            Ok(Pending { key: Key { form: row.get(0)?, id: row.get(1)? }, lead: row.get(2)?, row: row_state })
        };
        let found: Vec<_> = transaction.prepare_cached(sql)?.query_map([limit], pending)?.collect::<Result<_, _>>()?;
        let mut claimed = Vec::new();
        for mut pending in found {
            if let RowDecision::Unknown { .. } = pending.row.decide(now) {
                let sql = "UPDATE submission SET state = 'review',
                    reason = 'a lead may exist: no answer from the API for a day' WHERE form = ?1 AND id = ?2";
                transaction.prepare_cached(sql)?.execute([&pending.key.form, &pending.key.id])?;
            } else {
                pending.row.sent(now);
                let sql =
                    "UPDATE submission SET attempts = attempts + 1, attempted_at = ?3 WHERE form = ?1 AND id = ?2";
                let attempted_at = pending.row.unresolved_since().map(seconds);
                transaction.prepare_cached(sql)?.execute((&pending.key.form, &pending.key.id, attempted_at))?;
                claimed.push(pending);
            }
        }
        transaction.commit()?;
        Ok(claimed)
    }

    /// Records that the attempt created no lead. An earlier attempt without a result stays unresolved.
    pub(crate) fn not_created(&self, mut pending: Pending) -> rusqlite::Result<()> {
        pending.row.not_created();
        let attempted_at = pending.row.unresolved_since().map(seconds);
        let sql = "UPDATE submission SET attempted_at = ?3 WHERE form = ?1 AND id = ?2";
        self.0.prepare_cached(sql)?.execute((&pending.key.form, &pending.key.id, attempted_at)).map(drop)
    }

    /// Records the lead of a submission, or the reason why the API rejected it.
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
const fn seconds(at: Timestamp) -> i64 {
    at.unix_millis().div_euclid(1_000)
}

fn from_seconds(seconds: i64) -> Option<Timestamp> {
    Timestamp::from_unix_millis(seconds.checked_mul(1_000)?).ok()
}
