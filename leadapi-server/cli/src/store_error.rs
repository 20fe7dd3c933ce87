//! Error messages about databases, with the commands that help.

use std::{fmt::Display, path::Path};

use leadapi_sql::{InvalidDatabaseUrl, OpenError, Remedy, SqlStoreError};

/// Describes why a database cannot be opened, with the commands that help.
pub(super) fn describe_open(error: &OpenError) -> String {
    describe(error, error.remedy())
}

/// Describes why an operation on a store was refused or failed, with the commands that help.
pub(super) fn describe_store(error: &SqlStoreError) -> String {
    let remedy = if let SqlStoreError::Remediable(_, remedy) = error { Some(remedy) } else { None };
    describe(error, remedy)
}

/// Describes why a string is not a database URL.
pub(super) fn describe_url(error: InvalidDatabaseUrl) -> String {
    let hint = if error.is_memory() { "; \"serve --store memory\" keeps the data in memory" } else { "" };
    format!("{error}{hint}")
}

fn describe(error: &impl Display, remedy: Option<&Remedy>) -> String {
    let restore = |path: &Path| {
        format!("to restore a backup, run: leadapi data restore BACKUP --store sqlite:{} --force", path.display())
    };
    let hint = match remedy {
        Some(Remedy::Restore(path)) => restore(path),
        Some(Remedy::RestoreOrAcceptLoss(path)) => format!(
            "{}; to continue with the writes that the file contains, run once: leadapi business list --store sqlite:{} \
             --accept-loss",
            restore(path),
            path.display()
        ),
        Some(Remedy::RestoreElsewhere(path)) => {
            format!("run: leadapi data restore {} --store sqlite:NEW", path.display())
        }
        Some(Remedy::Replace) => "use --force to replace it and keep the former store under another name".to_owned(),
        _ => return error.to_string(),
    };
    format!("{error}; {hint}")
}
