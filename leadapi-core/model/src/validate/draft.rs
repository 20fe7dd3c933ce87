//! Validated creates (contract D4, D5), and their conversion to leads.

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{
    FieldError, FieldErrors, InvalidReference, LookupResult, RequiredLookups,
    lead_field::{LEAD_FIELDS, LeadField, OPTIONAL_TEXTS},
    placement::{Placement, Target},
    reference::Reference,
    text,
};
use crate::{
    id::{ClientId, LeadId},
    model::{Amount, Change, Lead, NewLead, Timestamp},
};

/// The values that the service assigns to a new lead: its id and its creation time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewLeadMeta {
    /// The new lead's id.
    pub id: LeadId,
    /// The lead's `created_at`. A store also uses it to decide which idempotency keys have expired.
    pub at: Timestamp,
}

impl NewLeadMeta {
    /// Creates the values to assign to a new lead.
    ///
    /// ```
    /// # use leadapi_model::validate::NewLeadMeta;
    /// let meta = NewLeadMeta::new("l1".parse()?, "2026-05-04T07:58:12.004Z".parse()?);
    /// assert_eq!(meta.id.as_str(), "l1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn new(id: LeadId, at: Timestamp) -> Self {
        Self { id, at }
    }
}

/// A create that satisfies all rules that can be checked without a lookup.
///
/// Only [`NewLead::check`] and [`NewLead::check_with`] create a draft, so a store never receives an unchecked one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeadDraft(Box<Fields>);

/// Boxed, because a draft passes through many calls and futures, and moving a pointer is cheaper than moving all
/// fields.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fields {
    client_id: Reference<ClientId>,
    name: String,
    /// The values of [`OPTIONAL_TEXTS`].
    texts: [Option<String>; OPTIONAL_TEXTS.len()],
    value: Option<Amount>,
    target: Option<Target>,
}

/// Stored fingerprints are hashes of this serialization, so it must not change.
impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        let mut texts = self.texts.iter();
        for field in &LEAD_FIELDS {
            match field {
                LeadField::ClientId => fields.serialize_entry("client_id", &self.client_id)?,
                LeadField::Name => fields.serialize_entry("name", &self.name)?,
                LeadField::Text(field) => {
                    let text = texts.next().and_then(Option::as_deref);
                    if text.is_some() || field.null_in_fingerprint {
                        fields.serialize_entry(field.name(), &text)?;
                    }
                }
                LeadField::Value => fields.serialize_entry("value", &self.value)?,
                LeadField::PipelineId => fields.serialize_entry("target", &self.target)?,
                // The target already includes the stage, and the service sets the id and the creation time.
                LeadField::StageId | LeadField::Id | LeadField::CreatedAt => {}
            }
        }
        fields.end()
    }
}

impl NewLead {
    /// Checks all rules that can be checked without a lookup (contract D4 to D6).
    ///
    /// ```
    /// use leadapi_model::{id::ClientId, model::NewLead};
    ///
    /// let errors = NewLead::new(&ClientId::parse("c1")?, " ").email("nobody").check().unwrap_err();
    /// assert!(errors.to_string().starts_with("name is required; email must be an e-mail address"));
    /// # Ok::<(), leadapi_model::id::InvalidId>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns every broken rule, with the message that the service would send.
    pub fn check(&self) -> Result<LeadDraft, FieldErrors> {
        self.clone().check_with(FieldErrors::default())
    }

    /// Checks the lead like [`check`](Self::check), after errors were found in other parts of the request.
    ///
    /// ```
    /// # use leadapi_model::{model::NewLead, validate::{FieldError, FieldErrors}};
    /// let mut errors = FieldErrors::default();
    /// errors.push(FieldError::new("name", "must be a string"));
    /// let errors = NewLead::default().check_with(errors).unwrap_err();
    /// // A field that already has an error is not also reported as missing.
    /// assert_eq!(errors.to_string(), "name must be a string; client_id is required");
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the earlier errors and every broken rule.
    pub fn check_with(self, mut errors: FieldErrors) -> Result<LeadDraft, FieldErrors> {
        match LeadDraft::read(self, &mut errors) {
            Some(draft) if errors.is_empty() => Ok(draft),
            _ => Err(errors),
        }
    }
}

