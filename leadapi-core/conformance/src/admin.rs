//! Checks of the administration.

use std::fmt::Debug;

use leadapi_core::{
    BoxError,
    admin::{Admin, AdminError, AdminExt, AdminRefusal, LeadOwner, NewBusiness},
    auth::Role,
    form::FormRecord,
    id::FormId,
    model::{ClientAccount, Pipeline, Stage},
};

use super::{CheckResult, NOON, business, client, pipeline, same, stage, timestamp};

/// Two businesses. The first has a lead and two members.
pub(super) const BUSINESSES: &str = r#"{"businesses": [
    {"id": "b1", "name": "One", "created_at": "2026-01-01T00:00:00Z",
     "members": [{"email": "ann@one.example", "role": "owner"}, {"email": "bo@one.example", "role": "member"}],
     "clients": [{"id": "c1", "name": "Café", "created_at": "2026-01-01T00:00:00Z"}],
     "pipelines": [{"id": "p1", "name": "Sales", "created_at": "2026-02-01T00:00:00Z", "stages": [
        {"id": "s1", "name": "New", "position": 1}, {"id": "s2", "name": "Won", "position": 2}]}],
     "leads": [{"id": "l1", "client_id": "c1", "name": "Ann", "pipeline_id": "p1", "stage_id": "s1",
        "created_at": "2026-03-01T00:00:00Z"}]},
    {"id": "b2", "name": "Two", "created_at": "2026-01-01T00:00:00Z",
     "members": [{"email": "cy@two.example", "role": "owner"}],
     "clients": [{"id": "d1", "name": "Bar", "created_at": "2026-01-01T00:00:00Z"}],
     "pipelines": [{"id": "q1", "name": "Sales", "created_at": "2026-02-01T00:00:00Z", "stages": [
        {"id": "t1", "name": "New", "position": 1}]}]}
]}"#;

fn refused<T: Debug>(what: &str, outcome: Result<T, AdminError>, expected: &AdminRefusal) -> CheckResult {
    match outcome {
        Err(AdminError::Refused(refusal)) => same(what, &refusal, expected),
        other => Err(format!("{what}: found {other:?}, expected {expected:?}").into()),
    }
}

async fn stages(store: &impl Admin) -> Result<Vec<(String, u32)>, BoxError> {
    let pipelines = store.admin(&business("b1")).pipelines().list().await?;
    let stages = pipelines.into_iter().flat_map(|pipeline| pipeline.stages);
    Ok(stages.map(|stage| (stage.name, stage.position)).collect())
}

fn named(names: &[(&str, u32)]) -> Vec<(String, u32)> {
    names.iter().map(|(name, position)| ((*name).to_owned(), *position)).collect()
}

pub(super) async fn adds_renames_and_removes_businesses(store: &impl Admin) -> CheckResult {
    let new = NewBusiness::new(business("b3"), " Three ", "dee@three.example", timestamp(NOON)?)?;
    store.add_business(&new).await?;
    refused("a second time", store.add_business(&new).await, &AdminRefusal::BusinessExists(business("b3")))?;
    let b3 = business("b3");
    same("the renamed business", &store.admin(&b3).rename(" 3 ").await?.name, &"3".to_owned())?;
    same("the members", &store.admin(&b3).members().list().await?, &vec![new.owner().clone()])?;
    let b1 = business("b1");
    let has_leads = AdminRefusal::HasLeads { of: LeadOwner::Business, leads: 1 };
    refused("a business with leads", store.admin(&b1).delete(false).await, &has_leads)?;
    same("the removed leads", &store.admin(&b1).delete(true).await?, &1)?;
    // The store may contain businesses of other programs.
    let own = ["b1", "b2", "b3"].map(business);
    let names = store.businesses().await?.into_iter().filter(|business| own.contains(&business.id));
    let names = names.map(|business| business.name).collect::<Vec<_>>();
    same("the businesses", &names, &vec!["Two".to_owned(), "3".to_owned()])?;
    refused("a removed business", store.admin(&b1).clients().list().await, &AdminRefusal::NoSuchBusiness(b1.clone()))?;
    // The new business with the same id has none of the former records.
    store.add_business(&NewBusiness::new(b1.clone(), "One", "ann@one.example", timestamp(NOON)?)?).await?;
    let admin = store.admin(&b1);
    let left = (admin.clients().list().await?.len(), admin.pipelines().list().await?.len());
    same("the former records", &(left, admin.members().list().await?.len()), &((0, 0), 1))
}

