//! The body of an update as the caller sends it: a JSON Merge Patch (contract D5).

use serde::{Deserialize, Serialize, Serializer};

use super::{Change, amount::serialize_unchecked};
use crate::id::{PipelineId, StageId};

/// The body of an update, before validation.
///
/// Validation (contract D4 to D6) turns it into a [`LeadEdit`](crate::validate::LeadEdit). A [`Change::Keep`] field is
/// absent from the wire.
///
/// ```
/// use leadapi_model::model::LeadPatch;
///
/// let patch = LeadPatch::new().name("Ann").clear_email();
/// assert_eq!(serde_json::to_string(&patch)?, r#"{"name":"Ann","email":null}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "openapi",
    schemars(
        description = "Changes to a lead, as a JSON Merge Patch. An absent field keeps its value, `null` clears the \
            field, and any other value sets it."
    )
)]
#[non_exhaustive]
#[serde(default)]
pub struct LeadPatch {
    /// The name: 1 to 200 characters. It cannot be cleared.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub name: Change<String>,
    /// The e-mail address: at most 254 characters.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub email: Change<String>,
    /// The phone number: at most 50 characters, at least three of them digits.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub phone: Change<String>,
    /// The origin of the lead: 1 to 100 characters.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub source: Change<String>,
    /// Free text: at most 10,000 characters.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub notes: Change<String>,
    /// The potential value of the lead: any finite number.
    #[serde(skip_serializing_if = "Change::is_keep", serialize_with = "write_value")]
    pub value: Change<f64>,
    /// The pipeline. A lead from a different pipeline enters the first stage of this pipeline; a lead that is already
    /// in this pipeline keeps its stage (contract D6).
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub pipeline_id: Change<String>,
    /// The stage, which also determines the pipeline (contract D6).
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub stage_id: Change<String>,
    /// The name of the lead's own business: at most 200 characters.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub business_name: Change<String>,
}

impl LeadPatch {
    /// Creates an empty patch. The service rejects an empty patch (contract D5).
    ///
    /// ```
    /// # use leadapi_model::model::LeadPatch;
    /// assert_eq!(serde_json::to_string(&LeadPatch::new())?, "{}");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name, which cannot be cleared.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::LeadPatch};
    /// let patch = LeadPatch::new().name("Ann");
    /// assert_eq!(serde_json::to_string(&patch)?, r#"{"name":"Ann"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Change::Set(name.into());
        self
    }

    /// Sets the value, in major currency units.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::LeadPatch};
    /// let patch = LeadPatch::new().value(450);
    /// assert_eq!(serde_json::to_string(&patch)?, r#"{"value":450}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn value(mut self, value: impl Into<f64>) -> Self {
        self.value = Change::Set(value.into());
        self
    }

    /// Clears the value.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::LeadPatch};
    /// let patch = LeadPatch::new().clear_value();
    /// assert_eq!(serde_json::to_string(&patch)?, r#"{"value":null}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn clear_value(mut self) -> Self {
        self.value = Change::Clear;
        self
    }

    /// Moves the lead to the first stage of a pipeline. A lead that is already in that pipeline keeps its stage.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::LeadPatch};
    /// let patch = LeadPatch::new().pipeline(&PipelineId::parse("p1")?);
    /// assert_eq!(serde_json::to_string(&patch)?, r#"{"pipeline_id":"p1"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn pipeline(mut self, pipeline_id: &PipelineId) -> Self {
        self.pipeline_id = Change::Set(pipeline_id.to_string());
        self
    }

    /// Moves the lead to a stage and to the pipeline that contains it.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::LeadPatch};
    /// let patch = LeadPatch::new().stage(&StageId::parse("s1")?);
    /// assert_eq!(serde_json::to_string(&patch)?, r#"{"stage_id":"s1"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn stage(mut self, stage_id: &StageId) -> Self {
        self.stage_id = Change::Set(stage_id.to_string());
        self
    }

    /// Removes the lead from its pipeline and stage.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::LeadPatch};
    /// let patch = LeadPatch::new().clear_pipeline();
    /// assert_eq!(serde_json::to_string(&patch)?, r#"{"pipeline_id":null,"stage_id":null}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn clear_pipeline(mut self) -> Self {
        self.pipeline_id = Change::Clear;
        self.stage_id = Change::Clear;
        self
    }
}

fn write_value<S: Serializer>(value: &Change<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Change::Set(number) => serialize_unchecked(*number, serializer),
        Change::Keep | Change::Clear => serializer.serialize_none(),
    }
}

macro_rules! text_changes {
    ($($field:ident $clear:ident)*) => {
        impl LeadPatch {
            $(
                #[doc = concat!("Sets `", stringify!($field), "`.")]
                ///
                /// ```
                /// # use leadapi_model::model::{Change, LeadPatch};
                #[doc = concat!("let patch = LeadPatch::new().", stringify!($field), "(\"text\");")]
                #[doc = concat!("assert_eq!(patch.", stringify!($field), ", Change::Set(\"text\".to_owned()));")]
                /// ```
                #[must_use]
                pub fn $field(mut self, $field: impl Into<String>) -> Self {
                    self.$field = Change::Set($field.into());
                    self
                }

                #[doc = concat!("Clears `", stringify!($field), "`.")]
                ///
                /// ```
                /// # use leadapi_model::model::{Change, LeadPatch};
                #[doc = concat!("assert_eq!(LeadPatch::new().", stringify!($clear), "().", stringify!($field), ", Change::Clear);")]
                /// ```
                #[must_use]
                pub fn $clear(mut self) -> Self {
                    self.$field = Change::Clear;
                    self
                }
            )*
        }
    };
}

text_changes! {
    email clear_email
    phone clear_phone
    source clear_source
    notes clear_notes
    business_name clear_business_name
}
