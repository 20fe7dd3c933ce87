//! The outcome of a commit whose response was lost. The model checker in `tests/commit_protocol` includes this file.

#[derive(Debug)]
pub(super) enum CommitOutcome {
    Committed,
    RolledBack,
    /// The record is missing.
    Unknown,
}

impl CommitOutcome {
    /// Compares the id that the fence read from this server's record with the id of the lost transaction.
    pub(super) fn new(recorded: Option<&str>, operation: &str) -> Self {
        match recorded {
            None => Self::Unknown,
            Some(recorded) if recorded == operation => Self::Committed,
            Some(_) => Self::RolledBack,
        }
    }
}
