//! The certificate for each handshake.

use std::sync::{Arc, PoisonError, RwLock};

use rustls::{
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use rustls_acme::{ResolvesServerCertAcme, is_tls_alpn_challenge};

/// The certificate in use, and the response to a challenge of the ACME server.
#[derive(Debug, Default)]
pub(super) struct AcmeCertificate(RwLock<Sources>);

#[derive(Debug, Clone, Default)]
struct Sources {
    current: Option<Arc<ResolvesServerCertAcme>>,
    /// The certificate that was used last. It stays in use until a new state has one.
    last: Option<Arc<CertifiedKey>>,
}

impl AcmeCertificate {
    pub(super) fn follow(&self, resolver: Arc<ResolvesServerCertAcme>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).current = Some(resolver);
    }

    fn choose(&self, found: Option<Arc<CertifiedKey>>, last: Option<Arc<CertifiedKey>>) -> Option<Arc<CertifiedKey>> {
        let Some(found) = found else { return last };
        if last.is_none_or(|last| !Arc::ptr_eq(&last, &found)) {
            self.0.write().unwrap_or_else(PoisonError::into_inner).last = Some(found.clone());
        }
        Some(found)
    }
}

impl ResolvesServerCert for AcmeCertificate {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let Sources { current, last } = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        let is_challenge = is_tls_alpn_challenge(&hello);
        let found = current.and_then(|current| current.resolve(hello));
        if is_challenge { found } else { self.choose(found, last) }
    }
}
