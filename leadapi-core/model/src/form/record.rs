//! The `record!` macro, which declares a type with a field for each known member of an object, and keeps the unknown
//! members.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use super::{field::Field, raw::Raw};

/// The members of an object that this crate does not know, by name (contract D11).
pub type Extra = BTreeMap<String, Raw>;

/// Removes a member from the parsed members and converts it to its type.
pub(super) fn take<T: DeserializeOwned>(members: &mut Extra, key: &str) -> Field<T> {
    members.remove(key).map_or(Field::Absent, Field::read)
}

/// Declares a record type from `field: type = "wire name"` lines, and implements serde for it.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $key:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$field_doc])*
            ///
            #[doc = concat!("Serialized as `", $key, "`.")]
            pub $field: $type,)+
            /// The members that this crate does not know. Entries named in [`KEYS`](Self::KEYS) are not written,
            /// because those members have their own fields.
            pub extra: $crate::form::Extra,
        }

        impl $name {
            /// The wire names of the members that have a field, in the order in which they are written.
            pub const KEYS: &[&str] = &[$($key),+];
        }

        impl $crate::form::Inspect for $name {
            const EXPECTED: &'static str = "an object";

            fn inspect(&self, inspector: &mut dyn $crate::form::Inspector) {
                $($crate::form::inspect::member(inspector, $key, |inspector| self.$field.inspect(inspector));)+
                self.extra.keys().for_each(|name| inspector.unknown(name, Self::KEYS));
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;

                let mut map = serializer.serialize_map(None)?;
                $(if !self.$field.is_absent() {
                    map.serialize_entry($key, &self.$field)?;
                })+
                for (key, raw) in &self.extra {
                    if !Self::KEYS.contains(&key.as_str()) {
                        map.serialize_entry(key, raw)?;
                    }
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut members = <$crate::form::Extra as serde::Deserialize>::deserialize(deserializer)?;
                Ok(Self {
                    $($field: $crate::form::record::take(&mut members, $key),)+
                    extra: members,
                })
            }
        }
    };
}

pub(super) use record;

#[cfg(test)]
mod tests {
    use super::super::Choice;
    use super::*;

    #[test]
    fn known_members_are_written_in_contract_order_and_the_others_by_name() {
        let choice: Choice = serde_json::from_str(r#"{"z":1,"score":2,"a":{"b":3.0},"id":"o"}"#).unwrap();
        assert_eq!(serde_json::to_string(&choice).unwrap(), r#"{"id":"o","score":2,"a":{"b":3.0},"z":1}"#);
    }

    #[test]
    fn the_last_member_of_a_name_wins() {
        let choice: Choice = serde_json::from_str(r#"{"id":"a","x":1,"id":2,"x":3}"#).unwrap();
        assert_eq!(serde_json::to_string(&choice).unwrap(), r#"{"id":2,"x":3}"#);
    }

    #[test]
    fn no_member_is_written_twice() {
        let mut choice = Choice::default();
        choice.id.set("a");
        choice.extra.insert("id".into(), Raw::parse("1").unwrap());
        assert_eq!(serde_json::to_string(&choice).unwrap(), r#"{"id":"a"}"#);
    }

    #[test]
    fn an_array_is_not_a_record() {
        assert!(serde_json::from_str::<Choice>(r#"["o","label",5]"#).is_err());
    }
}
