//! TLS connections to the database with rustls, as configured by `sslmode` and `sslrootcert`.

use std::{io, path::PathBuf, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use tokio_postgres::config::SslMode;

/// An invalid TLS setting in a URL.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    #[error("sslmode must be disable, allow, prefer, require, verify-ca or verify-full, not {0:?}")]
    Mode(String),
    #[error("sslrootcert: cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("sslrootcert: {} contains no certificate in PEM format", .0.display())]
    Empty(PathBuf),
    #[error("there is no trusted certificate authority: specify one with sslrootcert")]
    NoRoots,
    #[error("TLS cannot be set up: {0}")]
    Setup(String),
}

/// The `sslmode` and `sslrootcert` of a connection, as in libpq.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sslmode {
    mode: Mode,
    root: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl Sslmode {
    /// Creates the settings from the parameters `sslmode` and `sslrootcert`.
    pub(super) fn new(mode: Option<&str>, root: Option<&str>) -> Result<Self, TlsError> {
        let mode = mode.map_or(Ok(Mode::Prefer), Mode::parse)?;
        // As in libpq, `system` selects the system's certificate authorities.
        let root = root.filter(|root| *root != "system").map(PathBuf::from);
        // As in libpq, `require` with a root certificate behaves like `verify-ca`.
        let mode = if mode == Mode::Require && root.is_some() { Mode::VerifyCa } else { mode };
        Ok(Self { mode, root })
    }

    pub(super) const fn for_driver(&self) -> SslMode {
        match self.mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        }
    }
}

impl Mode {
    fn parse(text: &str) -> Result<Self, TlsError> {
        match text {
            "disable" => Ok(Self::Disable),
            // For `allow`, libpq first tries to connect without TLS. The driver does not support this order, and trying
            // TLS first is at least as secure.
            "allow" | "prefer" => Ok(Self::Prefer),
            "require" => Ok(Self::Require),
            "verify-ca" => Ok(Self::VerifyCa),
            "verify-full" => Ok(Self::VerifyFull),
            _ => Err(TlsError::Mode(text.to_owned())),
        }
    }
}

/// Builds the client-side TLS configuration.
pub(super) fn client(sslmode: &Sslmode) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let setup = |error: &dyn std::error::Error| TlsError::Setup(error.to_string());
    let verifier: Arc<dyn ServerCertVerifier> = match sslmode.mode {
        Mode::Disable | Mode::Prefer | Mode::Require => Arc::new(Trusting(provider.clone())),
        Mode::VerifyCa | Mode::VerifyFull => {
            let roots = Arc::new(roots(sslmode.root.as_ref())?);
            let webpki = WebPkiServerVerifier::builder_with_provider(roots, provider.clone());
            let webpki = webpki.build().map_err(|error| setup(&error))?;
            if sslmode.mode == Mode::VerifyFull { webpki } else { Arc::new(AnyName(webpki)) }
        }
    };
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| setup(&error))?;
    Ok(config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

fn roots(file: Option<&PathBuf>) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = file {
        let pem = std::fs::read(path).map_err(|source| TlsError::Read { path: path.clone(), source })?;
        let found: Vec<_> = CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok).collect();
        if roots.add_parsable_certificates(found).0 == 0 {
            return Err(TlsError::Empty(path.clone()));
        }
    } else if roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs).0 == 0 {
        return Err(TlsError::NoRoots);
    }
    Ok(roots)
}

/// A verifier that accepts any certificate: `prefer` and `require` protect against eavesdropping, but not against
/// impersonation.
#[derive(Debug)]
struct Trusting(Arc<CryptoProvider>);

/// A verifier that accepts a certificate from a trusted authority for any host name, as `verify-ca` specifies.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for Trusting {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.0.verify_server_cert(end, intermediates, name, ocsp, now) {
            // The verifier checks the name last, so the rest of the certificate is valid.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn require_with_a_root_certificate_verifies_the_authority() {
        let sslmode = |mode, root| Sslmode::new(mode, root).unwrap();
        assert_eq!(sslmode(None, None), Sslmode { mode: Mode::Prefer, root: None });
        assert_eq!(sslmode(Some("require"), Some("x")).mode, Mode::VerifyCa);
        assert_eq!(sslmode(Some("verify-full"), Some("system")).root, None);
        assert!(Sslmode::new(Some("sometimes"), None).unwrap_err().to_string().contains("sometimes"));
    }
}
