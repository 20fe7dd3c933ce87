//! Certificates from an ACME server (RFC 8555). To prove that it controls a domain, the server answers a challenge
//! during a TLS handshake (TLS-ALPN-01, RFC 8737), so it needs no additional listener.

mod cache;
mod failure;
mod orders;
mod resolver;

use std::{
    error::Error,
    io,
    path::PathBuf,
    sync::{Arc, Weak},
};

use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs, server::ResolvesServerCert};
use rustls_acme::{
    AcmeConfig, AcmeState,
    acme::{LETS_ENCRYPT_PRODUCTION_DIRECTORY, LETS_ENCRYPT_STAGING_DIRECTORY},
};
use tracing::{info, warn};

use self::{cache::Cache, resolver::AcmeCertificate};

/// The settings for obtaining a certificate. The operator must have agreed to the ACME server's terms of service.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AcmeSettings {
    /// The domain names of the certificate, in lower case.
    pub domains: Vec<String>,
    /// The e-mail address of the account.
    pub email: Option<String>,
    /// The folder for the key of the account, and for the certificate with its key.
    pub cache: PathBuf,
    /// The URL of the ACME server's directory.
    pub directory: String,
}

/// The directory URL of Let's Encrypt, whose certificates browsers trust.
pub const LETS_ENCRYPT: &str = LETS_ENCRYPT_PRODUCTION_DIRECTORY;
/// The directory URL of Let's Encrypt's staging environment, for tests.
pub const LETS_ENCRYPT_STAGING: &str = LETS_ENCRYPT_STAGING_DIRECTORY;

/// The reason the server cannot order certificates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcmeError {
    /// The cache could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The path of the file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The cache could not be written.
    #[error("cannot write to {}: {source}", path.display())]
    Write {
        /// The path of the file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The system has no root certificates.
    #[error("the system has no root certificates with which to verify the ACME server")]
    Roots,
    /// rustls refuses the configuration.
    #[error("TLS cannot be used: {0}")]
    Tls(Box<dyn Error + Send + Sync>),
}

impl AcmeSettings {
    /// Creates settings for a certificate with these domain names, in lower case, from Let's Encrypt. The server keeps
    /// the key of the account, and the certificate with its key, in the folder `cache`.
    pub fn new(domains: Vec<String>, cache: impl Into<PathBuf>) -> Self {
        Self { domains, email: None, cache: cache.into(), directory: LETS_ENCRYPT.to_owned() }
    }

    /// Checks the cache, and starts a task that obtains and renews the certificate.
    pub(crate) fn start(self) -> Result<Arc<dyn ResolvesServerCert>, AcmeError> {
        let cache = Cache::open(&self)?;
        let client = client()?;
        let (domains, file) = (self.domains.join(", "), cache.certificate().display());
        if cache.certificate().exists() {
            info!(domains, %file, "the certificate is in the cache");
        } else {
            warn!(domains, "there is no certificate yet: TLS handshakes fail until the ACME server issues one");
        }
        let certificate = Arc::new(AcmeCertificate::default());
        let used = Arc::downgrade(&certificate);
        tokio::spawn(async move {
            orders::follow(&domains, || self.next_state(&used, &cache, &client)).await;
        });
        Ok(certificate)
    }

    /// Creates a state, which then provides the certificate. Returns `None` once the server has stopped using the
    /// certificate.
    fn next_state(
        &self,
        used: &Weak<AcmeCertificate>,
        cache: &Cache,
        client: &Arc<ClientConfig>,
    ) -> Option<AcmeState<io::Error>> {
        let certificate = used.upgrade()?;
        let config = AcmeConfig::new_with_client_config(&self.domains, client.clone())
            .directory(&self.directory)
            .contact(self.email.iter().map(|email| format!("mailto:{email}")))
            .cache(cache.clone());
        let state = config.state();
        certificate.follow(state.resolver());
        Some(state)
    }
}

fn client() -> Result<Arc<ClientConfig>, AcmeError> {
    let mut roots = RootCertStore::empty();
    if roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs).0 == 0 {
        return Err(AcmeError::Roots);
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| AcmeError::Tls(error.into()))?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}
