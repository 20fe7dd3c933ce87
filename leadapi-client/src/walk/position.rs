//! Where a walk is, to be kept for later.

use leadapi_core::{id::LeadId, model::Timestamp};
use serde::{Deserialize, Serialize};

use super::course::Key;

/// The version that is written. A later one that reads on is read as well as this one.
const VERSION: u32 = 1;

/// Where a walk stands: after the last lead that it gave.
///
/// It is small whatever the length of the walk, and can be written down with serde and taken up by another process
/// ([`Walk::resume`](super::Walk::resume)). What is in it is not for others to read; it holds no data of a lead but its
/// id and the time of its creation. The default is the beginning.
///
/// ```
/// use leadapi_client::{model::LeadQuery, walk::Position};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # fn main() { futures_executor::block_on(async {
/// # let client = in_process();
/// let mut leads = client.leads().walk(LeadQuery::new()).stream();
/// let first = leads.try_next().await?;
/// assert!(first.is_some());
/// let written = serde_json::to_string(&leads.position())?;
///
/// // Tomorrow, in another process:
/// let position: Position = serde_json::from_str(&written)?;
/// let mut rest = client.leads().walk(LeadQuery::new()).resume(position).stream();
/// assert_eq!(rest.try_next().await?, None);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap() }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written")]
pub struct Position {
    /// The last lead that was given.
    pub(super) last: Option<Key>,
    /// How many rows stood at or before it, at the time: where to look for it first.
    pub(super) rank: u64,
    /// How many rows there were, at the time.
    pub(super) total: Option<u64>,
}

/// A position as it is written down.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    version: u32,
    last: Option<(Timestamp, LeadId)>,
    rank: u64,
    total: Option<u64>,
}

/// A position that a later version of this crate wrote.
#[derive(Debug, thiserror::Error)]
#[error("this is version {0} of a position, and only {VERSION} can be read")]
pub(super) struct UnknownVersion(u32);

impl From<Position> for Written {
    fn from(Position { last, rank, total }: Position) -> Self {
        Self { version: VERSION, last, rank, total }
    }
}

impl TryFrom<Written> for Position {
    type Error = UnknownVersion;

    fn try_from(Written { version, last, rank, total }: Written) -> Result<Self, UnknownVersion> {
        // What was written is not trusted to be ours: a wild number only costs requests, but must not overflow.
        let most = leadapi_core::model::Window::MAX_OFFSET;
        let (rank, total) = (rank.min(most), total.map(|total| total.min(most)));
        if version == VERSION { Ok(Self { last, rank, total }) } else { Err(UnknownVersion(version)) }
    }
}
