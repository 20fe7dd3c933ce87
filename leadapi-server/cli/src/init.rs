//! `init`: the first business of a store, with everything that a first request needs.

use std::env;

use clap::Args;
use leadapi_core::{
    admin::Business,
    auth::{BearerToken, Scopes},
    id::BusinessId,
    model::{ClientAccount, Pipeline, Stage, Timestamp},
    port::TokenRecord,
    tokens::TokenError,
};
use leadapi_sql::{DatabaseUrl, FirstRecords, SqlStore};
use serde_json::{Value, json};

use super::{
    CommandError,
    config::ConfigArg,
    demo,
    expiry::Expiry,
    id::given_or_new,
    output::Format,
    prompt::{self, given_or_asked},
    serve::default_url,
    store::{AcceptLoss, database},
    value::{email, name, token_name},
};

/// The environment variable for the `--store` of every command.
const STORE: &str = "LEADAPI_STORE";
const DEFAULT_STORE: &str = "sqlite:leads.db";
const DEFAULT_STAGES: &str = "New, Contacted, Won, Lost";

/// Set up an empty store: create a business with its owner, a client account, a pipeline and a token.
///
/// On a terminal, the command asks for the values that no option sets. Otherwise it needs --store, --name and --owner,
/// and the other options have defaults. It prints the token's secret, which is shown only once, and the commands to run
/// next. All records are created in one transaction. A store that has a business is not changed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  leadapi init
  leadapi init --store sqlite:leads.db --name \"Sol Marketing\" --owner owner@sol.example --json")]
pub(super) struct Init {
    /// The database: `sqlite:PATH` or `postgres://USER@HOST/DATABASE`. A SQLite file is created if it is missing.
    #[arg(long, env = STORE, hide_env_values = true, value_name = "STORE", value_parser = database())]
    store: Option<DatabaseUrl>,
    #[command(flatten)]
    loss: AcceptLoss,
    #[command(flatten)]
    config: ConfigArg,
    #[command(flatten)]
    format: Format,
    /// The name of the business: 1 to 200 characters.
    #[arg(long, value_parser = name)]
    name: Option<String>,
    /// The id of the business. Defaults to a new UUID.
    #[arg(long)]
    id: Option<BusinessId>,
    /// The email address of the owner, who manages the tokens.
    #[arg(long, value_name = "EMAIL", value_parser = email)]
    owner: Option<String>,
    /// The name of the first client account. Defaults to the name of the business.
    #[arg(long, value_name = "NAME", value_parser = name)]
    client: Option<String>,
    /// The name of the first pipeline. Defaults to Sales.
    #[arg(long, value_name = "NAME", value_parser = name)]
    pipeline: Option<String>,
    /// The name of a stage of the pipeline; repeat the option for each stage, in order. Defaults to New, Contacted, Won
    /// and Lost.
    #[arg(long = "stage", value_name = "NAME", value_parser = name)]
    stages: Vec<String>,
    /// The name of the token, which may read and write: 1 to 100 characters. Defaults to "first token".
    #[arg(long, value_name = "NAME", value_parser = token_name)]
    token: Option<String>,
    /// The expiry of the token: a date, a time, or a duration from now such as 90d. By default, the token never
    /// expires.
    #[arg(long, value_name = "WHEN")]
    expires: Option<Expiry>,
}

impl Init {
    pub(super) async fn run(mut self) -> Result<(), CommandError> {
        let parse = |text: &str| text.parse::<DatabaseUrl>();
        // Without a terminal there is no default, because nobody would notice a new file in the current directory.
        let default = Some(DEFAULT_STORE).filter(|_| prompt::is_possible());
        let url = given_or_asked(self.store.take(), "--store", "Store", default, parse)?;
        let database = self.loss.apply(url.clone());
        // Checked before the prompts, so that nobody answers them for a store that already has a business.
        if !url.is_missing() && !SqlStore::open(&database).await?.is_empty().await? {
            return Err(CommandError::NotEmpty(url));
        }
        let format = self.format;
        let (first, secret) = self.ask()?;
        let business = SqlStore::open(&database).await?.init(&first).await?;
        let printed = format.print(&as_json(&business, &first, &secret), || as_text(&url, &business, &first, &secret));
        printed.map_err(|_| CommandError::SecretLost(first.token.id))
    }

