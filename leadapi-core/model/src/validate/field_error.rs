//! The validation errors of one request, each with the wire name of the field and the broken rule (contract D2, D5).

use std::{borrow::Cow, fmt};

/// One broken rule, displayed as the wire name of the field followed by the rule.
///
/// ```
/// use leadapi_model::model::NewLead;
///
/// let errors = NewLead::default().check().unwrap_err();
/// let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
/// assert_eq!(texts, ["client_id is required", "name is required"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    field: Cow<'static, str>,
    rule: Cow<'static, str>,
}

impl FieldError {
    /// Creates an error about a field, a query parameter, a header, or `body`.
    ///
    /// ```
    /// # use leadapi_model::validate::FieldError;
    /// assert_eq!(FieldError::new("limit", "must be a number").to_string(), "limit must be a number");
    /// ```
    pub fn new(field: &'static str, rule: impl Into<Cow<'static, str>>) -> Self {
        Self { field: field.into(), rule: rule.into() }
    }

    /// Returns the wire name of the invalid part: a field, a query parameter, a header, or `body`.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the rule that was broken.
    pub fn rule(&self) -> &str {
        &self.rule
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.rule)
    }
}

/// All validation errors of a request. The message joins them with `; ` (contract D2).
///
/// The caller must correct the request, because an unchanged retry fails again.
///
/// All errors about values are listed. Of the errors about unknown or repeated names and empty parameters, only the
/// first 20 of the query and the first 20 of the body are listed, and the rest are counted. The limit keeps a response
/// from being many times larger than its request.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
pub struct FieldErrors {
    listed: Vec<FieldError>,
    /// The number of listed errors whose name comes from the caller.
    from_caller: usize,
    omitted: usize,
}

impl FieldErrors {
    /// Iterates over the listed errors in the same order as the message.
    ///
    /// ```
    /// # use leadapi_model::model::LeadPatch;
    /// let errors = LeadPatch::new().check().unwrap_err();
    /// assert_eq!(errors.iter().next().map(|error| error.field()), Some("body"));
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &FieldError> {
        self.listed.iter()
    }

    /// Adds an error.
    ///
    /// ```
    /// # use leadapi_model::validate::{FieldError, FieldErrors};
    /// let mut errors = FieldErrors::default();
    /// errors.push(FieldError::new("body", "must be an object"));
    /// assert_eq!(errors.to_string(), "body must be an object");
    /// ```
    pub fn push(&mut self, error: FieldError) {
        self.listed.push(error);
    }

    pub(crate) fn names(&self, field: &str) -> bool {
        self.listed.iter().any(|error| error.field == field)
    }

    /// Returns whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }
}

/// Methods for the service, which must also report errors in names that the API does not define.
impl FieldErrors {
    /// The maximum number of listed errors whose name comes from the caller.
    const MAX_FROM_CALLER: usize = 20;
    /// The maximum length, in characters, of a listed name that comes from the caller. Longer names are truncated.
    const MAX_CHARS: usize = 64;

    /// Adds an error whose name comes from the caller, or only counts it if the maximum number is already listed. The
    /// name is truncated, and control characters are replaced to keep it on one line.
    ///
    /// ```
    /// # use leadapi_model::validate::FieldErrors;
    /// let mut errors = FieldErrors::default();
    /// errors.push_from_caller("na\nme", "is not a known field");
    /// assert_eq!(errors.to_string(), "na\u{fffd}me is not a known field");
    /// ```
    pub fn push_from_caller(&mut self, name: &str, rule: impl Into<Cow<'static, str>>) {
        if self.from_caller == Self::MAX_FROM_CALLER {
            self.omitted += 1;
            return;
        }
        self.from_caller += 1;
        let clean: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        let shown = match clean.char_indices().nth(Self::MAX_CHARS) {
            Some((end, _)) => format!("{}…", clean.get(..end).unwrap_or_default()),
            None if clean.is_empty() => r#""""#.to_owned(),
            None => clean,
        };
        self.push(FieldError { field: shown.into(), rule: rule.into() });
    }

    /// Adds the errors from another part of the request. The maximum applies to both parts together.
    ///
    /// ```
    /// # use leadapi_model::validate::{FieldError, FieldErrors};
    /// let (mut errors, mut of_body) = (FieldErrors::default(), FieldErrors::default());
    /// of_body.push(FieldError::new("body", "must be an object"));
    /// errors.append(of_body);
    /// assert_eq!(errors.to_string(), "body must be an object");
    /// ```
    pub fn append(&mut self, other: Self) {
        self.omitted += other.omitted;
        for error in other.listed {
            // Only names that come from the caller are owned.
            let from_caller = matches!(error.field, Cow::Owned(_));
            if from_caller && self.from_caller == Self::MAX_FROM_CALLER {
                self.omitted += 1;
            } else {
                self.from_caller += usize::from(from_caller);
                self.push(error);
            }
        }
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.listed.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            error.fmt(f)?;
        }
        if self.omitted > 0 { write!(f, "; and {} more", self.omitted) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_20_names_from_the_caller_are_listed() {
        let fill = |names: usize| {
            let mut errors = FieldErrors::default();
            errors.push(FieldError::new("name", "is required"));
            (0..names).for_each(|_| errors.push_from_caller("x", "is unknown"));
            errors
        };
        assert_eq!(fill(2).to_string(), "name is required; x is unknown; x is unknown");
        assert_eq!(fill(20).iter().count(), 21);
        assert!(fill(20).to_string().ends_with("; x is unknown"));
        assert_eq!(fill(23).iter().count(), 21);
        assert!(fill(23).to_string().ends_with("; x is unknown; and 3 more"));

        // The maximum applies to both parts of a request together.
        let mut both = fill(15);
        both.append(fill(22));
        assert_eq!(both.iter().filter(|error| error.field() == "x").count(), 20);
        assert_eq!(both.iter().filter(|error| error.field() == "name").count(), 2);
        assert!(both.to_string().ends_with("; x is unknown; and 17 more"), "{both}");
        let mut few = fill(1);
        few.append(fill(1));
        few.push_from_caller("y", "is unknown");
        assert!(few.to_string().ends_with("x is unknown; name is required; x is unknown; y is unknown"), "{few}");
        (0..19).for_each(|_| few.push_from_caller("y", "is unknown"));
        assert!(few.to_string().ends_with("; and 2 more"), "{few}");
    }

    #[test]
    fn a_name_from_the_caller_is_shortened_and_on_one_line() {
        let shown = |name: &str| {
            let mut errors = FieldErrors::default();
            errors.push_from_caller(name, "is unknown");
            errors.to_string()
        };
        assert_eq!(shown("a\nb\u{85}"), "a\u{fffd}b\u{fffd} is unknown");
        assert_eq!(shown(""), r#""" is unknown"#);
        let longest = "ü".repeat(64);
        assert_eq!(shown(&longest), format!("{longest} is unknown"));
        assert_eq!(shown(&format!("{longest}ü")), format!("{longest}… is unknown"));
    }
}
