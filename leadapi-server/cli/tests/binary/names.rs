//! Tests of the commands that find records by their names, and take new names as arguments.

use crate::process::Database;

fn database() -> Database {
    let database = Database::empty();
    database.run(&["init", "--name", "Sol", "--id", "sol", "--owner", "ann@sol.example", "--client", "Casa Verde"]);
    database
}

#[test]
fn records_are_named_by_their_unique_name_or_their_id() {
    let database = database();
    for (args, expected) in [
        (&["client", "rename", "Casa Verde", "Casa Azul"][..], "is now \"Casa Azul\""),
        (&["client", "add", "Casa Roja", "--id", "c2"], "client account \"Casa Roja\" was added: c2"),
        (&["client", "rename", "c2", "Mar"], "client account c2 is now \"Mar\""),
        (
            &["client", "remove", "Mar"],
            "client account \"Mar\" (c2) was removed with 0 leads from business \"Sol\" (sol)",
        ),
        (&["pipeline", "rename", "Sales", "Web"], "is now \"Web\""),
        (&["stage", "add", "Demo", "--pipeline", "Web", "--position", "2", "--id", "s2"], "at position 2: s2"),
        (&["stage", "rename", "Demo", "Trial"], "stage s2 is now \"Trial\" at position 2"),
        (&["stage", "rename", "Trial", "--position", "1"], "stage s2 is now \"Trial\" at position 1"),
        (&["stage", "remove", "Trial", "--move-to", "Won"], "from business \"Sol\" (sol); leads moved: 0"),
        (&["pipeline", "add", "Fairs", "--stage", "New", "--id", "p2"], "pipeline \"Fairs\" was added: p2"),
        (&["member", "add", "bob@sol.example"], "bob@sol.example was added as member"),
        (&["member", "rename", "bob@sol.example", "rob@sol.example"], "is now rob@sol.example, member"),
        (&["business", "rename", "Sol", "Sol GmbH"], "business sol is now \"Sol GmbH\""),
        (&["token", "create", "crm", "--scope", "read", "--expires", "2099-12-31"], "token \"crm\" (read) was created"),
        (&["token", "rotate", "crm", "--overlap", "1h"], "token \"crm\" ("),
        (&["pipeline", "remove", "Fairs"], "pipeline \"Fairs\" (p2) was removed from business \"Sol GmbH\" (sol)"),
    ] {
        let printed = database.run(args);
        assert!(printed.contains(expected), "{args:?}: {printed}");
    }
    let tokens = database.json(&["token", "list"]);
    let old = tokens.as_array().unwrap().iter().find(|token| token["name"] == "crm" && !token["expires_at"].is_null());
    let id = old.unwrap()["id"].as_str().unwrap();
    assert!(database.run(&["token", "revoke", id]).contains("was revoked"));
    // Now only one valid token has the name, and only one revoked token.
    assert!(database.run(&["token", "revoke", "crm"]).contains("was revoked"));
    let error = database.refuses(&["token", "delete", "crm"]);
    assert!(error.contains("2 tokens have the name \"crm\": use an id instead (") && error.contains(id), "{error}");
    assert!(database.run(&["token", "delete", id]).contains("was deleted"));
    assert!(database.run(&["token", "delete", "crm"]).contains("was deleted"));
}

#[test]
fn a_name_that_several_records_share_is_refused_with_their_ids() {
    let database = database();
    database.run(&["client", "add", "Casa Verde", "--id", "c2"]);
    database.run(&["pipeline", "add", "Sales", "--stage", "New", "--id", "p2"]);
    database.run(&["business", "add", "Sol", "--id", "sol2", "--owner", "eve@sol.example"]);
    for (args, texts) in [
        (&["client", "remove", "Casa Verde", "--with-leads"][..], ["2 client accounts have the name", "c2"]),
        (&["pipeline", "remove", "Sales"], ["2 pipelines have the name", "p2"]),
        (&["stage", "add", "x", "--pipeline", "Sales"], ["2 pipelines have the name", "p2"]),
        (&["stage", "remove", "New"], ["2 stages have the name", "in \"Sales\""]),
        (&["stage", "remove", "Lost", "--move-to", "New"], ["2 stages have the name", "in \"Sales\""]),
        (&["client", "remove", "none"], ["no such client account in this business: none", ""]),
        (&["stage", "remove", "none"], ["no such stage in this business: none", ""]),
        (&["token", "revoke", "none"], ["no such token in this business: none", ""]),
    ] {
        let error = database.refuses(&[args, &["--business", "sol"]].concat());
        assert!(texts.iter().all(|text| error.contains(text)), "{args:?}: {error}");
    }
    for args in [&["client", "list", "--business", "Sol"][..], &["business", "remove", "Sol"]] {
        let error = database.refuses(args);
        assert!(
            error.contains("2 businesses have the name \"Sol\": use an id instead (sol, sol2)"),
            "{args:?}: {error}"
        );
    }
}
