//! The records of a business that its leads and forms can refer to.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::{
    id::{ClientId, PipelineId, StageId},
    model::{ClientAccount, Lead, LeadQuery, Pipeline},
    validate::{InvalidReference, LookupResult, RequiredLookups},
};

/// The client accounts, pipelines and stages of a business, by id, for stores that keep them in memory.
///
/// ```
/// use leadapi_core::{dataset::Directory, model::{ClientAccount, NewLead}};
///
/// let client = ClientAccount::new("c1".parse()?, "Sol Solar", "2026-05-04T12:00:00Z".parse()?);
/// let directory = Directory::new(&[client], &[]);
/// let draft = NewLead::new(&"c1".parse()?, "Ann").check()?;
/// assert_eq!(directory.look_up(draft.required_lookups()).client, Some("c1".parse()?));
/// assert!(directory.has_client("c1") && !directory.has_stage("s1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Directory {
    clients: HashSet<ClientId>,
    first_stages: HashMap<PipelineId, StageId>,
    stage_pipelines: HashMap<StageId, PipelineId>,
}

impl Directory {
    /// Creates a directory. The stages of each pipeline must be sorted by position.
    pub fn new(clients: &[ClientAccount], pipelines: &[Pipeline]) -> Self {
        let first = |pipeline: &Pipeline| Some((pipeline.id.clone(), pipeline.stages.first()?.id.clone()));
        let homes = pipelines.iter().flat_map(|pipeline| pipeline.stages.iter().map(move |stage| (stage, pipeline)));
        Self {
            clients: clients.iter().map(|client| client.id.clone()).collect(),
            first_stages: pipelines.iter().filter_map(first).collect(),
            stage_pipelines: homes.map(|(stage, pipeline)| (stage.id.clone(), pipeline.id.clone())).collect(),
        }
    }

    /// Looks up the records that a draft or an edit refers to.
    pub fn look_up(&self, named: RequiredLookups<'_>) -> LookupResult {
        let mut found = LookupResult::default();
        found.client = named.client.and_then(|id| self.clients.get(id)).cloned();
        found.first_stage = named.pipeline.and_then(|id| self.first_stages.get(id)).cloned();
        found.stage_pipeline = named.stage.and_then(|id| self.stage_pipelines.get(id)).cloned();
        found
    }

    /// Checks that the filters of a list belong to the business.
    ///
    /// # Errors
    ///
    /// Returns the filter whose client account or stage the business does not have.
    pub fn check_filters(&self, query: &LeadQuery) -> Result<(), InvalidReference> {
        if query.client.as_ref().is_some_and(|id| !self.has_client(id.as_str())) {
            return Err(InvalidReference::Client);
        }
        if query.stage.as_ref().is_some_and(|id| !self.has_stage(id.as_str())) {
            return Err(InvalidReference::Stage);
        }
        Ok(())
    }

    /// Replaces the ids that the lead refers to with the directory's copies, so that all leads of the business share
    /// one copy of each id in memory.
    pub(crate) fn keep(&self, mut lead: Lead) -> Arc<Lead> {
        if let Some(id) = self.clients.get(&lead.client_id) {
            lead.client_id = id.clone();
        }
        let pipeline = lead.pipeline_id.as_ref().and_then(|id| self.first_stages.get_key_value(id));
        lead.pipeline_id = pipeline.map(|(id, _)| id.clone()).or(lead.pipeline_id);
        let stage = lead.stage_id.as_ref().and_then(|id| self.stage_pipelines.get_key_value(id));
        lead.stage_id = stage.map(|(id, _)| id.clone()).or(lead.stage_id);
        Arc::new(lead)
    }

    /// Returns whether the business has a client account with this id.
    pub fn has_client(&self, id: &str) -> bool {
        self.clients.contains(id)
    }

    /// Returns whether the business has a pipeline with this id.
    pub fn has_pipeline(&self, id: &str) -> bool {
        self.first_stages.contains_key(id)
    }

    /// Returns whether the business has a stage with this id.
    pub fn has_stage(&self, id: &str) -> bool {
        self.stage_pipelines.contains_key(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Stage;

    #[test]
    fn a_lead_shares_the_ids_of_the_directory() {
        let at = "2026-05-04T07:58:12.004Z".parse().unwrap();
        let stage = Stage::new("s1".parse().unwrap(), "New", 1);
        let pipelines = [Pipeline::new("p1".parse().unwrap(), "Sales", vec![stage], at)];
        let directory = Directory::new(&[ClientAccount::new("c1".parse().unwrap(), "C", at)], &pipelines);
        let lead = |client: &str, pipeline: &str, stage: &str| {
            let mut lead = Lead::new("l1".parse().unwrap(), client.parse().unwrap(), "Ann", at);
            (lead.pipeline_id, lead.stage_id) = (Some(pipeline.parse().unwrap()), Some(stage.parse().unwrap()));
            lead
        };
        let texts = |lead: &Lead| {
            let (pipeline, stage) = (lead.pipeline_id.as_ref().unwrap(), lead.stage_id.as_ref().unwrap());
            [lead.client_id.as_str(), pipeline.as_str(), stage.as_str()].map(str::as_ptr)
        };
        let (one, two) = (lead("c1", "p1", "s1"), lead("c1", "p1", "s1"));
        assert_ne!(texts(&one), texts(&two));
        let (one, two) = (directory.keep(one), directory.keep(two));
        assert_eq!((texts(&one), &*one), (texts(&two), &lead("c1", "p1", "s1")));
        // Ids that are not in the directory stay unchanged.
        let strange = lead("c2", "p2", "s2");
        assert_eq!(*directory.keep(strange.clone()), strange);
    }
}
