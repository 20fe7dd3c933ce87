//! The options that all call types share.

/// Implements the option methods for a call type. The argument is the path to the field that contains the options.
macro_rules! options {
    ($($type:ty $(, $generic:ident)?: $($field:tt).+;)*) => {$(
        impl $(<$generic>)? $type {
            /// Overrides the client's retry policy.
            ///
            /// ```
            /// use leadapi_client::{RetryPolicy, model::LeadQuery};
            /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
            /// # support::run(async |client| {
            /// let page = client.leads().list(&LeadQuery::new()).retry(RetryPolicy::none()).await?;
            /// # Ok(()) });
            /// ```
            pub fn retry(mut self, policy: crate::RetryPolicy) -> Self {
                self.$($field).+.retry = policy;
                self
            }

            /// Overrides the client's timeout for the whole call, including its waits for the rate limit.
            ///
            /// ```
            /// use std::time::Duration;
            /// # use leadapi_client::model::LeadQuery;
            /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
            /// # support::run(async |client| {
            /// let page = client.leads().list(&LeadQuery::new()).timeout(Duration::from_secs(2)).await?;
            /// # Ok(()) });
            /// ```
            pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
                self.$($field).+.timeout = Some(timeout);
                self
            }

            /// Overrides the client's timeout for each attempt.
            ///
            /// ```
            /// use std::time::Duration;
            /// # use leadapi_client::model::LeadQuery;
            /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
            /// # support::run(async |client| {
            /// let page = client.leads().list(&LeadQuery::new()).attempt_timeout(Duration::from_secs(1)).await?;
            /// # Ok(()) });
            /// ```
            pub fn attempt_timeout(mut self, timeout: std::time::Duration) -> Self {
                self.$($field).+.attempt_timeout = Some(timeout);
                self
            }
        }
    )*};
}

pub(super) use options;
