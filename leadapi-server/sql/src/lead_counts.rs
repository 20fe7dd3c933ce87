//! Provides exact totals and deep pages without counting leads.
//!
//! The leads of a business, in order of creation, are divided into buckets of at most about [`MAX_BUCKET`] leads. For
//! each bucket and each filter of a list (none, a client account, a stage, or both), one row of the `tally` table holds
//! the number of matching leads. A total is therefore the sum of one small row per bucket, and reading a deep page
//! skips leads one by one in at most one bucket. The rows for the empty filter define the buckets.
//!
//! A transaction that changes leads updates these rows once, before it commits.

use std::collections::BTreeMap;

use leadapi_core::{
    id::{BusinessId, ClientId, StageId},
    model::{Lead, LeadQuery},
};

use super::{
    change::{ChangeKind, Changes},
    error::SqlError,
    row::Row,
    session::{Query, Session, query},
    statement,
};

/// The maximum number of leads in a bucket. A bucket that grows beyond it is split.
const MAX_BUCKET: i64 = 2_048;

/// A position in creation order: the timestamp in milliseconds, then the id.
pub(crate) type LeadPosition = (i64, String);

/// The start of the first bucket, before every lead.
const FIRST: (i64, &str) = (i64::MIN, "");
/// The position after every lead.
const END: (i64, &str) = (i64::MAX, "");

fn position(lead: &Lead) -> LeadPosition {
    (lead.created_at.unix_millis(), lead.id.to_string())
}

fn read_position(row: &mut Row<'_>) -> Result<LeadPosition, SqlError> {
    Ok((row.take()?, row.take()?))
}

/// A filter as stored in the table: a client account and a stage. No id is empty, so an empty string means "all".
type Filter = (String, String);

fn filter(client: Option<&ClientId>, stage: Option<&StageId>) -> Filter {
    (client.map_or_else(String::new, ToString::to_string), stage.map_or_else(String::new, ToString::to_string))
}

/// Returns the filters that match a lead.
fn filters(lead: &Lead) -> impl Iterator<Item = Filter> + use<> {
    let (client, stage) = (&lead.client_id, lead.stage_id.as_ref());
    let by_stage = stage.map(|stage| [filter(None, Some(stage)), filter(Some(client), Some(stage))]);
    [filter(None, None), filter(Some(client), None)].into_iter().chain(by_stage.into_iter().flatten())
}

/// A bucket: its start position and its number of leads. It ends where the next bucket starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CountBucket {
    from: LeadPosition,
    leads: i64,
}

impl CountBucket {
    pub(crate) const fn new(from: LeadPosition, leads: i64) -> Self {
        Self { from, leads }
    }

    fn read(mut row: Row<'_>) -> Result<Self, SqlError> {
        Ok(Self::new(read_position(&mut row)?, row.take()?))
    }
}

/// One transaction's changes to the lead counts of a business.
#[derive(Debug, Default)]
pub(crate) struct CountChanges {
    by_position: BTreeMap<LeadPosition, BTreeMap<Filter, i64>>,
}

impl CountChanges {
    /// Records a change to a lead. `before` is `None` for a new lead, and `after` is `None` for a deleted lead.
    pub(super) fn record(&mut self, before: Option<&Lead>, after: Option<&Lead>) {
        for (lead, change) in [(before, -1), (after, 1)] {
            let Some(lead) = lead else { continue };
            let counts = self.by_position.entry(position(lead)).or_default();
            for filter in filters(lead) {
                *counts.entry(filter).or_default() += change;
            }
        }
    }

