//! The keys that map a question to a field of the lead, and the names that other products use for them.

use leadapi_model::form::plain_name;

/// The keys, each with its other names in the form that [`plain_name`] returns.
pub(super) const KEYS: [(&str, &[&str]); 7] = [
    ("name", &["contactname", "fullname", "yourname"]),
    ("first_name", &["fname", "forename", "givenname"]),
    ("last_name", &["familyname", "lname", "surname"]),
    ("email", &["emailaddress", "mail"]),
    ("phone", &["cell", "cellphone", "mobile", "mobilenumber", "mobilephone", "phonenumber", "tel", "telephone"]),
    ("business_name", &["business", "company", "companyname", "organisation", "organization"]),
    ("value", &["dealvalue", "leadvalue"]),
];

/// Returns the key of a lead field for a key in any spelling, such as `Email` or `firstName`. Returns any other key
/// unchanged.
pub(super) fn canonical(key: &str) -> &str {
    let plain = plain_name(key.trim());
    let named = |(known, others): &&(&str, &[&str])| plain_name(known) == plain || others.contains(&plain.as_str());
    KEYS.iter().find(named).map_or(key, |(known, _)| known)
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
    let mut keys =
        KEYS.iter().filter(|(key, others)| is_near(&plain_name(key)) || others.iter().any(|name| is_near(name)));
    keys.next().map(|(key, _)| *key)
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
        for (key, others) in KEYS {
            assert!(others.is_sorted(), "{key}");
            for name in others.iter().chain([&key]) {
                let spelt: String = name.split('_').map(|part| part[..1].to_uppercase() + &part[1..]).collect();
                assert_eq!([canonical(name), canonical(&spelt), canonical(&name.to_uppercase())], [key; 3], "{name}");
                assert!(names.insert(*name), "{name} stands for two keys");
            }
        }
        for (key, canonical_key) in [("E-Mail", "email"), (" phone ", "phone"), ("Last Name", "last_name")] {
            assert_eq!(canonical(key), canonical_key);
        }
        for other in ["", " ", "age", "names", "utm_source", "$score", "client_id"] {
            assert_eq!(canonical(other), other);
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
