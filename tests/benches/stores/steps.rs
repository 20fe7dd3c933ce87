//! The statements that the store on SQLite runs for each operation, included from the store's source code.

use leadapi_core::{model::NewLead, validate::OPTIONAL_TEXTS};
use rusqlite::types::Value;

use crate::data::{business, client, lead_id, moment, new_lead, stage};

#[allow(dead_code, reason = "some statements are not part of an operation")]
#[path = "../../../leadapi-server/sql/src/statement.rs"]
mod statement;

#[allow(dead_code, reason = "some statements are not part of an operation")]
#[path = "../../../leadapi-server/sql/src/lead_statement.rs"]
mod lead_statement;

const PIPELINE: &str = "019bb17b-d806-7737-af83-b92ecab91001";

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Operation {
    Get,
    Page { of_client: bool, in_stage: bool },
    Create,
    Patch,
    Delete,
}

impl Operation {
    pub(crate) const ALL: [(&'static str, Self); 8] = [
        ("GET one", Self::Get),
        ("first page of 50", Self::Page { of_client: false, in_stage: false }),
        ("  of a client account", Self::Page { of_client: true, in_stage: false }),
        ("  in a stage", Self::Page { of_client: false, in_stage: true }),
        ("  of both", Self::Page { of_client: true, in_stage: true }),
        ("create", Self::Create),
        ("patch", Self::Patch),
        ("delete", Self::Delete),
    ];
}

pub(crate) enum Step {
    Command(&'static str),
    Query(&'static str, Vec<Value>),
}

impl Step {
    pub(crate) fn parts(&self) -> (&'static str, &[Value]) {
        match self {
            Self::Command(sql) => (sql, &[]),
            Self::Query(sql, params) => (sql, params),
        }
    }
}

macro_rules! step {
    ($sql:expr $(, $param:expr)* $(,)?) => {
        Step::Query($sql, vec![$(Value::from($param)),*])
    };
}

/// Returns the steps of an operation.
pub(crate) fn steps(operation: Operation, nth: usize) -> Vec<Step> {
    match operation {
        Operation::Get => vec![step!(&lead_statement::SELECT, owner(), lead_id(nth).to_string())],
        Operation::Page { of_client, in_stage } => page(of_client, in_stage),
        Operation::Create => create(nth),
        Operation::Patch => patch(nth),
        Operation::Delete => delete(nth),
    }
}

fn owner() -> String {
    business().to_string()
}

fn page(of_client: bool, in_stage: bool) -> Vec<Step> {
    let (client, stage) = (client(1).to_string(), stage(2).to_string());
    let mut steps = vec![Step::Command("BEGIN")];
    let mut filters = vec![Value::from(owner())];
    if of_client {
        steps.push(step!(statement::CLIENT_EXISTS, owner(), client.clone()));
        filters.push(client.clone().into());
    }
    if in_stage {
        steps.push(step!(statement::PIPELINE_OF_STAGE, owner(), stage.clone()));
        filters.push(stage.clone().into());
    }
    filters.extend([i64::MAX.into(), String::new().into(), 50_i64.into(), 0_i64.into()]);
    let all = |text: String, is_asked_for: bool| if is_asked_for { text } else { String::new() };
    steps.push(step!(statement::TOTAL, owner(), all(client, of_client), all(stage, in_stage)));
    let page: &'static str = match (of_client, in_stage) {
        (false, false) => &lead_statement::PAGE,
        (true, false) => &lead_statement::PAGE_OF_CLIENT,
        (false, true) => &lead_statement::PAGE_OF_STAGE,
        (true, true) => &lead_statement::PAGE_OF_BOTH,
    };
    steps.extend([Step::Query(page, filters), Step::Command("COMMIT")]);
    steps
}

/// Returns a write transaction with these steps.
fn transaction(steps: impl IntoIterator<Item = Step>) -> Vec<Step> {
    [Step::Command("BEGIN IMMEDIATE")].into_iter().chain(steps).chain([Step::Command("COMMIT")]).collect()
}

/// Returns the filters whose rows in the `tally` table count a new lead.
fn filters(nth: usize) -> [(String, String); 4] {
    let (client, stage) = (client(nth).to_string(), stage(nth / crate::data::CLIENTS).to_string());
    let none = String::new;
    [(none(), none()), (client.clone(), none()), (none(), stage.clone()), (client, stage)]
}

fn bare_id(nth: usize) -> String {
    format!("019bb17b-d806-7737-af84-{nth:012}")
}

/// Returns the optional texts, in the order of their columns.
fn texts(mut new: NewLead) -> impl Iterator<Item = Value> {
    OPTIONAL_TEXTS.into_iter().map(move |field| field.in_new(&mut new).take().into())
}

fn create(nth: usize) -> Vec<Step> {
    let mut new = new_lead(nth);
    let (client, stage) = (new.client_id.take().unwrap(), new.stage_id.take().unwrap());
    let needs = [
        step!(statement::CLIENT_EXISTS, owner(), client.clone()),
        step!(statement::PIPELINE_OF_STAGE, owner(), stage.clone()),
    ];
    let mut params: Vec<Value> = vec![
        owner().into(),
        bare_id(nth).into(),
        client.into(),
        new.name.take().unwrap().into(),
        moment(1_000_000 + nth).unix_millis().into(),
        new.value.into(),
        PIPELINE.to_owned().into(),
        stage.into(),
    ];
    params.extend(texts(new));
    let insert = Step::Query(&lead_statement::INSERT, params);
    let counts = filters(nth).map(|(client, stage)| {
        step!(statement::ADD_LEAD_COUNT, owner(), client, stage, i64::MIN, String::new(), 1_i64)
    });
    transaction(needs.into_iter().chain([insert, step!(statement::NEWEST_BUCKET, owner())]).chain(counts))
}

fn patch(nth: usize) -> Vec<Step> {
    let id = lead_id(nth).to_string();
    let mut new = new_lead(nth);
    let mut params: Vec<Value> =
        vec![new.name.take().unwrap().into(), 451.5.into(), PIPELINE.to_owned().into(), new.stage_id.take().into()];
    params.extend(texts(new));
    params.extend([owner().into(), id.clone().into()]);
    let update = Step::Query(&lead_statement::UPDATE, params);
    transaction([step!(&lead_statement::SELECT, owner(), id), update])
}

fn delete(nth: usize) -> Vec<Step> {
    let counts = filters(nth).into_iter().flat_map(|(client, stage)| {
        let empty = !(client.is_empty() && stage.is_empty());
        let drop = empty.then(|| {
            step!(statement::DELETE_EMPTY_LEAD_COUNT, owner(), client.clone(), stage.clone(), i64::MIN, String::new())
        });
        let subtract = step!(statement::SUBTRACT_LEAD_COUNT, -1_i64, owner(), client, stage, i64::MIN, String::new());
        [Some(subtract), drop].into_iter().flatten()
    });
    let lead = [
        step!(&lead_statement::SELECT, owner(), bare_id(nth)),
        step!(statement::DELETE_LEAD, owner(), bare_id(nth)),
        step!(statement::NEWEST_BUCKET, owner()),
    ];
    transaction(lead.into_iter().chain(counts))
}
