//! The files of the page, and its HTML with the guides and their samples.

use std::{fmt::Write, sync::LazyLock};

use crate::web;

/// The name, content type and content of each file that the HTML loads. The paths of these files start with `docs/`.
pub(super) const ASSETS: [(&str, &str, &[u8]); 7] = [
    ("page.css", web::CSS, include_bytes!("page.css")),
    ("page.js", "text/javascript; charset=utf-8", include_bytes!("page.js")),
    ("samples.js", "text/javascript; charset=utf-8", include_bytes!("samples.js")),
    ("search.js", "text/javascript; charset=utf-8", include_bytes!("search.js")),
    ("theme.js", "text/javascript; charset=utf-8", include_bytes!("theme.js")),
    ("style.css", web::CSS, web::STYLE),
    ("icon.svg", web::SVG, web::ICON),
];

/// The page as the server sends it.
pub(super) static HTML: LazyLock<String> = LazyLock::new(|| html(""));

macro_rules! samples {
    ($($guide:literal),+) => {
        [$((
            concat!("<!-- samples: ", $guide, " -->"),
            [
                ("curl", include_str!(concat!("samples/", $guide, ".sh"))),
                ("Rust", include_str!(concat!("samples/", $guide, ".rs"))),
                ("TypeScript", include_str!(concat!("samples/", $guide, ".ts"))),
                ("Python", include_str!(concat!("samples/", $guide, ".py"))),
            ],
        )),+]
    };
}

/// The placeholder comment in the HTML of each guide, and the samples that replace it, one in each language.
/// `tests/outside/samples.py` runs the same files.
const SAMPLES: [(&str, [(&str, &str); 4]); 5] = samples!["authentication", "errors", "paging", "idempotency", "limits"];

/// Returns the page, with additional elements in its head.
pub(super) fn html(head: &str) -> String {
    let mut guides = include_str!("guides.html").to_owned();
    for (comment, languages) in SAMPLES {
        guides = guides.replace(comment, &group(&languages));
    }
    include_str!("page.html").replace("<!-- policy -->", head).replace("<!-- guides -->", &guides)
}

fn group(languages: &[(&str, &str)]) -> String {
    let mut group = r#"<div class="samples">"#.to_owned();
    for (language, sample) in languages {
        let sample = escape(sample.trim_end());
        // A write to a string cannot fail.
        let _ = write!(group, r#"<pre data-language="{language}" tabindex="0"><code>{sample}</code></pre>"#);
    }
    group + "</div>"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns a `meta` element with a content security policy.
pub(super) fn policy(policy: &str) -> String {
    format!(r#"<meta http-equiv="Content-Security-Policy" content="{}">"#, escape(policy))
}

#[cfg(test)]
mod tests {
    use leadapi_core::{
        memory::Limits,
        model::{IdempotencyKey, Window},
        openapi,
    };

    use super::*;

    #[test]
    fn the_page_contains_every_sample() {
        assert!(!HTML.contains("<!-- samples") && !HTML.contains("<!-- guides") && !HTML.contains("<!-- policy"));
        assert_eq!(HTML.matches("<pre data-language=").count(), 20);
        assert!(HTML.contains("createClient&lt;paths&gt;(") && !HTML.contains("createClient<paths>"));
    }

    #[test]
    fn the_guides_state_the_limits_of_the_code() {
        let guides = include_str!("guides.html").split_whitespace().collect::<Vec<_>>().join(" ");
        let Limits { reads, writes, .. } = Limits::default();
        for limit in [
            format!("may make {reads} reads (GET and HEAD requests) and {writes} writes"),
            format!("(1 to {}, by default {})", Window::MAX_LIMIT, Window::DEFAULT_LIMIT),
            format!("1 to {} visible ASCII characters, which the service remembers", IdempotencyKey::MAX_CHARS),
        ] {
            assert!(guides.contains(&limit), "{limit}");
        }
        let (most, document) = ("t most 65536 bytes", openapi::document("/v1").unwrap());
        assert!(guides.contains(most) && document.contains(most));
    }
}
