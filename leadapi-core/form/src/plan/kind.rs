//! The kinds of questions, and the validation of answers of each kind.

use super::{
    amount::NumberStyle,
    bounds::{Bounds, decimal},
    options::{OptionPlan, Options},
    slot::Slot,
    structured,
};
use crate::{
    Number, Question, QuestionType,
    answer::Answer,
    date,
    host_type::HostType,
    locale::locale_of,
    policy::Policy,
    problem::Problem,
    web_url::{host_url, web_url},
};
use leadapi_model::{
    form::plain_name,
    locale::Locale,
    validate::{EMAIL, PHONE},
};

/// The members with which other products limit the scale of a rating.
const SCALE_MEMBERS: [&str; 4] = ["range", "rateMax", "steps", "total"];

/// The kind of answer that a question takes.
#[derive(Debug)]
pub(crate) enum QuestionKind<'r> {
    /// One option.
    Choice(Options<'r>),
    /// Any number of options.
    Choices(Options<'r>),
    Number {
        bounds: Bounds<f64>,
        /// Whether the number must be whole.
        whole: bool,
        style: NumberStyle<'r>,
    },
    Date(Bounds<i32>),
    Bool {
        /// Whether the answer must be true.
        accepted: bool,
    },
    Text,
    Email,
    Phone,
    Url,
    /// A value that visitors never see, so any value is accepted.
    Hidden,
    Address,
    File,
    /// A type that the host adds.
    Host(HostType),
    /// A type that is missing, malformed or unknown. Any answer is accepted.
    Unknown,
}

impl<'r> QuestionKind<'r> {
    pub(super) fn new(question: &'r Question, policy: &Policy) -> Self {
        let style = || NumberStyle::new(question, locale_of(policy));
        let Some(kind) = question.question_type() else { return Self::Unknown };
        match kind {
            QuestionType::SingleChoice | QuestionType::Dropdown => Self::Choice(Options::new(question, policy)),
            QuestionType::MultiChoice => Self::Choices(Options::new(question, policy)),
            QuestionType::Number => Self::Number { bounds: Bounds::numbers(question), whole: false, style: style() },
            QuestionType::Rating => {
                Self::Number { bounds: Bounds::numbers(question).or(scale(question)), whole: true, style: style() }
            }
            QuestionType::Date => Self::Date(Bounds::dates(question)),
            QuestionType::Checkbox | QuestionType::Consent => {
                Self::Bool { accepted: question.required.get() == Some(&true) }
            }
            QuestionType::YesNo => Self::Bool { accepted: false },
            QuestionType::ShortText | QuestionType::LongText => Self::Text,
            QuestionType::Email => Self::Email,
            QuestionType::Phone => Self::Phone,
            QuestionType::Url => Self::Url,
            QuestionType::Hidden => Self::Hidden,
            QuestionType::Address => Self::Address,
            QuestionType::File => Self::File,
            QuestionType::Other(name) => policy.types.get(&name).map_or(Self::Unknown, |own| Self::Host(own.clone())),
            // No type reaches this arm. A test checks that every named type has a kind.
            _ => Self::Unknown,
        }
    }

    /// Returns whether the answer is text that a visitor types in.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Email | Self::Phone | Self::Url)
    }

    /// Returns whether the answer is an amount of money.
    pub(crate) fn is_money(&self) -> bool {
        matches!(self, Self::Number { style, .. } if style.is_money())
    }

    /// Returns the options of a choice or a multiple choice.
    pub(crate) fn options(&self) -> Option<&Options<'r>> {
        match self {
            Self::Choice(options) | Self::Choices(options) => Some(options),
            _ => None,
        }
    }

    pub(crate) fn option(&self, index: usize) -> Option<&OptionPlan<'r>> {
        self.options()?.get(index)
    }

    /// Validates an answer that is filled.
    pub(crate) fn read<'a>(
        &self,
        question: &Question,
        locale: Locale,
        answer: &'a Answer,
    ) -> Result<Slot<'a>, Problem> {
        match (self, answer) {
            (Self::Choice(options), Answer::Text(id)) => {
                options.find(id).map(Slot::Chosen).ok_or(Problem::NoSuchOption)
            }
            (Self::Number { bounds, whole, .. }, Answer::Number(number)) => {
                let number = number.as_f64().ok_or(Problem::NotFinite)?;
                check_number(number, *whole, bounds).map(|()| Slot::Number(number, answer))
            }
            (Self::Host(own), _) => own.validate(question, answer).map(|()| Slot::Any(answer)),
            (Self::Choices(options), Answer::Texts(ids)) => options.check_all(ids).map(|()| Slot::Many(ids)),
            (Self::Choices(options), Answer::Text(id)) => {
                let ids = std::slice::from_ref(id);
                options.check_all(ids).map(|()| Slot::Many(ids))
            }
            (Self::Choice(_) | Self::Choices(_), _) => Err(Problem::NoSuchOption),
            (Self::Number { bounds, whole, style }, Answer::Text(_)) => {
                let number = decimal(&style.read(answer)?).filter(|number| number.is_finite());
                let number = number.ok_or(Problem::NotFinite)?;
                check_number(number, *whole, bounds).map(|()| Slot::Number(number, answer))
            }
            (Self::Number { .. }, _) => Err(Problem::NotANumber),
            (Self::Date(bounds), Answer::Text(text)) => {
                let day = date::read(text, locale).ok_or(Problem::NotADate)?;
                bounds.check(day, Problem::TooEarly, Problem::TooLate)?;
                Ok(Slot::Date(day))
            }
            (Self::Date(_), _) => Err(Problem::NotADate),
            (Self::Bool { accepted }, _) => match read_bool(answer, locale) {
                None => Err(Problem::NotABool),
                Some(false) if *accepted => Err(Problem::NotAccepted),
                Some(yes) => Ok(Slot::Bool(yes)),
            },
            (Self::Hidden | Self::Address, Answer::Text(text)) => Ok(Slot::Text(text.trim())),
            (Self::Hidden | Self::Unknown, _) => Ok(Slot::Any(answer)),
            (Self::Address, _) => structured::read_address(answer),
            (Self::File, _) => structured::read_file(answer),
            (Self::Email, Answer::Text(text)) if !EMAIL.rule.allows(text) => Err(Problem::NotAnEmail),
            (Self::Phone, Answer::Text(text)) if !PHONE.rule.allows(text) => Err(Problem::NotAPhone),
            (Self::Email, Answer::Text(text)) => Ok(Slot::Email(text.trim())),
            (Self::Url, Answer::Text(text)) => {
                web_url(text).or_else(|| host_url(text)).map(Slot::Text).ok_or(Problem::NotAUrl)
            }
            (Self::Text | Self::Phone, Answer::Text(text)) => Ok(Slot::Text(text.trim())),
            (Self::Text | Self::Email | Self::Phone | Self::Url, _) => Err(Problem::NotAText),
        }
    }
}

