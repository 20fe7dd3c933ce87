//! Files that only their owner can read.

use std::fs::OpenOptions;

/// Returns options that create a file for its owner only. Such a file contains leads.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns options that refuse symbolic links, which could point to a file of another user.
pub(crate) fn private_without_links() -> OpenOptions {
    let mut options = private();
    #[cfg(unix)]
    if let Ok(flags) = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()) {
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    options
}
