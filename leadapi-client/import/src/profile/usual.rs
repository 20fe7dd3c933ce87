//! The titles that people give to columns.

/// Titles that are usual in spreadsheets, besides the names of the fields.
pub(super) static USUAL: &[(&str, &str)] = &[
    ("full name", "name"),
    ("fullname", "name"),
    ("contact name", "name"),
    ("first name", "first_name"),
    ("firstname", "first_name"),
    ("given name", "first_name"),
    ("last name", "last_name"),
    ("lastname", "last_name"),
    ("surname", "last_name"),
    ("family name", "last_name"),
    ("email address", "email"),
    ("e-mail address", "email"),
    ("phone number", "phone"),
    ("telephone", "phone"),
    ("mobile", "phone"),
    ("mobile phone", "phone"),
    ("mobile number", "phone"),
    ("company", "business_name"),
    ("company name", "business_name"),
    ("organization", "business_name"),
    ("organisation", "business_name"),
    ("lead source", "source"),
];
