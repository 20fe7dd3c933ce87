//! Generates tokens in the format of contract D8, independently of the code under test.

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns a token: `pak_`, the given text padded with zeros to 43 characters, and a checksum of 6 characters.
pub fn secret(random: &str) -> String {
    let body = format!("pak_{random:0<43}");
    assert_eq!(body.len(), 47, "{random} is too long");
    let mut rest = crc32(body.as_bytes()) as usize;
    let mut digits = [0; 6];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[rest % 62];
        rest /= 62;
    }
    body + std::str::from_utf8(&digits).unwrap()
}

/// Calculates the CRC-32 checksum as zlib does, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_matches_zlib() {
        // The expected values are the published check value of CRC-32 and a checksum from Python's zlib.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(secret(""), format!("pak_{}2OZByn", "0".repeat(43)));
    }
}
