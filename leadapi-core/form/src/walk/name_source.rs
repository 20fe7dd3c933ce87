//! The answers that can name a lead.

use crate::plan::QuestionPlan;

/// The origin of a lead's name. If several variants have an answer, the first one is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NameSource {
    /// The answer to a question mapped to `name`.
    Name,
    /// The answers to questions mapped to `first_name`, `last_name` or both.
    FirstAndLast,
    /// The answer to a question mapped to `business_name`.
    BusinessName,
    /// The answer to a question mapped to `email`.
    Email,
    /// The answer to a question mapped to `phone`.
    Phone,
}

impl NameSource {
    /// Returns the stable, machine-readable name of the source.
    ///
    /// ```
    /// assert_eq!(leadapi_form::NameSource::FirstAndLast.as_str(), "first_and_last");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::FirstAndLast => "first_and_last",
            Self::BusinessName => "business_name",
            Self::Email => "email",
            Self::Phone => "phone",
        }
    }
}

/// The keys whose answers can replace a missing name, in order of precedence.
pub(crate) const STAND_INS: [(&str, NameSource); 3] =
    [("business_name", NameSource::BusinessName), ("email", NameSource::Email), ("phone", NameSource::Phone)];

/// Returns whether an answer to the question can name a lead.
pub(crate) fn is_name(question: &QuestionPlan<'_>, stand_ins: bool) -> bool {
    match question.key {
        Some("name" | "first_name" | "last_name") => true,
        Some(key) => stand_ins && question.fills(key) && STAND_INS.iter().any(|(stand_in, _)| *stand_in == key),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FormRecord, Policy, Questionnaire, Version};

    #[test]
    fn only_some_keys_can_name_a_lead() {
        for (key, with_stand_ins, without) in [
            ("name", true, true),
            ("first_name", true, true),
            ("last_name", true, true),
            ("business_name", true, false),
            ("email", true, false),
            ("phone", true, false),
            ("value", false, false),
            ("age", false, false),
            ("", false, false),
        ] {
            let form = format!(r#"{{"form":{{"fields":[{{"id":"q","type":"short_text","mappedKey":"{key}"}}]}}}}"#);
            let record: FormRecord = serde_json::from_str(&form).unwrap();
            let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
            let named = [true, false].map(|stand_ins| is_name(&form.questions[0], stand_ins));
            assert_eq!(named, [with_stand_ins, without], "{key:?}");
        }
    }
}
