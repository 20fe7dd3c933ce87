//! Checks that a write-ahead log belongs to the file next to it.
//!
//! SQLite applies any valid log to any file with the matching name. If a crash leaves a log behind and a backup is
//! copied over the file, SQLite would apply the log to the backup and corrupt it. To detect this, every transaction of
//! the writer that changes anything increments a counter in the `lineage` table, which occupies a single page.
//!
//! When the log restarts, the file holds every commit up to that point. The first count in the log is therefore at most
//! one above the count in the file, and the last count in the log is never below the count in the file. If a file
//! breaks this rule or has a different id, the log belongs to a different file.
//!
//! A flag in the same table, the *mark*, reveals that the log of a file was lost. The first write after a start sets
//! the mark, and a checkpoint copies it into the file before the write is acknowledged. An orderly close clears it.
//!
//! Three cases are not detected:
//!
//! - A log written only by other programs, because they do not increment the counter.
//! - A file that was copied aside, served under another name and copied back, because both copies have the same id.
//! - A copy made after the log last restarted. This case is harmless: the log holds every page that has changed since
//!   then, so the result is the state at the crash.

mod checksum;

use std::{
    fs::File,
    io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom},
    path::Path,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use checksum::Checksum;

use crate::{
    error::FileError,
    file::{immutable_uri, with_suffix},
};

/// The maximum number of attempts to compare a file with its log. A checkpoint by a running server may invalidate an
/// attempt.
const MAX_ATTEMPTS: usize = 3;

/// The only row of the `lineage` table: the id of the store, and the number of transactions that have changed the
/// store.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lineage {
    store_id: Vec<u8>,
    commits: u64,
}

/// The first and the last version of the `lineage` row in a log.
struct LoggedVersions {
    salts: [u8; 8],
    /// The position of the row's page in the file, and its size.
    position: u64,
    page_size: u32,
    first: Lineage,
    last: Lineage,
}

/// Fails if the log next to a file belongs to another file, or if it is missing and the file is incomplete without it.
/// The check is valid even while a server is writing to both.
pub(crate) fn check(path: &Path) -> Result<(), FileError> {
    let log = with_suffix(path, "-wal");
    if !log.try_exists()? && needs_log(path) {
        return Err(FileError::LostLog { path: path.to_owned(), log });
    }
    for _ in 0..MAX_ATTEMPTS {
        // Reading the log, the file and the log again keeps the comparison valid while a server is writing.
        let Some(before) = read_log_file(&log)? else { return Ok(()) };
        let stored = stored(path, &before)?;
        let Some(after) = read_log_file(&log)? else { return Ok(()) };
        if before.salts == after.salts && is_consistent(&before.first, &after.last, stored.as_ref()) {
            return Ok(());
        }
    }
    Err(FileError::StaleLog { path: path.to_owned(), log })
}

fn is_consistent(first: &Lineage, last: &Lineage, stored: Option<&Lineage>) -> bool {
    match stored {
        // The file does not contain the table yet, so the log must hold every commit since the table was created.
        None => first.commits == 1,
        Some(stored) => {
            stored.store_id == last.store_id && first.commits <= stored.commits + 1 && stored.commits <= last.commits
        }
    }
}

/// Returns whether a file that has no log is marked as incomplete. An error means that the file has no mark: the file
/// is empty, belongs to another application, or was written by an earlier version.
fn needs_log(path: &Path) -> bool {
    open_alone(path).and_then(|file| read_mark(&file)).unwrap_or(false)
}

/// Returns whether the store is marked as incomplete without its log.
pub(crate) fn read_mark(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT needs_log FROM lineage", (), |row| row.get(0))
}

/// Opens a file without its log.
fn open_alone(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(immutable_uri(path), flags)
}

/// Reads the row from the file alone, without its log. Returns `None` if the file does not contain the row yet.
fn stored(path: &Path, logged: &LoggedVersions) -> Result<Option<Lineage>, FileError> {
    let read = open_alone(path).and_then(|file| {
        let read = |row: &rusqlite::Row<'_>| {
            let commits: i64 = row.get(1)?;
            Ok(Lineage { store_id: row.get::<_, String>(0)?.into_bytes(), commits: commits.unsigned_abs() })
        };
        file.query_row("SELECT store_id, commits FROM lineage", (), read).optional()
    });
    match read {
        Ok(lineage) => Ok(lineage),
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::Unknown | ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            ) =>
        {
            // A crash during a checkpoint can leave a file that SQLite cannot read without the log: the first page
            // already counts pages that the file does not have yet.
            Ok(read_page(path, logged)?)
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads the row from the page of the file that, according to the log, contains it.
fn read_page(path: &Path, logged: &LoggedVersions) -> io::Result<Option<Lineage>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(logged.position))?;
    let mut page = vec![0; logged.page_size as usize];
    Ok(if read_whole(&mut file, &mut page)? { parse_page(&page) } else { None })
}

