//! The HTTP routes.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, State},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use leadapi_core::BoxError;
use leadapi_form::{Answers, Problem, Questionnaire};
use serde_json::{Value, json, value::RawValue};

use crate::{
    Host,
    store::{self, Key, Store, Submission},
    verdict::{Verdict, decide},
};

const MAX_BODY: usize = 256 * 1024;

pub(crate) fn router(host: Arc<Host>) -> Router {
    Router::new()
        .route("/forms/{form}/submissions", post(submit))
        .route("/forms/{form}/submissions/{id}", get(show))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(host)
}

/// The response to a request: 202 for a pending submission, 200 for any other stored submission, or an error.
struct Reply(StatusCode, Value);

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        (self.0, [(CONTENT_TYPE, "application/json")], self.1.to_string()).into_response()
    }
}

impl Reply {
    fn error(status: StatusCode, message: &str) -> Self {
        Self(status, json!({"error": message}))
    }

    /// Returns the response to a failure of the store. A new submission may or may not be stored, so the browser has to
    /// retry.
    fn unavailable(error: &BoxError) -> Self {
        eprintln!("a submission could not be stored: {error}");
        Self::error(StatusCode::SERVICE_UNAVAILABLE, "try again later")
    }

    fn submission(key: &Key, submission: &Submission) -> Self {
        let status =
            if submission.state == store::State::Pending.as_str() { StatusCode::ACCEPTED } else { StatusCode::OK };
        let Submission { state, reason, lead_id, .. } = submission;
        Self(status, json!({"id": key.id, "state": state, "reason": reason, "lead_id": lead_id}))
    }
}

async fn submit(State(host): State<Arc<Host>>, Path(form): Path<String>, body: Bytes) -> Reply {
    let Some(questionnaire) = host.forms.get(&form).copied() else {
        return Reply::error(StatusCode::NOT_FOUND, "no such form");
    };
    let Some((id, answers)) = parse(&body) else {
        return Reply::error(StatusCode::BAD_REQUEST, "expected {\"id\": \"…\", \"answers\": {…}}");
    };
    accept(&host, Key { form, id }, questionnaire, &answers).await.unwrap_or_else(|error| Reply::unavailable(&error))
}

async fn accept(host: &Arc<Host>, key: Key, form: &Questionnaire<'_>, answers: &Answers) -> Result<Reply, BoxError> {
    let text = serde_json::to_string(answers)?;
    // A retry receives the state of the submission, even if the form has changed since.
    if let Some(known) = host.find(&key).await? {
        return Ok(stored(&key, &known, &text));
    }
    if !form.is_active() {
        return Ok(Reply::error(StatusCode::FORBIDDEN, "the form is inactive"));
    }
    let (state, lead, reason) = match decide(form, answers) {
        Verdict::Store { state, lead, reason } => (state, lead, reason),
        Verdict::Incomplete(problems) => {
            let problem = |(id, problem): &(String, Problem)| json!({"question": id, "problem": problem.as_str(), "message": problem.to_string()});
            let problems: Vec<Value> = problems.iter().map(problem).collect();
            return Ok(Reply(StatusCode::UNPROCESSABLE_ENTITY, json!({"problems": problems})));
        }
    };
    let lead = lead.map(|lead| serde_json::to_string(&lead)).transpose()?;
    let (new_key, new_text) = (key.clone(), text.clone());
    let add = move |host: &Host, store: &mut Store| {
        store.add(&new_key, &new_text, state, lead.as_deref(), reason)?;
        // The worker is woken here, because the request may be cancelled after this point.
        host.added.notify_one();
        Ok(())
    };
    host.with_store(add).await?;
    // Another request with the same id may have been faster, so the reply describes the stored submission.
    let known = host.find(&key).await?.ok_or("the submission is not in the store")?;
    Ok(stored(&key, &known, &text))
}

/// Replies with the state of the submission, or with an error if the stored submission has different answers.
fn stored(key: &Key, submission: &Submission, answers: &str) -> Reply {
    if submission.answers == answers {
        Reply::submission(key, submission)
    } else {
        Reply::error(StatusCode::CONFLICT, "the id belongs to a submission with other answers")
    }
}

/// Parses a submission. The answers are parsed from their raw text, because a `Value` does not preserve the text of
/// numbers.
fn parse(body: &[u8]) -> Option<(String, Answers)> {
    let members: HashMap<String, &RawValue> = serde_json::from_slice(body).ok()?;
    let id: String = serde_json::from_str(members.get("id")?.get()).ok()?;
    let answers = serde_json::from_str(members.get("answers")?.get()).ok()?;
    store::is_name(&id).then_some((id, answers))
}

async fn show(State(host): State<Arc<Host>>, Path((form, id)): Path<(String, String)>) -> Reply {
    let key = Key { form, id };
    match host.find(&key).await {
        Ok(Some(submission)) => Reply::submission(&key, &submission),
        Ok(None) => Reply::error(StatusCode::NOT_FOUND, "no such submission"),
        Err(error) => Reply::unavailable(&error),
    }
}
