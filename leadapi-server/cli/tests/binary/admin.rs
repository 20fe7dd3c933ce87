//! Tests of the commands that change members, client accounts, pipelines, stages and forms after an import.

use std::fs;

use serde_json::Value;

use crate::process::{BUSINESS, CLIENT, Database, data_file};

/// Adds the `--business` option with the sample's first business to the arguments.
fn of<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--business", BUSINESS]].concat()
}

const PIPELINE: &str = "019bb18a-75c0-709b-bb7b-78b1e6989752";
const NEW: &str = "019bb18a-75c1-794d-bbfb-0c2da394720a";
const CONTACTED: &str = "019bb18a-75c2-7604-9566-25272539a58f";
const DORMANT: &str = "019daaf9-f081-7e65-9dbc-e37965485c98";
/// The id of a stage that has one lead.
const RE_ENGAGED: &str = "019daaf9-f082-7399-be66-6290f70b39a5";
const FORM: &str = "5f0c1a3e-9d1b-4c52-8e0f-2f6f3d5b7a11";

/// Returns the name and position of each stage in the sample's first pipeline.
fn stages(database: &Database) -> Vec<(String, u64)> {
    let stages = database.json(&of(&["stage", "list"]));
    let own = stages.as_array().unwrap().iter().filter(|stage| stage["pipeline_id"] == PIPELINE);
    own.map(|stage| (stage["name"].as_str().unwrap().to_owned(), stage["position"].as_u64().unwrap())).collect()
}

fn leads(database: &Database, column: &str, id: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM lead WHERE business_id = ?1 AND {column} = ?2");
    database.open().query_row(&sql, (BUSINESS, id), |row| row.get(0)).unwrap()
}

#[test]
fn the_last_owner_cannot_be_removed_and_addresses_ignore_case() {
    let database = Database::of_the_sample();
    database.run(&of(&["member", "add", "Zoë@harbour.example", "--role", "admin"]));
    for (args, rule) in [
        (of(&["member", "add", "ZOË@HARBOUR.example"]), "is already a member of this business"),
        (of(&["member", "add", "zoe"]), "email must be an e-mail address"),
        (
            of(&["member", "rename", "zoë@harbour.example", "--to", "Admin@harbour.example"]),
            "is already a member of this business",
        ),
        (of(&["member", "rename", "owner@harbour.example", "--role", "admin"]), "the last owner"),
        (of(&["member", "role", "owner@harbour.example", "admin"]), "the last owner"),
        (of(&["member", "remove", "OWNER@harbour.example"]), "the last owner"),
        (of(&["member", "remove", "nobody@harbour.example"]), "no such member"),
        (vec!["member", "add", "a@b.c", "--business", "none"], "no such business: none"),
    ] {
        let error = database.refuses(&args);
        assert!(error.contains(rule), "{args:?}: {error}");
    }
    let changed = database.run(&of(&["member", "role", "ZOË@harbour.example", "owner"]));
    assert_eq!(changed, "ZOË@harbour.example is now Zoë@harbour.example, owner\n");
    database.run(&of(&["member", "rename", "owner@harbour.example", "--to", "Owner@harbour.example"]));
    database.run(&of(&["member", "remove", "owner@harbour.example"]));
    let table = database.run(&of(&["member", "list"]));
    assert!(table.contains("Zoë@harbour.example") && !table.to_lowercase().contains("owner@"), "{table}");
}

#[test]
fn the_first_member_of_a_business_must_be_an_owner() {
    let database = Database::empty();
    let data = data_file("no-members", "");
    database.run(&["data", "import", data.to_str().unwrap()]);
    let add = |role| ["member", "add", "ann@sol.example", "--business", "b1", "--role", role];
    for role in ["member", "admin"] {
        let error = database.refuses(&add(role));
        assert!(error.contains("the first member of a business must be an owner"), "{error}");
    }
    database.run(&add("owner"));
    database.run(&["member", "add", "bob@sol.example", "--business", "b1"]);
}

