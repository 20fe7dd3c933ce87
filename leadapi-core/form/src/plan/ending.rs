//! Compiled endings and their calendars.

use std::borrow::Cow;

use super::{Placement, Source, UniqueIds, Version, non_blank};
use crate::{CalendarProvider, Ending, EndingKind, Number, locale::choose, placeholder::redirect_url, policy::Policy};

/// A compiled ending.
#[derive(Debug)]
pub(crate) struct EndingPlan<'r> {
    pub id: Option<&'r str>,
    pub at: usize,
    pub title: Option<Cow<'r, str>>,
    pub heading: Option<Cow<'r, str>>,
    pub message: Option<Cow<'r, str>>,
    /// The URL to redirect to after a booking, if the ending shows a calendar and the URL is safe.
    pub after_booking: Option<&'r str>,
    pub placement: Option<Placement>,
    pub record: &'r Ending,
}

/// A calendar in which the visitor can book an appointment (contract 2.5).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Calendar<'r> {
    /// The ending's `calendarSlug`, or the form's `defaultBookingSlug` if the ending has none.
    pub slug: Option<&'r str>,
    /// The provider of the calendar, as named in the record.
    pub provider: Option<&'r CalendarProvider>,
    /// The duration of an automatically booked appointment: `autoBookDuration`.
    pub duration: Option<i64>,
}

impl<'r> EndingPlan<'r> {
    pub(super) fn all(source: &Source<'r>, policy: &Policy) -> Vec<Self> {
        let mut ids = UniqueIds::default();
        let ending = |(at, record): (usize, &'r Ending)| Self {
            id: ids.claim(&record.id),
            at,
            title: choose(&record.title, policy),
            heading: choose(&record.heading, policy),
            message: choose(&record.message, policy),
            after_booking: record
                .post_booking_redirect_url
                .as_str()
                .filter(|_| is_calendar(record))
                .and_then(redirect_url),
            placement: Placement::new(&record.pipeline_id, &record.stage_id),
            record,
        };
        source.endings().map(ending).collect()
    }

    pub(crate) fn creates_lead(&self, by_default: bool) -> bool {
        self.record.creates_lead.get().copied().unwrap_or(by_default)
    }

    pub(crate) fn is_calendar(&self) -> bool {
        is_calendar(self.record)
    }

    pub(crate) fn calendar(&self, source: &Source<'r>) -> Option<Calendar<'r>> {
        self.is_calendar().then(|| Calendar {
            slug: non_blank(&self.record.calendar_slug).or_else(|| default_slug(source)),
            provider: self.record.calendar_provider.get(),
            duration: source.settings.and_then(|settings| settings.auto_book_duration.get()).and_then(Number::as_i64),
        })
    }
}

fn is_calendar(ending: &Ending) -> bool {
    ending.kind.get() == Some(&EndingKind::Calendar)
}

/// Returns the default calendar, for endings without a `calendarSlug`. Snapshots normally omit it, so a snapshot falls
/// back to the draft's default calendar.
fn default_slug<'r>(source: &Source<'r>) -> Option<&'r str> {
    let draft = source.form.and_then(|form| form.settings.get()).filter(|_| source.version == Version::Live);
    source.settings.into_iter().chain(draft).find_map(|settings| non_blank(&settings.default_booking_slug))
}