impl LeadDraft {
    /// Validates a create. Returns `None` if a required field is missing or blank. If `errors` is not empty, the draft
    /// must not be used.
    fn read(mut new: NewLead, errors: &mut FieldErrors) -> Option<Self> {
        let client_id = new.client_id.as_deref().and_then(|text| text::id("client_id", text, errors));
        let client_id = required("client_id", client_id, errors).map(Reference::parse);
        let name = new.name.take().and_then(|text| text::NAME.read(text, errors));
        let name = required("name", name, errors);
        let texts = OPTIONAL_TEXTS.map(|field| field.rule.read(field.in_new(&mut new).take()?, errors));
        let value = new.value.and_then(|number| read_value(number, errors));
        // A create has no previous value to keep, so absent and `null` mean the same.
        let [pipeline, stage] =
            [new.pipeline_id, new.stage_id].map(|id| match id.filter(|text| !text.trim().is_empty()) {
                Some(text) => Change::Set(text),
                None => Change::Keep,
            });
        let target = Target::read(&pipeline, &stage, errors).apply(None);
        let (client_id, name) = (client_id?, name?);
        Some(Self(Box::new(Fields { client_id, name, texts, value, target })))
    }

    /// Returns the records that a store must look up to create the lead.
    pub fn required_lookups(&self) -> RequiredLookups<'_> {
        RequiredLookups {
            client: self.0.client_id.id(),
            pipeline: self.0.target.as_ref().and_then(Target::pipeline),
            stage: self.0.target.as_ref().and_then(Target::stage),
        }
    }

    /// Converts the draft into the lead to store.
    ///
    /// # Errors
    ///
    /// Returns an [`InvalidReference`] if a record was not found or the stage belongs to a different pipeline. In that
    /// case, the store must not write anything.
    pub fn into_lead(self, meta: NewLeadMeta, references: &LookupResult) -> Result<Lead, InvalidReference> {
        let draft = *self.0;
        let client_id = match draft.client_id {
            Reference::Id(id) if references.client.as_ref() == Some(&id) => id,
            Reference::Id(_) | Reference::Invalid(_) => return Err(InvalidReference::Client),
        };
        let placement = draft.target.map(|target| target.find(None, references)).transpose()?;
        let (pipeline_id, stage_id) =
            placement.map(|Placement { pipeline_id, stage_id }| (pipeline_id, stage_id)).unzip();
        let mut lead = Lead::new(meta.id, client_id, draft.name, meta.at);
        for (field, text) in OPTIONAL_TEXTS.iter().zip(draft.texts) {
            *field.get_mut(&mut lead) = text;
        }
        Ok(Lead { value: draft.value, pipeline_id, stage_id, ..lead })
    }
}

fn required<T>(field: &'static str, value: Option<T>, errors: &mut FieldErrors) -> Option<T> {
    // A field that already has an error, such as a wrong type, is not also reported as missing.
    if value.is_none() && !errors.names(field) {
        errors.push(FieldError::new(field, "is required"));
    }
    value
}

