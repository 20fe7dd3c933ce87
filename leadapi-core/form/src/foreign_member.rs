//! Members of other products that change who must answer what. The engine does not understand them, so a form that
//! relies on them behaves differently here.

use leadapi_model::form::plain_name;

use crate::{Extra, Raw};

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

/// The members that hide nothing if they are `true`.
const POSITIVE: [&str; 4] = ["enabled", "isvisible", "show", "visible"];

impl Effect {
    /// Returns the effect of a member with this name, if any.
    pub(super) fn named(name: &str) -> Option<Self> {
        let plain = Some(name).filter(|name| name.len() <= 40).map(plain_name)?;
        MEMBERS.iter().find(|(_, names)| names.contains(&plain.as_str())).map(|(effect, _)| *effect)
    }

    /// Returns the members with an effect, each with its name.
    pub(super) fn all(extra: &Extra) -> impl Iterator<Item = (&str, Self)> {
        let effect = |(name, raw)| Some((String::as_str(name), Self::of(name, raw)?));
        extra.iter().filter_map(effect)
    }

    fn of(name: &str, raw: &Raw) -> Option<Self> {
        let effect = Self::named(name)?;
        let is_off = matches!(raw.text(), "false" | "null" | "\"\"" | "[]" | "{}" | "0");
        let is_positive = POSITIVE.contains(&plain_name(name).as_str());
        let has_effect = if is_positive { !matches!(raw.text(), "true" | "null" | "\"\"") } else { !is_off };
        has_effect.then_some(effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_without_an_effect_is_no_member() {
        for (_, names) in MEMBERS {
            assert!(names.is_sorted() && names.iter().all(|name| plain_name(name) == **name));
        }
        let extra: Extra = serde_json::from_str(
            r#"{"visibleIf":"{q} = 1","hidden":false,"has_other":true,"isRequired":true,"visible":true,"Visible":false,
                "conditions":[],"title":"hidden"}"#,
        )
        .unwrap();
        let all: Vec<_> = Effect::all(&extra).collect();
        let expected = [
            ("Visible", Effect::Hidden),
            ("has_other", Effect::Other),
            ("isRequired", Effect::Required),
            ("visibleIf", Effect::Hidden),
        ];
        assert_eq!(all, expected);
    }
}
