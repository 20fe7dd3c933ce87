//! The bytes of a body, bounded, and what they say they are (contract D5).

use bytes::{Buf, Bytes};
use http::{HeaderMap, header};
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::{BoxError, validate::Fault};

/// The most bytes that a body may have (contract D5).
pub(super) const MAX_BYTES: usize = 65_536;

/// Reads a body to its end, unless it is too large: then no more of it than the limit.
pub(super) async fn collect<B>(body: B) -> Result<Bytes, Fault>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    let too_large = || Fault::new("body", format!("must be at most {MAX_BYTES} bytes"));
    // A body that says its length is refused before any of it is read.
    if body.size_hint().lower() > MAX_BYTES as u64 {
        return Err(too_large());
    }
    match Limited::new(body, MAX_BYTES).collect().await {
        Ok(collected) => {
            let mut data = collected.aggregate();
            Ok(data.copy_to_bytes(data.remaining()))
        }
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => Err(Fault::new("body", "could not be read to its end")),
    }
}

/// Whether the body says that it is JSON in UTF-8; one that says nothing is taken as such.
pub(super) fn check_content_type(headers: &HeaderMap) -> Result<(), Fault> {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let Some(value) = values.next() else { return Ok(()) };
    match value.to_str() {
        Ok(text) if values.next().is_none() && is_json(text) => Ok(()),
        _ => Err(Fault::new("Content-Type", "must be application/json or end in +json, with charset UTF-8 if any")),
    }
}

fn is_json(text: &str) -> bool {
    let mut parts = text.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let json = match essence.split_once('/') {
        Some(("application", "json")) => true,
        Some((kind, subtype)) => !kind.is_empty() && subtype.len() > "+json".len() && subtype.ends_with("+json"),
        None => false,
    };
    json && parts.filter_map(|part| part.trim().split_once('=')).all(|(name, value)| {
        let value = value.trim_matches('"');
        !name.eq_ignore_ascii_case("charset") || value.eq_ignore_ascii_case("utf-8")
    })
}

/// The text of a body, or where it stops being one.
pub(super) fn text(bytes: &[u8]) -> Result<&str, Fault> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            Err(Fault::new("body", format!("is not JSON: it is not UTF-8 after byte {}", error.valid_up_to())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_as_json() {
        for good in [
            "application/json",
            "APPLICATION/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/merge-patch+json",
            "application/json; profile=x",
        ] {
            assert!(is_json(good), "{good}");
        }
        for bad in [
            "",
            "json",
            "text/plain",
            "text/json",
            "application/jsonp",
            "application/+json",
            "application/json; charset=latin1",
        ] {
            assert!(!is_json(bad), "{bad}");
        }
    }
}
