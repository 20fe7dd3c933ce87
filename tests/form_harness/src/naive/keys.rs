//! The keys that map questions to the fields of a lead, in any spelling.

use serde_json::Value;

use super::values::text_of;

const NAMES: &str = "
    name contactname fullname yourname
    first_name firstname fname forename givenname
    last_name familyname lastname lname surname
    email emailaddress mail
    phone cell cellphone mobile mobilenumber mobilephone phonenumber tel telephone
    business_name business businessname company companyname organisation organization
    value dealvalue leadvalue";

/// Returns the key of a question, if it has one.
pub(super) fn key(question: &Value) -> Option<&str> {
    text_of(&question["mappedKey"]).map(spelling)
}

/// Returns the usual spelling of a key.
pub(super) fn spelling(key: &str) -> &str {
    let plain = key.trim().to_lowercase().replace(['_', '-', ' '], "");
    for line in NAMES.lines() {
        if line.split_whitespace().any(|name| name == plain) {
            return line.split_whitespace().next().unwrap();
        }
    }
    key
}
