//! A master, a replica and three Sentinels that fail over within a few seconds.

use std::fs;

use super::{Redis, programs, protocol, server::Server};
use crate::wait_until;

/// The service that the Sentinels monitor.
const SERVICE: &str = "main";

/// A master and its replica, monitored by three Sentinels.
#[derive(Debug)]
pub struct Sentinels {
    /// The servers. The first one starts as the master.
    pub servers: [Redis; 2],
    sentinels: Vec<Server>,
}

impl Sentinels {
    /// Starts all servers and Sentinels, and waits until a failover is possible. Returns `None` if Redis is not
    /// installed.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`Redis::start`].
    pub fn start() -> Option<Self> {
        let program = programs::find("sentinel")?;
        let master = Redis::start(&[])?;
        let replica = Redis::start(&[&format!("--replicaof 127.0.0.1 {}", master.port())])?;
        wait_until("a replica", || master.command("INFO replication").contains("state=online"));
        let sentinels = (0..3).map(|_| {
            let mut sentinel = Server::new(program.clone());
            let file = sentinel.folder.join("sentinel.conf");
            let config = format!(
                "bind 127.0.0.1\nsentinel monitor {SERVICE} 127.0.0.1 {} 2\n\
                 sentinel down-after-milliseconds {SERVICE} 1000\nsentinel failover-timeout {SERVICE} 5000\n",
                master.port()
            );
            fs::write(&file, config).unwrap();
            let file = file.to_str().unwrap().to_owned();
            sentinel.run(|port| vec![file.clone(), "--port".to_owned(), port.to_string()], |_| {});
            sentinel
        });
        let this = Self { sentinels: sentinels.collect(), servers: [master, replica] };
        for sentinel in &this.sentinels {
            wait_until("the Sentinel knows the replica and the other Sentinels", || {
                let state = protocol::command(sentinel.port, &format!("SENTINEL MASTER {SERVICE}"));
                state.contains("num-slaves 1") && state.contains("num-other-sentinels 2")
            });
        }
        Some(this)
    }

    /// Returns the URL of the service.
    pub fn url(&self) -> String {
        let sentinels: Vec<String> =
            self.sentinels.iter().map(|sentinel| format!("127.0.0.1:{}", sentinel.port)).collect();
        format!("redis+sentinel://{}/{SERVICE}", sentinels.join(","))
    }

    /// Suspends a Sentinel. The other two can still fail over.
    pub fn pause_sentinel(&self, nth: usize) {
        self.sentinels[nth].pause();
    }

    /// Returns the port of the current master according to the Sentinel at this index.
    pub fn master(&self, nth: usize) -> u16 {
        let question = format!("SENTINEL GET-MASTER-ADDR-BY-NAME {SERVICE}");
        protocol::command(self.sentinels[nth].port, &question).split(' ').nth(1).unwrap().parse().unwrap()
    }
}
