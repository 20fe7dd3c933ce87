//! The operations, grouped by resource: leads, pipelines and client accounts.

use std::sync::Arc;

use leadapi_model::{
    http::Operation,
    id::LeadId,
    model::{ClientAccount, IdempotencyKey, Lead, LeadItem, LeadPatch, LeadQuery, NewLead, Page, Pipeline, Window},
};

use crate::{
    call::{Call, CreateLead},
    client::Client,
    pager::{Checkpoint, Fetch, LeadPager, Poller},
    request::Prepared,
    response,
};

/// The operations on the leads of the token's business.
#[derive(Debug, Clone, Copy)]
pub struct Leads<'c>(&'c Client);

/// The operations on the pipelines of the token's business.
#[derive(Debug, Clone, Copy)]
pub struct Pipelines<'c>(&'c Client);

/// The operations on the client accounts of the token's business.
#[derive(Debug, Clone, Copy)]
pub struct ClientAccounts<'c>(&'c Client);

impl Client {
    /// Returns the operations on leads.
    ///
    /// ```
    /// use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// println!("{} leads", client.leads().list(&LeadQuery::new()).await?.total);
    /// # Ok(()) });
    /// ```
    pub const fn leads(&self) -> Leads<'_> {
        Leads(self)
    }

    /// Returns the operations on pipelines.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::model::Window;
    /// # support::run(async |client| {
    /// println!("{} pipelines", client.pipelines().list(Window::default()).await?.total);
    /// # Ok(()) });
    /// ```
    pub const fn pipelines(&self) -> Pipelines<'_> {
        Pipelines(self)
    }

    /// Returns the operations on client accounts.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::model::Window;
    /// # support::run(async |client| {
    /// println!("{} client accounts", client.client_accounts().list(Window::default()).await?.total);
    /// # Ok(()) });
    /// ```
    pub const fn client_accounts(&self) -> ClientAccounts<'_> {
        ClientAccounts(self)
    }
}

