//! The reason for a failed order, in the words of the ACME server.

use rustls_acme::{
    OrderError,
    acme::{Identifier, Problem},
};

/// Returns the problem that the ACME server reported, or the text of the error if there is none.
pub(super) fn reason(error: &OrderError) -> String {
    let problem = match error {
        OrderError::BadAuth(authorization) => {
            let Identifier::Dns(domain) = &authorization.identifier;
            let mut problems = authorization.challenges.iter().filter_map(|challenge| challenge.error.as_ref());
            problems.next().map(|problem| format!("{domain}: {}", describe(problem)))
        }
        OrderError::BadOrder(order) => order.error.as_ref().map(describe),
        OrderError::Acme(error) => in_response(&error.to_string()),
        _ => None,
    };
    problem.unwrap_or_else(|| error.to_string())
}

fn describe(problem: &Problem) -> String {
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    format!("{} ({})", text(&problem.detail), text(&problem.typ))
}

/// Finds the problem in the error of a request. The library exposes the response only as a quoted string at the end of
/// the message.
fn in_response(message: &str) -> Option<String> {
    let (_, quoted) = message.split_once(" \"")?;
    let body: String = serde_json::from_str(&format!("\"{quoted}")).ok()?;
    let problem: Problem = serde_json::from_str(&body).ok()?;
    problem.detail.is_some().then(|| describe(&problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_problem_in_a_response_is_extracted() {
        let body = "{\n  \"type\": \"urn:ietf:params:acme:error:rateLimited\",\n  \"detail\": \"too \\\"many\\\"\"\n}";
        let message = format!("http request error: non 2xx http status: 429 {body:?}");
        let expected = "too \"many\" (urn:ietf:params:acme:error:rateLimited)";
        assert_eq!(in_response(&message).as_deref(), Some(expected));
        for other in ["io error: \"x", "non 2xx http status: 502 \"<html>\"", "non 2xx http status: 500 \"{}\"", "x"] {
            assert_eq!(in_response(other), None, "{other}");
        }
    }
}
