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
    /// A vertical bar, `|`.
    Pipe,
}

impl Delimiter {
    pub(crate) const ALL: [Self; 4] = [Self::Comma, Self::Semicolon, Self::Tab, Self::Pipe];

    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Pipe => b'|',
        }
    }

    /// Returns the delimiter that the first line of a file names for Excel, such as `sep=;`.
    pub(crate) fn named_by(line: &str) -> Option<Self> {
        let line = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or(line);
        let (key, byte) = line.split_once('=')?;
        let named = Self::ALL.into_iter().find(|delimiter| byte.as_bytes() == [delimiter.byte()]);
        named.filter(|_| key.eq_ignore_ascii_case("sep"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_can_name_the_delimiter() {
        assert_eq!(Delimiter::named_by("sep=;"), Some(Delimiter::Semicolon));
        assert_eq!(Delimiter::named_by("\"SEP=|\""), Some(Delimiter::Pipe));
        assert_eq!(Delimiter::named_by("sep=\t"), Some(Delimiter::Tab));
        for line in ["sep=", "sep=;;", "sep=x", "name;sep=;", ""] {
            assert_eq!(Delimiter::named_by(line), None, "{line:?}");
        }
    }
}
