//! A build without TLS. The types have no values, so every connection is in clear text.

use super::connection::Protocol;
use crate::limits::HttpLimits;

#[derive(Debug, Clone)]
pub(crate) enum TlsConfig {}

#[derive(Debug, Clone)]
pub(crate) enum Tls {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no TLS")]
pub(super) enum HandshakeError {}

impl TlsConfig {
    pub(crate) fn limited(self, _: &HttpLimits) -> Tls {
        match self {}
    }
}

impl HandshakeError {
    pub(super) const fn name(self) -> &'static str {
        match self {}
    }
}

impl Tls {
    #[expect(clippy::unused_async, reason = "the same signature in every build")]
    pub(super) async fn accept<IO>(&self, _: IO) -> Result<Option<(IO, Protocol)>, HandshakeError> {
        match *self {}
    }
}
