//! The order of leads (contract D3) under every combination of filters, and how many there are.

use std::{cmp::Ordering, sync::Arc};

use foldhash::HashMap;

use super::ranked::Ranked;
use crate::{
    id::{ClientId, StageId},
    model::{Lead, LeadQuery, Window},
};

/// Both filters of a list; absent means all.
type Filter = (Option<ClientId>, Option<StageId>);

/// Every lead under each filter that it matches, so that neither a page nor its total needs a search.
#[derive(Debug, Default)]
pub(super) struct Index {
    all: Ranked<ByAge>,
    filtered: HashMap<Filter, Ranked<ByAge>>,
}

/// A lead in the order of lists, which is the reverse of this one: by when it was created, then by its id.
#[derive(Debug)]
struct ByAge {
    /// When it was created, in milliseconds, which is all that a timestamp says: here too, so that a search seldom has to
    /// look at the lead.
    created_at: i64,
    lead: Arc<Lead>,
}

impl Index {
    pub(super) fn insert(&mut self, lead: &Arc<Lead>) {
        self.all.insert(ByAge::of(lead));
        for filter in filters(lead) {
            self.filtered.entry(filter).or_default().insert(ByAge::of(lead));
        }
    }

    pub(super) fn remove(&mut self, lead: &Arc<Lead>) {
        self.all.remove(&ByAge::of(lead));
        for filter in filters(lead) {
            if let Some(ranked) = self.filtered.get_mut(&filter) {
                ranked.remove(&ByAge::of(lead));
                if ranked.is_empty() {
                    self.filtered.remove(&filter);
                }
            }
        }
    }

    /// The page, and how many there are in all.
    pub(super) fn page(&self, query: &LeadQuery) -> (Vec<Arc<Lead>>, usize) {
        let ranked = match (&query.client, &query.stage) {
            (None, None) => Some(&self.all),
            (client, stage) => self.filtered.get(&(client.clone(), stage.clone())),
        };
        ranked.map_or_else(Default::default, |ranked| (page(ranked, query.window), ranked.len()))
    }
}

fn page(ranked: &Ranked<ByAge>, window: Window) -> Vec<Arc<Lead>> {
    let (Ok(offset), Ok(limit)) = (usize::try_from(window.offset()), usize::try_from(window.limit())) else {
        return Vec::new();
    };
    ranked.descending(offset).take(limit).map(|by_age| by_age.lead.clone()).collect()
}

/// The filters that a lead matches, but for that which all match; a lead in no stage is under no filter by stage.
fn filters(lead: &Lead) -> impl Iterator<Item = Filter> + use<> {
    let (client, stage) = (Some(lead.client_id.clone()), lead.stage_id.clone());
    let by_stage = stage.clone().map(|stage| (None, Some(stage)));
    let by_both = stage.map(|stage| (client.clone(), Some(stage)));
    [(client, None)].into_iter().chain(by_stage).chain(by_both)
}

impl ByAge {
    fn of(lead: &Arc<Lead>) -> Self {
        Self { created_at: lead.created_at.to_utc().timestamp_millis(), lead: lead.clone() }
    }
}

impl Ord for ByAge {
    fn cmp(&self, other: &Self) -> Ordering {
        self.created_at.cmp(&other.created_at).then_with(|| self.lead.id.cmp(&other.lead.id))
    }
}

impl PartialOrd for ByAge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByAge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ByAge {}
