//! How a form behaves and how it ends: thank you, a calendar, or nothing to offer.

use super::{
    field::{Field, List},
    number::Number,
    open::{CalendarProvider, EndingKind},
    record::record,
};

record! {
    /// How a form ends and behaves (contract 2.5).
    Settings {
        /// The endings, which rules name.
        endings: List<Ending> = "endings",
        /// Whether visitors may go back to an earlier page.
        allow_back: Field<bool> = "allowBack",
        /// Where visitors are sent at the end; null for nowhere.
        redirect_url: Field<String> = "redirectUrl",
        /// Whether email addresses are verified.
        verify_email: Field<bool> = "verifyEmail",
        /// Whether phone numbers are verified.
        verify_phone: Field<bool> = "verifyPhone",
        /// Whether progress is shown.
        show_progress: Field<bool> = "showProgress",
        /// The question whose answer books a time by itself; null for none.
        auto_book_field_id: Field<String> = "autoBookFieldId",
        /// How long a time that is booked by itself lasts, an integer.
        auto_book_duration: Field<Number> = "autoBookDuration",
        /// The calendar of a booking that names none; not part of what is published.
        default_booking_slug: Field<String> = "defaultBookingSlug",
    }
}

record! {
    /// An ending of a form (contract 2.5).
    Ending {
        /// The id of the ending, which jumps name behind `end:`.
        id: Field<String> = "id",
        /// The title of the ending.
        title: Field<String> = "title",
        /// The heading that is shown.
        heading: Field<String> = "heading",
        /// The text that is shown.
        message: Field<String> = "message",
        /// Whether reaching it makes a lead.
        creates_lead: Field<bool> = "createsLead",
        /// What it shows besides its texts.
        kind: Field<EndingKind> = "kind",
        /// The event that is reported when it is reached.
        meta_event: Field<MetaEvent> = "metaEvent",
        /// The calendar in which a time is booked.
        calendar_slug: Field<String> = "calendarSlug",
        /// Whose calendar it is.
        calendar_provider: Field<CalendarProvider> = "calendarProvider",
        /// The URL to which visitors are sent after booking.
        post_booking_redirect_url: Field<String> = "postBookingRedirectUrl",
    }
}

record! {
    /// An event that is reported when an ending is reached (contract 2.5).
    MetaEvent {
        /// The name of the event.
        name: Field<String> = "name",
    }
}
