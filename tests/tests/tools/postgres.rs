//! Checks that a private PostgreSQL server can be started, suspended, killed, restarted and removed.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    sync::Arc,
    time::Duration,
};

use leadapi_tests::{
    postgres::Cluster,
    processes::{any_runs, children},
    proxy::postgres::PostgresProxy,
    wait_until,
};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio::time::timeout;
use tokio_postgres::{Client, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::child;

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    // Killing the server makes the connection return an error, as intended.
    tokio::spawn(connection);
    client
}

async fn query_text(client: &Client, sql: &str) -> String {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

/// Returns the process id and the directory of a server.
async fn process_and_directory(cluster: &Cluster) -> (u32, String) {
    let data = query_text(&connect(&cluster.url("postgres")).await, "SHOW data_directory").await;
    let lock = fs::read_to_string(Path::new(&data).join("postmaster.pid")).unwrap();
    (lock.lines().next().unwrap().parse().unwrap(), data.trim_end_matches("/data").into())
}

#[tokio::test]
async fn databases_are_empty_and_separate() {
    let Some(cluster) = Cluster::shared() else { return };
    let (one, other) = tokio::join!(cluster.create_database("apart"), cluster.create_database("apart"));
    assert_ne!(one, other);
    for database in [one, other] {
        let client = connect(&cluster.url(&database)).await;
        client.batch_execute("CREATE TABLE t (a text)").await.unwrap();
    }
}

#[tokio::test]
async fn a_crash_keeps_committed_data() {
    let Some(mut cluster) = Cluster::start(&["fsync=on"]) else { return };
    let database = cluster.create_database("crash").await;
    let url = cluster.url(&database);
    let client = connect(&url).await;
    assert_eq!(query_text(&client, "SHOW fsync").await, "on");
    // The database must not collate in byte order. This assertion fails on a machine that has no other locale.
    assert_eq!(query_text(&client, "SELECT min(a) FROM (VALUES ('b'), ('C')) v (a)").await, "b");
    client.batch_execute("CREATE TABLE t (a text); INSERT INTO t VALUES ('kept')").await.unwrap();

    let (process, _) = process_and_directory(&cluster).await;
    let all = [vec![process], children(process)].concat();
    assert!(all.len() > 3, "{all:?}");
    cluster.kill();
    assert!(!any_runs(&all), "a process of the server outlived the crash");
    assert!(client.simple_query("SELECT 1").await.is_err());
    assert!(tokio_postgres::connect(&url, NoTls).await.is_err());

    cluster.restart();
    assert_eq!(query_text(&connect(&url).await, "SELECT a FROM t").await, "kept");
    cluster.stop();
    assert!(tokio_postgres::connect(&url, NoTls).await.is_err());
    cluster.restart();
    cluster.restart();
    assert_eq!(query_text(&connect(&url).await, "SELECT a FROM t").await, "kept");
}

#[tokio::test]
async fn a_paused_cluster_responds_after_it_is_resumed() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let client = connect(&cluster.url("postgres")).await;
    cluster.pause();
    let answer = client.query_one("SELECT 'here'", &[]);
    tokio::pin!(answer);
    assert!(timeout(Duration::from_millis(200), &mut answer).await.is_err(), "a suspended process must not answer");
    cluster.resume();
    assert_eq!(answer.await.unwrap().get::<_, &str>(0), "here");
}

#[tokio::test]
async fn the_certificate_is_valid_for_one_authority_and_one_name() {
    let Some((cluster, ca)) = Cluster::start_with_tls(&[]) else { return };
    let port = cluster.address().rsplit_once(':').unwrap().1;
    for (host, root, good) in
        [("localhost", &ca.root, true), ("localhost", &ca.wrong_root, false), ("127.0.0.1", &ca.root, false)]
    {
        let url = cluster.url_at(format!("{host}:{port}"), "postgres?sslmode=require");
        let connected = tokio_postgres::connect(&url, MakeRustlsConnect::new(trusting(root))).await;
        assert_eq!(connected.is_ok(), good, "{host} by {}: {:?}", root.display(), connected.err());
    }
    // The proxy forwards an encrypted connection unchanged.
    let proxy = PostgresProxy::to(cluster.address()).await;
    let url = cluster.url_at(format!("localhost:{}", proxy.address().port()), "postgres?sslmode=require");
    drop(tokio_postgres::connect(&url, MakeRustlsConnect::new(trusting(&ca.root))).await.unwrap());
}

fn trusting(root: &Path) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(root).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    config.with_root_certificates(roots).with_no_client_auth()
}

#[tokio::test]
async fn a_dropped_cluster_leaves_no_process_and_no_files() {
    for change in [|_: &mut Cluster| {}, Cluster::kill, Cluster::pause] {
        let Some(mut cluster) = Cluster::start(&[]) else { return };
        let (process, folder) = process_and_directory(&cluster).await;
        change(&mut cluster);
        drop(cluster);
        assert!(!any_runs(&[process]));
        assert!(!Path::new(&folder).exists());
    }
}

#[tokio::test]
async fn a_killed_test_leaves_no_server() {
    if child::role().is_some() {
        if let Some(cluster) = Cluster::shared() {
            let (process, folder) = process_and_directory(cluster).await;
            println!("\nserver {process} {folder}");
        }
        // Keeps the child process alive until the parent kills it or closes the pipe.
        io::stdin().read_to_end(&mut Vec::new()).unwrap();
        return;
    }
    if Cluster::shared().is_none() {
        return;
    }
    let mut child = child::run("postgres::a_killed_test_leaves_no_server", "victim");
    let mut child = child.env_remove("LEADAPI_TEST_POSTGRES").spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.map(Result::unwrap).find(|line| line.starts_with("server ")).unwrap();
    let [_, process, folder] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
    let all = [vec![process.parse().unwrap()], children(process.parse().unwrap())].concat();
    assert!(any_runs(&all) && Path::new(folder).exists());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the server is gone", || !any_runs(&all) && !Path::new(folder).exists());
}
