//! The command line, and what each command does.

mod business;
mod client;
mod data;
mod demo;
mod error;
mod form;
mod id;
mod member;
mod migrate;
mod openapi;
mod output;
mod pipeline;
mod serve;
mod signals;
mod stage;
mod store;
mod token;

use clap::{Parser, Subcommand};

use self::{
    business::BusinessCommand,
    client::ClientCommand,
    data::DataCommand,
    form::FormCommand,
    member::MemberCommand,
    migrate::Migrate,
    openapi::OpenApi,
    pipeline::PipelineCommand,
    serve::{Demo, Serve},
    stage::StageCommand,
    token::TokenCommand,
};

pub use self::error::CommandError;

/// A REST API for leads, pipelines and client accounts.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve businesses: from memory, from a SQLite file or from PostgreSQL.
    Serve(Serve),
    /// Try it: serve two sample businesses from memory, and print their tokens and three requests to paste.
    Demo(Demo),
    /// Create, list, revoke and delete the tokens of a business, as an owner or an admin of it.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Import, export, check and back up data.
    #[command(subcommand)]
    Data(DataCommand),
    /// See which businesses there are.
    #[command(subcommand)]
    Business(BusinessCommand),
    /// Manage the people of a business.
    #[command(subcommand)]
    Member(MemberCommand),
    /// Manage the client accounts of a business.
    #[command(subcommand)]
    Client(ClientCommand),
    /// Manage the pipelines of a business.
    #[command(subcommand)]
    Pipeline(PipelineCommand),
    /// Manage the stages of a pipeline.
    #[command(subcommand)]
    Stage(StageCommand),
    /// Manage the form records of a business.
    #[command(subcommand)]
    Form(FormCommand),
    /// Bring a database to the schema of this version, as every other command does too.
    Migrate(Migrate),
    /// Print the description of the API, as an OpenAPI 3.1 document.
    #[command(name = "openapi")]
    OpenApi(OpenApi),
}

impl Cli {
    /// Runs the command to its end.
    ///
    /// # Errors
    ///
    /// [`CommandError`]. A server that listens fails only with its storage.
    pub async fn run(self) -> Result<(), CommandError> {
        match self.command {
            Command::Serve(serve) => serve.run().await,
            Command::Demo(demo) => demo.run().await,
            Command::Token(token) => token.run().await,
            Command::Data(data) => data.run().await,
            Command::Business(business) => business.run().await,
            Command::Member(member) => member.run().await,
            Command::Client(client) => client.run().await,
            Command::Pipeline(pipeline) => pipeline.run().await,
            Command::Stage(stage) => stage.run().await,
            Command::Form(form) => form.run().await,
            Command::Migrate(migrate) => migrate.run().await,
            Command::OpenApi(openapi) => openapi.run(),
        }
    }
}
