//! PostgreSQL servers for tests: a shared server, and private servers that a test can kill.

mod citus;
mod programs;
mod server;
mod url;

use std::{
    env, fs,
    path::PathBuf,
    process::Command,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use citus::Workers;
#[cfg(target_os = "linux")]
pub(crate) use programs::{Account, find as find_programs};
use server::Server;
use url::ServerUrl;

pub use crate::tls::Ca;
use crate::{maintenance, tls::Identity};

/// A PostgreSQL server for tests. A private server is removed when this value is dropped or the test process exits.
#[derive(Debug)]
pub struct Cluster {
    url: ServerUrl,
    /// The private server, or `None` if this process did not start the server.
    server: Option<Server>,
    /// The workers, if this is the coordinator of a Citus cluster.
    workers: Option<Workers>,
}

impl Cluster {
    /// Returns the server that all tests of this process share.
    ///
    /// If `LEADAPI_TEST_POSTGRES` is set, the shared server is the one at that URL, which must accept connections
    /// without TLS from a role that may create databases. If `LEADAPI_TEST_CITUS` is 1, it is the coordinator of a
    /// private [Citus cluster](Self::start_citus). Otherwise, it is a private server with `fsync` off.
    ///
    /// Returns `None` if PostgreSQL is not installed, so a test begins with
    /// `let Some(cluster) = Cluster::shared() else { return };`.
    ///
    /// # Panics
    ///
    /// Panics if PostgreSQL is not installed and `LEADAPI_REQUIRE_POSTGRES` is 1, or if the private server does not
    /// start.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        let given = || {
            Some(Self { url: ServerUrl::parse(&env::var("LEADAPI_TEST_POSTGRES").ok()?), server: None, workers: None })
        };
        let is_citus = env::var_os("LEADAPI_TEST_CITUS").is_some_and(|value| value == "1");
        let start = || if is_citus { Self::start_citus(&[]) } else { Self::start(&[]) };
        SHARED.get_or_init(|| given().or_else(start)).as_ref()
    }

    /// Starts a private server. Settings such as `fsync=on` override the defaults. Returns `None` if PostgreSQL is not
    /// installed.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start, or if PostgreSQL is not installed and `LEADAPI_REQUIRE_POSTGRES` is 1.
    pub fn start(settings: &[&str]) -> Option<Self> {
        Self::start_with(&[], settings.iter().map(ToString::to_string).collect(), None)
    }

    /// Starts a private server whose clock a test can set. `library` is the library that
    /// [`fake_clock`](crate::fake_clock) found. Returns `None` if PostgreSQL is not installed.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`Self::start`].
    pub fn start_with_fake_clock(settings: &[&str], library: PathBuf) -> Option<Self> {
        Self::start_with(&[], settings.iter().map(ToString::to_string).collect(), Some(library))
    }

    /// Starts a private server whose certificate is valid only for `localhost`. A client that connects to 127.0.0.1
    /// reaches the server, but its host name verification fails. Returns `None` if PostgreSQL is not installed.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`Self::start`].
    pub fn start_with_tls(settings: &[&str]) -> Option<(Self, Ca)> {
        let identity = Identity::new();
        let files = identity.files();
        let usual = ["ssl=on", "ssl_cert_file=../server.crt", "ssl_key_file=../server.key"];
        let cluster = Self::start_with(&files, usual.iter().chain(settings).map(ToString::to_string).collect(), None)?;
        Some((cluster, identity.write_ca()))
    }

    fn start_with(files: &[(&str, &str)], settings: Vec<String>, fake_clock: Option<PathBuf>) -> Option<Self> {
        let server = Server::start(files, &settings, fake_clock)?;
        let url = ServerUrl::parse(&format!("postgres://postgres@{}", server.address()));
        Some(Self { url, server: Some(server), workers: None })
    }

    /// Returns the address of the server as `host:port`.
    pub fn address(&self) -> &str {
        &self.url.address
    }

    /// Returns the log of a private server.
    pub fn log(&self) -> String {
        fs::read_to_string(self.server.as_ref().unwrap().file("log")).unwrap()
    }

    /// Returns the URL of a database.
    pub fn url(&self, database: &str) -> String {
        self.url_at(self.address(), database)
    }

    /// Returns the URL of a database at a different address, such as a proxy or `localhost:5432`.
    pub fn url_at(&self, address: impl ToString, database: &str) -> String {
        self.url.of(database, &address.to_string())
    }

    /// Creates an empty database and returns its name, which is `name` with a unique suffix. On a server that this
    /// process did not start, the database is never dropped. During [`maintenance`], the database already has the
    /// schema of this version.
    ///
    /// # Panics
    ///
    /// Panics if the server cannot be reached.
    pub async fn create_database(&self, name: &str) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
        let database = format!("{name}_{now}_{}_{count}", std::process::id());
        if !maintenance::create_database(self, &database).await {
            self.create_database_named(&database).await;
        }
        database
    }

    /// Returns a command that runs a PostgreSQL client program, such as `pg_dump`. The program of the server's version
    /// is preferred to the one in `PATH`, because an older `pg_dump` refuses a newer server.
    pub fn program(&self, name: &str) -> Command {
        let own = programs::find().map(|folder| folder.join(name)).filter(|program| program.is_file());
        Command::new(own.unwrap_or_else(|| name.into()))
    }

    /// Kills all of the server's processes, to simulate a crash.
    ///
    /// # Panics
    ///
    /// Panics if this process did not start the server. The other methods that control the server panic in this case
    /// too.
    pub fn kill(&mut self) {
        self.own().kill();
    }

    /// Shuts the server down in fast mode, which disconnects its clients.
    pub fn stop(&mut self) {
        self.own().stop();
    }

    /// Restarts the server, whether it is running or was stopped by [`Self::kill`] or [`Self::stop`]. The data and the
    /// port stay the same.
    pub fn restart(&mut self) {
        self.own().stop();
        self.own().start_again();
    }

    /// Restarts the server as a standby, which rejects writes. Its primary does not exist.
    pub fn restart_as_standby(&mut self) {
        self.own().stop();
        self.own().write("data/standby.signal", "");
        self.own().start_again();
    }

    /// Creates an empty database with exactly this name. In a Citus cluster, the database has the schema of this version.
    ///
    /// # Panics
    ///
    /// Panics if the server cannot be reached, or already has a database with this name.
    pub async fn create_database_named(&self, name: &str) {
        match &self.workers {
            Some(workers) => self.create_distributed_database(workers, name).await,
            None => self.execute("postgres", &format!("CREATE DATABASE \"{name}\" TEMPLATE template0")).await,
        }
    }

    /// Sets the clock of a server that [`Self::start_with_fake_clock`] started to an offset from the real time, in the
    /// format of `faketime`. Its monotonic clock stays correct.
    pub fn set_clock(&mut self, offset: &str) {
        self.own().set_clock(offset);
    }

    /// Suspends the server. Existing and new connections stay open but get no answers.
    pub fn pause(&mut self) {
        self.own().pause();
    }

    /// Resumes the server after [`Self::pause`].
    pub fn resume(&mut self) {
        self.own().resume();
    }

    fn own(&mut self) -> &mut Server {
        self.server.as_mut().expect("a private server")
    }
}
