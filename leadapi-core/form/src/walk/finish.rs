//! The endings that walks reach, and the answers that the host must verify.

use std::borrow::Cow;

use super::{Escape, Walk};
use crate::{
    Ending,
    plan::{Calendar, QuestionKind, Slot},
    web_url::web_url,
};

/// An ending that a walk reached, with everything that the host must act on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finish<'a> {
    /// The id of the ending, if it has one. The built-in confirmation has none.
    pub id: Option<&'a str>,
    /// The ending's record, or `None` for the built-in confirmation.
    pub ending: Option<&'a Ending>,
    /// The title of the ending, in the language of the [`Policy`](crate::Policy).
    pub title: Option<&'a str>,
    /// The heading of the ending, in the language of the policy. It may contain placeholders.
    pub heading: Option<&'a str>,
    /// The message of the ending, or the `confirmation_message` for the built-in confirmation. It may contain
    /// placeholders for [`Walk::fill`].
    pub message: Option<&'a str>,
    /// Whether the ending creates a lead, which [`Walk::lead`] builds.
    pub creates_lead: bool,
    /// The name of the event to report.
    pub meta_event: Option<&'a str>,
    /// The calendar in which the visitor books an appointment.
    pub calendar: Option<Calendar<'a>>,
    /// The URL to redirect the visitor to: the `postBookingRedirectUrl` of a calendar ending if it has one, otherwise
    /// the form's `redirectUrl`. Always an `http` or `https` URL, because other URLs are ignored. Its
    /// placeholders are filled with percent-encoded answers.
    pub redirect: Option<Cow<'a, str>>,
}

/// An answer that the host must verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification<'a> {
    /// The kind of verification.
    pub kind: VerificationKind,
    /// The id of the question.
    pub question: &'a str,
    /// The answer, without surrounding whitespace.
    pub text: &'a str,
}

/// The kind of verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VerificationKind {
    /// The answer is an email address.
    Email,
    /// The answer is a phone number.
    Phone,
}

impl<'a> Finish<'a> {
    pub(super) fn new(walk: &Walk<'a>, index: Option<usize>) -> Self {
        let form = walk.form;
        let plan = index.and_then(|index| form.endings.get(index));
        let source = &form.source;
        Self {
            id: plan.and_then(|plan| plan.id),
            ending: plan.map(|plan| plan.record),
            title: plan.and_then(|plan| plan.title.as_deref()),
            heading: plan.and_then(|plan| plan.heading.as_deref()),
            message: plan.map_or(form.confirmation.as_deref(), |plan| plan.message.as_deref()),
            creates_lead: form.creates_lead(index),
            meta_event: plan.and_then(|plan| plan.record.meta_event.get()).and_then(|event| event.name.as_str()),
            calendar: plan.and_then(|plan| plan.calendar(source)),
            redirect: [plan.and_then(|plan| plan.after_booking), form.redirect]
                .into_iter()
                .flatten()
                .find_map(|url| walk.redirect(url)),
        }
    }
}

impl<'a> Walk<'a> {
    /// Fills the placeholders of a redirect URL. Returns `None` if the result is not safe to redirect to.
    fn redirect(&self, url: &'a str) -> Option<Cow<'a, str>> {
        if !url.contains('{') {
            return Some(url.into());
        }
        let filled = self.fill(url, "", Escape::Url);
        web_url(&filled).is_some().then_some(filled.into())
    }

    /// Returns the email addresses and phone numbers on the path that need verification (`verifyEmail`, `verifyPhone`),
    /// in path order. The host must verify them before it creates the lead.
    ///
    /// ```
    /// # use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, VerificationKind, Version};
    /// let record: FormRecord = serde_json::from_str(
    ///     r#"{"form":{"fields":[{"id":"q","type":"email"}],"settings":{"verifyEmail":true}}}"#,
    /// )?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// let answers = Answers::new().with("q", "ann@example.org");
    /// let verifications = form.walk(&answers).verifications();
    /// assert_eq!((verifications[0].kind, verifications[0].text), (VerificationKind::Email, "ann@example.org"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn verifications(&self) -> Vec<Verification<'a>> {
        let settings = self.form.source.settings;
        let email = settings.is_some_and(|settings| settings.verify_email.get() == Some(&true));
        let phone = settings.is_some_and(|settings| settings.verify_phone.get() == Some(&true));
        let verifications = self.answered().filter_map(|answer| {
            let kind = match answer.question.kind {
                QuestionKind::Email if email => VerificationKind::Email,
                QuestionKind::Phone if phone => VerificationKind::Phone,
                _ => return None,
            };
            let (Slot::Text(text) | Slot::Email(text)) = answer.slot else { return None };
            Some(Verification { kind, question: answer.question.id, text })
        });
        verifications.collect()
    }
}
