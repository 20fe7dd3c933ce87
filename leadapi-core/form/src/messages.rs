//! The texts that visitors see besides those of the form: messages about problems and the labels of buttons. Each
//! language has a file in `messages`, with a text for each name.

use std::{borrow::Cow, sync::LazyLock};

use crate::{
    date,
    locale::{choose_filled, language, locale_of, plain},
    plan::Questionnaire,
    policy::{Policy, Texts},
    problem::Problem,
};

/// The label of a button or of a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phrase {
    /// The button that leads to the next page.
    Next,
    /// The button that leads to the page before.
    Back,
    /// The button that sends the answers.
    Submit,
    /// The first entry of a menu, which stands for no answer.
    Choose,
    /// The heading of the list of problems.
    Check,
    /// The mark of a required question.
    Required,
}

impl Phrase {
    /// All phrases.
    pub const ALL: [Self; 6] = [Self::Next, Self::Back, Self::Submit, Self::Choose, Self::Check, Self::Required];

    /// Returns the stable, machine-readable name of the phrase.
    ///
    /// ```
    /// assert_eq!(leadapi_form::Phrase::Submit.as_str(), "submit");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Back => "back",
            Self::Submit => "submit",
            Self::Choose => "choose",
            Self::Check => "check",
            Self::Required => "required",
        }
    }
}

macro_rules! languages {
    ($($tag:literal)+) => {
        /// The languages, each with its texts.
        static LANGUAGES: LazyLock<Vec<(&str, Texts)>> = LazyLock::new(|| vec![$((
            $tag,
            // A test reads each file.
            serde_json::from_str(include_str!(concat!("messages/", $tag, ".json"))).unwrap_or_default(),
        )),+]);
    };
}

languages! { "de" "en" "es" "fr" "it" "nl" "pt" }

impl Questionnaire<'_> {
    /// Returns the message for a problem with the answer to a question, in the language of the form: the
    /// `patternMessage` of the question, or else a text that follows the name of the question, such as `must be a
    /// number`. There are texts in German, English, Spanish, French, Italian, Dutch and Portuguese, and a host can add
    /// others with [`Policy::texts`]. The text is English if there is none in the language. In a text for
    /// [`Problem::NotADate`], `{date}` stands for a date in the format of the form.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Problem, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"locale":"de-AT","fields":[
    ///     {"id":"zip","type":"short_text","pattern":"^[0-9]{4}$","patternMessage":{"de":"Bitte vier Ziffern."}}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert_eq!(form.message("zip", Problem::TooLong), "ist zu lang");
    /// assert_eq!(form.message("zip", Problem::PatternMismatch), "Bitte vier Ziffern.");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn message(&self, question: &str, problem: Problem) -> Cow<'_, str> {
        let question = Some(question).filter(|_| problem == Problem::PatternMismatch).and_then(|id| self.question(id));
        let record = question.and_then(|index| self.questions.get(index)).map(|question| question.record);
        let own = record.and_then(|record| choose_filled(&record.pattern_message, &self.policy));
        let text = own.or_else(|| find(problem.as_str(), &self.policy).map(Cow::Borrowed));
        match text {
            Some(text) if problem == Problem::NotADate => text.replace("{date}", &self.example_of_date()).into(),
            text => text.unwrap_or_else(|| problem.to_string().into()),
        }
    }

    /// Returns a date as visitors can write it.
    fn example_of_date(&self) -> String {
        const DATE: &str = "2026-05-31";
        date::parse(DATE).map_or_else(|| DATE.to_owned(), |day| date::write(day, locale_of(&self.policy)))
    }

    /// Returns the label of a button or of a menu in the language of the form, or else in English.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Phrase, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"locale":"fr"}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert_eq!(form.phrase(Phrase::Next), "Suivant");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn phrase(&self, phrase: Phrase) -> &str {
        find(phrase.as_str(), &self.policy).unwrap_or_else(|| phrase.as_str())
    }

    /// Returns the word for Yes or No in the language of the form, as in the notes of leads.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"locale":"it"}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert_eq!([true, false].map(|yes| form.word(yes)), ["Sì", "No"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn word(&self, yes: bool) -> &'static str {
        locale_of(&self.policy).word(yes)
    }
}

