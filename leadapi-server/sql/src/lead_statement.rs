//! The SQL statements that list the lead columns.
//!
//! They are built once, from the table of optional text fields. Like the other statements, each is limited to one
//! business, and its parameters are numbered in order of first appearance.

use std::{fmt::Write, sync::LazyLock};

use leadapi_core::{model::LeadQuery, validate::OPTIONAL_TEXTS};

type Sql = LazyLock<String>;

/// The first columns, in the order in which `lead::read` takes them. The optional text fields follow.
const COLUMNS: &str = "id, client_id, name, created_at, value, pipeline_id, stage_id";

pub(crate) static SELECT: Sql = LazyLock::new(|| select("id = $2"));

pub(crate) static INSERT: Sql = LazyLock::new(insert);

pub(crate) static UPDATE: Sql = LazyLock::new(update);

// Pages of the leads that are older than a position, newest first.

pub(crate) static PAGE: Sql = LazyLock::new(|| page_of(&[]));

pub(crate) static PAGE_OF_CLIENT: Sql = LazyLock::new(|| page_of(&["client_id"]));

pub(crate) static PAGE_OF_STAGE: Sql = LazyLock::new(|| page_of(&["stage_id"]));

pub(crate) static PAGE_OF_BOTH: Sql = LazyLock::new(|| page_of(&["client_id", "stage_id"]));

/// Returns the statement for a page of leads with the filters of this query.
pub(crate) fn page(query: &LeadQuery) -> &'static str {
    match (&query.client, &query.stage) {
        (None, None) => &PAGE,
        (Some(_), None) => &PAGE_OF_CLIENT,
        (None, Some(_)) => &PAGE_OF_STAGE,
        (Some(_), Some(_)) => &PAGE_OF_BOTH,
    }
}

/// A batch of the leads that are newer than a position, oldest first.
pub(crate) static AFTER: Sql = LazyLock::new(|| select("(created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4"));

// The leads that an idempotency record refers to, for one client account or one stage, oldest first.

pub(crate) static WITH_KEY_OF_CLIENT: Sql = LazyLock::new(|| with_key("client_id"));

pub(crate) static WITH_KEY_OF_STAGE: Sql = LazyLock::new(|| with_key("stage_id"));

fn with_key(owner: &str) -> String {
    select(&format!(
        "{owner} = $2 AND (created_at, id) > ($3, $4) AND EXISTS (SELECT 1 FROM idempotency AS record \
         WHERE record.business_id = $1 AND record.created_at = lead.created_at AND record.lead_id = lead.id) \
         ORDER BY created_at, id LIMIT $5"
    ))
}

fn texts() -> impl Iterator<Item = &'static str> {
    OPTIONAL_TEXTS.iter().map(|text| text.name())
}

/// Returns all columns, each preceded by a comma.
pub(crate) fn columns() -> String {
    COLUMNS.split(", ").chain(texts()).fold(String::new(), |list, column| list + ", " + column)
}

fn select(condition: &str) -> String {
    let columns = columns();
    let columns = columns.trim_start_matches(", ");
    format!("SELECT {columns} FROM lead WHERE business_id = $1 AND {condition}")
}

/// Builds the statement for a page of leads. It compares each column in `filters` with a parameter.
fn page_of(filters: &[&str]) -> String {
    let mut condition = String::new();
    let mut next = 2;
    for column in filters {
        // Writing to a string cannot fail.
        let _ = write!(condition, "{column} = ${next} AND ");
        next += 1;
    }
    let [at, id, limit, offset] = [next, next + 1, next + 2, next + 3];
    select(&format!(
        "{condition}(created_at, id) < (${at}, ${id}) ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}"
    ))
}

fn insert() -> String {
    let columns = columns();
    // The business is the first parameter.
    let params = columns.matches(',').enumerate().fold(String::new(), |list, (nth, _)| format!("{list}, ${}", nth + 2));
    format!("INSERT INTO lead (business_id{columns}) VALUES ($1{params})")
}

/// Returns the columns that an update sets, in the order of its parameters.
pub(crate) fn changeable() -> impl Iterator<Item = &'static str> {
    ["name", "value", "pipeline_id", "stage_id"].into_iter().chain(texts())
}

fn update() -> String {
    let assignments: Vec<String> = changeable().zip(1..).map(|(column, nth)| format!("{column} = ${nth}")).collect();
    let [business, id] = [assignments.len() + 1, assignments.len() + 2];
    format!("UPDATE lead SET {} WHERE business_id = ${business} AND id = ${id}", assignments.join(", "))
}

#[cfg(test)]
pub(super) fn all() -> [(&'static str, &'static str); 10] {
    [
        ("SELECT", &SELECT),
        ("INSERT", &INSERT),
        ("UPDATE", &UPDATE),
        ("PAGE", &PAGE),
        ("PAGE_OF_CLIENT", &PAGE_OF_CLIENT),
        ("PAGE_OF_STAGE", &PAGE_OF_STAGE),
        ("PAGE_OF_BOTH", &PAGE_OF_BOTH),
        ("AFTER", &AFTER),
        ("WITH_KEY_OF_CLIENT", &WITH_KEY_OF_CLIENT),
        ("WITH_KEY_OF_STAGE", &WITH_KEY_OF_STAGE),
    ]
}
