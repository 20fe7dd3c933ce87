//! Tests of TLS connections to PostgreSQL with each `sslmode`.

use leadapi_sql::SqlStore;
use leadapi_tests::postgres::{Ca, Cluster};

#[tokio::test]
async fn each_sslmode_accepts_and_refuses_what_libpq_does() {
    let Some((cluster, authorities)) = Cluster::start_with_tls(&["fsync=off"]) else { return };
    let database = cluster.create_database("tls").await;
    let port = cluster.address().rsplit(':').next().unwrap().to_owned();
    let Ca { root, wrong_root, .. } = &authorities;
    let [right, wrong] = [root, wrong_root].map(|root| format!("&sslrootcert={}", root.display()));
    for (host, mode, root, works) in [
        ("127.0.0.1", "disable", "", true),
        ("127.0.0.1", "allow", "", true),
        ("127.0.0.1", "prefer", "", true),
        ("127.0.0.1", "require", "", true),
        ("127.0.0.1", "require", wrong.as_str(), false),
        ("127.0.0.1", "verify-ca", right.as_str(), true),
        ("127.0.0.1", "verify-ca", wrong.as_str(), false),
        ("localhost", "verify-full", right.as_str(), true),
        ("localhost", "verify-full", wrong.as_str(), false),
        // The certificate is valid, but for a different host.
        ("127.0.0.1", "verify-full", right.as_str(), false),
        // No certificate authority that the system trusts has signed this certificate.
        ("localhost", "verify-full", "", false),
    ] {
        let url = format!("{}?sslmode={mode}{root}", cluster.url_at(format!("{host}:{port}"), &database));
        let opened = SqlStore::open(&url.parse().unwrap()).await;
        assert_eq!(opened.is_ok(), works, "{host} {mode} {root}: {:?}", opened.err());
    }
}

#[tokio::test]
async fn a_server_without_tls_is_accepted_only_by_disable_and_prefer() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.create_database("plain").await;
    for (mode, works) in [("disable", true), ("prefer", true), ("require", false), ("verify-full", false)] {
        let url = format!("{}?sslmode={mode}", cluster.url(&database));
        let opened = SqlStore::open(&url.parse().unwrap()).await;
        assert_eq!(opened.is_ok(), works, "{mode}: {:?}", opened.err());
    }
}
