//! The checkpoint of a poller.

use std::collections::BTreeSet;

use leadapi_core::{
    id::LeadId,
    model::{LeadItem, Timestamp},
};
use serde::{Deserialize, Serialize};

/// The version of the serialized form.
const VERSION: u32 = 1;
/// Maximum number of leads that a mark remembers by id.
pub(super) const MOST_REMEMBERED: usize = 1_000;
/// The latest timestamp that the service can express (the end of the year 9999), in milliseconds since 1970.
const LATEST: i64 = 253_402_300_799_999;

/// A lead's `created_at` in milliseconds since 1970, and its id.
type Told = (i64, LeadId);

/// A checkpoint: the leads that a [`Poller`](super::Poller) has returned so far.
///
/// It can be serialized with serde and passed to another process ([`Leads::new_since`](crate::Leads::new_since)). The
/// serialized form is opaque. It contains no lead data except the ids and creation times of the latest leads, at most
/// 1,000 of them. With the default mark every lead is new; [`Mark::at`] starts at a timestamp.
///
/// ```
/// use leadapi_client::{model::LeadQuery, walk::Mark};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # fn main() { futures_executor::block_on(async {
/// # let client = in_process();
/// let new = client.leads().new_since(LeadQuery::new(), Mark::default()).poll().await?;
/// assert_eq!(new.leads.len(), 1);
/// let written = serde_json::to_string(&new.mark)?;
///
/// // Some time later, in another process:
/// let mark: Mark = serde_json::from_str(&written)?;
/// let new = client.leads().new_since(LeadQuery::new(), mark).poll().await?;
/// assert!(new.leads.is_empty());
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap() }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written")]
pub struct Mark {
    /// Leads created before this are never returned, whether or not they were returned before.
    floor: Option<i64>,
    /// The returned leads that were created at or after the floor.
    told: BTreeSet<Told>,
}

impl Mark {
    /// Creates a mark that has returned nothing and ignores leads created before `moment`.
    ///
    /// ```
    /// use leadapi_client::{model::LeadQuery, walk::Mark};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let new = client.leads().new_since(LeadQuery::new(), Mark::at("2026-06-01T00:00:00Z".parse()?)).poll().await?;
    /// assert!(new.leads.is_empty());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    pub fn at(moment: Timestamp) -> Self {
        Self { floor: Some(millis(moment)), told: BTreeSet::new() }
    }

    /// Returns whether this lead, and so every lead after it in the list, is too old to be returned.
    pub(super) fn is_below(&self, lead: &LeadItem) -> bool {
        self.floor.is_some_and(|floor| millis(lead.created_at) < floor)
    }

    pub(super) fn has_told(&self, lead: &LeadItem) -> bool {
        self.told.contains(&(millis(lead.created_at), lead.id.clone()))
    }

    /// Returns the mark after `told` was returned by a poll that began at `now`. Both `now` and `overlap` are
    /// milliseconds.
    ///
    /// The floor never moves back: a lead that was returned long ago and is no longer remembered would be returned
    /// again. It moves up to the newest lead minus the overlap. A `created_at` in the future counts as `now`: such a
    /// date comes from a wrong clock or an import, and a floor beyond it would hide every other lead.
    pub(super) fn and(mut self, told: &[LeadItem], now: i64, overlap: i64) -> Self {
        self.told.extend(told.iter().map(|lead| (millis(lead.created_at), lead.id.clone())));
        let newest = self.told.last().map(|(at, _)| (*at).min(now));
        self.floor = self.floor.max(newest.map(|newest| newest.saturating_sub(overlap)));
        self.forget_what_is_below();
        // Too many to remember: the floor passes the oldest, so that they are not read again. Leads with the same
        // timestamp are dropped together, because the floor cannot separate them. The floor never passes the present.
        // If more than `MOST_REMEMBERED` leads are dated in the future, some are repeated, which is better than
        // losing leads.
        while self.told.len() > MOST_REMEMBERED {
            let Some((oldest, _)) = self.told.first().cloned() else { break };
            if oldest <= now {
                self.floor = Some(oldest + 1);
                self.forget_what_is_below();
            } else {
                self.told.pop_first();
            }
        }
        self
    }

    fn forget_what_is_below(&mut self) {
        if let Some(floor) = self.floor {
            self.told.retain(|(at, _)| *at >= floor);
        }
    }
}

pub(super) fn millis(moment: Timestamp) -> i64 {
    moment.unix_millis()
}

/// The serialized form of a mark.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    version: u32,
    floor: Option<i64>,
    told: Vec<Told>,
}

impl From<Mark> for Written {
    fn from(Mark { floor, told }: Mark) -> Self {
        Self { version: VERSION, floor, told: told.into_iter().collect() }
    }
}

/// The error for a mark that a later version of this crate wrote, or that is malformed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("this is version {0} of a mark, and only {VERSION} can be read")]
    Version(u32),
    #[error("a mark has no moments after the year 9999 and at most {MOST_REMEMBERED} leads")]
    Wild,
}

impl TryFrom<Written> for Mark {
    type Error = Unreadable;

    fn try_from(Written { version, floor, told }: Written) -> Result<Self, Unreadable> {
        let moments = floor.iter().chain(told.iter().map(|(at, _)| at));
        if version != VERSION {
            Err(Unreadable::Version(version))
        } else if told.len() > MOST_REMEMBERED || moments.max().is_some_and(|latest| *latest > LATEST) {
            Err(Unreadable::Wild)
        } else {
            Ok(Self { floor, told: told.into_iter().collect() })
        }
    }
}
