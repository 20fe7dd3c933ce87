//! The conditions that stop an import early.

use super::settled::meets_every_row;
use crate::error::{Error, Outcome};

/// Minimum number of consecutive failures before the service counts as unreachable.
const LEAST_IN_VAIN: usize = 10;

/// The reason why an import stopped early. The stream returns it after the results of all rows that were sent. The
/// remaining rows were never sent.
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

/// Why a row stopped the import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// Every other row would fail too: the token is invalid or lacks the scope, or this is not the API.
    EveryRow,
    /// It was the last of many consecutive rows that did not reach the service or met a server failure.
    OutOfReach,
    /// The caller's condition matched (`stop_on`).
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
    /// Returns the index of the row that stopped the import.
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

    /// Returns why the row stopped the import.
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

    /// Returns the text of the row's error.
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

/// The caller's condition: whether an error stops the import.
type Asked<'r> = Box<dyn FnMut(&Error) -> bool + Send + 'r>;

/// Watches the results of rows for a reason to stop.
#[derive(Default)]
pub(super) struct Stop<'r> {
    asked: Option<Asked<'r>>,
    /// The number of consecutive failures that were not refusals.
    in_vain: usize,
    stopped: Option<Stopped>,
}

impl<'r> Stop<'r> {
    pub(super) fn also_on(&mut self, asked: impl FnMut(&Error) -> bool + Send + 'r) {
        self.asked = Some(Box::new(asked));
    }

    /// Records the end of a row, with an error or without, given the limit of in-flight rows.
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
            // The client rejected the row before sending it, which says nothing about the service.
            Outcome::NotSent if error.is_invalid() => {}
            Outcome::Refused if !error.is_rate_limited() => self.in_vain = 0,
            _ => self.in_vain += 1,
        }
        if meets_every_row(error) {
            return Some(StopReason::EveryRow);
        }
        // A short outage fails all rows in flight. Only if the rows after those fail too is the service unreachable.
        if self.in_vain >= in_flight.saturating_mul(2).max(LEAST_IN_VAIN) {
            return Some(StopReason::OutOfReach);
        }
        self.asked.as_mut().is_some_and(|asked| asked(error)).then_some(StopReason::Asked)
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Takes the reason; later calls return `None`.
    pub(super) const fn take(&mut self) -> Option<Stopped> {
        self.stopped.take()
    }
}
