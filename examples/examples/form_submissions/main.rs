//! A host that receives form submissions over HTTP and creates their leads without losses or duplicates, even if this
//! process or the leadapi server is killed at any moment.
//!
//! - `POST /forms/{form}/submissions` with `{"id": "…", "answers": {…}}` stores a submission before acknowledging it.
//!   The visitor's browser chooses the id and retries the request until it gets a response other than 503.
//! - `GET /forms/{form}/submissions/{id}` returns the state of a submission.
//!
//! Run it with `cargo run -p leadapi-examples --example form_submissions -- FOLDER`. The folder contains one JSON file
//! for each form: `care.json` is the record of the form `care`. The base URL and the token of the API are in
//! `LEADAPI_URL` and `LEADAPI_TOKEN`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the program reports to the terminal")]

mod routes;
mod store;
mod verdict;
mod worker;

use std::{
    collections::HashMap,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use clap::Parser;
use leadapi_client::{Client, Pacing, RetryPolicy};
use leadapi_core::BoxError;
use leadapi_form::{FormRecord, Policy, Questionnaire, Severity, Version};
use store::{Key, Store, Submission};
use tokio::{net::TcpListener, sync::Notify, task::spawn_blocking};

/// Receives form submissions and creates their leads.
#[derive(Debug, Parser)]
struct Args {
    /// A folder with one form record per form. Each file is named after its form.
    forms: PathBuf,
    /// The SQLite file that stores the submissions.
    #[arg(long, default_value = "submissions.db")]
    store: PathBuf,
    /// The address to listen on.
    #[arg(long, default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// Maximum number of leads to create in any 60 s, if the server's limit differs from the contract; 0 means no
    /// limit.
    #[arg(long, value_name = "N", default_value_t = 60)]
    writes_per_minute: u32,
    /// The locale of all visitors, such as de or en-GB. Overrides the locale of each form.
    #[arg(long, value_name = "LOCALE")]
    locale: Option<String>,
}

/// The state that the routes and the worker share.
struct Host {
    forms: HashMap<String, &'static Questionnaire<'static>>,
    store: Mutex<Store>,
    /// Wakes the worker after a submission is stored.
    added: Notify,
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let args = Args::parse();
    let (forms, store) = (forms(&args.forms, args.locale)?, Mutex::new(Store::open(&args.store)?));
    let host = Arc::new(Host { forms, store, added: Notify::new() });
    let pacing = Pacing::default().writes(args.writes_per_minute);
    // The client does not retry, because the worker does, even after a restart.
    let client =
        Client::from_env()?.application("form_submissions").pacing(pacing).retry(RetryPolicy::none()).build()?;
    let listener = TcpListener::bind(args.listen).await?;
    println!("listens at http://{}", listener.local_addr()?);
    tokio::spawn(worker::run(host.clone(), client));
    Ok(axum::serve(listener, routes::router(host)).await?)
}

/// Reads and compiles the forms. The host needs them until it exits, so they are leaked.
fn forms(folder: &Path, locale: Option<String>) -> Result<HashMap<String, &'static Questionnaire<'static>>, BoxError> {
    let mut forms = HashMap::new();
    let mut policy = Policy::default();
    policy.locale = locale;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        if path.extension().is_none_or(|extension| extension != "json") || !store::is_name(name) {
            continue;
        }
        let record: FormRecord = serde_json::from_str(&fs::read_to_string(&path)?)?;
        let record: &'static FormRecord = Box::leak(Box::new(record));
        let form: &'static Questionnaire<'_> =
            Box::leak(Box::new(Questionnaire::compile(record, Version::Live, &policy)));
        for finding in form.check().iter().filter(|finding| finding.severity() == Severity::Error) {
            eprintln!("{}: {finding}", path.display());
        }
        forms.insert(name.to_owned(), form);
    }
    Ok(forms)
}

impl Host {
    /// Runs a function with the store on a thread that may block. If the caller is cancelled, the function still
    /// completes.
    async fn with_store<T: Send + 'static>(
        self: &Arc<Self>,
        run: impl FnOnce(&Self, &mut Store) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, BoxError> {
        let host = self.clone();
        // A panic cannot leave a transaction open, because dropping a transaction rolls it back.
        let work = move || run(&host, &mut host.store.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(spawn_blocking(work).await??)
    }

    async fn find(self: &Arc<Self>, key: &Key) -> Result<Option<Submission>, BoxError> {
        let key = key.clone();
        self.with_store(move |_, store| store.find(&key)).await
    }
}
