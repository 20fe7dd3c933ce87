//! `stage`: the stages of a pipeline.

use clap::Subcommand;
use leadapi_core::{
    id::{PipelineId, StageId},
    model::{Pipeline, Stage},
};
use serde::Serialize;
use serde_json::json;

use super::{
    CommandError,
    admin::BusinessArgs,
    id::given_or_new,
    lookup::{Kind, Named, find},
    name_arg::NameArg,
    pipeline::find_pipeline,
};

#[derive(Debug, Subcommand)]
pub(super) enum StageCommand {
    /// Add a stage to a pipeline.
    #[command(after_help = "Example:
  leadapi stage add Contacted --pipeline Sales --position 2")]
    Add {
        #[command(flatten)]
        of: BusinessArgs,
        /// The pipeline: its id, or its name if no other has it.
        #[arg(long)]
        pipeline: String,
        #[command(flatten)]
        name: NameArg,
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
    #[command(after_help = "Examples:
  leadapi stage rename New Open
  leadapi stage rename Won --position 3")]
    Rename {
        #[command(flatten)]
        of: BusinessArgs,
        /// The stage: its id, or its name if no other stage of the business has it.
        stage: String,
        /// The new name.
        #[arg(required_unless_present_any = ["name_option", "position"])]
        name: Option<String>,
        /// The new name, as an option.
        #[arg(long = "name", hide = true, conflicts_with = "name")]
        name_option: Option<String>,
        /// The new position in the pipeline; the other stages shift accordingly.
        #[arg(long, value_name = "N")]
        position: Option<u32>,
    },
    /// Remove a stage. If it has leads, --move-to is required; the last stage of a pipeline cannot be removed.
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The stage: its id, or its name if no other stage of the business has it.
        stage: String,
        /// The stage to which the leads move, in the same pipeline or another.
        #[arg(long, value_name = "STAGE")]
        move_to: Option<String>,
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

impl Named for Listed<'_> {
    const KIND: &'static Kind = &Kind::of_a_business("stage", "stages");

    fn id(&self) -> &str {
        self.stage.id.as_str()
    }

    fn name(&self) -> &str {
        &self.stage.name
    }

    fn describe(&self) -> String {
        format!("{} in {:?}", self.stage.id, self.pipeline)
    }
}

impl StageCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { of, pipeline, name, position, id } => {
                let (business, id) = (of.open().await?, given_or_new(id)?);
                let pipeline = find_pipeline(&business, &pipeline).await?.id;
                let added = business.admin().stages().add(&pipeline, &id, &String::from(name), position).await?;
                let Stage { id, name, position, .. } = &added;
                of.at.format.print(&added, || format!("stage {name:?} was added at position {position}: {id}"))
            }
            Self::List { of } => {
                let pipelines = of.open().await?.admin().pipelines().list().await?;
                of.at.format.list(
                    &listed(&pipelines),
                    ["pipeline", "position", "id", "name"],
                    |Listed { stage, pipeline, .. }| {
                        [(*pipeline).to_owned(), stage.position.to_string(), stage.id.to_string(), stage.name.clone()]
                    },
                )
            }
            Self::Rename { of, stage, name, name_option, position } => {
                let business = of.open().await?;
                let pipelines = business.admin().pipelines().list().await?;
                let id = &find(&listed(&pipelines), &stage)?.stage.id;
                let name = name.or(name_option);
                let changed = business.admin().stages().change(id, name.as_deref(), position).await?;
                let Stage { name, position, .. } = &changed;
                of.at.format.print(&changed, || format!("stage {id} is now {name:?} at position {position}"))
            }
            Self::Remove { of, stage, move_to } => {
                let business = of.open().await?;
                let pipelines = business.admin().pipelines().list().await?;
                let stages = listed(&pipelines);
                let Stage { id, name, .. } = find(&stages, &stage)?.stage;
                let move_to = move_to.map(|to| find(&stages, &to).map(|to| &to.stage.id)).transpose()?;
                let moved = business.admin().stages().delete(id, move_to).await?;
                let removed = json!({"removed": id, "moved": moved, "business": business.id()});
                of.at.format.print(&removed, || {
                    format!("stage {name:?} ({id}) was removed from {business}; leads moved: {moved}")
                })
            }
        }
    }
}

/// Returns the stages of all pipelines.
fn listed(pipelines: &[Pipeline]) -> Vec<Listed<'_>> {
    pipelines.iter().flat_map(stages).collect()
}

fn stages(pipeline: &Pipeline) -> impl Iterator<Item = Listed<'_>> {
    let listed = |stage| Listed { stage, pipeline_id: &pipeline.id, pipeline: &pipeline.name };
    pipeline.stages.iter().map(listed)
}
