//! The checkpoint of a poller.

use std::collections::BTreeSet;

use leadapi_model::{
    id::LeadId,
    model::{LeadItem, Timestamp},
};
use serde::{Deserialize, Serialize};

/// The version of the serialized form.
const VERSION: u32 = 1;
/// The maximum number of leads that a checkpoint remembers by id.
pub(super) const MAX_REMEMBERED: usize = 1_000;
/// The latest timestamp that the service can represent (the end of the year 9999), in milliseconds since the Unix
/// epoch.
const LATEST: i64 = 253_402_300_799_999;

/// A returned lead: its `created_at` in milliseconds since the Unix epoch, and its id.
type ReturnedLead = (i64, LeadId);

/// A record of the leads that a [`Poller`](super::Poller) has returned so far.
///
/// A checkpoint can be serialized with serde and passed to another process
/// ([`Leads::poll_created`](crate::Leads::poll_created)). The serialized form is opaque. It contains no lead data
/// except the ids and creation times of at most 1,000 leads. The default checkpoint treats every lead as new, and
/// [`Checkpoint::at`] starts at a timestamp.
///
/// ```
/// use leadapi_client::{model::LeadQuery, pager::Checkpoint};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # support::run(async |client| {
/// let new = client.leads().poll_created(LeadQuery::new(), Checkpoint::default()).poll().await?;
/// assert_eq!(new.leads.len(), 1);
/// let saved = serde_json::to_string(&new.checkpoint)?;
///
/// // Some time later, in another process:
/// let checkpoint: Checkpoint = serde_json::from_str(&saved)?;
/// let new = client.leads().poll_created(LeadQuery::new(), checkpoint).poll().await?;
/// assert!(new.leads.is_empty());
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "CheckpointRecord", try_from = "CheckpointRecord")]
pub struct Checkpoint {
    /// Leads created before this time are never returned, even if they are new to the poller.
    floor: Option<i64>,
    /// The returned leads that were created at or after the floor.
    returned: BTreeSet<ReturnedLead>,
}

impl Checkpoint {
    /// Creates an empty checkpoint that ignores leads created before `start`.
    ///
    /// ```
    /// use leadapi_client::{model::LeadQuery, pager::Checkpoint};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # support::run(async |client| {
    /// let new = client.leads().poll_created(LeadQuery::new(), Checkpoint::at("2026-06-01T00:00:00Z".parse()?)).poll().await?;
    /// assert!(new.leads.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn at(start: Timestamp) -> Self {
        Self { floor: Some(millis(start)), returned: BTreeSet::new() }
    }

    /// Returns whether this lead, and therefore every lead after it in the list, is too old to be returned.
    pub(super) fn excludes(&self, lead: &LeadItem) -> bool {
        self.floor.is_some_and(|floor| millis(lead.created_at) < floor)
    }

    pub(super) fn has_returned(&self, lead: &LeadItem) -> bool {
        self.returned.contains(&(millis(lead.created_at), lead.id.clone()))
    }

    /// Returns the checkpoint after a poll that returned `leads` and began at `now`. `now` and `overlap` are in
    /// milliseconds.
    ///
    /// The floor moves up to the newest lead minus the overlap. It never moves back, because leads that are no longer
    /// remembered would then be returned again. A `created_at` in the future counts as `now`. Such a time comes from a
    /// wrong clock or an import, and a floor based on it would hide all other new leads.
    pub(super) fn after(mut self, leads: &[LeadItem], now: i64, overlap: i64) -> Self {
        self.returned.extend(leads.iter().map(|lead| (millis(lead.created_at), lead.id.clone())));
        let newest = self.returned.last().map(|(at, _)| (*at).min(now));
        self.floor = self.floor.max(newest.map(|newest| newest.saturating_sub(overlap)));
        self.forget_before_floor();
        // If there are too many leads to remember, the floor moves past the oldest ones, so that later polls do not
        // reread them. Leads with the same timestamp are dropped together, because the floor cannot separate them.
        // Leads dated in the future do not move the floor. If there are more than `MAX_REMEMBERED` of them, the poller
        // returns some of them again, which is better than missing leads.
        while self.returned.len() > MAX_REMEMBERED {
            let Some((oldest, _)) = self.returned.first().cloned() else { break };
            if oldest <= now {
                self.floor = Some(oldest + 1);
                self.forget_before_floor();
            } else {
                self.returned.pop_first();
            }
        }
        self
    }

    fn forget_before_floor(&mut self) {
        if let Some(floor) = self.floor {
            self.returned.retain(|(at, _)| *at >= floor);
        }
    }
}

pub(super) fn millis(timestamp: Timestamp) -> i64 {
    timestamp.unix_millis()
}

/// The serialized form of a checkpoint.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CheckpointRecord {
    version: u32,
    floor: Option<i64>,
    #[serde(rename = "told")]
    returned: Vec<ReturnedLead>,
}

impl From<Checkpoint> for CheckpointRecord {
    fn from(Checkpoint { floor, returned }: Checkpoint) -> Self {
        Self { version: VERSION, floor, returned: returned.into_iter().collect() }
    }
}

/// The error for a checkpoint that a later version of this crate wrote, or that is malformed.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidCheckpoint {
    #[error("unsupported checkpoint version {0} (supported: {VERSION})")]
    Version(u32),
    #[error("a checkpoint may contain at most {MAX_REMEMBERED} leads, and no timestamp after the year 9999")]
    OutOfRange,
}

impl TryFrom<CheckpointRecord> for Checkpoint {
    type Error = InvalidCheckpoint;

    fn try_from(CheckpointRecord { version, floor, returned }: CheckpointRecord) -> Result<Self, InvalidCheckpoint> {
        let timestamps = floor.iter().chain(returned.iter().map(|(at, _)| at));
        if version != VERSION {
            Err(InvalidCheckpoint::Version(version))
        } else if returned.len() > MAX_REMEMBERED || timestamps.max().is_some_and(|latest| *latest > LATEST) {
            Err(InvalidCheckpoint::OutOfRange)
        } else {
            Ok(Self { floor, returned: returned.into_iter().collect() })
        }
    }
}
