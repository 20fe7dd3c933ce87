//! `pipeline`: the pipelines of a business.

use clap::Subcommand;
use leadapi_core::{
    admin::AdminExt,
    id::PipelineId,
    model::{Pipeline, Stage},
    port::Clock,
};
use serde_json::json;

use super::{CommandError, id::given_or_new, store::BusinessArgs};

#[derive(Debug, Subcommand)]
pub(super) enum PipelineCommand {
    /// Add a pipeline with its stages.
    #[command(after_help = "Example:
  leadapi pipeline add --name Sales --stage New --stage Won --store sqlite:leads.db --business sol")]
    Add {
        #[command(flatten)]
        of: BusinessArgs,
        /// The name: 1 to 200 characters.
        #[arg(long)]
        name: String,
        /// The name of a stage; repeat the option for each stage, in order.
        #[arg(long = "stage", value_name = "NAME", required = true)]
        stages: Vec<String>,
        /// The id. Defaults to a new UUID.
        #[arg(long)]
        id: Option<PipelineId>,
    },
    /// List the pipelines.
    List {
        #[command(flatten)]
        of: BusinessArgs,
    },
    /// Rename a pipeline.
    Rename {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the pipeline.
        id: PipelineId,
        /// The new name.
        #[arg(long)]
        name: String,
    },
    /// Remove a pipeline and its stages. Fails if the pipeline has leads, or if a form sends leads to it.
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the pipeline.
        id: PipelineId,
    },
}

impl PipelineCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { of, name, stages, id } => {
                let stage = |(position, name)| Ok(Stage::new(given_or_new(None)?, name, position));
                let stages = (1..).zip(stages).map(stage).collect::<Result<_, CommandError>>()?;
                let store = of.at.open().await?;
                let pipeline = Pipeline::new(given_or_new(id)?, name, stages, store.clock().now());
                let added = store.admin(&of.business).pipelines().add(pipeline).await?;
                of.at.format.print(&added, || {
                    let stages = added.stages.iter().map(|stage| format!("\n  stage {:?}: {}", stage.name, stage.id));
                    format!("pipeline {:?} was added: {}{}", added.name, added.id, stages.collect::<String>())
                })
            }
            Self::List { of } => {
                let pipelines = of.at.open().await?.admin(&of.business).pipelines().list().await?;
                of.at.format.list(&pipelines, ["id", "name", "stages", "created"], |pipeline| {
                    let stages: Vec<&str> = pipeline.stages.iter().map(|stage| stage.name.as_str()).collect();
                    let created = pipeline.created_at.to_string();
                    [pipeline.id.to_string(), pipeline.name.clone(), stages.join(", "), created]
                })
            }
            Self::Rename { of, id, name } => {
                let renamed = of.at.open().await?.admin(&of.business).pipelines().rename(&id, &name).await?;
                of.at.format.print(&renamed, || format!("pipeline {id} is now {:?}", renamed.name))
            }
            Self::Remove { of, id } => {
                of.at.open().await?.admin(&of.business).pipelines().delete(&id).await?;
                of.at.format.print(&json!({"removed": id}), || format!("pipeline {id} was removed"))
            }
        }
    }
}