impl<'c> Leads<'c> {
    pub(crate) const fn client(self) -> &'c Client {
        self.0
    }

    /// Lists a page of leads, newest first (`GET /leads`). An offset past the end returns an empty page.
    ///
    /// ```
    /// use leadapi_client::model::{LeadQuery, Window};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let of_casa_verde = LeadQuery::new().client(support::casa_verde()).window(Window::new(10, 0)?);
    /// let page = client.leads().list(&of_casa_verde).await?;
    /// println!("{} of {}", page.data.len(), page.total);
    /// # assert_eq!(page.total, 1);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The awaited call fails with 403 if the client account does not belong to the token's business. It fails with 400
    /// if the stage does not belong to that business. For errors that any call can return, see [`Error`](crate::Error).
    pub fn list(&self, query: &LeadQuery) -> Call<Page<LeadItem>> {
        self.0.call(Operation::ListLeads, Ok(Prepared::list_leads(query)), response::json)
    }

    /// Creates a lead (`POST /leads`). By default the call carries an idempotency key.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::casa_verde;
    /// # support::run(async |client| {
    /// let lead = client.leads().create(&NewLead::new(&casa_verde(), "Øyvind").email("oyvind@example.no")).await?;
    /// assert_eq!(lead.name, "Øyvind");
    ///
    /// let error = client.leads().create(&NewLead::new(&casa_verde(), " ")).await.unwrap_err();
    /// assert_eq!(error.to_string(), "POST /leads: not sent: name is required");
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The client rejects an invalid lead without sending it. The awaited call fails with 403 if the client account
    /// does not belong to the token's business. It fails with 400 if the business has no such pipeline or stage, if the
    /// stage belongs to a different pipeline, or if the key was already used for a different lead. For errors that any
    /// call can return, see [`Error`](crate::Error).
    pub fn create(&self, new: &NewLead) -> CreateLead {
        let prepared = Prepared::create_lead(new, Some(&IdempotencyKey::random()));
        CreateLead::new(self.0.call(Operation::CreateLead, prepared, response::json))
    }

    /// Gets a lead with all its fields (`GET /leads/{id}`).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::id::LeadId;
    /// # support::run(async |client| {
    /// let lead = client.leads().get(&LeadId::parse("lead-1")?).await?;
    /// assert_eq!(lead.notes.as_deref(), Some("Call back in June"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The awaited call fails with 404 if the token's business has no such lead. For errors that any call can return,
    /// see [`Error`](crate::Error).
    pub fn get(&self, id: &LeadId) -> Call<Lead> {
        self.0.call(Operation::GetLead, Prepared::get_lead(id), response::json)
    }

    /// Changes a lead and returns the updated lead (`PATCH /leads/{id}`).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::{id::LeadId, model::LeadPatch};
    /// # support::run(async |client| {
    /// let patch = LeadPatch::new().phone("+34 600 000 000").clear_notes();
    /// let lead = client.leads().update(&LeadId::parse("lead-1")?, &patch).await?;
    /// assert_eq!((lead.phone.as_deref(), lead.notes), (Some("+34 600 000 000"), None));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The client rejects an invalid patch without sending it. The awaited call fails with 404 if the token's business
    /// has no such lead. It fails with 400 if the business has no such pipeline or stage, or if the stage belongs to a
    /// different pipeline. For errors that any call can return, see [`Error`](crate::Error).
    pub fn update(&self, id: &LeadId, patch: &LeadPatch) -> Call<Lead> {
        self.0.call(Operation::UpdateLead, Prepared::update_lead(id, patch), response::json)
    }

    /// Deletes a lead (`DELETE /leads/{id}`).
    ///
    /// If a failed attempt may have deleted the lead and a retry returns 404, the call counts as successful.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::id::LeadId;
    /// # support::run(async |client| {
    /// let id = LeadId::parse("lead-1")?;
    /// client.leads().delete(&id).await?;
    /// assert!(client.leads().delete(&id).await.unwrap_err().is_not_found());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The awaited call fails with 404 if the token's business has no such lead, for example because it was already
    /// deleted. For errors that any call can return, see [`Error`](crate::Error).
    pub fn delete(&self, id: &LeadId) -> Call<()> {
        self.0.call(Operation::DeleteLead, Prepared::delete_lead(id), |_| Ok(()))
    }

    /// Returns a pager over all leads that match the query's filters, newest first. Concurrent writes cause no gaps or
    /// duplicates. The query's window is ignored.
    ///
    /// ```
    /// use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # support::run(async |client| {
    /// let mut leads = client.leads().list_all(LeadQuery::new().client(casa_verde())).stream();
    /// while let Some(lead) = leads.try_next().await? {
    ///     println!("{} of {:?}", lead.name, leads.total());
    /// }
    /// # Ok(()) });
    /// ```
    pub fn list_all(&self, query: LeadQuery) -> LeadPager {
        LeadPager::new(self.fetch(), query)
    }

    /// Returns a poller for leads created since a checkpoint, for integrations that check every few minutes. The
    /// query's window is ignored.
    ///
    /// ```
    /// use leadapi_client::{model::{LeadQuery, NewLead}, pager::Checkpoint};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # support::run(async |client| {
    /// let mut poller = client.leads().poll_created(LeadQuery::new(), Checkpoint::at("2026-06-01T00:00:00Z".parse()?));
    /// assert!(poller.poll().await?.leads.is_empty());
    ///
    /// client.leads().create(&NewLead::new(&casa_verde(), "Øyvind")).await?;
    /// let new = poller.poll().await?;
    /// assert_eq!(new.leads.first().map(|lead| lead.name.as_str()), Some("Øyvind"));
    /// let saved = serde_json::to_string(&new.checkpoint)?;
    /// assert!(poller.poll().await?.leads.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn poll_created(&self, query: LeadQuery, checkpoint: Checkpoint) -> Poller {
        Poller::new(self.fetch(), query, checkpoint)
    }

    /// Returns a function that fetches pages.
    fn fetch(self) -> Fetch {
        let client = self.0.clone();
        Arc::new(move |query| client.leads().list(&query).into_future())
    }
}

impl Pipelines<'_> {
    /// Lists a page of pipelines with their stages, oldest first (`GET /pipelines`).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::model::Window;
    /// # support::run(async |client| {
    /// for pipeline in client.pipelines().list(Window::default()).await?.data {
    ///     println!("{}: {} stages", pipeline.name, pipeline.stages.len());
    /// }
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// For errors that any call can return, see [`Error`](crate::Error).
    pub fn list(&self, window: Window) -> Call<Page<Pipeline>> {
        self.0.call(Operation::ListPipelines, Ok(Prepared::pipelines(window)), response::json)
    }
}

impl ClientAccounts<'_> {
    /// Lists a page of client accounts, ordered by name (`GET /clients`).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use leadapi_client::model::Window;
    /// # support::run(async |client| {
    /// let clients = client.client_accounts().list(Window::default()).await?;
    /// assert_eq!(clients.data.first().map(|account| account.name.as_str()), Some("Casa Verde"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// For errors that any call can return, see [`Error`](crate::Error).
    pub fn list(&self, window: Window) -> Call<Page<ClientAccount>> {
        self.0.call(Operation::ListClients, Ok(Prepared::clients(window)), response::json)
    }
}
