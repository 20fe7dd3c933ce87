//! The table of finding codes, with the severity, meaning and fix of each code.

use std::fmt;

use serde::{Serialize, Serializer};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The form does not work as intended. For example, a visitor gets stuck, or a lead is lost.
    Error,
    /// Probably a mistake.
    Warning,
    /// Worth knowing, but not necessarily a mistake.
    Note,
}

impl Severity {
    /// Returns the stable, machine-readable name of the severity.
    ///
    /// ```
    /// assert_eq!(leadapi_form::Severity::Error.as_str(), "error");
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
    ($($severity:ident { $($variant:ident $code:literal: $meaning:literal, $fix:literal;)+ })+) => {
        /// The kind of a finding. The string form of a code is stable, but later versions may add codes.
        ///
        /// ```
        /// use leadapi_form::{Code, Severity};
        ///
        /// assert_eq!(Code::EndlessWalk.as_str(), "endless-walk");
        /// assert_eq!(Code::EndlessWalk.severity(), Severity::Error);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(
                #[doc = concat!("`", $code, "`: ", $meaning, " ", $fix)]
                $variant,
            )+)+
        }

        impl Code {
            /// All codes: errors, then warnings, then notes.
            pub const ALL: &[Self] = &[$($(Self::$variant),+),+];

            /// Returns the stable, machine-readable name of the code.
            pub const fn as_str(self) -> &'static str {
                match self { $($(Self::$variant => $code,)+)+ }
            }

            /// Returns the severity.
            pub const fn severity(self) -> Severity {
                match self { $($(Self::$variant)|+ => Severity::$severity,)+ }
            }

            /// Returns the meaning of the code.
            pub const fn meaning(self) -> &'static str {
                match self { $($(Self::$variant => $meaning,)+)+ }
            }

            /// Returns the fix, in one imperative sentence.
            pub const fn fix(self) -> &'static str {
                match self { $($(Self::$variant => $fix,)+)+ }
            }
        }
    };
}