/// Returns the smallest and the largest number of a rating, or `None` for a question of a different type.
///
/// ```
/// use leadapi_form::{Question, rating_scale};
///
/// let question: Question = serde_json::from_str(r#"{"type":"rating","max":7}"#)?;
/// assert_eq!(rating_scale(&question), Some((1, 7)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[expect(clippy::cast_possible_truncation, reason = "a larger number becomes the largest integer")]
pub fn rating_scale(question: &Question) -> Option<(i64, i64)> {
    let is_rating = question.question_type() == Some(QuestionType::Rating);
    let Bounds { min, max } = is_rating.then(|| Bounds::numbers(question).or(scale(question)))?;
    Some((min?.ceil() as i64, max?.floor() as i64))
}

/// Returns the default scale of a rating: 0 to 10 for types of other products such as `nps`, and 1 to 5 for all others.
/// A member that other products use, such as `steps`, can replace the largest number.
fn scale(question: &Question) -> Bounds<f64> {
    let name = question.kind.get().map(|kind| plain_name(kind.as_str())).unwrap_or_default();
    let (min, max) = match name.as_str() {
        "nps" | "opinionscale" | "linearscale" | "scale" => (0.0, 10.0),
        _ => (1.0, 5.0),
    };
    let mut named = SCALE_MEMBERS.iter().filter_map(|name| question.extra.get(*name));
    let named = named.find_map(|raw| raw.read::<Number>().ok()?.as_f64());
    Bounds { min: Some(min), max: Some(named.unwrap_or(max)) }
}

/// Returns whether questions of some type read this member, although no field of [`Question`] has its name.
#[cfg(feature = "check")]
pub(crate) fn is_alternative_member(name: &str) -> bool {
    SCALE_MEMBERS.contains(&name) || QuestionType::MULTIPLE.contains(&name)
}

/// Returns whether the question reads such a member.
#[cfg(feature = "check")]
pub(crate) fn reads_member(question: &Question, name: &str) -> bool {
    let (Some(kind), Some(own)) = (question.question_type(), question.kind.get()) else { return false };
    match kind {
        QuestionType::Rating => SCALE_MEMBERS.contains(&name),
        QuestionType::SingleChoice | QuestionType::Dropdown | QuestionType::MultiChoice => {
            // The types of the contract have a fixed meaning.
            QuestionType::MULTIPLE.contains(&name) && own.as_str() != kind.as_str()
        }
        _ => false,
    }
}

fn read_bool(answer: &Answer, locale: Locale) -> Option<bool> {
    match answer {
        Answer::Bool(yes) => Some(*yes),
        Answer::Text(text) => locale.read_bool(text),
        _ => None,
    }
}

fn check_number(number: f64, whole: bool, bounds: &Bounds<f64>) -> Result<(), Problem> {
    if whole && number.fract() != 0.0 {
        return Err(Problem::NotWhole);
    }
    bounds.check(number, Problem::BelowMin, Problem::AboveMax)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_type_has_a_kind() {
        for kind in QuestionType::ALL {
            let question: Question = serde_json::from_value(serde_json::json!({ "type": kind.as_str() })).unwrap();
            let kind_of_question = QuestionKind::new(&question, &Policy::default());
            assert!(!matches!(kind_of_question, QuestionKind::Unknown), "{kind}");
        }
    }
}
