//! Typed opaque identifiers (contract D4). Each kind of record has its own id type, so the compiler catches mix-ups.

use std::{borrow::Borrow, fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The maximum length of an id in characters (contract D4).
pub const MAX_ID_CHARS: usize = 64;

/// The error for text that is not a valid id: 1 to 64 visible ASCII characters (contract D4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an id must be 1 to {MAX_ID_CHARS} visible ASCII characters")]
pub struct InvalidId;

fn check(text: &str) -> Result<(), InvalidId> {
    if (1..=MAX_ID_CHARS).contains(&text.len()) && is_visible(text) { Ok(()) } else { Err(InvalidId) }
}

/// Returns whether all characters are visible ASCII.
pub(crate) fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

macro_rules! opaque_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// An opaque string of 1 to 64 visible ASCII characters (contract D4), cheap to clone.
        ///
        /// ```
        #[doc = concat!("use leadapi_model::id::", stringify!($name), ";")]
        ///
        #[doc = concat!("let id = ", stringify!($name), "::parse(\"019bb17b-d806-7737-af83-b92ecab0df7d\")?;")]
        /// assert_eq!(id.as_str(), "019bb17b-d806-7737-af83-b92ecab0df7d");
        #[doc = concat!("assert!(", stringify!($name), "::parse(\"no blanks\").is_err());")]
        /// # Ok::<(), leadapi_model::id::InvalidId>(())
        /// ```
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(
            feature = "openapi",
            derive(schemars::JsonSchema),
            schemars(inline, extend("minLength" = 1, "maxLength" = MAX_ID_CHARS, "pattern" = "^[!-~]+$"))
        )]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses an id.
            ///
            /// # Errors
            ///
            /// [`InvalidId`] when the text is not 1 to 64 visible ASCII characters.
            pub fn parse(text: impl AsRef<str>) -> Result<Self, InvalidId> {
                let text = text.as_ref();
                check(text).map(|()| Self(text.into()))
            }

            /// Returns the id as it appears on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        /// Writes the UUID in lower case, with hyphens.
        #[cfg(feature = "uuid")]
        impl From<uuid::Uuid> for $name {
            fn from(uuid: uuid::Uuid) -> Self {
                let mut buffer = uuid::Uuid::encode_buffer();
                Self((&*uuid.hyphenated().encode_lower(&mut buffer)).into())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                Self::parse(text)
            }
        }

        /// Shares the text without copying it.
        impl From<$name> for Arc<str> {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                // Deserializes an owned `String`, because a JSON string that contains escapes cannot be borrowed.
                let text = String::deserialize(deserializer)?;
                Self::parse(text).map_err(de::Error::custom)
            }
        }
    };
}

opaque_id! {
    /// The id of a business, the tenant that owns tokens, client accounts, pipelines and leads.
    BusinessId
}
opaque_id! {
    /// The id of a client account of a business.
    ClientId
}
opaque_id! {
    /// The id of a form definition record.
    FormId
}
opaque_id! {
    /// The id of a lead.
    LeadId
}
opaque_id! {
    /// The id of a pipeline. All client accounts of a business share its pipelines.
    PipelineId
}
opaque_id! {
    /// The id of a stage of a pipeline.
    StageId
}
opaque_id! {
    /// The id of an API token's record. It reveals nothing about the secret.
    TokenId
}
opaque_id! {
    /// The id of a person's session in the API settings. It reveals nothing about the session's secret.
    SessionId
}
opaque_id! {
    /// The id of an entry in the audit log of a business.
    AuditEntryId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_1_to_64_visible_ascii_characters() {
        for good in ["a", "~!/%", &"x".repeat(64)] {
            assert_eq!(LeadId::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", " ", "a b", "é", "a\0", "\u{7f}", &"x".repeat(65)] {
            assert_eq!(LeadId::parse(bad), Err(InvalidId), "{bad:?}");
        }
    }

    #[cfg(feature = "uuid")]
    #[test]
    fn a_uuid_is_an_id_in_lower_case() {
        let text = "019DF1FE-AA24-7216-AB13-247EE211394A";
        assert_eq!(LeadId::from(text.parse::<uuid::Uuid>().unwrap()).as_str(), text.to_lowercase());
    }

    #[test]
    fn an_id_is_a_json_string() {
        let id: StageId = serde_json::from_str(r#""\u0061b""#).unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), r#""ab""#);
        assert!(serde_json::from_str::<StageId>(r#""""#).is_err());
    }
}