#[test]
fn removing_a_client_account_with_leads_needs_a_flag() {
    let database = Database::of_the_sample();
    let added = database.json(&of(&["client", "add", "--name", " Casa Azul "]));
    let id = added["id"].as_str().unwrap();
    assert_eq!((added["name"].as_str(), id.len()), (Some("Casa Azul"), 36));
    let error = database.refuses(&of(&["client", "add", "--name", "x", "--id", id]));
    assert!(error.contains("already exists"), "{error}");
    assert!(database.refuses(&of(&["client", "add", "--name", " "])).contains("name must be 1 to 200"));
    database.run(&of(&["client", "rename", id, "--name", "Casa Blu"]));
    assert!(database.run(&of(&["client", "list"])).contains("Casa Blu"));
    assert_eq!(database.json(&of(&["client", "remove", id]))["leads"], 0);
    assert!(database.refuses(&of(&["client", "remove", id])).contains("no such client account"));

    let count = leads(&database, "client_id", CLIENT);
    assert!(count > 0);
    let named = database.refuses(&of(&["client", "remove", CLIENT, "--with-leads"]));
    assert!(named.contains("a form refers to it") && named.contains(FORM), "{named}");
    database.run(&of(&["form", "remove", FORM]));
    let refused = database.refuses(&of(&["client", "remove", CLIENT]));
    assert!(refused.contains(&format!("has {count} leads: use --with-leads")), "{refused}");
    assert_eq!(database.json(&of(&["client", "remove", CLIENT, "--with-leads"]))["leads"], count);
    assert_eq!(leads(&database, "client_id", CLIENT), 0);
    database.assert_lead_counts();
}

#[test]
fn removing_a_stage_moves_its_leads() {
    let database = Database::of_the_sample();
    for (from, to) in [(NEW, CONTACTED), (CONTACTED, DORMANT)] {
        let (moved, there) = (leads(&database, "stage_id", from), leads(&database, "stage_id", to));
        assert!(moved > 0);
        let error = database.refuses(&of(&["stage", "remove", from]));
        assert!(error.contains(&format!("the stage has {moved} leads: move them with --move-to")), "{error}");
        let error = database.refuses(&of(&["stage", "remove", from, "--move-to", from]));
        assert!(error.contains("cannot be moved to the stage that is being removed"), "{error}");
        let error = database.refuses(&of(&["stage", "remove", from, "--move-to", "none"]));
        assert!(error.contains("no such stage in this business: none"), "{error}");
        assert_eq!(database.json(&of(&["stage", "remove", from, "--move-to", to]))["moved"], moved);
        assert_eq!((leads(&database, "stage_id", from), leads(&database, "stage_id", to)), (0, there + moved));
        database.assert_lead_counts();
    }
    let numbered: Vec<u64> = stages(&database).into_iter().map(|(_, position)| position).collect();
    assert_eq!(numbered, [1, 2, 3, 4]);
}

#[test]
fn stage_positions_have_no_gaps() {
    let database = Database::of_the_sample();
    let named =
        |names: &[&str]| -> Vec<(String, u64)> { names.iter().map(|name| (*name).to_owned()).zip(1..).collect() };
    let add = |name: &'static str, at: &'static str| {
        of(&["stage", "add", "--pipeline", PIPELINE, "--name", name, "--position", at, "--id", name])
    };
    database.run(&add("second", "2"));
    assert_eq!(stages(&database)[..3], named(&["New", "second", "Contacted"]));
    database.run(&of(&["stage", "add", "--pipeline", PIPELINE, "--name", "last"]));
    assert_eq!(stages(&database)[7], ("last".to_owned(), 8));
    database.run(&of(&["stage", "rename", "second", "--position", "1", "--name", "first"]));
    assert_eq!(stages(&database)[..3], named(&["first", "New", "Contacted"]));
    database.run(&of(&["stage", "rename", "second", "--position", "3"]));
    assert_eq!(stages(&database)[..3], named(&["New", "Contacted", "first"]));
    database.run(&of(&["stage", "remove", "second"]));
    assert_eq!(stages(&database)[..3], named(&["New", "Contacted", "Qualified"]));
    for (args, rule) in [
        (add("x", "0"), "position must be from 1 to 8"),
        (add("x", "9"), "position must be from 1 to 8"),
        (of(&["stage", "rename", NEW, "--position", "8"]), "position must be from 1 to 7"),
        (of(&["stage", "add", "--pipeline", "none", "--name", "x"]), "no such pipeline"),
        (of(&["stage", "add", "--pipeline", PIPELINE, "--name", "x", "--id", DORMANT]), "already exists"),
    ] {
        let error = database.refuses(&args);
        assert!(error.contains(rule), "{args:?}: {error}");
    }
    assert_eq!(stages(&database).len(), 7);
}

