//! The keys that map questions to the fields of a lead, in any spelling.

use serde_json::Value;

use super::{Naive, values::text_of};

const NAMES: &str = "
    name contactname fullname yourname
    first_name firstname fname forename givenname
    last_name familyname lastname lname surname
    email emailaddress mail
    phone cell cellphone mobile mobilenumber mobilephone phonenumber tel telephone
    business_name business businessname company companyname organisation organization
    value dealvalue leadvalue";

impl Naive<'_> {
    /// Returns the key of a question, if it has one. Another name of a key, such as `mobile`, counts only if no question
    /// has the key itself, such as `phone`.
    pub(super) fn key<'q>(&self, question: &'q Value) -> Option<&'q str> {
        let written = written_key(question)?;
        let key = spelling(written);
        let mut questions = self.pages.iter().flat_map(|page| &page.questions);
        let is_taken = questions.any(|(_, other)| written_key(other).is_some_and(|other| plain(other) == plain(key)));
        Some(if plain(written) != plain(key) && is_taken { written } else { key })
    }
}

pub(super) fn written_key(question: &Value) -> Option<&str> {
    text_of(&question["mappedKey"])
}

fn plain(key: &str) -> String {
    key.trim().to_lowercase().replace(['_', '-', ' '], "")
}

/// Returns the usual spelling of a key.
pub(super) fn spelling(key: &str) -> &str {
    let plain = plain(key);
    for line in NAMES.lines() {
        if line.split_whitespace().any(|name| name == plain) {
            return line.split_whitespace().next().unwrap();
        }
    }
    key
}
