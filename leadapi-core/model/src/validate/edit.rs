//! Validated updates (contract D4 to D6), and their application to leads.

use std::mem;

use super::{
    FieldError, FieldErrors, InvalidReference, LookupResult, RequiredLookups,
    draft::read_value,
    lead_field::{LEAD_FIELDS, LeadField, OPTIONAL_TEXTS},
    placement::{Placement, Target},
    text::{self, TextRule},
};
use crate::model::{Amount, Change, Lead, LeadPatch};

/// An update that satisfies all rules that can be checked without a lookup.
///
/// Outside this crate, only [`LeadPatch::check`] creates an edit. An edit changes at least one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadEdit {
    name: Option<String>,
    /// The changes to the fields in [`OPTIONAL_TEXTS`].
    texts: [Change<String>; OPTIONAL_TEXTS.len()],
    value: Change<Amount>,
    target: Change<Target>,
}

impl LeadPatch {
    /// Checks all rules that can be checked without a lookup (contract D4 to D6).
    ///
    /// ```
    /// use leadapi_model::model::LeadPatch;
    ///
    /// assert!(LeadPatch::new().clear_notes().check().is_ok());
    /// assert_eq!(LeadPatch::new().check().unwrap_err().to_string(), "body has no field to change");
    /// ```
    ///
    /// # Errors
    ///
    /// Returns every broken rule, with the message that the service would send.
    pub fn check(&self) -> Result<LeadEdit, FieldErrors> {
        self.clone().check_with(FieldErrors::default())
    }

    /// Checks the patch like [`check`](Self::check), after errors were found in other parts of the request.
    ///
    /// ```
    /// use leadapi_model::{model::LeadPatch, validate::{FieldError, FieldErrors}};
    ///
    /// let mut errors = FieldErrors::default();
    /// errors.push(FieldError::new("client_id", "cannot be changed"));
    /// let errors = LeadPatch::new().check_with(errors).unwrap_err();
    /// // An empty patch is an error only if there is no other error.
    /// assert_eq!(errors.to_string(), "client_id cannot be changed");
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the earlier errors and every broken rule.
    pub fn check_with(self, mut errors: FieldErrors) -> Result<LeadEdit, FieldErrors> {
        let edit = LeadEdit::read(self, &mut errors);
        if errors.is_empty() { Ok(edit) } else { Err(errors) }
    }
}

impl LeadEdit {
    /// Validates an update. If `errors` is not empty, the result must not be used.
    fn read(mut patch: LeadPatch, errors: &mut FieldErrors) -> Self {
        if patch == LeadPatch::default() && errors.is_empty() {
            errors.push(FieldError::new("body", "has no field to change"));
        }
        let mut edit = Self {
            name: None,
            texts: [const { Change::Keep }; OPTIONAL_TEXTS.len()],
            value: Change::Keep,
            target: Change::Keep,
        };
        let mut texts = edit.texts.iter_mut();
        for field in &LEAD_FIELDS {
            match field {
                LeadField::Name => edit.name = read_name(mem::take(&mut patch.name), errors),
                LeadField::Text(field) => {
                    if let Some(text) = texts.next() {
                        *text = read_text(&field.rule, mem::take(field.in_patch(&mut patch)), errors);
                    }
                }
                LeadField::Value => {
                    edit.value = match patch.value {
                        Change::Keep => Change::Keep,
                        Change::Clear => Change::Clear,
                        Change::Set(number) => read_value(number, errors).into(),
                    };
                }
                LeadField::PipelineId => edit.target = Target::read(&patch.pipeline_id, &patch.stage_id, errors),
                // The target already includes the stage, and an update cannot change the other fields.
                LeadField::StageId | LeadField::Id | LeadField::ClientId | LeadField::CreatedAt => {}
            }
        }
        edit
    }

    /// Returns the records that a store must look up to apply the update.
    pub fn required_lookups(&self) -> RequiredLookups<'_> {
        match &self.target {
            Change::Set(target) => RequiredLookups { client: None, pipeline: target.pipeline(), stage: target.stage() },
            Change::Keep | Change::Clear => RequiredLookups::default(),
        }
    }

    /// Returns the lead after the update.
    ///
    /// # Errors
    ///
    /// Returns an [`InvalidReference`] if a record was not found or the stage belongs to a different pipeline. In that
    /// case, the store must not write anything.
    pub fn apply(&self, lead: &Lead, references: &LookupResult) -> Result<Lead, InvalidReference> {
        let mut lead = lead.clone();
        let edit = self.clone();
        if let Change::Set(target) = &edit.target {
            let Placement { pipeline_id, stage_id } = target.find(Placement::of(&lead).as_ref(), references)?;
            (lead.pipeline_id, lead.stage_id) = (Some(pipeline_id), Some(stage_id));
        } else if edit.target == Change::Clear {
            (lead.pipeline_id, lead.stage_id) = (None, None);
        }
        lead.name = edit.name.unwrap_or(lead.name);
        lead.value = edit.value.apply(lead.value);
        for (field, change) in OPTIONAL_TEXTS.iter().zip(edit.texts) {
            let text = field.get_mut(&mut lead);
            *text = change.apply(text.take());
        }
        Ok(lead)
    }
}

