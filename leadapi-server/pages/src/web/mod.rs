//! The common parts of the API reference, the API settings and the form preview: files, form fields, the head of a page
//! and responses.

mod fields;
mod head;
mod response;

pub use fields::Fields;
pub use head::head;
pub use response::{Page, html, respond, see_other};

/// The style sheet. It follows the browser's light or dark setting, unless the page selects a theme.
pub const STYLE: &[u8] = include_bytes!("style.css");

/// The favicon, which some pages also show in their header.
pub const ICON: &[u8] = include_bytes!("icon.svg");

/// The content type of a style sheet.
pub const CSS: &str = "text/css; charset=utf-8";
/// The content type of an SVG image.
pub const SVG: &str = "image/svg+xml";
