//! The API that an import or an export calls.

use std::{env, time::Duration};

use clap::{ArgMatches, Args, Command, FromArgMatches, error::ErrorKind, parser::ValueSource};
use leadapi_client::{Client, Pacing};
use leadapi_core::admin::Admin;
use leadapi_import::{Destination, in_process};
use leadapi_sql::DatabaseUrl;

use crate::{
    CommandError,
    admin::choose,
    config::ConfigArg,
    csv_error::CsvError,
    store::{AcceptLoss, database, open},
};

/// The timeout of a call, including its waits for the rate limit. It is long because other programs that share the
/// token can delay a call, and such a delay is not a failure.
const TIMEOUT: Duration = Duration::from_secs(3_600);

/// The options that choose the API.
#[derive(Debug, Args)]
struct ApiOptions {
    /// The base URL of the API, such as <https://api.example.com/v1>. The variable `LEADAPI_TOKEN` contains the token.
    ///
    /// Without --business and --store, defaults to the variable `LEADAPI_URL`.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Instead of --url, work on this business in a store, without a token or rate limits: its id, or its name if no
    /// other business has it. Defaults to the only business of the store.
    #[arg(long, env = "LEADAPI_BUSINESS", value_name = "BUSINESS")]
    business: Option<String>,
    /// Instead of --url, work on this store: `sqlite:PATH` or `postgres://USER@HOST/DATABASE`.
    ///
    /// A running server may use it at the same time.
    #[arg(long, env = "LEADAPI_STORE", hide_env_values = true, value_name = "STORE", value_parser = database())]
    store: Option<DatabaseUrl>,
    #[command(flatten)]
    loss: AcceptLoss,
    #[command(flatten)]
    config: ConfigArg,
}

/// The options that choose the API, and whether the command line contains those for a store.
#[derive(Debug)]
pub(super) struct ApiArgs {
    options: ApiOptions,
    is_store_given: bool,
}

impl Args for ApiArgs {
    fn augment_args(command: Command) -> Command {
        ApiOptions::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        ApiOptions::augment_args_for_update(command)
    }
}

impl FromArgMatches for ApiArgs {
    /// Refuses a URL together with a store. clap's own rule would also refuse a URL if only the environment names a
    /// store.
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let options = ApiOptions::from_arg_matches(matches)?;
        let is_given = |id| matches.value_source(id) == Some(ValueSource::CommandLine);
        let is_store_given = is_given("business") || is_given("store");
        if is_store_given && options.url.is_some() {
            let rule = "the argument '--url <URL>' cannot be used with '--business <BUSINESS>' or '--store <STORE>'\n";
            return Err(clap::Error::raw(ErrorKind::ArgumentConflict, rule));
        }
        Ok(Self { options, is_store_given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A client, and the API that it calls.
pub(super) struct Api {
    pub(super) client: Client,
    pub(super) destination: Destination,
    /// The maximum number of concurrent creates of an import.
    pub(super) concurrency: usize,
}

impl ApiArgs {
    /// A store on the command line comes first, then a URL, and last a store in the environment or the settings file.
    pub(super) async fn open(&self, pacing: Pacing) -> Result<Api, CommandError> {
        let ApiOptions { url, business, store, .. } = &self.options;
        let url = url.clone().or_else(|| env::var("LEADAPI_URL").ok().filter(|_| !self.is_store_given));
        match (url, store) {
            (Some(url), _) => at_url(&url, pacing),
            (None, Some(store)) => self.in_store(store, business.as_deref()).await,
            (None, None) if business.is_some() => Err(CsvError::Usage("--business needs --store").into()),
            (None, None) => Err(CsvError::Usage("pass --url, or --store").into()),
        }
    }

    async fn in_store(&self, url: &DatabaseUrl, business: Option<&str>) -> Result<Api, CommandError> {
        let store = open(&self.options.loss.apply(url.clone())).await?;
        let businesses = store.businesses().await?;
        let business = &choose(&businesses, business)?.id;
        let id = store.store_id().await?;
        let destination = Destination::store(format!("{url} {business}"), id, business.clone());
        let clock = store.clock();
        let client = in_process(store, clock, business.clone()).map_err(|error| CsvError::api(&*error))?;
        Ok(Api { client, destination, concurrency: 64 })
    }
}

fn at_url(url: &str, pacing: Pacing) -> Result<Api, CommandError> {
    // There is no option for the token, because other users can see the command line.
    let token = env::var("LEADAPI_TOKEN");
    let token = token.map_err(|_| CsvError::Usage("LEADAPI_TOKEN must be set to a token of the API"))?;
    let client = Client::builder(url, token).application("leadapi").pacing(pacing).timeout(TIMEOUT);
    let client = client.build().map_err(|error| CsvError::api(&error))?;
    Ok(Api { client, destination: Destination::url(url), concurrency: 8 })
}
