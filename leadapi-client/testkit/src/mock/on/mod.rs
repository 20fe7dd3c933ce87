//! A stub under construction: the requests that it matches, and the methods that add answers.

mod answers;
mod narrowing;

use std::{fmt, marker::PhantomData, panic::Location, sync::Arc};

use leadapi_core::id::LeadId;

use super::{
    count::Count, expectation::Expectation, operation::Stubbed, registry::StubRegistry, stub::Stub,
    stub_answer::StubAnswer,
};

/// A stub under construction. It takes effect once it has an answer.
///
/// A request matches if it satisfies all conditions.
#[must_use = "a stub without an answer has no effect"]
pub struct On<O, P = First> {
    registry: Arc<StubRegistry>,
    state: P,
    operation: PhantomData<fn() -> O>,
}

/// The state before the first answer, in which conditions can be added.
#[derive(Debug)]
pub struct First(Expectation);

/// The state between two answers, in which the next answer can be added.
#[derive(Debug)]
pub struct Next {
    stub: usize,
}

impl<O: Stubbed> On<O> {
    #[track_caller]
    pub(super) fn new(registry: &Arc<StubRegistry>, id: Option<&LeadId>) -> Self {
        let expectation = Expectation::new(O::OPERATION, id, Location::caller());
        Self { registry: registry.clone(), state: First(expectation), operation: PhantomData }
    }
}

impl<O: Stubbed> Stub<O> {
    /// Adds another answer, which the stub gives after the previous answer. The previous answer is used once, unless a
    /// count was set.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::{Page, Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().cut_connection().then().returns(Page::new(Vec::new(), 0, Window::default()));
    /// let (_, meta) = api.client().client_accounts().list(Window::default()).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 2);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn then(self) -> On<O, Next> {
        let this = self.last(|step| {
            if step.count == Count::AtLeastOnce {
                step.count = Count::Exactly(1);
            }
        });
        On { registry: this.registry, state: Next { stub: this.at }, operation: PhantomData }
    }
}

/// The state of a stub under construction: before its first answer, or between two answers.
trait AnswerState {
    /// Adds the answer to the registry and returns the index of its stub.
    fn answer(self, registry: &StubRegistry, answer: StubAnswer) -> usize;
}

impl AnswerState for First {
    fn answer(self, registry: &StubRegistry, answer: StubAnswer) -> usize {
        registry.add(self.0, answer)
    }
}

impl AnswerState for Next {
    fn answer(self, registry: &StubRegistry, answer: StubAnswer) -> usize {
        registry.change(self.stub, |stub| stub.add(answer));
        self.stub
    }
}

impl<O: Stubbed, P: fmt::Debug> fmt::Debug for On<O, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("On").field("operation", &O::OPERATION).field("state", &self.state).finish_non_exhaustive()
    }
}
