//! The body of a create, as the caller sends it (contract, POST /leads).

use serde::{Deserialize, Serialize, Serializer};

use super::amount::serialize_unchecked;
use crate::id::{ClientId, PipelineId, StageId};

/// The body of a create, before validation.
///
/// The rules of contract D4 and D6 turn it into a [`LeadDraft`](crate::validate::LeadDraft). The server applies them
/// to every body. A caller can apply them before it sends the lead, with [`check`](Self::check).
///
/// ```
/// use leadapi_core::{id::ClientId, model::NewLead};
///
/// let lead = NewLead::new(&ClientId::parse("c1")?, "Øyvind Håkonsen").email("oyvind@example.no").value(5988);
/// assert_eq!(serde_json::to_string(&lead)?, r#"{"client_id":"c1","name":"Øyvind Håkonsen","email":"oyvind@example.no","value":5988}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(description = "A lead to be created."))]
#[non_exhaustive]
#[serde(default)]
pub struct NewLead {
    /// The client account that the lead belongs to. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// 1 to 200 characters. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// At most 254 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// At most 50 characters, at least three of them digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// At most 10,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Any finite number.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_value")]
    pub value: Option<f64>,
    /// The pipeline. Without a stage, the lead enters its first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline_id: Option<String>,
    /// The stage. It determines the pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage_id: Option<String>,
    /// At most 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub business_name: Option<String>,
}

impl NewLead {
    /// Creates a lead of this client account with this name and no other field.
    ///
    /// ```
    /// # use leadapi_core::{id::ClientId, model::NewLead};
    /// let lead = NewLead::new(&ClientId::parse("c1")?, "Ann");
    /// assert_eq!(lead.name.as_deref(), Some("Ann"));
    /// # Ok::<(), leadapi_core::id::InvalidId>(())
    /// ```
    #[must_use]
    pub fn new(client_id: &ClientId, name: impl Into<String>) -> Self {
        Self { client_id: Some(client_id.to_string()), name: Some(name.into()), ..Self::default() }
    }

    /// Sets the value, in major currency units.
    ///
    /// ```
    /// # use leadapi_core::{id::*, model::NewLead};
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
    /// # use leadapi_core::{id::*, model::NewLead};
    /// let lead = NewLead::new(&ClientId::parse("c1")?, "Ann").pipeline(&PipelineId::parse("p1")?);
    /// assert_eq!(lead.pipeline_id.as_deref(), Some("p1"));
    /// # Ok::<(), InvalidId>(())
    /// ```
    #[must_use]
    pub fn pipeline(mut self, pipeline_id: &PipelineId) -> Self {
        self.pipeline_id = Some(pipeline_id.to_string());
        self
    }

    /// Puts the lead into a stage, and thereby into its pipeline.
    ///
    /// ```
    /// # use leadapi_core::{id::*, model::NewLead};
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

/// Lets a row of an import be a lead, a reference to one, or any type that contains one.
impl AsRef<Self> for NewLead {
    fn as_ref(&self) -> &Self {
        self
    }
}

#[expect(clippy::ref_option, reason = "serde hands over the field as it is")]
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
                /// # use leadapi_core::{id::ClientId, model::NewLead};
                #[doc = concat!("let lead = NewLead::new(&ClientId::parse(\"c1\")?, \"Ann\").", stringify!($field), "(\"text\");")]
                #[doc = concat!("assert_eq!(lead.", stringify!($field), ".as_deref(), Some(\"text\"));")]
                /// # Ok::<(), leadapi_core::id::InvalidId>(())
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
