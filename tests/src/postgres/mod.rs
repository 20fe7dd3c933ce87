//! A PostgreSQL for tests: one that all of them share, and ones to be killed.

mod programs;
mod server;
mod tls;
mod url;
mod watchdog;

use std::{
    env,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use tokio_postgres::NoTls;

use server::Server;
pub use tls::Ca;
use url::ServerUrl;

/// A PostgreSQL with databases of the tests. It goes away when it is dropped and when the test process ends.
#[derive(Debug)]
pub struct Cluster {
    url: ServerUrl,
    /// None when somebody else runs it.
    server: Option<Server>,
}

impl Cluster {
    /// The one for all tests of the process: the server that `LEADAPI_TEST_POSTGRES` is the URL of, reached without
    /// TLS as one who may create databases; else an own one with `fsync` off. None where PostgreSQL is not installed, so a test begins with
    /// `let Some(cluster) = Cluster::shared() else { return };`.
    ///
    /// # Panics
    ///
    /// When PostgreSQL is not installed and `LEADAPI_REQUIRE_POSTGRES` is 1.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        let given = || Some(Self { url: ServerUrl::parse(&env::var("LEADAPI_TEST_POSTGRES").ok()?), server: None });
        SHARED.get_or_init(|| given().or_else(|| Self::start(&[]))).as_ref()
    }

    /// One of one's own, with settings such as `fsync=on` over the usual ones. None as with [`Self::shared`].
    ///
    /// # Panics
    ///
    /// When it does not start, and as [`Self::shared`] does.
    pub fn start(settings: &[&str]) -> Option<Self> {
        Self::start_with(&[], settings.iter().map(ToString::to_string).collect())
    }

    /// One of one's own with a certificate for `localhost`, and for no other name. It listens at 127.0.0.1 only, which
    /// is a wrong host then.
    ///
    /// # Panics
    ///
    /// As [`Self::start`] does.
    pub fn start_with_tls(settings: &[&str]) -> Option<(Self, Ca)> {
        let identity = tls::Identity::new();
        let files = identity.files();
        let usual = ["ssl=on", "ssl_cert_file=../server.crt", "ssl_key_file=../server.key"];
        let cluster = Self::start_with(&files, usual.iter().chain(settings).map(ToString::to_string).collect())?;
        Some((cluster, identity.write_ca()))
    }

    fn start_with(files: &[(&str, &str)], settings: Vec<String>) -> Option<Self> {
        let server = Server::start(files, &settings)?;
        let url = ServerUrl::parse(&format!("postgres://postgres@{}", server.address()));
        Some(Self { url, server: Some(server) })
    }

    /// Where it is, as `host:port`.
    pub fn address(&self) -> &str {
        &self.url.address
    }

    /// The URL of a database.
    pub fn url(&self, database: &str) -> String {
        self.url_at(self.address(), database)
    }

    /// The URL of a database under another address, as that of a proxy or `localhost:5432`.
    pub fn url_at(&self, address: impl ToString, database: &str) -> String {
        self.url.of(database, &address.to_string())
    }

    /// Makes an empty database and returns its name, which begins with the given one and is new. It is not removed
    /// from a server that somebody else runs.
    ///
    /// # Panics
    ///
    /// When the server is not there.
    pub async fn create_database(&self, name: &str) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
        let database = format!("{name}_{now}_{}_{count}", std::process::id());
        self.create_database_named(&database).await;
        database
    }

    /// Ends all its processes as a crash does.
    ///
    /// # Panics
    ///
    /// When somebody else runs it; so do the methods below.
    pub fn kill(&mut self) {
        self.own().kill();
    }

    /// Ends it properly. What is connected is cut off.
    pub fn stop(&mut self) {
        self.own().stop();
    }

    /// Starts it again after [`Self::kill`] or [`Self::stop`], or stops and starts it; the data and the port stay.
    pub fn restart(&mut self) {
        self.own().stop();
        self.own().start_again();
    }

    /// Starts it again as a standby, which takes no writes and waits for a primary that does not exist.
    pub fn restart_as_standby(&mut self) {
        self.own().stop();
        self.own().write("data/standby.signal", "");
        self.own().start_again();
    }

    /// Makes an empty database of this name.
    ///
    /// # Panics
    ///
    /// When the server is not there, or has one.
    pub async fn create_database_named(&self, name: &str) {
        let (client, connection) = tokio_postgres::connect(&self.url("postgres"), NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute(&format!("CREATE DATABASE \"{name}\" TEMPLATE template0")).await.unwrap();
        drop(client);
        connection.await.unwrap().unwrap();
    }

    /// Lets it hang: it stays connected and answers nothing, and new connections are accepted by nobody.
    pub fn pause(&mut self) {
        self.own().pause();
    }

    /// Lets it go on after [`Self::pause`].
    pub fn resume(&mut self) {
        self.own().resume();
    }

    fn own(&mut self) -> &mut Server {
        self.server.as_mut().expect("a server that this process runs")
    }
}
