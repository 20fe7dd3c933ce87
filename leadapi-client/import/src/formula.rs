//! Protection against formula injection. A spreadsheet evaluates a field that starts with `=`, and anyone can submit a
//! lead through a form.

/// Prefixes a field with `'` if a spreadsheet would evaluate it.
///
/// Numbers, such as the phone number `+34 600 000 000`, stay unchanged. A field that already has the prefix gets a
/// second one, so that [`unescape`] restores every field.
pub(crate) fn escape(field: String) -> String {
    let is_number = field.chars().all(|c| c.is_ascii_digit() || " +-.,()/".contains(c));
    if is_formula(field.trim_start_matches('\'')) && !is_number { format!("'{field}") } else { field }
}

/// Removes one `'` in front of text that a spreadsheet might evaluate, even if [`escape`] did not add it.
pub(crate) fn unescape(field: &str) -> &str {
    field.strip_prefix('\'').filter(|rest| is_formula(rest.trim_start_matches('\''))).unwrap_or(field)
}

/// Returns whether a spreadsheet might evaluate the field. Some spreadsheets also accept full-width characters.
fn is_formula(field: &str) -> bool {
    field.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_field_is_no_formula_and_can_be_restored() {
        for (field, escaped) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("@SUM(1)", "'@SUM(1)"),
            ("+A1", "'+A1"),
            ("-2+cmd", "'-2+cmd"),
            ("\t=1", "'\t=1"),
            ("＝1", "'＝1"),
            ("'=1", "''=1"),
            ("''+34 600", "'''+34 600"),
            ("+34 600 000 000", "+34 600 000 000"),
            ("-12.5", "-12.5"),
            ("O'Brien", "O'Brien"),
            ("'t Hooft", "'t Hooft"),
            ("a=b", "a=b"),
            ("'", "'"),
            ("", ""),
        ] {
            assert_eq!(escape(field.to_owned()), escaped);
            assert_eq!(unescape(escaped), field);
        }
    }

    #[test]
    fn a_phone_number_may_be_written_as_text() {
        assert_eq!(unescape("'+34 600 000 000"), "+34 600 000 000");
    }
}
