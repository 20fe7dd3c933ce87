//! The reasons why an answer is not valid.

/// Declares the problems, each with its machine-readable name and its message.
macro_rules! problems {
    ($($(#[$doc:meta])* $variant:ident $name:literal $message:literal,)+) => {
        /// A problem with the answer to a question. It prevents a walk from leaving the question's page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
        #[non_exhaustive]
        pub enum Problem {
            $($(#[$doc])*
            #[error($message)]
            $variant,)+
        }

        impl Problem {
            /// All problems.
            ///
            /// ```
            /// assert!(leadapi_form::Problem::ALL.contains(&leadapi_form::Problem::Missing));
            /// ```
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the stable, machine-readable name of the problem.
            ///
            /// ```
            /// assert_eq!(leadapi_form::Problem::BelowMin.as_str(), "below_min");
            /// ```
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

problems! {
    /// The question is required but has no answer.
    Missing "missing" "needs an answer",
    /// The answer is neither the id of an option nor, for a multiple choice, an array of such ids.
    NoSuchOption "no_such_option" "is not one of the options",
    /// The answer to a multiple choice contains an option twice.
    OptionTwice "option_twice" "contains an option twice",
    /// The answer is not a decimal number.
    NotANumber "not_a_number" "must be a number",
    /// The answer contains a comma, and there is no [locale](crate::Questionnaire::locale).
    NumberWithComma "number_with_comma" "must be a number without a comma",
    /// The answer has exactly three digits after its only separator, and there is no
    /// [locale](crate::Questionnaire::locale): `9.500` is 9.5 in some countries and 9,500 in others.
    AmbiguousNumber "ambiguous_number" "could be read in two ways: write it like 1500 or 1.5, not like 1.500",
    /// The separators of the number do not match the locale, or are in the wrong places.
    WrongGrouping "wrong_grouping" "has separators in unusual places for this language",
    /// The number exceeds the range of a double.
    NotFinite "not_finite" "is too large",
    /// The answer to a rating is not a whole number.
    NotWhole "not_whole" "must be a whole number",
    /// The number is less than the smallest number that the question accepts.
    BelowMin "below_min" "is below the minimum",
    /// The number is greater than the largest number that the question accepts.
    AboveMax "above_max" "is above the maximum",
    /// The answer is not a calendar date such as `2026-05-31`.
    NotADate "not_a_date" "must be a date such as 2026-05-31",
    /// The date is before the question's `min`.
    TooEarly "too_early" "is before the earliest date",
    /// The date is after the question's `max`.
    TooLate "too_late" "is after the latest date",
    /// The answer is neither a boolean nor a word for one.
    NotABool "not_a_bool" "must be yes or no",
    /// The required consent or checkbox was declined.
    NotAccepted "not_accepted" "must be accepted",
    /// The answer is not a string.
    NotAText "not_a_text" "must be text",
    /// The text has fewer characters than the question's `minLength`.
    TooShort "too_short" "is too short",
    /// The text has more characters than the question's `maxLength`.
    TooLong "too_long" "is too long",
    /// The text does not match the question's `pattern`.
    PatternMismatch "pattern_mismatch" "does not have the expected format",
    /// The text is not an email address (contract D4).
    NotAnEmail "not_an_email" "must be an e-mail address",
    /// The text is not a phone number (contract D4).
    NotAPhone "not_a_phone" "must be a phone number",
    /// The text is not an `http` or `https` URL, even if `https://` is put before it.
    NotAUrl "not_a_url" "must be a web address such as acme.com",
    /// The answer is neither text, an object nor an array of at most six strings.
    NotAnAddress "not_an_address" "must be an address",
    /// The answer is not a reference to a file: an `http` or `https` URL, an object with a `url`, or an array of these.
    NotAFile "not_a_file" "must be the web address of a file",
    /// The host rejected the answer to a question of one of its own types.
    NotValid "not_valid" "is not valid",
}
