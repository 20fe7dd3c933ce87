//! What an operator can do about a SQLite file that is refused.

use std::path::PathBuf;

/// What an operator can do about a SQLite file that is refused. The message of the error says it in words, and a
/// program can add its own commands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// [Restore](crate::DatabaseUrl::restore) a backup in place of this file.
    Restore(PathBuf),
    /// Restore a backup in place of this file, or [accept the loss](crate::DatabaseUrl::accept_loss).
    RestoreOrAcceptLoss(PathBuf),
    /// Restore this file into a new store.
    RestoreElsewhere(PathBuf),
    /// Let the restore replace the store.
    Replace,
}
