//! The encodings of text files.

use std::{
    fmt,
    io::{self, Read},
    str::FromStr,
};

use encoding_rs::{Decoder, DecoderResult, UTF_8, UTF_16BE, UTF_16LE};

/// An encoding of the [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels).
///
/// ```
/// use leadapi_import::Encoding;
///
/// assert_eq!("latin1".parse::<Encoding>()?.to_string(), "windows-1252");
/// assert!("no-such-encoding".parse::<Encoding>().is_err());
/// # Ok::<(), leadapi_import::UnknownEncoding>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

/// The error for a string that is not a label of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the name of an encoding, such as utf-8, utf-16le, windows-1252, iso-8859-2 or shift_jis")]
pub struct UnknownEncoding;

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(label: &str) -> Result<Self, UnknownEncoding> {
        encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()).map(Self).ok_or(UnknownEncoding)
    }
}

impl Encoding {
    pub(crate) const UTF_8: Self = Self(UTF_8);

    /// Detects the encoding from the first bytes of a file. The flag is true if the file starts with a byte order mark.
    ///
    /// UTF-16 without a mark is recognized by its zero bytes, because other text contains hardly any.
    pub(crate) fn detect(start: &[u8]) -> Option<(Self, bool)> {
        if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(start) {
            return Some((Self(encoding), true));
        }
        let zeros = |offset| start.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
        match (zeros(0), zeros(1)) {
            (first, second) if first.max(second) * 32 < start.len().max(1) => None,
            (first, second) if first > second => Some((Self(UTF_16BE), false)),
            _ => Some((Self(UTF_16LE), false)),
        }
    }

    /// Returns UTF-8 in place of UTF-16, because both encode the same text.
    pub(crate) fn or_utf_8(self) -> Self {
        Self(self.0.output_encoding())
    }

    pub(crate) fn name(self) -> &'static str {
        self.0.name()
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Converts text to UTF-8, without its byte order mark. Invalid bytes cause an error of kind `InvalidData` after
/// all text before them has been read.
pub(crate) struct Decoded<R> {
    input: R,
    decoder: Decoder,
    bytes: Vec<u8>,
    text: Vec<u8>,
    /// The position in `text`.
    at: usize,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    Reading,
    Ended,
    Malformed,
}

/// The number of bytes to read at a time.
const CHUNK: usize = 16 * 1024;

impl<R: Read> Decoded<R> {
    pub(crate) fn new(input: R, encoding: Encoding) -> Self {
        let decoder = encoding.0.new_decoder_with_bom_removal();
        Self { input, decoder, bytes: vec![0; CHUNK], text: Vec::new(), at: 0, state: State::Reading }
    }

    fn fill(&mut self) -> io::Result<()> {
        let read = self.input.read(&mut self.bytes)?;
        let bytes = self.bytes.get(..read).unwrap_or_default();
        let length = self.decoder.max_utf8_buffer_length_without_replacement(read).unwrap_or(4 * CHUNK);
        self.text.resize(length, 0);
        let (result, _, written) = self.decoder.decode_to_utf8_without_replacement(bytes, &mut self.text, read == 0);
        self.text.truncate(written);
        self.at = 0;
        self.state = match result {
            DecoderResult::InputEmpty if read == 0 => State::Ended,
            DecoderResult::InputEmpty => State::Reading,
            DecoderResult::Malformed(..) | DecoderResult::OutputFull => State::Malformed,
        };
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            match self.state {
                State::Reading => self.fill()?,
                State::Ended => return Ok(0),
                State::Malformed => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        let read = self.text.get(self.at..).unwrap_or_default().read(to)?;
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads one byte at a time, so that every character of several bytes is split.
    struct Bytewise<'b>(&'b [u8]);

    impl Read for Bytewise<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let one = to.len().min(1);
            self.0.read(to.get_mut(..one).unwrap())
        }
    }

    fn decode(bytes: &[u8], encoding: Encoding) -> (String, bool) {
        let mut text = Vec::new();
        let result = Decoded::new(Bytewise(bytes), encoding).read_to_end(&mut text);
        (String::from_utf8(text).unwrap(), result.is_ok())
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn the_encoding_is_detected_with_and_without_a_mark() {
        let text = "Åsa,\u{1f600}\n";
        for (bytes, encoding, has_mark) in [
            (text.as_bytes().to_vec(), None, false),
            (format!("\u{feff}{text}").into_bytes(), Some("UTF-8"), true),
            (utf16(text, u16::to_le_bytes), Some("UTF-16LE"), false),
            (utf16(text, u16::to_be_bytes), Some("UTF-16BE"), false),
            (utf16(&format!("\u{feff}{text}"), u16::to_le_bytes), Some("UTF-16LE"), true),
            (utf16(&format!("\u{feff}{text}"), u16::to_be_bytes), Some("UTF-16BE"), true),
        ] {
            let detected = Encoding::detect(&bytes);
            assert_eq!(
                detected.map(|(encoding, has_mark)| (encoding.name(), has_mark)),
                encoding.map(|name| (name, has_mark))
            );
            let (encoding, _) = detected.unwrap_or((Encoding::UTF_8, false));
            assert_eq!(decode(&bytes, encoding), (text.to_owned(), true), "{encoding}");
        }
        let stray = "name\nA\0nn\n".to_owned() + &"Bo\n".repeat(100);
        assert!(Encoding::detect(stray.as_bytes()).is_none());
        let few = "\u{540d}\u{524d}\n".repeat(100);
        assert!(Encoding::detect(&utf16(&few, u16::to_le_bytes)).is_some());
    }

    #[test]
    fn text_in_front_of_invalid_bytes_is_read_before_the_error() {
        assert_eq!(decode(b"a\nb\xe9c", Encoding::UTF_8), ("a\nb".to_owned(), false));
        assert_eq!(decode(b"a\0\xd8\xd8", Encoding(UTF_16LE)), ("a".to_owned(), false));
        assert_eq!(decode(b"a\0b", Encoding(UTF_16LE)), ("a".to_owned(), false));
        assert_eq!(decode(b"caf\xe9 \x80", "cp1252".parse().unwrap()), ("café €".to_owned(), true));
    }
}
