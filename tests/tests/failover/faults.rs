//! Faults of the primary, and their effects on the callers.

use std::{
    io::{self, Write},
    net::SocketAddr,
    time::{Duration, Instant},
};

use leadapi_tests::{Lateness, history::Calls, patroni::PatroniCluster};
use tokio::{
    task::block_in_place,
    time::{sleep, timeout},
};
use tokio_postgres::NoTls;

/// The time limit for the promotion, and separately for the first writes through the servers.
const TIMEOUT: Duration = Duration::from_secs(90);
const INTERVAL: Duration = Duration::from_millis(50);
/// The number of acknowledged writes after which each phase of a fault ends.
const ENOUGH: usize = 50;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    Kill,
    Freeze,
    Switchover,
    Partition,
}

impl Fault {
    pub(crate) const ALL: [Self; 4] = [Self::Kill, Self::Freeze, Self::Switchover, Self::Partition];

    fn inject(self, cluster: &mut PatroniCluster, primary: usize) {
        match self {
            Self::Kill => cluster.kill(primary),
            Self::Freeze => cluster.freeze(primary),
            Self::Switchover => cluster.switchover(primary),
            Self::Partition => cluster.partition(primary),
        }
    }

    fn repair(self, cluster: &mut PatroniCluster, primary: usize) {
        match self {
            Self::Kill => cluster.start_node(primary),
            Self::Freeze => cluster.thaw(primary),
            Self::Switchover => {}
            Self::Partition => cluster.heal(primary),
        }
    }

    /// Injects the fault into the primary of a healthy cluster, waits until the callers can write again, repairs the
    /// cluster, and waits until it is healthy. Returns the promotion time and the effects on the callers.
    pub(crate) async fn run(self, cluster: &mut PatroniCluster, calls: &Calls) -> Measured {
        let primary = block_in_place(|| cluster.wait_until_healthy());
        let mut others = cluster.addresses();
        others.remove(primary);
        let (begun, lateness) = (Instant::now(), Lateness::measure());
        let promoted = tokio::spawn(until_writable(others));
        block_in_place(|| self.inject(cluster, primary));
        let promoted = promoted.await.unwrap();
        until_written(calls, promoted).await;
        self.repair(cluster, primary);
        block_in_place(|| cluster.wait_until_healthy());
        until_written(calls, Instant::now()).await;
        Measured::new(self, promoted - begun, begun, &calls.written_since(begun), lateness.tolerance())
    }
}

/// Returns the time at which one of these nodes first committed a write.
async fn until_writable(nodes: Vec<SocketAddr>) -> Instant {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        for node in &nodes {
            let written = timeout(Duration::from_secs(5), write_to(*node)).await;
            if matches!(written, Ok(Ok(()))) {
                return Instant::now();
            }
        }
        assert!(Instant::now() < deadline, "no node was promoted");
        sleep(INTERVAL).await;
    }
}

async fn write_to(node: SocketAddr) -> Result<(), tokio_postgres::Error> {
    let url = format!("postgres://postgres@{node}/postgres");
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
    let connection = tokio::spawn(connection);
    // A standby rejects the first of these statements.
    let written =
        client.batch_execute("CREATE TABLE IF NOT EXISTS probe (at timestamptz); INSERT INTO probe VALUES (now())");
    let written = written.await;
    connection.abort();
    written
}

/// Waits until the servers have acknowledged `ENOUGH` writes since `from`.
async fn until_written(calls: &Calls, from: Instant) {
    let deadline = Instant::now() + TIMEOUT;
    let count = || calls.written_since(from).iter().filter(|(_, acknowledged)| *acknowledged).count();
    while count() < ENOUGH {
        assert!(Instant::now() < deadline, "{} acknowledged writes in {TIMEOUT:?}", count());
        sleep(INTERVAL).await;
    }
}

/// The promotion time after a fault, and its effects on the callers.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) fault: Fault,
    /// The time from the fault to the first write that the new primary accepted over a direct connection.
    pub(crate) promotion: Duration,
    /// The longest period without an acknowledged write.
    pub(crate) gap: Duration,
    /// The additional time that the servers may take because the machine is busy.
    pub(crate) lateness: Duration,
    acknowledged: usize,
    unknown: usize,
}

impl Measured {
    fn new(fault: Fault, promotion: Duration, begun: Instant, written: &[(Instant, bool)], lateness: Duration) -> Self {
        let acknowledged: Vec<Instant> = written.iter().filter(|(_, ok)| *ok).map(|(at, _)| *at).collect();
        let before = [begun].into_iter().chain(acknowledged.iter().copied());
        let gap = before.zip(&acknowledged).map(|(before, at)| *at - before).max().unwrap();
        let unknown = written.len() - acknowledged.len();
        Self { fault, promotion, gap, lateness, acknowledged: acknowledged.len(), unknown }
    }

    pub(crate) fn print(&self) {
        let Self { fault, promotion, gap, acknowledged, unknown, .. } = self;
        let line = format!(
            "{fault:?}: promotion {:.1} s, gap {:.1} s, {acknowledged} writes acknowledged, {unknown} unknown\n",
            promotion.as_secs_f64(),
            gap.as_secs_f64(),
        );
        // The test harness captures `eprintln!` and hides its output if the test passes.
        io::stderr().write_all(line.as_bytes()).unwrap();
    }
}
