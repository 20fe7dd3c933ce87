//! The rules of the administration, as pure functions. A store calls them within the transaction of a change, with the
//! records that it has read.

use std::collections::HashSet;

use super::{AdminRefusal, MemberChange};
use crate::{
    auth::{Actor, Role},
    dataset::MemberSeed,
    form::{Field, Form, FormRecord},
    id::{ClientId, FormId, PipelineId, StageId},
    model::{Stage, Timestamp},
    port::{AuditAction, AuditEntry, TokenRecord},
    validate::email_key,
};

/// Returns the member with an email address, ignoring case.
///
/// # Errors
///
/// Returns an error if no member has the address.
pub fn find_member<'m>(members: &'m [MemberSeed], email: &str) -> Result<&'m MemberSeed, AdminRefusal> {
    let key = email_key(email.trim());
    let found = members.iter().find(|member| email_key(&member.email) == key);
    found.ok_or_else(|| AdminRefusal::NoSuchMember(email.to_owned()))
}

/// Checks the addition of a member, and returns the entry for the audit log.
///
/// # Errors
///
/// Returns an error if a member already has the address, or if the first member is not an owner.
pub fn add_member(members: &[MemberSeed], new: &MemberSeed, at: Timestamp) -> Result<AuditEntry, AdminRefusal> {
    check_members(members, &[members, std::slice::from_ref(new)].concat())?;
    if members.is_empty() && new.role != Role::Owner {
        return Err(AdminRefusal::FirstMember);
    }
    Ok(entry(at, AuditAction::MemberAdded, &new.email).detail(new.role.to_string()))
}

/// A checked change to a member, or the checked removal of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemberPlan {
    /// The member before the change.
    pub old: MemberSeed,
    /// The member after the change.
    pub new: MemberSeed,
    /// The entries for the audit log.
    pub audit: Vec<AuditEntry>,
}

/// Checks a change to a member.
///
/// # Errors
///
/// Returns an error if another member has the address, or if the change leaves the business without an owner.
pub fn change_member(
    members: &[MemberSeed],
    email: &str,
    change: &MemberChange,
    at: Timestamp,
) -> Result<MemberPlan, AdminRefusal> {
    let old = find_member(members, email)?.clone();
    let new = MemberSeed::new(change.email.as_ref().unwrap_or(&old.email), change.role.unwrap_or(old.role));
    let changed = |member: &MemberSeed| if *member == old { new.clone() } else { member.clone() };
    check_members(members, &members.iter().map(changed).collect::<Vec<_>>())?;
    let mut audit = Vec::new();
    if new.role != old.role {
        let roles = format!("from {} to {}", old.role, new.role);
        audit.push(entry(at, AuditAction::MemberRoleChanged, &old.email).detail(roles));
    }
    if new.email != old.email {
        audit.push(entry(at, AuditAction::MemberRenamed, &old.email).detail(&*new.email));
    }
    Ok(MemberPlan { old, new, audit })
}

/// Checks the removal of a member, and returns the member and the entry for the audit log.
///
/// # Errors
///
/// Returns an error if the removal leaves the business without an owner.
pub fn remove_member(
    members: &[MemberSeed],
    email: &str,
    at: Timestamp,
) -> Result<(MemberSeed, AuditEntry), AdminRefusal> {
    let old = find_member(members, email)?.clone();
    let rest: Vec<MemberSeed> = members.iter().filter(|member| **member != old).cloned().collect();
    check_members(members, &rest)?;
    let audit = entry(at, AuditAction::MemberRemoved, &old.email);
    Ok((old, audit))
}

/// Returns the entry for the audit log when a token is revoked because its creator was removed.
pub fn token_revoked(member: &MemberSeed, token: &TokenRecord, at: Timestamp) -> AuditEntry {
    entry(at, AuditAction::TokenRevokedOnRemoval, &member.email).token(token.id.clone(), &*token.name)
}

/// The entry names the member concerned, because the operator who makes the change is not a member.
fn entry(at: Timestamp, action: AuditAction, email: &str) -> AuditEntry {
    AuditEntry::new(at, action, Actor::new(email, None))
}

/// Checks the rules that span all members: addresses are unique, and the last owner cannot be removed or demoted.
fn check_members(before: &[MemberSeed], after: &[MemberSeed]) -> Result<(), AdminRefusal> {
    let mut addresses = HashSet::new();
    if let Some(twice) = after.iter().find(|member| !addresses.insert(email_key(&member.email))) {
        return Err(AdminRefusal::MemberExists(twice.email.clone()));
    }
    let has_owner = |members: &[MemberSeed]| members.iter().any(|member| member.role == Role::Owner);
    if has_owner(before) && !has_owner(after) { Err(AdminRefusal::LastOwner) } else { Ok(()) }
}

