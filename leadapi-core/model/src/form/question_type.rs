//! The names that other products use for question types.

use super::{
    aliases::{Aliases, aliases_of, resolve},
    extensible_enum::QuestionType,
    question::Question,
};

/// The names that Typeform, Formbricks, `HeyForm`, `OpnForm`, `SurveyJS`, Google Forms, Tally and `GoHighLevel` use.
const ALIASES: &Aliases<QuestionType> = &[
    (
        QuestionType::SingleChoice,
        &[
            "buttongroup",
            "choice",
            "imagepicker",
            "multiplechoice",
            "multiplechoicesingle",
            "picturechoice",
            "pictureselection",
            "radio",
            "radiobutton",
            "radiogroup",
            "singleoptions",
            "singleselect",
        ],
    ),
    (QuestionType::ShortText, &["inputtext", "opentext", "shortanswer", "text", "textinput"]),
    (QuestionType::Email, &["emailaddress", "inputemail"]),
    (QuestionType::Phone, &["inputphonenumber", "mobile", "phonenumber", "tel", "telephone"]),
    (
        QuestionType::Number,
        &["currency", "float", "inputnumber", "monetary", "monetory", "money", "numeric", "numerical", "slider"],
    ),
    (
        QuestionType::MultiChoice,
        &["checkboxes", "checkboxgroup", "multiplechoicemulti", "multipleoptions", "multiselect", "tagbox"],
    ),
    (QuestionType::Dropdown, &["list", "select"]),
    (QuestionType::Consent, &["acceptance", "legal", "legalterms", "terms", "termsandconditions"]),
    (QuestionType::Date, &["datepicker", "inputdate"]),
    (QuestionType::LongText, &["comment", "largetext", "longanswer", "paragraph", "paragraphtext", "textarea"]),
    (QuestionType::Url, &["inputlink", "link", "website"]),
    (QuestionType::Rating, &["ces", "csat", "linearscale", "nps", "opinionscale", "scale", "stars"]),
    (QuestionType::Hidden, &["hiddenfield", "hiddenfields"]),
    (QuestionType::YesNo, &["bool", "boolean", "toggle", "toggleswitch"]),
    (QuestionType::Address, &["postaladdress"]),
    (QuestionType::File, &["attachment", "files", "fileupload", "upload"]),
];

impl QuestionType {
    /// The members with which other products turn a choice into a multiple choice. They have an effect only if the
    /// type has a name of another product, such as `select`.
    ///
    /// ```
    /// use leadapi_model::form::{Question, QuestionType};
    ///
    /// assert!(QuestionType::MULTIPLE.contains(&"allowMultiple"));
    /// let question: Question = serde_json::from_str(r#"{"type":"select","allowMultiple":true}"#)?;
    /// assert_eq!(question.question_type(), Some(QuestionType::MultiChoice));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub const MULTIPLE: [&'static str; 5] =
        ["multiple", "allowMultiple", "allow_multiple", "allowMulti", "allow_multiple_selection"];

    /// Returns the names that other products use for this type, in lower case. A record may spell them with capital
    /// letters, `_`, `-` and spaces: `fileupload` stands for `file_upload`, `fileUpload` and `FILE_UPLOAD` too.
    ///
    /// ```
    /// use leadapi_model::form::QuestionType;
    ///
    /// assert!(QuestionType::LongText.aliases().contains(&"textarea"));
    /// assert!(QuestionType::from("matrix").aliases().is_empty());
    /// ```
    pub fn aliases(&self) -> &'static [&'static str] {
        aliases_of(ALIASES, self)
    }

    /// Returns the type that this name stands for, or the name itself if it stands for no type.
    ///
    /// ```
    /// use leadapi_model::form::QuestionType;
    ///
    /// assert_eq!(QuestionType::from("PHONE_NUMBER").resolve(), QuestionType::Phone);
    /// assert_eq!(QuestionType::from("phone").resolve(), QuestionType::Phone);
    /// assert_eq!(QuestionType::from("matrix").resolve(), QuestionType::from("matrix"));
    /// ```
    #[must_use]
    pub fn resolve(&self) -> Self {
        let Self::Other(name) = self else { return self.clone() };
        resolve(name, Self::ALL, ALIASES, Self::as_str).unwrap_or(self).clone()
    }
}

impl Question {
    /// Returns the type of the question, or `None` if the question has none.
    ///
    /// A name that another product uses is resolved to the type that it stands for. A `checkbox` with options is a
    /// multiple choice. A choice whose `type` is a name that another product uses is also a multiple choice if a member
    /// such as `multiple` or `allow_multiple_selection` is true.
    ///
    /// ```
    /// use leadapi_model::form::{Question, QuestionType};
    ///
    /// let question: Question = serde_json::from_str(r#"{"type":"multiple_choice","allow_multiple_selection":true}"#)?;
    /// assert_eq!(question.question_type(), Some(QuestionType::MultiChoice));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn question_type(&self) -> Option<QuestionType> {
        let written = self.kind.get()?;
        let kind = written.resolve();
        let multiple = match kind {
            QuestionType::Checkbox => self.options.items().next().is_some(),
            // Applies only to the names of other products, because the types of this crate have no such members.
            QuestionType::SingleChoice | QuestionType::Dropdown if kind != *written => {
                QuestionType::MULTIPLE.iter().any(|name| self.extra.get(*name).is_some_and(|raw| raw.text() == "true"))
            }
            _ => false,
        };
        Some(if multiple { QuestionType::MultiChoice } else { kind })
    }
}

#[cfg(test)]
mod tests {
    use super::{super::aliases::check, *};

    #[test]
    fn each_alias_stands_for_one_type() {
        check(QuestionType::ALL, ALIASES, QuestionType::as_str);
    }
}
