//! Construction of the lead from a finished walk. Each answer goes to a field of the lead, to its notes, or to both.

use std::borrow::Cow;

use super::{End, Escape, NameSource, PathAnswer, Walk, name_source::STAND_INS};
use crate::{
    answer::Answer,
    locale::choose_filled,
    plan::{QuestionPlan, SCORE},
};
use leadapi_model::{
    id::ClientId,
    model::{Amount, NewLead},
    text::one_line,
    validate::{EMAIL, NAME, NOTES, OPTIONAL_TEXTS, PHONE, SOURCE},
};

/// The maximum length, in characters, of a question's label in the notes.
const MAX_LABEL_CHARS: usize = 200;

/// The lead of a finished walk.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FormLead<'a> {
    /// The lead, which satisfies every rule in contract D4. Only the store can check that the client account, the
    /// pipeline and the stage of the lead exist.
    pub lead: NewLead,
    /// The origin of the lead's name.
    pub name_source: NameSource,
    /// The answers in the notes, in full, for hosts with custom fields. If the form has scores, the last attribute is
    /// the score, with `$score` as its key and its question.
    pub attributes: Vec<Attribute<'a>>,
}

/// An answer that no field of the lead contains in full, or the score.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attribute<'a> {
    /// The key that the question is mapped to, if any, as the author wrote it.
    pub key: Option<&'a str>,
    /// The id of the question.
    pub question: &'a str,
    /// The label of the question. Its placeholders are filled with answers from the pages up to and including the
    /// question's page.
    pub label: String,
    /// The answer, formatted for display.
    pub text: Cow<'a, str>,
    /// The answer as the visitor sent it, or the score as a number.
    pub answer: Cow<'a, Answer>,
}

/// The reason why a walk creates no lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NoLead {
    /// The walk has not reached an ending. [`Walk::outcome`] shows what is missing.
    #[error("the walk has not reached an ending")]
    NotFinished,
    /// The ending is not meant to create a lead, so the form works as intended.
    #[error("the ending creates no lead")]
    NotWanted,
    /// The form's `client_id` is missing or malformed. Only the owner of the form can correct it.
    #[error("the form has no client account")]
    NoClient,
    /// No answer on the path can serve as a name. [`Questionnaire::check`](crate::Questionnaire::check) finds
    /// forms that allow this.
    #[error("no answer can serve as the lead's name")]
    NoName,
}

impl NoLead {
    /// Returns the stable, machine-readable name of the reason.
    ///
    /// ```
    /// assert_eq!(leadapi_form::NoLead::NoName.as_str(), "no_name");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFinished => "not_finished",
            Self::NotWanted => "not_wanted",
            Self::NoClient => "no_client",
            Self::NoName => "no_name",
        }
    }
}

