//! Determines why a network request received no response, from the errors that reqwest and hyper return.

use std::{error::Error, io, iter::successors};

/// Returns a description of the step that failed, or `None` if the step is unknown.
pub(super) fn reason(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let chain = || successors(Some(error), |error: &&(dyn Error + 'static)| (**error).source());
    // Name resolution and TCP errors have no public types, so match their messages.
    if chain().any(|error| error.to_string().starts_with("dns error")) {
        return Some("could not resolve the host name");
    }
    if chain().any(|error| error.to_string().starts_with("tcp connect error")) {
        return Some("could not connect");
    }
    if let Some(error) = chain().find_map(|error| error.downcast_ref::<hyper::Error>()) {
        return http(error);
    }
    // TLS errors are reported as I/O errors with a custom source.
    let tls = chain().filter_map(|error| error.downcast_ref::<io::Error>()).any(|error| error.get_ref().is_some());
    tls.then_some("the TLS handshake failed")
}

fn http(error: &hyper::Error) -> Option<&'static str> {
    if error.is_parse() {
        Some("the response head is malformed")
    } else if error.is_incomplete_message() {
        Some("the connection closed before the response was complete")
    } else if error.source().and_then(|source| source.downcast_ref::<io::Error>()).is_some() {
        Some("the connection broke")
    } else {
        None
    }
}
