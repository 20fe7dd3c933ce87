//! The description of the API as it is kept in the repository.

use std::{env, fs};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");

/// What is made of the types is what stands in the file. `LEADAPI_ACCEPT=1` writes the file anew.
#[test]
fn the_file_is_what_is_generated() {
    let generated = leadapi_core::openapi::document("/v1").unwrap() + "\n";
    if env::var_os("LEADAPI_ACCEPT").is_some() {
        fs::write(FILE, &generated).unwrap();
    }
    let kept = fs::read_to_string(FILE).unwrap_or_default();
    let line = generated.lines().zip(kept.lines()).position(|(new, old)| new != old);
    assert!(
        generated == kept,
        "openapi.json is not what is generated, first at line {}; if the change is meant, accept it with \
         LEADAPI_ACCEPT=1 cargo test -p leadapi-core --features openapi --test openapi",
        line.unwrap_or_default() + 1
    );
}

#[test]
fn the_servers_are_where_the_service_is_mounted() {
    for (path, url) in [("", "/"), ("/v1", "/v1"), ("/crm/v1", "/crm/v1")] {
        let document = leadapi_core::openapi::document(path).unwrap();
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["servers"], serde_json::json!([{ "url": url }]));
    }
    assert!(leadapi_core::openapi::document("v1/").is_err());
}
