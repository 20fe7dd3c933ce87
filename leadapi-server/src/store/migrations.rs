//! The migrations of both databases, each from one version of the schema to the next.
//!
//! A released migration must not change: databases record how many they have run. A short one, such as a new column,
//! can be written here as text.

pub(super) const POSTGRES: &[&str] = &[include_str!("postgres/0001.sql"), include_str!("postgres/0002.sql")];

pub(super) const SQLITE: &[&str] = &[include_str!("sqlite/0001.sql"), include_str!("sqlite/0002.sql")];
