//! Detection of environment variables that look like settings but are not.

use clap::{Arg, Command};

use super::nearest;

/// The prefix of this product's environment variables.
const PREFIX: &str = "LEADAPI_";

/// Prefixes of variables that belong to the client or to this repository's tests.
const OTHER_PREFIXES: [&str; 12] = [
    "LEADAPI_URL",
    "LEADAPI_TOKEN",
    "LEADAPI_CASSETTE",
    "LEADAPI_ACCEPT",
    "LEADAPI_BENCH_",
    "LEADAPI_DIFFERENTIAL_",
    "LEADAPI_FIXTURES",
    "LEADAPI_FORMS_",
    "LEADAPI_POWERLOSS_",
    "LEADAPI_REQUIRE_",
    "LEADAPI_SCREENSHOTS",
    "LEADAPI_TEST",
];

/// A variable that has the prefix but is not a setting. It is an error, because a mistyped name would otherwise leave
/// the intended setting at its default.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is not a setting{}", hint.as_ref().map(|name| format!(", did you mean {name}?")).unwrap_or_default())]
pub(super) struct UnknownVariable {
    name: String,
    hint: Option<String>,
}

/// Returns an error for the first variable with the prefix that is not a setting of any command, unless it looks like a
/// service link or belongs to the client or the tests.
pub(super) fn check(command: &Command, mut names: impl Iterator<Item = String>) -> Result<(), UnknownVariable> {
    let known = settings(command);
    let is_unknown = |name: &String| {
        let is_known = known.contains(name) || OTHER_PREFIXES.iter().any(|other| name.starts_with(other));
        name.starts_with(PREFIX) && !is_known && !is_service_link(name)
    };
    match names.find(is_unknown) {
        Some(name) => Err(UnknownVariable { hint: nearest(&name, known.iter().map(String::as_str)), name }),
        None => Ok(()),
    }
}

/// Returns the environment variables of a command and its subcommands.
fn settings(command: &Command) -> Vec<String> {
    let own = command.get_arguments().filter_map(Arg::get_env).map(|name| name.to_string_lossy().into_owned());
    own.chain(command.get_subcommands().flat_map(settings)).collect()
}

/// Returns whether the name has the form of a service link. Kubernetes sets such variables for a service whose name
/// starts with `leadapi`, and Docker sets them for a linked container.
fn is_service_link(name: &str) -> bool {
    name.ends_with("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT")
        || name.ends_with("_PORT")
        || name.contains("_PORT_")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    fn checked(name: &str) -> Result<(), String> {
        check(&Cli::command(), [name.to_owned()].into_iter()).map_err(|unknown| unknown.to_string())
    }

    #[test]
    fn an_unknown_variable_is_refused_with_a_suggestion() {
        for (name, expected) in [
            ("LEADAPI_MAX_REQUEST", "LEADAPI_MAX_REQUEST is not a setting, did you mean LEADAPI_MAX_REQUESTS?"),
            ("LEADAPI_STOR", "LEADAPI_STOR is not a setting, did you mean LEADAPI_STORE?"),
        ] {
            assert_eq!(checked(name), Err(expected.to_owned()));
        }
        assert!(checked("LEADAPI_").is_err());
    }

    #[test]
    fn variables_of_other_programs_are_ignored() {
        for name in [
            "LEADAPI_STORE",
            "LEADAPI_OPS_LISTEN",
            "LEADAPI_URL",
            "LEADAPI_TOKEN",
            "LEADAPI_REQUIRE_POSTGRES",
            "LEADAPI_BENCH_LEADS",
            "LEADAPI_SERVICE_HOST",
            "LEADAPI_SERVER_SERVICE_PORT_HTTP",
            "LEADAPI_PORT",
            "LEADAPI_PORT_8080_TCP_ADDR",
            "leadapi_max_request",
            "HOME",
        ] {
            assert_eq!(checked(name), Ok(()), "{name}");
        }
    }
}
