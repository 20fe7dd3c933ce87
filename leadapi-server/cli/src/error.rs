//! The errors of the commands, and their exit codes.

use std::{io, net::SocketAddr, path::PathBuf};

use leadapi_core::{
    BoxError,
    admin::AdminError,
    auth::{InvalidScope, NotAllowed},
    dataset::InvalidDataset,
    error_chain,
    http::InvalidPath,
    id::{BusinessId, TokenId},
    model::InvalidWindow,
    tokens::{SignInError, TokenError},
};
#[cfg(feature = "redis")]
use leadapi_redis::RedisLimiterError;
use leadapi_sql::{DatabaseUrl, OpenError, SqlStoreError};

use super::{admin_error, counts::format_counts, csv_error::CsvError, lookup::LookupError, store_error};
use leadapi_tls::TlsError;

/// The reason a command failed. Its message is a single line for the operator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CommandError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The output could not be written.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// The data set is invalid.
    #[error("{}: invalid data at {source}", path.display())]
    Dataset {
        /// The path of the file.
        path: PathBuf,
        /// The location and cause of the error.
        source: InvalidDataset,
    },
    /// A form record or an answers file could not be read.
    #[error("cannot read the {what} {}: {source}", path.display())]
    ReadForm {
        /// The kind of file: a form record or an answers file.
        what: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file is not a form record.
    #[error("{} is not a form record: {source}", path.display())]
    Form {
        /// The path of the file.
        path: PathBuf,
        /// The location and cause of the error.
        source: serde_json::Error,
    },
    /// A file is not an answers file.
    #[error("{} is not an answers file, a JSON object that maps question ids to answers: {source}", path.display())]
    Answers {
        /// The path of the file.
        path: PathBuf,
        /// The location and cause of the error.
        source: serde_json::Error,
    },
    /// A form check failed because of its findings.
    #[error("{} has {}", path.display(), format_counts(&[(*errors, "error"), (*warnings, "warning"), (*notes, "note")]))]
    FormFindings {
        /// The path of the file.
        path: PathBuf,
        /// The number of errors.
        errors: usize,
        /// The number of warnings.
        warnings: usize,
        /// The number of notes.
        notes: usize,
    },
    /// The form has more paths than the command lists, or too many combinations of answers to explore.
    #[error("output truncated: the form has more paths, or too many combinations of answers to explore")]
    MorePaths,
    /// A listener could not be bound to the address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The operating system's error.
        source: io::Error,
    },
    /// Other machines can reach the address, but no certificate is configured.
    #[error(
        "refusing to serve plain HTTP at {0}, where tokens and leads could be read in transit: pass --tls-cert and \
         --tls-key, or --insecure-http if a proxy in front uses HTTPS"
    )]
    InsecureHttp(SocketAddr),
    /// Other machines can reach the operator listener, which has no TLS.
    #[error(
        "refusing to serve the operator endpoints in plain HTTP at {0}, which is not a loopback address: pass a loopback \
         address to --ops-listen, or --insecure-http if only trusted machines can reach it"
    )]
    InsecureOps(SocketAddr),
    /// Other machines can reach the listener of the API settings, which has no TLS.
    #[error(
        "refusing to serve the API settings in plain HTTP at {0}, where secrets could be read in transit: pass --tls-cert \
         and --tls-key, or --insecure-http if a proxy in front uses HTTPS"
    )]
    InsecureAdmin(SocketAddr),
    /// The ACME options are inconsistent or incomplete.
    #[cfg(feature = "acme")]
    #[error("{0}")]
    AcmeOptions(BoxError),
    /// ACME could not be set up.
    #[cfg(feature = "acme")]
    #[error("{0}")]
    Acme(BoxError),
    /// The MCP server has no token.
    #[cfg(feature = "mcp")]
    #[error("LEADAPI_TOKEN must be set to a token with the scope read")]
    NoMcpToken,
    /// The MCP server could not run.
    #[cfg(feature = "mcp")]
    #[error("{}", error_chain(&**.0))]
    Mcp(BoxError),
    /// The API settings are on a Unix socket, but `--admin-url` is missing.
    #[error("--admin-listen with a Unix socket needs --admin-url, the URL at which browsers reach the pages")]
    AdminUrl,
    /// The listener of the API settings could not be bound.
    #[error("cannot listen at {at}: {source}")]
    AdminListen {
        /// The address or the Unix socket.
        at: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// A server is not ready or not alive, or cannot be reached.
    #[error("the server at {address} is not {state}: {reason}")]
    NotReady {
        /// The address of the operator listener.
        address: SocketAddr,
        /// The checked state: ready or alive.
        state: &'static str,
        /// The server's reason, or the reason that it cannot be reached.
        reason: String,
    },
    /// A certificate was specified without a private key, or a private key without a certificate.
    #[error("--tls-cert and --tls-key must be used together")]
    HalfTls,
    /// The certificate cannot be used.
    #[error("{0}")]
    Tls(#[from] TlsError),
    /// The log filter is invalid.
    #[error("--log: {0}")]
    Log(BoxError),
    /// The thread that writes the log could not be started.
    #[error("cannot start the thread that writes the log: {0}")]
    LogWriter(io::Error),
    /// The traces endpoint cannot be used.
    #[cfg(feature = "otlp")]
    #[error("--otlp-endpoint: {0}")]
    Traces(String),
    /// The Redis server that `--limiter` names cannot be used.
    #[cfg(feature = "redis")]
    #[error("--limiter: cannot use {url}: {source}")]
    Limiter {
        /// The location of the server, without credentials.
        url: String,
        /// The reason.
        source: RedisLimiterError,
    },
    /// `--limiter-failure local` was specified without `--limiter-servers`.
    #[cfg(feature = "redis")]
    #[error("--limiter-failure local needs --limiter-servers, the highest number of servers that run at the same time")]
    LimiterServers,
    /// The file for the secrets of new tokens already exists.
    #[error(
        "cannot write the secrets of new tokens, because {} already exists: move it, choose another file with \
         --new-tokens, or set \"token\" for each token in the data set",
        .0.display()
    )]
    SecretsExist(PathBuf),
    /// The secrets of new tokens could not be written.
    #[error("cannot write the secrets of new tokens to {}: {source}; use --new-tokens to choose another file", path.display())]
    Secrets {
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A token was created, but its secret could not be printed.
    #[error("the secret of token {0} could not be printed and is lost: delete the token and create another")]
    SecretLost(TokenId),
    /// Another valid token already has this name.
    #[error("token {id} already has the name {name:?}: choose another name, or revoke or delete that token first")]
    TokenName {
        /// The requested name.
        name: String,
        /// The id of the existing token.
        id: TokenId,
    },
    /// The output file already exists.
    #[error("{} already exists; use --force to replace it", .0.display())]
    FileExists(PathBuf),
    /// The metrics could not be set up.
    #[error("cannot set up the metrics: {0}")]
    Metrics(BoxError),
    /// The base path is invalid.
    #[error("--base-path: {0}")]
    BasePath(#[from] InvalidPath),
    /// The tokens could not be created.
    #[error("cannot create tokens: {0}")]
    Tokens(BoxError),
    /// The database could not be opened.
    #[error("{}", store_error::describe_open(.0))]
    Open(#[from] OpenError),
    /// The database does not exist, and this command does not create one.
    #[error("no such database: {0} (create it with init, serve, migrate or data import)")]
    Missing(DatabaseUrl),
    /// The store has a business, so it cannot be set up again.
    #[error("{0} already has a business; \"business add\" adds another, and \"token create\" creates a token")]
    NotEmpty(DatabaseUrl),
    /// An option is missing, and there is no terminal for a prompt.
    #[error("{0} is required, because there is no terminal for a prompt")]
    NotGiven(&'static str),
    /// The input ended or failed before the last question was answered.
    #[error("cancelled: nothing was changed")]
    Cancelled,
    /// The id that was entered to confirm the removal is not the id of the business.
    #[error("the confirmation is not the id {0}: nothing was removed")]
    Unconfirmed(BusinessId),
    /// The storage failed while the server was running.
    #[error("{0}; shutting down, because further writes might not be durable")]
    Storage(String),
    /// An operation on the data was rejected or failed.
    #[error("{}", store_error::describe_store(.0))]
    Store(#[from] SqlStoreError),
    /// An administrative change was refused or failed.
    #[error("{}", admin_error::describe(.0))]
    Admin(#[from] AdminError),
    /// The person is not a member of the business.
    #[error(
        "{person} is not a member of business {business}: use \"member list\" to see its members, or \"member add\" to \
         add one"
    )]
    NotAMember {
        /// The id of the business.
        business: BusinessId,
        /// The person's email address.
        person: String,
    },
    /// The person's role does not allow the operation.
    #[error("{0}")]
    NotAllowed(#[from] NotAllowed),
    /// The token cannot be created or changed as requested.
    #[error("{}", error_chain(.0))]
    Token(#[from] TokenError),
    /// A sign-in link could not be created.
    #[error("{}", error_chain(.0))]
    SignIn(#[from] SignInError),
    /// The limit or the offset is out of range.
    #[error("--{0}")]
    Window(#[from] InvalidWindow),
    /// The scopes of a token are invalid.
    #[error("--scope: {0}")]
    Scope(#[from] InvalidScope),
    /// A CSV import or export failed.
    #[error("{0}")]
    Csv(#[from] CsvError),
    /// The command does not know on which record to work.
    #[error("{0}")]
    Lookup(#[from] LookupError),
    /// A file that a setting of the server names cannot be read or is invalid.
    #[error("{0}")]
    Setting(Box<CommandError>),
}

impl CommandError {
    pub(super) fn log(cause: impl Into<BoxError>) -> Self {
        Self::Log(cause.into())
    }

    pub(super) fn metrics(cause: impl Into<BoxError>) -> Self {
        Self::Metrics(cause.into())
    }
}
