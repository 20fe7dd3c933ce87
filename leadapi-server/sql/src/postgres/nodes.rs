//! Checks settings of a Citus cluster that limit the harm of a node that fails or freezes.

use deadpool_postgres::GenericClient;
use leadapi_core::error_chain;
use tracing::warn;

/// The settings of the nodes that hold the data: the node, the setting in milliseconds, or no row if the node is down.
const WORKERS: &str = "SELECT nodename || ':' || nodeport, result FROM run_command_on_workers( \
    'SELECT setting FROM pg_settings WHERE name = ''idle_in_transaction_session_timeout''') WHERE success";
const CONNECTIONS: &str = "SELECT current_setting('citus.node_conninfo')";

/// The longest time for which a node may keep the locks of a transaction whose coordinator has stopped, in
/// milliseconds.
const MAX_IDLE: u64 = 60_000;

/// Logs what to run on which node. Never fails, because a node may be down while a server starts.
pub(super) async fn advise(client: &impl GenericClient) {
    match advice(client).await {
        Ok(advice) => advice.iter().for_each(|advice| warn!("{advice}")),
        Err(error) => warn!(
            error = error_chain(&error),
            "the settings of the other nodes could not be read, so they were not checked: grant the role \
             pg_read_all_settings"
        ),
    }
}

async fn advice(client: &impl GenericClient) -> Result<Vec<String>, tokio_postgres::Error> {
    let connections: String = client.query_one(CONNECTIONS, &[]).await?.try_get(0)?;
    let mut advice = Vec::from_iter(advice_for_connections(&connections));
    for worker in client.query(WORKERS, &[]).await? {
        advice.extend(advice_for_worker(worker.try_get(0)?, worker.try_get(1)?));
    }
    Ok(advice)
}

fn advice_for_connections(settings: &str) -> Option<String> {
    let keys: Vec<&str> = settings.split_whitespace().filter_map(|pair| Some(pair.split_once('=')?.0)).collect();
    let missing = ["keepalives_idle", "tcp_user_timeout"].iter().any(|key| !keys.contains(key));
    missing.then(|| {
        format!(
            "the connections between the nodes wait for hours if a node disappears: run on each node: ALTER SYSTEM SET \
             citus.node_conninfo = '{settings} keepalives_idle=5 keepalives_interval=2 keepalives_count=3 \
             tcp_user_timeout=10000'; SELECT pg_reload_conf()"
        )
    })
}

fn advice_for_worker(worker: &str, idle_millis: &str) -> Option<String> {
    let is_limited = idle_millis.parse().is_ok_and(|millis: u64| (1..=MAX_IDLE).contains(&millis));
    (!is_limited).then(|| {
        format!(
            "the node {worker} keeps the locks of a transaction whose coordinator has stopped: run on this node: ALTER \
             SYSTEM SET idle_in_transaction_session_timeout = '10s'; SELECT pg_reload_conf()"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_need_timeouts_and_keepalives() {
        for (settings, is_good) in [
            ("sslmode=require", false),
            ("sslmode=require keepalives_idle=5", false),
            ("sslmode=require keepalives_idle=5 tcp_user_timeout=10000", true),
        ] {
            assert_eq!(advice_for_connections(settings).is_none(), is_good, "{settings}");
        }
        for (millis, is_good) in [("0", false), ("6000", true), ("60000", true), ("60001", false), ("", false)] {
            assert_eq!(advice_for_worker("w:5432", millis).is_none(), is_good, "{millis}");
        }
    }
}
