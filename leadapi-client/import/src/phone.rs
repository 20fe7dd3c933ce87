//! Phone numbers as spreadsheets and advertising platforms write them.

/// Returns the phone number in a cell. Removes the formula syntax `="…"`, which keeps a spreadsheet from changing the
/// number, and the prefix `p:`, which lead ads add. Any other text stays unchanged.
///
/// If a spreadsheet rounded a long number, its last digits are lost. Such a cell is an error.
pub(crate) fn read(cell: &str) -> Result<&str, String> {
    let text = cell.trim();
    let text = text.strip_prefix("=\"").and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let text = text.strip_prefix("p:").filter(|rest| rest.starts_with(['+', '0'])).unwrap_or(text);
    if is_rounded(text) {
        return Err(format!(
            "phone {text:?} was rounded by a spreadsheet: format the column as text, and export it again"
        ));
    }
    Ok(text)
}

/// Returns whether the text is a number with an exponent, such as `4.91512E+11`.
fn is_rounded(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, "0"));
    digits(whole) && digits(fraction) && exponent.strip_prefix('+').is_some_and(digits)
}

/// The phone numbers of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PhoneCounts {
    /// The number of phone numbers.
    pub numbers: u64,
    /// The number of phone numbers that a spreadsheet rounded.
    pub rounded: u64,
}

impl PhoneCounts {
    pub(crate) fn add(&mut self, cell: &str) {
        if !cell.trim().is_empty() {
            self.numbers += 1;
            self.rounded += u64::from(read(cell).is_err());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_number_is_taken_out_of_the_syntax_of_other_programs() {
        for (cell, phone) in [
            ("=\"0151123456\"", "0151123456"),
            ("p:+447700900123", "+447700900123"),
            ("+1 555 0100 ext. 12", "+1 555 0100 ext. 12"),
            ("p:office", "p:office"),
            ("0151/123 456", "0151/123 456"),
            ("12E5", "12E5"),
        ] {
            assert_eq!(read(cell), Ok(phone));
        }
        for cell in ["4.91512E+11", "4,91512e+11", "5E+10", "=\"4.9E+11\""] {
            assert!(read(cell).unwrap_err().contains("was rounded by a spreadsheet"), "{cell}");
        }
    }
}
