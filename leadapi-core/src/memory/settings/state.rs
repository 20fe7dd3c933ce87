//! The state that changes together: audit logs, sign-in links and sessions.

use std::{collections::BTreeMap, ops::Bound};

use foldhash::HashMap;

use crate::{
    auth::TokenHash,
    id::{BusinessId, SessionId},
    model::Timestamp,
    port::{AuditAction, AuditEntry, FoundSession, LoginLink, Membership, Session, SignIn, TokenChange},
};

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) audit: HashMap<BusinessId, Vec<AuditEntry>>,
    /// The numbers of tokens that each business got, by time.
    new_tokens: HashMap<BusinessId, BTreeMap<Timestamp, u32>>,
    pub(super) links: HashMap<TokenHash, (BusinessId, LoginLink)>,
    pub(super) sessions: HashMap<TokenHash, (BusinessId, Session)>,
}

impl State {
    pub(super) fn start(&mut self, member: &Membership, sign_in: &SignIn) -> FoundSession {
        let session = sign_in.session(&*member.email);
        self.sessions.retain(|_, (_, session)| !session.has_expired(sign_in.at));
        self.make_room(&member.business, &member.email);
        self.sessions.insert(sign_in.hash, (member.business.clone(), session.clone()));
        self.log(&member.business, sign_in.audit(&*member.email));
        FoundSession::new(session, member.clone())
    }

    /// Ends the sessions of a person that were not used for the longest time, so that there is room for one more.
    fn make_room(&mut self, business: &BusinessId, email: &str) {
        let of_person =
            self.sessions.iter().filter(|(_, (owner, session))| owner == business && session.email == email);
        let mut by_use: Vec<_> = of_person
            .map(|(hash, (_, session))| ((session.last_used_at, session.created_at, session.id.clone()), *hash))
            .collect();
        by_use.sort_by(|a, b| b.cmp(a));
        for (_, hash) in by_use.split_off(by_use.len().min(Session::MAX_PER_PERSON - 1)) {
            self.sessions.remove(&hash);
        }
    }

    pub(super) fn find(&self, business: &BusinessId, id: &SessionId) -> Option<&Session> {
        let mut sessions = self.sessions.values();
        sessions.find(|(owner, session)| owner == business && session.id == *id).map(|(_, session)| session)
    }

    /// Counts the tokens that the business got in the interval before `now`, up to the limit.
    pub(super) fn recent(&self, business: &BusinessId, now: Timestamp) -> u32 {
        let from = now.checked_sub(TokenChange::NEW_INTERVAL).map_or(Bound::Unbounded, Bound::Excluded);
        let counts = self.new_tokens.get(business).map(|counts| counts.range((from, Bound::Included(now))));
        let limit = TokenChange::MAX_NEW as usize;
        counts.into_iter().flatten().take(limit).fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    pub(super) fn log(&mut self, business: &BusinessId, entry: AuditEntry) {
        if entry.action == AuditAction::TokenCreated {
            *self.new_tokens.entry(business.clone()).or_default().entry(entry.at).or_default() += 1;
        }
        self.audit.entry(business.clone()).or_default().push(entry);
    }
}