#[test]
fn a_pipeline_is_created_with_stages_and_removed_only_without_leads() {
    let database = Database::of_the_sample();
    let added = database.json(&of(&["pipeline", "add", "--name", "Sales", "--stage", "New", "--stage", "Won"]));
    let (id, stages) = (added["id"].as_str().unwrap(), added["stages"].as_array().unwrap());
    assert_eq!(stages.iter().map(|stage| &stage["position"]).collect::<Vec<_>>(), [1, 2]);
    database.run(&of(&["pipeline", "rename", id, "--name", "Vente"]));
    assert!(database.run(&of(&["pipeline", "list"])).contains("Vente"));
    let [first, second] = [0, 1].map(|at: usize| stages[at]["id"].as_str().unwrap());
    database.run(&of(&["stage", "remove", first]));
    assert!(database.refuses(&of(&["stage", "remove", second])).contains("the last stage of a pipeline"));
    database.run(&of(&["pipeline", "remove", id]));
    assert!(database.refuses(&of(&["pipeline", "remove", id])).contains("no such pipeline"));
    assert!(database.refuses(&of(&["pipeline", "remove", PIPELINE])).contains(FORM));
    database.run(&of(&["form", "remove", FORM]));
    let error = database.refuses(&of(&["pipeline", "remove", PIPELINE]));
    assert!(error.contains("leads: move them first"), "{error}");
    database.assert_lead_counts();
}

#[test]
fn a_refused_removal_names_one_lead_in_the_singular() {
    let database = Database::of_the_sample();
    assert_eq!(leads(&database, "stage_id", RE_ENGAGED), 1);
    let error = database.refuses(&of(&["stage", "remove", RE_ENGAGED]));
    assert!(error.contains("the stage has 1 lead: move it with --move-to STAGE"), "{error}");
    let pipeline = database.json(&of(&["pipeline", "add", "--name", "Sales", "--stage", "New"]));
    let (id, stage) = (pipeline["id"].as_str().unwrap(), pipeline["stages"][0]["id"].as_str().unwrap());
    database.run(&of(&["stage", "remove", RE_ENGAGED, "--move-to", stage]));
    let error = database.refuses(&of(&["pipeline", "remove", id]));
    assert!(error.contains("the pipeline has 1 lead: move it first"), "{error}");
}

#[test]
fn a_form_is_stored_unchanged() {
    let database = Database::of_the_sample();
    let record: Value = database.json(&of(&["form", "show", FORM]));
    let sample: Value = serde_json::from_str(leadapi_core::dataset::SAMPLE).unwrap();
    assert_eq!(record, sample["businesses"][0]["forms"][0]);
    let file = database.folder.path().join("form.json");
    let path = file.to_str().unwrap();
    fs::write(&file, record.to_string()).unwrap();
    assert!(database.refuses(&of(&["form", "add", path])).contains("already exists"));
    database.run(&of(&["form", "remove", FORM]));
    database.run(&of(&["form", "add", path]));
    assert_eq!(database.json(&of(&["form", "show", FORM])), record);
    database.run(&of(&["form", "rename", FORM, "--name", "Renamed"]));
    let listed = database.json(&of(&["form", "list"]));
    assert_eq!((&listed[0]["name"], &listed[0]["client_id"]), (&"Renamed".into(), &CLIENT.into()));
    for (field, rule) in [("client_id", "no such client account"), ("target_pipeline_id", "no such pipeline")] {
        let mut other = record.clone();
        other["form"]["id"] = "other".into();
        other["form"][field] = "none".into();
        fs::write(&file, other.to_string()).unwrap();
        let error = database.refuses(&of(&["form", "add", path]));
        assert!(error.contains(rule), "{error}");
    }
    assert!(database.refuses(&of(&["form", "show", "other"])).contains("no such form"));
}