pub(super) fn read_value(number: f64, errors: &mut FieldErrors) -> Option<Amount> {
    Amount::try_from(number).map_err(|error| errors.push(FieldError::new("value", error.to_string()))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{PipelineId, StageId};

    fn minimal() -> NewLead {
        NewLead::new(&ClientId::parse("c1").unwrap(), "Ann")
    }

    fn meta() -> NewLeadMeta {
        NewLeadMeta { id: LeadId::parse("l1").unwrap(), at: "2026-05-04T07:58:12.004Z".parse().unwrap() }
    }

    fn references() -> LookupResult {
        LookupResult {
            client: Some(ClientId::parse("c1").unwrap()),
            first_stage: Some(StageId::parse("s1").unwrap()),
            stage_pipeline: Some(PipelineId::parse("p1").unwrap()),
        }
    }

    #[test]
    fn all_errors_are_reported_together() {
        let mut new = minimal().email("x").phone("1").source("s".repeat(101)).notes("\0").value(f64::INFINITY);
        new.name = Some("n".repeat(201));
        new.client_id = None;
        let errors = new.check().unwrap_err();
        let fields: Vec<&str> = errors.iter().map(FieldError::field).collect();
        assert_eq!(fields, ["client_id", "name", "email", "phone", "source", "notes", "value"]);
    }

    #[test]
    fn one_error_is_enough_to_refuse_a_create() {
        assert_eq!(
            minimal().email("x").check().unwrap_err().iter().map(FieldError::field).collect::<Vec<_>>(),
            ["email"]
        );
    }

    #[test]
    fn a_field_with_another_error_is_not_also_reported_as_missing() {
        let mut errors = FieldErrors::default();
        errors.push(FieldError::new("name", "must be a string"));
        assert_eq!(LeadDraft::read(NewLead::default(), &mut errors), None);
        assert_eq!(errors.to_string(), "name must be a string; client_id is required");
        let first = errors.iter().next().unwrap();
        assert_eq!((first.field(), first.rule()), ("name", "must be a string"));
    }

    #[test]
    fn blank_texts_count_as_null() {
        let mut blank = minimal().email(" ").notes("").source("\t").business_name("");
        blank.pipeline_id = Some(String::new());
        blank.stage_id = Some(" ".into());
        assert_eq!(blank.check(), minimal().check());
    }

    #[test]
    fn the_stage_and_the_pipeline_determine_each_other() {
        let place = |new: NewLead, references: &LookupResult| {
            new.check()
                .unwrap()
                .into_lead(meta(), references)
                .map(|lead| (lead.pipeline_id.map(|id| id.to_string()), lead.stage_id.map(|id| id.to_string())))
        };
        let pipeline = |id| PipelineId::parse(id).unwrap();
        let stage = |id| StageId::parse(id).unwrap();
        let some = |p: &str, s: &str| Ok((Some(p.to_owned()), Some(s.to_owned())));
        assert_eq!(place(minimal(), &references()), Ok((None, None)));
        let lead = minimal().value(450).check().unwrap().into_lead(meta(), &references()).unwrap();
        assert_eq!(lead.value.map(Amount::get), Some(450.0));
        assert_eq!(place(minimal().stage(&stage("s2")), &references()), some("p1", "s2"));
        assert_eq!(place(minimal().pipeline(&pipeline("p9")), &references()), some("p9", "s1"));
        let both = || minimal().pipeline(&pipeline("p1")).stage(&stage("s2"));
        assert_eq!(place(both(), &references()), some("p1", "s2"));
        let strange = minimal().pipeline(&pipeline("p2")).stage(&stage("s2"));
        assert_eq!(place(strange, &references()), Err(InvalidReference::Mismatch));
        let nothing = LookupResult { first_stage: None, stage_pipeline: None, ..references() };
        assert_eq!(place(both(), &nothing), Err(InvalidReference::PipelineAndStage));
        assert_eq!(place(minimal().stage(&stage("s2")), &nothing), Err(InvalidReference::Stage));
        assert_eq!(place(minimal().pipeline(&pipeline("p2")), &nothing), Err(InvalidReference::Pipeline));
        // The client account is checked before all other references.
        assert_eq!(place(both(), &LookupResult::default()), Err(InvalidReference::Client));
    }

    /// The lookup results contain a record of every kind, but a reference that is not a valid id must match none of
    /// them.
    #[test]
    fn an_invalid_id_is_not_looked_up_and_matches_no_record() {
        let invalid = Some("no id".to_owned());
        let client = NewLead { client_id: invalid.clone(), ..minimal() };
        let pipeline = NewLead { pipeline_id: invalid.clone(), ..minimal() };
        let stage = NewLead { stage_id: invalid.clone(), ..minimal() };
        let both = NewLead { pipeline_id: invalid.clone(), stage_id: invalid.clone(), ..minimal() };
        let one_of_both = NewLead { stage_id: invalid, ..minimal().pipeline(&PipelineId::parse("p1").unwrap()) };
        for (new, expected) in [
            (client, InvalidReference::Client),
            (pipeline, InvalidReference::Pipeline),
            (stage, InvalidReference::Stage),
            (both, InvalidReference::PipelineAndStage),
            (one_of_both, InvalidReference::Stage),
        ] {
            let draft = new.check().unwrap();
            let RequiredLookups { client, pipeline, stage } = draft.required_lookups();
            let looked_up =
                [client.map(ClientId::as_str), pipeline.map(PipelineId::as_str), stage.map(StageId::as_str)];
            assert!(!looked_up.contains(&Some("no id")), "{expected:?}");
            assert_eq!(looked_up[0].is_some(), expected != InvalidReference::Client);
            assert_eq!(draft.into_lead(meta(), &references()), Err(expected));
        }
    }
}
