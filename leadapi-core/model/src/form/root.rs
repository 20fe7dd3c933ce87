//! The form record: the draft, its published snapshot, and the client account's branding.

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
    /// A form definition record: a multi-page questionnaire that produces leads (contract 2.5).
    FormRecord {
        /// The form.
        form: Field<Form> = "form",
        /// The client account's branding on the form.
        client: Field<FormClient> = "client",
        /// The destination for conversion reports.
        capi: Field<Capi> = "capi",
    }
}

record! {
    /// The client account's branding on its forms (contract 2.5).
    FormClient {
        /// The URL of the logo.
        logo_url: Field<String> = "logo_url",
        /// The name of the company.
        company_name: Field<String> = "company_name",
    }
}

record! {
    /// The destination for conversion reports (contract 2.5).
    Capi {
        /// The id of the pixel.
        pixel_id: Field<String> = "pixel_id",
        /// The id of the preset.
        preset_id: Field<String> = "preset_id",
    }
}

record! {
    /// A form: the draft that its author edits, and the [`live_snapshot`](Self::live_snapshot) that visitors see
    /// (contract 2.5).
    Form {
        /// The id of the form, a UUID.
        id: Field<String> = "id",
        /// The id of the client account that the form belongs to, a UUID.
        client_id: Field<String> = "client_id",
        /// The name of the form.
        name: Field<String> = "name",
        /// The language and country of the form, as a tag such as `de` or `en-GB`. An extension of this crate.
        locale: Field<String> = "locale",
        /// The languages of the form, as tags. The first is its default. An extension of this crate.
        languages: List<String> = "languages",
        /// The description, or null.
        description: Field<String> = "description",
        /// The questions of a form without pages. Empty if the questions are on pages.
        fields: List<Question> = "fields",
        /// The pages.
        pages: List<Page> = "pages",
        /// The rules that decide which page comes next.
        logic: Field<Logic> = "logic",
        /// The presentation settings.
        theme: Field<Theme> = "theme",
        /// The endings and other settings.
        settings: Field<Settings> = "settings",
        /// The message of the built-in confirmation, for forms without endings.
        confirmation_message: Field<String> = "confirmation_message",
        /// Whether the form accepts answers.
        is_active: Field<bool> = "is_active",
        /// The pipeline for the form's leads, or null.
        target_pipeline_id: Field<String> = "target_pipeline_id",
        /// The published copy of the form. An empty object means that the form was never published.
        live_snapshot: Field<LiveSnapshot> = "live_snapshot",
        /// The version counter of the published snapshot, as an integer.
        live_version: Field<Number> = "live_version",
    }
}

record! {
    /// The parts of a form that are copied when it is published (contract 2.5).
    LiveSnapshot {
        /// The rules that decide which page comes next.
        logic: Field<Logic> = "logic",
        /// The pages.
        pages: List<Page> = "pages",
        /// The presentation settings.
        theme: Field<Theme> = "theme",
        /// The endings and other settings. A snapshot does not normally contain a default booking slug, but it keeps
        /// one if present.
        settings: Field<Settings> = "settings",
        /// The message of the built-in confirmation, for forms without endings.
        confirmation_message: Field<String> = "confirmation_message",
    }
}

impl Form {
    /// Returns the published snapshot. An empty snapshot (`{}`) counts as missing.
    ///
    /// ```
    /// use leadapi_model::form::Form;
    ///
    /// let form: Form = serde_json::from_str(r#"{"live_snapshot":{}}"#)?;
    /// assert!(form.published().is_none());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn published(&self) -> Option<&LiveSnapshot> {
        self.live_snapshot.get().filter(|snapshot| **snapshot != LiveSnapshot::default())
    }
}
