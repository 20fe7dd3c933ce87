//! Outputs the secrets of new tokens at startup.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, IsTerminal, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use leadapi_core::{
    dataset::{Dataset, TokenOrigin},
    tokens::IssuedToken,
};
use serde_json::{Value, json};

use super::file::is_standard;
use crate::{
    CommandError,
    output::{count, print_issued, print_line},
};

/// The destination for the secrets of new tokens: a terminal, or a new file that only its owner can read.
///
/// Standard output is chosen only if it is a terminal. The output of a service ends up in a journal, and secrets must
/// never be logged (contract D8).
#[derive(Debug)]
pub(crate) enum NewSecrets {
    None,
    Print,
    File(SecretFile),
}

/// A file that is removed on drop unless secrets were written to it.
#[derive(Debug)]
pub(crate) struct SecretFile {
    path: PathBuf,
    file: Option<File>,
}

impl NewSecrets {
    /// Chooses the destination before any token is created, because a token is useless if its secret cannot be shown.
    pub(crate) fn of(dataset: &Dataset, data: &Path, given: Option<PathBuf>) -> Result<Self, CommandError> {
        let mut tokens = dataset.businesses.iter().flat_map(|business| &business.tokens);
        if !tokens.any(|token| token.origin == TokenOrigin::Open) {
            return Ok(Self::None);
        }
        match given {
            None if io::stdout().is_terminal() => Ok(Self::Print),
            path => SecretFile::create(path.unwrap_or_else(|| default_secrets_path(data))).map(Self::File),
        }
    }

    /// Writes the secrets to the destination.
    pub(crate) fn show(self, issued: &[IssuedToken]) -> Result<(), CommandError> {
        match self {
            Self::None => {}
            Self::Print => print_issued(issued),
            Self::File(file) => file.fill(issued)?,
        }
        Ok(())
    }
}

fn default_secrets_path(data: &Path) -> PathBuf {
    let mut name = if is_standard(data) { "leadapi".into() } else { data.as_os_str().to_owned() };
    name.push(".tokens");
    name.into()
}

impl SecretFile {
    fn create(path: PathBuf) -> Result<Self, CommandError> {
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => Ok(Self { path, file: Some(file) }),
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => Err(CommandError::SecretsExist(path)),
            Err(source) => Err(CommandError::Secrets { path, source }),
        }
    }

    fn fill(mut self, issued: &[IssuedToken]) -> Result<(), CommandError> {
        let tokens: Vec<Value> = issued.iter().map(with_secret).collect();
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let written = serde_json::to_writer_pretty(&mut file, &tokens).map_err(io::Error::from);
        let written = written.and_then(|()| writeln!(file)).and_then(|()| file.sync_all());
        if let Err(source) = written {
            self.file = Some(file);
            return Err(CommandError::Secrets { path: self.path.clone(), source });
        }
        let tokens = count(issued.len(), "new token", "new tokens");
        print_line(&format!("the secret of {tokens} is in {}, which only you can read", self.path.display()));
        Ok(())
    }
}

impl Drop for SecretFile {
    fn drop(&mut self) {
        if self.file.is_some() {
            fs::remove_file(&self.path).unwrap_or_default();
        }
    }
}

/// Formats a new token and its secret as JSON.
pub(super) fn with_secret(issued: &IssuedToken) -> Value {
    let IssuedToken { business_id, business, name, scopes, secret, .. } = issued;
    json!({"business_id": business_id, "business": business, "name": name, "scopes": scopes, "token": secret.expose()})
}
