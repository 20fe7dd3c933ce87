//! References to uploaded files.

use std::{collections::BTreeMap, fmt};

use super::{Raw, answer::Answer, web_url::web_url};

/// The names of the members that contain the URL and the name of a file. The first name in each list is canonical, and
/// the others are used by other products.
const URL: [&str; 4] = ["url", "href", "link", "content"];
const NAME: [&str; 4] = ["name", "fileName", "filename", "file_name"];

/// A reference to a file that a visitor uploaded: the answer to a question of type `file`.
///
/// [`Display`](fmt::Display) writes the name and the URL, as in the notes of a lead.
///
/// ```
/// use leadapi_form::{Answer, FileRef};
///
/// let answer: Answer = serde_json::from_str(r#"{"name":"plan.pdf","url":"https://files.example.org/7"}"#)?;
/// let files = FileRef::all(&answer).ok_or("no file")?;
/// assert_eq!(files[0].to_string(), "plan.pdf (https://files.example.org/7)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileRef {
    /// The name of the file, if the answer contains it.
    pub name: Option<String>,
    /// The `http` or `https` URL of the file.
    pub url: String,
}

impl FileRef {
    /// Reads the files of an answer: a URL, an object with a `url` and optionally a `name`, or an array of these.
    /// Returns `None` for any other answer, or if a file has no `http` or `https` URL.
    ///
    /// ```
    /// use leadapi_form::{Answer, FileRef};
    ///
    /// assert_eq!(FileRef::all(&Answer::from("plan.pdf")), None);
    /// assert!(FileRef::all(&Answer::from("https://files.example.org/7")).is_some_and(|files| files.len() == 1));
    /// ```
    pub fn all(answer: &Answer) -> Option<Vec<Self>> {
        match answer {
            Answer::Text(text) => Some(vec![Self::with_url(text)?]),
            Answer::Texts(texts) => texts.iter().map(|text| Self::with_url(text)).collect(),
            Answer::Other(raw) if raw.text().starts_with('[') => {
                raw.read::<Vec<Raw>>().ok()?.iter().map(Self::read).collect()
            }
            Answer::Other(raw) => Some(vec![Self::read(raw)?]),
            Answer::Null | Answer::Bool(_) | Answer::Number(_) => None,
        }
    }

    fn with_url(text: &str) -> Option<Self> {
        web_url(text).map(|url| Self { name: None, url: url.to_owned() })
    }

    fn read(raw: &Raw) -> Option<Self> {
        if raw.text().starts_with('"') {
            return Self::with_url(&raw.read::<String>().ok()?);
        }
        let members: BTreeMap<String, Raw> = raw.read().ok()?;
        let text = |names: [&str; 4]| {
            let mut texts = names.iter().filter_map(|name| members.get(*name)?.read::<String>().ok());
            texts.find(|text| !text.trim().is_empty())
        };
        let name = text(NAME).map(|name| name.trim().to_owned());
        Some(Self { name, ..Self::with_url(&text(URL)?)? })
    }
}

impl fmt::Display for FileRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} ({})", self.url),
            None => f.write_str(&self.url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_needs_a_web_address() {
        for (json, texts) in [
            (r#"" https://a.b/c ""#, &["https://a.b/c"][..]),
            (r#"["https://a.b/1","http://a.b/2"]"#, &["https://a.b/1", "http://a.b/2"]),
            (r#"{"url":"https://a.b","name":" "}"#, &["https://a.b"]),
            (r#"[{"url":"https://a.b","fileName":"x"},"https://c.d"]"#, &["x (https://a.b)", "https://c.d"]),
        ] {
            let files = FileRef::all(&serde_json::from_str(json).unwrap()).unwrap();
            assert_eq!(files.iter().map(ToString::to_string).collect::<Vec<_>>(), texts, "{json}");
        }
        for json in [
            "7",
            "true",
            r#""plan.pdf""#,
            r#"{"name":"x"}"#,
            r#"{"url":7}"#,
            r#"{"url":"javascript:x"}"#,
            r#"["https://a.b",""]"#,
            "[[]]",
            r#"[{"url":"https://a.b"},7]"#,
        ] {
            assert_eq!(FileRef::all(&serde_json::from_str(json).unwrap()), None, "{json}");
        }
    }
}
