//! A check with more leads than fit on one page. It creates, changes and deletes leads, and compares the pages with a
//! model.

use std::{cmp::Reverse, sync::Arc};

use leadapi_core::{
    BoxError,
    auth::Author,
    model::{Lead, LeadItem, LeadPatch, LeadQuery, NewLead, Window},
    port::{Store, Updated},
};

use super::{CheckResult, business, change, client, create, lead_id, page, same, stage};

const LEADS: usize = 300;
const CLIENTS: [&str; 4] = ["c1", "c2", "c3", "c4"];
const STAGES: [&str; 5] = ["", "s11", "s12", "s21", "s31"];

/// The expected leads, by lead number. Every change to the store is also applied to the model.
struct Model(Vec<Option<Arc<Lead>>>);

pub(super) async fn pages_match_a_model(store: &impl Store) -> CheckResult {
    let mut model = Model(Vec::new());
    for number in 0..LEADS {
        let mut lead = NewLead::new(&client(pick(&CLIENTS, number)), format!("Lead {number}"));
        lead.stage_id = Some(pick(&STAGES, number / 3).to_owned());
        // Neither ids nor timestamps follow the order of creation, and three leads share each timestamp.
        let (id, minute) = (number * 7 % LEADS, number * 11 % 100);
        let at = format!("2026-05-04T{:02}:{:02}:00.000Z", minute / 60, minute % 60);
        model.0.push(Some(create(store, &format!("l{id}"), &at, &lead).await?));
    }
    compare(store, &model).await?;
    for number in (0..LEADS).step_by(5) {
        model.change(store, number, LeadPatch::new().stage(&stage(pick(&["s12", "s21"], number)))).await?;
    }
    for number in (0..LEADS).step_by(11) {
        model.change(store, number, LeadPatch::new().clear_pipeline().name("moved out")).await?;
    }
    for number in (0..LEADS).step_by(7) {
        model.remove(store, number).await?;
    }
    compare(store, &model).await?;
    for number in (1..LEADS).step_by(2) {
        model.remove(store, number).await?;
    }
    compare(store, &model).await
}

fn pick<'a>(names: &[&'a str], number: usize) -> &'a str {
    names.get(number % names.len()).copied().unwrap_or_default()
}

impl Model {
    async fn change(&mut self, store: &impl Store, number: usize, patch: LeadPatch) -> CheckResult {
        let Some(Some(lead)) = self.0.get_mut(number) else { return Ok(()) };
        match change(store, lead.id.as_str(), &patch).await? {
            Updated::Changed(changed) => *lead = changed,
            other => return Err(format!("{} was not changed: {other:?}", lead.id).into()),
        }
        Ok(())
    }

    async fn remove(&mut self, store: &impl Store, number: usize) -> CheckResult {
        let Some(lead) = self.0.get_mut(number).and_then(Option::take) else { return Ok(()) };
        same("deleting", &store.delete(&business("b1"), &Author::Host, &lead_id(lead.id.as_str())).await?, &true)
    }

    /// Returns all leads that match a query, in the order that the contract defines.
    fn matches(&self, query: &LeadQuery) -> Vec<LeadItem> {
        let leads = self.0.iter().flatten();
        let by_client = leads.filter(|lead| query.client.as_ref().is_none_or(|client| lead.client_id == *client));
        let by_both = by_client.filter(|lead| query.stage.is_none() || lead.stage_id == query.stage);
        let mut items: Vec<LeadItem> = by_both.map(|lead| (**lead).clone().into()).collect();
        items.sort_by_key(|item| Reverse((item.created_at, item.id.clone())));
        items
    }
}

/// Compares small pages at every offset without filters, and the largest pages for every combination of filters.
async fn compare(store: &impl Store, model: &Model) -> CheckResult {
    let all = LeadQuery::new();
    let expected = model.matches(&all);
    for offset in 0..=expected.len() + 1 {
        let window = Window::new(3, u64::try_from(offset)?)?;
        compare_page(store, &all.clone().window(window), &expected).await?;
    }
    let clients = CLIENTS.into_iter().map(|id| Some(client(id))).chain([None]);
    for client in clients {
        for place in STAGES {
            let stage = (!place.is_empty()).then(|| stage(place));
            let mut query = LeadQuery::new();
            (query.client, query.stage) = (client.clone(), stage);
            let expected = model.matches(&query);
            for offset in [0, Window::MAX_LIMIT.into()] {
                let window = Window::new(Window::MAX_LIMIT, offset)?;
                compare_page(store, &query.clone().window(window), &expected).await?;
            }
        }
    }
    Ok(())
}

async fn compare_page(store: &impl Store, query: &LeadQuery, expected: &[LeadItem]) -> Result<(), BoxError> {
    let page = page(store, "b1", query).await?;
    let found: Vec<LeadItem> = page.data.iter().map(|lead| (**lead).clone().into()).collect();
    let total = u64::try_from(expected.len())?;
    same(&format!("the page of {query:?}"), &(found.as_slice(), page.total), &(query.window.slice(expected), total))
}
