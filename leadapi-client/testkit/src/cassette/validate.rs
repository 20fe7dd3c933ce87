//! Checks that the entries of a parsed cassette can be replayed.

use http::{HeaderName, StatusCode, header::CONTENT_ENCODING};

use super::{
    CassetteError,
    har::{Entry, NameValue},
    player::RecordedEntry,
    target::Target,
};

/// The magic numbers of gzip and zstd. Brotli has no magic number.
const COMPRESSION_MAGIC: [&[u8]; 2] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd]];

/// Returns an error if an entry cannot be replayed. The error names the first such entry and the reason.
///
/// The status and the encoding are checked for every entry. The other checks apply only to API paths, because browsers
/// also record requests to other hosts and pages.
pub(super) fn check(entries: &[Entry]) -> Result<(), CassetteError> {
    let mut first: Option<String> = None;
    for (entry, nth) in entries.iter().zip(1..) {
        let (Some(recorded), Some(base)) = (RecordedEntry::new(entry, nth)?, Target::of(&entry.request.url).base())
        else {
            continue;
        };
        let same_base = *first.get_or_insert_with(|| base.clone()) == base;
        let reason = if same_base { problem(entry) } else { Some(OTHER_BASE_PATH) };
        if let Some(reason) = reason {
            return Err(CassetteError::InvalidEntry { entry: recorded.name().to_owned(), reason });
        }
    }
    Ok(())
}

const OTHER_BASE_PATH: &str =
    "its base path differs from the earlier entries; use Cassette::load_only to load a single API";

fn problem(Entry { request, response, .. }: &Entry) -> Option<&'static str> {
    let has_no_text = request.post_data.as_ref().is_none_or(|data| data.text.is_empty());
    if has_no_text && request.body_size > 0 {
        return Some("the file gives the size of the request body, but omits its text");
    }
    let expects_body = response.status / 100 == 2
        && response.status != StatusCode::NO_CONTENT.as_u16()
        && !request.method.eq_ignore_ascii_case("HEAD");
    match &response.content.text {
        None if expects_body || response.content.size > 0 => {
            return Some("its response body is missing: the file omits content.text");
        }
        _ => {}
    }
    let body = response.content.body()?;
    if COMPRESSION_MAGIC.iter().any(|magic| body.starts_with(magic)) {
        return Some(STILL_COMPRESSED);
    }
    if expects_body && std::str::from_utf8(&body).is_err() {
        let encoded = has(&response.headers, &CONTENT_ENCODING);
        return Some(if encoded { STILL_COMPRESSED } else { "its response body is not text" });
    }
    None
}

const STILL_COMPRESSED: &str = "its response body is still compressed; save the file with decoded bodies";

fn has(headers: &[NameValue], name: &HeaderName) -> bool {
    headers.iter().any(|header| header.name.eq_ignore_ascii_case(name.as_str()))
}
