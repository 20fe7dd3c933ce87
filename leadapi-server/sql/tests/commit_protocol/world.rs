//! The state of the model: servers, their writes, and the transactions in the database.

use std::collections::BTreeMap;

use crate::commit_outcome::CommitOutcome;

/// The maximum number of attempts at a write.
const ATTEMPTS: u8 = 2;

/// A variant of the protocol, which determines how a server reacts to a lost commit response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Variant {
    /// Creates the server's record first. After a lost commit, locks the business, writes the record, and reads the id
    /// in it. A missing record means that the outcome is unknown. The only correct variant.
    Fence,
    /// Lets the first write create the record, and takes a missing record for a rollback.
    MissingIsRollback,
    /// Takes any error that answers a commit for a rollback.
    TrustErrors,
    AssumeRollback,
    AssumeCommit,
    /// Reads the record without locking or writing it.
    OnlyRead,
    /// Uses the same record for all servers.
    ShareRecord,
    /// Removes the id from the record while reading it.
    EraseId,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct World {
    pub(super) servers: [Server; 2],
    /// How often each write was applied, by server and number.
    pub(super) applied: BTreeMap<(usize, u8), u8>,
    /// The id of the last transaction of each server.
    pub(super) records: BTreeMap<usize, String>,
    /// How often each record was written.
    pub(super) versions: BTreeMap<usize, u8>,
    /// The transactions that have not ended in the database, even if their connections broke.
    pub(super) open: Vec<Transaction>,
    pub(super) breaks: u8,
    /// How many records were deleted.
    pub(super) deletions: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Server {
    /// The responses to the callers of the completed writes.
    pub(super) responses: Vec<Response>,
    pub(super) attempt: u8,
    pub(super) step: Step,
    /// Whether the server assumes that its record exists.
    pub(super) has_record: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// No transaction is running.
    Ready,
    Creating,
    Writing,
    /// The response to a commit was lost.
    Lost,
    Fencing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Response {
    Written,
    /// The response to the commit was lost, and the record showed that the write was applied.
    FoundWritten,
    Failed,
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Transaction {
    pub(super) server: usize,
    pub(super) work: Work,
    /// The version of the server's record when the transaction began.
    pub(super) version: u8,
    /// True if the record existed when the transaction began, or if the transaction creates it.
    pub(super) writes_record: bool,
    pub(super) has_sent_commit: bool,
    pub(super) is_connected: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Work {
    /// Creates the record of the server.
    Create,
    Write {
        number: u8,
        operation: String,
    },
    /// Reads the record of the server.
    Fence {
        recorded: Option<String>,
    },
}

impl Server {
    /// Returns the number of the current write.
    pub(super) fn number(&self) -> u8 {
        u8::try_from(self.responses.len()).unwrap()
    }

    pub(super) fn operation(&self) -> String {
        format!("{}.{}", self.number(), self.attempt)
    }

    pub(super) fn respond(&mut self, response: Response) {
        self.responses.push(response);
        self.attempt = 0;
        self.step = Step::Ready;
    }

    pub(super) fn retry(&mut self) {
        self.attempt += 1;
        self.step = Step::Ready;
        if self.attempt == ATTEMPTS {
            self.respond(Response::Failed);
        }
    }

    pub(super) fn lose_commit(&mut self, variant: Variant) {
        match variant {
            Variant::AssumeRollback => self.retry(),
            Variant::AssumeCommit => self.respond(Response::Written),
            _ => self.step = Step::Lost,
        }
    }

    /// Continues after the database has ended a transaction.
    pub(super) fn end(&mut self, work: &Work, is_committed: bool, variant: Variant) {
        match work {
            Work::Create => (self.step, self.has_record) = (Step::Ready, is_committed),
            Work::Write { .. } if is_committed => self.respond(Response::Written),
            Work::Write { .. } => self.retry(),
            Work::Fence { .. } if !is_committed => self.step = Step::Lost,
            Work::Fence { recorded } => match CommitOutcome::new(recorded.as_deref(), &self.operation()) {
                CommitOutcome::Committed => self.respond(Response::FoundWritten),
                CommitOutcome::RolledBack => self.retry(),
                CommitOutcome::Unknown if variant == Variant::MissingIsRollback => self.retry(),
                CommitOutcome::Unknown => {
                    self.respond(Response::Unknown);
                    self.has_record = false;
                }
            },
        }
    }
}
