//! Files that contain passwords, private keys or tokens.

use std::{
    fmt, fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::process::geteuid;

/// The mode bit that lets every user read a file.
const READABLE: u32 = 0o004;
/// The mode bit that lets every user open the files in a folder.
const ENTERABLE: u32 = 0o001;

/// A file with a secret that every user of the machine can read. `Display` is a warning with the remedy.
///
/// The server uses such a file nevertheless: Kubernetes, for example, mounts secrets with mode 0644. A file that only
/// its group can read is no reason for a warning, because keys often belong to root and to the group of the server.
#[derive(Debug, PartialEq, Eq)]
pub struct ExposedSecret {
    path: PathBuf,
    mode: u32,
    is_own: bool,
}

impl ExposedSecret {
    /// Returns `None` if the file, or a folder on its path, keeps other users out, or if the file cannot be examined. A
    /// link counts like its target.
    ///
    /// ```
    /// use leadapi_tls::ExposedSecret;
    ///
    /// # let path = std::path::Path::new("/dev/null/no such file");
    /// if let Some(warning) = ExposedSecret::find(path) {
    ///     eprintln!("{warning}");
    /// }
    /// ```
    pub fn find(path: &Path) -> Option<Self> {
        // If the file cannot be examined, its reader reports the reason.
        let (file, is_exposed) = examine(path).ok()?;
        let is_own = file.uid() == geteuid().as_raw();
        is_exposed.then(|| Self { path: path.to_owned(), mode: file.mode() & 0o7777, is_own })
    }
}

/// Returns a file's metadata, and whether every user can read it.
fn examine(path: &Path) -> io::Result<(fs::Metadata, bool)> {
    let path = path.canonicalize()?;
    let file = fs::metadata(&path)?;
    let mut is_exposed = file.mode() & READABLE != 0;
    for folder in path.ancestors().skip(1) {
        is_exposed = is_exposed && fs::metadata(folder)?.mode() & ENTERABLE != 0;
    }
    Ok((file, is_exposed))
}

impl fmt::Display for ExposedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, mode, is_own } = self;
        let path = path.display();
        write!(f, "{path} contains a secret, and every user of this machine can read it (mode {mode:04o}): ")?;
        if *is_own {
            write!(f, "run chmod 600 {path}")
        } else {
            // With mode 600, only its owner could read the file.
            write!(f, "change its group to a group of this process, and run chmod 640 {path}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::Permissions,
        os::unix::fs::{PermissionsExt, symlink},
    };

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn only_a_secret_that_every_user_can_read_is_exposed() {
        let folder = tempfile::tempdir().unwrap();
        let (key, link) = (folder.path().join("key.pem"), folder.path().join("link.pem"));
        fs::write(&key, "secret").unwrap();
        symlink(&key, &link).unwrap();
        for (folder_mode, mode, is_exposed) in [
            (0o755, 0o644, true),
            (0o711, 0o604, true),
            (0o755, 0o640, false),
            (0o755, 0o600, false),
            (0o700, 0o644, false),
            (0o750, 0o644, false),
        ] {
            set_mode(folder.path(), folder_mode);
            set_mode(&key, mode);
            for path in [&key, &link] {
                assert_eq!(ExposedSecret::find(path).is_some(), is_exposed, "{folder_mode:o} {mode:o} {path:?}");
            }
        }
        assert_eq!(ExposedSecret::find(&folder.path().join("missing")), None);
    }

    #[test]
    fn the_warning_has_a_remedy_that_keeps_the_file_readable_for_this_process() {
        let exposed = |is_own| ExposedSecret { path: "a/key.pem".into(), mode: 0o644, is_own }.to_string();
        let start = "a/key.pem contains a secret, and every user of this machine can read it (mode 0644): ";
        assert_eq!(exposed(true), format!("{start}run chmod 600 a/key.pem"));
        assert_eq!(
            exposed(false),
            format!("{start}change its group to a group of this process, and run chmod 640 a/key.pem")
        );
    }
}
