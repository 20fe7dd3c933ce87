//! Model checking of the protocol for lost commit responses, which `src/postgres/writer.rs` describes.
//!
//! The checker explores all interleavings of two servers that write to one business while connections break before,
//! during and after a commit, commits are answered with errors, and records are deleted. Each incorrect variant of the
//! protocol must be refuted, which shows that the property can fail.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a panic fails the test")]

#[path = "../../src/postgres/commit_outcome.rs"]
mod commit_outcome;
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
    /// The maximum number of broken connections and of commits that are answered with an error.
    breaks: u8,
    /// The maximum number of deleted records.
    deletions: u8,
}

#[derive(Debug, Clone, PartialEq)]
enum Action {
    BeginCreate(usize),
    BeginWrite(usize),
    BeginFence(usize),
    SendCommit(usize),
    /// The database runs the commit of an open transaction, and responds.
    Commit(usize),
    /// The database rolls back a transaction whose connection broke.
    RollBack(usize),
    /// The connection of a transaction breaks.
    Break(usize),
    /// The commit of a transaction is answered with an error. The database may still run the commit.
    Error(usize),
    /// A record is deleted.
    Delete(usize),
    /// The server gives up on learning the outcome of a commit.
    GiveUp(usize),
}

impl Protocol {
    fn record(&self, server: usize) -> usize {
        if self.variant == Variant::ShareRecord { 0 } else { server }
    }

    /// Returns whether the work takes the lock of the business and writes the record of the server.
    fn takes_lock(&self, work: &Work) -> bool {
        self.variant != Variant::OnlyRead || !matches!(work, Work::Fence { .. })
    }

    /// Returns whether the work creates a missing record.
    fn creates_record(&self, work: &Work) -> bool {
        matches!(work, Work::Create) || self.variant == Variant::MissingIsRollback
    }

    fn begin(&self, world: &mut World, server: usize, work: Work) -> Option<()> {
        let is_locked = world.open.iter().any(|open| self.takes_lock(&open.work));
        if self.rows == Rows::Lock && self.takes_lock(&work) && is_locked {
            return None;
        }
        let version = world.versions.get(&self.record(server)).copied().unwrap_or(0);
        let writes_record = world.records.contains_key(&self.record(server)) || self.creates_record(&work);
        let open = Transaction { server, work, version, writes_record, has_sent_commit: false, is_connected: true };
        world.open.push(open);
        Some(())
    }

    /// Applies a transaction. Returns `false` if it conflicts with another transaction.
    fn apply(&self, world: &mut World, transaction: &Transaction) -> bool {
        let Transaction { server, work, version, writes_record, .. } = transaction;
        let record = self.record(*server);
        let has_record = match self.rows {
            // An update sees the latest version of the record.
            Rows::Lock => world.records.contains_key(&record) || self.creates_record(work),
            Rows::RejectConflicts => *writes_record,
        };
        if self.takes_lock(work) && has_record {
            let current = world.versions.entry(record).or_default();
            if self.rows == Rows::RejectConflicts && *current != *version {
                return false;
            }
            *current += 1;
        }
        match work {
            Work::Create => drop(world.records.entry(record).or_default()),
            Work::Write { number, operation } => {
                *world.applied.entry((*server, *number)).or_default() += 1;
                if has_record {
                    world.records.insert(record, operation.clone());
                }
            }
            Work::Fence { .. } if self.variant == Variant::EraseId => drop(world.records.insert(record, String::new())),
            Work::Fence { .. } => {}
        }
        true
    }
}

impl Model for Protocol {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        let server = Server { responses: Vec::new(), attempt: 0, step: Step::Ready, has_record: false };
        vec![World {
            servers: [server.clone(), server],
            applied: BTreeMap::new(),
            records: BTreeMap::new(),
            versions: BTreeMap::new(),
            open: Vec::new(),
            breaks: 0,
            deletions: 0,
        }]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        for (nth, server) in world.servers.iter().enumerate() {
            match server.step {
                Step::Ready if server.number() == WRITES[nth] => {}
                Step::Ready if server.has_record || self.variant == Variant::MissingIsRollback => {
                    actions.push(Action::BeginWrite(nth));
                }
                Step::Ready => actions.push(Action::BeginCreate(nth)),
                Step::Lost => actions.extend([Action::BeginFence(nth), Action::GiveUp(nth)]),
                Step::Creating | Step::Writing | Step::Fencing => {}
            }
            if world.deletions < self.deletions && world.records.contains_key(&nth) {
                actions.push(Action::Delete(nth));
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
                if open.has_sent_commit {
                    actions.push(Action::Error(nth));
                }
            }
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut world = world.clone();
        match action {
            Action::BeginCreate(nth) => {
                world.servers[nth].step = Step::Creating;
                self.begin(&mut world, nth, Work::Create)?;
            }
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
                    world.servers[ended.server].end(&ended.work, is_committed, self.variant);
                }
            }
            Action::RollBack(nth) => drop(world.open.remove(nth)),
            Action::Break(nth) | Action::Error(nth) => {
                world.breaks += 1;
                let broken = &mut world.open[nth];
                broken.is_connected = false;
                let server = &mut world.servers[broken.server];
                match broken.work {
                    Work::Create => server.step = Step::Ready,
                    Work::Fence { .. } => server.step = Step::Lost,
                    Work::Write { .. } if self.variant == Variant::TrustErrors && action == Action::Error(nth) => {
                        server.respond(Response::Failed);
                    }
                    Work::Write { .. } if broken.has_sent_commit => server.lose_commit(self.variant),
                    // The commit was not sent, so the database rolls back.
                    Work::Write { .. } => server.retry(),
                }
            }
            Action::Delete(nth) => {
                world.deletions += 1;
                world.records.remove(&nth);
                *world.versions.entry(nth).or_default() += 1;
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

fn check(rows: Rows, variant: Variant, breaks: u8, deletions: u8) -> impl Checker<Protocol> {
    Protocol { rows, variant, breaks, deletions }.checker().threads(2).spawn_bfs().join()
}

#[test]
fn a_lost_commit_response_never_loses_or_duplicates_a_write() {
    for rows in [Rows::Lock, Rows::RejectConflicts] {
        check(rows, Variant::Fence, 3, 0).assert_properties();
        check(rows, Variant::Fence, 1, 1).assert_properties();
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
        (Rows::Lock, Variant::MissingIsRollback),
        (Rows::Lock, Variant::TrustErrors),
        (Rows::RejectConflicts, Variant::OnlyRead),
    ] {
        let checker = check(rows, variant, 2, 1);
        assert!(checker.discovery(PROPERTY).is_some(), "{rows:?}, {variant:?}");
    }
}
