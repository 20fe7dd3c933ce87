//! Tests three servers on one PostgreSQL database during the routine of operations: the clocks of the servers and of
//! the database step, dumps run, and programs are frozen, killed and restarted. A checker verifies every response.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use leadapi_tests::{
    ServerProcess,
    fake_clock::{self, with_clock_from},
    history::{self, Call, Calls, History, Response},
    postgres::Cluster,
    processes::signal,
    scale, secret, serve_one_business,
};
use tempfile::TempDir;
use tokio::{task::block_in_place, time::sleep};

use crate::server::SERVERS;

/// The default duration in seconds. `LEADAPI_TEST_ROUTINE_SECONDS` overrides it.
const SECONDS: u64 = 20;
/// The clocks of a server and of the database, in the format of `faketime`.
const CLOCKS: [&str; 10] = ["+0", "-1s", "+1s", "-90s", "+90s", "-25h", "+25h", "-3d", "+10d", "-10d"];

/// An event that affects the servers or the database. Each event lasts for a random time of up to a few seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The clock of a server steps.
    Clock,
    /// The clock of the database steps. In half of the cases, it soon steps back to the real time.
    DatabaseClock,
    /// `pg_dump` holds a lock on every table.
    Dump,
    /// A server is suspended and resumed.
    FrozenServer,
    /// The database is suspended and resumed.
    FrozenDatabase,
    /// A server is killed and started again.
    KilledServer,
    /// The database is killed and started again.
    KilledDatabase,
}

const EVENTS: [Event; 7] = [
    Event::Clock,
    Event::DatabaseClock,
    Event::Dump,
    Event::FrozenServer,
    Event::FrozenDatabase,
    Event::KilledServer,
    Event::KilledDatabase,
];

/// The servers and their database.
struct Site {
    cluster: Cluster,
    database: String,
    token: String,
    servers: Vec<ServerProcess>,
    /// The directory with a file for the clock of each server.
    clocks: TempDir,
    library: PathBuf,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_routine_event_loses_doubles_or_undoes_a_write() {
    let seconds = scale::from_env("LEADAPI_TEST_ROUTINE_SECONDS", SECONDS);
    let Some(library) = fake_clock::library() else { return };
    let settings = ["fsync=on", "full_page_writes=on"];
    let Some(cluster) = Cluster::start_with_fake_clock(&settings, library.clone()) else { return };
    let database = cluster.create_database("routine").await;
    let clocks = TempDir::new().unwrap();
    let mut site = Site { cluster, database, token: secret("routine"), servers: Vec::new(), clocks, library };
    for nth in 0..SERVERS {
        let server = site.start(nth);
        site.servers.push(server);
    }
    let urls = site.servers.iter().map(|server| server.url.clone()).collect();
    let calls = Calls::new(urls, site.token.clone());
    let callers = calls.start();
    let (begun, mut events) = (Instant::now(), BTreeMap::<Event, usize>::new());
    while begun.elapsed() < Duration::from_secs(seconds) {
        let event = EVENTS[random_below(EVENTS.len())];
        site.run(event, &calls).await;
        *events.entry(event).or_default() += 1;
    }
    calls.stop();
    let mut histories = BTreeMap::new();
    for caller in callers {
        histories.extend(caller.await.unwrap());
    }
    for server in 0..SERVERS {
        let (listed, total) = calls.list(server).await;
        assert_eq!(history::check(&histories, &listed, total), [], "{} leads", histories.len());
    }
    print_figures(seconds, &histories, &events);
}

impl Site {
    fn start(&self, nth: usize) -> ServerProcess {
        let store = self.cluster.url(&self.database);
        let clock = self.clock(nth);
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(["serve", "--store", &store]).stderr(Stdio::null());
        with_clock_from(&mut command, &self.library, &clock);
        serve_one_business(&mut command, &self.token)
    }

    /// Returns the file with the clock of a server. The clock initially shows the real time.
    fn clock(&self, nth: usize) -> PathBuf {
        let file = self.clocks.path().join(nth.to_string());
        if !file.exists() {
            fs::write(&file, CLOCKS[0]).unwrap();
        }
        file
    }

    /// Starts an event and waits until it has ended.
    async fn run(&mut self, event: Event, calls: &Calls) {
        let nth = random_below(SERVERS);
        let lasts = Duration::from_millis(100 + random_below(4_000) as u64);
        match event {
            Event::Clock => fs::write(self.clock(nth), CLOCKS[random_below(CLOCKS.len())]).unwrap(),
            Event::DatabaseClock => {
                self.cluster.set_clock(CLOCKS[random_below(CLOCKS.len())]);
                sleep(lasts).await;
                if random_below(2) == 0 {
                    self.cluster.set_clock(CLOCKS[0]);
                }
            }
            Event::Dump => {
                let mut command = self.cluster.program("pg_dump");
                let mut dump = command.arg(self.cluster.url(&self.database)).stdout(Stdio::piped()).spawn().unwrap();
                sleep(lasts).await;
                dump.kill().unwrap();
                dump.wait().unwrap();
            }
            Event::FrozenServer => {
                let id = [self.servers[nth].child.id()];
                signal("STOP", &id);
                sleep(lasts).await;
                signal("CONT", &id);
            }
            Event::FrozenDatabase => {
                block_in_place(|| self.cluster.pause());
                sleep(lasts).await;
                self.cluster.resume();
            }
            Event::KilledServer => {
                block_in_place(|| self.servers[nth].kill());
                let server = block_in_place(|| self.start(nth));
                calls.set_url(nth, server.url.clone());
                self.servers[nth] = server;
            }
            Event::KilledDatabase => {
                block_in_place(|| self.cluster.kill());
                block_in_place(|| self.cluster.restart());
            }
        }
        // Gives the callers time to write before the next event.
        sleep(Duration::from_millis(random_below(2_000) as u64)).await;
    }
}

fn print_figures(seconds: u64, histories: &BTreeMap<String, History>, events: &BTreeMap<Event, usize>) {
    let all = || histories.values().flatten();
    let unknown = all().filter(|(_, response)| *response == Response::Unknown).count();
    let reads = all().filter(|(call, _)| *call == Call::Read).count();
    let events: Vec<String> = events.iter().map(|(event, count)| format!("{count} {event:?}")).collect();
    scale::print_figures(format!(
        "{seconds} s of {SERVERS} servers on one database with {}: {} calls of {} leads, among them {reads} reads; \
         {unknown} responses unknown; none lost, none doubled, no response that was wrong",
        events.join(", "),
        all().count(),
        histories.len(),
    ));
}

/// Returns a random number below the bound. It differs from run to run.
fn random_below(bound: usize) -> usize {
    usize::try_from(uuid::Uuid::new_v4().as_u128() % bound as u128).unwrap()
}
