//! Helpers for checks that apply to both POST and PATCH.

use bytes::Bytes;
use serde_json::Value;

use crate::conformance::{
    report::Stop,
    request::TestRequest,
    response::CheckedResponse,
    run::{CreatedLead, Run},
};

/// Sends a create and a patch, and returns both responses. Deletes the created lead to keep the number of leads small.
async fn send(run: &Run<'_>, create: TestRequest<'_>, patch: TestRequest<'_>) -> Result<[CheckedResponse; 2], Stop> {
    let created = create.expect_status(201).await?;
    run.delete(&Ok(created.text("id").to_owned())).expect_status(204).await?;
    Ok([created, patch.expect_status(200).await?])
}

/// Creates a lead with the members `sent`, and patches `lead` with the same members. Expects the members `kept` in both
/// responses.
pub(super) async fn accepts(run: &Run<'_>, lead: &CreatedLead, sent: &Value, kept: &Value) -> Result<(), Stop> {
    for response in send(run, run.post(&run.new_lead(sent)), run.patch(lead, sent)).await? {
        response.has_members(kept)?;
    }
    Ok(())
}

/// Like [`accepts`], but sends one member as the JSON text `sent`. Both responses must contain the member with the JSON
/// text `kept`.
pub(super) async fn returns(
    run: &Run<'_>,
    lead: &CreatedLead,
    member: &str,
    [sent, kept]: [&str; 2],
) -> Result<(), Stop> {
    let [create, patch] = texts(run, lead, &format!(r#""{member}":{sent}"#));
    for response in send(run, create, patch).await? {
        response.has_raw_member(member, kept)?;
    }
    Ok(())
}

/// Expects the service to reject a create and a patch with the members `sent`. Both responses must have status 400, and
/// their messages must report each of the `problems` (a field and part of the message).
pub(super) async fn refuses(
    run: &Run<'_>,
    lead: &CreatedLead,
    sent: &Value,
    problems: &[(&str, &str)],
) -> Result<(), Stop> {
    for request in [run.post(&run.new_lead(sent)), run.patch(lead, sent)] {
        let response = request.expect_status(400).await?;
        problems.iter().try_fold(response, |response, (field, text)| response.has_problem(field, text))?;
    }
    Ok(())
}

/// Expects the service to reject a create and a patch with this body. Both responses must have status 400, and their
/// messages must start with the first string in `says` and contain the other strings.
pub(super) async fn refuses_body(
    run: &Run<'_>,
    lead: &CreatedLead,
    body: impl Into<Bytes>,
    says: &[&str],
) -> Result<(), Stop> {
    let body = body.into();
    run.request("POST", "/leads").text(body.clone()).expect_refusal(400, says).await?;
    run.request_lead("PATCH", lead).text(body).expect_refusal(400, says).await?;
    Ok(())
}

/// Returns a create and a patch with these members as JSON text, which may be invalid.
pub(super) fn texts<'r>(run: &'r Run<'_>, lead: &CreatedLead, members: &str) -> [TestRequest<'r>; 2] {
    [
        run.request("POST", "/leads").text(run.new_lead_text(members)),
        run.request_lead("PATCH", lead).text(format!("{{{members} }}")),
    ]
}
