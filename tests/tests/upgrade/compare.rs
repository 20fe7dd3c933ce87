//! Compares records with those that an earlier version wrote.

use serde_json::Value;

/// Checks that the value is the expected one. Objects may have more keys, because later versions add optional fields.
pub(crate) fn contains(found: &Value, expected: &Value, at: &str) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (key, value) in expected {
                let place = format!("{at}.{key}");
                contains(found.get(key).unwrap_or_else(|| panic!("{place} is missing")), value, &place);
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "the length of {at}");
            for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                contains(found, expected, &format!("{at}[{index}]"));
            }
        }
        _ => assert_eq!(found, expected, "{at}"),
    }
}
