//! The order of leads (contract D3) under every combination of filters, and how many there are.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use crate::{
    id::{ClientId, LeadId, StageId},
    model::{Lead, LeadQuery, Timestamp, Window},
};

/// Both filters of a list; absent means all.
type Filter = (Option<ClientId>, Option<StageId>);
/// Leads in ascending order of their sort key.
type Ordered = BTreeMap<(Timestamp, LeadId), Arc<Lead>>;

/// Every lead under each filter that it matches, so that a page and its total need no search.
#[derive(Debug, Default)]
pub(super) struct Index(HashMap<Filter, Ordered>);

impl Index {
    pub(super) fn insert(&mut self, lead: &Arc<Lead>) {
        for filter in filters(lead) {
            self.0.entry(filter).or_default().insert(key(lead), lead.clone());
        }
    }

    pub(super) fn remove(&mut self, lead: &Lead) {
        for filter in filters(lead) {
            if let Some(ordered) = self.0.get_mut(&filter) {
                ordered.remove(&key(lead));
                if ordered.is_empty() {
                    self.0.remove(&filter);
                }
            }
        }
    }

    /// The page, and how many there are in all.
    pub(super) fn page(&self, query: &LeadQuery) -> (Vec<Arc<Lead>>, usize) {
        let Some(ordered) = self.0.get(&(query.client.clone(), query.stage.clone())) else {
            return (Vec::new(), 0);
        };
        (page(ordered, query.window), ordered.len())
    }
}

fn page(ordered: &Ordered, window: Window) -> Vec<Arc<Lead>> {
    let (Ok(offset), Ok(limit)) = (usize::try_from(window.offset()), usize::try_from(window.limit())) else {
        return Vec::new();
    };
    // Past the end there is nothing to walk to.
    if offset >= ordered.len() {
        return Vec::new();
    }
    ordered.values().rev().skip(offset).take(limit).cloned().collect()
}

fn key(lead: &Lead) -> (Timestamp, LeadId) {
    (lead.created_at, lead.id.clone())
}

/// The filters that a lead matches; a lead in no stage is under no filter by stage.
fn filters(lead: &Lead) -> impl Iterator<Item = Filter> {
    let (client, stage) = (Some(lead.client_id.clone()), lead.stage_id.clone());
    let by_stage = stage.clone().map(|stage| (None, Some(stage)));
    let by_both = stage.map(|stage| (client.clone(), Some(stage)));
    [(None, None), (client, None)].into_iter().chain(by_stage).chain(by_both)
}
