//! Members of other products that change who must answer what. The engine does not understand them, so a form that
//! relies on them behaves differently here.

use leadapi_model::form::plain_name;

use crate::{Choice, Extra, Page, Raw, plan::QuestionPlan};

/// What a member changes in the product that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Some visitors do not see the question, the option or the page.
    Hidden,
    /// The question is required, or only some visitors must answer it.
    Required,
    /// Visitors can give an answer that is not one of the options.
    Other,
}

/// The members, in the form that [`plain_name`] returns.
const MEMBERS: [(Effect, &[&str]); 3] = [
    (
        Effect::Hidden,
        &[
            "condition",
            "conditional",
            "conditionallogic",
            "conditions",
            "dependson",
            "disabled",
            "displayif",
            "displaylogic",
            "enabled",
            "enableif",
            "enablewhen",
            "hidden",
            "hide",
            "hideif",
            "ishidden",
            "isvisible",
            "logic",
            "readonly",
            "relevant",
            "show",
            "showif",
            "showlogic",
            "skipif",
            "skiplogic",
            "visibility",
            "visible",
            "visibleif",
            "visiblewhen",
        ],
    ),
    (Effect::Required, &["isrequired", "mandatory", "optional", "requiredif", "requiredlogic", "requiredwhen"]),
    (
        Effect::Other,
        &[
            "allowcustom",
            "allowother",
            "allowotheroption",
            "creatable",
            "hasnone",
            "hasother",
            "hasotheroption",
            "includeother",
            "other",
            "otheroption",
            "shownoneitem",
            "showotheritem",
        ],
    ),
];

impl Effect {
    /// Returns the effect of a member with this name, if any.
    pub(super) fn named(name: &str) -> Option<Self> {
        let plain = Some(name).filter(|name| name.len() <= 40).map(plain_name)?;
        MEMBERS.iter().find(|(_, names)| names.contains(&plain.as_str())).map(|(effect, _)| *effect)
    }

    /// Returns the members of a page with an effect, each with its name.
    pub(super) fn of_page(page: &Page, has_required: bool) -> impl Iterator<Item = (&str, Self)> {
        Self::all(&page.extra, has_required)
    }

    /// Returns the members of a question with an effect, each with its name.
    pub(super) fn of_question<'r>(question: &QuestionPlan<'r>) -> impl Iterator<Item = (&'r str, Self)> {
        Self::all(&question.record.extra, question.required)
    }

    /// Returns the members of an option with an effect, each with its name.
    pub(super) fn of_option(option: &Choice) -> impl Iterator<Item = (&str, Self)> {
        Self::all(&option.extra, false).filter(|(_, effect)| *effect != Self::Required)
    }

    /// Returns the members with an effect on an object that the engine requires to be answered or not.
    fn all(extra: &Extra, is_required: bool) -> impl Iterator<Item = (&str, Self)> {
        extra.iter().filter_map(move |(name, raw)| Some((name.as_str(), Self::of(name, raw, is_required)?)))
    }

    fn of(name: &str, raw: &Raw, is_required: bool) -> Option<Self> {
        let effect = Self::named(name)?;
        let is_true = raw.text() == "true";
        let is_off = matches!(raw.text(), "false" | "null" | "\"\"" | "[]" | "{}" | "0");
        let has_effect = match plain_name(name).as_str() {
            "enabled" | "isvisible" | "show" | "visible" => !is_true && !matches!(raw.text(), "null" | "\"\""),
            // The engine does what the author wants.
            "isrequired" | "mandatory" if is_true => !is_required,
            "optional" if is_true => is_required,
            _ => !is_off,
        };
        has_effect.then_some(effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_members_with_an_effect_are_returned() {
        for (_, names) in MEMBERS {
            assert!(names.is_sorted() && names.iter().all(|name| plain_name(name) == **name));
        }
        let extra: Extra = serde_json::from_str(
            r#"{"visibleIf":"{q} = 1","hidden":false,"has_other":true,"isRequired":true,"visible":true,"Visible":false,
                "conditions":[],"title":"hidden"}"#,
        )
        .unwrap();
        let all: Vec<_> = Effect::all(&extra, false).collect();
        let expected = [
            ("Visible", Effect::Hidden),
            ("has_other", Effect::Other),
            ("isRequired", Effect::Required),
            ("visibleIf", Effect::Hidden),
        ];
        assert_eq!(all, expected);
    }
}
