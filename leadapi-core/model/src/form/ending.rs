//! The settings of a form, including its endings. An ending shows a message and, optionally, a calendar.

use super::{
    extensible_enum::{CalendarProvider, EndingKind},
    field::{Field, List},
    number::Number,
    record::record,
};

record! {
    /// The settings of a form (contract 2.5).
    Settings {
        /// The endings, which rules refer to by id.
        endings: List<Ending> = "endings",
        /// Whether visitors may go back to an earlier page.
        allow_back: Field<bool> = "allowBack",
        /// The URL to redirect visitors to at the end, or null.
        redirect_url: Field<String> = "redirectUrl",
        /// Whether email addresses must be verified.
        verify_email: Field<bool> = "verifyEmail",
        /// Whether phone numbers must be verified.
        verify_phone: Field<bool> = "verifyPhone",
        /// Whether the form shows a progress bar.
        show_progress: Field<bool> = "showProgress",
        /// The id of the question whose answer books an appointment automatically, or null.
        auto_book_field_id: Field<String> = "autoBookFieldId",
        /// The duration of an automatically booked appointment, as an integer.
        auto_book_duration: Field<Number> = "autoBookDuration",
        /// The slug of the default calendar, for calendar endings without a `calendarSlug`. Published snapshots
        /// normally omit it.
        default_booking_slug: Field<String> = "defaultBookingSlug",
    }
}

record! {
    /// An ending of a form (contract 2.5).
    Ending {
        /// The id of the ending. A jump refers to the ending as `end:` followed by this id.
        id: Field<String> = "id",
        /// The title of the ending.
        title: Field<String> = "title",
        /// The heading shown to the visitor.
        heading: Field<String> = "heading",
        /// The text shown to the visitor.
        message: Field<String> = "message",
        /// Whether reaching the ending creates a lead.
        creates_lead: Field<bool> = "createsLead",
        /// The kind of content that the ending shows in addition to its heading and message.
        kind: Field<EndingKind> = "kind",
        /// The event to report when a visitor reaches the ending.
        meta_event: Field<MetaEvent> = "metaEvent",
        /// The slug of the calendar to book an appointment in.
        calendar_slug: Field<String> = "calendarSlug",
        /// The provider of the calendar.
        calendar_provider: Field<CalendarProvider> = "calendarProvider",
        /// The URL to redirect visitors to after they book.
        post_booking_redirect_url: Field<String> = "postBookingRedirectUrl",
        /// The id of the pipeline of the leads that the ending creates. An extension of this crate, as is `stageId`.
        pipeline_id: Field<String> = "pipelineId",
        /// The id of the stage of the leads that the ending creates.
        stage_id: Field<String> = "stageId",
    }
}

record! {
    /// An event to report when a visitor reaches an ending (contract 2.5).
    MetaEvent {
        /// The name of the event.
        name: Field<String> = "name",
    }
}