    /// Adds the changes to the counts to the changes of the transaction. Returns the buckets that become too large.
    pub(crate) async fn add_to(
        mut self,
        to: &mut Changes,
        session: &mut dyn Session,
        business: &BusinessId,
        newest: Option<CountBucket>,
    ) -> Result<FullBuckets, SqlError> {
        let mut full = FullBuckets::default();
        for changes in self.by_position.values_mut() {
            changes.retain(|_, change| *change != 0);
        }
        self.by_position.retain(|_, changes| !changes.is_empty());
        if self.by_position.is_empty() {
            return Ok(full);
        }
        let (newest, by_bucket) = self.by_bucket(session, business, newest).await?;
        for (mut bucket, changes) in by_bucket {
            for ((client, stage), change) in changes {
                let (at, id) = (bucket.from.0, bucket.from.1.clone());
                let is_empty_filter = client.is_empty() && stage.is_empty();
                if is_empty_filter {
                    bucket.leads += change;
                }
                if change > 0 {
                    let add = query!(statement::ADD_LEAD_COUNT, business, client, stage, at, id, change);
                    to.add(ChangeKind::AddCount, add);
                } else if change < 0 {
                    let subtract = query!(statement::SUBTRACT_LEAD_COUNT, change, business, &client, &stage, at, &id);
                    to.add(ChangeKind::SubtractCount, subtract);
                    if !is_empty_filter {
                        let delete = query!(statement::DELETE_EMPTY_LEAD_COUNT, business, client, stage, at, id);
                        to.add(ChangeKind::DeleteEmptyCount, delete);
                    }
                }
            }
            if bucket.leads > MAX_BUCKET {
                full.to_split.push(bucket);
            } else if bucket.leads > MAX_BUCKET / 2 && bucket.from == newest {
                full.begin_newest = true;
            }
        }
        Ok(full)
    }

    /// Returns the start of the newest bucket, and the changes grouped by bucket. Nearly all changes fall into the
    /// newest bucket, which is looked up first.
    async fn by_bucket(
        self,
        session: &mut dyn Session,
        business: &BusinessId,
        newest: Option<CountBucket>,
    ) -> Result<(LeadPosition, Vec<(CountBucket, BTreeMap<Filter, i64>)>), SqlError> {
        let none = || SqlError::other("a business has no count bucket");
        let newest = if newest.is_some() {
            newest
        } else {
            session.row(query!(statement::NEWEST_BUCKET, business), CountBucket::read).await?
        };
        let newest = newest.ok_or_else(none)?;
        let queries: Vec<Query> = self
            .by_position
            .range(..newest.from.clone())
            .map(|((at, id), _)| query!(statement::BUCKET_OF, business, *at, id))
            .collect();
        let (expected, mut older) = (queries.len(), Vec::new());
        if expected > 0 {
            session.query(queries, &mut |_, row| CountBucket::read(row).map(|bucket| older.push(bucket))).await?;
        }
        if older.len() < expected {
            return Err(none());
        }
        let mut older = older.into_iter();
        let mut by_bucket: BTreeMap<LeadPosition, (CountBucket, BTreeMap<Filter, i64>)> = BTreeMap::new();
        for (position, changes) in self.by_position {
            let bucket = if position < newest.from { older.next().ok_or_else(none)? } else { newest.clone() };
            let (_, sum) = by_bucket.entry(bucket.from.clone()).or_insert_with(|| (bucket, BTreeMap::new()));
            for (filter, change) in changes {
                *sum.entry(filter).or_default() += change;
            }
        }
        Ok((newest.from, by_bucket.into_values().collect()))
    }
}

/// The buckets that have become too large.
#[derive(Debug, Default)]
pub(crate) struct FullBuckets {
    to_split: Vec<CountBucket>,
    begin_newest: bool,
}

impl FullBuckets {
    /// Splits the buckets, after the changes were saved.
    pub(crate) async fn split(self, session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
        for bucket in self.to_split {
            split(session, business, bucket).await?;
        }
        if self.begin_newest { begin_newest_bucket(session, business).await } else { Ok(()) }
    }
}

/// Begins a new bucket after the newest lead. Leads usually arrive in chronological order, so buckets rarely need to be
/// split.
async fn begin_newest_bucket(session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
    let newest = session.row(query!(statement::NEWEST_LEAD, business), |mut row| row.take::<i64>()).await?;
    let Some(at) = newest else { return Ok(()) };
    session.execute(query!(statement::ADD_LEAD_COUNT, business, "", "", at + 1, "", 0_i64)).await
}