/// Returns the text with this name in the first language of the policy that has it, or else in English.
fn find<'p>(name: &str, policy: &'p Policy) -> Option<&'p str> {
    let tags = policy.locale.iter().chain(&policy.fallback_locales).map(String::as_str).chain(["en"]);
    tags.map(plain).find_map(|tag| {
        [tag.as_str(), language(&tag)].into_iter().find_map(|wanted| {
            let own = policy.texts.iter().find(|(tag, texts)| plain(tag) == wanted && texts.contains_key(name));
            let built_in = || LANGUAGES.iter().find(|(tag, _)| *tag == wanted).map(|(_, texts)| texts);
            own.map(|(_, texts)| texts).or_else(built_in)?.get(name).map(String::as_str)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FormRecord, Version};

    #[test]
    fn every_language_has_every_text() {
        let phrases = Phrase::ALL.map(Phrase::as_str);
        let names: Vec<&str> = Problem::ALL.iter().map(|problem| problem.as_str()).chain(phrases).collect();
        for (tag, texts) in LANGUAGES.iter() {
            let missing: Vec<&&str> =
                names.iter().filter(|name| texts.get(**name).is_none_or(String::is_empty)).collect();
            assert!(missing.is_empty() && texts.len() == names.len(), "{tag}: {missing:?}");
            for problem in Problem::ALL.iter().filter(|_| *tag == "en") {
                assert_eq!(texts[problem.as_str()].replace("{date}", "2026-05-31"), problem.to_string());
            }
        }
    }

    #[test]
    fn the_example_of_a_date_is_a_date_that_the_form_accepts() {
        let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q","type":"date"}]}}"#).unwrap();
        for locale in ["", "de", "en", "en-GB", "fr-CA", "nl-BE", "da", "hu", "es-MX", "tlh"] {
            for fallback in ["", "de", "nl"] {
                let (locale, fallback_locales) = (Some(locale.to_owned()), vec![fallback.to_owned()]);
                let policy = Policy { locale, fallback_locales, ..Policy::default() };
                let form = Questionnaire::compile(&record, Version::Draft, &policy);
                let message = form.message("q", Problem::NotADate);
                let date = message.split(' ').find(|word| word.contains("2026")).unwrap();
                let read = locale_of(&policy).read_date(date.trim_end_matches('.'));
                assert_eq!(
                    read.map(|date| date.to_string()).as_deref(),
                    Ok("2026-05-31"),
                    "{:?}: {message}",
                    policy.locale
                );
            }
        }
    }

    #[test]
    fn the_texts_of_the_host_come_first() {
        let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q"}]}}"#).unwrap();
        let mut policy = Policy::default();
        let texts: Texts = [("missing".to_owned(), "Fehlt!".to_owned())].into();
        policy.texts = [("de_CH".to_owned(), texts.clone()), ("da".to_owned(), texts)].into();
        for (locale, fallback, missing, next) in [
            ("de-CH", "", "Fehlt!", "Weiter"),
            ("de", "", "muss beantwortet werden", "Weiter"),
            ("da", "fr", "Fehlt!", "Suivant"),
            ("da", "", "Fehlt!", "Next"),
            ("", "", "needs an answer", "Next"),
            ("tlh", "nl-BE", "moet worden beantwoord", "Volgende"),
        ] {
            policy.locale = Some(locale.to_owned());
            policy.fallback_locales = vec![fallback.to_owned()];
            let form = Questionnaire::compile(&record, Version::Draft, &policy);
            assert_eq!(form.message("q", Problem::Missing), missing, "{locale}");
            assert_eq!(form.phrase(Phrase::Next), next, "{locale}");
        }
    }
}
