//! All that is wrong with one request, each fault with its wire name and the rule that was broken (contract D2, D5).

use std::{borrow::Cow, fmt};

/// One broken rule, as the caller reads it: the wire name of what is at fault, then the rule.
///
/// ```
/// use leadapi_core::model::NewLead;
///
/// let faults = NewLead::default().check().unwrap_err();
/// let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
/// assert_eq!(texts, ["client_id is required", "name is required"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    field: Cow<'static, str>,
    rule: Cow<'static, str>,
}

impl Fault {
    /// A name that a caller made up is shown no longer than this.
    const SHOWN_CHARS: usize = 64;

    pub(crate) fn new(field: &'static str, rule: impl Into<Cow<'static, str>>) -> Self {
        Self { field: field.into(), rule: rule.into() }
    }

    /// A fault of something that the caller named: the name is cut, and kept on one line.
    pub(crate) fn of_unknown(field: &str, rule: impl Into<Cow<'static, str>>) -> Self {
        let clean: String = field.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        let shown = match clean.char_indices().nth(Self::SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", clean.get(..end).unwrap_or_default()),
            None if clean.is_empty() => r#""""#.to_owned(),
            None => clean,
        };
        Self { field: shown.into(), rule: rule.into() }
    }

    /// The wire name of what is at fault: a field, a query parameter, a header, or `body`.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The rule that was broken.
    pub fn rule(&self) -> &str {
        &self.rule
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.rule)
    }
}

/// Every fault of a request; its text is the service's message, joined with `; ` (contract D2).
///
/// The caller mends the request; sending it again as it is cannot succeed.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// The faults, in the order of the message.
    ///
    /// ```
    /// # use leadapi_core::model::LeadPatch;
    /// let faults = LeadPatch::new().check().unwrap_err();
    /// assert_eq!(faults.iter().next().map(|fault| fault.field()), Some("body"));
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    pub(crate) fn push(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// Adds the faults of another part of the request.
    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn names(&self, field: &str) -> bool {
        self.0.iter().any(|fault| fault.field == field)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}
