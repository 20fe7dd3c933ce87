//! The lead and its list item (contract 2.1 and D2).

use serde::{Deserialize, Serialize};

use super::{Amount, Timestamp};
use crate::id::{ClientId, LeadId, PipelineId, StageId};

/// A lead, with exactly the fields of contract 2.1. All of them are always on the wire; an unset field is `null`
/// (contract D2).
///
/// ```
/// use leadapi_model::{id::{ClientId, LeadId}, model::Lead};
///
/// let mut lead = Lead::new(LeadId::parse("l1")?, ClientId::parse("c1")?, "Élodie", "2026-05-04T07:58:12.004Z".parse()?);
/// lead.email = Some("elodie@example.fr".into());
/// assert!(serde_json::to_string(&lead)?.starts_with(r#"{"id":"l1","client_id":"c1","name":"Élodie","email":"elodie@"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "openapi",
    schemars(description = "A lead. Every field is always present. An unset field is `null`.")
)]
#[non_exhaustive]
pub struct Lead {
    /// Identifier of the lead.
    pub id: LeadId,
    /// The client account that the lead belongs to. It cannot be changed.
    pub client_id: ClientId,
    /// The name of the lead: 1 to 200 characters.
    pub name: String,
    /// The e-mail address as the caller sent it, with its case preserved.
    pub email: Option<String>,
    /// The phone number as the caller sent it. No country code is added.
    pub phone: Option<String>,
    /// The origin of the lead, as free text.
    pub source: Option<String>,
    /// Free text that may contain line breaks. Not included in list items.
    pub notes: Option<String>,
    /// The potential value of the lead, in major currency units.
    pub value: Option<Amount>,
    /// The lead's pipeline; set exactly when [`stage_id`](Self::stage_id) is.
    #[cfg_attr(
        feature = "openapi",
        schemars(description = "The pipeline that the lead is in. Set if and only if `stage_id` is set.")
    )]
    pub pipeline_id: Option<PipelineId>,
    /// The lead's stage; set exactly when [`pipeline_id`](Self::pipeline_id) is.
    #[cfg_attr(
        feature = "openapi",
        schemars(description = "The stage that the lead is in. Set if and only if `pipeline_id` is set.")
    )]
    pub stage_id: Option<StageId>,
    /// The name of the lead's own business. Not included in list items.
    pub business_name: Option<String>,
    /// The time at which the lead was created.
    pub created_at: Timestamp,
}

impl Lead {
    /// Creates a lead from the four fields that are always set. The other fields are public and can be set afterwards.
    ///
    /// Nothing is validated. This constructor is for tests and for stores, which read leads from rows.
    ///
    /// ```
    /// # use leadapi_model::{id::{ClientId, LeadId}, model::Lead};
    /// let lead = Lead::new(LeadId::parse("l1")?, ClientId::parse("c1")?, "Ann", "2026-05-04T07:58:12.004Z".parse()?);
    /// assert_eq!(lead.email, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(id: LeadId, client_id: ClientId, name: impl Into<String>, created_at: Timestamp) -> Self {
        Self {
            id,
            client_id,
            name: name.into(),
            email: None,
            phone: None,
            source: None,
            notes: None,
            value: None,
            pipeline_id: None,
            stage_id: None,
            business_name: None,
            created_at,
        }
    }
}

/// A lead in a list, with exactly the fields of a list item in contract 2.1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LeadItem {
    /// See [`Lead::id`].
    pub id: LeadId,
    /// See [`Lead::client_id`].
    pub client_id: ClientId,
    /// See [`Lead::name`].
    pub name: String,
    /// See [`Lead::email`].
    pub email: Option<String>,
    /// See [`Lead::phone`].
    pub phone: Option<String>,
    /// See [`Lead::source`].
    pub source: Option<String>,
    /// See [`Lead::value`].
    pub value: Option<Amount>,
    /// See [`Lead::pipeline_id`].
    pub pipeline_id: Option<PipelineId>,
    /// See [`Lead::stage_id`].
    pub stage_id: Option<StageId>,
    /// See [`Lead::created_at`].
    pub created_at: Timestamp,
}

impl From<Lead> for LeadItem {
    fn from(lead: Lead) -> Self {
        Self {
            id: lead.id,
            client_id: lead.client_id,
            name: lead.name,
            email: lead.email,
            phone: lead.phone,
            source: lead.source,
            value: lead.value,
            pipeline_id: lead.pipeline_id,
            stage_id: lead.stage_id,
            created_at: lead.created_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_its_fields_in_this_order() {
        let (id, client) = (LeadId::parse("l1").unwrap(), ClientId::parse("c1").unwrap());
        let mut lead = Lead::new(id, client, "Ann", "2026-05-04T07:58:12.004Z".parse().unwrap());
        lead.value = Some(450.into());
        lead.stage_id = Some(StageId::parse("s1").unwrap());
        lead.notes = Some("not listed".into());
        assert_eq!(
            serde_json::to_string(&LeadItem::from(lead)).unwrap(),
            r#"{"id":"l1","client_id":"c1","name":"Ann","email":null,"phone":null,"source":null,"value":450,"pipeline_id":null,"stage_id":"s1","created_at":"2026-05-04T07:58:12.004Z"}"#
        );
    }

    #[test]
    fn a_field_of_a_later_version_does_not_break_the_reader() {
        let lead: Lead = serde_json::from_str(
            r#"{"id":"l1","client_id":"c1","name":"Ann","created_at":"2026-05-04T07:58:12.004Z","score":{"x":1}}"#,
        )
        .unwrap();
        assert_eq!(lead.name, "Ann");
    }
}
