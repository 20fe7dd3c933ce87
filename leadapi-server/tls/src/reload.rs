//! The certificate in use, reloaded when its files change.

use std::{
    fs,
    sync::{Arc, PoisonError, RwLock, Weak},
    time::Duration,
};

use rustls::{
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use tracing::{info, warn};

use crate::{TlsError, TlsFiles, secret_file::ExposedSecret};

/// The interval at which the files are checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Certificate(RwLock<Arc<CertifiedKey>>);

/// The contents of both files, as last read.
#[derive(PartialEq, Eq)]
struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Certificate {
    pub(crate) fn read(files: TlsFiles) -> Result<Arc<Self>, TlsError> {
        let contents = Contents::read(&files)?;
        let this = Arc::new(Self(RwLock::new(Arc::new(contents.parse(&files)?))));
        tokio::spawn(follow(Arc::downgrade(&this), files, contents));
        Ok(this)
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// Reloads the certificate when its files change, until the certificate is dropped.
async fn follow(used: Weak<Certificate>, files: TlsFiles, mut seen: Contents) {
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        let Some(certificate) = used.upgrade() else { return };
        // A file may be briefly missing while it is being replaced. The next check will find it.
        let Ok(contents) = Contents::read(&files) else { continue };
        if contents == seen {
            continue;
        }
        match contents.parse(&files) {
            Ok(new) => {
                *certificate.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
                info!("the certificate has been reloaded");
            }
            Err(error) => {
                warn!(%error, "the new certificate cannot be used: the previous certificate stays in use");
            }
        }
        seen = contents;
    }
}

impl Contents {
    fn read(files: &TlsFiles) -> Result<Self, TlsError> {
        let read =
            |path: &std::path::Path| fs::read(path).map_err(|source| TlsError::Read { path: path.to_owned(), source });
        Ok(Self { certificate: read(&files.certificate)?, key: read(&files.key)? })
    }

    fn parse(&self, files: &TlsFiles) -> Result<CertifiedKey, TlsError> {
        if let Some(exposed) = ExposedSecret::find(&files.key) {
            warn!("{exposed}");
        }
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&self.certificate).collect();
        let Some(chain) = chain.ok().filter(|chain| !chain.is_empty()) else {
            return Err(TlsError::Pem { path: files.certificate.clone(), what: "certificate" });
        };
        let key = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|_| TlsError::Pem { path: files.key.clone(), what: "private key" })?;
        // This also checks that the certificate and the key match.
        CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider()).map_err(TlsError::unusable)
    }
}
