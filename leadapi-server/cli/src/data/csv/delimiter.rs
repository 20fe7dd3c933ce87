//! The option that names a delimiter.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Delimiter {
    Comma,
    /// As written by Excel where the decimal separator is a comma.
    Semicolon,
    Tab,
    Pipe,
}

impl From<Delimiter> for leadapi_import::Delimiter {
    fn from(delimiter: Delimiter) -> Self {
        match delimiter {
            Delimiter::Comma => Self::Comma,
            Delimiter::Semicolon => Self::Semicolon,
            Delimiter::Tab => Self::Tab,
            Delimiter::Pipe => Self::Pipe,
        }
    }
}
