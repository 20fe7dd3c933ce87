//! Parses a recording of the test kit. An accepted recording can be replayed, and is the same after it is written and
//! parsed again.
#![no_main]

use leadapi_testkit::cassette::Cassette;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(cassette) = Cassette::parse(text) else { return };
    // The test kit does not write a recording that seems to contain a token.
    if let Ok(written) = cassette.to_har() {
        let again = Cassette::parse(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
        assert_eq!(again.to_har().ok().as_deref(), Some(&*written));
    }
    // Returns an error, because no request was replayed. Without this call, dropping the transport would panic.
    let _: Result<_, _> = cassette.transport().verify();
});
