//! The methods that start an import from an iterator or a stream.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use leadapi_model::model::{IdempotencyKey, NewLead};

use super::CreateMany;
use crate::{
    bulk::{in_flight::InFlight, row_result::Progress, stop::StopMonitor},
    context::CallOptions,
    leads::Leads,
};

/// The default limit on in-flight rows. It sustains the contract's 60 writes in 60 s if the service takes at most 8 s
/// per row.
const IN_FLIGHT: usize = 8;
/// The default timeout for each row. It is longer than a call's timeout, because other programs that share the token
/// may delay the row.
const TIMEOUT: Duration = Duration::from_secs(60 * 60);

impl Leads<'_> {
    /// Creates a lead from each row, several at a time, within the client's rate limit.
    ///
    /// A row is a [`NewLead`], a reference to one, or a custom type that contains one ([`AsRef`]). Each row is returned
    /// with its result. See [`CreateMany`] for details.
    ///
    /// ```
    /// use leadapi_client::model::{IdempotencyKey, NewLead};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// /// A contact in an external system that numbers its contacts.
    /// struct Contact {
    ///     number: u64,
    ///     new: NewLead,
    /// }
    ///
    /// impl AsRef<NewLead> for Contact {
    ///     fn as_ref(&self) -> &NewLead {
    ///         &self.new
    ///     }
    /// }
    ///
    /// # let contacts = vec![Contact { number: 17, new: NewLead::new(&support::casa_verde(), "Ann") }];
    /// let key = |_, contact: &Contact| {
    ///     IdempotencyKey::parse(&format!("crm-1/contact-{}", contact.number)).unwrap_or_else(|_| IdempotencyKey::random())
    /// };
    /// let mut creates = client.leads().create_many(contacts).keys(key);
    /// while let Some(result) = creates.next().await {
    ///     let result = result?;
    ///     println!("contact {} is lead {}", result.row.number, result.outcome?.id);
    /// }
    /// # Ok(()) });
    /// ```
    pub fn create_many<'r, I>(&self, rows: I) -> CreateMany<'r, I::Item>
    where
        I: IntoIterator<Item: AsRef<NewLead>, IntoIter: Send + 'r>,
    {
        self.create_many_from(Ready(rows.into_iter()))
    }

    /// Same as [`create_many`](Self::create_many), but takes the rows from an async stream.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// # struct OneRow(Option<NewLead>);
    /// # impl futures_core::Stream for OneRow {
    /// #     type Item = NewLead;
    /// #     fn poll_next(mut self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>)
    /// #         -> std::task::Poll<Option<NewLead>> {
    /// #         std::task::Poll::Ready(self.0.take())
    /// #     }
    /// # }
    /// # let rows = OneRow(Some(NewLead::new(&support::casa_verde(), "Ann")));
    /// let mut creates = client.leads().create_many_from(rows);
    /// while let Some(result) = creates.next().await {
    ///     println!("{}", result?.outcome?.id);
    /// }
    /// # Ok(()) });
    /// ```
    pub fn create_many_from<'r, S>(&self, rows: S) -> CreateMany<'r, S::Item>
    where
        S: Stream<Item: AsRef<NewLead>> + Send + 'r,
    {
        let client = self.client();
        CreateMany {
            client: client.clone(),
            rows: Some(Box::pin(rows)),
            taken: 0,
            in_flight: InFlight::new(),
            max_in_flight: IN_FLIGHT,
            in_order: false,
            key: Box::new(|_, _| IdempotencyKey::random()),
            options: CallOptions { timeout: Some(TIMEOUT), ..client.options() },
            stop: StopMonitor::default(),
            progress: Progress::default(),
        }
    }
}

/// A stream over the rows of an iterator. It is always ready.
struct Ready<I>(I);

/// The iterator is never pinned.
impl<I> Unpin for Ready<I> {}

impl<I: Iterator> Stream for Ready<I> {
    type Item = I::Item;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<I::Item>> {
        Poll::Ready(self.0.next())
    }
}
