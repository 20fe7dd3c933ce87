//! The migrations of both databases, each from one version of the schema to the next.
//!
//! A released migration must not change, because each database records only how many migrations it has run. A short
//! migration, such as one that adds a column, can be inlined here.

pub(super) const POSTGRES: &[&str] = &[
    include_str!("postgres/0001.sql"),
    include_str!("postgres/0002.sql"),
    include_str!("postgres/0003.sql"),
    include_str!("postgres/0004.sql"),
    include_str!("postgres/0005.sql"),
];

pub(super) const SQLITE: &[&str] = &[
    include_str!("sqlite/0001.sql"),
    include_str!("sqlite/0002.sql"),
    include_str!("sqlite/0003.sql"),
    include_str!("sqlite/0004.sql"),
    include_str!("sqlite/0005.sql"),
];
