//! Whether the entries of a file can be replayed, so that a test does not learn it in the middle.

use http::{HeaderName, StatusCode, header::CONTENT_ENCODING};

use super::{
    CassetteError,
    har::{Entry, Named},
    player::Recorded,
    target::Target,
};

/// How compressed data begins: gzip and zstd. Brotli has no such mark.
const COMPRESSED: [&[u8]; 2] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd]];

/// Refuses the first entry that cannot be replayed, by name and with the reason.
///
/// Entries of other hosts and pages are ignored, as a browser records them among those of the API: only a path of the API
/// is looked at.
pub(super) fn check(entries: &[Entry]) -> Result<(), CassetteError> {
    let mut first: Option<String> = None;
    for (entry, nth) in entries.iter().zip(1..) {
        let (Some(recorded), Some(base)) = (Recorded::new(entry, nth)?, Target::of(&entry.request.url).base()) else {
            continue;
        };
        let same_base = *first.get_or_insert_with(|| base.clone()) == base;
        let why = if same_base { fault(entry) } else { Some(ANOTHER_BASE) };
        if let Some(why) = why {
            return Err(CassetteError::Unusable { entry: recorded.name().to_owned(), why });
        }
    }
    Ok(())
}

const ANOTHER_BASE: &str =
    "its base path is not that of the entries before it; read one API of the file with Cassette::load_only";

fn fault(Entry { request, response, .. }: &Entry) -> Option<&'static str> {
    let has_no_text = request.post_data.as_ref().is_none_or(|data| data.text.is_empty());
    if has_no_text && request.body_size > 0 {
        return Some("the file says that it has a request body, but leaves its text out");
    }
    let expects_body = response.status / 100 == 2
        && response.status != StatusCode::NO_CONTENT.as_u16()
        && !request.method.eq_ignore_ascii_case("HEAD");
    match &response.content.text {
        None if expects_body || response.content.size > 0 => {
            return Some("its response body is missing: the file leaves content.text out");
        }
        _ => {}
    }
    let body = response.content.body()?;
    if COMPRESSED.iter().any(|mark| body.starts_with(mark)) {
        return Some(STILL_COMPRESSED);
    }
    if expects_body && std::str::from_utf8(&body).is_err() {
        let encoded = has(&response.headers, &CONTENT_ENCODING);
        return Some(if encoded { STILL_COMPRESSED } else { "its response body is not text" });
    }
    None
}

const STILL_COMPRESSED: &str = "its response body is still compressed; save the file with decoded bodies";

fn has(headers: &[Named], name: &HeaderName) -> bool {
    headers.iter().any(|header| header.name.eq_ignore_ascii_case(name.as_str()))
}
