//! The body of a create, as the caller sends it (contract 4).

use serde::{Deserialize, Serialize, Serializer};

use super::amount::serialize_unchecked;
use crate::id::{ClientId, PipelineId, StageId};

/// The body of a create, before validation.
///
/// Validation (contract D4 and D6) turns it into a [`LeadDraft`](crate::validate::LeadDraft). The server validates
/// every body. A client can validate a lead with [`check`](Self::check) before it sends the lead.
///
/// ```
/// use leadapi_model::{id::ClientId, model::NewLead};
///
/// let lead = NewLead::new(&ClientId::parse("c1")?, "Øyvind Håkonsen").email("oyvind@example.no").value(5988);
/// assert_eq!(serde_json::to_string(&lead)?, r#"{"client_id":"c1","name":"Øyvind Håkonsen","email":"oyvind@example.no","value":5988}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(description = "A lead to create."))]
#[non_exhaustive]
#[serde(default)]
pub struct NewLead {
    /// The client account that the lead belongs to. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The name: 1 to 200 characters. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The e-mail address: at most 254 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The phone number: at most 50 characters, at least three of them digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// The origin of the lead: 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Free text: at most 10,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The potential value of the lead: any finite number.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_value")]
    pub value: Option<f64>,
    /// The pipeline. If no stage is set, the lead enters the pipeline's first stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline_id: Option<String>,
    /// The stage, which also determines the pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage_id: Option<String>,
    /// The name of the lead's own business: at most 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub business_name: Option<String>,
}

impl NewLead {
    /// Creates a lead for a client account, with a name and no other fields.
    ///
    /// ```
    /// # use leadapi_model::{id::ClientId, model::NewLead};
    /// let lead = NewLead::new(&ClientId::parse("c1")?, "Ann");
    /// assert_eq!(lead.name.as_deref(), Some("Ann"));
    /// # Ok::<(), leadapi_model::id::InvalidId>(())
    /// ```
    #[must_use]
    pub fn new(client_id: &ClientId, name: impl Into<String>) -> Self {
        Self { client_id: Some(client_id.to_string()), name: Some(name.into()), ..Self::default() }
    }

    /// Sets the value, in major currency units.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::NewLead};
    /// let lead = NewLead::new(&ClientId::parse("c1")?, "Ann").value(450.5);
    /// assert_eq!(lead.value, Some(450.5));
    /// # Ok::<(), InvalidId>(())
    /// ```
    #[must_use]
    pub fn value(mut self, value: impl Into<f64>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// Puts the lead into the first stage of a pipeline.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::NewLead};
    /// let lead = NewLead::new(&ClientId::parse("c1")?, "Ann").pipeline(&PipelineId::parse("p1")?);
    /// assert_eq!(lead.pipeline_id.as_deref(), Some("p1"));
    /// # Ok::<(), InvalidId>(())
    /// ```
    #[must_use]
    pub fn pipeline(mut self, pipeline_id: &PipelineId) -> Self {
        self.pipeline_id = Some(pipeline_id.to_string());
        self
    }

    /// Puts the lead into a stage and into the pipeline that contains it.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::NewLead};
    /// let lead = NewLead::new(&ClientId::parse("c1")?, "Ann").stage(&StageId::parse("s1")?);
    /// assert_eq!(lead.stage_id.as_deref(), Some("s1"));
    /// # Ok::<(), InvalidId>(())
    /// ```
    #[must_use]
    pub fn stage(mut self, stage_id: &StageId) -> Self {
        self.stage_id = Some(stage_id.to_string());
        self
    }
}

/// Lets imports accept rows that are leads, references to leads, or types that contain a lead.
impl AsRef<Self> for NewLead {
    fn as_ref(&self) -> &Self {
        self
    }
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn write_value<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(number) => serialize_unchecked(*number, serializer),
        None => serializer.serialize_none(),
    }
}

macro_rules! text_setters {
    ($($field:ident)*) => {
        impl NewLead {
            $(
                #[doc = concat!("Sets `", stringify!($field), "`.")]
                ///
                /// ```
                /// # use leadapi_model::{id::ClientId, model::NewLead};
                #[doc = concat!("let lead = NewLead::new(&ClientId::parse(\"c1\")?, \"Ann\").", stringify!($field), "(\"text\");")]
                #[doc = concat!("assert_eq!(lead.", stringify!($field), ".as_deref(), Some(\"text\"));")]
                /// # Ok::<(), leadapi_model::id::InvalidId>(())
                /// ```
                #[must_use]
                pub fn $field(mut self, $field: impl Into<String>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )*
        }
    };
}

text_setters! { email phone source notes business_name }
