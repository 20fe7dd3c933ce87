//! Sorted lists of leads for every combination of filters (contract D3). Each list stores its length.

use std::{cmp::Ordering, sync::Arc};

use foldhash::HashMap;

use leadapi_core::{
    id::{ClientId, StageId},
    model::{Lead, LeadQuery, Window},
};

use crate::ranked_list::RankedList;

/// An index of leads for every combination of filters, so that neither a page nor its total requires a scan.
#[derive(Debug, Default)]
pub(super) struct Index {
    all_clients: ByStage,
    by_client: HashMap<ClientId, ByStage>,
}

/// All leads, and the leads of each stage.
#[derive(Debug, Default)]
struct ByStage {
    all: RankedList<ByAge>,
    by_stage: HashMap<StageId, RankedList<ByAge>>,
}

/// A lead that sorts by creation time, then by id. The API lists leads in the reverse order.
#[derive(Debug)]
struct ByAge {
    /// A copy of the lead's creation time in milliseconds, so most comparisons do not have to load the lead.
    created_at: i64,
    lead: Arc<Lead>,
}

impl Index {
    pub(super) fn insert(&mut self, lead: &Arc<Lead>) {
        self.all_clients.insert(lead);
        // Clones the id only when the map has no entry for it.
        match self.by_client.get_mut(&lead.client_id) {
            Some(of_client) => of_client.insert(lead),
            None => self.by_client.entry(lead.client_id.clone()).or_default().insert(lead),
        }
    }

    pub(super) fn remove(&mut self, lead: &Arc<Lead>) {
        self.all_clients.remove(lead);
        if let Some(of_client) = self.by_client.get_mut(&lead.client_id) {
            of_client.remove(lead);
            if of_client.all.is_empty() {
                self.by_client.remove(&lead.client_id);
            }
        }
    }

    /// Returns the page and the total number of matches.
    pub(super) fn page(&self, query: &LeadQuery) -> (Vec<Arc<Lead>>, usize) {
        let of_client = match &query.client {
            Some(client) => self.by_client.get(client),
            None => Some(&self.all_clients),
        };
        let leads = of_client.and_then(|leads| match &query.stage {
            Some(stage) => leads.by_stage.get(stage),
            None => Some(&leads.all),
        });
        leads.map_or_else(Default::default, |leads| (page(leads, query.window), leads.len()))
    }
}

impl ByStage {
    fn insert(&mut self, lead: &Arc<Lead>) {
        self.all.insert(ByAge::of(lead));
        let Some(stage) = &lead.stage_id else { return };
        match self.by_stage.get_mut(stage) {
            Some(of_stage) => of_stage.insert(ByAge::of(lead)),
            None => self.by_stage.entry(stage.clone()).or_default().insert(ByAge::of(lead)),
        }
    }

    fn remove(&mut self, lead: &Arc<Lead>) {
        self.all.remove(&ByAge::of(lead));
        let Some(stage) = &lead.stage_id else { return };
        if let Some(of_stage) = self.by_stage.get_mut(stage) {
            of_stage.remove(&ByAge::of(lead));
            if of_stage.is_empty() {
                self.by_stage.remove(stage);
            }
        }
    }
}

fn page(leads: &RankedList<ByAge>, window: Window) -> Vec<Arc<Lead>> {
    let (Ok(offset), Ok(limit)) = (usize::try_from(window.offset()), usize::try_from(window.limit())) else {
        return Vec::new();
    };
    leads.descending(offset).take(limit).map(|by_age| by_age.lead.clone()).collect()
}

impl ByAge {
    fn of(lead: &Arc<Lead>) -> Self {
        Self { created_at: lead.created_at.unix_millis(), lead: lead.clone() }
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
