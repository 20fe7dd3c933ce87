//! Tests of the `token` command: its access rules, and its effect on a running server.

use std::time::{Duration, Instant};

use crate::process::{BUSINESS, Database, OWNER, ServerProcess, equals, wait_until};

#[test]
fn a_token_is_valid_at_once_and_refused_within_two_seconds_of_its_revocation() {
    let database = Database::of_the_sample();
    let server = ServerProcess::on(&database.store);
    let args = [&["token", "create", "--name", "site", "--scope", "read", "--scope", "write"][..], &OWNER].concat();
    let created = database.json(&args);
    let (id, secret) = (created["id"].as_str().unwrap(), created["token"].as_str().unwrap());
    assert_eq!(server.status("/v1/clients", secret), "200");
    database.run(&[&["token", "revoke", id][..], &OWNER].concat());
    let revoked = Instant::now();
    let again = database.run(&[&["token", "revoke", id][..], &OWNER].concat());
    assert!(again.contains("was already revoked at 2"), "{again}");
    // The name of a revoked token can be reused.
    database.run(&args);
    wait_until("the token is refused", || {
        let sent = revoked.elapsed();
        let refused = equals(server.status("/v1/clients", secret), "401");
        assert!(refused.is_ok() || sent < Duration::from_secs(2), "accepted {sent:?} after the revocation");
        refused
    });
    assert!(server.get("/v1/clients", &format!("authorization: Bearer {secret}\r\n")).contains("token revoked"));
    let listed = database.run(&[&["token", "list"][..], &OWNER].concat());
    assert!(listed.contains("site") && listed.contains("revoked 2") && !listed.contains(&secret[8..]), "{listed}");
    let listed = database.json(&[&["token", "list"][..], &OWNER].concat());
    assert!(listed.as_array().unwrap().iter().all(|token| token.get("token").is_none()));
    database.run(&[&["token", "delete", id][..], &OWNER].concat());
    for verb in ["revoke", "delete"] {
        let error = database.refuses(&[&["token", verb, id][..], &OWNER].concat());
        assert!(error.contains("no such token"), "{error}");
    }
}

#[test]
fn only_owners_and_admins_manage_tokens() {
    let database = Database::of_the_sample();
    let list = |business, person| ["token", "list", "--business", business, "--as", person];
    database.run(&list(BUSINESS, "admin@harbour.example"));
    for (business, person, rule) in [
        (BUSINESS, "member@harbour.example", "only an owner or an admin"),
        (BUSINESS, "owner@bluemesa.example", "owner@bluemesa.example is not a member of business 0"),
        ("none", "owner@harbour.example", "no such business: none"),
    ] {
        let error = database.refuses(&list(business, person));
        assert!(error.contains(rule), "{error}");
    }
}

#[test]
fn a_secret_is_printed_once_and_a_token_expires_on_time() {
    let database = Database::of_the_sample();
    let create = |more: &[&'static str]| [&["token", "create", "--name", " t "][..], more, &OWNER].concat();
    let printed = database.run(&create(&["--scope", "read,write", "--expires", "90d"]));
    assert_eq!(printed.matches("pak_").count(), 1);
    assert!(printed.contains("only time"), "{printed}");
    let error = database.refuses(&create(&["--scope", "read"]));
    assert!(error.contains("already has the name \"t\""), "{error}");
    let past = ["--scope", "read", "--expires", "2020-01-01T00:00:00Z"];
    let past = [&["token", "create", "--name", "past"][..], &past, &OWNER].concat();
    let error = database.refuses(&past);
    assert!(error.contains("expires_at must be in the future"), "{error}");
    for bad in [&["--scope", "admin"][..], &[], &["--scope", "read", "--expires", "soon"]] {
        assert_eq!(database.command(&create(bad)).output().unwrap().status.code(), Some(2), "{bad:?}");
    }
}
