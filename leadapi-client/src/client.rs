//! The client: the seven operations of the API as seven methods.

use std::{fmt, sync::Arc};

use http::HeaderValue;
use leadapi_core::{
    auth::BearerToken,
    http::Operation,
    id::LeadId,
    model::{ClientAccount, IdempotencyKey, Lead, LeadItem, LeadPatch, LeadQuery, NewLead, Page, Pipeline, Window},
};

use crate::{
    answer::Answer,
    base_url::BaseUrl,
    builder::Builder,
    call::{Call, Refusal},
    credential::Credential,
    error::{Cause, Error},
    transport::{Transport, TransportError},
};

/// A client of the API, for one token and so for one business.
///
/// It is cheap to clone, and clones share their connections. Every method sends one request and waits for its answer;
/// dropping its future gives up waiting, and what was sent may be done or not.
///
/// ```
/// use leadapi_client::{Client, model::{LeadQuery, NewLead}};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # fn main() { futures_executor::block_on(async {
/// # let (service, token) = service();
/// let client = Client::builder("http://in-process/v1", token).in_process(service)?;
/// let lead = client.create_lead(&NewLead::new(&casa_verde(), "Élodie Martin").value(450)).await?;
/// assert_eq!(client.lead(&lead.id).await?, lead);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap() }
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) base: BaseUrl,
    pub(crate) token: BearerToken,
    /// The token as the header that carries it, marked as sensitive.
    pub(crate) authorization: HeaderValue,
    pub(crate) transport: Box<dyn Transport>,
}

/// What became of a create that carries a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CreatedLead {
    /// The lead, as it was when it was created.
    pub lead: Lead,
    /// Whether the service had created it before, for the same key: then nothing new was made.
    pub replayed: bool,
}