pub(super) async fn refuses_an_unknown_business(store: &impl Admin) -> CheckResult {
    let (unknown, at) = (business("b9"), timestamp(NOON)?);
    let expected = AdminRefusal::NoSuchBusiness(unknown.clone());
    let admin = store.admin(&unknown);
    refused("rename", admin.rename("x").await, &expected)?;
    refused("delete", admin.delete(true).await, &expected)?;
    refused("members", admin.members().list().await, &expected)?;
    refused("add a member", admin.members().add("a@b.example", Role::Owner, at).await, &expected)?;
    refused("clients", admin.clients().list().await, &expected)?;
    refused("add a client", admin.clients().add(ClientAccount::new(client("c1"), "C", at)).await, &expected)?;
    refused("pipelines", admin.pipelines().list().await, &expected)?;
    refused("delete a stage", admin.stages().delete(&stage("s1"), None).await, &expected)?;
    refused("forms", admin.forms().list().await, &expected)
}

pub(super) async fn keeps_an_owner(store: &impl Admin) -> CheckResult {
    let (b1, at) = (business("b1"), timestamp(NOON)?);
    let members = store.admin(&b1).members();
    refused("the last owner", members.delete("Ann@one.example", false, at).await, &AdminRefusal::LastOwner)?;
    let demoted = members.change("ann@one.example", None, Some(Role::Member), at).await;
    refused("a demotion", demoted, &AdminRefusal::LastOwner)?;
    let twice = AdminRefusal::MemberExists("ANN@one.example".to_owned());
    refused("an address", members.add("ANN@one.example", Role::Admin, at).await, &twice)?;
    let promoted = members.change("bo@one.example", Some(" b@one.example "), Some(Role::Owner), at).await?;
    same("the new address", &promoted.email, &"b@one.example".to_owned())?;
    let removed = members.delete("ann@one.example", true, at).await?;
    same("the removed member", &removed.member.email, &"ann@one.example".to_owned())?;
    let nobody = AdminRefusal::NoSuchMember("ann@one.example".to_owned());
    refused("a second removal", members.delete("ann@one.example", true, at).await, &nobody)?;
    same("the members", &members.list().await?, &vec![promoted])
}

pub(super) async fn changes_client_accounts(store: &impl Admin) -> CheckResult {
    let (b1, at) = (business("b1"), timestamp(NOON)?);
    let clients = store.admin(&b1).clients();
    let added = clients.add(ClientAccount::new(client("c2"), " Able ", at)).await?;
    let twice = clients.add(ClientAccount::new(client("c2"), "Other", at)).await;
    refused("a taken id", twice, &AdminRefusal::ClientExists(client("c2")))?;
    same("the trimmed name", &added.name, &"Able".to_owned())?;
    clients.rename(&client("c1"), "Aa").await?;
    let names: Vec<String> = clients.list().await?.into_iter().map(|client| client.name).collect();
    same("the names", &names, &vec!["Aa".to_owned(), "Able".to_owned()])?;
    let has_leads = AdminRefusal::HasLeads { of: LeadOwner::Client, leads: 1 };
    refused("a client with leads", clients.delete(&client("c1"), false).await, &has_leads)?;
    same("the removed leads", &clients.delete(&client("c1"), true).await?, &1)?;
    let missing = AdminRefusal::NoSuchClient(client("c1"));
    refused("a removed client", clients.rename(&client("c1"), "x").await, &missing)?;
    let foreign = clients.delete(&client("d1"), true).await;
    refused("a client of another business", foreign, &AdminRefusal::NoSuchClient(client("d1")))
}

pub(super) async fn changes_pipelines(store: &impl Admin) -> CheckResult {
    let (b1, at) = (business("b1"), timestamp(NOON)?);
    let pipelines = store.admin(&b1).pipelines();
    let new = |id: &str, ids: &[&str]| {
        let stages = ids.iter().map(|id| Stage::new(stage(id), *id, 9)).collect();
        Pipeline::new(pipeline(id), "New", stages, at)
    };
    refused("no stages", pipelines.add(new("p2", &[])).await, &AdminRefusal::NoStages)?;
    let taken = pipelines.add(new("p2", &["s3", "s1"])).await;
    refused("a taken stage", taken, &AdminRefusal::StageExists(stage("s1")))?;
    let added = pipelines.add(new("p2", &["s4", "s3"])).await?;
    same("the positions", &added.stages.iter().map(|stage| stage.position).collect::<Vec<_>>(), &vec![1, 2])?;
    refused("a taken id", pipelines.add(added.clone()).await, &AdminRefusal::PipelineExists(pipeline("p2")))?;
    same("the new name", &pipelines.rename(&pipeline("p2"), " N ").await?.name, &"N".to_owned())?;
    let has_leads = AdminRefusal::HasLeads { of: LeadOwner::Pipeline, leads: 1 };
    refused("a pipeline with leads", pipelines.delete(&pipeline("p1")).await, &has_leads)?;
    same("the moved leads", &store.admin(&b1).stages().delete(&stage("s1"), Some(&stage("s3"))).await?, &1)?;
    pipelines.delete(&pipeline("p1")).await?;
    let left: Vec<String> = pipelines.list().await?.into_iter().map(|pipeline| pipeline.name).collect();
    same("the pipelines", &left, &vec!["N".to_owned()])?;
    let foreign = pipelines.rename(&pipeline("q1"), "x").await;
    refused("a pipeline of another business", foreign, &AdminRefusal::NoSuchPipeline(pipeline("q1")))
}

