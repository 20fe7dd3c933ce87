//! Sample traffic that uses every operation of the service.

use leadapi_client::{
    Client, Error, RetryPolicy,
    model::{IdempotencyKey, LeadPatch, LeadQuery, NewLead, Window},
    transport::{InProcess, Transport},
};
use leadapi_testkit::cassette::{Cassette, Recorder};

use crate::support;

/// Calls every operation. Returns the parts of the results that are the same in every run.
pub(crate) async fn run_traffic(client: &Client) -> Result<Vec<String>, Error> {
    let leads = client.leads();
    let mut results = Vec::new();
    let casa_verde = support::casa_verde();
    let ann = NewLead::new(&casa_verde, "Ann").email("ann@example.com").phone("+34 600 000 000").value(450);
    let key = IdempotencyKey::random();
    let first = leads.create(&ann).idempotency_key(key.clone()).await?;
    let again = leads.create(&ann).idempotency_key(key).await?;
    results.push(format!("{} {}", first == again, first.email.as_deref().unwrap_or_default()));
    let second = leads.create(&NewLead::new(&casa_verde, "Øyvind").email("ann@example.com")).await?;
    results.push(second.name.clone());
    let changed = leads.update(&first.id, &LeadPatch::new().notes("Call back in June").clear_phone()).await?;
    results.push(format!("{:?} {:?}", changed.notes, changed.phone));
    results.push(format!("{}", leads.get(&second.id).await?.id == second.id));
    let page = leads.list(&LeadQuery::new().client(casa_verde.clone())).await?;
    results.push(page.data.iter().map(|lead| lead.name.as_str()).collect::<Vec<_>>().join(", "));
    let mut stream = leads.list_all(LeadQuery::new()).stream();
    while let Some(lead) = stream.try_next().await? {
        results.push(lead.name.clone());
    }
    leads.delete(&second.id).await?;
    results.push(leads.get(&second.id).await.unwrap_err().to_string());
    results.push(client.pipelines().list(Window::default()).await?.total.to_string());
    results.push(client.client_accounts().list(Window::default()).await?.total.to_string());
    Ok(results)
}

/// Returns a recorder around the real service, and a client that uses it. The data is fictitious, so it is not
/// redacted.
pub(crate) fn recorded(with: impl FnOnce(Recorder) -> Recorder) -> (Recorder, Client) {
    let (service, token) = support::service();
    let recorder = with(Recorder::new(InProcess::new(service)).keep_personal_data());
    let client = Client::builder("http://in-process/v1", token).transport(recorder.clone()).build().unwrap();
    (recorder, client)
}

/// Returns a cassette with two creates, a list of leads and a list of pipelines.
pub(crate) fn short() -> Cassette {
    let (recorder, client) = recorded(|recorder| recorder);
    support::wait(async {
        create(&client, "Ann", "k1").await?;
        create(&client, "Bob", "k2").await?;
        client.leads().list(&LeadQuery::new()).await?;
        client.pipelines().list(Window::default()).await
    })
    .unwrap();
    recorder.cassette().unwrap()
}

pub(crate) async fn create(client: &Client, name: &str, key: &str) -> Result<String, Error> {
    let new = NewLead::new(&support::casa_verde(), name);
    let key = IdempotencyKey::parse(key).unwrap();
    Ok(client.leads().create(&new).idempotency_key(key).await?.id.to_string())
}

/// Returns a client without retries for a replay.
pub(crate) fn client_of(transport: impl Transport) -> Client {
    let builder = Client::builder("http://replay/v1", "pak_0123").retry(RetryPolicy::none());
    builder.transport(transport).build().unwrap()
}
