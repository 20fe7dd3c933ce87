//! The command line of the program `leadapi`, and its commands.
#![forbid(unsafe_code)]

mod admin;
mod admin_error;
mod audit;
mod business;
mod client;
mod config;
mod counts;
mod csv_error;
mod data;
mod db;
mod demo;
mod docs;
mod error;
mod escape;
mod exit_code;
mod expiry;
mod features;
mod form;
mod id;
mod init;
mod log;
mod login_link;
mod lookup;
mod manual;
#[cfg(feature = "mcp")]
mod mcp;
mod member;
mod migrate;
mod name_arg;
mod openapi;
mod output;
mod pipeline;
mod prompt;
mod ready;
mod redact;
mod serve;
mod served;
mod signals;
mod stage;
mod store;
mod store_error;
mod token;
mod value;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

#[cfg(feature = "mcp")]
use self::mcp::Mcp;
use self::{
    audit::AuditCommand,
    business::BusinessCommand,
    client::ClientCommand,
    config::Config,
    data::DataCommand,
    db::DbCommand,
    docs::Docs,
    form::FormCommand,
    init::Init,
    log::LogOptions,
    login_link::LoginLink,
    manual::{Completions, Man},
    member::MemberCommand,
    migrate::Migrate,
    openapi::OpenApi,
    pipeline::PipelineCommand,
    ready::Ready,
    serve::{Demo, Serve},
    stage::StageCommand,
    token::TokenCommand,
};

use self::{
    error::CommandError,
    output::{error_line, write_with_timeout},
    redact::redact_given,
};
use leadapi_server::ShutdownOutcome;

/// A REST API for leads, pipelines and client accounts.
#[derive(Debug, Parser)]
#[command(version, long_version = features::version(), about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve businesses from memory, a SQLite file or PostgreSQL.
    Serve(Box<Serve>),
    Init(Box<Init>),
    /// Serve two sample businesses from memory with all pages, and print their tokens and three requests to try.
    Demo(Box<Demo>),
    /// Check whether a running server is ready or alive, for health checks of containers that have no shell.
    #[command(visible_alias = "health")]
    Ready(Ready),
    /// Give AI assistants read access to an API over the Model Context Protocol, on standard input and output.
    #[cfg(feature = "mcp")]
    Mcp(Mcp),
    /// Print the effective settings of "serve" and the source of each.
    Config(Box<Config>),
    /// Manage the tokens of a business, as one of its owners or admins.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Show who changed the tokens of a business or signed in to its settings, and when.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Print a link for an owner or an admin to sign in to the API settings.
    LoginLink(LoginLink),
    /// Import, export, check, back up and restore data.
    #[command(subcommand)]
    Data(DataCommand),
    /// Manage the businesses of a store.
    #[command(subcommand)]
    Business(BusinessCommand),
    /// Manage the members of a business.
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
    /// Migrate a database to this version's schema, as other commands do when they open it.
    Migrate(Migrate),
    /// Change how a database stores the data.
    #[command(subcommand)]
    Db(DbCommand),
    /// Print a shell completion script.
    Completions(Completions),
    /// Write the manual pages to a folder.
    Man(Man),
    /// Print the API description as an OpenAPI 3.1 document.
    #[command(name = "openapi")]
    OpenApi(OpenApi),
    Docs(Docs),
}

/// The exit code that a shell reports for a process killed by SIGPIPE.
const BROKEN_PIPE: u8 = 128 + 13;

/// Runs the binary: parses the command line, runs the command and reports a failure on standard error.
///
/// A stalled reader of standard error does not prevent the process from exiting.
pub async fn main() -> ExitCode {
    #[cfg(unix)]
    signals::ignore_file_size_signal();
    match Box::pin(Cli::read().run()).await {
        Ok(code) => code,
        // The reader of the output, such as `head`, has exited. This is normal, so no message is printed.
        Err(CommandError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(BROKEN_PIPE),
        Err(error) => {
            let line = error_line(&redact_given(&error.to_string()));
            // Written directly rather than logged, because the log filter could hide this line from the operator.
            write_with_timeout(move || writeln!(io::stderr(), "{line}"));
            ExitCode::from(error.exit_code())
        }
    }
}

impl Cli {
    /// Runs the command and returns its exit code: 0, or 3 if a server cancelled requests during its shutdown.
    ///
    /// # Errors
    ///
    /// Returns [`CommandError`] if the command fails. A running server fails only if its storage fails.
    async fn run(self) -> Result<ExitCode, CommandError> {
        let log = match &self.command {
            Command::Serve(serve) => serve.log().start()?,
            Command::Demo(demo) => demo.log().start()?,
            _ => LogOptions::from_environment().start()?,
        };
        let done = match self.command {
            Command::Serve(serve) => return serve.run(&log).await.map(exit_code),
            Command::Demo(demo) => return demo.run(&log).await.map(exit_code),
            Command::Init(init) => init.run().await,
            Command::Token(token) => token.run().await,
            Command::Audit(audit) => audit.run().await,
            Command::LoginLink(link) => link.run().await,
            Command::Data(data) => data.run().await,
            Command::Business(business) => business.run().await,
            Command::Member(member) => member.run().await,
            Command::Client(client) => client.run().await,
            Command::Pipeline(pipeline) => pipeline.run().await,
            Command::Stage(stage) => stage.run().await,
            Command::Form(form) => form.run().await,
            Command::Migrate(migrate) => migrate.run().await,
            Command::Db(db) => db.run().await,
            #[cfg(feature = "mcp")]
            Command::Mcp(mcp) => mcp.run().await,
            Command::Ready(ready) => ready.run().await,
            Command::Config(config) => config.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
            Command::OpenApi(openapi) => openapi.run(),
            Command::Docs(docs) => docs.run(),
        };
        done.map(|()| ExitCode::SUCCESS)
    }
}

fn exit_code(outcome: ShutdownOutcome) -> ExitCode {
    if outcome == ShutdownOutcome::Graceful { ExitCode::SUCCESS } else { ExitCode::from(3) }
}
