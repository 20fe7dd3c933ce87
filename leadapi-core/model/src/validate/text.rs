//! The rules for the text fields (contract D4).

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::{FieldError, FieldErrors, email, find_char::has_control};

/// A format that a text field must have.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// An email address.
    Email,
    /// A phone number.
    Phone,
}

/// The rule for one text field.
#[derive(Debug)]
pub struct TextRule {
    /// The name of the field.
    pub field: &'static str,
    /// The maximum number of characters.
    pub max_chars: usize,
    /// Whether leading and trailing white space is removed.
    pub trimmed: bool,
    /// Whether line breaks are allowed.
    pub line_breaks: bool,
    /// The format, or `None` for any text.
    pub shape: Option<Shape>,
}

/// The rule for the name of a lead.
#[rustfmt::skip]
pub const NAME: TextRule = TextRule { field: "name", max_chars: 200, trimmed: true, line_breaks: false, shape: None };

impl TextRule {
    /// Checks the text. Returns the text to store, or `None` for blank text, which forms send for an empty field.
    pub(super) fn read(&self, text: String, errors: &mut FieldErrors) -> Option<String> {
        let kept = self.kept(&text, errors)?;
        Some(if kept.len() == text.len() { text } else { kept.to_owned() })
    }

    /// Checks the text. Returns the part to store, or `None` for blank text.
    fn kept<'a>(&self, text: &'a str, errors: &mut FieldErrors) -> Option<&'a str> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return None;
        }
        let text = if self.trimmed { trimmed } else { text };
        // The byte length is checked first, because it is cheap to read and never less than the number of characters.
        if text.len() > self.max_chars && text.chars().nth(self.max_chars).is_some() {
            errors.push(FieldError::new(self.field, format!("must be at most {} characters", self.max_chars)));
        }
        if has_control(text, |c| !(self.line_breaks && matches!(c, '\n' | '\r' | '\t'))) {
            errors.push(FieldError::new(
                self.field,
                if self.line_breaks {
                    "must not contain control characters other than line breaks and tabs"
                } else {
                    CONTROL
                },
            ));
        }
        let shape = match self.shape {
            Some(Shape::Email) => email::check_form(text),
            Some(Shape::Phone) => phone(text),
            None => Ok(()),
        };
        if let Err(rule) = shape {
            errors.push(FieldError::new(self.field, rule));
        }
        Some(text)
    }

    /// Returns whether the text is not blank and breaks no rule.
    pub fn allows(&self, text: &str) -> bool {
        let mut errors = FieldErrors::default();
        self.kept(text, &mut errors).is_some() && errors.is_empty()
    }
}

const CONTROL: &str = "must not contain control characters";

/// Checks the value of an id field. Returns `None` for blank text.
pub(super) fn id<'a>(field: &'static str, text: &'a str, errors: &mut FieldErrors) -> Option<&'a str> {
    if text.trim().is_empty() {
        return None;
    }
    if has_control(text, |_| true) {
        errors.push(FieldError::new(field, CONTROL));
    }
    Some(text)
}

