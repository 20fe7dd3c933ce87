//! What can be asked for, by what it is about: leads, pipelines, client accounts.

use std::sync::Arc;

use leadapi_core::{
    http::Operation,
    id::LeadId,
    model::{ClientAccount, Lead, LeadItem, LeadPatch, LeadQuery, NewLead, Page, Pipeline, Window},
};

use crate::{
    answer,
    call::{Call, CreateLead},
    client::Client,
    request::Prepared,
    walk::{Fetch, Mark, Poller, Walk},
};
use leadapi_core::model::IdempotencyKey;

/// The leads of the token's business.
#[derive(Debug, Clone, Copy)]
pub struct Leads<'c>(&'c Client);

/// The pipelines of the token's business, with their stages.
#[derive(Debug, Clone, Copy)]
pub struct Pipelines<'c>(&'c Client);

/// The client accounts of the token's business.
#[derive(Debug, Clone, Copy)]
pub struct Clients<'c>(&'c Client);

impl Client {
    /// What can be done with leads.
    ///
    /// ```
    /// use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// println!("{} leads", client.leads().list(&LeadQuery::new()).await?.total);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub const fn leads(&self) -> Leads<'_> {
        Leads(self)
    }

    /// What can be done with pipelines.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::model::Window;
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// println!("{} pipelines", client.pipelines().list(Window::default()).await?.total);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub const fn pipelines(&self) -> Pipelines<'_> {
        Pipelines(self)
    }

    /// What can be done with client accounts.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::model::Window;
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// println!("{} client accounts", client.clients().list(Window::default()).await?.total);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub const fn clients(&self) -> Clients<'_> {
        Clients(self)
    }
}

