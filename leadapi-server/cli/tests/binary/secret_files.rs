//! Tests of files with secrets that other users can read.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
};

use crate::process::{BINARY, SECRET};

/// Returns what a command prints to standard error for a file with these modes of the folder and of the file.
fn warning(args: &[&str], text: &str, modes: [u32; 2]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, text).unwrap();
    let set_mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    set_mode(folder.path(), modes[0]);
    set_mode(&file, modes[1]);
    let output = Command::new(BINARY).args(args).arg(&file).output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !printed.contains("SECRET") && !printed.contains(SECRET), "{printed}");
    printed.replace(file.to_str().unwrap(), "FILE")
}

#[test]
fn a_file_with_a_secret_that_every_user_can_read_causes_a_warning() {
    let token = format!(r#"{{"name": "t", "scopes": ["read"], "token": "{SECRET}"}}"#);
    let data = |tokens: &str| {
        format!(
            r#"{{"businesses": [{{"id": "b1", "name": "B", "created_at": "2026-01-01T00:00:00Z", "tokens": [{tokens}]}}]}}"#
        )
    };
    let settings = "store = \"postgres://u:SECRET@127.0.0.1/d\"\n";
    let (config, check) = (["config", "--config"], ["data", "check"]);
    for (modes, warns) in
        [([0o755, 0o644], true), ([0o755, 0o640], false), ([0o755, 0o600], false), ([0o700, 0o644], false)]
    {
        for (args, text) in [(config, settings), (check, &data(&token))] {
            let expected = if warns {
                "warning: FILE contains a secret, and every user of this machine can read it (mode 0644): \
                 run chmod 600 FILE\n"
            } else {
                ""
            };
            assert_eq!(warning(&args, text, modes), expected, "{args:?} {modes:?}");
        }
    }
    // Neither file contains a secret.
    for (args, text) in [(config, "log = \"info\"\n"), (check, &data(""))] {
        assert_eq!(warning(&args, text, [0o755, 0o644]), "");
    }
}
