//! The characters that can separate the fields of a row.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Delimiter {
    Comma,
    /// As written by Excel where the decimal separator is a comma.
    Semicolon,
    Tab,
}

impl Delimiter {
    pub(super) const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}
