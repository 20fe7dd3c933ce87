//! Callers that create leads with idempotency keys, and retry with the same key after every failure.

use std::collections::HashMap;

use leadapi_client::{
    Client,
    id::ClientId,
    model::{IdempotencyKey, NewLead},
};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::server::Server;

const CALLERS: usize = 8;

/// A caller and the responses that it received.
#[derive(Default)]
struct Caller {
    nth: usize,
    created: usize,
    /// The ids of acknowledged leads, by name.
    acknowledged: HashMap<String, String>,
}

impl Caller {
    /// Creates leads until a request fails. The next run starts by retrying that request.
    async fn run(mut self, client: Client, acknowledged_sender: UnboundedSender<()>) -> Self {
        loop {
            let name = format!("{}-{}", self.nth, self.created);
            let new = NewLead::new(&ClientId::parse("c1").unwrap(), &name);
            let key = IdempotencyKey::parse(&name).unwrap();
            let Ok(lead) = client.leads().create(&new).idempotency_key(key).await else { return self };
            self.acknowledged.insert(name, lead.id.to_string());
            self.created += 1;
            // The send fails if the receiver has stopped counting.
            acknowledged_sender.send(()).unwrap_or_default();
        }
    }
}

/// All callers of a test.
pub(crate) struct Callers(Vec<Caller>);

impl Callers {
    pub(crate) fn new() -> Self {
        Self((0..CALLERS).map(|nth| Caller { nth, ..Caller::default() }).collect())
    }

    /// Runs all callers until the server has acknowledged this number of leads. Then stops the server with `end`, and
    /// waits until a request of each caller has failed.
    pub(crate) async fn until<T>(&mut self, acknowledged: usize, server: Server, end: impl FnOnce(Server) -> T) -> T {
        let (acknowledged_sender, mut hear) = unbounded_channel();
        let run = |caller: Caller| tokio::spawn(caller.run(server.client.clone(), acknowledged_sender.clone()));
        let running: Vec<_> = self.0.drain(..).map(run).collect();
        for _ in 0..acknowledged {
            hear.recv().await.unwrap();
        }
        let ended = end(server);
        for caller in running {
            self.0.push(caller.await.unwrap());
        }
        ended
    }

    /// Checks that each acknowledged lead is stored exactly once, and that every other stored lead was created by a
    /// request that received no response. Returns the number of acknowledged leads.
    pub(crate) async fn check(&self, server: &Server) -> usize {
        let mut acknowledged = HashMap::new();
        let mut open = Vec::new();
        for caller in &self.0 {
            acknowledged.extend(caller.acknowledged.clone());
            open.push(format!("{}-{}", caller.nth, caller.created));
        }
        let mut stored: HashMap<String, String> = HashMap::new();
        for (name, id) in server.all().await {
            assert!(acknowledged.contains_key(&name) || open.contains(&name), "a lead that nobody created: {name}");
            assert_eq!(stored.insert(name.clone(), id), None, "a duplicate: {name}");
        }
        for (name, id) in &acknowledged {
            assert_eq!(stored.get(name), Some(id), "lost: {name}");
        }
        acknowledged.len()
    }
}

/// Returns a random number below the bound. It differs from run to run.
pub(crate) fn random_below(bound: usize) -> usize {
    usize::try_from(uuid::Uuid::new_v4().as_u128() % bound as u128).unwrap()
}
