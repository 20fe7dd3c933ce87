//! Checks endings, settings and the theme, and compares the draft with the live version.

use std::fmt::Display;

use super::{
    Code, Report, colour,
    names::{ending_name, quoted},
    texts::check_text,
};
use crate::{
    CalendarProvider, EndingKind, Extra, Field,
    placeholder::{Piece, pieces, redirect_url},
    plan::{EndingPlan, QuestionKind, Questionnaire, Version, non_blank},
};

/// The minimum contrast for readable text (WCAG 2, AA).
const CONTRAST: f64 = 4.5;

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    for ending in &form.endings {
        check_ending(form, ending, &form.ending_pointer(ending.at), report);
    }
    check_settings(form, report);
    check_theme(form, report);
    check_versions(form, report);
}

fn check_ending(form: &Questionnaire<'_>, ending: &EndingPlan<'_>, at: &str, report: &mut Report) {
    let record = ending.record;
    if let Field::Value(EndingKind::Other(kind)) = &record.kind {
        report.add(
            Code::UnknownEndingKind,
            format!("{at}/kind"),
            format_args!("{} has the unknown kind {}", ending_name(ending), quoted(kind)),
        );
    }
    if let Field::Value(CalendarProvider::Other(provider)) = &record.calendar_provider {
        let message = format_args!("{} has the unknown provider {}", ending_name(ending), quoted(provider));
        report.add(Code::UnknownCalendarProvider, format!("{at}/calendarProvider"), message);
    }
    if ending.calendar(&form.source).is_some_and(|calendar| calendar.slug.is_none()) {
        report.add(
            Code::CalendarWithoutSlug,
            format!("{at}/calendarSlug"),
            format_args!("{} shows a calendar, but has no `calendarSlug`", ending_name(ending)),
        );
    }
    if let Some(url) = non_blank(&record.post_booking_redirect_url) {
        let at = format!("{at}/postBookingRedirectUrl");
        check_redirect(form, url, &at, &ending_name(ending), report);
        if !ending.is_calendar() {
            report.add(
                Code::BookingUrlUnused,
                at,
                format_args!("{} has a `postBookingRedirectUrl`, but no calendar", ending_name(ending)),
            );
        }
    }
    let pixel = form.source.record.capi.get().and_then(|capi| non_blank(&capi.pixel_id));
    if record.meta_event.get().is_some_and(|event| non_blank(&event.name).is_some()) && pixel.is_none() {
        report.add(
            Code::MetaEventWithoutPixel,
            format!("{at}/metaEvent"),
            format_args!("{} reports an event, but the record has no pixel", ending_name(ending)),
        );
    }
    if record.creates_lead.is_absent() {
        report.add(
            Code::CreatesLeadAbsent,
            at,
            format_args!("{} does not say whether it creates a lead", ending_name(ending)),
        );
    }
}

fn check_redirect(form: &Questionnaire<'_>, url: &str, at: &str, name: &dyn Display, report: &mut Report) {
    if redirect_url(url).is_some() {
        check_text(form, url, at, report);
        return;
    }
    let message = if pieces(url).any(|piece| matches!(piece, Piece::Key { .. })) {
        format!("{name} redirects to {}, whose scheme and host must not contain placeholders", quoted(url))
    } else {
        format!("{name} redirects to {}, which is not an http or https URL", quoted(url))
    };
    report.add(Code::BadRedirectUrl, at, message);
}

