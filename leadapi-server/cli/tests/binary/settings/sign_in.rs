//! Tests of sign-in and sessions, and of the checks that protect forms.

use std::{
    fs,
    io::{Read, Write},
    process::Command,
};

use super::{ADMIN, OTHER_BUSINESS, Site, cookie, path, status};
use crate::process::{BINARY, BUSINESS, Database, OWNER, ServerProcess};

#[test]
fn a_sign_in_link_works_once_and_only_for_owners_and_admins() {
    let site = Site::new(&[]);
    let link = site.link("owner@harbour.example");
    for _ in 0..2 {
        // Opening the link does not use it up.
        assert_eq!(status(&site.send("GET", &format!("/sign-in/{link}"), "", "")), "200");
    }
    let answer = site.use_link(&link);
    assert!(answer.contains("; Path=/; HttpOnly; SameSite=Strict\r\n"), "{answer}");
    assert!(!answer.contains("strict-transport-security"), "{answer}");
    assert_eq!(status(&site.use_link(&link)), "403");
    let error = site.database.refuses(&["login-link", "--business", BUSINESS, "--as", "member@harbour.example"]);
    assert!(error.contains("only an owner or an admin"), "{error}");
    let error = site.database.refuses(&["login-link", "--business", BUSINESS, "--as", "eve@harbour.example"]);
    assert!(error.contains("not a member"), "{error}");
}

/// Behind a proxy, strangers share the address of the owner.
#[test]
fn failed_sign_ins_are_limited_and_a_correct_link_still_works() {
    let site = Site::new(&[]);
    let wrong = "0".repeat(43);
    let statuses: Vec<String> = (0..14).map(|_| status(&site.use_link(&wrong)).to_owned()).collect();
    assert_eq!(statuses[..10], ["403"; 10]);
    assert!(statuses.contains(&"429".to_owned()), "{statuses:?}");
    let answer = site.use_link(&site.link(ADMIN));
    assert_eq!(status(&answer), "303", "{answer}");
}

#[test]
fn a_trusted_proxy_forwards_addresses_without_naming_people() {
    let site = Site::new(&["--admin-trusted", "127.0.0.1"]);
    let link = site.link("owner@harbour.example");
    let headers = "sec-fetch-site: same-origin\r\nx-forwarded-for: 192.0.2.7\r\n";
    assert_eq!(status(&site.send("POST", "/sign-in", headers, &format!("secret={link}"))), "303");
    let log = site.database.json(&[&["audit", "list"][..], &OWNER].concat());
    assert_eq!((&log[0]["action"], &log[0]["address"]), (&"signed_in".into(), &"192.0.2.7".into()));
    let ignored = format!("x-forwarded-email: {ADMIN}\r\n");
    assert_eq!(status(&site.send("GET", &path("tokens"), &ignored, "")), "403");
}

#[test]
fn a_form_from_another_site_or_session_is_refused() {
    let site = Site::new(&[]);
    let (ann, ben) = (site.sign_in("owner@harbour.example"), site.sign_in(ADMIN));
    let form = "name=x&scope=read&expires=90";
    let page = ann.get("tokens/new");
    let token = page.rsplit("name=\"form_token\" value=\"").next().unwrap().split('"').next().unwrap();
    let form_with_token = format!("{form}&form_token={token}");
    assert_eq!(status(&ann.post("tokens", form)), "403");
    assert_eq!(status(&ben.post("tokens", &form_with_token)), "403");
    for headers in
        ["", "sec-fetch-site: cross-site\r\n", "sec-fetch-site: same-site\r\n", "origin: http://evil.example\r\n"]
    {
        let headers = format!("{headers}cookie: {}\r\n", ann.cookie);
        assert_eq!(status(&site.send("POST", &path("tokens"), &headers, &form_with_token)), "403", "{headers}");
    }
    assert_eq!(status(&site.send("POST", "/sign-in", "", &format!("secret={}", site.link(ADMIN)))), "403");
    assert_eq!(status(&ann.post("tokens", &form_with_token)), "200");
    let rebound = ann.site.send("GET", "/", "host: evil.example\r\n", "");
    assert_eq!(status(&rebound), "400");
}

