//! Model checking of the ledger, the shares and the leases. The checker explores all interleavings of requests, delayed
//! and lost operations, stopped servers, and steps of the database's clock, within the bounds of each test.

use std::collections::{BTreeMap, BTreeSet};

use stateright::{Checker, Model, Property};

use super::*;

const WINDOW: Duration = Duration::from_secs(60);
/// The steps by which all clocks can advance. In combination, they reach the last second of a lease, the end of a
/// window, and the removal of a member.
const STEPS: [Duration; 3] = [Duration::from_secs(9), Duration::from_secs(51), Duration::from_secs(10)];

/// The steps of the database's clock, in milliseconds relative to the servers' clocks.
const CLOCK_STEPS: [i64; 4] = [-864_000_000, -30_000, 30_000, 864_000_000];
/// The time on the database's clock at the beginning.
const EPOCH: i64 = 1_767_225_600_000;

/// The bounds of a check.
struct Cluster {
    limit: u32,
    /// The maximum number of ledger operations per server.
    operations: [u64; 2],
    /// The maximum number of times that the clocks advance.
    steps: usize,
    /// The maximum number of times that the database's clock is set.
    clock_steps: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct World {
    now: Duration,
    steps: usize,
    /// The milliseconds by which the database's clock has been set so far, and how many times.
    clock: (i64, usize),
    ledger: Ledger,
    members: BTreeMap<ServerId, u64>,
    servers: Vec<Server>,
    /// Operations that were sent but not yet executed. They may be executed in any order.
    network: BTreeSet<Sent>,
    /// The times of all servers' admissions in the current window.
    admitted: Vec<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Server {
    share: Share,
    lease: Lease,
    operation: u64,
    /// The operation whose response the server is waiting for.
    waiting: Option<u64>,
    /// The time at which the unanswered heartbeat was sent.
    renewing: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Sent {
    server: ServerId,
    operation: u64,
    message: Message,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Message {
    Claim { permits: u32, next_free: Option<Duration> },
    Release { keep: u32, next_free: Option<Duration> },
}

#[derive(Debug, Clone, PartialEq)]
enum Action {
    Admit(usize),
    SendClaim(usize),
    SendRelease(usize),
    Execute(Sent),
    /// The server stops waiting for a response. If the response arrives later, the server ignores it.
    StopWaiting(usize),
    SendBeat(usize),
    FinishBeat(usize),
    Advance(Duration),
    SetClock(i64),
}

impl Server {
    fn new(id: String, now: Duration) -> Self {
        let mut lease = Lease::new(ServerId(id));
        lease.extend(now);
        Self { share: Share::default(), lease, operation: 0, waiting: None, renewing: None }
    }

    const fn next_operation(&mut self) -> u64 {
        self.operation += 1;
        self.operation
    }
}

impl World {
    fn millis(&self) -> i64 {
        EPOCH + self.clock.0 + i64::try_from(self.now.as_millis()).unwrap()
    }

    fn execute(&mut self, limit: u32, sent: &Sent) {
        self.network.remove(sent);
        let now = self.millis();
        let receiver = self
            .servers
            .iter_mut()
            .find(|server| *server.lease.server() == sent.server && server.waiting == Some(sent.operation));
        match sent.message {
            Message::Claim { permits, next_free } => {
                let alive = self.members.keys().cloned().collect();
                let claim = Claim { operation: sent.operation, permits, limit, next_free };
                let claimed = self.ledger.claim(&sent.server, &claim, &alive, now);
                let Some(server) = receiver else { return };
                server.waiting = None;
                match claimed {
                    Some(claimed) => {
                        server.share.claimed(&claimed);
                        if !server.share.can_decide(self.now) {
                            server.share.refuse(&claimed, self.now);
                        }
                    }
                    None => server.lease.expire(&sent.server),
                }
            }
            Message::Release { keep, next_free } => {
                self.ledger.release(&sent.server, &Release { operation: sent.operation, keep, next_free }, now);
                if let Some(server) = receiver {
                    server.waiting = None;
                }
            }
        }
    }

    fn finish_beat(&mut self, nth: usize) {
        let Some(sent) = self.servers[nth].renewing.take() else { return };
        let id = self.servers[nth].lease.server().clone();
        let Some(beat) = self.members.get_mut(&id) else {
            // The server joins again with a new id.
            self.servers[nth] = self.join(format!("{}'", id.0));
            return;
        };
        *beat += 1;
        let members = self.members.iter().map(|(server, beat)| Member { server: server.clone(), beat: *beat });
        let members = members.collect();
        let lease = &mut self.servers[nth].lease;
        lease.extend(sent);
        for stopped in lease.observe(members, sent, self.now) {
            self.members.remove(&stopped.server);
        }
    }

    fn join(&mut self, id: String) -> Server {
        let server = Server::new(id, self.now);
        self.members.insert(server.lease.server().clone(), 0);
        server
    }
}

impl Model for Cluster {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        let mut world = World {
            now: Duration::ZERO,
            steps: 0,
            clock: (0, 0),
            ledger: Ledger::default(),
            members: BTreeMap::new(),
            servers: Vec::new(),
            network: BTreeSet::new(),
            admitted: Vec::new(),
        };
        world.servers = ["a", "b"].map(|id| world.join(id.to_owned())).into();
        vec![world]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        for (nth, server) in world.servers.iter().enumerate() {
            let can_use = server.lease.is_valid(world.now);
            let can_send = can_use && server.waiting.is_none() && server.operation < self.operations[nth];
            let mut share = server.share.clone();
            if can_use && share.admit(world.now) == Some(Admission::Admitted) {
                actions.push(Action::Admit(nth));
            }
            if can_send && !share.clone().can_decide(world.now) {
                actions.push(Action::SendClaim(nth));
            }
            if can_send && share.has_permits() {
                actions.push(Action::SendRelease(nth));
            }
            if server.waiting.is_some() {
                actions.push(Action::StopWaiting(nth));
            }
            if server.renewing.is_some() {
                actions.push(Action::FinishBeat(nth));
            } else if !server.lease.is_fresh(Duration::from_secs(1), world.now) {
                actions.push(Action::SendBeat(nth));
            }
        }
        actions.extend(world.network.iter().cloned().map(Action::Execute));
        if world.steps < self.steps {
            actions.extend(STEPS.map(Action::Advance));
        }
        if world.clock.1 < self.clock_steps {
            actions.extend(CLOCK_STEPS.map(Action::SetClock));
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut world = world.clone();
        let now = world.now;
        match action {
            Action::Admit(nth) => {
                world.servers[nth].share.admit(now)?;
                world.admitted.push(now);
            }
            Action::SendClaim(nth) => {
                let server = &mut world.servers[nth];
                let operation = server.next_operation();
                let Claim { permits, next_free, .. } = server.share.claim(operation, self.limit, now);
                server.waiting = Some(operation);
                let message = Message::Claim { permits, next_free };
                world.network.insert(Sent { server: server.lease.server().clone(), operation, message });
            }
            Action::SendRelease(nth) => {
                let server = &mut world.servers[nth];
                let operation = server.next_operation();
                let Release { keep, next_free, .. } = server.share.release_half(operation, now)?;
                server.waiting = Some(operation);
                let message = Message::Release { keep, next_free };
                world.network.insert(Sent { server: server.lease.server().clone(), operation, message });
            }
            Action::Execute(sent) => world.execute(self.limit, &sent),
            Action::StopWaiting(nth) => world.servers[nth].waiting = None,
            Action::SendBeat(nth) => world.servers[nth].renewing = Some(now),
            Action::FinishBeat(nth) => world.finish_beat(nth),
            Action::Advance(step) => {
                world.steps += 1;
                world.now += step;
                let now = world.now;
                world.admitted.retain(|at| *at + WINDOW > now);
            }
            Action::SetClock(step) => world.clock = (world.clock.0 + step, world.clock.1 + 1),
        }
        Some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no window contains more requests than the limit", |cluster: &Self, world: &World| {
                world.admitted.len() <= cluster.limit as usize
            }),
            Property::always("no server refuses requests for longer than the window", |_, world: &World| {
                let later = world.now + WINDOW;
                let refuses = |share: &Share| !share.has_permits() && share.clone().can_decide(later);
                !world.servers.iter().any(|server| refuses(&server.share))
            }),
        ]
    }
}

fn check(cluster: Cluster) {
    let checker = cluster.checker().threads(2).spawn_bfs().join();
    checker.assert_properties();
}

#[test]
fn delayed_and_lost_operations_never_exceed_the_limit() {
    check(Cluster { limit: 2, operations: [3, 2], steps: 0, clock_steps: 0 });
}

#[test]
fn operations_across_windows_never_exceed_the_limit() {
    check(Cluster { limit: 1, operations: [2, 1], steps: 2, clock_steps: 0 });
}

#[test]
fn stopped_and_removed_servers_never_exceed_the_limit() {
    check(Cluster { limit: 1, operations: [1, 1], steps: 3, clock_steps: 0 });
}

#[test]
fn steps_of_the_database_clock_never_exceed_the_limit_and_prolong_no_refusal() {
    check(Cluster { limit: 1, operations: [2, 1], steps: 1, clock_steps: 1 });
}