impl Client {
    /// Begins to put a client together: the base URL with its base path, such as `http://127.0.0.1:8080/v1`, and the
    /// token, or a text that is to be one.
    ///
    /// The token goes to that origin and nowhere else. Over `http://` everyone on the way can read it.
    ///
    /// ```
    /// use leadapi_client::Client;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() -> Result<(), leadapi_client::ConfigError> {
    /// # let (service, token) = service();
    /// let client = Client::builder("http://in-process/v1", token).in_process(service.clone())?;
    /// assert_eq!(format!("{client:?}"), r#"Client { base_url: "http://in-process/v1", .. }"#);
    ///
    /// let wrong = Client::builder("example.com", "pak_0123456789").in_process(service).unwrap_err();
    /// assert_eq!(wrong.to_string(), "the base URL must begin with http:// or https://");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(base_url: impl Into<String>, token: impl Into<Credential>) -> Builder {
        Builder::new(base_url.into(), token.into())
    }

    pub(crate) const fn new(inner: Arc<Inner>) -> Self {
        Self { inner }
    }

    /// A page of leads, newest first; an offset past the end is an empty page (`GET /leads`).
    ///
    /// ```
    /// use leadapi_client::model::{LeadQuery, Window};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let page = client.list_leads(&LeadQuery::new().client(casa_verde()).window(Window::new(10, 0)?)).await?;
    /// println!("{} of {}", page.data.len(), page.total);
    /// # assert_eq!(page.total, 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// 403 when the client account is not one of the token's business, 400 when the stage is not, and what every call
    /// may meet ([`Error`]).
    pub async fn list_leads(&self, query: &LeadQuery) -> Result<Page<LeadItem>, Error> {
        self.ask(Call::list_leads(query)).await?.json()
    }

    /// Creates a lead (`POST /leads`): a new one with every call. When the answer is lost, nobody knows whether there is
    /// one; [`create_lead_once`](Self::create_lead_once) can be called again.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let lead = client.create_lead(&NewLead::new(&casa_verde(), "Øyvind").email("oyvind@example.no")).await?;
    /// assert_eq!(lead.name, "Øyvind");
    ///
    /// let error = client.create_lead(&NewLead::new(&casa_verde(), " ")).await.unwrap_err();
    /// assert_eq!(error.to_string(), "POST /leads: not sent: name is required");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// What breaks a rule is not sent; 403 when the client account is not one of the token's business, 400 when the
    /// pipeline or the stage is not, and what every call may meet ([`Error`]).
    pub async fn create_lead(&self, new: &NewLead) -> Result<Lead, Error> {
        let call = sendable(Operation::CreateLead, Call::create_lead(new, None))?;
        self.ask(call).await?.json()
    }

    /// Creates a lead unless the service has created it before for the same key, within 24 hours (`POST /leads` with an
    /// `Idempotency-Key`). When the answer is lost, the same call with the same key is safe.
    ///
    /// ```
    /// use leadapi_client::model::{IdempotencyKey, NewLead};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let (new, key) = (NewLead::new(&casa_verde(), "Øyvind"), IdempotencyKey::parse("import-7/row-12")?);
    /// let first = client.create_lead_once(&new, &key).await?;
    /// let again = client.create_lead_once(&new, &key).await?;
    /// assert_eq!(first.lead.id, again.lead.id);
    /// assert!(!first.replayed && again.replayed);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`create_lead`](Self::create_lead), and 400 when the key stands for another lead.
    pub async fn create_lead_once(&self, new: &NewLead, key: &IdempotencyKey) -> Result<CreatedLead, Error> {
        let call = sendable(Operation::CreateLead, Call::create_lead(new, Some(key)))?;
        let answer = self.ask(call).await?;
        Ok(CreatedLead { lead: answer.json()?, replayed: answer.is_replayed() })
    }

    /// One lead, with all its fields (`GET /leads/{id}`).
    ///
    /// ```
    /// use leadapi_client::id::LeadId;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let lead = client.lead(&LeadId::parse("lead-1")?).await?;
    /// assert_eq!(lead.notes.as_deref(), Some("Call back in June"));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// 404 when the token's business has no such lead, and what every call may meet ([`Error`]).
    pub async fn lead(&self, id: &LeadId) -> Result<Lead, Error> {
        self.ask(sendable(Operation::GetLead, Call::get_lead(id))?).await?.json()
    }

    /// Changes a lead, and answers it as it is then (`PATCH /leads/{id}`).
    ///
    /// ```
    /// use leadapi_client::{id::LeadId, model::LeadPatch};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let lead = client.update_lead(&LeadId::parse("lead-1")?, &LeadPatch::new().phone("+34 600 000 000").clear_notes()).await?;
    /// assert_eq!((lead.phone.as_deref(), lead.notes), (Some("+34 600 000 000"), None));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// What breaks a rule is not sent; 404 when the token's business has no such lead, 400 when it has no such pipeline
    /// or stage, and what every call may meet ([`Error`]).
    pub async fn update_lead(&self, id: &LeadId, patch: &LeadPatch) -> Result<Lead, Error> {
        self.ask(sendable(Operation::UpdateLead, Call::update_lead(id, patch))?).await?.json()
    }

    /// Deletes a lead (`DELETE /leads/{id}`).
    ///
    /// ```
    /// use leadapi_client::id::LeadId;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let id = LeadId::parse("lead-1")?;
    /// client.delete_lead(&id).await?;
    /// assert!(client.delete_lead(&id).await.unwrap_err().is_not_found());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// 404 when the token's business has no such lead, be it that it has been deleted before, and what every call may
    /// meet ([`Error`]).
    pub async fn delete_lead(&self, id: &LeadId) -> Result<(), Error> {
        self.ask(sendable(Operation::DeleteLead, Call::delete_lead(id))?).await.map(drop)
    }

    /// A page of pipelines with their stages, oldest first (`GET /pipelines`).
    ///
    /// ```
    /// use leadapi_client::model::Window;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// for pipeline in client.pipelines(Window::default()).await?.data {
    ///     println!("{}: {} stages", pipeline.name, pipeline.stages.len());
    /// }
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// What every call may meet ([`Error`]).
    pub async fn pipelines(&self, window: Window) -> Result<Page<Pipeline>, Error> {
        self.ask(Call::pipelines(window)).await?.json()
    }

    /// A page of client accounts by name (`GET /clients`).
    ///
    /// ```
    /// use leadapi_client::model::Window;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use support::*;
    ///
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = in_process();
    /// let clients = client.clients(Window::default()).await?;
    /// assert_eq!(clients.data.first().map(|account| account.name.as_str()), Some("Casa Verde"));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// What every call may meet ([`Error`]).
    pub async fn clients(&self, window: Window) -> Result<Page<ClientAccount>, Error> {
        self.ask(Call::clients(window)).await?.json()
    }

    /// The one way from a call to its answer.
    async fn ask(&self, call: Call) -> Result<Answer<'_>, Error> {
        let Inner { base, token, authorization, transport } = &*self.inner;
        let failed = |error| Error::new(call.operation, Cause::Transport(error));
        let request = call.request(base, authorization).map_err(TransportError::not_sent).map_err(failed)?;
        let response = transport.send(request).await.map_err(failed)?;
        Answer::read(call.operation, response, token)
    }
}

/// A call that the service would refuse without its data is not sent.
fn sendable(operation: Operation, call: Result<Call, Refusal>) -> Result<Call, Error> {
    call.map_err(|refusal| Error::new(operation, Cause::Refusal(refusal)))
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.inner.base.as_str()).finish_non_exhaustive()
    }
}
