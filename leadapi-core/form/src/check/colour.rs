//! Parsing of colours, and their contrast ratio (WCAG 2).

/// The red, green and blue components of a colour, each from 0 to 1.
pub(super) type Colour = [f64; 3];

/// Parses a colour of the form `#rgb`, `#rrggbb` or `#rrggbbaa`. The alpha channel is ignored.
pub(super) fn parse(text: &str) -> Option<Colour> {
    let digits = text.trim().strip_prefix('#')?;
    let values: Vec<u32> = digits.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let bytes: Vec<u32> = match values.as_slice() {
        short @ [_, _, _] => short.iter().map(|digit| digit * 17).collect(),
        pairs if matches!(pairs.len(), 6 | 8) => {
            pairs.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + digit)).collect()
        }
        _ => return None,
    };
    let mut parts = bytes.into_iter().map(|byte| f64::from(byte) / 255.0);
    Some([parts.next()?, parts.next()?, parts.next()?])
}

/// Returns the contrast ratio of two colours, from 1 to 21.
pub(super) fn contrast(one: Colour, other: Colour) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(colour: Colour) -> f64 {
    let [red, green, blue] =
        colour.map(|part| if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_matches_wcag() {
        for (one, other, expected) in [
            ("#000000", "#ffffff", 21.0),
            ("#777", "#FFF", 4.48),
            ("#767676", "#ffffff", 4.54),
            ("#ff0000", "#ffffffff", 4.0),
            ("#123456", "#123456", 1.0),
        ] {
            let contrast = contrast(parse(one).unwrap(), parse(other).unwrap());
            assert!((contrast - expected).abs() < 0.01, "{one} {other} {contrast}");
        }
        for bad in ["", "#", "red", "#12", "#1234", "#12345", "#ggg", "#1234567", "123456", "rgb(0,0,0)"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
