//! Reads whole files, and creates files that appear only once they are complete.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use leadapi_core::dataset::{Dataset, TokenOrigin};
use uuid::Uuid;

use crate::{CommandError, output::print_warning};
use leadapi_tls::ExposedSecret;

/// Returns whether the path stands for standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file as text; `-` reads standard input.
pub(crate) fn read_text(path: &Path) -> Result<String, CommandError> {
    let read = if is_standard(path) {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(path)
    };
    read.map_err(|source| CommandError::Read { path: path.to_owned(), source })
}

/// Reads and validates a data set from a file.
pub(crate) fn read(path: &Path) -> Result<Dataset, CommandError> {
    let dataset = Dataset::parse(&read_text(path)?);
    let dataset = dataset.map_err(|source| CommandError::Dataset { path: path.to_owned(), source })?;
    let mut tokens = dataset.businesses.iter().flat_map(|business| &business.tokens);
    if !is_standard(path) && tokens.any(|token| matches!(token.origin, TokenOrigin::Given(_))) {
        ExposedSecret::find(path).iter().for_each(print_warning);
    }
    Ok(dataset)
}

/// Like [`read`], for a file that a setting of the server names.
pub(crate) fn read_setting(path: &Path) -> Result<Dataset, CommandError> {
    read(path).map_err(|error| CommandError::Setting(Box::new(error)))
}

/// A file that only its owner can read. Until it is complete, it has a temporary name in the same folder.
#[derive(Debug)]
pub(super) struct NewFile {
    path: PathBuf,
    temporary: PathBuf,
}

impl NewFile {
    /// Chooses a temporary name without creating the file. Returns an error if the final file exists, unless `replace`
    /// is set.
    pub(super) fn at(path: &Path, replace: bool) -> Result<Self, CommandError> {
        let write_error = |kind: io::ErrorKind| CommandError::Write { path: path.to_owned(), source: kind.into() };
        let name = path.file_name().ok_or_else(|| write_error(io::ErrorKind::IsADirectory))?;
        if !replace && path.symlink_metadata().is_ok() {
            return Err(CommandError::FileExists(path.to_owned()));
        }
        let temporary = format!(".{}.{}", name.to_string_lossy(), Uuid::now_v7());
        Ok(Self { path: path.to_owned(), temporary: path.with_file_name(temporary) })
    }

    pub(super) fn temporary_path(&self) -> &Path {
        &self.temporary
    }

    pub(super) fn create(&self) -> Result<File, CommandError> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.temporary);
        file.map_err(|source| self.failed(source))
    }

    /// Syncs the file to disk, then renames it to its final name.
    pub(super) fn finish(self) -> Result<(), CommandError> {
        let renamed = File::open(&self.temporary).and_then(|file| file.sync_all());
        renamed.and_then(|()| fs::rename(&self.temporary, &self.path)).map_err(|source| self.failed(source))
    }

    pub(super) fn failed(&self, source: io::Error) -> CommandError {
        CommandError::Write { path: self.path.clone(), source }
    }
}

impl Drop for NewFile {
    /// Removes an incomplete file. A complete file no longer has the temporary name.
    fn drop(&mut self) {
        fs::remove_file(&self.temporary).unwrap_or_default();
    }
}
