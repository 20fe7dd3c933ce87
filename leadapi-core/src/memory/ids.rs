//! The default source of ids: version 7 UUIDs in lower case (contract D4).

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use uuid::{ContextV7, Uuid};

use crate::{id::LeadId, model::Timestamp, port::IdSource};

/// A generator of version 7 UUIDs. Each id is greater than all earlier ids from the same generator.
///
/// ```
/// use leadapi_core::{memory::Uuids, port::IdSource};
///
/// let (ids, at) = (Uuids::default(), "2026-05-04T07:58:12.004Z".parse()?);
/// let (first, second) = (ids.lead_id(at), ids.lead_id(at));
/// assert!(first < second);
/// assert!(first.as_str().starts_with("019df1fe-aa24-7"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Uuids(Mutex<ContextV7>);

impl Default for Uuids {
    fn default() -> Self {
        Self(Mutex::new(ContextV7::new()))
    }
}

impl IdSource for Uuids {
    fn lead_id(&self, at: Timestamp) -> LeadId {
        // UUIDv7 cannot represent a time before 1970, so earlier times are clamped to 1970. The time in an id serves
        // only to order the ids.
        let at = Duration::from_millis(u64::try_from(at.unix_millis()).unwrap_or(0));
        let context = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Uuid::new_v7(uuid::Timestamp::from_unix(&*context, at.as_secs(), at.subsec_nanos())).into()
    }
}
