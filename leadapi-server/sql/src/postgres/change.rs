//! Saves all changes of a transaction with one statement, which also records the id of the transaction.

use std::{fmt::Write, sync::OnceLock};

use leadapi_core::{id::BusinessId, validate::OPTIONAL_TEXTS};

use super::statement::RECORD_COMMIT_ID;
use crate::{
    change::{
        ChangeKind::{
            self, AddCount, DeleteEmptyCount, DeleteLead, InsertKey, InsertLead, PreserveLead, SubtractCount,
            UpdateLead,
        },
        Changes,
    },
    error::SqlError,
    lead_statement,
    session::{Query, Value},
};

/// The kinds of changes in the statement, in the order of their parameters.
const KINDS: [ChangeKind; 7] = [InsertKey, PreserveLead, InsertLead, UpdateLead, DeleteLead, AddCount, SubtractCount];

/// The number of sets of kinds.
const SETS: usize = 1 << KINDS.len();

/// The statements for each set of kinds, each made when it is first needed. Those in the second half save at most one
/// row of each kind. They take the row as plain parameters, because arrays would cost about 100 µs more CPU time.
static STATEMENTS: [OnceLock<String>; 2 * SETS] = [const { OnceLock::new() }; 2 * SETS];

/// Returns the index of the business among the parameters of a change. In the statement, it is a parameter of its own.
const fn business_at(kind: ChangeKind) -> usize {
    match kind {
        PreserveLead | SubtractCount => 1,
        UpdateLead => 4 + OPTIONAL_TEXTS.len(),
        _ => 0,
    }
}

/// Returns the types of the other parameters of a change, each followed by a space.
fn types(kind: ChangeKind) -> String {
    let texts = "text ".repeat(OPTIONAL_TEXTS.len());
    match kind {
        InsertKey => "text bytea bigint bigint text text ".into(),
        PreserveLead => "text bigint text ".into(),
        InsertLead => "text text text bigint float8 text text ".to_owned() + &texts,
        UpdateLead => "text float8 text text ".to_owned() + &texts + "text ",
        AddCount => "text text bigint text bigint ".into(),
        SubtractCount => "bigint text text bigint text ".into(),
        _ => "text ".into(),
    }
}

/// Returns the SQL that saves changes of one kind. `#` stands for their rows, and `$2` is the business.
fn parts(kind: ChangeKind) -> Vec<String> {
    let columns = lead_statement::columns();
    let old = "# AS old (change, client_id, stage_id, from_at, from_id)";
    let count = "tally.business_id = $2 AND tally.client_id = old.client_id AND tally.stage_id = old.stage_id \
        AND tally.from_at = old.from_at AND tally.from_id = old.from_id";
    match kind {
        InsertKey => vec![
            "INSERT INTO idempotency (business_id, key, fingerprint, created_at, stored_at, lead_id, lead) \
                SELECT $2, * FROM # AS new"
                .into(),
        ],
        // The remainder of the time selects the partition. The expression keeps the planner from the primary key, which
        // would find all keys of the business.
        PreserveLead => vec![
            "UPDATE idempotency SET lead = old.lead, lead_id = NULL FROM # AS old (lead, created_at, lead_id) \
                WHERE idempotency.business_id || '' = $2 AND idempotency.created_at = old.created_at \
                AND (idempotency.created_at / 43200000 % 4) = (old.created_at / 43200000 % 4) \
                AND idempotency.lead_id = old.lead_id"
                .into(),
        ],
        InsertLead => vec![format!("INSERT INTO lead (business_id{columns}) SELECT $2, * FROM # AS new")],
        UpdateLead => {
            let changed: Vec<&str> = lead_statement::changeable().collect();
            let assignments: Vec<String> = changed.iter().map(|column| format!("{column} = new.{column}")).collect();
            let (assignments, changed) = (assignments.join(", "), changed.join(", "));
            vec![format!(
                "UPDATE lead SET {assignments} FROM # AS new ({changed}, id) \
                 WHERE lead.business_id = $2 AND lead.id = new.id"
            )]
        }
        AddCount => vec![
            "INSERT INTO tally (business_id, client_id, stage_id, from_at, from_id, leads) SELECT $2, * FROM # AS new \
                ON CONFLICT (business_id, client_id, stage_id, from_at, from_id) \
                DO UPDATE SET leads = tally.leads + excluded.leads"
                .into(),
        ],
        // Neither part sees what the other does, so each row must match only one of them.
        SubtractCount => vec![
            format!(
                "UPDATE tally SET leads = tally.leads + old.change FROM {old} WHERE {count} \
                 AND (tally.leads + old.change <> 0 OR old.client_id = '' AND old.stage_id = '')"
            ),
            format!(
                "DELETE FROM tally USING {old} WHERE {count} AND tally.leads + old.change = 0 \
                 AND (old.client_id <> '' OR old.stage_id <> '')"
            ),
        ],
        _ => vec!["DELETE FROM lead USING # AS old (id) WHERE lead.business_id = $2 AND lead.id = old.id".into()],
    }
}