/// Reads the versions of the row in a log. Returns `None` if there is no log, or if the log does not contain the row.
fn read_log_file(log: &Path) -> Result<Option<LoggedVersions>, FileError> {
    match File::open(log) {
        Ok(file) => Ok(read_log(BufReader::with_capacity(1 << 20, file))?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Parses a log (<https://www.sqlite.org/fileformat2.html#the_write_ahead_log>), up to the first frame that is
/// incomplete or whose salts or checksum differ. After a crash, a frame can consist of a new header and an old page,
/// because a restarted log overwrites its old frames.
fn read_log(mut log: impl Read) -> io::Result<Option<LoggedVersions>> {
    const MAGIC: u32 = 0x377f_0682;
    let Some(header) = read_array::<32>(&mut log)? else { return Ok(None) };
    let [magic, _, page_size, _, _, _, sum_0, sum_1] = words(&header);
    let salts: [u8; 8] = header.get(16..24).and_then(|salts| salts.try_into().ok()).unwrap_or_default();
    let mut checksum = Checksum::new(magic);
    checksum.add(header.get(..24).unwrap_or_default());
    if magic & !1 != MAGIC || !(512..=65_536).contains(&page_size) || !checksum.is(sum_0, sum_1) {
        return Ok(None);
    }
    let mut page = vec![0; page_size as usize];
    let mut found: Option<LoggedVersions> = None;
    while let Some(frame) = read_array::<24>(&mut log)? {
        if frame.get(8..16) != Some(&salts) || !read_whole(&mut log, &mut page)? {
            break;
        }
        let [number, _, _, _, sum_0, sum_1, ..] = words(&frame);
        checksum.add(frame.get(..8).unwrap_or_default());
        checksum.add(&page);
        if !checksum.is(sum_0, sum_1) {
            break;
        }
        let Some(lineage) = parse_page(&page) else { continue };
        let position = u64::from(number.saturating_sub(1)) * u64::from(page_size);
        let first = || LoggedVersions { salts, position, page_size, first: lineage.clone(), last: lineage.clone() };
        found.get_or_insert_with(first).last.clone_from(&lineage);
    }
    Ok(found)
}

/// Returns the row if this is the table's page: a leaf page whose only cell holds a 32-byte string, an integer and,
/// except in files of old versions, a Boolean. No other table in the schema has such rows.
fn parse_page(page: &[u8]) -> Option<Lineage> {
    const LEAF_OF_A_TABLE: u8 = 0x0d;
    const TEXT_OF_32: u8 = 13 + 2 * 32;
    const FALSE: u8 = 8;
    const TRUE: u8 = 9;
    if *page.first()? != LEAF_OF_A_TABLE || page.get(3..5)? != [0, 1] {
        return None;
    }
    let at = usize::from(u16::from_be_bytes(page.get(8..10)?.try_into().ok()?));
    let ([_payload, 1, 3, TEXT_OF_32, integer, record @ ..]
    | [_payload, 1, 4, TEXT_OF_32, integer, FALSE | TRUE, record @ ..]) = page.get(at..)?
    else {
        return None;
    };
    let width = match integer {
        1..=4 => usize::from(*integer),
        5 => 6,
        6 => 8,
        // Serial type 9 is the integer constant 1, with no payload bytes.
        9 => 0,
        _ => return None,
    };
    let (store_id, rest) = record.split_at_checked(32)?;
    let is_id = store_id.iter().all(u8::is_ascii_hexdigit);
    let number = rest.get(..width)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    is_id.then(|| Lineage { store_id: store_id.to_owned(), commits: if *integer == 9 { 1 } else { number } })
}

/// Splits a header into big-endian numbers. A header of a frame has fewer than eight.
fn words(header: &[u8]) -> [u32; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(header.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    words
}

fn read_array<const N: usize>(from: &mut impl Read) -> io::Result<Option<[u8; N]>> {
    let mut bytes = [0; N];
    Ok(read_whole(from, &mut bytes)?.then_some(bytes))
}

/// Fills the buffer. Returns `false` if the input ends first.
fn read_whole(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Creates the table `lineage`, which identifies the file and counts its commits. It must be part of the schema.
///
/// No other table may have rows that consist of a string of 32 bytes, an integer and a Boolean, because the check could
/// not distinguish them from the row of this table.
pub const CREATE_TABLE: &str =
    "CREATE TABLE lineage (store_id TEXT NOT NULL, commits INTEGER NOT NULL, needs_log INTEGER NOT NULL) STRICT;
    INSERT INTO lineage VALUES (lower(hex(randomblob(16))), 1, 0);";

/// Assigns a new id to a copy, so that no log from the original is ever applied to it.
///
/// # Errors
///
/// Returns an error if SQLite fails.
pub fn assign_new_id(copy: &Connection) -> rusqlite::Result<()> {
    copy.execute_batch("UPDATE lineage SET store_id = lower(hex(randomblob(16)))")
}

/// The last statement of each transaction in which the writer has changed anything. Changes no row if another store
/// was copied over the file.
pub(crate) const RECORD_COMMIT: &str = "UPDATE lineage SET commits = commits + 1, needs_log = 1 WHERE store_id = ?1";

/// The last change before an orderly close.
pub(crate) const CLEAR_MARK: &str = "UPDATE lineage SET commits = commits + 1, needs_log = 0";

/// Returns the id of the store.
pub(crate) fn store_id(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT store_id FROM lineage", (), |row| row.get(0))
}

#[cfg(test)]
mod tests;