fn check_settings(form: &Questionnaire<'_>, report: &mut Report) {
    let Some(settings) = form.source.settings else { return };
    if let Some(url) = non_blank(&settings.redirect_url) {
        check_redirect(form, url, &form.pointer("settings/redirectUrl"), &"the form", report);
    }
    let asks = |kind: fn(&QuestionKind<'_>) -> bool| form.questions.iter().any(|question| kind(&question.kind));
    if settings.verify_email.get() == Some(&true) && !asks(|kind| matches!(kind, QuestionKind::Email)) {
        report.add(
            Code::VerifyEmailWithoutEmail,
            form.pointer("settings/verifyEmail"),
            "the form verifies email addresses, but has no email question",
        );
    }
    if settings.verify_phone.get() == Some(&true) && !asks(|kind| matches!(kind, QuestionKind::Phone)) {
        report.add(
            Code::VerifyPhoneWithoutPhone,
            form.pointer("settings/verifyPhone"),
            "the form verifies phone numbers, but has no phone question",
        );
    }
    if let Some(id) = non_blank(&settings.auto_book_field_id).filter(|id| form.question(id).is_none()) {
        let message = format!("the form books with the answer to question {}, which does not exist", quoted(id));
        report.add(Code::AutoBookQuestionMissing, form.pointer("settings/autoBookFieldId"), message);
    }
    if form.version() == Version::Live && !settings.default_booking_slug.is_absent() {
        let message = "the snapshot has a `defaultBookingSlug`, which snapshots normally omit";
        report.add(Code::SnapshotHasDefaultSlug, form.pointer("settings/defaultBookingSlug"), message);
    }
}

fn check_theme(form: &Questionnaire<'_>, report: &mut Report) {
    let Some(theme) = form.source.theme else { return };
    for (name, colour) in [
        ("bgColor", &theme.bg_color),
        ("textColor", &theme.text_color),
        ("bgGradientTo", &theme.bg_gradient_to),
        ("primaryColor", &theme.primary_color),
        ("buttonGradientTo", &theme.button_gradient_to),
    ] {
        if let Some(text) = non_blank(colour).filter(|text| colour::parse(text).is_none()) {
            report.add(
                Code::BadColour,
                form.pointer(format_args!("theme/{name}")),
                format_args!("the theme has the colour {}, which is not in the form `#rrggbb`", quoted(text)),
            );
        }
    }
    let colour = |colour: &Field<String>| colour.as_str().and_then(colour::parse);
    let gradient = colour(&theme.bg_gradient_to).filter(|_| theme.bg_gradient.get() == Some(&true));
    let backgrounds = colour(&theme.bg_color).into_iter().chain(gradient);
    let text = colour(&theme.text_color);
    let contrasts = backgrounds.filter_map(|background| Some(colour::contrast(text?, background)));
    if let Some(least) = contrasts.min_by(f64::total_cmp).filter(|least| *least < CONTRAST) {
        let message = format!("the text has a contrast of {least:.1}:1 with the background, below {CONTRAST}:1");
        report.add(Code::LowContrast, form.pointer("theme/textColor"), message);
    }
}

fn check_versions(form: &Questionnaire<'_>, report: &mut Report) {
    let Some(draft) = form.source.form else { return };
    if !form.is_active() {
        report.add(Code::Inactive, "/form/is_active", "the form is inactive");
    }
    let Some(live) = draft.published() else {
        if draft.is_active.get() == Some(&true) {
            report.add(Code::NeverPublished, "/form/live_snapshot", "the form is active, but was never published");
        }
        return;
    };
    // The comparison ignores the default calendar, which is not normally published, and unknown settings.
    let mut published = draft.settings.clone();
    if let (Some(published), Some(live)) = (published.get_mut(), live.settings.get()) {
        published.default_booking_slug = live.default_booking_slug.clone();
        published.extra = Extra::clone(&live.extra);
    }
    let differs = [
        ("logic", draft.logic != live.logic),
        ("pages", draft.pages != live.pages),
        ("theme", draft.theme != live.theme),
        ("settings", published != live.settings),
        ("confirmation_message", draft.confirmation_message != live.confirmation_message),
    ];
    for (name, _) in differs.iter().filter(|(_, differs)| *differs) {
        report.add(
            Code::DraftDiffers,
            format!("/form/{name}"),
            format_args!("`{name}` of the draft differs from the published version"),
        );
    }
}