impl<'a> Walk<'a> {
    /// Builds the lead of a finished walk.
    ///
    /// - The form provides the client account, the source (`Form: ` followed by the form's name) and the pipeline: the
    ///   `pipelineId` and `stageId` of the last rule on the path that names one, or else those of the ending, or else
    ///   `target_pipeline_id`. No answer can change these fields: a question mapped to `client_id` is treated like any
    ///   other.
    /// - `name`, `email`, `phone` and `business_name` come from the questions that are mapped to them, and `value` from
    ///   a number question mapped to it, or from the `value` of the chosen options. Each field takes the first answer
    ///   that is valid for it. If no answer to a question mapped to `name` is a valid name, the first such answer is
    ///   converted to a valid name.
    /// - Every other answer becomes one line of the notes, in path order, and an [`Attribute`]. An answer cannot start
    ///   a new line in the notes. Notes that are too long are truncated, but attributes never are.
    /// - If the form has scores, the score becomes an attribute, and the first line of the notes if
    ///   [`Policy::score_in_notes`](crate::Policy::score_in_notes) is set.
    /// - A lead must have a name. If no question mapped to `name` is answered, the name is built from `first_name` and
    ///   `last_name`, or taken from the next field in [`NameSource`] that has an answer. An answer that replaces a
    ///   missing name also fills its own field, if it is valid for that field.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, Answers, FormRecord, NameSource, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"client_id":"c1","name":"Care","fields":[
    ///     {"id":"q_mail","type":"email","mappedKey":"email"},
    ///     {"id":"q_why","label":"Why?","type":"short_text"}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
    /// let answers = Answers::new().with("q_mail", "ann@example.org").with("q_why", "Curious\nname: Eve");
    /// let made = form.walk(&answers).lead()?;
    /// assert_eq!(made.name_source, NameSource::Email);
    /// assert_eq!(made.lead.notes.as_deref(), Some("Why?: Curious name: Eve"));
    /// assert_eq!(made.lead.source.as_deref(), Some("Form: Care"));
    /// assert!(made.lead.check().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`NoLead`] with the reason if the walk creates no lead.
    pub fn lead(&self) -> Result<FormLead<'a>, NoLead> {
        let End::Ending(ending) = self.end else { return Err(NoLead::NotFinished) };
        if !self.form.creates_lead(ending) {
            return Err(NoLead::NotWanted);
        }
        let form = self.form.source.form.ok_or(NoLead::NoClient)?;
        let client = form.client_id.as_str().and_then(|id| ClientId::parse(id).ok()).ok_or(NoLead::NoClient)?;
        let answers: Vec<_> = self.answered().collect();
        let mut fields = LeadFields::new(&answers);
        let (name, name_source) = fields.name(self.form.policy.stand_in_names).ok_or(NoLead::NoName)?;
        let rest = answers.iter().filter(|answer| !fields.holds(answer.index));
        let mut attributes: Vec<_> = rest.map(Attribute::new).collect();
        let score = (self.form.is_score(SCORE) && self.form.has_scores()).then(|| Attribute::of_score(self.score()));

        let mut lead = NewLead::new(&client, name);
        for (field, answer) in OPTIONAL_TEXTS.iter().zip(fields.texts) {
            *field.in_new(&mut lead) = answer.map(|answer| answer.text.clone().into_owned());
        }
        lead.value = fields.value.map(|(_, value)| value.get());
        if let Some(placement) = self.placement(ending) {
            lead.pipeline_id = placement.pipeline.as_ref().map(ToString::to_string);
            lead.stage_id = placement.stage.as_ref().map(ToString::to_string);
        }
        lead.source = choose_filled(&form.name, &self.form.policy)
            .map(|name| truncate(format!("Form: {}", one_line(&name)).into(), SOURCE.rule.max_chars).into());
        lead.notes = self.notes(score.iter().filter(|_| self.form.policy.score_in_notes).chain(&attributes));
        attributes.extend(score);
        Ok(FormLead { lead, name_source, attributes })
    }

    fn notes<'n>(&self, attributes: impl Iterator<Item = &'n Attribute<'a>>) -> Option<String>
    where
        'a: 'n,
    {
        let line = |attribute: &Attribute<'_>| {
            let label = truncate(one_line(&attribute.label), MAX_LABEL_CHARS);
            let label = if label.is_empty() { one_line(attribute.key.unwrap_or(attribute.question)) } else { label };
            format!("{label}: {}", truncate(one_line(&attribute.text), self.form.policy.note_chars))
        };
        let notes: Vec<String> = attributes.map(line).collect();
        if notes.is_empty() { None } else { Some(truncate(notes.join("\n").into(), NOTES.rule.max_chars).into()) }
    }
}

impl<'a> Attribute<'a> {
    fn new(answer: &PathAnswer<'_, 'a>) -> Self {
        Self {
            key: answer.question.written_key,
            question: answer.question.id,
            label: answer.step.fill(&answer.question.label, "", Escape::Plain),
            text: answer.text.clone(),
            answer: Cow::Borrowed(answer.answer),
        }
    }

    fn of_score(score: i64) -> Self {
        let answer = Cow::Owned(Answer::Number(score.into()));
        Self { key: Some(SCORE), question: SCORE, label: "Score".to_owned(), text: score.to_string().into(), answer }
    }
}

/// The answers assigned to each lead field.
struct LeadFields<'f, 'w, 'a> {
    answers: &'f [PathAnswer<'w, 'a>],
    /// The answers that appear unchanged in the lead's name.
    names: Vec<usize>,
    /// The answers assigned to the fields in [`OPTIONAL_TEXTS`].
    texts: [Option<&'f PathAnswer<'w, 'a>>; OPTIONAL_TEXTS.len()],
    /// The value, and the answer that it contains in full. The label of an option says more than its value.
    value: Option<(Option<usize>, Amount)>,
}

