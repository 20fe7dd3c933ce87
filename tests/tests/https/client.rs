//! A client that accepts any certificate, and returns the certificate chain that it received.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    sync::Arc,
};

use leadapi_tests::TIMEOUT;
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme, StreamOwned,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, ServerName, UnixTime},
};

/// Accepts any certificate, because Pebble creates a new root for each test. The tests compare the certificates
/// instead.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
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
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// The certificate chain of the server, and its response to a request.
pub(crate) struct Answer {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) text: String,
}

/// Offers one protocol through ALPN, sends a request, and reads until the server closes the connection.
pub(crate) fn send(port: u16, domain: &str, protocol: &str, request: &str) -> io::Result<Answer> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions().unwrap();
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)));
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let name = domain.to_owned().try_into().unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let socket = TcpStream::connect(("127.0.0.1", port))?;
    socket.set_read_timeout(Some(TIMEOUT))?;
    let mut stream = StreamOwned::new(connection, socket);
    stream.write_all(request.as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let chain = stream.conn.peer_certificates().unwrap_or_default();
    Ok(Answer { chain: chain.iter().cloned().map(CertificateDer::into_owned).collect(), text })
}

/// Returns the token of the only business.
pub(crate) fn token() -> String {
    leadapi_tests::secret("https")
}

/// Lists the client accounts of the only business through the API.
pub(crate) fn list_clients(port: u16, domain: &str) -> io::Result<Answer> {
    let token = token();
    let request = format!(
        "GET /v1/clients HTTP/1.1\r\nhost: {domain}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    );
    send(port, domain, "http/1.1", &request)
}