pub(super) async fn keeps_stages_in_order(store: &impl Admin) -> CheckResult {
    let b1 = business("b1");
    let admin = store.admin(&b1).stages();
    admin.add(&pipeline("p1"), &stage("s3"), "Lost", None).await?;
    admin.add(&pipeline("p1"), &stage("s4"), "First", Some(1)).await?;
    same("the stages", &stages(store).await?, &named(&[("First", 1), ("New", 2), ("Won", 3), ("Lost", 4)]))?;
    let beyond = admin.add(&pipeline("p1"), &stage("s5"), "x", Some(6)).await;
    refused("a position", beyond, &AdminRefusal::Position { last: 5 })?;
    refused("a moved stage", admin.change(&stage("s3"), None, Some(0)).await, &AdminRefusal::Position { last: 4 })?;
    admin.change(&stage("s3"), Some(" Gone "), Some(2)).await?;
    same("after a move", &stages(store).await?, &named(&[("First", 1), ("Gone", 2), ("New", 3), ("Won", 4)]))?;
    let has_leads = AdminRefusal::HasLeads { of: LeadOwner::Stage, leads: 1 };
    refused("a stage with leads", admin.delete(&stage("s1"), None).await, &has_leads)?;
    refused("the stage itself", admin.delete(&stage("s1"), Some(&stage("s1"))).await, &AdminRefusal::SameStage)?;
    let foreign = admin.delete(&stage("s1"), Some(&stage("t1"))).await;
    refused("a stage of another business", foreign, &AdminRefusal::NoSuchStage(stage("t1")))?;
    same("the moved leads", &admin.delete(&stage("s1"), Some(&stage("s2"))).await?, &1)?;
    same("after a removal", &stages(store).await?, &named(&[("First", 1), ("Gone", 2), ("Won", 3)]))?;
    let b2 = business("b2");
    refused("the only stage", store.admin(&b2).stages().delete(&stage("t1"), None).await, &AdminRefusal::LastStage)
}

pub(super) async fn checks_the_references_of_forms(store: &impl Admin) -> CheckResult {
    let b1 = business("b1");
    let (admin, id) = (store.admin(&b1), FormId::parse("f1")?);
    let record = |client: &str, name: &str| -> Result<FormRecord, BoxError> {
        let record = serde_json::json!({"form": {"id": "f1", "name": name, "client_id": client,
            "target_pipeline_id": "p1", "x": 1}});
        Ok(serde_json::from_value(record)?)
    };
    let foreign = admin.forms().add(&record("d1", "F")?).await;
    let text = "form.client_id: no such client account in this business: d1";
    refused("a client of another business", foreign, &AdminRefusal::Form(text.to_owned()))?;
    same("the id", &admin.forms().add(&record("c1", "F")?).await?, &id)?;
    refused("a taken id", admin.forms().add(&record("c1", "F")?).await, &AdminRefusal::FormExists(id.clone()))?;
    let referenced = AdminRefusal::Referenced(vec!["f1".to_owned()]);
    refused("a client", admin.clients().delete(&client("c1"), true).await, &referenced)?;
    refused("a pipeline", admin.pipelines().delete(&pipeline("p1")).await, &referenced)?;
    admin.forms().rename(&id, " G ").await?;
    same("the renamed form", &admin.forms().get(&id).await?, &record("c1", "G")?)?;
    admin.forms().delete(&id).await?;
    refused("a removed form", admin.forms().delete(&id).await, &AdminRefusal::NoSuchForm(id.clone()))?;
    same("the removed leads", &admin.clients().delete(&client("c1"), true).await?, &1)
}
