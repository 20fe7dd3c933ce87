//! The files that the API reference and the API settings share.

/// The style sheet, which follows the light or dark setting of the browser.
pub(crate) const STYLE: &[u8] = include_bytes!("style.css");

/// The icon in the title bar.
pub(crate) const ICON: &[u8] = include_bytes!("icon.svg");
