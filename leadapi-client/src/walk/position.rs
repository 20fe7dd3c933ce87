//! The position of a walk, to resume it later.

use leadapi_core::{id::LeadId, model::Timestamp};
use serde::{Deserialize, Serialize};

/// The sort key of the list, descending: `created_at`, then `id`.
pub(super) type Key = (Timestamp, LeadId);

/// The version of the serialized form.
const VERSION: u32 = 1;

/// The position of a walk: after the last lead that it yielded.
///
/// It has a constant size and can be serialized with serde, so another process can resume the walk
/// ([`Walk::resume`](super::Walk::resume)). The serialized form is opaque. It contains no lead data except one id and
/// creation time. The default is the beginning.
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
    /// The last lead that was yielded.
    pub(super) last: Option<Key>,
    /// The number of rows up to and including that lead when it was read: the first offset to try.
    pub(super) rank: u64,
    /// The total number of rows at that time.
    pub(super) total: Option<u64>,
}

/// The serialized form of a position.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    version: u32,
    last: Option<(Timestamp, LeadId)>,
    rank: u64,
    total: Option<u64>,
}

/// The error for a position that a later version of this crate wrote.
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
        // The input is untrusted: a wrong number only costs requests, but it must not overflow.
        let most = leadapi_core::model::Window::MAX_OFFSET;
        let (rank, total) = (rank.min(most), total.map(|total| total.min(most)));
        if version == VERSION { Ok(Self { last, rank, total }) } else { Err(UnknownVersion(version)) }
    }
}
