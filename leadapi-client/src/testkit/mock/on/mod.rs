//! The first half of a stub: the requests that it matches, and the methods that add an answer.

mod answers;
mod narrowing;

use std::{fmt, marker::PhantomData, panic::Location, sync::Arc};

use leadapi_core::id::LeadId;

use super::{answer::Answer, board::Board, count::Count, expectation::Expectation, operation::Stubbed, stub::Stub};

/// The requests that a stub matches. It takes effect once it has an answer.
///
/// All narrowing conditions must hold.
#[must_use = "it answers nothing until it is told what"]
pub struct On<O, P = First> {
    board: Arc<Board>,
    place: P,
    operation: PhantomData<fn() -> O>,
}

/// The state before the first answer, in which the requests can be narrowed.
#[derive(Debug)]
pub struct First(Expectation);

/// The state before a further answer.
#[derive(Debug)]
pub struct Next {
    stub: usize,
}

impl<O: Stubbed> On<O> {
    #[track_caller]
    pub(super) fn new(board: &Arc<Board>, id: Option<&LeadId>) -> Self {
        let expectation = Expectation::new(O::OPERATION, id, Location::caller());
        Self { board: board.clone(), place: First(expectation), operation: PhantomData }
    }
}

impl<O: Stubbed> Stub<O> {
    /// Adds an answer after the last one. The last one is given once, unless a count was set.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::{Page, Window}, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().cut_connection().then().returns(Page::new(Vec::new(), 0, Window::default()));
    /// let (_, meta) = api.client().client_accounts().list(Window::default()).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 2);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn then(self) -> On<O, Next> {
        let this = self.last(|act| {
            if act.count == Count::AtLeastOnce {
                act.count = Count::Exactly(1);
            }
        });
        On { board: this.board, place: Next { stub: this.at }, operation: PhantomData }
    }
}

/// The position of an answer: the first of a new stub, or the next of an existing one.
trait Place {
    /// Adds the answer to the board and returns the index of its stub.
    fn answer(self, board: &Board, answer: Answer) -> usize;
}

impl Place for First {
    fn answer(self, board: &Board, answer: Answer) -> usize {
        board.add(self.0, answer)
    }
}

impl Place for Next {
    fn answer(self, board: &Board, answer: Answer) -> usize {
        board.change(self.stub, |stub| stub.add(answer));
        self.stub
    }
}

impl<O: Stubbed, P: fmt::Debug> fmt::Debug for On<O, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("On").field("operation", &O::OPERATION).field("place", &self.place).finish_non_exhaustive()
    }
}
