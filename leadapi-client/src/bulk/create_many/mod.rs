//! A bulk import as a stream of row results.

mod options;
mod start;

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use leadapi_model::model::{IdempotencyKey, NewLead};

use super::{
    in_flight::InFlight,
    row_result::{Progress, RowResult},
    stop::{StopMonitor, Stopped},
};
use crate::{client::Client, context::CallOptions};

/// A stream that creates a lead from each row and yields the results.
///
/// Rows are sent only while [`next`](Self::next) is awaited or the stream is polled. Each poll takes rows from the
/// iterator until the [`in_flight`](Self::in_flight) limit is reached, so an endless iterator needs no more memory than
/// a short one. Each row is a separate [create](crate::Leads::create) call with its own retries.
///
/// Dropping the stream discards the pending responses, but the service may still execute requests that were sent. If
/// every run uses the same keys ([`named`](Self::named), [`keys`](Self::keys)), sending the rows again within 24 hours
/// creates no duplicates (contract D10).
///
/// A [refused](RowResult::is_refused) row does not stop the import. The import stops early if an error affects every
/// row, if the service stays unreachable, or if the [`stop_on`](Self::stop_on) condition matches. The rows in flight
/// then finish, and the stream's last item is [`Stopped`].
///
/// ```
/// use leadapi_client::model::NewLead;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let (client, casa_verde) = (support::in_process(), support::casa_verde());
/// let rows = ["Ann", "Øyvind", " "].into_iter().map(|name| NewLead::new(&casa_verde, name));
/// let mut creates = client.leads().create_many(rows).named("import-7")?;
/// while let Some(result) = creates.next().await {
///     let result = result?;
///     match result.outcome {
///         Ok(lead) => println!("row {}: {}", result.index, lead.id),
///         Err(error) => println!("row {}: {error}", result.index),
///     }
/// }
/// println!("{:?}", creates.progress());
/// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
/// ```
#[must_use = "streams do nothing unless polled"]
pub struct CreateMany<'r, R> {
    client: Client,
    /// The remaining input rows. `None` after the last row, or after the import has stopped.
    rows: Option<RowStream<'r, R>>,
    taken: u64,
    in_flight: InFlight<R>,
    max_in_flight: usize,
    in_order: bool,
    key: KeyFn<'r, R>,
    options: CallOptions,
    stop: StopMonitor<'r>,
    progress: Progress,
}

type RowStream<'r, R> = Pin<Box<dyn Stream<Item = R> + Send + 'r>>;
type KeyFn<'r, R> = Box<dyn FnMut(u64, &R) -> IdempotencyKey + Send + 'r>;

impl<R: AsRef<NewLead>> CreateMany<'_, R> {
    /// Returns the next result, or `None` after the last one. If the import stops early, the last item is an error.
    ///
    /// This method is cancel safe: dropping the future loses no row.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, rows) = (support::in_process(), vec![NewLead::new(&support::casa_verde(), "Ann")]);
    /// let mut creates = client.leads().create_many(rows);
    /// while let Some(result) = creates.next().await {
    ///     println!("row {} has finished", result.unwrap().index);
    /// }
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Stopped`] if the import stops early. The stream then ends.
    pub async fn next(&mut self) -> Option<Result<RowResult<R>, Stopped>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Takes rows from the input until the in-flight limit is reached.
    fn take_rows(&mut self, cx: &mut Context<'_>) {
        if self.stop.is_stopped() {
            self.rows = None;
        }
        while let Some(rows) = self.rows.as_mut().filter(|_| self.in_flight.len() < self.max_in_flight) {
            match rows.as_mut().poll_next(cx) {
                Poll::Ready(Some(row)) => self.send(row),
                Poll::Ready(None) => self.rows = None,
                Poll::Pending => break,
            }
        }
    }

    fn send(&mut self, row: R) {
        let (index, key) = (self.taken, (self.key)(self.taken, &row));
        let create = self.client.leads().create(row.as_ref()).idempotency_key(key.clone()).options(self.options);
        self.in_flight.add(index, row, key, create.with_meta().into_future());
        self.taken += 1;
    }
}

impl<R> CreateMany<'_, R> {
    /// Returns how many rows the stream has yielded so far, by result.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # let client = { mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); } support::in_process() };
    /// # let rows: [NewLead; 0] = [];
    /// let creates = client.leads().create_many(rows);
    /// assert_eq!(creates.progress().finished(), 0);
    /// ```
    pub const fn progress(&self) -> Progress {
        self.progress
    }
}

impl<R: AsRef<NewLead>> Stream for CreateMany<'_, R> {
    type Item = Result<RowResult<R>, Stopped>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        this.take_rows(cx);
        let Self { in_flight, stop, max_in_flight, .. } = this;
        in_flight.poll(cx, |index, error| stop.observe(index, error, *max_in_flight));
        if let Some(result) = this.in_flight.take(this.in_order) {
            this.progress.count(&result);
            return Poll::Ready(Some(Ok(result)));
        }
        if this.rows.is_none() && this.in_flight.len() == 0 {
            return Poll::Ready(this.stop.take().map(Err));
        }
        Poll::Pending
    }
}

/// The row stream and the calls are boxed, and rows are never pinned, so a polled `CreateMany` can still move.
impl<R> Unpin for CreateMany<'_, R> {}

impl<R> fmt::Debug for CreateMany<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreateMany")
            .field("taken", &self.taken)
            .field("in_flight", &self.in_flight.len())
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}