#[test]
fn a_session_sees_only_its_business_and_ends_with_the_membership() {
    let site = Site::new(&[]);
    let (ann, ben) = (site.sign_in("owner@harbour.example"), site.sign_in(ADMIN));
    for page in [format!("/b/{OTHER_BUSINESS}/tokens"), "/b/none/audit".to_owned()] {
        assert_eq!(status(&ann.get(&page)), "404", "{page}");
        assert_eq!(status(&site.send("GET", &page, "", "")), "403", "{page}");
    }
    let listed = ann.get("sessions");
    assert!(listed.contains(ADMIN) && listed.contains("this session"), "{listed}");
    let end =
        listed.split("action=\"").find(|rest| rest.contains("/end\"")).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(status(&ann.submit("sessions", &end, "")), "303");
    assert_eq!(status(&ben.get("tokens")), "403");

    let ben = site.sign_in(ADMIN);
    site.database.run(&["member", "role", ADMIN, "member", "--business", BUSINESS]);
    assert_eq!(status(&ben.get("tokens")), "403");
    site.database.run(&["member", "role", ADMIN, "admin", "--business", BUSINESS]);
    assert_eq!(status(&ben.get("tokens")), "200");
    site.database.run(&["member", "remove", ADMIN, "--business", BUSINESS]);
    site.database.run(&["member", "add", ADMIN, "--role", "admin", "--business", BUSINESS]);
    assert_eq!(status(&ben.get("tokens")), "403");

    let out = ann.submit("tokens", "sign-out", "");
    assert!(out.contains("set-cookie: leadapi=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"), "{out}");
    assert_eq!(status(&ann.get("tokens")), "403");
}

#[test]
fn a_trusted_proxy_names_the_person() {
    let proxy = ["--admin-user-header", "X-Forwarded-Email", "--admin-trusted", "127.0.0.1"];
    let site = Site::new(&[&proxy[..], &["--admin-url", "https://settings.example.com"]].concat());
    let by = |person: &str| format!("x-forwarded-email: {person}\r\nx-forwarded-for: 192.0.2.7\r\n");
    let home = site.send("GET", "/", &by("OWNER@harbour.example"), "");
    assert!(home.contains("strict-transport-security: max-age="), "{home}");
    assert!(home.contains(&format!("/b/{BUSINESS}/tokens")) && !home.contains(OTHER_BUSINESS), "{home}");
    let page = site.send("GET", &path("tokens"), &by("OWNER@harbour.example"), "");
    assert_eq!(status(&page), "200");
    assert!(
        page.contains("set-cookie: __Host-leadapi=") && page.contains("; Path=/; Secure; HttpOnly; SameSite=Strict"),
        "{page}"
    );
    // The proxy now names another person, who must not get the first person's session.
    let headers = format!("{}cookie: {}\r\n", by(ADMIN), cookie(&page));
    let page = site.send("GET", &path("tokens"), &headers, "");
    assert!(page.contains(&format!("{ADMIN} (admin)")) && page.contains("set-cookie: "), "{page}");
    assert_eq!(status(&site.send("GET", &path("tokens"), &by("member@harbour.example"), "")), "403");
    assert_eq!(status(&site.send("GET", &path("tokens"), &by("eve@harbour.example"), "")), "404");
    assert_eq!(status(&site.send("GET", &path("tokens"), &[by(ADMIN), by(ADMIN)].concat(), "")), "400");
    let log = site.database.json(&[&["audit", "list"][..], &OWNER].concat());
    assert_eq!((&log[0]["action"], &log[0]["address"]), (&"signed_in_by_proxy".into(), &"192.0.2.7".into()));
}

#[cfg(unix)]
#[test]
fn a_unix_socket_serves_the_settings_and_is_removed_at_the_end() {
    use std::os::unix::{fs::PermissionsExt, net::UnixStream};

    let database = Database::of_the_sample();
    let socket = database.folder.path().join("admin.sock");
    let start = || {
        ServerProcess::start(
            Command::new(BINARY).args(["serve", "--listen", "127.0.0.1:0", "--store", &database.store]).args([
                "--admin-listen",
                &format!("unix:{}", socket.display()),
                "--admin-url",
                "https://settings.example.com",
            ]),
        )
    };
    let get = || {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nhost: settings.example.com\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let server = start();
    assert!(get().contains("login-link"), "{}", get());
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o660);
    // A killed server leaves its socket behind, and the next server replaces it.
    server.signal("KILL");
    server.end();
    assert!(socket.exists());
    let server = start();
    assert_eq!(status(&get()), "403");
    server.signal("TERM");
    let (succeeded, _, log) = server.end();
    assert!(succeeded && !socket.exists(), "{log}");
}

#[test]
fn an_unsafe_address_is_refused() {
    let refused = |args: &[&str]| {
        let output = Command::new(BINARY).args(["serve", "--listen", "127.0.0.1:0"]).args(args).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&["--admin-listen", "0.0.0.0:0"]).contains("refusing to serve the API settings in plain HTTP"));
    assert!(refused(&["--admin-listen", "unix:/tmp/x.sock"]).contains("needs --admin-url"));
    assert!(refused(&["--admin-listen", "127.0.0.1:0", "--admin-user-header", "x"]).contains("--admin-trusted"));
}
