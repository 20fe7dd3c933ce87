//! What the leads and forms of a business may name.

use std::collections::{HashMap, HashSet};

use crate::{
    id::{ClientId, PipelineId, StageId},
    model::{ClientAccount, Pipeline},
    validate::{Named, References},
};

/// The client accounts, pipelines and stages of a business, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    clients: HashSet<ClientId>,
    first_stages: HashMap<PipelineId, StageId>,
    stage_pipelines: HashMap<StageId, PipelineId>,
}

impl Directory {
    pub(crate) fn new(clients: &[ClientAccount], pipelines: &[Pipeline]) -> Self {
        let first = |pipeline: &Pipeline| Some((pipeline.id.clone(), pipeline.stages.first()?.id.clone()));
        let homes = pipelines.iter().flat_map(|pipeline| pipeline.stages.iter().map(move |stage| (stage, pipeline)));
        Self {
            clients: clients.iter().map(|client| client.id.clone()).collect(),
            first_stages: pipelines.iter().filter_map(first).collect(),
            stage_pipelines: homes.map(|(stage, pipeline)| (stage.id.clone(), pipeline.id.clone())).collect(),
        }
    }

    pub(crate) fn look_up(&self, named: Named<'_>) -> References {
        References {
            client_exists: named.client.is_some_and(|id| self.clients.contains(id)),
            first_stage: named.pipeline.and_then(|id| self.first_stages.get(id)).cloned(),
            stage_pipeline: named.stage.and_then(|id| self.stage_pipelines.get(id)).cloned(),
        }
    }

    pub(crate) fn has_client(&self, id: &str) -> bool {
        self.clients.contains(id)
    }

    pub(crate) fn has_pipeline(&self, id: &str) -> bool {
        self.first_stages.contains_key(id)
    }

    pub(crate) fn has_stage(&self, id: &str) -> bool {
        self.stage_pipelines.contains_key(id)
    }
}