/// Inserts a stage into the stages of a pipeline, at a position or at the end, and renumbers them.
///
/// # Errors
///
/// Returns an error if the position is outside the pipeline.
pub fn insert_stage(stages: &mut Vec<Stage>, stage: Stage, position: Option<u32>) -> Result<(), AdminRefusal> {
    let last = stages.len() + 1;
    let at = position.map_or(last, |position| usize::try_from(position).unwrap_or(usize::MAX));
    if !(1..=last).contains(&at) {
        return Err(AdminRefusal::Position { last });
    }
    stages.insert(at - 1, stage);
    renumber(stages);
    Ok(())
}

/// Removes a stage from the stages of its pipeline, and renumbers the remaining stages.
///
/// # Errors
///
/// Returns an error if `stages` does not contain the stage.
pub fn remove_stage(stages: &mut Vec<Stage>, id: &StageId) -> Result<Stage, AdminRefusal> {
    let at = stages.iter().position(|stage| stage.id == *id);
    let stage = stages.remove(at.ok_or_else(|| AdminRefusal::NoSuchStage(id.clone()))?);
    renumber(stages);
    Ok(stage)
}

/// Gives the stages consecutive positions in the order of the list, starting at 1.
pub fn renumber(stages: &mut [Stage]) {
    for (position, stage) in (1..).zip(stages) {
        stage.position = position;
    }
}

/// The id of a form record, and the records that it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormReferences {
    /// The id of the form.
    pub id: FormId,
    /// The client account, if the form names one.
    pub client: Option<ClientId>,
    /// The pipeline, if the form names one.
    pub pipeline: Option<PipelineId>,
}

/// Reads the references of a form record.
///
/// # Errors
///
/// Returns an error if the record has no valid id, or if one of its references is not a valid id.
pub fn form_references(record: &FormRecord) -> Result<FormReferences, AdminRefusal> {
    let wrong = |rule: &str| AdminRefusal::Form(rule.to_owned());
    let form = record.form.get().ok_or_else(|| wrong("form must be an object"))?;
    let id = form.id.as_str().ok_or_else(|| wrong("form.id must be a string"))?;
    let id = FormId::parse(id).map_err(|rule| AdminRefusal::Form(format!("form.id: {rule}")))?;
    let client = form.client_id.as_str().map(|id| ClientId::parse(id).map_err(|_| no_form_client(id)));
    let pipeline = form.target_pipeline_id.as_str().map(|id| PipelineId::parse(id).map_err(|_| no_form_pipeline(id)));
    Ok(FormReferences { id, client: client.transpose()?, pipeline: pipeline.transpose()? })
}

/// Returns the error for a form whose client account does not exist.
pub fn no_form_client(id: &str) -> AdminRefusal {
    AdminRefusal::Form(format!("form.client_id: no such client account in this business: {id}"))
}

/// Returns the error for a form whose pipeline does not exist.
pub fn no_form_pipeline(id: &str) -> AdminRefusal {
    AdminRefusal::Form(format!("form.target_pipeline_id: no such pipeline: {id}"))
}

/// Checks that no form refers to a client account.
///
/// # Errors
///
/// Returns an error if a form refers to the client account.
pub fn check_client_unused(forms: &[FormRecord], id: &ClientId) -> Result<(), AdminRefusal> {
    check_unused(forms, |form| &form.client_id, id.as_str())
}

/// Checks that no form refers to a pipeline.
///
/// # Errors
///
/// Returns an error if a form refers to the pipeline.
pub fn check_pipeline_unused(forms: &[FormRecord], id: &PipelineId) -> Result<(), AdminRefusal> {
    check_unused(forms, |form| &form.target_pipeline_id, id.as_str())
}

fn check_unused(forms: &[FormRecord], field: impl Fn(&Form) -> &Field<String>, id: &str) -> Result<(), AdminRefusal> {
    let forms = forms.iter().filter_map(|record| record.form.get());
    let referring = forms.filter(|form| field(form).as_str() == Some(id)).filter_map(|form| form.id.as_str());
    let referring: Vec<String> = referring.map(str::to_owned).collect();
    if referring.is_empty() { Ok(()) } else { Err(AdminRefusal::Referenced(referring)) }
}
