//! Parsing of the log filter.

use tracing_subscriber::{
    EnvFilter,
    filter::{LevelFilter, ParseError},
};

/// The start of the names of the crates to which a level without a crate name applies.
///
/// Other crates log data from peers, such as every HTTP/2 frame, so a bare level must not enable them.
const OWN: &str = "leadapi";

/// Parses a filter such as `info`, `debug,h2=warn` or `off`.
///
/// A level without a crate name applies to this server's crates. Every other crate logs only errors, unless the filter
/// names it or a level is `off`.
pub(super) fn parse(text: &str) -> Result<EnvFilter, ParseError> {
    EnvFilter::try_new(directives(text))
}

fn directives(text: &str) -> String {
    let mut others = LevelFilter::ERROR;
    let mut directives = Vec::new();
    for directive in text.split(',').map(str::trim).filter(|directive| !directive.is_empty()) {
        match directive.parse::<LevelFilter>() {
            Ok(level) => {
                others = others.min(level);
                directives.push(format!("{OWN}={level}"));
            }
            Err(_) => directives.push(directive.to_owned()),
        }
    }
    format!("{others},{}", directives.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_level_applies_to_the_crates_of_this_server() {
        for (text, expected) in [
            ("info", "error,leadapi=info"),
            ("DEBUG", "error,leadapi=debug"),
            ("off", "off,leadapi=off"),
            ("warn,h2=debug", "error,leadapi=warn,h2=debug"),
            ("leadapi_server=debug", "error,leadapi_server=debug"),
        ] {
            assert_eq!(directives(text), expected);
            assert!(parse(text).is_ok(), "{text}");
        }
        assert!(parse("a=b=c").is_err());
    }
}
