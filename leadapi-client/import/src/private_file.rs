//! Files that only their owner can read, because they contain leads.

use std::fs::OpenOptions;

/// Restricts a newly created file to its owner.
#[cfg_attr(not(unix), allow(unused_variables, reason = "only Unix has modes"))]
pub(crate) fn restrict(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes opening a symbolic link fail, because the link could point to a file of another user.
#[cfg_attr(not(unix), allow(unused_variables, reason = "only Unix has this flag"))]
pub(crate) fn refuse_links(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    if let Ok(flags) = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()) {
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags);
    }
    options
}
