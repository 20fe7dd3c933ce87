//! The policy that a host applies when it compiles a record.

use std::collections::BTreeMap;

use leadapi_model::model::Pipeline;

use super::{GroupOp, host_operator::HostOperators, host_type::HostTypes};

/// The texts of a language, each with the name of its [`Problem`](super::Problem) or its [`Phrase`](super::Phrase).
///
/// ```
/// let texts: leadapi_form::Texts = serde_json::from_str(r#"{"missing":"behøver et svar","next":"Næste"}"#)?;
/// assert_eq!(texts["next"], "Næste");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub type Texts = BTreeMap<String, String>;

/// The choices that a record leaves to the host.
///
/// ```
/// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
///
/// let mut policy = Policy::default();
/// policy.stand_in_names = false;
/// let record: FormRecord = serde_json::from_str("{}")?;
/// assert_eq!(Questionnaire::compile(&record, Version::Live, &policy).pages().count(), 0);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// The operator that combines conditions or groups if `op` or `outerOp` is absent or null. `AND` by default,
    /// because an unfinished rule should match too rarely rather than too often.
    pub missing_join: GroupOp,
    /// Whether an ending creates a lead if its `createsLead` is absent, null or not a boolean. This setting also
    /// applies to the built-in confirmation. True by default, because an unwanted lead is easy to delete, whereas a
    /// missing lead goes unnoticed.
    pub lead_by_default: bool,
    /// Whether a lead without a name takes its business name, email address or phone number as its name, in this order.
    /// True by default. If false, [`Walk::lead`](super::Walk::lead) returns [`NoLead::NoName`](super::NoLead::NoName)
    /// instead.
    pub stand_in_names: bool,
    /// Whether the notes of a lead begin with the score of the walk, as in `Score: 45`, if the form has scores. False
    /// by default. [`FormLead::attributes`](super::FormLead::attributes) contain the score in any case.
    pub score_in_notes: bool,
    /// The maximum number of characters of each answer in the notes. The attributes always contain the full answer.
    /// The default is 2,000.
    pub note_chars: usize,
    /// The maximum cost of a proof or of a list of paths, in steps. Each step pays for the evaluation of about 64
    /// conditions and for 256 bytes of retained memory. The default is 200,000 steps, which take a few tenths of a
    /// second and about 51 MB at most.
    pub budget: usize,
    /// The language and country of the texts that visitors and the readers of leads see, as a tag such as `de` or
    /// `en-GB`. It selects the language of labels, the words for booleans, the formats of dates and amounts, and how
    /// numbers that visitors type are read. By default, the `locale` of the form applies, or the first of its
    /// `languages`. If neither exists, dates are written as `2026-05-31`, and a number with a comma, or with exactly
    /// three digits after its only separator, is invalid.
    pub locale: Option<String>,
    /// The languages of labels to use, in this order, if a label has no text in the language of the `locale`. If it has
    /// none in these languages either, its text under `default` is used, or else its English text, or else the text
    /// whose language tag sorts first.
    pub fallback_locales: Vec<String>,
    /// The texts that visitors see besides those of the form, by language. They replace and extend the texts of this
    /// crate, as [`Questionnaire::message`](super::Questionnaire::message) describes. There are none by default.
    pub texts: BTreeMap<String, Texts>,
    /// The pipelines of the business, if the host knows them. A check then reports unknown pipelines and stages. `None`
    /// by default.
    pub pipelines: Option<Vec<Pipeline>>,
    /// The question types that the host adds. There are none by default.
    pub types: HostTypes,
    /// The operators that the host adds. There are none by default.
    pub operators: HostOperators,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            missing_join: GroupOp::And,
            lead_by_default: true,
            stand_in_names: true,
            score_in_notes: false,
            note_chars: 2_000,
            budget: 200_000,
            locale: None,
            fallback_locales: Vec::new(),
            texts: BTreeMap::new(),
            pipelines: None,
            types: HostTypes::default(),
            operators: HostOperators::default(),
        }
    }
}
