//! `docs`: writes the API reference for a static host.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use leadapi_pages::Reference;

use super::{CommandError, openapi::ApiUrls};

/// Write the API reference as files that any web server can serve, at any path.
///
/// The page in a browser sends trial requests to the first --server. If that is not the page's own origin, the browser
/// blocks them, unless a proxy in front of the API allows requests from other origins (CORS).
#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi docs public/reference --server https://api.example.com/v1")]
pub(super) struct Docs {
    /// The folder to write to, created if it is missing.
    folder: PathBuf,
    #[command(flatten)]
    urls: ApiUrls,
    /// Replace the files of the reference if they exist. Other files in the folder are kept, and a symbolic link is
    /// replaced, not followed.
    #[arg(long)]
    force: bool,
}

impl Docs {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let Self { folder, urls, force } = self;
        let servers = urls.servers()?;
        let files = Reference::static_files(leadapi_core::openapi::document_at(&servers) + "\n", &servers);
        let files: Vec<_> = files.into_iter().map(|(name, content)| (folder.join(name), content)).collect();
        let exists = |path: &Path| path.symlink_metadata().is_ok() || linked_folder(path, &folder).is_some();
        let existing = files.iter().find(|(path, _)| !force && exists(path));
        if let Some((path, _)) = existing {
            return Err(CommandError::FileExists(path.clone()));
        }
        for (path, content) in files {
            write(&path, &content, &folder).map_err(|source| CommandError::Write { path, source })?;
        }
        Ok(())
    }
}

/// Returns the folder of a file if it is a symbolic link below `root`.
fn linked_folder<'p>(path: &'p Path, root: &Path) -> Option<&'p Path> {
    path.parent().filter(|folder| *folder != root && folder.is_symlink())
}

/// Writes a new file. An existing file or symbolic link is removed first, and never written to, because a link may lead
/// to a file outside `root`.
fn write(path: &Path, content: &[u8], root: &Path) -> io::Result<()> {
    if let Some(link) = linked_folder(path, root) {
        fs::remove_file(link)?;
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    if path.symlink_metadata().is_ok() {
        fs::remove_file(path)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(content)
}
