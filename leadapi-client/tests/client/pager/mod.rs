//! Tests of paging and polling while leads are created and deleted. The tests in this file use the real service. The
//! tests in the submodules use a model of the list, over a connection that may be slow or fail.

mod cursor;
mod model;
mod poller;
mod stream;
mod unreliable;

use leadapi_client::{
    id::LeadId,
    model::{LeadItem, LeadQuery, NewLead},
    pager::Checkpoint,
};

use crate::support::{casa_verde, run};

fn ids(leads: &[LeadItem]) -> Vec<LeadId> {
    leads.iter().map(|lead| lead.id.clone()).collect()
}

#[test]
fn a_lead_that_stays_is_yielded_once_while_others_write() {
    run(async |client| {
        let mut stay = vec![LeadId::parse("lead-1").unwrap()];
        let mut go = Vec::new();
        // The service admits 60 writes per minute.
        for number in 0..28 {
            let lead = client.leads().create(&NewLead::new(&casa_verde(), format!("Lead {number}"))).await.unwrap();
            if number % 3 == 0 { go.push(lead.id) } else { stay.push(lead.id) }
        }
        stay.reverse();
        // While the pager reads, existing leads are deleted from newest to oldest, and new leads are created.
        let mut yielded = Vec::new();
        let mut leads =
            client.leads().list_all(LeadQuery::new().client(casa_verde())).page_size(4).prefetch(3).stream();
        while let Some(lead) = leads.try_next().await.unwrap() {
            if let Some(id) = go.pop() {
                client.leads().delete(&id).await.unwrap();
            } else {
                client.leads().create(&NewLead::new(&casa_verde(), "New")).await.unwrap();
            }
            yielded.push(lead);
        }
        let yielded: Vec<_> = ids(&yielded).into_iter().filter(|id| stay.contains(id)).collect();
        assert_eq!(yielded, stay);
        Ok(())
    });
}

#[test]
fn a_poll_returns_new_leads_oldest_first() {
    run(async |client| {
        let mut poller = client.leads().poll_created(LeadQuery::new(), Checkpoint::default()).page_size(2);
        assert_eq!(poller.poll().await.unwrap().leads.len(), 1);
        let mut created = Vec::new();
        for number in 0..9 {
            let lead = client.leads().create(&NewLead::new(&casa_verde(), format!("Lead {number}"))).await.unwrap();
            created.push(lead.id);
        }
        assert_eq!(ids(&poller.poll().await.unwrap().leads), created);
        assert_eq!(poller.poll().await.unwrap().leads, []);
        Ok(())
    });
}
