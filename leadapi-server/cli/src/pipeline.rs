//! `pipeline`: the pipelines of a business.

use clap::Subcommand;
use leadapi_core::{
    id::PipelineId,
    model::{Pipeline, Stage},
    port::Clock,
};
use serde_json::json;

use super::{
    CommandError,
    admin::{BusinessArgs, OpenBusiness},
    id::given_or_new,
    lookup::find,
    name_arg::NameArg,
};

#[derive(Debug, Subcommand)]
pub(super) enum PipelineCommand {
    /// Add a pipeline with its stages.
    #[command(after_help = "Example:
  leadapi pipeline add Sales --stage New --stage Won")]
    Add {
        #[command(flatten)]
        of: BusinessArgs,
        #[command(flatten)]
        name: NameArg,
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
        /// The pipeline: its id, or its name if no other has it.
        pipeline: String,
        #[command(flatten)]
        name: NameArg,
    },
    /// Remove a pipeline and its stages. Fails if the pipeline has leads, or if a form sends leads to it.
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The pipeline: its id, or its name if no other has it.
        pipeline: String,
    },
}

impl PipelineCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Add { of, name, stages, id } => {
                let stage = |(position, name)| Ok(Stage::new(given_or_new(None)?, name, position));
                let stages = (1..).zip(stages).map(stage).collect::<Result<_, CommandError>>()?;
                let (business, name) = (of.open().await?, String::from(name));
                let pipeline = Pipeline::new(given_or_new(id)?, name, stages, business.store.clock().now());
                let added = business.admin().pipelines().add(pipeline).await?;
                of.at.format.print(&added, || {
                    let stages = added.stages.iter().map(|stage| format!("\n  stage {:?}: {}", stage.name, stage.id));
                    format!("pipeline {:?} was added: {}{}", added.name, added.id, stages.collect::<String>())
                })
            }
            Self::List { of } => {
                let pipelines = of.open().await?.admin().pipelines().list().await?;
                of.at.format.list(&pipelines, ["id", "name", "stages", "created"], |pipeline| {
                    let stages: Vec<&str> = pipeline.stages.iter().map(|stage| stage.name.as_str()).collect();
                    let created = pipeline.created_at.to_string();
                    [pipeline.id.to_string(), pipeline.name.clone(), stages.join(", "), created]
                })
            }
            Self::Rename { of, pipeline, name } => {
                let business = of.open().await?;
                let id = find_pipeline(&business, &pipeline).await?.id;
                let renamed = business.admin().pipelines().rename(&id, &String::from(name)).await?;
                of.at.format.print(&renamed, || format!("pipeline {id} is now {:?}", renamed.name))
            }
            Self::Remove { of, pipeline } => {
                let business = of.open().await?;
                let Pipeline { id, name, .. } = find_pipeline(&business, &pipeline).await?;
                business.admin().pipelines().delete(&id).await?;
                of.at.format.print(&json!({"removed": id, "business": business.id()}), || {
                    format!("pipeline {name:?} ({id}) was removed from {business}")
                })
            }
        }
    }
}

/// Returns the pipeline with this id or unique name.
pub(super) async fn find_pipeline(business: &OpenBusiness, given: &str) -> Result<Pipeline, CommandError> {
    Ok(find(&business.admin().pipelines().list().await?, given)?.clone())
}
