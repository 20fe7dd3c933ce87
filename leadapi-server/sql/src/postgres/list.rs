//! Reads a list of leads with one statement, so that the page and the total are from one snapshot without a
//! transaction.

use std::{
    cmp::Reverse,
    sync::{Arc, LazyLock},
};

use leadapi_core::{
    id::BusinessId,
    model::{Lead, LeadQuery, Page},
    port::Listed,
    validate::InvalidReference,
};

use super::Postgres;
use crate::{
    error::SqlError,
    lead::Reader,
    lead_statement,
    read::{is_deep, offset},
    row::Row,
    session::{Query, Value},
};

/// The counts of a list: the rows of its filters. Unlike the leads, they have an empty string for each missing filter.
const COUNTS: &str = "FROM tally WHERE business_id = $1 AND client_id = $2 AND stage_id = $3";

/// Finds the bucket that contains the first lead of a page. Returns the position at which the next newer bucket starts,
/// and the number of leads to skip before the page. Returns no row if the page is past the end.
const START: &str = "WITH start AS (SELECT before_at, before_id, CAST($5 AS bigint) - (upto - leads) AS skip \
    FROM (SELECT from_at, from_id, leads, lag(from_at, 1, 9223372036854775807) OVER newest AS before_at, \
        lag(from_id, 1, '') OVER newest AS before_id, sum(CAST(leads AS int)) OVER newest AS upto ";

/// The statements for each combination of a client account, a stage and a deep page.
static STATEMENTS: LazyLock<Vec<String>> =
    LazyLock::new(|| (0..8).map(|nth| statement(nth & 1 != 0, nth & 2 != 0, nth & 4 != 0)).collect());

fn statement(client: bool, stage: bool, deep: bool) -> String {
    let columns = lead_statement::columns();
    let nulls = ", NULL".repeat(columns.matches(',').count());
    let exists = |filtered: bool, table: &str, id: &str| {
        let count = format!("(SELECT count(*) FROM {table} WHERE business_id = $1 AND id = {id})");
        if filtered { count } else { "CAST(1 AS bigint)".to_owned() }
    };
    let (has_client, has_stage) = (exists(client, "client", "$2"), exists(stage, "stage", "$3"));
    let filter = |filtered: bool, condition: &'static str| if filtered { condition } else { "" };
    let (by_client, by_stage) = (filter(client, " AND client_id = $2"), filter(stage, " AND stage_id = $3"));
    let window = "WINDOW newest AS (ORDER BY from_at DESC, from_id DESC)) AS bucket \
        WHERE upto > CAST($5 AS bigint) ORDER BY from_at DESC, from_id DESC LIMIT 1) ";
    let (start, from, skip) = if deep {
        let before = " AND (created_at, id) < (SELECT before_at, before_id FROM start)";
        (format!("{START}{COUNTS} {window}"), before, "(SELECT skip FROM start)")
    } else {
        (String::new(), "", "$5")
    };
    format!(
        "{start}SELECT CAST(coalesce(sum(leads), 0) AS bigint), {has_client}, {has_stage}{nulls} {COUNTS} \
         UNION ALL SELECT * FROM (SELECT CAST(NULL AS bigint), CAST(NULL AS bigint), CAST(NULL AS bigint){columns} \
         FROM lead WHERE business_id = $1{by_client}{by_stage}{from} \
         ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET {skip}) AS page"
    )
}

#[cfg(test)]
pub(super) fn statements() -> impl Iterator<Item = (&'static str, String)> {
    STATEMENTS.iter().map(|sql| ("LIST", sql.clone()))
}

impl Postgres {
    pub(crate) async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, SqlError> {
        let mut list = List { reader: Reader::of_many(), ..List::default() };
        self.rows(Some(business), &list_query(business, query)?, |row| list.read(row)).await?;
        Ok(list.into_listed(query))
    }
}

fn list_query(business: &BusinessId, query: &LeadQuery) -> Result<Query, SqlError> {
    let LeadQuery { client, stage, window, .. } = query;
    let nth = usize::from(client.is_some()) + 2 * usize::from(stage.is_some()) + 4 * usize::from(is_deep(query));
    let sql = STATEMENTS.get(nth).ok_or_else(|| SqlError::other("there is no statement for the list"))?;
    let id = |id: Option<Value>| id.unwrap_or_else(|| "".into());
    let (client, stage) = (id(client.as_ref().map(Value::from)), id(stage.as_ref().map(Value::from)));
    Ok(Query { sql, params: vec![business.into(), client, stage, window.limit().into(), offset(window.offset())] })
}

/// The rows of a list: one with the total, and the leads.
#[derive(Debug, Default)]
struct List {
    total: u64,
    has_client: bool,
    has_stage: bool,
    leads: Vec<Arc<Lead>>,
    reader: Reader,
}

impl List {
    fn read(&mut self, mut row: Row<'_>) -> Result<(), SqlError> {
        let [total, clients, stages]: [Option<u64>; 3] = [row.take()?, row.take()?, row.take()?];
        match total {
            Some(total) => (self.total, self.has_client, self.has_stage) = (total, clients > Some(0), stages > Some(0)),
            None => self.leads.push(self.reader.read(row)?),
        }
        Ok(())
    }

    fn into_listed(mut self, query: &LeadQuery) -> Listed {
        if !self.has_client {
            return Listed::Refused(InvalidReference::Client);
        }
        if !self.has_stage {
            return Listed::Refused(InvalidReference::Stage);
        }
        // A union has no order. The database returns the rows in this order in practice, so sorting them is cheap.
        self.leads.sort_by(|a, b| Reverse((a.created_at, &a.id)).cmp(&Reverse((b.created_at, &b.id))));
        Listed::Page(Page::new(self.leads, self.total, query.window))
    }
}
