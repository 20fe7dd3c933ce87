//! The codes of findings, one table: how bad each is, what it means, and what to do about it.

use std::fmt;

use serde::{Serialize, Serializer};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Somebody gets stuck, is led wrongly for certain, or a lead is lost.
    Error,
    /// Most likely a mistake.
    Warning,
    /// Something to know; nothing need be done.
    Note,
}

impl Severity {
    /// The name of the severity for programs, which does not change.
    ///
    /// ```
    /// assert_eq!(leadapi_core::form::Severity::Error.as_str(), "error");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! codes {
    ($($severity:ident { $($variant:ident $code:literal: $meaning:literal, $advice:literal;)+ })+) => {
        /// What a finding is about. Its text does not change; later versions know more of them.
        ///
        /// ```
        /// use leadapi_core::form::{Code, Severity};
        ///
        /// assert_eq!(Code::EndlessWalk.as_str(), "endless-walk");
        /// assert_eq!(Code::EndlessWalk.severity(), Severity::Error);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(
                #[doc = concat!("`", $code, "`: ", $meaning, " ", $advice)]
                $variant,
            )+)+
        }

        impl Code {
            /// All codes: errors, then warnings, then notes.
            pub const ALL: &[Self] = &[$($(Self::$variant),+),+];

            /// The code as it is written.
            pub const fn as_str(self) -> &'static str {
                match self { $($(Self::$variant => $code,)+)+ }
            }

            /// How bad it is.
            pub const fn severity(self) -> Severity {
                match self { $($(Self::$variant)|+ => Severity::$severity,)+ }
            }

            /// What it means.
            pub const fn meaning(self) -> &'static str {
                match self { $($(Self::$variant => $meaning,)+)+ }
            }

            /// What to do about it.
            pub const fn advice(self) -> &'static str {
                match self { $($(Self::$variant => $advice,)+)+ }
            }
        }
    };
}