impl<'c> Leads<'c> {
    pub(crate) const fn client(self) -> &'c Client {
        self.0
    }

    /// A page of leads, newest first; an offset past the end is an empty page (`GET /leads`).
    ///
    /// ```
    /// use leadapi_client::model::{LeadQuery, Window};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let of_casa_verde = LeadQuery::new().client(support::casa_verde()).window(Window::new(10, 0)?);
    /// let page = client.leads().list(&of_casa_verde).await?;
    /// println!("{} of {}", page.data.len(), page.total);
    /// # assert_eq!(page.total, 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When it is awaited: 403 when the client account is not one of the token's business, 400 when the stage is not, and
    /// what every call may meet ([`Error`](crate::Error)).
    pub fn list(&self, query: &LeadQuery) -> Call<Page<LeadItem>> {
        self.0.call(Operation::ListLeads, Ok(Prepared::list_leads(query)), answer::json)
    }

    /// Creates a lead, under an idempotency key unless told otherwise (`POST /leads`).
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::casa_verde;
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let lead = client.leads().create(&NewLead::new(&casa_verde(), "Øyvind").email("oyvind@example.no")).await?;
    /// assert_eq!(lead.name, "Øyvind");
    ///
    /// let error = client.leads().create(&NewLead::new(&casa_verde(), " ")).await.unwrap_err();
    /// assert_eq!(error.to_string(), "POST /leads: not sent: name is required");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When it is awaited: what breaks a rule is not sent; 403 when the client account is not one of the token's
    /// business, 400 when the pipeline or the stage is not or the key stands for another lead, and what every call may
    /// meet ([`Error`](crate::Error)).
    pub fn create(&self, new: &NewLead) -> CreateLead {
        let prepared = Prepared::create_lead(new, Some(&IdempotencyKey::random()));
        CreateLead::new(self.0.call(Operation::CreateLead, prepared, answer::json))
    }

    /// One lead, with all its fields (`GET /leads/{id}`).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::id::LeadId;
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let lead = client.leads().get(&LeadId::parse("lead-1")?).await?;
    /// assert_eq!(lead.notes.as_deref(), Some("Call back in June"));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When it is awaited: 404 when the token's business has no such lead, and what every call may meet
    /// ([`Error`](crate::Error)).
    pub fn get(&self, id: &LeadId) -> Call<Lead> {
        self.0.call(Operation::GetLead, Prepared::get_lead(id), answer::json)
    }

    /// Changes a lead, and answers it as it is then (`PATCH /leads/{id}`).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::{id::LeadId, model::LeadPatch};
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let patch = LeadPatch::new().phone("+34 600 000 000").clear_notes();
    /// let lead = client.leads().update(&LeadId::parse("lead-1")?, &patch).await?;
    /// assert_eq!((lead.phone.as_deref(), lead.notes), (Some("+34 600 000 000"), None));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When it is awaited: what breaks a rule is not sent; 404 when the token's business has no such lead, 400 when it
    /// has no such pipeline or stage, and what every call may meet ([`Error`](crate::Error)).
    pub fn update(&self, id: &LeadId, patch: &LeadPatch) -> Call<Lead> {
        self.0.call(Operation::UpdateLead, Prepared::update_lead(id, patch), answer::json)
    }

    /// Deletes a lead (`DELETE /leads/{id}`).
    ///
    /// When the answer to an attempt was lost and the next one hears that there is no such lead, it is deleted.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::id::LeadId;
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let id = LeadId::parse("lead-1")?;
    /// client.leads().delete(&id).await?;
    /// assert!(client.leads().delete(&id).await.unwrap_err().is_not_found());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When it is awaited: 404 when the token's business has no such lead, be it that it has been deleted before, and
    /// what every call may meet ([`Error`](crate::Error)).
    pub fn delete(&self, id: &LeadId) -> Call<()> {
        self.0.call(Operation::DeleteLead, Prepared::delete_lead(id), |_| Ok(()))
    }

    /// Every lead that the query's filters let through, newest first, however many pages they fill and whatever others
    /// write meanwhile. The query's own window is not looked at.
    ///
    /// ```
    /// use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let mut leads = client.leads().walk(LeadQuery::new().client(casa_verde())).stream();
    /// while let Some(lead) = leads.try_next().await? {
    ///     println!("{} of {:?}", lead.name, leads.total());
    /// }
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    pub fn walk(&self, query: LeadQuery) -> Walk {
        Walk::new(self.fetch(), query)
    }

    /// What was created since a mark was made, each time it is asked: for integrations that look again every few minutes.
    /// The query's own window is not looked at.
    ///
    /// ```
    /// use leadapi_client::{model::{LeadQuery, NewLead}, walk::Mark};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let mut poller = client.leads().new_since(LeadQuery::new(), Mark::at("2026-06-01T00:00:00Z".parse()?));
    /// assert!(poller.poll().await?.leads.is_empty());
    ///
    /// client.leads().create(&NewLead::new(&casa_verde(), "Øyvind")).await?;
    /// let new = poller.poll().await?;
    /// assert_eq!(new.leads.first().map(|lead| lead.name.as_str()), Some("Øyvind"));
    /// let to_keep = serde_json::to_string(&new.mark)?;
    /// assert!(poller.poll().await?.leads.is_empty());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    pub fn new_since(&self, query: LeadQuery, mark: Mark) -> Poller {
        Poller::new(self.fetch(), query, mark)
    }

    /// How a walk asks for a page.
    fn fetch(self) -> Fetch {
        let client = self.0.clone();
        Arc::new(move |query| client.leads().list(&query).into_future())
    }
}

impl Pipelines<'_> {
    /// A page of pipelines with their stages, oldest first (`GET /pipelines`).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::model::Window;
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// for pipeline in client.pipelines().list(Window::default()).await?.data {
    ///     println!("{}: {} stages", pipeline.name, pipeline.stages.len());
    /// }
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When it is awaited: what every call may meet ([`Error`](crate::Error)).
    pub fn list(&self, window: Window) -> Call<Page<Pipeline>> {
        self.0.call(Operation::ListPipelines, Ok(Prepared::pipelines(window)), answer::json)
    }
}

impl Clients<'_> {
    /// A page of client accounts by name (`GET /clients`).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::model::Window;
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let clients = client.clients().list(Window::default()).await?;
    /// assert_eq!(clients.data.first().map(|account| account.name.as_str()), Some("Casa Verde"));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When it is awaited: what every call may meet ([`Error`](crate::Error)).
    pub fn list(&self, window: Window) -> Call<Page<ClientAccount>> {
        self.0.call(Operation::ListClients, Ok(Prepared::clients(window)), answer::json)
    }
}
