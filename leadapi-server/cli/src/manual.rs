//! `completions` and `man`: shell completions and manual pages, for packaging.

use std::{fs, io, path::PathBuf};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, CommandError};

#[derive(Debug, Args)]
pub(super) struct Completions {
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct Man {
    /// The folder to write to, created if it is missing.
    folder: PathBuf,
}

impl Completions {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "leadapi", &mut script);
        io::Write::write_all(&mut io::stdout(), &script).map_err(CommandError::Output)
    }
}

impl Man {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let written =
            fs::create_dir_all(&self.folder).and_then(|()| clap_mangen::generate_to(Cli::command(), &self.folder));
        written.map_err(|source| CommandError::Write { path: self.folder, source })
    }
}
