//! Tests of settings that a database or a role presets for its connections.

use futures_util::future::join_all;
use leadapi_core::port::Created;
use leadapi_tests::postgres::Cluster;

use crate::fixture::{all, connect, create, id, open};

const KEYS: usize = 200;
/// The number of concurrent requests with the same key.
const SAME: usize = 6;

/// Creates a database with these presets, and returns its URL.
async fn database(cluster: &Cluster, presets: &[(&str, &str)]) -> String {
    let name = cluster.create_database("presets").await;
    let url = cluster.url(&name);
    let client = connect(&url).await;
    for (setting, value) in presets {
        client.batch_execute(&format!("ALTER DATABASE {name} SET {setting} = '{value}'")).await.unwrap();
    }
    url
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_creates_with_one_key_make_one_lead_at_any_preset_isolation_level() {
    let Some(cluster) = Cluster::shared() else { return };
    for level in ["read uncommitted", "read committed", "repeatable read", "serializable"] {
        let url = database(cluster, &[("default_transaction_isolation", level)]).await;
        let servers = [open(&url, 4).await, open(&url, 4).await];
        let creates = (0..KEYS * SAME).map(|nth| {
            let (server, key) = (servers[nth % 2].clone(), format!("key-{}", nth / SAME));
            tokio::spawn(async move { create(&server, &key, &key).await })
        });
        let (mut new, mut replayed) = (0, 0);
        for created in join_all(creates).await {
            match created.unwrap() {
                Ok(Created::New(_)) => new += 1,
                Ok(Created::Replayed(_)) => replayed += 1,
                other => panic!("{level}: {other:?}"),
            }
        }
        assert_eq!((new, replayed), (KEYS, KEYS * (SAME - 1)), "{level}");
        assert_eq!(all(&servers[0]).await.len(), KEYS, "{level}");
    }
}

/// A trigger records the settings that apply to a create.
#[tokio::test]
async fn the_settings_of_a_connection_replace_presets() {
    let Some(cluster) = Cluster::shared() else { return };
    let presets = [
        ("default_transaction_isolation", "serializable"),
        ("enable_hashjoin", "on"),
        ("enable_mergejoin", "on"),
        ("enable_seqscan", "on"),
        ("enable_sort", "on"),
        ("idle_in_transaction_session_timeout", "1"),
        ("idle_session_timeout", "1h"),
        ("jit", "on"),
        ("lock_timeout", "1"),
        ("max_parallel_workers_per_gather", "8"),
        ("plan_cache_mode", "force_custom_plan"),
        ("statement_timeout", "1h"),
        ("synchronous_commit", "off"),
    ];
    let url = database(cluster, &presets).await;
    let store = open(&url, 1).await;
    let client = connect(&url).await;
    // The presets apply to this connection, and an automatic vacuum may hold a lock for more than a millisecond.
    client.batch_execute("SET lock_timeout = 0").await.unwrap();
    let expected = [
        ("transaction_isolation", "read committed"),
        ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"),
        ("enable_seqscan", "off"),
        ("enable_sort", "off"),
        ("idle_in_transaction_session_timeout", "5s"),
        ("idle_session_timeout", "0"),
        ("jit", "off"),
        ("lock_timeout", "2s"),
        ("max_parallel_workers_per_gather", "0"),
        ("plan_cache_mode", "force_generic_plan"),
        ("statement_timeout", "5s"),
        ("synchronous_commit", "on"),
    ];
    let trigger = "CREATE TABLE observed (name text, setting text);
        CREATE FUNCTION observe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO observed SELECT name, current_setting(name) FROM pg_settings;
            RETURN NEW;
        END $$;
        CREATE TRIGGER observe BEFORE INSERT ON lead FOR EACH ROW EXECUTE FUNCTION observe()";
    client.batch_execute(trigger).await.unwrap();
    id(create(&store, "Ann", "key").await.unwrap());
    for (name, setting) in expected {
        let observed = client.query_one("SELECT setting FROM observed WHERE name = $1", &[&name]).await.unwrap();
        assert_eq!(observed.get::<_, String>(0), setting, "{name}");
    }
}

/// A database in an encoding other than UTF8 cannot store every name.
#[tokio::test]
async fn a_database_in_another_encoding_is_refused() {
    let Some(cluster) = Cluster::shared() else { return };
    let client = connect(&cluster.url("postgres")).await;
    for encoding in ["LATIN1", "WIN1252", "EUC_JP", "SQL_ASCII"] {
        let name = format!("encoded_{}_{}", encoding.to_lowercase(), std::process::id());
        let create =
            format!("CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'");
        client.batch_execute(&create).await.unwrap();
        let error = crate::hosts::opened(&cluster.url(&name)).await.unwrap_err();
        assert!(error.contains(encoding) && error.contains("ENCODING 'UTF8'"), "{error}");
    }
}
