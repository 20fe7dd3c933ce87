//! When it makes no sense to send more rows.

use super::settled::meets_every_row;
use crate::error::{Error, Outcome};

/// At least so many rows must fail one after another before the service counts as out of reach.
const LEAST_IN_VAIN: usize = 10;

/// Why no more rows were sent. What became of the rows before has been told by then; all later ones are as if they had
/// never been there.
///
/// ```
/// use leadapi_client::{Client, bulk::StopReason, model::NewLead};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let (service, _) = support::service();
/// let client = Client::builder("http://in-process/v1", "pak_of_nobody").in_process(service)?;
/// let rows = (0..10_000).map(|_| NewLead::new(&support::casa_verde(), "Ann"));
/// let mut creates = client.leads().create_many(rows);
/// let stopped = loop {
///     match creates.next().await {
///         Some(Ok(refused)) => assert!(refused.outcome.unwrap_err().is_unauthorized()),
///         Some(Err(stopped)) => break stopped,
///         None => unreachable!(),
///     }
/// };
/// assert_eq!(stopped.reason(), StopReason::EveryRow);
/// assert_eq!(creates.progress().settled(), 8, "those that were on their way");
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no more rows were sent, because row {index} failed {}: {message}", reason.text())]
pub struct Stopped {
    index: u64,
    reason: StopReason,
    message: String,
}

/// What it was about a row that stopped all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// Every other row would fail like it: the token is not good or lacks the scope, or this is not the API.
    EveryRow,
    /// It was the last of many, one after another, that did not get through or met a failure of the service.
    OutOfReach,
    /// The caller wanted it so.
    Asked,
}

impl StopReason {
    const fn text(self) -> &'static str {
        match self {
            Self::EveryRow => "as every row would",
            Self::OutOfReach => "like all those before it",
            Self::Asked => "in a way that was to stop all",
        }
    }
}

impl Stopped {
    /// The row that stopped all.
    ///
    /// ```
    /// use leadapi_client::{Client, model::NewLead};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (service, _) = support::service();
    /// # let stranger = Client::builder("http://in-process/v1", "pak_0123").in_process(service).unwrap();
    /// # let rows = vec![NewLead::new(&support::casa_verde(), "Ann")];
    /// let mut creates = stranger.leads().create_many(rows);
    /// while let Some(settled) = creates.next().await {
    ///     if let Err(stopped) = settled {
    ///         println!("row {} stopped all: {}", stopped.index(), stopped.message());
    /// #       assert_eq!(stopped.index(), 0);
    ///     }
    /// }
    /// # });
    /// ```
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// Why it did.
    ///
    /// ```
    /// use leadapi_client::{Client, bulk::StopReason, model::NewLead};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (service, _) = support::service();
    /// # let stranger = Client::builder("http://in-process/v1", "pak_0123").in_process(service).unwrap();
    /// # let rows = vec![NewLead::new(&support::casa_verde(), "Ann")];
    /// let mut creates = stranger.leads().create_many(rows);
    /// while let Some(settled) = creates.next().await {
    ///     if let Err(stopped) = settled {
    ///         assert_eq!(stopped.reason(), StopReason::EveryRow, "the token is not good");
    ///     }
    /// }
    /// # });
    /// ```
    pub const fn reason(&self) -> StopReason {
        self.reason
    }

    /// The text of its error.
    ///
    /// ```
    /// use leadapi_client::{Client, model::NewLead};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (service, _) = support::service();
    /// # let stranger = Client::builder("http://in-process/v1", "pak_0123").in_process(service).unwrap();
    /// # let rows = vec![NewLead::new(&support::casa_verde(), "Ann")];
    /// let mut creates = stranger.leads().create_many(rows);
    /// while let Some(settled) = creates.next().await {
    ///     if let Err(stopped) = settled {
    ///         println!("stopped: {}", stopped.message());
    ///     }
    /// }
    /// # });
    /// ```
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Whether the caller wants an error to stop all.
type Asked<'r> = Box<dyn FnMut(&Error) -> bool + Send + 'r>;

/// Watches what rows come to.
#[derive(Default)]
pub(super) struct Stop<'r> {
    asked: Option<Asked<'r>>,
    /// How many have failed one after another that were not refused.
    in_vain: usize,
    stopped: Option<Stopped>,
}

impl<'r> Stop<'r> {
    pub(super) fn also_on(&mut self, asked: impl FnMut(&Error) -> bool + Send + 'r) {
        self.asked = Some(Box::new(asked));
    }

    /// A row has ended, with this error or well, while so many may be on their way.
    pub(super) fn watch(&mut self, index: u64, error: Option<&Error>, in_flight: usize) {
        let Some(error) = error else {
            self.in_vain = 0;
            return;
        };
        let reason = self.reason(error, in_flight);
        if let (Some(reason), None) = (reason, &self.stopped) {
            self.stopped = Some(Stopped { index, reason, message: error.to_string() });
        }
    }

    fn reason(&mut self, error: &Error, in_flight: usize) -> Option<StopReason> {
        match error.outcome() {
            // It broke a rule before the wire, which says nothing of the service.
            Outcome::NotSent if error.is_invalid() => {}
            Outcome::Refused if !error.is_rate_limited() => self.in_vain = 0,
            _ => self.in_vain += 1,
        }
        if meets_every_row(error) {
            return Some(StopReason::EveryRow);
        }
        // A moment's outage fails all that are on their way; those that came after them must have failed as well.
        if self.in_vain >= in_flight.saturating_mul(2).max(LEAST_IN_VAIN) {
            return Some(StopReason::OutOfReach);
        }
        self.asked.as_mut().is_some_and(|asked| asked(error)).then_some(StopReason::Asked)
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// The reason, once.
    pub(super) const fn take(&mut self) -> Option<Stopped> {
        self.stopped.take()
    }
}