impl<'f, 'w, 'a> LeadFields<'f, 'w, 'a> {
    fn new(answers: &'f [PathAnswer<'w, 'a>]) -> Self {
        let mapped = |key: &'static str| answers.iter().filter(move |answer| answer.question.fills(key));
        Self {
            answers,
            names: Vec::new(),
            texts: OPTIONAL_TEXTS.map(|field| {
                let answers = field.takes_answers.then(|| mapped(field.name()));
                answers?.find(|answer| field.rule.allows(&answer.text))
            }),
            value: mapped("value").find_map(|answer| {
                if let Some(sum) = answer.question.option_value(&answer.slot) {
                    return Some((None, Amount::parse(&sum).ok()?));
                }
                let number = answer.question.decimal(answer.answer)?;
                Some((Some(answer.index), Amount::parse(&number).ok()?))
            }),
        }
    }

    fn first(&self, key: &str) -> Option<&'f PathAnswer<'w, 'a>> {
        self.answers.iter().find(|answer| answer.question.fills(key))
    }

    /// Returns the name of the lead and claims the answers that make up the name.
    fn name(&mut self, stand_ins: bool) -> Option<(String, NameSource)> {
        let named = |answer: &&PathAnswer<'_, '_>| answer.question.key == Some("name");
        let fits = |answer: &&PathAnswer<'_, '_>| NAME.allows(&answer.text);
        if let Some(answer) = self.answers.iter().filter(named).find(fits).or_else(|| self.first("name")) {
            return Some((self.take(&answer.text, &[answer.index]), NameSource::Name));
        }
        let parts: Vec<_> = ["first_name", "last_name"].iter().filter_map(|key| self.first(key)).collect();
        if !parts.is_empty() {
            let text = parts.iter().map(|part| &*part.text).collect::<Vec<_>>().join(" ");
            let taken: Vec<usize> = parts.iter().map(|part| part.index).collect();
            return Some((self.take(&text, &taken), NameSource::FirstAndLast));
        }
        let mut stand_ins = STAND_INS.into_iter().filter(|_| stand_ins);
        stand_ins.find_map(|(key, name_source)| {
            let answer = self.text(key).or_else(|| self.first(key))?;
            Some((to_name(&answer.text), name_source))
        })
    }

    /// Returns the answer that fills a text field.
    fn text(&self, key: &str) -> Option<&'f PathAnswer<'w, 'a>> {
        let mut texts = OPTIONAL_TEXTS.iter().zip(self.texts);
        texts.find_map(|(field, answer)| answer.filter(|_| field.name() == key))
    }

    /// Returns the name built from these answers. If the name must be shortened or cleaned, the full answers also go to
    /// the notes.
    fn take(&mut self, text: &str, indexes: &[usize]) -> String {
        if NAME.allows(text) {
            self.names.extend(indexes);
        }
        to_name(text)
    }

    fn holds(&self, index: usize) -> bool {
        self.names.contains(&index)
            || self.value.is_some_and(|(value, _)| value == Some(index))
            || self.texts.into_iter().flatten().any(|answer| answer.index == index)
    }
}

/// Returns whether an answer is a valid email address or phone number for the lead. A JSON number can be a phone
/// number, too.
pub(crate) fn is_contact(question: &QuestionPlan<'_>, text: &str) -> bool {
    question.fills("email") && EMAIL.rule.allows(text) || question.fills("phone") && PHONE.rule.allows(text)
}

/// Converts text to a valid name: one line, truncated to the maximum length.
fn to_name(text: &str) -> String {
    truncate(one_line(text), NAME.max_chars).into()
}

/// Truncates text to at most `max` characters. Truncated text ends with an ellipsis, which is included in `max`.
fn truncate(text: Cow<'_, str>, max: usize) -> Cow<'_, str> {
    if text.chars().nth(max).is_none() {
        return text;
    }
    let kept: String = text.chars().take(max.saturating_sub(1)).collect();
    (kept + "…").into()
}