/// Returns whether changes of this kind are always in lists: one write changes several counts.
const fn is_count(kind: ChangeKind) -> bool {
    matches!(kind, AddCount | SubtractCount | DeleteEmptyCount)
}

fn statement(set: usize) -> String {
    let (mut sql, mut params) = (String::new(), RECORD_COMMIT_ID.matches('$').count());
    for (_, kind) in KINDS.iter().enumerate().filter(|(nth, _)| set & (1 << nth) != 0) {
        let is_single = set >= SETS && !is_count(*kind);
        let (list, rows) = if is_single { ("", ["(VALUES (", "))"]) } else { ("[]", ["unnest(", ")"]) };
        let columns = types(*kind).split_whitespace().fold(String::new(), |columns, ty| {
            params += 1;
            format!("{columns}, CAST(${params} AS {ty}{list})")
        });
        let rows = rows.join(columns.trim_start_matches(", "));
        for part in parts(*kind) {
            let (begin, nth) = (if sql.is_empty() { "WITH" } else { "," }, sql.len());
            // Writing to a string cannot fail.
            let _ = write!(sql, "{begin} part_{nth} AS ({}) ", part.replace('#', &rows));
        }
    }
    sql + RECORD_COMMIT_ID
}

#[cfg(test)]
pub(super) fn statements() -> impl Iterator<Item = (&'static str, String)> {
    (0..STATEMENTS.len()).map(|kinds| ("SAVE", statement(kinds)))
}

/// Returns the query for changes and for the commit record. Skips the kinds that the statement does not include.
pub(super) fn query(
    business: &BusinessId,
    operation: &str,
    server_id: &str,
    mut changes: Changes,
) -> Result<Query, SqlError> {
    let mut params: Vec<Value> = vec![operation.into(), business.into(), server_id.into()];
    let is_single = changes.0.iter().all(|(kind, rows)| is_count(*kind) || rows.len() == 1);
    let mut set = if is_single { SETS } else { 0 };
    for (nth, kind) in KINDS.iter().enumerate() {
        let Some(rows) = changes.0.remove(kind) else { continue };
        set |= 1 << nth;
        let mut columns = vec![Vec::with_capacity(rows.len()); types(*kind).split_whitespace().count()];
        for row in rows {
            if row.params.len() != columns.len() + 1 {
                return Err(SqlError::other("a change has the wrong number of parameters"));
            }
            let values = row.params.into_iter().enumerate().filter(|(at, _)| *at != business_at(*kind));
            columns.iter_mut().zip(values).for_each(|(column, (_, value))| column.push(value));
        }
        if is_single && !is_count(*kind) {
            params.extend(columns.into_iter().flatten());
        } else {
            params.extend(columns.into_iter().map(Value::List));
        }
    }
    let none = || SqlError::other("there is no statement for the changes");
    let sql = STATEMENTS.get(set).ok_or_else(none)?.get_or_init(|| statement(set));
    Ok(Query { sql, params })
}

#[cfg(test)]
mod tests {
    use crate::postgres::{list, lookup};

    #[test]
    fn each_statement_names_its_business() {
        for (name, text) in super::statements().chain(list::statements()).chain(lookup::statements()) {
            assert!(text.contains("business_id = $"), "{name}: {text}");
        }
    }
}
