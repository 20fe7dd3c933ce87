//! Administrative changes to businesses and their records: members, client accounts, pipelines, stages and forms.
//!
//! Each change runs in one transaction that excludes all other writes to the business. A change that would leave a
//! dangling reference is rejected with a clear message, before it can violate a foreign key.

mod business;
mod client;
mod form;
mod init;
mod member;
mod pipeline;
mod port;
mod rows;
mod stage;
mod statement;

use async_trait::async_trait;
use leadapi_core::{
    admin::{AdminError, AdminRefusal},
    id::BusinessId,
};

pub use self::init::FirstRecords;
pub(super) use self::{
    business::{list as businesses, read as read_business},
    member::insert_member,
};

use super::{
    SqlStore,
    error::SqlError,
    session::{Session, Work, query},
    statement as shared,
};

/// A unit of work in one business.
#[async_trait]
trait Task: Send + Sync + 'static {
    type Output: Send + 'static;

    async fn run(&self, session: &mut dyn Session, business: &BusinessId) -> Result<Self::Output, SqlError>;
}

/// A task in a business. Running it first checks that the business exists.
struct InBusiness<T> {
    business: BusinessId,
    task: T,
}

#[async_trait]
impl<T: Task> Work for InBusiness<T> {
    type Output = T::Output;

    async fn run(&self, session: &mut dyn Session) -> Result<T::Output, SqlError> {
        if !session.finds(query!(shared::BUSINESS, &self.business)).await? {
            return Err(AdminRefusal::NoSuchBusiness(self.business.clone()).into());
        }
        self.task.run(session, &self.business).await
    }
}

impl SqlStore {
    async fn admin_write<T: Task>(&self, business: &BusinessId, task: T) -> Result<T::Output, AdminError> {
        Ok(self.database.work(Some(business), InBusiness { business: business.clone(), task }).await?)
    }

    async fn admin_read<T: Task>(&self, business: &BusinessId, task: T) -> Result<T::Output, AdminError> {
        Ok(self.database.read(business, InBusiness { business: business.clone(), task }).await?)
    }
}
