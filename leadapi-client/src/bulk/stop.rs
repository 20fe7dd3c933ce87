//! The conditions that stop an import early.

use super::row_result::affects_every_row;
use crate::error::{Error, Outcome};

/// The minimum number of consecutive failures before the service counts as unreachable.
const MIN_CONSECUTIVE_FAILURES: usize = 10;

/// The error that stopped an import early. The stream returns it after the results of all rows that were sent. The
/// remaining rows were never sent.
///
/// ```
/// use leadapi_client::{Client, bulk::StopReason, model::NewLead};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let (service, _) = support::service();
/// let client = Client::builder("http://in-process/v1", "pak_of_nobody").in_process(service).build()?;
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
/// assert_eq!(creates.progress().finished(), 8, "the rows that were in flight");
/// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the import stopped at row {index}, because {}: {message}", reason.text())]
pub struct Stopped {
    index: u64,
    reason: StopReason,
    message: String,
}

/// The reason why a row stopped the import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// All other rows would fail too. For example, the token is invalid or lacks the scope, or the base URL does not
    /// point to the API.
    EveryRow,
    /// Too many consecutive rows failed, not because of their content. For example, the service was unreachable.
    ServiceUnavailable,
    /// The condition set with [`stop_on`](super::CreateMany::stop_on) matched.
    Condition,
}

impl StopReason {
    const fn text(self) -> &'static str {
        match self {
            Self::EveryRow => "the error affects every row",
            Self::ServiceUnavailable => "the service is unavailable",
            Self::Condition => "the stop condition matched",
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
    /// # let stranger = Client::builder("http://in-process/v1", "pak_0123").in_process(service).build().unwrap();
    /// # let rows = vec![NewLead::new(&support::casa_verde(), "Ann")];
    /// let mut creates = stranger.leads().create_many(rows);
    /// while let Some(result) = creates.next().await {
    ///     if let Err(stopped) = result {
    ///         println!("row {} stopped the import: {}", stopped.index(), stopped.message());
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
    /// # let stranger = Client::builder("http://in-process/v1", "pak_0123").in_process(service).build().unwrap();
    /// # let rows = vec![NewLead::new(&support::casa_verde(), "Ann")];
    /// let mut creates = stranger.leads().create_many(rows);
    /// while let Some(result) = creates.next().await {
    ///     if let Err(stopped) = result {
    ///         assert_eq!(stopped.reason(), StopReason::EveryRow, "the token is invalid");
    ///     }
    /// }
    /// # });
    /// ```
    pub const fn reason(&self) -> StopReason {
        self.reason
    }

    /// Returns the error of the row that stopped the import, formatted as text.
    ///
    /// ```
    /// use leadapi_client::{Client, model::NewLead};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (service, _) = support::service();
    /// # let stranger = Client::builder("http://in-process/v1", "pak_0123").in_process(service).build().unwrap();
    /// # let rows = vec![NewLead::new(&support::casa_verde(), "Ann")];
    /// let mut creates = stranger.leads().create_many(rows);
    /// while let Some(result) = creates.next().await {
    ///     if let Err(stopped) = result {
    ///         println!("stopped: {}", stopped.message());
    ///     }
    /// }
    /// # });
    /// ```
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// The caller's condition, which returns whether an error stops the import.
type Condition<'r> = Box<dyn FnMut(&Error) -> bool + Send + 'r>;

/// Watches the row results for a reason to stop the import.
#[derive(Default)]
pub(super) struct StopMonitor<'r> {
    condition: Option<Condition<'r>>,
    /// The number of consecutive failures that were not refusals.
    consecutive_failures: usize,
    stopped: Option<Stopped>,
}

impl<'r> StopMonitor<'r> {
    pub(super) fn set_condition(&mut self, condition: impl FnMut(&Error) -> bool + Send + 'r) {
        self.condition = Some(Box::new(condition));
    }

    /// Records that a row has finished. `in_flight` is the limit on in-flight rows.
    pub(super) fn observe(&mut self, index: u64, error: Option<&Error>, in_flight: usize) {
        let Some(error) = error else {
            self.consecutive_failures = 0;
            return;
        };
        let reason = self.reason(error, in_flight);
        if let (Some(reason), None) = (reason, &self.stopped) {
            self.stopped = Some(Stopped { index, reason, message: error.to_string() });
        }
    }

    fn reason(&mut self, error: &Error, in_flight: usize) -> Option<StopReason> {
        match error.outcome() {
            // The client rejected the row without sending it, so the result reveals nothing about the service.
            Outcome::NotSent if error.is_invalid() => {}
            Outcome::Refused if !error.is_rate_limited() => self.consecutive_failures = 0,
            _ => self.consecutive_failures += 1,
        }
        if affects_every_row(error) {
            return Some(StopReason::EveryRow);
        }
        // A short outage can fail all rows in flight. The service counts as unreachable only if the following rows fail
        // too.
        if self.consecutive_failures >= in_flight.saturating_mul(2).max(MIN_CONSECUTIVE_FAILURES) {
            return Some(StopReason::ServiceUnavailable);
        }
        self.condition.as_mut().is_some_and(|condition| condition(error)).then_some(StopReason::Condition)
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Takes the error if the import has stopped early. Later calls return `None`.
    pub(super) const fn take(&mut self) -> Option<Stopped> {
        self.stopped.take()
    }
}
