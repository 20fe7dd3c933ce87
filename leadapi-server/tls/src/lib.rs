#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "acme")]
mod acme;
mod reload;
mod secret_file;

use std::{error::Error, io, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use leadapi_server::{ByteStream, TlsAcceptor, TlsStream};
use rustls::{ServerConfig, crypto::aws_lc_rs, server::ResolvesServerCert};
use tokio::io::AsyncWriteExt;

#[cfg(feature = "acme")]
pub use self::acme::{AcmeError, AcmeSettings, LETS_ENCRYPT, LETS_ENCRYPT_STAGING};
use self::reload::Certificate;
pub use self::secret_file::ExposedSecret;

/// The ALPN name of the protocol with which an ACME server validates a domain (RFC 8737).
const ACME_ALPN: &[u8] = b"acme-tls/1";

/// The PEM files with a server's certificate chain and private key.
///
/// The server checks the files every few seconds, and uses new contents for all later handshakes. While the certificate
/// and the key do not match, for example because only one of them has been replaced so far, the server keeps using the
/// previous pair.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TlsFiles {
    /// The path of the certificate chain: the server's certificate first, followed by the intermediate certificates.
    pub certificate: PathBuf,
    /// The path of the certificate's private key, in PKCS #8, PKCS #1 or SEC1 format.
    pub key: PathBuf,
}

impl TlsFiles {
    /// Creates a pair of paths. [`TlsConfig::read`] reads the files.
    ///
    /// ```
    /// let files = leadapi_tls::TlsFiles::new("/etc/leadapi/cert.pem", "/etc/leadapi/key.pem");
    /// assert!(files.certificate.ends_with("cert.pem"));
    /// ```
    pub fn new(certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        Self { certificate: certificate.into(), key: key.into() }
    }
}

/// The reason the TLS files cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file is not valid PEM or does not contain the expected item.
    #[error("{} contains no {what} in PEM format", path.display())]
    Pem {
        /// The path of the file.
        path: PathBuf,
        /// The expected item.
        what: &'static str,
    },
    /// The certificate and the key do not match, or rustls does not support one of them.
    #[error("the certificate and the key cannot be used together: {0}")]
    Unusable(Box<dyn Error + Send + Sync>),
}

impl TlsError {
    fn unusable(cause: rustls::Error) -> Self {
        Self::Unusable(cause.into())
    }
}

/// A TLS configuration whose certificate comes from files or from an ACME server. Clones share the certificate.
#[derive(Debug, Clone)]
pub struct TlsConfig(Arc<ServerConfig>);

impl TlsConfig {
    /// Reads the files, and starts a task that reloads them when they change. Clients and server negotiate HTTP/1.1 or
    /// HTTP/2 through ALPN.
    ///
    /// # Errors
    ///
    /// Returns [`TlsError`] if a file cannot be read or used.
    pub fn read(files: TlsFiles) -> Result<Self, TlsError> {
        Ok(Self(Arc::new(config(Certificate::read(files)?).map_err(TlsError::unusable)?)))
    }

    /// Starts a task that obtains and renews the certificate.
    ///
    /// # Errors
    ///
    /// Returns [`AcmeError`] if the cache cannot be used, or if the system has no root certificates.
    #[cfg(feature = "acme")]
    pub fn acme(settings: AcmeSettings) -> Result<Self, AcmeError> {
        let mut config = config(settings.start()?).map_err(|error| AcmeError::Tls(error.into()))?;
        config.alpn_protocols.push(ACME_ALPN.to_vec());
        Ok(Self(Arc::new(config)))
    }
}

fn config(certificate: Arc<dyn ResolvesServerCert>) -> Result<ServerConfig, rustls::Error> {
    let builder = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let mut config =
        builder.with_safe_default_protocol_versions()?.with_no_client_auth().with_cert_resolver(certificate);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

#[async_trait]
impl TlsAcceptor for TlsConfig {
    async fn accept(&self, stream: Box<dyn ByteStream>) -> io::Result<Option<TlsStream>> {
        let mut stream = tokio_rustls::TlsAcceptor::from(self.0.clone()).accept(stream).await?;
        let is_http2 = match stream.get_ref().1.alpn_protocol() {
            Some(ACME_ALPN) => {
                // The ACME server may close the connection first.
                stream.shutdown().await.unwrap_or_default();
                tracing::debug!("a client has completed the handshake of an ACME challenge");
                return Ok(None);
            }
            protocol => protocol == Some(b"h2"),
        };
        Ok(Some(TlsStream { stream: Box::new(stream), is_http2 }))
    }
}
