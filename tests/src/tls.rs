//! A server certificate and two root certificates, only one of which signed the server certificate.

use std::{fs, path::PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tempfile::TempDir;

/// The root certificates that clients of a TLS server may trust, as PEM files.
#[derive(Debug)]
pub struct Ca {
    /// The root that signed the server's certificate.
    pub root: PathBuf,
    /// A root with the same name that did not sign the server's certificate.
    pub wrong_root: PathBuf,
    _folder: TempDir,
}

pub(crate) struct Identity {
    certificate: String,
    key: String,
    root: String,
    wrong_root: String,
}

impl Identity {
    pub(crate) fn new() -> Self {
        let (root, wrong_root) = (authority(), authority());
        let key = KeyPair::generate().unwrap();
        let certificate = params("localhost", &["localhost".into()]).signed_by(&key, &root).unwrap();
        Self {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
            root: root.pem(),
            wrong_root: wrong_root.pem(),
        }
    }

    /// Returns the names and contents of the files that the server reads.
    pub(crate) fn files(&self) -> [(&str, &str); 2] {
        [("server.crt", &self.certificate), ("server.key", &self.key)]
    }

    pub(crate) fn write_ca(&self) -> Ca {
        let folder = tempfile::tempdir().unwrap();
        let [root, wrong_root] =
            [("root.pem", &self.root), ("wrong-root.pem", &self.wrong_root)].map(|(name, text)| {
                let path = folder.path().join(name);
                fs::write(&path, text).unwrap();
                path
            });
        Ca { root, wrong_root, _folder: folder }
    }
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = params("test authority", &[]);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn params(name: &str, hosts: &[String]) -> CertificateParams {
    let mut params = CertificateParams::new(hosts).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}
