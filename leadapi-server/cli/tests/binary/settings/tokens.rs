//! Tests of tokens on the pages and on the command line.

use super::{Site, status};
use crate::process::{BUSINESS, Database, OWNER, ServerProcess};

fn secret(page: &str) -> &str {
    page.split("value=\"pak_").nth(1).map_or("", |rest| rest.split('"').next().unwrap())
}

/// Returns the id of the newest token.
pub(super) fn newest(site: &Site) -> String {
    let tokens = site.database.json(&[&["token", "list"][..], &OWNER].concat());
    tokens.as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_token_is_created_used_rotated_revoked_and_deleted() {
    let site = Site::new(&[]);
    let ann = site.sign_in("owner@harbour.example");
    let page = ann.submit("tokens/new", "tokens", "name=Web+form&scope=read&scope=write&expires=90");
    assert_eq!(status(&page), "200");
    let token = format!("pak_{}", secret(&page));
    assert_eq!(site.server.status("/v1/clients", &token), "200");
    let list = ann.get("tokens");
    assert!(list.contains("Web form") && !list.contains(&token[8..]), "{list}");
    let again = ann.submit("tokens/new", "tokens", "name=Web+form&scope=read&expires=90");
    assert!(status(&again) == "400" && again.contains("Another valid token has this name"), "{again}");

    let id = newest(&site);
    let rotate = format!("tokens/{id}/rotate");
    let page = ann.submit(&rotate, &rotate, "overlap=7&expires=never");
    let replacement = format!("pak_{}", secret(&page));
    for token in [&token, &replacement] {
        assert_eq!(site.server.status("/v1/clients", token), "200");
    }
    assert_eq!(status(&ann.submit(&rotate, &rotate, "overlap=7&expires=never")), "409");

    let delete = format!("tokens/{id}/delete");
    let refused = ann.submit(&delete, &delete, "");
    assert!(status(&refused) == "409" && refused.contains("revoke it first"), "{refused}");
    let revoke = format!("tokens/{id}/revoke");
    assert_eq!(status(&ann.submit(&revoke, &revoke, "")), "303");
    assert_eq!(status(&ann.submit(&delete, &delete, "")), "303");
    assert_eq!(status(&ann.get(&revoke)), "404");

    let log = ann.get("audit.json");
    let json: serde_json::Value = serde_json::from_str(log.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let actions: Vec<_> =
        json["data"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    let mut expected = [
        "token_deleted",
        "token_revoked",
        "token_created",
        "token_rotated",
        "token_created",
        "signed_in",
        "login_link_created",
    ];
    let mut sorted = actions.clone();
    sorted.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(
        (&json["data"][0]["email"], &json["data"][0]["address"]),
        (&"owner@harbour.example".into(), &"127.0.0.1".into())
    );
    let printed = site.database.run(&[&["audit", "list"][..], &OWNER].concat());
    assert!(printed.contains("token_deleted") && printed.contains("command line"), "{printed}");
}

#[test]
fn the_last_use_of_a_token_is_recorded_when_the_server_stops() {
    let site = Site::new(&[]);
    let token = site.database.token();
    assert_eq!(site.server.status("/v1/clients", &token), "200");
    let Site { database, server, .. } = site;
    server.signal("TERM");
    server.end();
    let tokens = database.json(&[&["token", "list"][..], &OWNER].concat());
    let used = tokens.as_array().unwrap().iter().find(|token| token["name"] == "t").unwrap();
    assert!(used["last_used_at"].as_str().unwrap().starts_with("20"), "{used}");
    assert_eq!(used["created_by"], "owner@harbour.example");
}

#[test]
fn a_token_is_rotated_on_the_command_line() {
    let database = Database::of_the_sample();
    let server = ServerProcess::on(&database.store);
    let old = database.token();
    let id = database.json(&[&["token", "list"][..], &OWNER].concat());
    let id = id.as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    let rotated =
        database.json(&[&["token", "rotate", &id, "--overlap", "1d", "--expires", "90d"][..], &OWNER].concat());
    for token in [&old, rotated["token"].as_str().unwrap()] {
        assert_eq!(server.status("/v1/clients", token), "200");
    }
    let error = database.refuses(&[&["token", "rotate", &id][..], &OWNER].concat());
    assert!(error.contains(&format!("already replaced by {}", rotated["id"].as_str().unwrap())), "{error}");
    let error = database.refuses(&[&["token", "delete", &id][..], &OWNER].concat());
    assert!(error.contains("revoke it first"), "{error}");
}

/// A store of an earlier version may have more valid tokens than the limit. They stay valid.
#[test]
fn a_business_with_too_many_tokens_gets_no_new_one_and_a_paged_list() {
    let site = Site::new(&[]);
    let fill = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
        INSERT INTO token (business_id, id, name, scopes, hint, hash, created_at)
        SELECT ?1, 'many-' || i, 'many ' || i, 'read', 'pak_AbCd', randomblob(32), 4102444800000 + i FROM n";
    site.database.open().execute(fill, [BUSINESS]).unwrap();
    let ann = site.sign_in("owner@harbour.example");
    let list = ann.get("tokens");
    assert!(list.contains("many 250<") && list.contains("many 201<") && !list.contains("many 200<"), "{list}");
    assert!(list.contains("Older tokens") && !list.contains("Newer tokens"), "{list}");
    let next = ann.get("tokens?limit=50&offset=50");
    assert!(next.contains("many 200<") && next.contains("Newer tokens"), "{next}");
    assert_eq!(status(&ann.get("tokens?limit=201")), "400");

    let refused = ann.submit("tokens/new", "tokens", "name=more&scope=read&expires=90");
    assert!(status(&refused) == "409" && refused.contains("100 or more valid tokens: revoke one first"), "{refused}");
    let error = [&["token", "create", "--name", "more", "--scope", "read"][..], &OWNER].concat();
    let error = site.database.refuses(&error);
    assert!(error.contains("100 or more valid tokens"), "{error}");
    let rotate = "tokens/many-7/rotate";
    assert_eq!(status(&ann.submit(rotate, rotate, "overlap=7&expires=90")), "409");
    assert_eq!(status(&ann.submit(rotate, rotate, "overlap=0&expires=90")), "200");
    let revoke = "tokens/many-8/revoke";
    assert_eq!(status(&ann.submit(revoke, revoke, "")), "303");
}
