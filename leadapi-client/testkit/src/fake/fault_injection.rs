//! Methods that inject faults.

use std::{sync::PoisonError, time::Duration};

use leadapi_core::model::Timestamp;

use super::{FakeLeadApi, faults::Faults};

impl FakeLeadApi {
    /// Answers the n-th request from now with 500, without executing it. `n` starts at 1.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::Window;
    /// # use leadapi_testkit::FakeLeadApi;
    /// let api = FakeLeadApi::start().await;
    /// api.fail_nth(1).fail_nth(2);
    /// let (_, meta) = api.client().client_accounts().list(Window::default()).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 3);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn fail_nth(&self, n: u64) -> &Self {
        self.inject(|faults| faults.fail_nth(n))
    }

    /// Answers a fraction of later requests with 500, without executing them. With a fraction of 0.1, about one in ten
    /// requests fails. A fraction of 0 turns the fault off. With the same seed, the same requests fail.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{RetryPolicy, model::Window};
    /// # use leadapi_testkit::FakeLeadApi;
    /// let api = FakeLeadApi::start().await;
    /// let (client, mut failed) = (api.client(), 0);
    /// api.fail_fraction(0.5, 7);
    /// for _ in 0..100 {
    ///     let call = client.client_accounts().list(Window::default()).retry(RetryPolicy::none());
    ///     failed += u32::from(call.await.is_err());
    /// }
    /// assert!((30..70).contains(&failed));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn fail_fraction(&self, fraction: f64, seed: u64) -> &Self {
        self.inject(|faults| faults.fraction = (fraction, seed))
    }

    /// Delays each later response by `latency`, in real time, after executing its request. Zero turns the delay off.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::time::Duration;
    /// # use leadapi_client::{RetryPolicy, model::Window};
    /// # use leadapi_testkit::FakeLeadApi;
    /// let api = FakeLeadApi::start().await;
    /// api.latency(Duration::from_secs(600));
    /// let (client, patience) = (api.client(), Duration::from_millis(50));
    /// let call = client.client_accounts().list(Window::default()).attempt_timeout(patience);
    /// assert!(call.retry(RetryPolicy::none()).await.unwrap_err().is_timeout());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn latency(&self, latency: Duration) -> &Self {
        self.inject(|faults| faults.latency = latency)
    }

    /// Rate-limits every request with a valid token until the fake's clock reaches `until`. Each `Retry-After` is at
    /// most one minute. A time in the past ends the fault.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::Window;
    /// # use leadapi_testkit::FakeLeadApi;
    /// let api = FakeLeadApi::start().await;
    /// api.rate_limited_until("2026-05-04T12:03:00Z".parse()?);
    /// // The client honors the `Retry-After` of each 429.
    /// api.client().client_accounts().list(Window::default()).await?;
    /// assert!(api.now().to_string() >= "2026-05-04T12:03:00.000Z".to_owned());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn rate_limited_until(&self, until: Timestamp) -> &Self {
        self.limiter.refuse_until(until);
        self
    }

    /// Executes the n-th request from now, but closes the connection instead of responding. `n` starts at 1.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::id::LeadId;
    /// # use leadapi_testkit::FakeLeadApi;
    /// let api = FakeLeadApi::start().await;
    /// api.drop_nth_response(1);
    /// // The retry is answered with 404, because the first request deleted the lead.
    /// let (_, meta) = api.client().leads().delete(&LeadId::parse("lead-1")?).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 2);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn drop_nth_response(&self, n: u64) -> &Self {
        self.inject(|faults| faults.drop_nth(n))
    }

    fn inject(&self, change: impl FnOnce(&mut Faults)) -> &Self {
        change(&mut self.faults.lock().unwrap_or_else(PoisonError::into_inner));
        self
    }
}
