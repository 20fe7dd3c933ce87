//! Placeholder until the form records are merged.
/// A form record.
pub type FormRecord = Box<serde_json::value::RawValue>;
