//! The state that changes together: audit logs, sign-in links and sessions.

use std::{collections::BTreeMap, ops::Bound, time::Duration};

use foldhash::HashMap;

use leadapi_core::{
    auth::{Actor, Authority, TokenHash},
    id::{BusinessId, SessionId},
    model::Timestamp,
    port::{
        AuditAction, AuditEntry, FoundSession, LoginLink, Membership, Session, SessionStarted, SignIn, TokenChange,
    },
    validate::email_key,
};

#[derive(Debug, Default)]
pub(super) struct State {
    /// The members of all businesses, sorted by the name and then the id of the business.
    pub(super) members: Vec<Membership>,
    pub(super) audit: HashMap<BusinessId, Vec<AuditEntry>>,
    /// The new tokens of each business.
    new_tokens: Counts,
    /// The new sessions of each business.
    new_sessions: Counts,
    pub(super) links: HashMap<TokenHash, (BusinessId, LoginLink)>,
    pub(super) sessions: HashMap<TokenHash, (BusinessId, Session)>,
}

/// The number of events of each business, by time.
#[derive(Debug, Default)]
struct Counts(HashMap<BusinessId, BTreeMap<Timestamp, u32>>);

impl Counts {
    fn add(&mut self, business: &BusinessId, at: Timestamp) {
        *self.0.entry(business.clone()).or_default().entry(at).or_default() += 1;
    }

    /// Counts the events in the interval before `now`. May stop counting at the limit.
    fn recent(&self, business: &BusinessId, now: Timestamp, interval: Duration, limit: u32) -> u32 {
        let from = now.checked_sub(interval).map_or(Bound::Unbounded, Bound::Excluded);
        let counts = self.0.get(business).map(|counts| counts.range((from, Bound::Included(now))));
        counts.into_iter().flatten().take(limit as usize).fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }
}

impl State {
    pub(super) fn new(members: Vec<Membership>) -> Self {
        Self { members, ..Self::default() }
    }

    pub(super) fn find_member(&self, business: &BusinessId, email: &str) -> Option<&Membership> {
        let key = email_key(email);
        self.members.iter().find(|member| member.business == *business && email_key(&member.email) == key)
    }

    pub(super) fn find_admin(&self, business: &BusinessId, email: &str) -> Option<&Membership> {
        self.find_member(business, email).filter(|member| member.role.manages_tokens())
    }

    /// Returns whether a person may make a change at this time.
    pub(super) fn is_confirmed(&self, business: &BusinessId, by: &Actor, at: Timestamp) -> bool {
        let has_session = match &by.authority {
            Authority::Host => return true,
            Authority::Membership => true,
            Authority::Session(id) => self
                .find(business, id)
                .is_some_and(|session| !session.has_expired(at) && email_key(&session.email) == email_key(&by.email)),
        };
        has_session && self.find_admin(business, &by.email).is_some()
    }

    /// Returns whether the business got too many new sessions in the interval before this time.
    pub(super) fn is_too_fast(&self, business: &BusinessId, at: Timestamp) -> bool {
        self.new_sessions.recent(business, at, Session::NEW_INTERVAL, Session::MAX_NEW) >= Session::MAX_NEW
    }

    /// Starts a session for an owner or an admin. Returns `NotAllowed` if `member` is `None`.
    pub(super) fn start(&mut self, member: Option<&Membership>, sign_in: &SignIn) -> SessionStarted {
        let Some(member) = member else { return SessionStarted::NotAllowed };
        let session = sign_in.session(&*member.email);
        self.sessions.retain(|_, (_, session)| !session.has_expired(sign_in.at));
        self.make_room(&member.business, &member.email);
        self.sessions.insert(sign_in.hash, (member.business.clone(), session.clone()));
        self.log(&member.business, sign_in.audit(&*member.email));
        SessionStarted::Done(FoundSession::new(session, member.clone()))
    }

    /// Ends the least recently used sessions of a person, so that there is room for one more.
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
        self.new_tokens.recent(business, now, TokenChange::NEW_INTERVAL, TokenChange::MAX_NEW)
    }

    /// Removes the audit log of a business, and the counts for its limits.
    pub(super) fn forget(&mut self, business: &BusinessId) {
        self.audit.remove(business);
        self.new_tokens.0.remove(business);
        self.new_sessions.0.remove(business);
    }

    pub(super) fn log(&mut self, business: &BusinessId, entry: AuditEntry) {
        match entry.action {
            AuditAction::TokenCreated => self.new_tokens.add(business, entry.at),
            AuditAction::SignedIn | AuditAction::SignedInByProxy => self.new_sessions.add(business, entry.at),
            _ => {}
        }
        self.audit.entry(business.clone()).or_default().push(entry);
    }
}
