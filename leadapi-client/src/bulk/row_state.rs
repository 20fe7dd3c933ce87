//! The recorded state of a row. With this state, a program can safely repeat an import at any later time.

use std::time::Duration;

use leadapi_model::model::Timestamp;

/// The state of an import row, derived from the attempts to create its lead, which share one idempotency key.
///
/// The service recognizes a repeated create by its key, but only for 24 hours. A program that may repeat a create after
/// more than 24 hours must record each attempt before it sends the request, and the result afterwards. From these
/// records, [`decide`](Self::decide) determines whether the row can be sent again.
///
/// The decision depends on the first attempt without a known result. That attempt may have created the lead, and the
/// service may forget its key 24 hours later. The result of a later attempt that created no lead changes nothing.
///
/// If the program's clock was set back, an old attempt looks recent. Therefore, record the latest time of all rows, and
/// compare it with each new time ([`is_set_back`](Self::is_set_back)). If the clock was set back, call
/// [`distrust_clock`](Self::distrust_clock) for every row.
///
/// ```
/// use leadapi_client::bulk::{RowDecision, RowState};
/// # fn at(text: &str) -> leadapi_client::model::Timestamp { text.parse().unwrap() }
///
/// let mut row = RowState::default();
/// assert_eq!(row.decide(at("2026-05-04T08:00:00Z")), RowDecision::Send);
/// row.sent(at("2026-05-04T08:00:00Z"));
/// // The response is lost, and 21 hours later, the service is unreachable.
/// assert_eq!(row.decide(at("2026-05-05T05:00:00Z")), RowDecision::Send);
/// row.sent(at("2026-05-05T05:00:00Z"));
/// row.not_created();
///
/// let unknown = RowDecision::Unknown { sent_at: at("2026-05-04T08:00:00Z") };
/// assert_eq!(row.decide(at("2026-05-05T07:00:00Z")), unknown);
/// row.created();
/// assert_eq!(row.decide(at("2026-05-05T07:00:00Z")), RowDecision::Skip);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowState {
    is_created: bool,
    unresolved_since: Option<Timestamp>,
    /// The value of `unresolved_since` before the last attempt.
    before_last_attempt: Option<Timestamp>,
    has_unreliable_time: bool,
}

/// What to do with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowDecision {
    /// The row can be sent: it has no lead yet, or the service still recognizes its key.
    Send,
    /// The lead exists.
    Skip,
    /// The row was sent, its result is unknown, and the service may have forgotten its key. Another attempt could
    /// create a second lead, so a person must check whether the row already has a lead.
    Unknown {
        /// The recorded time of the first attempt without a result.
        sent_at: Timestamp,
    },
}

impl RowState {
    /// The age at which an unresolved attempt is no longer repeated: 22 hours. The service remembers the key for two
    /// more hours, which cover a wait of up to an hour for the rate limit, and differences between clocks.
    pub const MAX_AGE: Duration = Duration::from_secs(22 * 60 * 60);

    /// The largest backward step of a clock that is normal when the clock is synchronized with a time server.
    const MAX_STEP: Duration = Duration::from_secs(60);

    /// Creates the state of a row without a lead, for a program that stores the result of
    /// [`unresolved_since`](Self::unresolved_since) instead of every attempt.
    ///
    /// ```
    /// use leadapi_client::bulk::RowState;
    ///
    /// assert_eq!(RowState::unresolved(None), RowState::default());
    /// ```
    pub fn unresolved(since: Option<Timestamp>) -> Self {
        Self { unresolved_since: since, before_last_attempt: since, ..Self::default() }
    }

    /// Returns the time of the first attempt without a known result.
    ///
    /// ```
    /// use leadapi_client::bulk::RowState;
    ///
    /// let mut row = RowState::default();
    /// row.sent("2026-05-04T08:00:00Z".parse()?);
    /// row.sent("2026-05-04T09:00:00Z".parse()?);
    /// assert_eq!(row.unresolved_since(), Some("2026-05-04T08:00:00Z".parse()?));
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    pub const fn unresolved_since(&self) -> Option<Timestamp> {
        self.unresolved_since
    }

    /// Records that a request is about to be sent.
    ///
    /// ```
    /// use leadapi_client::bulk::RowState;
    ///
    /// let mut row = RowState::default();
    /// row.sent("2026-05-04T08:00:00Z".parse()?);
    /// assert_eq!(row.unresolved_since(), Some("2026-05-04T08:00:00Z".parse()?));
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    pub fn sent(&mut self, at: Timestamp) {
        self.before_last_attempt = self.unresolved_since;
        self.unresolved_since.get_or_insert(at);
    }

    /// Records that the lead exists.
    ///
    /// ```
    /// use leadapi_client::bulk::{RowDecision, RowState};
    ///
    /// let mut row = RowState::default();
    /// row.created();
    /// assert_eq!(row.decide("2026-05-04T08:00:00Z".parse()?), RowDecision::Skip);
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    pub const fn created(&mut self) {
        self.is_created = true;
    }

    /// Records that the last attempt created no lead: its outcome is [`Refused`](crate::Outcome::Refused) or
    /// [`NotSent`](crate::Outcome::NotSent). Earlier attempts stay unresolved.
    ///
    /// ```
    /// use leadapi_client::bulk::RowState;
    ///
    /// let mut row = RowState::default();
    /// row.sent("2026-05-04T08:00:00Z".parse()?);
    /// row.not_created();
    /// assert_eq!(row.unresolved_since(), None);
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    pub const fn not_created(&mut self) {
        self.unresolved_since = self.before_last_attempt;
    }

    /// Records that the clock was set back after the recorded attempts, so their ages are unknown.
    ///
    /// ```
    /// use leadapi_client::bulk::{RowDecision, RowState};
    ///
    /// let mut row = RowState::default();
    /// row.sent("2026-05-04T08:00:00Z".parse()?);
    /// row.distrust_clock();
    /// assert!(matches!(row.decide("2026-05-04T08:00:00Z".parse()?), RowDecision::Unknown { .. }));
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    pub const fn distrust_clock(&mut self) {
        self.has_unreliable_time |= self.unresolved_since.is_some();
    }

    /// Returns whether the clock was set back between two readings. `earlier` is the reading that was taken first.
    /// Steps of up to a minute do not count.
    ///
    /// ```
    /// use leadapi_client::bulk::RowState;
    ///
    /// assert!(RowState::is_set_back("2026-05-04T08:00:00Z".parse()?, "2026-05-04T06:00:00Z".parse()?));
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    pub fn is_set_back(earlier: Timestamp, later: Timestamp) -> bool {
        earlier.saturating_duration_since(later) > Self::MAX_STEP
    }

    /// Decides whether the row can be sent at the time `now`. If it can, send the request within an hour.
    ///
    /// ```
    /// use leadapi_client::bulk::{RowDecision, RowState};
    ///
    /// let row = RowState::default();
    /// assert_eq!(row.decide("2026-05-04T08:00:00Z".parse()?), RowDecision::Send);
    /// # Ok::<(), leadapi_model::BoxError>(())
    /// ```
    pub fn decide(&self, now: Timestamp) -> RowDecision {
        match self.unresolved_since {
            _ if self.is_created => RowDecision::Skip,
            Some(sent_at)
                if self.has_unreliable_time
                    || Self::is_set_back(sent_at, now)
                    || now.saturating_duration_since(sent_at) >= Self::MAX_AGE =>
            {
                RowDecision::Unknown { sent_at }
            }
            _ => RowDecision::Send,
        }
    }
}

#[cfg(test)]
mod tests;