fn read_name(name: Change<String>, errors: &mut FieldErrors) -> Option<String> {
    match read_text(&text::NAME, name, errors) {
        Change::Keep => None,
        Change::Set(name) => Some(name),
        Change::Clear => {
            errors.push(FieldError::new("name", "is required and cannot be cleared"));
            None
        }
    }
}

fn read_text(rule: &TextRule, change: Change<String>, errors: &mut FieldErrors) -> Change<String> {
    match change {
        Change::Keep => Change::Keep,
        Change::Clear => Change::Clear,
        Change::Set(text) => rule.read(text, errors).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{ClientId, LeadId, PipelineId, StageId};

    fn lead() -> Lead {
        let mut lead = Lead::new(
            LeadId::parse("l1").unwrap(),
            ClientId::parse("c1").unwrap(),
            "Ann",
            "2026-05-04T07:58:12.004Z".parse().unwrap(),
        );
        lead.pipeline_id = Some(PipelineId::parse("p1").unwrap());
        lead.stage_id = Some(StageId::parse("s2").unwrap());
        lead.email = Some("ann@example.org".into());
        lead
    }

    /// Returns lookup results for an edit. Pipeline `p1` has the stages `s1` and `s2`, and `p9` has `s9`.
    fn references(edit: &LeadEdit) -> LookupResult {
        let named = edit.required_lookups();
        let stage = |id| StageId::parse(id).unwrap();
        LookupResult {
            client: None,
            first_stage: named.pipeline.and_then(|id| match id.as_str() {
                "p1" => Some(stage("s1")),
                "p9" => Some(stage("s9")),
                _ => None,
            }),
            stage_pipeline: named.stage.and_then(|id| match id.as_str() {
                "s1" | "s2" => Some(PipelineId::parse("p1").unwrap()),
                "s9" => Some(PipelineId::parse("p9").unwrap()),
                _ => None,
            }),
        }
    }

    fn place(body: &str) -> Result<String, String> {
        let edit = serde_json::from_str::<LeadPatch>(body).unwrap().check().map_err(|errors| errors.to_string())?;
        let lead = edit.apply(&lead(), &references(&edit)).map_err(|error| error.to_string())?;
        let text = |id: Option<String>| id.unwrap_or_else(|| "-".into());
        Ok(format!(
            "{} {}",
            text(lead.pipeline_id.map(|id| id.to_string())),
            text(lead.stage_id.map(|id| id.to_string()))
        ))
    }

    #[test]
    fn an_update_moves_the_lead_as_contract_d6_specifies() {
        for (body, result) in [
            (r#"{"name":"Bo"}"#, Ok("p1 s2")),
            (r#"{"stage_id":"s1"}"#, Ok("p1 s1")),
            (r#"{"stage_id":"s9"}"#, Ok("p9 s9")),
            (r#"{"pipeline_id":"p9"}"#, Ok("p9 s9")),
            (r#"{"pipeline_id":"p1"}"#, Ok("p1 s2")),
            (r#"{"pipeline_id":"p1","stage_id":"s1"}"#, Ok("p1 s1")),
            (r#"{"pipeline_id":"p9","stage_id":"s1"}"#, Err("stage_id belongs to another pipeline than pipeline_id")),
            (r#"{"pipeline_id":null}"#, Ok("- -")),
            (r#"{"stage_id":null}"#, Ok("- -")),
            (r#"{"stage_id":""}"#, Ok("- -")),
            (r#"{"pipeline_id":null,"stage_id":null}"#, Ok("- -")),
            (r#"{"pipeline_id":null,"stage_id":"s1"}"#, Err("pipeline_id must not be null while stage_id is set")),
            (r#"{"pipeline_id":"p1","stage_id":" "}"#, Err("stage_id must not be null while pipeline_id is set")),
            (r#"{"pipeline_id":"p7"}"#, Err("pipeline_id: no such pipeline")),
            (r#"{"stage_id":"no blanks"}"#, Err("stage_id: no such stage")),
        ] {
            assert_eq!(place(body), result.map(str::to_owned).map_err(str::to_owned), "{body}");
        }
    }

    #[test]
    fn merge_patch_keeps_clears_and_sets() {
        let edit = LeadPatch::new().clear_email().notes("called").name(" Bo ").check().unwrap();
        let after = edit.apply(&lead(), &references(&edit)).unwrap();
        assert_eq!((after.name.as_str(), after.email, after.notes.as_deref()), ("Bo", None, Some("called")));
        assert_eq!(after.stage_id, lead().stage_id);
    }

    #[test]
    fn an_empty_update_is_an_error_of_its_own_only_without_other_errors() {
        let errors_after = |mut errors: FieldErrors| {
            LeadEdit::read(LeadPatch::new(), &mut errors);
            errors.to_string()
        };
        let mut refused = FieldErrors::default();
        assert_eq!(errors_after(refused.clone()), "body has no field to change");
        refused.push(FieldError::new("client_id", "cannot be changed"));
        assert_eq!(errors_after(refused), "client_id cannot be changed");
    }

    #[test]
    fn a_name_cannot_be_cleared() {
        for body in [r#"{"name":null}"#, r#"{"name":" "}"#] {
            let errors = serde_json::from_str::<LeadPatch>(body).unwrap().check().unwrap_err();
            assert_eq!(errors.to_string(), "name is required and cannot be cleared");
        }
    }
}
