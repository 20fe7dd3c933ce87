//! The head of every HTML page.

use maud::html;

/// Returns the HTML of the `head` element, with the shared style sheet before the others.
///
/// ```
/// assert!(leadapi_pages::web::head("Tokens & keys", &[]).contains("<title>Tokens &amp; keys</title>"));
/// ```
pub fn head(title: &str, style_sheets: &[&str]) -> String {
    let head = html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (title) }
            link rel="icon" href="/icon.svg";
            link rel="stylesheet" href="/style.css";
            @for url in style_sheets { link rel="stylesheet" href=(url); }
        }
    };
    head.into_string()
}
