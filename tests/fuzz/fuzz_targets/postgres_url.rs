//! Parses a database URL with a password, and checks that neither its display text nor its debug output contains the
//! password.
#![no_main]

use leadapi_sql::DatabaseUrl;
use libfuzzer_sys::fuzz_target;

const CANARY: &str = "cAnArY";

fuzz_target!(|text: &str| {
    // `*` stands for the password, so that the fuzzer can put it anywhere.
    let (before, after) = text.split_once('*').unwrap_or((text, ""));
    for url in [format!("postgres://u:{before}{CANARY}{after}"), format!("postgres://{before}:{CANARY}@{after}")] {
        let Ok(parsed) = url.parse::<DatabaseUrl>() else { continue };
        let (shown, debugged) = (parsed.to_string(), format!("{parsed:?}"));
        let is_password = url.contains(&format!("{CANARY}@")) || url.starts_with(&format!("postgres://u:{CANARY}"));
        if is_password && url.matches('@').count() == 1 && url.matches(CANARY).count() == 1 {
            assert!(!shown.contains(CANARY) && !debugged.contains(CANARY), "{url}: {shown}");
        }
    }
});
