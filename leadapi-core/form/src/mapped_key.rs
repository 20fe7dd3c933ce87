//! The keys that map a question to a field of the lead, and the names that other products use for them.

use leadapi_model::form::plain_name;

/// The keys, each in the form that [`plain_name`] returns and with its other names in this form.
const KEYS: [(&str, &str, &[&str]); 7] = [
    ("name", "name", &["contactname", "fullname", "yourname"]),
    ("first_name", "firstname", &["fname", "forename", "givenname"]),
    ("last_name", "lastname", &["familyname", "lname", "surname"]),
    ("email", "email", &["emailaddress", "mail"]),
    (
        "phone",
        "phone",
        &["cell", "cellphone", "mobile", "mobilenumber", "mobilephone", "phonenumber", "tel", "telephone"],
    ),
    ("business_name", "businessname", &["business", "company", "companyname", "organisation", "organization"]),
    ("value", "value", &["dealvalue", "leadvalue"]),
];

/// A key or a name of a lead field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldKey {
    pub key: &'static str,
    /// Whether the name is not a spelling of the key, such as `mobile` for `phone`.
    pub is_other_name: bool,
}

impl FieldKey {
    /// Returns the key of a lead field that has this name in any spelling, such as `Email` or `firstName`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = plain_name(name.trim());
        KEYS.iter().find_map(|(key, plain, others)| {
            let is_other_name = others.contains(&name.as_str());
            (is_other_name || name == *plain).then_some(Self { key, is_other_name })
        })
    }
}

/// Returns the key of a lead field that the author of an unknown key probably meant: one letter is wrong, missing, too
/// many, or exchanged with the next one.
#[cfg(feature = "check")]
pub(super) fn meant(key: &str) -> Option<&'static str> {
    let plain = Some(plain_name(key.trim())).filter(|plain| (4..=20).contains(&plain.chars().count()))?;
    let is_near = |name: &str| match strsim::osa_distance(&plain, name) {
        // Many words differ from a short key in one letter, such as `game`.
        1 => name.len() > 5 || is_permutation(&plain, name),
        _ => false,
    };
    let is_known = FieldKey::named(&plain).is_some();
    let mut keys = KEYS.iter().filter(|(_, name, others)| is_near(name) || others.iter().any(|name| is_near(name)));
    keys.next().filter(|_| !is_known).map(|(key, ..)| *key)
}

#[cfg(feature = "check")]
fn is_permutation(one: &str, other: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_key_is_the_same_key() {
        let mut names = std::collections::BTreeSet::new();
        for (key, plain, others) in KEYS {
            assert!(others.is_sorted() && plain_name(key) == plain, "{key}");
            for name in others.iter().chain([&key]) {
                let spelt: String = name.split('_').map(|part| part[..1].to_uppercase() + &part[1..]).collect();
                let found = Some(FieldKey { key, is_other_name: *name != key });
                assert_eq!([*name, &spelt, &name.to_uppercase()].map(FieldKey::named), [found; 3], "{name}");
                assert!(names.insert(*name), "{name} stands for two keys");
            }
        }
        for (name, key) in [("E-Mail", "email"), (" phone ", "phone"), ("Last Name", "last_name")] {
            assert_eq!(FieldKey::named(name), Some(FieldKey { key, is_other_name: false }));
        }
        for other in ["", " ", "age", "names", "utm_source", "$score", "client_id"] {
            assert_eq!(FieldKey::named(other), None);
        }
    }

    #[cfg(feature = "check")]
    #[test]
    fn a_misspelt_key_is_recognized() {
        for (key, other) in [
            ("emial", "email"),
            ("Nmae", "name"),
            ("frist_name", "first_name"),
            ("phnoe", "phone"),
            ("companny", "business_name"),
            ("lastnam", "last_name"),
        ] {
            assert_eq!(meant(key), Some(other), "{key}");
        }
        for other in ["game", "case", "value2x", "age", "business_type", "first_choice", "city", "utm_source", "", "x"]
        {
            assert_eq!(meant(other), None, "{other}");
        }
    }
}
