//! What a poller has told, to be kept until the next time.

use std::collections::BTreeSet;

use leadapi_core::{
    id::LeadId,
    model::{LeadItem, Timestamp},
};
use serde::{Deserialize, Serialize};

/// The version that is written.
const VERSION: u32 = 1;
/// The most leads that a mark remembers one by one.
pub(super) const MOST_REMEMBERED: usize = 1_000;
/// No moment that the service can say is later, in milliseconds since 1970: the year 9999.
const LATEST: i64 = 253_402_300_799_999;

/// A lead's `created_at` in milliseconds since 1970, and its id.
type Told = (i64, LeadId);

/// What a [`Poller`](super::Poller) has told so far.
///
/// It can be written down with serde and taken up by another process ([`Leads::new_since`](crate::Leads::new_since)).
/// What is in it is not for others to read; it holds no data of leads but the ids of the latest, at most 1,000, and when
/// they were created. The default has told nothing, so that every lead is new; [`Mark::at`] begins at a moment.
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
    /// What was created before is not told, whether it has been or not.
    floor: Option<i64>,
    /// What was told and created since.
    told: BTreeSet<Told>,
}

impl Mark {
    /// Nothing has been told, and only what was created at this moment or later will be.
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

    /// Whether this lead, and so every one after it in the list, is too old to be told.
    pub(super) fn is_below(&self, lead: &LeadItem) -> bool {
        self.floor.is_some_and(|floor| millis(lead.created_at) < floor)
    }

    pub(super) fn has_told(&self, lead: &LeadItem) -> bool {
        self.told.contains(&(millis(lead.created_at), lead.id.clone()))
    }

    /// The mark after these were told as well, so long before `now` that leads may still turn up.
    ///
    /// The floor never sinks, or what was told long ago and is no longer remembered would be told again. It rises to the
    /// overlap before the newest lead; but not to what is dated in the future, which is a wrong clock's or an import's:
    /// every other lead would stand below it, and never be told.
    pub(super) fn and(mut self, told: &[LeadItem], now: i64, overlap: i64) -> Self {
        self.told.extend(told.iter().map(|lead| (millis(lead.created_at), lead.id.clone())));
        let newest = self.told.last().map(|(at, _)| (*at).min(now));
        self.floor = self.floor.max(newest.map(|newest| newest.saturating_sub(overlap)));
        self.forget_what_is_below();
        // Too many to remember: the oldest are not reread any more. Those of one moment are forgotten together, as the
        // floor cannot stand between them. It still does not rise beyond the present, for to lose leads is worse than to
        // repeat some: that is left to whoever dates more than so many leads in the future.
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
    moment.to_utc().timestamp_millis()
}

/// A mark as it is written down.
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

/// A mark that a later version of this crate wrote, or that is none of ours.
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
