//! `docs`: writes the API reference for a static host.

use std::{fs, io, path::PathBuf};

use clap::Args;

use super::{CommandError, openapi::ApiUrls};
use crate::docs;

/// Write the API reference as files that any web server can serve, at any path.
///
/// The page in a browser sends trial requests to the first --server. If that is not the page's own origin, the browser
/// blocks them, unless a proxy in front of the API allows requests from other origins (CORS).
#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi-server docs public/reference --server https://api.example.com/v1")]
pub(super) struct Docs {
    /// The folder to write to, created if it is missing.
    folder: PathBuf,
    #[command(flatten)]
    urls: ApiUrls,
    /// Replace the files of the reference if they exist. Other files in the folder are kept.
    #[arg(long)]
    force: bool,
}

impl Docs {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let servers = self.urls.servers()?;
        let files = docs::static_files(leadapi_core::openapi::document_at(&servers) + "\n", &servers);
        let files: Vec<_> = files.into_iter().map(|(name, content)| (self.folder.join(name), content)).collect();
        let existing = files.iter().find(|(path, _)| !self.force && path.symlink_metadata().is_ok());
        if let Some((path, _)) = existing {
            return Err(CommandError::FileExists(path.clone()));
        }
        for (path, content) in files {
            let written: io::Result<()> =
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, content));
            written.map_err(|source| CommandError::Write { path, source })?;
        }
        Ok(())
    }
}
