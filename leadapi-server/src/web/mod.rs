//! The common parts of the API reference, the API settings and the form preview: files, form fields, the head of a page
//! and responses.

mod fields;
mod head;
mod response;

pub(crate) use fields::Fields;
pub(crate) use head::head;
pub(crate) use response::{Page, html, respond, see_other};

/// The style sheet. It follows the browser's light or dark setting, unless the page selects a theme.
pub(crate) const STYLE: &[u8] = include_bytes!("style.css");

/// The favicon, which some pages also show in their header.
pub(crate) const ICON: &[u8] = include_bytes!("icon.svg");

pub(crate) const CSS: &str = "text/css; charset=utf-8";
pub(crate) const SVG: &str = "image/svg+xml";
