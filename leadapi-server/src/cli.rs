//! The command line, and what each command does.

use std::{
    fs,
    io::{self, Write},
    net::SocketAddr,
    num::NonZeroU32,
    path::PathBuf,
};

use chrono::Utc;
use clap::{Args, Parser, Subcommand};
use leadapi_core::{
    BoxError,
    dataset::{Dataset, InvalidDataset},
    http::{InvalidPath, LeadService},
    memory::{Limits, MemoryStore, MemoryTokens, SlidingWindow, SystemClock},
    tokens::{self, Minted, StoredTokens},
};
use tokio::signal;

use crate::{SAMPLE, Server, demo};

/// A REST API for leads, pipelines and client accounts.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the businesses of a data set, from memory: what is written is gone when the server ends.
    Serve(Serve),
    /// Try it: serve two sample businesses, and print their tokens and three requests to paste.
    Demo(Demo),
}

#[derive(Debug, Args)]
struct Serve {
    /// The businesses to serve: a JSON file with their client accounts, pipelines, leads, forms and tokens.
    ///
    /// A token of the file without "token" gets a secret, which is printed once. A file with anything wrong in it is
    /// refused, with the place and the reason.
    #[arg(long, env = "LEADAPI_DATA", value_name = "FILE")]
    data: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
struct Demo {
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
struct Options {
    /// Where to listen: an IP address and a port; port 0 lets the system choose.
    #[arg(long, env = "LEADAPI_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// What stands before /leads in every path; empty for nothing.
    #[arg(long, env = "LEADAPI_BASE_PATH", value_name = "PATH", default_value = "/v1")]
    base_path: String,
    /// How many GET requests a token may make in any 60 seconds.
    #[arg(long, env = "LEADAPI_READS_PER_MINUTE", value_name = "N", default_value_t = Limits::default().reads)]
    reads_per_minute: NonZeroU32,
    /// How many POST, PATCH and DELETE requests a token may make in any 60 seconds.
    #[arg(long, env = "LEADAPI_WRITES_PER_MINUTE", value_name = "N", default_value_t = Limits::default().writes)]
    writes_per_minute: NonZeroU32,
}

/// Why the server could not be started; its text is for the operator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The data file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Something in the data set is wrong.
    #[error("{} is wrong at {source}", path.display())]
    Dataset {
        /// The file.
        path: PathBuf,
        /// The place and the reason.
        source: InvalidDataset,
    },
    /// The address is taken or may not be used.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// The base path is none.
    #[error("--base-path: {0}")]
    BasePath(#[from] InvalidPath),
    /// The tokens could not be made.
    #[error("cannot make tokens: {0}")]
    Tokens(BoxError),
}

impl Cli {
    /// Runs the command to its end.
    ///
    /// # Errors
    ///
    /// [`StartError`]; once the server listens, it does not fail.
    pub async fn run(self) -> Result<(), StartError> {
        match self.command {
            Command::Serve(Serve { data, options }) => {
                let dataset = data.map_or_else(|| Ok(Dataset::default()), read)?;
                options.serve(dataset, |_, minted| print_minted(minted)).await
            }
            Command::Demo(Demo { options }) => {
                let path = PathBuf::from("the sample");
                let dataset = Dataset::parse(SAMPLE).map_err(|source| StartError::Dataset { path, source })?;
                options.serve(dataset, demo::print).await
            }
        }
    }
}

fn read(path: PathBuf) -> Result<Dataset, StartError> {
    match fs::read_to_string(&path) {
        Ok(json) => Dataset::parse(&json).map_err(|source| StartError::Dataset { path, source }),
        Err(source) => Err(StartError::Read { path, source }),
    }
}

impl Options {
    async fn serve(self, dataset: Dataset, greet: impl FnOnce(&str, &[Minted])) -> Result<(), StartError> {
        let businesses = dataset.businesses.len();
        let tokens = MemoryTokens::default();
        let minted = tokens::seed(&tokens, &dataset, Utc::now().into()).await.map_err(StartError::Tokens)?;
        let limits = Limits { reads: self.reads_per_minute, writes: self.writes_per_minute };
        let service = LeadService::builder(MemoryStore::new(dataset), StoredTokens::new(tokens, SystemClock))
            .limiter(SlidingWindow::new(limits))
            .base_path(&self.base_path)
            .build()?;
        let (stop, stop_at_once) = (Signals::new(), Signals::new());
        let address = self.listen;
        let server = Server::bind(address).await.map_err(|source| StartError::Listen { address, source })?;
        let url = format!("http://{}{}", server.local_addr(), self.base_path);
        greet(&url, &minted);
        print_line(&format!(
            "leadapi-server listens at {url} with {businesses} business(es), store: memory (everything is forgotten at exit)"
        ));
        if businesses == 0 {
            print_line(
                "There is no business and no token to call it with: give it --data FILE, or try the command demo.",
            );
        }
        tokio::select! {
            () = server.serve(service, stop.count(1)) => print_line("leadapi-server has ended"),
            () = stop_at_once.count(2) => print_line("leadapi-server has ended at once, as asked for twice"),
        }
        Ok(())
    }
}

fn print_minted(minted: &[Minted]) {
    for Minted { business, name, scopes, secret, .. } in minted {
        print_line(&format!("token {name:?} of {business:?} ({scopes}): {}", secret.expose()));
    }
}

/// Whoever reads the output may have gone, which is no reason for the server to end.
pub(crate) fn print_line(line: &str) {
    writeln!(io::stdout(), "{line}").unwrap_or_default();
}

/// Ctrl-C, and SIGTERM where there is such a thing, which is caught from here on.
struct Signals {
    #[cfg(unix)]
    terminate: Option<signal::unix::Signal>,
}

impl Signals {
    fn new() -> Self {
        Self {
            #[cfg(unix)]
            terminate: signal::unix::signal(signal::unix::SignalKind::terminate()).ok(),
        }
    }

    /// Waits for so many signals.
    async fn count(mut self, wanted: usize) {
        for _ in 0..wanted {
            self.next().await;
        }
    }

    async fn next(&mut self) {
        let interrupt = async {
            // A system that cannot tell of Ctrl-C ends the server by other means.
            if signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        #[cfg(unix)]
        if let Some(terminate) = &mut self.terminate {
            tokio::select! {
                () = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
        interrupt.await;
    }
}
