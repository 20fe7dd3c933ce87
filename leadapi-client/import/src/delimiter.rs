//! The characters that can separate the fields of a row.

/// The character that separates the fields of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Delimiter {
    /// A comma.
    #[default]
    Comma,
    /// A semicolon, which Excel writes in regions where the decimal separator is a comma.
    Semicolon,
    /// A tab.
    Tab,
}

impl Delimiter {
    pub(crate) const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}
