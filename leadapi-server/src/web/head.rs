//! The head of every HTML page.

use maud::{Markup, html};

/// Returns the `head` element, with the shared style sheet before the others.
pub(crate) fn head(title: &str, style_sheets: &[&str]) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (title) }
            link rel="icon" href="/icon.svg";
            link rel="stylesheet" href="/style.css";
            @for url in style_sheets { link rel="stylesheet" href=(url); }
        }
    }
}
