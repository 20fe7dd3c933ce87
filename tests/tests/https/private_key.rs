//! Tests of a private key that other users can read.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use rcgen::{CertifiedKey, generate_simple_self_signed};

use crate::server::Server;

const WARNING: &str =
    "key.pem contains a secret, and every user of this machine can read it (mode 0644): run chmod 600";

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_private_key_that_every_user_can_read_is_used_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    // A temporary folder is accessible only to its owner, so other users could not read the key in it.
    set_mode(folder.path(), 0o755);
    let [certificate, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
    let generate = |mode| {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(&certificate, cert.pem()).unwrap();
        fs::write(&key, signing_key.serialize_pem()).unwrap();
        set_mode(&key, mode);
    };
    let files = ["--tls-cert", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let start = || Server::start(folder.path(), &[&["--listen", "127.0.0.1:0"][..], &files].concat());

    generate(0o640);
    let server = start();
    generate(0o640);
    server.wait_for_log("the certificate has been reloaded");
    assert!(!server.log().contains(WARNING), "{}", server.log());
    generate(0o644);
    server.wait_for_log(WARNING);
    server.kill();
    start().wait_for_log(WARNING);
}
