//! Exact totals and deep pages without counting leads.
//!
//! The leads of a business, in order of creation, are divided into stretches of at most about [`MOST`] leads. For each
//! stretch and each filter of a list (none, a client account, a stage, both), one row holds the number of matching
//! leads. So a total is the sum of one small row per stretch, and a deep page skips the leads of at most one stretch.
//! The rows of the empty filter define the stretches.
//!
//! The rows change in the same transaction as the leads, once for all changes of that transaction.

use std::collections::BTreeMap;

use leadapi_core::{
    id::{BusinessId, ClientId, StageId},
    model::{Lead, LeadQuery},
};

use super::{
    error::SqlError,
    row::Row,
    session::{Query, Session, query},
    statement,
};

/// The maximum size of a stretch. A stretch that grows beyond it is split.
const MOST: i64 = 2_048;

/// A position in the order of leads: the timestamp in milliseconds, then the id.
pub(super) type Place = (i64, String);

/// The start of the first stretch: before every lead.
const FIRST: (i64, &str) = (i64::MIN, "");
/// The position after every lead.
const END: (i64, &str) = (i64::MAX, "");

fn place(lead: &Lead) -> Place {
    (lead.created_at.unix_millis(), lead.id.to_string())
}

fn read_place(row: &mut Row<'_>) -> Result<Place, SqlError> {
    Ok((row.take()?, row.take()?))
}

/// A filter, as its rows name it. No id is empty, so an empty string means "all".
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

/// A stretch, from its start to the start of the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    from: Place,
    leads: i64,
}

impl Stretch {
    fn read(mut row: Row<'_>) -> Result<Self, SqlError> {
        Ok(Self { from: read_place(&mut row)?, leads: row.take()? })
    }
}

/// The changes of one transaction to the tally of one business.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    by_place: BTreeMap<Place, BTreeMap<Filter, i64>>,
}

impl Changes {
    /// Records the change of a lead. `None` means that the lead did not exist, or no longer exists.
    pub(super) fn note(&mut self, before: Option<&Lead>, after: Option<&Lead>) {
        for (lead, change) in [(before, -1), (after, 1)] {
            let Some(lead) = lead else { continue };
            let here = self.by_place.entry(place(lead)).or_default();
            for filter in filters(lead) {
                *here.entry(filter).or_default() += change;
            }
        }
    }

    /// Writes the changes, and splits stretches that become too long.
    pub(crate) async fn save(mut self, session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
        for changes in self.by_place.values_mut() {
            changes.retain(|_, change| *change != 0);
        }
        self.by_place.retain(|_, changes| !changes.is_empty());
        if self.by_place.is_empty() {
            return Ok(());
        }
        let (newest, by_stretch) = self.by_stretch(session, business).await?;
        for (mut stretch, changes) in by_stretch {
            for ((client, stage), change) in changes {
                let (at, id) = (stretch.from.0, stretch.from.1.clone());
                session
                    .tell(if change > 0 {
                        query!(statement::ADD_TO_TALLY, business, &client, &stage, at, &id, change)
                    } else {
                        query!(statement::TAKE_FROM_TALLY, change, business, &client, &stage, at, &id)
                    })
                    .await?;
                if (client.as_str(), stage.as_str()) == ("", "") {
                    stretch.leads += change;
                } else if change < 0 {
                    session.tell(query!(statement::DROP_EMPTY_TALLY, business, &client, &stage, at, &id)).await?;
                }
            }
            if stretch.leads > MOST {
                cut(session, business, stretch).await?;
            } else if stretch.leads > MOST / 2 && stretch.from == newest {
                begin_after_all(session, business).await?;
            }
        }
        Ok(())
    }

    /// Returns the start of the newest stretch, and the changes grouped by stretch. Nearly all changes fall into the
    /// newest stretch, which is looked up first.
    async fn by_stretch(
        self,
        session: &mut dyn Session,
        business: &BusinessId,
    ) -> Result<(Place, Vec<(Stretch, BTreeMap<Filter, i64>)>), SqlError> {
        let none = || SqlError::other("the tally of a business has no stretch");
        let newest = session.row(query!(statement::NEWEST_STRETCH, business), Stretch::read).await?;
        let newest = newest.ok_or_else(none)?;
        let queries: Vec<Query> = self
            .by_place
            .range(..newest.from.clone())
            .map(|((at, id), _)| query!(statement::STRETCH_OF, business, *at, id))
            .collect();
        let (many, mut older) = (queries.len(), Vec::new());
        if many > 0 {
            session.ask(queries, &mut |_, row| Stretch::read(row).map(|stretch| older.push(stretch))).await?;
        }
        if older.len() < many {
            return Err(none());
        }
        let mut older = older.into_iter();
        let mut by_stretch: BTreeMap<Place, (Stretch, BTreeMap<Filter, i64>)> = BTreeMap::new();
        for (place, changes) in self.by_place {
            let stretch = if place < newest.from { older.next().ok_or_else(none)? } else { newest.clone() };
            let (_, sum) = by_stretch.entry(stretch.from.clone()).or_insert_with(|| (stretch, BTreeMap::new()));
            for (filter, change) in changes {
                *sum.entry(filter).or_default() += change;
            }
        }
        Ok((newest.from, by_stretch.into_values().collect()))
    }
}

