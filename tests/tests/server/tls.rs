//! HTTPS: both protocols, a certificate that changes, and handshakes that come to nothing.
