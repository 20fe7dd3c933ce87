//! Enums of case-sensitive names. Later versions of the contract may add names, so unknown names are preserved.

use std::{fmt, hash};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! extensible_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        ///
        /// The enum is extensible (contract 2.5): an unknown name is kept and written back unchanged. Two values are
        /// equal if their names are equal.
        ///
        /// ```
        #[doc = concat!("use leadapi_model::form::", stringify!($name), ";")]
        ///
        #[doc = concat!("assert_eq!(", stringify!($name), "::from(\"new\").as_str(), \"new\");")]
        /// ```
        #[derive(Clone)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_doc])*
            #[doc = concat!("Serialized as `", $text, "`.")]
            $variant,)+
            /// A name that this crate does not know.
            Other(String),
        }

        impl $name {
            /// The values that this crate knows.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the name as it is written in JSON.
            ///
            /// ```
            #[doc = concat!("use leadapi_model::form::", stringify!($name), ";")]
            ///
            $(#[doc = concat!("assert_eq!(", stringify!($name), "::", stringify!($variant), ".as_str(), \"", $text, "\");")])+
            /// ```
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Other(text) => text,
                }
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                match text.as_str() {
                    $($text => Self::$variant,)+
                    _ => Self::Other(text),
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                text.to_owned().into()
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.as_str() == other.as_str()
            }
        }

        impl Eq for $name {}

        impl hash::Hash for $name {
            fn hash<H: hash::Hasher>(&self, state: &mut H) {
                self.as_str().hash(state);
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant => f.write_str(stringify!($variant)),)+
                    Self::Other(text) => f.debug_tuple("Other").field(text).finish(),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::from)
            }
        }
    };
}