/// Begins a new stretch after the newest lead. Leads arrive in order of time, so hardly any stretch has to be split.
async fn begin_after_all(session: &mut dyn Session, business: &BusinessId) -> Result<(), SqlError> {
    let newest = session.row(query!(statement::NEWEST_LEAD, business), |mut row| row.take::<i64>()).await?;
    let Some(at) = newest else { return Ok(()) };
    session.tell(query!(statement::ADD_TO_TALLY, business, "", "", at + 1, "", 0_i64)).await
}

/// Splits a stretch into pieces of equal size, and recounts each of them.
async fn cut(session: &mut dyn Session, business: &BusinessId, stretch: Stretch) -> Result<(), SqlError> {
    let (at, id) = &stretch.from;
    let next = session.row(query!(statement::STRETCH_AFTER, business, *at, id), |mut row| read_place(&mut row)).await?;
    let end = next.unwrap_or_else(|| (END.0, END.1.to_owned()));
    // Two halves, or more pieces of that size if many leads have arrived at once.
    let pieces = stretch.leads / (MOST / 2);
    let mut starts = vec![stretch.from.clone()];
    for piece in 1..pieces {
        let nth = piece * stretch.leads / pieces;
        let start = query!(statement::NTH_IN_STRETCH, business, *at, id, end.0, &end.1, nth);
        starts.extend(session.row(start, |mut row| read_place(&mut row)).await?);
    }
    session.tell(query!(statement::CLEAR_STRETCH, business, *at, id)).await?;
    starts.push(end);
    for (start, end) in starts.iter().zip(starts.iter().skip(1)) {
        let count = query!(statement::COUNT_STRETCH, business, start.0, &start.1, end.0, &end.1);
        session.tell(count).await?;
    }
    Ok(())
}

/// Returns the first row of a business without leads.
pub(crate) fn begin(business: &BusinessId) -> Query {
    query!(statement::ADD_TO_TALLY, business, "", "", FIRST.0, FIRST.1, 0_i64)
}

/// Returns the rows of a business with these leads, which may be in any order.
pub(crate) fn rows_of<'a>(business: &BusinessId, leads: impl Iterator<Item = &'a Lead>) -> Vec<Query> {
    let mut ordered: Vec<(Place, &Lead)> = leads.map(|lead| (place(lead), lead)).collect();
    ordered.sort_by(|a, b| a.0.cmp(&b.0));
    let per_stretch = usize::try_from(MOST / 2).unwrap_or(usize::MAX);
    let mut rows = Vec::new();
    for (nth, stretch) in ordered.chunks(per_stretch).enumerate() {
        let first = (FIRST.0, FIRST.1.to_owned());
        let from = stretch.first().filter(|_| nth > 0).map_or(first, |(place, _)| place.clone());
        let mut sums: BTreeMap<Filter, i64> = BTreeMap::new();
        for (_, lead) in stretch {
            for filter in filters(lead) {
                *sums.entry(filter).or_default() += 1;
            }
        }
        rows.extend(sums.into_iter().map(|((client, stage), leads)| {
            query!(statement::ADD_TO_TALLY, business, &client, &stage, from.0, &from.1, leads)
        }));
    }
    if rows.is_empty() { vec![begin(business)] } else { rows }
}

/// Returns the query for the total under the filters of a list.
pub(super) fn total(business: &BusinessId, list: &LeadQuery) -> Query {
    let (client, stage) = filter(list.client.as_ref(), list.stage.as_ref());
    query!(statement::TOTAL, business, &client, &stage)
}

/// Returns the query for the stretches under the filters of a list, newest first, for [`Start::pass`].
pub(super) fn stretches(business: &BusinessId, list: &LeadQuery) -> Query {
    let (client, stage) = filter(list.client.as_ref(), list.stage.as_ref());
    query!(statement::STRETCHES, business, &client, &stage)
}

/// The start of a page.
#[derive(Debug)]
pub(super) struct Start {
    /// The leads of the page come before this position.
    pub(super) before: Place,
    /// The number of leads to skip before the page.
    pub(super) skip: u64,
    /// The total under the filters.
    pub(super) total: u64,
    is_found: bool,
}

impl Start {
    /// A page that is reached by skipping from the newest lead.
    pub(super) fn at(offset: u64) -> Self {
        Self { before: (END.0, END.1.to_owned()), skip: offset, total: 0, is_found: false }
    }

    /// Skips a whole stretch if the offset reaches beyond it. The newest stretch comes first.
    pub(super) fn pass(&mut self, mut row: Row<'_>) -> Result<(), SqlError> {
        let (from, leads) = (read_place(&mut row)?, row.take::<u64>()?);
        self.total += leads;
        self.is_found |= self.skip < leads;
        if !self.is_found {
            self.skip -= leads;
            self.before = from;
        }
        Ok(())
    }
}
