//! The files with the key of the ACME account and with the certificate. Only their owner can read them. They are
//! replaced atomically, so after a crash, each has either its old or its new contents.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use rustls_acme::{AccountCache, CertCache};
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::{AcmeError, AcmeSettings};
use crate::secret_file::ExposedSecret;

#[derive(Debug, Clone)]
pub(super) struct Cache {
    account: PathBuf,
    certificate: PathBuf,
}

impl Cache {
    /// Opens the cache, and creates its folder if it is missing. Fails if a file cannot be read or written, because
    /// each start would then order another certificate.
    pub(super) fn open(settings: &AcmeSettings) -> Result<Self, AcmeError> {
        let AcmeSettings { domains, email, cache: folder, directory } = settings;
        let write_error = |source| AcmeError::Write { path: folder.clone(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(write_error)?;
        let domain = domains.first().map_or("", String::as_str);
        // The names depend on the settings, so files for other domains, accounts or ACME servers are never used.
        let this = Self {
            account: folder.join(format!("account-{}.key", hash(directory, email))),
            certificate: folder.join(format!("{domain}-{}.pem", hash(directory, domains))),
        };
        for path in [&this.account, &this.certificate] {
            read(path).map_err(|source| AcmeError::Read { path: path.clone(), source })?;
            if let Some(exposed) = ExposedSecret::find(path) {
                tracing::warn!("{exposed}");
            }
        }
        let probe = folder.join(format!("probe-{}", Uuid::now_v7()));
        write(&probe, b"").and_then(|()| fs::remove_file(&probe)).map_err(write_error)?;
        Ok(this)
    }

    /// Returns the path of the file with the certificate chain and its key.
    pub(super) fn certificate(&self) -> &Path {
        &self.certificate
    }
}

#[async_trait]
impl CertCache for Cache {
    type EC = io::Error;

    async fn load_cert(&self, _: &[String], _: &str) -> io::Result<Option<Vec<u8>>> {
        load(&self.certificate).await
    }

    async fn store_cert(&self, _: &[String], _: &str, certificate: &[u8]) -> io::Result<()> {
        store(&self.certificate, certificate).await
    }
}

#[async_trait]
impl AccountCache for Cache {
    type EA = io::Error;

    async fn load_account(&self, _: &[String], _: &str) -> io::Result<Option<Vec<u8>>> {
        load(&self.account).await
    }

    async fn store_account(&self, _: &[String], _: &str, key: &[u8]) -> io::Result<()> {
        store(&self.account, key).await
    }
}

/// Returns a short hash of an ACME directory URL and a list of strings.
fn hash<'t>(directory: &str, texts: impl IntoIterator<Item = &'t String>) -> String {
    let mut hash = Sha256::new_with_prefix(directory);
    for text in texts {
        // No text contains a zero byte, so the hash input shows where each text begins.
        hash.update([0]);
        hash.update(text);
    }
    let prefix = hash.finalize().first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    format!("{prefix:016x}")
}

async fn load(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let path = path.to_owned();
    spawn_blocking(move || read(&path)).await?
}

async fn store(path: &Path, contents: &[u8]) -> io::Result<()> {
    let (path, contents) = (path.to_owned(), contents.to_owned());
    spawn_blocking(move || write(&path, &contents)).await?
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(contents) => Ok(Some(contents)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces a file atomically.
fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension(Uuid::now_v7().to_string());
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
    let written = file.write_all(contents).and_then(|()| file.sync_all());
    if let Err(error) = written.and_then(|()| fs::rename(&temporary, path)) {
        fs::remove_file(&temporary).unwrap_or_default();
        return Err(error);
    }
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn settings(folder: &Path) -> AcmeSettings {
        AcmeSettings {
            domains: vec!["a.example".to_owned()],
            email: None,
            cache: folder.join("new/acme"),
            directory: "https://acme.example/".to_owned(),
        }
    }

    #[tokio::test]
    async fn only_the_owner_can_read_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        let cache = Cache::open(&settings).unwrap();
        assert_eq!(cache.load_cert(&[], "").await.unwrap(), None);
        for contents in [&b"first"[..], b"second"] {
            cache.store_cert(&[], "", contents).await.unwrap();
            cache.store_account(&[], "", contents).await.unwrap();
            assert_eq!(cache.load_cert(&[], "").await.unwrap().unwrap(), contents);
            assert_eq!(cache.load_account(&[], "").await.unwrap().unwrap(), contents);
        }
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&settings.cache), 0o700);
        let files: Vec<PathBuf> = fs::read_dir(&settings.cache).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 2, "{files:?}");
        assert!(files.iter().all(|path| mode(path) == 0o600));
    }

    #[test]
    fn each_certificate_and_each_account_has_its_own_file() {
        let folder = tempfile::tempdir().unwrap();
        let first = settings(folder.path());
        let more = AcmeSettings { domains: vec!["a.example".to_owned(), "b.example".to_owned()], ..first.clone() };
        let other = AcmeSettings { directory: "https://other.example/".to_owned(), ..first.clone() };
        let named = AcmeSettings { email: Some("x@a.example".to_owned()), ..first.clone() };
        let [first, more, other, named] = [first, more, other, named].map(|settings| Cache::open(&settings).unwrap());
        assert_eq!((&first.account, &first.certificate), (&more.account, &named.certificate));
        assert!(first.certificate != more.certificate && first.account != named.account);
        assert!(first.certificate != other.certificate && first.account != other.account);
    }

    #[test]
    fn a_cache_that_cannot_be_used_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(folder.path());
        let cache = Cache::open(&settings).unwrap();
        fs::create_dir(&cache.certificate).unwrap();
        let error = Cache::open(&settings).unwrap_err().to_string();
        assert!(error.starts_with("cannot read ") && error.contains("a.example-"), "{error}");
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        settings.cache = file;
        let error = Cache::open(&settings).unwrap_err().to_string();
        assert!(error.starts_with("cannot write to "), "{error}");
    }
}