codes! {
    Error {
        DuplicatePageId "duplicate-page-id": "Two pages have one id; jumps go to the first.", "Give the second another id.";
        DuplicateQuestionId "duplicate-question-id": "Two questions have one id; the second is never asked.", "Give the second another id.";
        DuplicateOptionId "duplicate-option-id": "Two options of a question have one id; the second cannot be chosen.", "Give the second another id.";
        DuplicateEndingId "duplicate-ending-id": "Two endings have one id; jumps go to the first.", "Give the second another id.";
        QuestionWithoutId "question-without-id": "A question has no id, so it is never asked.", "Give it one.";
        OptionWithoutId "option-without-id": "An option has no id, so it cannot be chosen.", "Give it one.";
        NoQuestions "no-questions": "The form has no page.", "Add one, with a question.";
        RequiredChoiceWithoutOptions "required-choice-without-options": "A required choice has no options: nobody gets past its page.", "Add options, or make it optional.";
        TargetPageMissing "target-page-missing": "A rule jumps to a page that does not exist; it is passed over.", "Choose another target, or remove the rule.";
        TargetEndingMissing "target-ending-missing": "A rule jumps to an ending that does not exist; it is passed over.", "Choose another target, or remove the rule.";
        ConditionQuestionMissing "condition-question-missing": "A condition asks for a question that does not exist; it never holds.", "Choose another question, or remove the condition.";
        ConditionOptionMissing "condition-option-missing": "A condition asks for an option that the question does not have; it never holds.", "Choose another option, or remove the condition.";
        EndlessWalk "endless-walk": "With the answers of the witness, the rules lead back to a page of the path, and on for ever.", "Lead the visitor to another page or to an ending for these answers.";
        NoLeadEnding "no-lead-ending": "No walk comes to an ending that makes a lead.", "Lead somebody to one, or let an ending make leads (`createsLead`).";
        LeadWithoutName "lead-without-name": "With the answers of the witness, a lead would be made and has no name, so it is lost.", "Require a question on every path that is mapped to `name`, `first_name`, `last_name`, `business_name`, `email` or `phone`.";
        ClientMissing "client-missing": "The form's `client_id` is no id, so no lead can be made.", "Say to which client account the form belongs.";
        UnknownPlaceholder "unknown-placeholder": "A text has a placeholder that no question answers; visitors read it with its braces.", "Write the `mappedKey` or the id of a question, or leave the braces out.";
    }
    Warning {
        UnexpectedType "unexpected-type": "Something is not of the type that the contract says; it is taken as if it were not there.", "Correct its type.";
        PageWithoutId "page-without-id": "A page has no id, so it has no rules and no jump goes to it.", "Give it one.";
        PageIdLikeEnding "page-id-like-ending": "The id of a page begins with `end:`, so no jump goes to it.", "Give it another id.";
        EndingWithoutId "ending-without-id": "An ending has no id, so no jump goes to it.", "Give it one.";
        DuplicateRuleId "duplicate-rule-id": "Two rules have one id.", "Give the second another id.";
        FieldsAndPages "fields-and-pages": "There are questions at the top level and pages; the top-level ones are never asked.", "Move them to a page.";
        UnknownQuestionType "unknown-question-type": "The type of a question is none of ours: any answer is taken as it is.", "Choose a type of the contract, or see that your host checks the answers.";
        LabelEmpty "label-empty": "A question has no label.", "Say what is asked.";
        OptionLabelEmpty "option-label-empty": "An option has no label; its id is shown in the notes and in labels.", "Give it one.";
        ChoiceWithoutOptions "choice-without-options": "A choice has no options, so it cannot be answered.", "Add options.";
        ScoreNotInteger "score-not-an-integer": "The score of an option is no whole number, and counts nothing.", "Make it a whole number.";
        FromPageMissing "from-page-missing": "A rule applies after a page that does not exist, so it never does.", "Choose another page, or remove the rule.";
        UnknownJump "unknown-jump-kind": "A rule does something that nobody here knows; it is passed over, and the step is uncertain.", "Make it a `jump`, or see that your host does what it says.";
        UnknownOperator "unknown-operator": "The operator of a condition is none of ours; it never holds for certain, and the step is uncertain.", "Use `equals`, `is_filled` or `gt`.";
        UnknownJoin "unknown-join": "Conditions or groups are joined by something else than `AND` and `OR`; they never hold for certain.", "Use `AND` or `OR`.";
        ValueMismatch "condition-value-mismatch": "A condition compares with a value that no answer to its question can have, or with none; it never holds.", "Say an option's id, a number or a text, as the question's type wants.";
        GtOnNonNumber "gt-on-non-number": "`gt` is asked of a question that takes no numbers; it never holds.", "Make it a number question, or use `equals`.";
        RuleWithoutConditions "rule-without-conditions": "A rule has no conditions and is not the fallback; it never matches.", "Add conditions, or call it `__fallback__`.";
        DuplicateFallback "duplicate-fallback": "A page has a second fallback, which is never reached.", "Remove one of them.";
        FallbackWithConditions "fallback-with-conditions": "A fallback has conditions; where they do not hold, it does not apply.", "Remove the conditions, or give the rule another name.";
        ConditionOnLaterPage "condition-on-later-page": "A condition asks for a question that cannot have been asked yet; it never holds.", "Move the question or the rule.";
        RuleNeverMatches "rule-never-matches": "A rule matches for no answers that lead to its page.", "Correct its conditions, or remove it.";
        RuleShadowed "rule-shadowed": "Whenever a rule matches, one before it matches too, so it is never followed.", "Move it up, or remove it.";
        PageUnreachable "page-unreachable": "Nothing leads to a page.", "Lead somebody to it, or remove it.";
        PageInfeasible "page-infeasible": "Rules lead to a page, but no answers satisfy all of them on the way.", "Correct their conditions, or remove the page.";
        EndingUnreachable "ending-unreachable": "Nothing leads to an ending.", "Lead somebody to it, or remove it.";
        EndingInfeasible "ending-infeasible": "Rules lead to an ending, but no answers satisfy all of them on the way.", "Correct their conditions, or remove the ending.";
        LeadWithoutContact "lead-without-contact": "With the answers of the witness, a lead would be made and has neither an email address nor a phone number.", "Require a question on every path that is mapped to `email` or `phone`.";
        MappedTwice "mapped-twice": "Two questions that can be on one path are mapped to one field of the lead; the second answer goes to the notes.", "Map one of them to another key.";
        ReservedKey "reserved-key": "A question is mapped to a field that no answer may set; it goes to the notes.", "Map it to another key.";
        KeyWithBlanks "key-with-blanks": "A mapped key begins or ends with a blank, which makes it another key.", "Remove the blank.";
        EmailKeyOnOtherType "email-key-on-other-type": "A question of another type is mapped to `email`; what is no address goes to the notes.", "Make it an email question.";
        PhoneKeyOnOtherType "phone-key-on-other-type": "A question of another type is mapped to `phone`; what is no number goes to the notes.", "Make it a phone question.";
        ValueKeyOnOtherType "value-key-on-other-type": "A question of another type is mapped to `value`; it goes to the notes.", "Make it a number question.";
        PipelineMalformed "pipeline-malformed": "`target_pipeline_id` is no id; leads go to no pipeline.", "Name a pipeline, or none.";
        PlaceholderNotYetAsked "placeholder-not-yet-asked": "A label has a placeholder for a question that cannot have been asked yet.", "Move the question, or change the label.";
        UnbalancedBrace "unbalanced-brace": "A text has a brace that opens or closes nothing; it is left as it is.", "Close it, or leave it out.";
        UnknownEndingKind "unknown-ending-kind": "The kind of an ending is none of ours; it is shown without what it wants.", "Use `calendar` or none, or see that your host knows it.";
        UnknownCalendarProvider "unknown-calendar-provider": "The provider of a calendar is none of ours.", "Use `builtin`, or see that your host knows it.";
        CalendarWithoutSlug "calendar-without-slug": "A calendar ending names no calendar, and the form has no default one.", "Set `calendarSlug`.";
        BadRedirectUrl "bad-redirect-url": "A URL to which visitors should be sent is not of the web; they are not sent.", "Write a URL that begins with `https://`.";
        MetaEventWithoutPixel "meta-event-without-pixel": "An ending reports an event, and `capi` has no pixel.", "Set `capi.pixel_id`, or remove the event.";
        VerifyEmailWithoutEmail "verify-email-without-email": "Email addresses are to be verified, and none is asked for.", "Ask for one, or unset `verifyEmail`.";
        VerifyPhoneWithoutPhone "verify-phone-without-phone": "Phone numbers are to be verified, and none is asked for.", "Ask for one, or unset `verifyPhone`.";
        AutoBookQuestionMissing "auto-book-question-missing": "`autoBookFieldId` names a question that does not exist.", "Name another, or none.";
        NeverPublished "never-published": "The form is active and was never published; visitors walk the draft.", "Publish it.";
    }
    Note {
        UnknownMember "unknown-member": "An object has a member that the contract does not know; it is kept.", "See that it is no misspelling.";
        PageWithoutQuestions "page-without-questions": "A page asks nothing.", "Nothing, if it is there to be read.";
        SingleOption "single-option": "A choice has one option only.", "Add another, unless it is there to be confirmed.";
        OptionsOnOtherType "options-on-other-type": "A question that is no choice has options; they are not looked at.", "Make it a `single_choice`, or remove them.";
        MinOnOtherType "min-on-other-type": "A question that takes no number has a lower bound; it is not looked at.", "Make it a number question, or remove it.";
        EmptyGroup "empty-group": "A group has no conditions; it is ignored.", "Remove it.";
        ValueIgnored "value-ignored": "`is_filled` has a value; it is not looked at.", "Remove it, or use `equals`.";
        FallbackNotLast "fallback-not-last": "The fallback of a page stands before another rule of it; it comes last all the same.", "Move it down, so that people read it so too.";
        FallbackNeverUsed "fallback-never-used": "The other rules of a page cover all answers, so its fallback is never followed.", "Nothing, if it is there to be safe.";
        ConditionMaybeUnasked "condition-maybe-unasked": "A condition asks for a question that is not on every path to its rule; where it was not asked, it does not hold.", "Nothing, if that is meant.";
        ConditionAlwaysTrue "condition-always-true": "A condition asks whether a required question of its own page is answered, and it always is.", "Remove it.";
        RuleSameAsDefault "rule-same-as-default": "A rule goes where its page leads anyway.", "Remove it.";
        BudgetExceeded "budget-exceeded": "There are more ways to answer than were looked at; what was not proved may still be so.", "Raise the budget, or let rules look at fewer earlier answers.";
        CreatesLeadAbsent "creates-lead-absent": "An ending does not say whether it makes a lead; it does.", "Set `createsLead`.";
        PlaceholderSamePage "placeholder-same-page": "A label has a placeholder for a question of its own page; it is filled while the visitor types, if your host does that.", "Move the question to an earlier page, unless it does.";
        PlaceholderMaybeUnanswered "placeholder-maybe-unanswered": "A label has a placeholder for a question that may be unanswered; then the host's fallback stands there.", "Nothing, if the text reads well with it.";
        BookingUrlUnused "booking-url-unused": "An ending that is no calendar says where to go after booking; nobody is sent there.", "Make it a calendar, or use `redirectUrl`.";
        Inactive "inactive": "The form does not take answers (`is_active` is false).", "Activate it when it should.";
        DraftDiffers "draft-differs-from-live": "The draft is not what was published.", "Publish it when it is ready.";
        SnapshotHasDefaultSlug "snapshot-has-default-booking-slug": "The snapshot has a `defaultBookingSlug`, which is not published; it is used.", "Nothing.";
        BadColour "bad-colour": "A colour is not of the form `#rrggbb`, so its contrast is not known.", "Write it so, if you want to know.";
        LowContrast "low-contrast": "The contrast of the text on the background is below 4.5 to 1 (WCAG AA); some cannot read it.", "Make one of them darker or lighter.";
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
