//! The processes of a cluster: the etcd servers, and the nodes that run PostgreSQL under Patroni.

use std::{
    fs::{self, File},
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::json;

use super::{network::Host, programs::Programs, rest};
use crate::postgres::Account;

pub(super) const POSTGRES_PORT: u16 = 5432;
const ETCD_PORT: u16 = 2379;
const ETCD_PEER_PORT: u16 = 2380;

/// A host that runs one program, and the directory for the program's files.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) host: Host,
    pub(super) name: String,
    folder: PathBuf,
    account: Account,
    process: Option<Child>,
}

impl Node {
    pub(super) fn new(host: Host, name: String, folder: &Path, account: Account) -> Self {
        let folder = folder.join(&name);
        fs::create_dir(&folder).unwrap();
        account.own(&folder);
        Self { host, name, folder, account, process: None }
    }

    /// Starts etcd as one of these cluster members.
    pub(super) fn start_etcd(&mut self, programs: &Programs, members: &[(String, Ipv4Addr)]) {
        let cluster: Vec<String> =
            members.iter().map(|(name, address)| format!("{name}=http://{address}:{ETCD_PEER_PORT}")).collect();
        let client = format!("http://{}:{ETCD_PORT}", self.host.address);
        let peer = format!("http://{}:{ETCD_PEER_PORT}", self.host.address);
        let mut command = self.host.command(self.account, &programs.etcd);
        command.args(["--name", &self.name, "--initial-cluster-state", "new"]);
        command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
        command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        command.args(["--initial-cluster", &cluster.join(",")]).arg("--data-dir").arg(self.folder.join("etcd"));
        self.spawn(command);
    }

    /// Starts Patroni, which then starts PostgreSQL.
    pub(super) fn start_patroni(&mut self, programs: &Programs, etcd: &[Ipv4Addr], dcs: &serde_json::Value) {
        let address = self.host.address;
        let etcd: Vec<String> = etcd.iter().map(|address| format!("{address}:{ETCD_PORT}")).collect();
        // The configuration is YAML. JSON is a subset of YAML.
        let config = json!({
            "scope": "leadapi",
            "name": self.name,
            "restapi": {
                "listen": format!("{address}:{}", rest::PORT),
                "connect_address": format!("{address}:{}", rest::PORT),
            },
            "etcd3": {"hosts": etcd},
            "bootstrap": {
                "dcs": dcs,
                "initdb": [{"auth": "trust"}, {"encoding": "UTF8"}, {"locale": "C.UTF-8"}],
            },
            "postgresql": {
                "listen": format!("{address}:{POSTGRES_PORT}"),
                "connect_address": format!("{address}:{POSTGRES_PORT}"),
                "bin_dir": programs.postgres,
                "data_dir": self.folder.join("data"),
                "pgpass": self.folder.join("pgpass"),
                "pg_hba": ["host all all all trust", "host replication all all trust", "local all all trust"],
                "authentication": {
                    "superuser": {"username": "postgres"},
                    "replication": {"username": "replicator"},
                },
                "parameters": {
                    "shared_buffers": "16MB",
                    "dynamic_shared_memory_type": "mmap",
                    "unix_socket_directories": self.folder,
                },
            },
            "watchdog": {"mode": "off"},
        });
        let file = self.folder.join("patroni.yml");
        fs::write(&file, config.to_string()).unwrap();
        let mut command = self.host.command(self.account, &programs.patroni);
        command.arg(file);
        self.spawn(command);
    }

    /// Kills all processes on the node.
    pub(super) fn kill(&mut self) {
        self.host.kill();
        if let Some(mut process) = self.process.take() {
            process.wait().unwrap();
        }
    }

    /// Returns the end of the node's log, for error messages.
    pub(super) fn log(&self) -> String {
        let text = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(30).collect();
        let lines: Vec<&str> = lines.into_iter().rev().collect();
        format!("{}:\n{}\n", self.name, lines.join("\n"))
    }

    fn spawn(&mut self, mut command: Command) {
        let log = File::options().create(true).append(true).open(self.folder.join("log")).unwrap();
        command.env("HOME", &self.folder);
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.process = Some(command.spawn().unwrap());
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}