extensible_enum! {
    /// The type of answer that a question takes.
    ///
    /// The contract names the first five types. The others are extensions of this crate. [`aliases`](Self::aliases)
    /// returns the names that other products use.
    QuestionType {
        /// One of the question's options.
        SingleChoice = "single_choice",
        /// A single line of text.
        ShortText = "short_text",
        /// An email address.
        Email = "email",
        /// A phone number.
        Phone = "phone",
        /// A number.
        Number = "number",
        /// Any number of the question's options.
        MultiChoice = "multi_choice",
        /// One of the question's options, in a drop-down list.
        Dropdown = "dropdown",
        /// A checkbox. If it is required, the visitor must check it.
        Checkbox = "checkbox",
        /// Consent to terms. If it is required, the visitor must accept.
        Consent = "consent",
        /// A calendar date.
        Date = "date",
        /// Text of several lines.
        LongText = "long_text",
        /// An `http` or `https` URL.
        Url = "url",
        /// A whole number on a scale.
        Rating = "rating",
        /// A value that the web page supplies, such as a UTM parameter. Visitors never see the question.
        Hidden = "hidden",
        /// Yes or no.
        YesNo = "yes_no",
        /// A postal address.
        Address = "address",
        /// A reference to an uploaded file.
        File = "file",
    }
}
extensible_enum! {
    /// The operator of a condition. It compares an answer or a score with the condition's value.
    ///
    /// The contract names `equals`, `is_filled` and `gt`. The others are extensions of this crate.
    /// [`aliases`](Self::aliases) returns the names that other products use.
    ///
    /// Most operators apply only to some types of questions. With any other type, or with a value that does not fit the
    /// type, the condition never holds, and `Questionnaire::check` of `leadapi-form` reports it. If a question has no
    /// answer, only `is_empty`, `is_not_checked` and the operators that begin with `not_` hold. Text comparisons ignore
    /// surrounding whitespace and are case-sensitive.
    Operator {
        /// The answer equals the value: the visitor chose the option with this id, or the number, date, boolean, text
        /// or score is equal to it.
        ///
        /// Example: `{"op":"equals","value":"a"}`
        Equals = "equals",
        /// The answer does not equal the value, or there is no answer. `x not_equals "a" OR x not_equals "b"` always
        /// holds, unless `x` is a multiple choice.
        ///
        /// Example: `{"op":"not_equals","value":"a"}`
        NotEquals = "not_equals",
        /// The question is answered. The condition has no value.
        ///
        /// Example: `{"op":"is_filled"}`
        IsFilled = "is_filled",
        /// The question is not answered, or was not asked. The condition has no value.
        ///
        /// Example: `{"op":"is_empty"}`
        IsEmpty = "is_empty",
        /// The number, date or score is greater than the value.
        ///
        /// Example: `{"op":"gt","value":17.5}`
        Gt = "gt",
        /// The number, date or score is greater than or equal to the value.
        ///
        /// Example: `{"op":"gte","value":18}`
        Gte = "gte",
        /// The number, date or score is less than the value.
        ///
        /// Example: `{"op":"lt","value":18}`
        Lt = "lt",
        /// The number, date or score is less than or equal to the value.
        ///
        /// Example: `{"op":"lte","value":"2026-05-31"}`
        Lte = "lte",
        /// The number, date or score is within the bounds. The value is an array of the lower and the upper bound, both
        /// inclusive.
        ///
        /// Example: `{"op":"between","value":[20,39]}`
        Between = "between",
        /// The text contains the value, or the choice includes the option. If the value is an array, all of its
        /// elements must be contained.
        ///
        /// Example: `{"op":"contains","value":"garden"}`
        Contains = "contains",
        /// The text does not contain the value, or the choice does not include the option. If the value is an array, at
        /// least one of its elements is missing.
        ///
        /// Example: `{"op":"not_contains","value":["a","b"]}`
        NotContains = "not_contains",
        /// The text starts with the value.
        ///
        /// Example: `{"op":"starts_with","value":"10"}`
        StartsWith = "starts_with",
        /// The text does not start with the value.
        ///
        /// Example: `{"op":"not_starts_with","value":"10"}`
        NotStartsWith = "not_starts_with",
        /// The text ends with the value.
        ///
        /// Example: `{"op":"ends_with","value":"@example.org"}`
        EndsWith = "ends_with",
        /// The text does not end with the value.
        ///
        /// Example: `{"op":"not_ends_with","value":".example"}`
        NotEndsWith = "not_ends_with",
        /// The value is an array, and the answer equals one of its elements.
        ///
        /// Example: `{"op":"in","value":["a","b"]}`
        In = "in",
        /// The value is an array, and the answer equals none of its elements.
        ///
        /// Example: `{"op":"not_in","value":["a","b"]}`
        NotIn = "not_in",
        /// The date is before the value.
        ///
        /// Example: `{"op":"before","value":"2026-05-31"}`
        Before = "before",
        /// The date is after the value.
        ///
        /// Example: `{"op":"after","value":"2026-05-31"}`
        After = "after",
        /// The box is checked: the answer is true. The condition has no value.
        ///
        /// Example: `{"op":"is_checked"}`
        IsChecked = "is_checked",
        /// The box is not checked: the answer is false, or there is none. The condition has no value.
        ///
        /// Example: `{"op":"is_not_checked"}`
        IsNotChecked = "is_not_checked",
    }
}
extensible_enum! {
    /// The operator that combines the conditions of a group or the groups of a rule.
    GroupOp {
        /// All conditions or groups hold.
        And = "AND",
        /// At least one condition or group holds.
        Or = "OR",
    }
}
extensible_enum! {
    /// The action to take when a rule matches.
    JumpKind {
        /// Jumps to a page or an ending.
        Jump = "jump",
    }
}
extensible_enum! {
    /// The kind of content that an ending shows in addition to its heading and message.
    EndingKind {
        /// A calendar to book an appointment in.
        Calendar = "calendar",
    }
}
extensible_enum! {
    /// The provider of an ending's calendar.
    CalendarProvider {
        /// The platform's own calendar.
        Builtin = "builtin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_case_sensitive_and_compared_as_text() {
        assert_eq!(GroupOp::from("AND"), GroupOp::And);
        assert_eq!(GroupOp::And, GroupOp::Other("AND".into()));
        assert_ne!(GroupOp::from("and"), GroupOp::And);
        assert_eq!(GroupOp::from("and").to_string(), "and");
        assert!(matches!(Operator::from(" gt"), Operator::Other(_)));
    }

    #[test]
    fn values_other_than_strings_are_rejected() {
        assert_eq!(serde_json::from_str::<Operator>(r#""\u0067t""#).unwrap(), Operator::Gt);
        assert!(serde_json::from_str::<Operator>("42").is_err());
        assert!(serde_json::from_str::<Operator>(r#"{"gt":null}"#).is_err());
    }
}
