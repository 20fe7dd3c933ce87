//! `stage`: the stages of a pipeline.

use clap::Subcommand;
use leadapi_core::{
    admin::AdminExt,
    id::{PipelineId, StageId},
    model::{Pipeline, Stage},
};
use serde::Serialize;
use serde_json::json;

use super::{CommandError, id::given_or_new, store::BusinessArgs};

#[derive(Debug, Subcommand)]
pub(super) enum StageCommand {
    /// Add a stage to a pipeline.
    #[command(after_help = "Example:
  leadapi stage add --pipeline sales --name Contacted --position 2 --store sqlite:leads.db --business sol")]
    Add {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the pipeline.
        #[arg(long, value_name = "ID")]
        pipeline: PipelineId,
        /// The name: 1 to 200 characters.
        #[arg(long)]
        name: String,
        /// The position; stages at or after it shift by one. By default, the new stage is last.
        #[arg(long, value_name = "N")]
        position: Option<u32>,
        /// The id. Defaults to a new UUID.
        #[arg(long)]
        id: Option<StageId>,
    },
    /// List the stages of all pipelines.
    List {
        #[command(flatten)]
        of: BusinessArgs,
    },
    /// Rename a stage, move it to another position, or both.
    #[command(group(clap::ArgGroup::new("change").required(true).multiple(true).args(["name", "position"])))]
    Rename {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the stage.
        id: StageId,
        /// The new name.
        #[arg(long)]
        name: Option<String>,
        /// The new position in the pipeline; the other stages shift accordingly.
        #[arg(long, value_name = "N")]
        position: Option<u32>,
    },
    /// Remove a stage. If it has leads, --move-to is required; the last stage of a pipeline cannot be removed.
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the stage.
        id: StageId,
        /// The stage to which the leads move, in the same pipeline or another.
        #[arg(long, value_name = "STAGE")]
        move_to: Option<StageId>,
    },
}

/// An entry of the list of stages, which states the pipeline of each stage.
#[derive(Serialize)]
struct Listed<'p> {
    #[serde(flatten)]
    stage: &'p Stage,
    pipeline_id: &'p PipelineId,
    #[serde(skip)]
    pipeline: &'p str,
}

impl StageCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { of, pipeline, name, position, id } => {
                let (store, id) = (of.at.open().await?, given_or_new(id)?);
                let added = store.admin(&of.business).stages().add(&pipeline, &id, &name, position).await?;
                let Stage { id, name, position, .. } = &added;
                of.at.format.print(&added, || format!("stage {name:?} was added at position {position}: {id}"))
            }
            Self::List { of } => {
                let pipelines = of.at.open().await?.admin(&of.business).pipelines().list().await?;
                let listed: Vec<Listed> = pipelines.iter().flat_map(stages).collect();
                of.at.format.list(
                    &listed,
                    ["pipeline", "position", "id", "name"],
                    |Listed { stage, pipeline, .. }| {
                        [(*pipeline).to_owned(), stage.position.to_string(), stage.id.to_string(), stage.name.clone()]
                    },
                )
            }
            Self::Rename { of, id, name, position } => {
                let store = of.at.open().await?;
                let changed = store.admin(&of.business).stages().change(&id, name.as_deref(), position).await?;
                let Stage { name, position, .. } = &changed;
                of.at.format.print(&changed, || format!("stage {id} is now {name:?} at position {position}"))
            }
            Self::Remove { of, id, move_to } => {
                let moved = of.at.open().await?.admin(&of.business).stages().delete(&id, move_to.as_ref()).await?;
                let removed = json!({"removed": id, "moved": moved});
                of.at.format.print(&removed, || format!("stage {id} was removed; leads moved: {moved}"))
            }
        }
    }
}

fn stages(pipeline: &Pipeline) -> impl Iterator<Item = Listed<'_>> {
    let listed = |stage| Listed { stage, pipeline_id: &pipeline.id, pipeline: &pipeline.name };
    pipeline.stages.iter().map(listed)
}
