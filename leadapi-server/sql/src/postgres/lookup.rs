//! Looks up all records that the writes of a transaction need with one statement.

use std::{collections::BTreeSet, fmt::Write, sync::OnceLock};

use leadapi_core::{id::BusinessId, model::Timestamp, validate::OPTIONAL_TEXTS};

use crate::{
    author,
    error::SqlError,
    idempotency::Record,
    lead,
    lead_counts::CountBucket,
    lead_statement,
    lookup::{Found, Lookup},
    row::Row,
    session::{Query, Value},
};

/// The newest count bucket, whose row names the columns and their types: the kind of record, a number, bytes, and the
/// columns of a lead. The other records use the columns of a lead that have the right type, in their order.
fn newest_bucket() -> String {
    let texts = ", CAST(NULL AS text)".repeat(OPTIONAL_TEXTS.len());
    format!(
        "SELECT * FROM (SELECT CAST(0 AS bigint), leads, CAST(NULL AS bytea), from_id, CAST(NULL AS text), \
         CAST(NULL AS text), from_at, CAST(NULL AS double precision), CAST(NULL AS text), CAST(NULL AS text){texts} \
         FROM tally WHERE business_id = $1 AND client_id = '' AND stage_id = '' \
         ORDER BY from_at DESC, from_id DESC LIMIT 1) AS newest"
    )
}

/// The number of columns after the kind: a number, bytes, and the columns of a lead.
const COLUMNS: usize = 9 + OPTIONAL_TEXTS.len();

/// The statement for each kind of record: its columns after the kind, and the rest, in which `#` stands for the ids.
///
/// The time in the statement for an author is read after the lock on the business was granted.
const KINDS: [(&[&str], &str); 6] = [
    (&["NULL", "NULL", "id"], "FROM client WHERE business_id = $1 AND id = ANY(#)"),
    (
        &["NULL", "NULL", "named.id", "first.id"],
        "FROM unnest(CAST(# AS text[])) AS named (id), LATERAL (SELECT id FROM stage WHERE business_id = $1 \
            AND pipeline_id = named.id ORDER BY position LIMIT 1) AS first",
    ),
    (&["NULL", "NULL", "id", "pipeline_id"], "FROM stage WHERE business_id = $1 AND id = ANY(#)"),
    (&["NULL", "NULL"], "FROM lead WHERE business_id = $1 AND id = ANY(#)"),
    (
        &["stored_at", "fingerprint", "key", "lead_id", "lead"],
        "FROM idempotency WHERE business_id = $1 AND key = ANY(#)",
    ),
    (
        &[
            "NULL",
            "NULL",
            "id",
            "CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= \
                cast(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint) THEN 'expired' END",
        ],
        "FROM token WHERE business_id = $1 AND id = ANY(#)",
    ),
];

/// The statements for each set of kinds, each made when it is first needed.
static STATEMENTS: [OnceLock<String>; 1 << KINDS.len()] = [const { OnceLock::new() }; 1 << KINDS.len()];

const LEAD: usize = 3;

fn statement(kinds: usize) -> String {
    let mut sql = newest_bucket();
    let mut params = 1;
    for (nth, (columns, rest)) in KINDS.iter().enumerate().filter(|(nth, _)| kinds & (1 << nth) != 0) {
        params += 1;
        let all = match nth {
            LEAD => columns.join(", ") + &lead_statement::columns(),
            _ => columns.join(", ") + &", NULL".repeat(COLUMNS - columns.len()),
        };
        let rest = rest.replace('#', &format!("${params}"));
        // Writing to a string cannot fail.
        let _ = write!(sql, " UNION ALL SELECT CAST({} AS bigint), {all} {rest}", nth + 1);
    }
    sql
}

#[cfg(test)]
pub(super) fn statements() -> impl Iterator<Item = (&'static str, String)> {
    (0..STATEMENTS.len()).map(|kinds| ("LOOK_UP", statement(kinds)))
}

/// Returns the query for records and the newest count bucket.
pub(super) fn query(business: &BusinessId, lookups: &BTreeSet<Lookup>) -> Result<Query, SqlError> {
    let mut ids: [Vec<Value>; KINDS.len()] = Default::default();
    let [clients, pipelines, stages, leads, keys, authors] = &mut ids;
    for lookup in lookups {
        match lookup {
            Lookup::Client(id) => clients.push(id.into()),
            Lookup::Pipeline(id) => pipelines.push(id.into()),
            Lookup::Stage(id) => stages.push(id.into()),
            Lookup::Lead(id) => leads.push(id.into()),
            Lookup::Key(key) => keys.push(key.into()),
            Lookup::Author(id) => authors.push(id.into()),
        }
    }
    let kinds: usize = ids.iter().enumerate().filter(|(_, ids)| !ids.is_empty()).map(|(nth, _)| 1 << nth).sum();
    let none = || SqlError::other("there is no statement for the records");
    let sql = STATEMENTS.get(kinds).ok_or_else(none)?.get_or_init(|| statement(kinds));
    let mut params = vec![Value::from(business)];
    params.extend(ids.into_iter().filter(|ids| !ids.is_empty()).map(Value::List));
    Ok(Query { sql, params })
}

pub(super) fn read(mut row: Row<'_>) -> Result<Found, SqlError> {
    let kind: i64 = row.take()?;
    let (number, fingerprint): (Option<i64>, Option<[u8; 32]>) = (row.take()?, row.take()?);
    Ok(match kind {
        0 => {
            let id = row.take()?;
            let [_, _]: [Option<String>; 2] = [row.take()?, row.take()?];
            Found::NewestBucket(CountBucket::new((row.take()?, id), number.unwrap_or_default()))
        }
        1 => Found::Client(row.take()?),
        2 => Found::FirstStage(row.take()?, row.take()?),
        3 => Found::Stage(row.take()?, row.take()?),
        4 => Found::Lead(lead::read(row)?),
        5 => {
            let fingerprint = fingerprint.ok_or_else(|| SqlError::other("an idempotency key has no fingerprint"))?;
            let stored_at = number.map(Timestamp::from_unix_millis).transpose().map_err(SqlError::other)?;
            Found::Record(row.take()?, Record::new(fingerprint, stored_at, row.take()?, row.take()?)?)
        }
        _ => Found::Author(row.take()?, author::read(row)?),
    })
}
