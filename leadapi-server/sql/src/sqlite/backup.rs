//! Copies a store into a backup.

use std::path::Path;

use leadapi_sqlite_file::{FileError, Mark, assign_new_id, file};
use rusqlite::{Connection, backup::Backup};

use super::{Sqlite, error::OpenError};

impl Sqlite {
    /// Copies a snapshot of the database into a new file while writes continue. The copy needs no log, so that it can
    /// be read where no files can be created.
    pub(crate) fn backup(&self, to: &Path, mut progress: impl FnMut(u64, u64)) -> Result<(), OpenError> {
        const PAGES: i32 = 1_024;
        file::create(to).map_err(|error| FileError::of_path(to, error))?;
        let mut copy = Connection::open(to)?;
        let source = self.reader()?;
        // The transaction holds a snapshot. Without it, each commit on another connection would restart the copy.
        source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
        {
            let backup = Backup::new(&source, &mut copy)?;
            while backup.step(PAGES)? == rusqlite::backup::StepResult::More {
                let done = backup.progress();
                let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
                progress(count(done.pagecount - done.remaining), count(done.pagecount));
            }
        }
        source.execute_batch("COMMIT")?;
        assign_new_id(&copy)?;
        Mark::clear(&copy)?;
        copy.query_row("PRAGMA journal_mode = DELETE", (), |_| Ok(()))?;
        copy.close().map_err(|(_, error)| error)?;
        file::sync(to)?;
        Ok(())
    }
}