/// Splits a bucket into parts of about equal size, and recounts each part.
async fn split(session: &mut dyn Session, business: &BusinessId, bucket: CountBucket) -> Result<(), SqlError> {
    let (at, id) = &bucket.from;
    let next =
        session.row(query!(statement::NEXT_BUCKET, business, *at, id), |mut row| read_position(&mut row)).await?;
    let end = next.unwrap_or_else(|| (END.0, END.1.to_owned()));
    // Each part has at least `MAX_BUCKET / 2` leads. There are more than two parts if many leads have arrived at once.
    let parts = bucket.leads / (MAX_BUCKET / 2);
    let mut starts = vec![bucket.from.clone()];
    for part in 1..parts {
        let nth = part * bucket.leads / parts;
        let start = query!(statement::NTH_LEAD_IN_BUCKET, business, *at, id, end.0, &end.1, nth);
        starts.extend(session.row(start, |mut row| read_position(&mut row)).await?);
    }
    session.execute(query!(statement::DELETE_BUCKET, business, *at, id)).await?;
    starts.push(end);
    for (start, end) in starts.iter().zip(starts.iter().skip(1)) {
        let count = query!(statement::RECOUNT_BUCKET, start.0, &start.1, business, end.0, &end.1);
        session.execute(count).await?;
    }
    Ok(())
}

/// Returns the query that inserts the empty first bucket of a business.
pub(crate) fn first_bucket(business: &BusinessId) -> Query {
    query!(statement::ADD_LEAD_COUNT, business, "", "", FIRST.0, FIRST.1, 0_i64)
}

/// Returns the queries that insert all buckets of a business with these leads, which may be in any order.
pub(crate) fn bucket_rows<'a>(business: &BusinessId, leads: impl Iterator<Item = &'a Lead>) -> Vec<Query> {
    let mut ordered: Vec<(LeadPosition, &Lead)> = leads.map(|lead| (position(lead), lead)).collect();
    ordered.sort_by(|a, b| a.0.cmp(&b.0));
    let per_bucket = usize::try_from(MAX_BUCKET / 2).unwrap_or(usize::MAX);
    let mut rows = Vec::new();
    for (nth, bucket) in ordered.chunks(per_bucket).enumerate() {
        let first = (FIRST.0, FIRST.1.to_owned());
        let from = bucket.first().filter(|_| nth > 0).map_or(first, |(position, _)| position.clone());
        let mut sums: BTreeMap<Filter, i64> = BTreeMap::new();
        for (_, lead) in bucket {
            for filter in filters(lead) {
                *sums.entry(filter).or_default() += 1;
            }
        }
        rows.extend(sums.into_iter().map(|((client, stage), leads)| {
            query!(statement::ADD_LEAD_COUNT, business, &client, &stage, from.0, &from.1, leads)
        }));
    }
    if rows.is_empty() { vec![first_bucket(business)] } else { rows }
}

/// Returns the query for the total number of leads that match the filters of a list.
pub(super) fn total(business: &BusinessId, list: &LeadQuery) -> Query {
    let (client, stage) = filter(list.client.as_ref(), list.stage.as_ref());
    query!(statement::TOTAL, business, &client, &stage)
}

/// Returns the query for the number of matching leads in each bucket, newest bucket first. [`PageStart::skip_bucket`]
/// reads its rows.
pub(super) fn buckets(business: &BusinessId, list: &LeadQuery) -> Query {
    let (client, stage) = filter(list.client.as_ref(), list.stage.as_ref());
    query!(statement::BUCKETS, business, &client, &stage)
}

/// The position at which a page of leads starts.
#[derive(Debug)]
pub(super) struct PageStart {
    /// The page contains only leads older than this position.
    pub(super) before: LeadPosition,
    /// The number of leads to skip between that position and the page.
    pub(super) skip: u64,
    /// The total number of leads that match the filters.
    pub(super) total: u64,
    is_found: bool,
}

impl PageStart {
    /// Creates a page start that skips the newest `offset` leads.
    pub(super) fn at(offset: u64) -> Self {
        Self { before: (END.0, END.1.to_owned()), skip: offset, total: 0, is_found: false }
    }

    /// Adds a bucket to the total, and skips the bucket if the page starts after it. Must be called for each bucket in
    /// turn, newest first.
    pub(super) fn skip_bucket(&mut self, mut row: Row<'_>) -> Result<(), SqlError> {
        let (from, leads) = (read_position(&mut row)?, row.take::<u64>()?);
        self.total += leads;
        self.is_found |= self.skip < leads;
        if !self.is_found {
            self.skip -= leads;
            self.before = from;
        }
        Ok(())
    }
}
