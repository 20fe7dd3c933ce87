//! Files that are read whole, and files that are there only once they are whole.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use leadapi_core::dataset::Dataset;
use uuid::Uuid;

use crate::cli::CommandError;

/// Stands for the standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The text of a file; that of the standard input for `-`.
pub(in crate::cli) fn read_text(path: &Path) -> Result<String, CommandError> {
    let read = if is_standard(path) {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(path)
    };
    read.map_err(|source| CommandError::Read { path: path.to_owned(), source })
}

/// The data set in a file, checked.
pub(in crate::cli) fn read(path: &Path) -> Result<Dataset, CommandError> {
    Dataset::parse(&read_text(path)?).map_err(|source| CommandError::Dataset { path: path.to_owned(), source })
}

/// A file that nobody else may read, and that has its name only once it is whole: until then it stands beside it.
#[derive(Debug)]
pub(super) struct NewFile {
    path: PathBuf,
    beside: PathBuf,
}

impl NewFile {
    /// Nothing is made yet. What is there already is in the way, unless it is to be replaced.
    pub(super) fn at(path: &Path, replace: bool) -> Result<Self, CommandError> {
        let wrong = |kind: io::ErrorKind| CommandError::Write { path: path.to_owned(), source: kind.into() };
        let name = path.file_name().ok_or_else(|| wrong(io::ErrorKind::IsADirectory))?;
        if !replace && path.symlink_metadata().is_ok() {
            return Err(CommandError::FileExists(path.to_owned()));
        }
        let beside = format!(".{}.{}", name.to_string_lossy(), Uuid::now_v7());
        Ok(Self { path: path.to_owned(), beside: path.with_file_name(beside) })
    }

    /// Where it stands until it is whole.
    pub(super) fn beside(&self) -> &Path {
        &self.beside
    }

    pub(super) fn create(&self) -> Result<File, CommandError> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.beside);
        file.map_err(|source| self.failed(source))
    }

    /// Gives it its name, once all of it is on the disk.
    pub(super) fn finish(self) -> Result<(), CommandError> {
        let renamed = File::open(&self.beside).and_then(|file| file.sync_all());
        renamed.and_then(|()| fs::rename(&self.beside, &self.path)).map_err(|source| self.failed(source))
    }

    pub(super) fn failed(&self, source: io::Error) -> CommandError {
        CommandError::Write { path: self.path.clone(), source }
    }
}

impl Drop for NewFile {
    /// What did not become whole goes; what did has another name by now.
    fn drop(&mut self) {
        fs::remove_file(&self.beside).unwrap_or_default();
    }
}
