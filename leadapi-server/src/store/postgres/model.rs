//! Model checking of the protocol for lost commit responses, which [`writer`](super::writer) describes.
//!
//! The checker explores all interleavings of two servers that write to one business while connections break before,
//! during and after a commit. Each incorrect variant of the protocol must be refuted, which shows that the property can
//! fail.

mod world;

use std::collections::BTreeMap;

use stateright::{Checker, Model, Property};
use world::{Response, Server, Step, Transaction, Variant, Work, World};

/// The number of writes of each server. A server runs them one after the other.
const WRITES: [u8; 2] = [2, 1];
const PROPERTY: &str = "each response is true, and no write is applied twice";

/// How a database treats two transactions that write the same row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rows {
    /// The second transaction waits for the first to end, as in PostgreSQL.
    Lock,
    /// The transactions run concurrently, and the second to commit is rolled back.
    RejectConflicts,
}

struct Protocol {
    rows: Rows,
    variant: Variant,
    /// The maximum number of broken connections.
    breaks: u8,
}

#[derive(Debug, Clone, PartialEq)]
enum Action {
    BeginWrite(usize),
    BeginFence(usize),
    SendCommit(usize),
    /// The database runs the commit of an open transaction, and responds.
    Commit(usize),
    /// The database rolls back a transaction whose connection broke.
    RollBack(usize),
    /// The connection of a transaction breaks.
    Break(usize),
    /// The server gives up on learning the outcome of a commit.
    GiveUp(usize),
}

impl Protocol {
    fn record(&self, server: usize) -> usize {
        if self.variant == Variant::ShareRecord { 0 } else { server }
    }

    /// Returns whether the work takes the lock of the business and writes the record of the server.
    fn takes_lock(&self, work: &Work) -> bool {
        self.variant != Variant::OnlyRead || matches!(work, Work::Write { .. })
    }

    fn begin(&self, world: &mut World, server: usize, work: Work) -> Option<()> {
        let is_locked = world.open.iter().any(|open| self.takes_lock(&open.work));
        if self.rows == Rows::Lock && self.takes_lock(&work) && is_locked {
            return None;
        }
        let version = world.versions.get(&self.record(server)).copied().unwrap_or(0);
        world.open.push(Transaction { server, work, version, has_sent_commit: false, is_connected: true });
        Some(())
    }

    /// Applies a transaction. Returns `false` if it conflicts with another transaction.
    fn apply(&self, world: &mut World, Transaction { server, work, version, .. }: &Transaction) -> bool {
        let record = self.record(*server);
        if self.takes_lock(work) {
            let current = world.versions.entry(record).or_default();
            if self.rows == Rows::RejectConflicts && *current != *version {
                return false;
            }
            *current += 1;
        }
        match work {
            Work::Write { number, operation } => {
                *world.applied.entry((*server, *number)).or_default() += 1;
                world.records.insert(record, operation.clone());
            }
            Work::Fence { .. } if self.variant == Variant::EraseId => drop(world.records.remove(&record)),
            Work::Fence { .. } => {}
        }
        true
    }
}

impl Model for Protocol {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        let server = Server { responses: Vec::new(), attempt: 0, step: Step::Ready };
        vec![World {
            servers: [server.clone(), server],
            applied: BTreeMap::new(),
            records: BTreeMap::new(),
            versions: BTreeMap::new(),
            open: Vec::new(),
            breaks: 0,
        }]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        for (nth, server) in world.servers.iter().enumerate() {
            match server.step {
                Step::Ready if server.number() < WRITES[nth] => actions.push(Action::BeginWrite(nth)),
                Step::Lost => actions.extend([Action::BeginFence(nth), Action::GiveUp(nth)]),
                Step::Ready | Step::Writing | Step::Fencing => {}
            }
        }
        for (nth, open) in world.open.iter().enumerate() {
            if open.has_sent_commit {
                actions.push(Action::Commit(nth));
            } else if open.is_connected {
                actions.push(Action::SendCommit(nth));
            }
            if !open.is_connected {
                actions.push(Action::RollBack(nth));
            } else if world.breaks < self.breaks {
                actions.push(Action::Break(nth));
            }
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut world = world.clone();
        match action {
            Action::BeginWrite(nth) => {
                let server = &mut world.servers[nth];
                server.step = Step::Writing;
                let work = Work::Write { number: server.number(), operation: server.operation() };
                self.begin(&mut world, nth, work)?;
            }
            Action::BeginFence(nth) => {
                world.servers[nth].step = Step::Fencing;
                let recorded = world.records.get(&self.record(nth)).cloned();
                self.begin(&mut world, nth, Work::Fence { recorded })?;
            }
            Action::SendCommit(nth) => world.open[nth].has_sent_commit = true,
            Action::Commit(nth) => {
                let ended = world.open.remove(nth);
                let is_committed = self.apply(&mut world, &ended);
                if ended.is_connected {
                    world.servers[ended.server].end(&ended.work, is_committed);
                }
            }
            Action::RollBack(nth) => drop(world.open.remove(nth)),
            Action::Break(nth) => {
                world.breaks += 1;
                let broken = &mut world.open[nth];
                broken.is_connected = false;
                let server = &mut world.servers[broken.server];
                match broken.work {
                    Work::Fence { .. } => server.step = Step::Lost,
                    Work::Write { .. } if broken.has_sent_commit => server.lose_commit(self.variant),
                    // The commit was not sent, so the database rolls back.
                    Work::Write { .. } => server.retry(),
                }
            }
            Action::GiveUp(nth) => world.servers[nth].respond(Response::Unknown),
        }
        Some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(PROPERTY, |_, world: &World| {
                let responses = world.servers.iter().enumerate().flat_map(|(nth, server)| {
                    (0_u8..).zip(&server.responses).map(move |(number, response)| ((nth, number), *response))
                });
                let times = |write| world.applied.get(&write).copied().unwrap_or(0);
                let mut responses = responses.map(|(write, response)| (times(write), response));
                let are_true = responses.all(|(times, response)| match response {
                    Response::Written | Response::FoundWritten => times == 1,
                    Response::Failed => times == 0,
                    Response::Unknown => true,
                });
                are_true && world.applied.values().all(|times| *times == 1)
            }),
            Property::sometimes("a server finds out that a lost commit was applied", |_, world: &World| {
                world.servers.iter().any(|server| server.responses.contains(&Response::FoundWritten))
            }),
        ]
    }
}

fn check(rows: Rows, variant: Variant) -> impl Checker<Protocol> {
    Protocol { rows, variant, breaks: 3 }.checker().threads(2).spawn_bfs().join()
}

#[test]
fn a_lost_commit_response_never_loses_or_duplicates_a_write() {
    for rows in [Rows::Lock, Rows::RejectConflicts] {
        check(rows, Variant::Fence).assert_properties();
    }
}

#[test]
fn incorrect_variants_of_the_protocol_are_refuted() {
    for (rows, variant) in [
        (Rows::Lock, Variant::AssumeRollback),
        (Rows::Lock, Variant::AssumeCommit),
        (Rows::Lock, Variant::OnlyRead),
        (Rows::Lock, Variant::ShareRecord),
        (Rows::Lock, Variant::EraseId),
        (Rows::RejectConflicts, Variant::OnlyRead),
    ] {
        let checker = check(rows, variant);
        assert!(checker.discovery(PROPERTY).is_some(), "{rows:?}, {variant:?}");
    }
}
