//! Administrative changes to the members of a business, and to their sessions, sign-in links and tokens.

use super::{MemorySettings, State};
use crate::{
    admin::{AdminRefusal, MemberChange, RemovedMember, rules},
    dataset::MemberSeed,
    id::BusinessId,
    model::Timestamp,
    port::{Membership, TokenState},
    validate::email_key,
};

impl State {
    /// Returns the members of a business, ordered by email address.
    fn members_of(&self, business: &BusinessId) -> Vec<MemberSeed> {
        let own = self.members.iter().filter(|member| member.business == *business);
        let mut members: Vec<MemberSeed> = own.map(|member| MemberSeed::new(&*member.email, member.role)).collect();
        members.sort_by(|a, b| a.email.cmp(&b.email));
        members
    }

    fn insert_member(&mut self, business: &BusinessId, business_name: &str, member: &MemberSeed) {
        self.members.push(Membership::new(business.clone(), business_name, &*member.email, member.role));
        self.sort();
    }

    fn sort(&mut self) {
        self.members.sort_by(|a, b| (&a.business_name, &a.business).cmp(&(&b.business_name, &b.business)));
    }

    /// Ends a person's sessions, and removes the person's sign-in links.
    fn end_sessions(&mut self, business: &BusinessId, email: &str) {
        let key = email_key(email);
        let is_other = |owner: &BusinessId, of: &str| owner != business || email_key(of) != key;
        self.sessions.retain(|_, (owner, session)| is_other(owner, &session.email));
        self.links.retain(|_, (owner, link)| is_other(owner, &link.email));
    }
}

impl MemorySettings {
    pub(in crate::memory) fn members_of(&self, business: &BusinessId) -> Vec<MemberSeed> {
        self.state().members_of(business)
    }

    pub(in crate::memory) fn insert_member(&self, business: &BusinessId, business_name: &str, member: &MemberSeed) {
        self.state().insert_member(business, business_name, member);
    }

    pub(in crate::memory) fn add_member(
        &self,
        business: &BusinessId,
        business_name: &str,
        member: &MemberSeed,
        at: Timestamp,
    ) -> Result<(), AdminRefusal> {
        let mut state = self.state();
        let audit = rules::add_member(&state.members_of(business), member, at)?;
        state.insert_member(business, business_name, member);
        state.log(business, audit);
        Ok(())
    }

    pub(in crate::memory) fn change_member(
        &self,
        business: &BusinessId,
        email: &str,
        change: &MemberChange,
        at: Timestamp,
    ) -> Result<MemberSeed, AdminRefusal> {
        let mut state = self.state();
        let rules::MemberPlan { old, new, audit } =
            rules::change_member(&state.members_of(business), email, change, at)?;
        for member in &mut state.members {
            if member.business == *business && member.email == old.email {
                (member.email, member.role) = (new.email.clone(), new.role);
            }
        }
        if new.email != old.email {
            state.end_sessions(business, &old.email);
            for token in self.0.tokens.of(business) {
                if token.created_by.as_deref() == Some(&*old.email) {
                    self.0.tokens.update(business, &token.id, |token| token.created_by = Some(new.email.clone()));
                }
            }
        }
        for entry in audit {
            state.log(business, entry);
        }
        Ok(new)
    }

    pub(in crate::memory) fn delete_member(
        &self,
        business: &BusinessId,
        email: &str,
        revoke_tokens: bool,
        at: Timestamp,
    ) -> Result<RemovedMember, AdminRefusal> {
        let mut state = self.state();
        let (old, audit) = rules::remove_member(&state.members_of(business), email, at)?;
        state.members.retain(|member| member.business != *business || member.email != old.email);
        state.end_sessions(business, &old.email);
        state.log(business, audit);
        let key = email_key(&old.email);
        let mut tokens = self.0.tokens.of(business);
        tokens.retain(|token| {
            token.state(at) == TokenState::Good
                && token.created_by.as_deref().is_some_and(|email| email_key(email) == key)
        });
        for token in tokens.iter_mut().filter(|_| revoke_tokens) {
            token.revoked_at = Some(at);
            self.0.tokens.revoke(business, &token.id, at);
            state.log(business, rules::token_revoked(&old, token, at));
        }
        Ok(RemovedMember::new(old, tokens, revoke_tokens))
    }

    pub(in crate::memory) fn rename_business(&self, business: &BusinessId, name: &str) {
        let mut state = self.state();
        for member in state.members.iter_mut().filter(|member| member.business == *business) {
            name.clone_into(&mut member.business_name);
        }
        state.sort();
    }

    /// Removes everything that belongs to a business.
    pub(in crate::memory) fn delete_business(&self, business: &BusinessId) {
        let mut state = self.state();
        state.members.retain(|member| member.business != *business);
        state.sessions.retain(|_, (owner, _)| owner != business);
        state.links.retain(|_, (owner, _)| owner != business);
        state.forget(business);
        for token in self.0.tokens.of(business) {
            self.0.tokens.delete(business, &token.id);
        }
    }
}
