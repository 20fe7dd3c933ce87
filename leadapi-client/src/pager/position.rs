//! The position of an iteration, from which it can be resumed later.

use leadapi_model::{id::LeadId, model::Timestamp};
use serde::{Deserialize, Serialize};

/// The sort key of the list, descending: `created_at`, then `id`.
pub(super) type Key = (Timestamp, LeadId);

/// The version of the serialized form.
const VERSION: u32 = 1;

/// The position of an iteration, just after the last lead that it yielded.
///
/// A position is small and can be serialized with serde, so another process can resume the iteration
/// ([`LeadPager::resume`](super::LeadPager::resume)). The serialized form is opaque. It contains no lead data except
/// the id and creation time of one lead. The default is the beginning of the list.
///
/// ```
/// use leadapi_client::{model::LeadQuery, pager::Position};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # support::run(async |client| {
/// let mut leads = client.leads().list_all(LeadQuery::new()).stream();
/// let first = leads.try_next().await?;
/// assert!(first.is_some());
/// let saved = serde_json::to_string(&leads.position())?;
///
/// // Tomorrow, in another process:
/// let position: Position = serde_json::from_str(&saved)?;
/// let mut rest = client.leads().list_all(LeadQuery::new()).resume(position).stream();
/// assert_eq!(rest.try_next().await?, None);
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "PositionRecord", try_from = "PositionRecord")]
pub struct Position {
    /// The last lead that was yielded.
    pub(super) last: Option<Key>,
    /// The number of rows up to and including the last yielded lead, when that lead was read. The search for the next
    /// lead starts near this offset.
    pub(super) rank: u64,
    /// The total number of rows when the last yielded lead was read.
    pub(super) total: Option<u64>,
}

/// The serialized form of a position.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PositionRecord {
    version: u32,
    last: Option<(Timestamp, LeadId)>,
    rank: u64,
    total: Option<u64>,
}

/// The error for a position that a later version of this crate wrote.
#[derive(Debug, thiserror::Error)]
#[error("unsupported position version {0} (supported: {VERSION})")]
pub(super) struct UnknownVersion(u32);

impl From<Position> for PositionRecord {
    fn from(Position { last, rank, total }: Position) -> Self {
        Self { version: VERSION, last, rank, total }
    }
}

impl TryFrom<PositionRecord> for Position {
    type Error = UnknownVersion;

    fn try_from(PositionRecord { version, last, rank, total }: PositionRecord) -> Result<Self, UnknownVersion> {
        // The input is untrusted. A wrong number only costs extra requests, but a huge one must not cause an overflow.
        let max = leadapi_model::model::Window::MAX_OFFSET;
        let (rank, total) = (rank.min(max), total.map(|total| total.min(max)));
        if version == VERSION { Ok(Self { last, rank, total }) } else { Err(UnknownVersion(version)) }
    }
}