codes! {
    Error {
        DuplicatePageId "duplicate-page-id": "Two pages have the same id. Rules reach only the first.", "Give the second page another id.";
        DuplicateQuestionId "duplicate-question-id": "Two questions have the same id. The second is never asked.", "Give the second question another id.";
        DuplicateOptionId "duplicate-option-id": "Two options of a question have the same id. The second cannot be chosen.", "Give the second option another id.";
        DuplicateEndingId "duplicate-ending-id": "Two endings have the same id. Rules reach only the first.", "Give the second ending another id.";
        QuestionWithoutId "question-without-id": "A question has no id, so it is never asked.", "Give the question an id.";
        OptionWithoutId "option-without-id": "An option has no id, so it cannot be chosen.", "Give the option an id.";
        NoQuestions "no-questions": "The form has no pages.", "Add a page with a question.";
        RequiredChoiceWithoutOptions "required-choice-without-options": "A required choice has no options, so no visitor can leave its page.", "Add options, or make the question optional.";
        EmptyRange "empty-range": "The minimum of a question is above its maximum, so it cannot be answered.", "Correct `min` or `max`.";
        TargetPageMissing "target-page-missing": "A rule jumps to a page that does not exist. The rule is skipped.", "Choose another target, or remove the rule.";
        TargetEndingMissing "target-ending-missing": "A rule jumps to an ending that does not exist. The rule is skipped.", "Choose another target, or remove the rule.";
        ConditionQuestionMissing "condition-question-missing": "A condition refers to a question, or to the score of a page, that does not exist. It never holds.", "Choose another question or page, or remove the condition.";
        ConditionOptionMissing "condition-option-missing": "A condition refers to an option that the question does not have. No answer matches it.", "Choose another option, or remove the condition.";
        EndlessWalk "endless-walk": "With the witness answers, the rules send the visitor back to an earlier page in an endless loop.", "Change the rules so that these answers lead to a later page or an ending.";
        NoLeadEnding "no-lead-ending": "No visitor reaches an ending that creates a lead.", "Route a page to an ending that creates a lead, or set `createsLead` on a reachable ending.";
        LeadWithoutName "lead-without-name": "With the witness answers, the lead has no name, so it cannot be created.", "On every path, require a question that is mapped to `name`, `first_name`, `last_name`, `business_name`, `email` or `phone`.";
        ClientMissing "client-missing": "The form's `client_id` is missing or malformed, so no lead can be created.", "Set `client_id` to the client account that the form belongs to.";
        UnknownPlaceholder "unknown-placeholder": "A text contains a placeholder that refers to no question. Visitors always see the placeholder's own fallback or, without one, the placeholder with its braces.", "Put the `mappedKey` or the id of a question between the braces, or remove the braces.";
        UnknownPipeline "unknown-pipeline": "The form, an ending or a rule names a pipeline that the business does not have, so leads cannot be created.", "Set it to the id of a pipeline of the business, or remove it.";
        UnknownStage "unknown-stage": "An ending or a rule names a stage that the business does not have, or that belongs to a different pipeline, so leads cannot be created.", "Set it to the id of a stage of the pipeline, or remove it.";
    }
    Warning {
        UnexpectedType "unexpected-type": "A member does not have the JSON type that the contract requires. The member is treated as absent.", "Correct the type.";
        UnsupportedMember "unsupported-member": "A page, a question or an option has a member from another form product, such as `visibleIf`, `hidden` or `hasOther`, that decides who sees a question, who must answer it, or which answers it accepts. It has no effect, so visitors may be unable to continue. Proofs assume that the question may be left unanswered, or may have an answer that is not one of its options.", "Put the question on a page of its own and skip the page with rules, make the question optional, or add an option for other answers.";
        PageWithoutId "page-without-id": "A page has no id, so no rule can start from it or jump to it.", "Give the page an id.";
        PageIdLikeEnding "page-id-like-ending": "The id of a page begins with `end:`, so a jump to this id refers to an ending instead of the page.", "Give the page another id.";
        EndingWithoutId "ending-without-id": "An ending has no id, so no rule can jump to it.", "Give the ending an id.";
        DuplicateRuleId "duplicate-rule-id": "Two rules have the same id.", "Give the second rule another id.";
        FieldsAndPages "fields-and-pages": "The form has both pages and top-level questions. The top-level questions are never asked.", "Move the questions to a page.";
        UnknownQuestionType "unknown-question-type": "A question has a type that is not known. Any answer is accepted.", "Use a type from `FORMS.md`, or validate the answers in the host.";
        LabelEmpty "label-empty": "A question has no label.", "Add a label.";
        OptionLabelEmpty "option-label-empty": "An option has no label. Visitors see its id instead.", "Add a label.";
        ChoiceWithoutOptions "choice-without-options": "A choice has no options, so it cannot be answered.", "Add options.";
        ScoreNotInteger "score-not-an-integer": "The score of an option is not a whole number. It counts as 0.", "Use a whole number.";
        BoundMismatch "bound-mismatch": "The `min` or `max` of a question is not a number, or not a date for a date question. It is ignored.", "Write a number such as `18`, or a date such as `2026-05-31`.";
        PatternIgnored "pattern-ignored": "A `pattern` is not a regular expression that can be matched in linear time, it is too large, or the form has 1,000 patterns before it. It is ignored, so any text is accepted.", "Write it without look-around and back-references, in at most 1,000 bytes.";
        FromPageMissing "from-page-missing": "A rule belongs to a page that does not exist, so it is never tried.", "Choose another page, or remove the rule.";
        UnknownJump "unknown-jump-kind": "A rule has an action other than `jump`. The rule is skipped, and the step is uncertain.", "Use `jump`, or implement the action in the host.";
        UnknownOperator "unknown-operator": "A condition has an unknown operator. It cannot be evaluated, and the step is uncertain.", "Use an operator from `FORMS.md`, or add it to the policy of the host.";
        UnknownJoin "unknown-join": "Conditions or groups are joined by an operator other than `AND` and `OR`. They cannot be evaluated.", "Use `AND` or `OR`.";
        UndecidedRule "undecided-rule": "A rule cannot be evaluated, so the check cannot decide where its page leads.", "Use operators, joins and actions that `FORMS.md` lists, or test the form on a platform that supports the unknown ones.";
        ValueMismatch "condition-value-mismatch": "A condition has no value, or a value or an element that no answer can match.", "Use the kind of value that the question requires: an option id, a number, a date or text, or an array of them for `in` and `between`.";
        GtOnNonNumber "gt-on-non-number": "A condition applies `gt`, `gte`, `lt`, `lte` or `between` to a question that takes neither numbers nor dates. It never holds.", "Change the question to a number question, or use `equals`.";
        OperatorMismatch "operator-mismatch": "A condition applies an operator to a question whose answers it cannot compare. It never holds.", "Use an operator that applies to the type of the question.";
        RuleAlwaysMatches "rule-always-matches": "A rule has conditions, but matches whatever the visitor answers. For example, `x not_equals \"a\" OR x not_equals \"b\"` always holds.", "Correct its conditions, for example with `AND` or `not_in`, or make it the fallback.";
        RuleWithoutConditions "rule-without-conditions": "A rule has no conditions and is not the fallback. It never matches.", "Add conditions, or name the rule `__fallback__`.";
        DuplicateFallback "duplicate-fallback": "A page has two fallback rules. The second is unreachable.", "Remove one of them.";
        FallbackWithConditions "fallback-with-conditions": "A fallback rule has conditions, so it applies only if they hold.", "Remove the conditions, or rename the rule.";
        ConditionOnLaterPage "condition-on-later-page": "A condition refers to a question that is never asked before the condition is evaluated. The question counts as unanswered.", "Move the question to an earlier page, or the rule to a later one.";
        RuleNeverMatches "rule-never-matches": "A rule never matches: no answers that lead to its page satisfy its conditions.", "Correct its conditions, or remove it.";
        RuleShadowed "rule-shadowed": "A rule is shadowed: whenever it matches, an earlier rule of its page matches too.", "Move the rule up, or remove it.";
        PageUnreachable "page-unreachable": "A page is unreachable: no rule and no default route leads to it.", "Add a rule that jumps to the page, or remove it.";
        PageInfeasible "page-infeasible": "Rules lead to a page, but no answers satisfy all the conditions on a path to it.", "Correct the conditions, or remove the page.";
        EndingUnreachable "ending-unreachable": "An ending is unreachable: no rule and no default route leads to it.", "Add a rule that jumps to the ending, or remove it.";
        EndingInfeasible "ending-infeasible": "Rules lead to an ending, but no answers satisfy all the conditions on a path to it.", "Correct the conditions, or remove the ending.";
        LeadWithoutContact "lead-without-contact": "With the witness answers, the lead has neither an email address nor a phone number.", "On every path, require a question that is mapped to `email` or `phone`.";
        MappedTwice "mapped-twice": "Two questions on one path are mapped to the same lead field. The second answer goes to the notes.", "Map one of the questions to another key.";
        MisspeltKey "misspelt-key": "A mapped key is almost the key of a lead field. The answer goes to the notes.", "Correct the key, unless it is meant for a custom field.";
        ContactWithoutKey "contact-without-key": "A question asks for an email address or a phone number, but has no key, and no other question fills this field of the lead. The answer goes to the notes.", "Map the question to `email` or `phone`.";
        OptionWithoutValue "option-without-value": "A choice is mapped to `value`, but one of its options has no numeric `value`. Leads of visitors who choose it have no value, or one that is too small.", "Give each option a `value`, such as `5000`.";
        ReservedKey "reserved-key": "A question is mapped to a lead field that answers cannot set, or to `$score`. The answer goes to the notes.", "Map the question to another key.";
        KeyWithBlanks "key-with-blanks": "A mapped key has leading or trailing white space, so it differs from the key without it.", "Remove the white space.";
        EmailKeyOnOtherType "email-key-on-other-type": "A question that is not an email question is mapped to `email`. Answers that are not email addresses go to the notes.", "Change the question to an email question.";
        PhoneKeyOnOtherType "phone-key-on-other-type": "A question that is not a phone question is mapped to `phone`. Answers that are not phone numbers go to the notes.", "Change the question to a phone question.";
        ValueKeyOnOtherType "value-key-on-other-type": "A question that is neither a number question nor a choice with a `value` for its options is mapped to `value`. The answer goes to the notes.", "Change the question to a number question, or give each of its options a `value`.";
        PipelineMalformed "pipeline-malformed": "The `target_pipeline_id` of the form, or the `pipelineId` of an ending or a rule, is malformed. It is ignored.", "Set it to the id of a pipeline, or remove it.";
        StageMalformed "stage-malformed": "The `stageId` of an ending or a rule is malformed. It is ignored.", "Set it to the id of a stage, or remove it.";
        PlaceholderNotYetAsked "placeholder-not-yet-asked": "A label has a placeholder for a question that is never asked before the label is shown.", "Move the question to an earlier page, or change the label.";
        UnbalancedBrace "unbalanced-brace": "A text contains an unmatched brace. Visitors see the brace.", "Add the missing brace, or remove the unmatched one.";
        UnknownEndingKind "unknown-ending-kind": "An ending has a kind that is not in the contract. Visitors see only its heading and message.", "Use `calendar`, omit the kind, or implement it in the host.";
        UnknownCalendarProvider "unknown-calendar-provider": "A calendar has a provider that is not in the contract.", "Use `builtin`, or implement the provider in the host.";
        CalendarWithoutSlug "calendar-without-slug": "A calendar ending has no `calendarSlug`, and the form has no default calendar.", "Set `calendarSlug`.";
        BadRedirectUrl "bad-redirect-url": "A redirect URL is not an `http` or `https` URL, or has a placeholder in its scheme or its host. Visitors are not redirected.", "Use a URL that begins with `https://` and a host, and put placeholders only after the host.";
        MetaEventWithoutPixel "meta-event-without-pixel": "An ending reports an event, but `capi` has no pixel.", "Set `capi.pixel_id`, or remove the event.";
        VerifyEmailWithoutEmail "verify-email-without-email": "`verifyEmail` is set, but the form has no email question.", "Add an email question, or unset `verifyEmail`.";
        VerifyPhoneWithoutPhone "verify-phone-without-phone": "`verifyPhone` is set, but the form has no phone question.", "Add a phone question, or unset `verifyPhone`.";
        AutoBookQuestionMissing "auto-book-question-missing": "`autoBookFieldId` refers to a question that does not exist.", "Refer to another question, or set it to null.";
        NeverPublished "never-published": "The form is active but was never published. Visitors see the draft.", "Publish the form.";
    }
    Note {
        UnknownMember "unknown-member": "An object has an unknown member. The member is preserved.", "Check the spelling.";
        PageWithoutQuestions "page-without-questions": "A page has no questions.", "Add a question, unless visitors are only meant to read the page.";
        SingleOption "single-option": "A choice has only one option.", "Add an option, unless visitors are only meant to confirm this one.";
        OptionsOnOtherType "options-on-other-type": "A question that is not a choice has options. They are ignored.", "Change its type to a choice, such as `single_choice`, or remove the options.";
        MinOnOtherType "min-on-other-type": "A question that takes neither numbers nor dates has a `min` or `max`. It is ignored.", "Change the type of the question, or remove the limit.";
        LimitOnOtherType "limit-on-other-type": "A question that does not take text has a `minLength`, `maxLength` or `pattern`. It is ignored.", "Change the type of the question, or remove the limit.";
        EmptyGroup "empty-group": "A group has no conditions. It is ignored.", "Remove the group.";
        ValueIgnored "value-ignored": "A condition has a value, but its operator, such as `is_filled`, takes none. The value is ignored.", "Remove the value, or use `equals`.";
        FallbackNotLast "fallback-not-last": "The fallback of a page precedes another rule of the page. It is still tried last.", "Move the fallback after the other rules.";
        FallbackNeverUsed "fallback-never-used": "The other rules of a page cover all answers, so its fallback is never followed.", "Remove the fallback, unless it is a safety net.";
        ConditionMaybeUnasked "condition-maybe-unasked": "A condition refers to a question that some paths to its rule skip. On these paths, the question counts as unanswered.", "Move the question to a page that every path visits, unless the condition is only meant for the other paths.";
        ConditionAlwaysTrue "condition-always-true": "A condition tests whether a required question on the same page is answered, which is always true.", "Remove the condition.";
        RuleSameAsDefault "rule-same-as-default": "A rule jumps to the default target of its page.", "Remove the rule.";
        BudgetExceeded "budget-exceeded": "The form has more combinations of answers than the budget can explore.", "Raise the budget, or make rules depend on fewer earlier answers.";
        CreatesLeadAbsent "creates-lead-absent": "An ending does not set `createsLead`. By default, it creates a lead.", "Set `createsLead`.";
        PlaceholderSamePage "placeholder-same-page": "A label has a placeholder for a question on the same page. The placeholder is filled only if the host updates labels while the visitor types.", "Move the question to an earlier page, unless the host does that.";
        PlaceholderMaybeUnanswered "placeholder-maybe-unanswered": "A label has a placeholder for a question that may be unanswered. In that case, visitors see the host's fallback text.", "Give the placeholder its own fallback, as in `{name|there}`, unless the label reads well with the fallback text of the host.";
        BookingUrlUnused "booking-url-unused": "An ending without a calendar has a `postBookingRedirectUrl`. The URL is ignored.", "Change the ending to a calendar ending, or use `redirectUrl`.";
        Inactive "inactive": "The form is inactive (`is_active` is false).", "Set `is_active` to accept answers.";
        DraftDiffers "draft-differs-from-live": "The draft differs from the published version.", "Publish the form when the draft is ready.";
        SnapshotHasDefaultSlug "snapshot-has-default-booking-slug": "The snapshot has a `defaultBookingSlug`, which snapshots normally omit. The slug is used.", "Set `calendarSlug` on the endings instead, or ignore this note if the tool that publishes the form sets the slug.";
        BadColour "bad-colour": "A colour is not in the form `#rgb`, `#rrggbb` or `#rrggbbaa`, so its contrast is not checked.", "Use the form `#rrggbb`.";
        LowContrast "low-contrast": "The contrast between text and background is below 4.5:1 (WCAG AA), so the text is hard to read.", "Increase the contrast between the two colours.";
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
