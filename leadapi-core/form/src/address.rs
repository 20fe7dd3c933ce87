//! The parts of a postal address.

use std::{collections::BTreeMap, fmt};

use super::{Raw, answer::Answer};

/// The names of the parts, in the order in which an address is written. The first name of each part is canonical, and
/// the others are used by other products.
const PARTS: [(Part, &[&str]); 6] = [
    (Part::Street, &["street", "line1", "address", "address1", "address_line1", "addressLine1", "address_line_1"]),
    (Part::Line2, &["line2", "address2", "address_line2", "addressLine2", "address_line_2"]),
    (Part::PostalCode, &["postal_code", "postalCode", "postcode", "zip", "zip_code", "zipCode"]),
    (Part::City, &["city", "town"]),
    (Part::Region, &["region", "state", "province"]),
    (Part::Country, &["country"]),
];

/// The order of the parts in an address that is an array of strings, as Formbricks sends it.
const ARRAY: [Part; 6] = [Part::Street, Part::Line2, Part::City, Part::Region, Part::PostalCode, Part::Country];

#[derive(Clone, Copy)]
enum Part {
    Street,
    Line2,
    PostalCode,
    City,
    Region,
    Country,
}

/// A postal address: the answer to a question of type `address`.
///
/// A blank part counts as absent. [`Display`](fmt::Display) writes the address on one line, as in the notes of a lead.
///
/// ```
/// use leadapi_form::{Address, Answer};
///
/// let answer: Answer = serde_json::from_str(r#"{"street":"Hauptstr. 5","zip":"10115","city":"Berlin"}"#)?;
/// let address = Address::of(&answer).ok_or("no address")?;
/// assert_eq!(address.postal_code.as_deref(), Some("10115"));
/// assert_eq!(address.to_string(), "Hauptstr. 5, 10115 Berlin");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Address {
    /// The street and house number: `street`.
    pub street: Option<String>,
    /// The second line, such as the floor: `line2`.
    pub line2: Option<String>,
    /// The postal code: `postal_code`.
    pub postal_code: Option<String>,
    /// The city: `city`.
    pub city: Option<String>,
    /// The region or state: `region` or `state`.
    pub region: Option<String>,
    /// The country: `country`.
    pub country: Option<String>,
    /// The values of the answer's other members, except blank and null ones, sorted by member name.
    pub others: Vec<String>,
}

impl Address {
    /// Reads an address from an object or from an array of at most six strings. Returns `None` for any other answer,
    /// including text, which is a valid answer but has no parts.
    ///
    /// ```
    /// use leadapi_form::{Address, Answer};
    ///
    /// assert_eq!(Address::of(&Answer::from("Hauptstr. 5, 10115 Berlin")), None);
    /// ```
    pub fn of(answer: &Answer) -> Option<Self> {
        let mut address = Self::default();
        match answer {
            Answer::Texts(texts) if texts.len() <= ARRAY.len() => {
                for (part, text) in ARRAY.into_iter().zip(texts) {
                    *address.part(part) = filled(text);
                }
            }
            Answer::Other(raw) => {
                let mut members: BTreeMap<String, Raw> = raw.read().ok()?;
                for (part, names) in PARTS {
                    // If several names of a part have a value, the first one counts.
                    let mut values = names.iter().filter_map(|name| {
                        let raw = members.get(*name)?;
                        Some((*name, text(raw)?))
                    });
                    if let Some((name, value)) = values.next() {
                        members.remove(name);
                        *address.part(part) = Some(value);
                    }
                }
                address.others = members.values().filter_map(text).collect();
            }
            _ => return None,
        }
        Some(address)
    }

    fn part(&mut self, part: Part) -> &mut Option<String> {
        match part {
            Part::Street => &mut self.street,
            Part::Line2 => &mut self.line2,
            Part::PostalCode => &mut self.postal_code,
            Part::City => &mut self.city,
            Part::Region => &mut self.region,
            Part::Country => &mut self.country,
        }
    }

    /// Returns whether all parts are absent.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place: Vec<&str> = [&self.postal_code, &self.city].into_iter().flatten().map(String::as_str).collect();
        let place = place.join(" ");
        let before = [&self.street, &self.line2].into_iter().flatten().map(String::as_str);
        let after = [&self.region, &self.country].into_iter().flatten().chain(&self.others).map(String::as_str);
        let mut parts = before.chain([place.as_str()]).chain(after).filter(|part| !part.is_empty());
        f.write_str(parts.next().unwrap_or_default())?;
        parts.try_for_each(|part| write!(f, ", {part}"))
    }
}

/// Returns a member as text: a string without surrounding whitespace, and other JSON as it is written.
fn text(raw: &Raw) -> Option<String> {
    if raw.text() == "null" {
        return None;
    }
    filled(&raw.read().unwrap_or_else(|_| raw.text().to_owned()))
}

fn filled(text: &str) -> Option<String> {
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_of_an_address_is_written_once() {
        for (json, line) in [
            (
                r#"{"street":" A 1 ","line2":"2nd floor","postal_code":10115,"city":"Berlin","state":"BE","country":"DE"}"#,
                "A 1, 2nd floor, 10115 Berlin, BE, DE",
            ),
            (r#"{"city":"Berlin","zip":"","postcode":"10115"}"#, "10115 Berlin"),
            (r#"{"zip":"1","postal_code":"2"}"#, "2, 1"),
            (r#"{"street":"A","entrance":"left","x":null,"y":{"z":[1]}}"#, r#"A, left, {"z":[1]}"#),
            (r#"["A 1","","Berlin","","10115","DE"]"#, "A 1, 10115 Berlin, DE"),
            (r#"{"street":" "}"#, ""),
        ] {
            let address = Address::of(&serde_json::from_str(json).unwrap()).unwrap();
            assert_eq!(address.to_string(), line, "{json}");
            assert_eq!(address.is_empty(), line.is_empty());
        }
        for json in [r#"["1","2","3","4","5","6","7"]"#, "[1]", "7", "true", r#""A""#] {
            assert_eq!(Address::of(&serde_json::from_str(json).unwrap()), None, "{json}");
        }
    }
}
