//! A PostgreSQL cluster with automatic failover: three nodes under Patroni, and three etcd servers.
//!
//! Each of the six servers runs in its own network namespace, so a test can kill, freeze or disconnect any node. The
//! namespaces require root.

mod network;
mod node;
mod programs;
mod rest;

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use self::{
    network::Network,
    node::{Node, POSTGRES_PORT},
    programs::Programs,
    rest::Members,
};
use crate::postgres::Account;

/// The number of nodes, and also of etcd servers.
const NODES: u8 = 3;
/// The last octet of the first etcd server's address.
const FIRST_ETCD: u8 = 11;
/// The time limit for a failover, and for a node to rejoin the cluster on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(180);

/// A cluster. Its processes, network and files are removed when this value is dropped or the test process exits.
#[derive(Debug)]
pub struct PatroniCluster {
    // Dropped before the network, whose watchdog removes the nodes' files.
    nodes: Vec<Node>,
    etcd: Vec<Node>,
    programs: Programs,
    dcs: Value,
    _network: Network,
}

impl PatroniCluster {
    /// Starts a cluster, and waits until it is [healthy](Self::wait_until_healthy).
    ///
    /// `synchronous` is Patroni's `synchronous_mode`. Prints a message and returns `None` if a program is missing or
    /// this process may not create networks.
    ///
    /// # Panics
    ///
    /// Panics if the cluster does not start, or if a program or permission is missing and `LEADAPI_REQUIRE_PATRONI` is
    /// 1.
    pub fn start(synchronous: bool) -> Option<Self> {
        let programs = Programs::find()?;
        let folder = tempfile::Builder::new().prefix("leadapi-patroni-").tempdir().unwrap();
        let account = Account::for_owner(&folder.path().metadata().unwrap());
        account.own(folder.path());
        let network = match Network::create(folder.path()) {
            Ok(network) => network,
            Err(error) => return programs::skip(&format!("no network namespaces ({error})")),
        };
        // The network's watchdog removes the directory.
        let folder = folder.keep();
        let new = |nth: u8, name: String| Node::new(network.add_host(nth).unwrap(), name, &folder, account);
        let nodes = (1..=NODES).map(|nth| new(nth, format!("node{nth}"))).collect();
        let etcd = (0..NODES).map(|nth| new(FIRST_ETCD + nth, format!("etcd{}", nth + 1))).collect();
        let dcs = json!({
            // The shortest TTL that Patroni accepts.
            "ttl": 20,
            "loop_wait": 5,
            "retry_timeout": 5,
            "maximum_lag_on_failover": 0,
            "synchronous_mode": synchronous,
            "postgresql": {"use_pg_rewind": true, "parameters": {"max_connections": 100}},
        });
        let mut cluster = Self { nodes, etcd, programs, dcs, _network: network };
        let members: Vec<_> = cluster.etcd.iter().map(|node| (node.name.clone(), node.host.address)).collect();
        for node in &mut cluster.etcd {
            node.start_etcd(&cluster.programs, &members);
        }
        for nth in 0..cluster.nodes.len() {
            cluster.start_node(nth);
        }
        cluster.wait_until_healthy();
        Some(cluster)
    }

    /// Returns the addresses of the nodes.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| SocketAddr::from((node.host.address, POSTGRES_PORT))).collect()
    }

    /// Returns a URL that lists all nodes.
    pub fn url(&self) -> String {
        let hosts: Vec<String> = self.addresses().iter().map(ToString::to_string).collect();
        format!("postgres://postgres@{}/postgres?target_session_attrs=read-write", hosts.join(","))
    }

    /// Waits until all nodes run and one of them is the primary. In synchronous mode, also waits until the primary has
    /// a synchronous standby. Returns the index of the primary.
    ///
    /// # Panics
    ///
    /// Panics if this takes longer than three minutes.
    pub fn wait_until_healthy(&self) -> usize {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let views: Vec<Option<Members>> = self.nodes.iter().map(|node| Members::read(node.host.address)).collect();
            if let Some(primary) = self.agreed_primary(&views) {
                return primary;
            }
            let logs: String = self.nodes.iter().map(Node::log).collect();
            assert!(Instant::now() < deadline, "the cluster is not healthy: {views:?}\n{logs}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Returns the index of the primary if all nodes agree on it and the cluster is healthy.
    fn agreed_primary(&self, views: &[Option<Members>]) -> Option<usize> {
        let standbys = usize::from(self.dcs["synchronous_mode"] == true);
        let mut primaries = views.iter().map(|view| {
            let view = view.as_ref()?;
            let healthy = view.are_healthy(self.nodes.len()) && view.with_role("sync_standby").len() == standbys;
            let leaders = view.with_role("leader");
            if healthy && leaders.len() == 1 {
                self.nodes.iter().position(|node| node.name == leaders[0])
            } else {
                None
            }
        });
        let first = primaries.next()??;
        primaries.all(|primary| primary == Some(first)).then_some(first)
    }

    /// Kills PostgreSQL and Patroni on a node (SIGKILL).
    pub fn kill(&mut self, nth: usize) {
        self.nodes[nth].kill();
    }

    /// Starts a node after [`Self::kill`].
    pub fn start_node(&mut self, nth: usize) {
        let etcd: Vec<_> = self.etcd.iter().map(|node| node.host.address).collect();
        self.nodes[nth].start_patroni(&self.programs, &etcd, &self.dcs);
    }

    /// Suspends PostgreSQL and Patroni on a node (SIGSTOP). The node still accepts TCP connections.
    pub fn freeze(&self, nth: usize) {
        self.nodes[nth].host.freeze();
    }

    /// Resumes a node after [`Self::freeze`].
    pub fn thaw(&self, nth: usize) {
        self.nodes[nth].host.thaw();
    }

    /// Disconnects a node from the other nodes, from etcd and from this machine.
    pub fn partition(&self, nth: usize) {
        self.nodes[nth].host.disconnect();
    }

    /// Connects a node again after [`Self::partition`].
    pub fn heal(&self, nth: usize) {
        self.nodes[nth].host.connect();
    }

    /// Asks Patroni to make the synchronous standby the primary, and waits until Patroni has done so.
    ///
    /// # Panics
    ///
    /// Panics if Patroni refuses.
    pub fn switchover(&self, primary: usize) {
        let Node { host, name, .. } = &self.nodes[primary];
        let candidates = Members::read(host.address).unwrap();
        let candidate = candidates.with_role("sync_standby").first().copied().map(str::to_owned);
        let body = json!({"leader": name, "candidate": candidate}).to_string();
        let answer = rest::request(host.address, TIMEOUT, "POST", "/switchover", &body).unwrap();
        assert_eq!(answer.0, 200, "{}", answer.1);
    }
}
