//! The record itself: the form as it is edited, the copy of it that is live, and whose it is.

use super::{
    ending::Settings,
    field::{Field, List},
    logic::Logic,
    number::Number,
    question::{Page, Question},
    record::record,
    theme::Theme,
};

record! {
    /// A form definition record: a questionnaire of several pages that produces leads (contract 2.5).
    FormRecord {
        /// The form.
        form: Field<Form> = "form",
        /// How the client account shows itself on the form.
        client: Field<FormClient> = "client",
        /// Where conversions are reported to.
        capi: Field<Capi> = "capi",
    }
}

record! {
    /// How the client account shows itself on its forms (contract 2.5).
    FormClient {
        /// The URL of the logo.
        logo_url: Field<String> = "logo_url",
        /// The name of the company.
        company_name: Field<String> = "company_name",
    }
}

record! {
    /// Where conversions are reported to (contract 2.5).
    Capi {
        /// The id of the pixel.
        pixel_id: Field<String> = "pixel_id",
        /// The id of the preset.
        preset_id: Field<String> = "preset_id",
    }
}

record! {
    /// A form as it is being edited (contract 2.5); [`live_snapshot`](Self::live_snapshot) is what visitors see.
    Form {
        /// The id of the form, a UUID.
        id: Field<String> = "id",
        /// The client account that the form belongs to, a UUID.
        client_id: Field<String> = "client_id",
        /// The name of the form.
        name: Field<String> = "name",
        /// What the form is for; null if nobody has said.
        description: Field<String> = "description",
        /// The questions of a form without pages; empty when they are on pages.
        fields: List<Question> = "fields",
        /// The pages.
        pages: List<Page> = "pages",
        /// Where to go after a page.
        logic: Field<Logic> = "logic",
        /// How the form looks.
        theme: Field<Theme> = "theme",
        /// How the form ends and behaves.
        settings: Field<Settings> = "settings",
        /// What is said when the form has been sent.
        confirmation_message: Field<String> = "confirmation_message",
        /// Whether the form takes answers.
        is_active: Field<bool> = "is_active",
        /// The pipeline that its leads go to; null for none.
        target_pipeline_id: Field<String> = "target_pipeline_id",
        /// The copy of the form as it was published. An empty object means that the form was never published.
        live_snapshot: Field<LiveSnapshot> = "live_snapshot",
        /// The version counter of the published snapshot, an integer.
        live_version: Field<Number> = "live_version",
    }
}

record! {
    /// What of a form was copied when it was published (contract 2.5).
    LiveSnapshot {
        /// Where to go after a page.
        logic: Field<Logic> = "logic",
        /// The pages.
        pages: List<Page> = "pages",
        /// How the form looks.
        theme: Field<Theme> = "theme",
        /// How the form ends and behaves; published without a default booking slug, which is kept if there is one.
        settings: Field<Settings> = "settings",
        /// What is said when the form has been sent.
        confirmation_message: Field<String> = "confirmation_message",
    }
}