fn phone(text: &str) -> Result<(), &'static str> {
    // `general_category` searches a table. The ASCII check avoids that search for nearly all characters.
    let is_digit =
        |c: &char| c.is_ascii_digit() || (!c.is_ascii() && c.general_category() == GeneralCategory::DecimalNumber);
    if text.chars().filter(is_digit).count() >= 3 { Ok(()) } else { Err("must have at least three digits") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::lead_field::{BUSINESS_NAME, EMAIL, NOTES, PHONE, SOURCE};

    fn read(rule: &TextRule, text: &str) -> Result<Option<String>, String> {
        let mut errors = FieldErrors::default();
        let read = rule.read(text.to_owned(), &mut errors);
        if errors.is_empty() { Ok(read) } else { Err(errors.to_string()) }
    }

    #[test]
    fn blank_text_counts_as_absent_and_trimming_follows_unicode() {
        for rule in [&NAME, &EMAIL.rule, &PHONE.rule, &SOURCE.rule, &NOTES.rule, &BUSINESS_NAME.rule] {
            for blank in ["", " ", "\u{a0}\u{3000}", "\t\n"] {
                assert_eq!(read(rule, blank), Ok(None), "{} {blank:?}", rule.field);
            }
        }
        assert_eq!(read(&NAME, "\u{3000}佐藤 美咲\n"), Ok(Some("佐藤 美咲".into())));
        assert_eq!(read(&SOURCE.rule, " web "), Ok(Some(" web ".into())));
        assert_eq!(read(&NOTES.rule, "\n a\r\n\tb \n"), Ok(Some("\n a\r\n\tb \n".into())));
    }

    #[test]
    fn lengths_count_code_points_after_trimming() {
        for (rule, max) in [(&NAME, 200), (&SOURCE.rule, 100), (&NOTES.rule, 10_000), (&BUSINESS_NAME.rule, 200)] {
            let fits = "ü".repeat(max);
            assert_eq!(read(rule, &fits), Ok(Some(fits.clone())));
            let error = read(rule, &format!("{fits}ü")).unwrap_err();
            assert_eq!(error, format!("{} must be at most {max} characters", rule.field));
        }
        assert!(read(&NAME, &format!(" {} ", "x".repeat(200))).is_ok());
        assert!(read(&PHONE.rule, &"1".repeat(50)).is_ok());
        assert!(read(&PHONE.rule, &"1".repeat(51)).unwrap_err().contains("at most 50"));
        let longest = format!("{}@{}.de", "a".repeat(64), "b".repeat(186));
        assert!(read(&EMAIL.rule, &longest).is_ok());
        assert!(read(&EMAIL.rule, &format!("{longest}e")).unwrap_err().contains("at most 254"));
    }

    #[test]
    fn control_characters_are_refused_everywhere() {
        for control in ['\0', '\u{1b}', '\u{7f}', '\u{85}'] {
            for (rule, text) in [
                (&NAME, "a?b"),
                (&EMAIL.rule, "a?b@example.org"),
                (&PHONE.rule, "12?34"),
                (&SOURCE.rule, "a?b"),
                (&NOTES.rule, "a?b"),
                (&BUSINESS_NAME.rule, "a?b"),
            ] {
                let text = text.replace('?', &control.to_string());
                assert!(read(rule, &text).unwrap_err().contains("control characters"), "{} {text:?}", rule.field);
            }
        }
        assert!(read(&NAME, "a\nb").is_err());
        assert!(read(&NAME, "a\0b\0").is_err());
        assert!(read(&SOURCE.rule, "\nweb").is_err());
    }

    #[test]
    fn ids_are_not_trimmed_and_have_no_control_characters() {
        let read = |text| {
            let mut errors = FieldErrors::default();
            let id = id("client_id", text, &mut errors);
            if errors.is_empty() { Ok(id) } else { Err(errors.to_string()) }
        };
        assert_eq!([" ", "\n", "c1", " c1"].map(read), [Ok(None), Ok(None), Ok(Some("c1")), Ok(Some(" c1"))]);
        assert_eq!(read("c\n1"), Err("client_id must not contain control characters".into()));
    }

    #[test]
    fn e_mail_addresses_are_validated() {
        for good in ["a@b.c", "o'brien+tag@example.co.uk", "Пётр@пример.рф", "A@EXAMPLE.org", " a@b.c "] {
            assert_eq!(read(&EMAIL.rule, good), Ok(Some(good.trim().into())));
        }
        for bad in [
            "a",
            "a@b",
            "@b.c",
            "a@.c",
            "a@b.",
            "a@b..c",
            "a@b@c.d",
            "a b@c.d",
            "a@b .c",
            "a@",
            "a\u{a0}b@c.d",
            "a@b\u{3000}.c",
        ] {
            assert!(read(&EMAIL.rule, bad).unwrap_err().starts_with("email must be an e-mail address"), "{bad}");
        }
        assert!(read(&EMAIL.rule, &format!("{}@b.c", "ü".repeat(64))).is_ok());
        assert!(read(&EMAIL.rule, &format!("{}@b.c", "ü".repeat(65))).is_err());
    }

    #[test]
    fn phone_numbers_need_three_digits() {
        for good in ["112", "+33 1 99 00 14 20", "(030) 12/34", "٠١٢", "call 555"] {
            assert!(read(&PHONE.rule, good).is_ok(), "{good}");
        }
        for bad in ["11", "none", "½½½", "+-()"] {
            assert_eq!(read(&PHONE.rule, bad), Err("phone must have at least three digits".into()));
        }
    }
}