    /// Creates the first records and the secret of the first token. Asks for the values that no option sets.
    fn ask(self) -> Result<(FirstRecords, BearerToken), CommandError> {
        let called = given_or_asked(self.name, "--name", "Name of the business", None, name)?;
        let owner = given_or_asked(self.owner, "--owner", "Email address of its owner", None, email)?;
        let client = given_or_asked(self.client, "--client", "First client account", Some(&called), name)?;
        let pipeline = given_or_asked(self.pipeline, "--pipeline", "First pipeline", Some("Sales"), name)?;
        let given = Some(self.stages).filter(|stages| !stages.is_empty());
        let stages = given_or_asked(given, "--stage", "Its stages", Some(DEFAULT_STAGES), |text| {
            text.split(',').map(name).collect::<Result<Vec<String>, String>>()
        })?;
        let token = given_or_asked(self.token, "--token", "Name of the first token", Some("first token"), token_name)?;

        let now = Timestamp::now();
        let stage = |(position, name)| Ok(Stage::new(given_or_new(None)?, name, position));
        let stages = (1..).zip(stages).map(stage).collect::<Result<_, CommandError>>()?;
        let secret = BearerToken::generate().map_err(|error| CommandError::Tokens(error.into()))?;
        let mut token = TokenRecord::new(&secret, token, Scopes::Both, now);
        token.expires_at = self.expires.map(|expiry| expiry.from(now));
        if token.expires_at.is_some_and(|at| at <= now) {
            return Err(TokenError::Expired.into());
        }
        token.created_by = Some(owner.clone());
        let first = FirstRecords {
            business: given_or_new(self.id)?,
            name: called,
            owner,
            client: ClientAccount::new(given_or_new(None)?, client, now),
            pipeline: Pipeline::new(given_or_new(None)?, pipeline, stages, now),
            token,
        };
        Ok((first, secret))
    }
}

fn as_json(business: &Business, first: &FirstRecords, secret: &BearerToken) -> Value {
    let FirstRecords { owner, client, pipeline, token, .. } = first;
    let token = json!({
        "id": token.id,
        "name": token.name,
        "scopes": token.scopes,
        "expires_at": token.expires_at,
        "token": secret.expose(),
    });
    json!({"business": business, "owner": owner, "client": client, "pipeline": pipeline, "token": token})
}

fn as_text(url: &DatabaseUrl, business: &Business, first: &FirstRecords, secret: &BearerToken) -> String {
    let FirstRecords { owner, client, pipeline, token, .. } = first;
    let stages: Vec<String> =
        pipeline.stages.iter().map(|stage| format!("\n    stage {:?}: {}", stage.name, stage.id)).collect();
    let stages = stages.concat();
    let (serve, secret) = (serve_command(url), secret.expose());
    let create = demo::create_lead(&default_url(), secret, &client.id);
    format!(
        "business {:?} was created: {}
  owner: {owner}
  client account {:?}: {}
  pipeline {:?}: {}{stages}
  token {:?} ({}): {}

{secret}

This is the only time that the secret is shown: save it now.

Start the server:

  {serve}

Then create a lead in another terminal:

{create}",
        business.name,
        business.id,
        client.name,
        client.id,
        pipeline.name,
        pipeline.id,
        token.name,
        token.scopes,
        token.id,
    )
}

/// Returns the command that serves the store.
fn serve_command(url: &DatabaseUrl) -> String {
    let serve = "leadapi serve";
    let is_in_environment =
        env::var(STORE).is_ok_and(|text| text.parse().is_ok_and(|other: DatabaseUrl| other == *url));
    match url.to_string() {
        _ if is_in_environment => serve.to_owned(),
        // The displayed URL lacks the password, so it would not work.
        shown if shown.starts_with("postgres") => format!("{STORE}=postgres://… {serve}"),
        shown if shown.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:".contains(c)) => {
            format!("{serve} --store {shown}")
        }
        shown => format!("{serve} --store '{}'", shown.replace('\'', r"'\''")),
    }
}
