//! The in-memory store of API settings.

mod members;
mod state;

use std::sync::{Arc, PoisonError};

use async_trait::async_trait;

use leadapi_core::{
    auth::{Actor, Authority, TokenHash},
    dataset::Dataset,
    id::{BusinessId, SessionId, TokenId},
    model::{Page, Timestamp, Window},
    port::{
        AuditAction, AuditEntry, FoundSession, FoundToken, LoginLink, Membership, Session, SessionEnded,
        SessionStarted, SettingsStore, SignIn, StoreError, TokenChange, TokenChanged, TokenFacts, TokenRecord,
        TokenStore, TokenUse, TokenWrite,
    },
    validate::email_key,
};

use self::state::State;
use crate::{
    sync::{Mutex, MutexGuard},
    tokens::MemoryTokens,
};

/// An in-memory [`SettingsStore`]. Its state is lost when the process exits.
///
/// Its initial businesses and members come from a [`Dataset`], and a [`MemoryAdmin`](super::MemoryAdmin) changes them.
/// Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct MemorySettings(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    tokens: MemoryTokens,
    /// Every method holds this lock until it returns if it changes more than the last use of a token.
    state: Mutex<State>,
}

impl MemorySettings {
    /// Creates a store with the members and the audit log of a data set. Use [`import`](leadapi_core::tokens::import) to add
    /// its tokens.
    ///
    /// ```
    /// use leadapi_core::dataset::Dataset;
    /// use leadapi_memory::MemorySettings;
    ///
    /// let store = MemorySettings::new(&Dataset::parse(r#"{"businesses": []}"#)?);
    /// # Ok::<(), leadapi_core::dataset::InvalidDataset>(())
    /// ```
    pub fn new(dataset: &Dataset) -> Self {
        let members = dataset.businesses.iter().flat_map(|business| {
            let membership = |email: &str, role| Membership::new(business.id.clone(), &*business.name, email, role);
            business.members.iter().map(move |member| membership(&member.email, member.role))
        });
        let mut members: Vec<Membership> = members.collect();
        members.sort_by(|a, b| (&a.business_name, &a.business).cmp(&(&b.business_name, &b.business)));
        let mut state = State::new(members);
        for business in &dataset.businesses {
            business.audit.iter().for_each(|entry| state.log(&business.id, entry.clone()));
        }
        Self(Arc::new(Shared { state: Mutex::new(state), ..Shared::default() }))
    }

    /// Returns the members of all businesses.
    pub fn members(&self) -> Vec<Membership> {
        self.state().members.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so poisoning can be ignored.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn facts(&self, state: &State, business: &BusinessId, change: &TokenChange) -> TokenFacts {
        let tokens = &self.0.tokens;
        let mut facts = TokenFacts::new(state.is_confirmed(business, &change.by, change.at));
        facts.token = change.token_id().and_then(|id| tokens.get(business, id));
        if let Some(name) = change.new_name(facts.token.as_ref()) {
            facts.namesake = tokens.namesake(business, name, change.at);
            facts.valid = tokens.count_valid(business, change.at, TokenChange::MAX_VALID_WITH_OVERLAPS);
            facts.recent = state.recent(business, change.at);
        }
        facts
    }
}

#[async_trait]
impl TokenStore for MemorySettings {
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
        let _lock = self.state();
        self.0.tokens.add(business, token)
    }

    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, StoreError> {
        Ok(self.0.tokens.of(business))
    }

    async fn record_uses(&self, uses: &[TokenUse]) -> Result<(), StoreError> {
        self.0.tokens.record(uses);
        Ok(())
    }

    async fn find(&self, hash: &TokenHash) -> Result<Option<Arc<FoundToken>>, StoreError> {
        Ok(self.0.tokens.look_up(hash))
    }
}

#[async_trait]
impl SettingsStore for MemorySettings {
    async fn change(&self, business: &BusinessId, change: &TokenChange) -> Result<TokenChanged, StoreError> {
        let mut state = self.state();
        let plan = match change.plan(&self.facts(&state, business, change)) {
            Ok(plan) => plan,
            Err(refusal) => return Ok(TokenChanged::Refused(refusal)),
        };
        // The insert comes first, because it is the only write that can fail.
        for write in &plan.writes {
            if let TokenWrite::Insert(token) = write {
                self.0.tokens.add(business, token.clone())?;
            }
        }
        for write in plan.writes {
            match write {
                TokenWrite::Insert(_) => {}
                TokenWrite::Update(TokenRecord { id, expires_at, revoked_at, .. }) => {
                    self.0.tokens.update(business, &id, |record| {
                        (record.expires_at, record.revoked_at) = (expires_at, revoked_at);
                    });
                }
                TokenWrite::Delete(id) => {
                    self.0.tokens.delete(business, &id);
                }
            }
        }
        plan.audit.into_iter().for_each(|entry| state.log(business, entry));
        Ok(TokenChanged::Done(plan.token))
    }

    async fn tokens(&self, business: &BusinessId, window: Window) -> Result<Page<TokenRecord>, StoreError> {
        let mut tokens = self.0.tokens.of(business);
        tokens.reverse();
        Ok(Page::new(window.slice(&tokens).to_vec(), tokens.len() as u64, window))
    }

    async fn token(&self, business: &BusinessId, id: &TokenId) -> Result<Option<TokenRecord>, StoreError> {
        Ok(self.0.tokens.get(business, id))
    }

    async fn audit(&self, business: &BusinessId, window: Window) -> Result<Page<AuditEntry>, StoreError> {
        let state = self.state();
        let mut entries: Vec<&AuditEntry> = state.audit.get(business).into_iter().flatten().collect();
        entries.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        let total = entries.len() as u64;
        let offset = usize::try_from(window.offset()).unwrap_or(usize::MAX);
        let page = entries.into_iter().skip(offset).take(window.limit() as usize).cloned();
        Ok(Page::new(page.collect(), total, window))
    }

    async fn membership(&self, business: &BusinessId, email: &str) -> Result<Option<Membership>, StoreError> {
        Ok(self.state().find_member(business, email).cloned())
    }

    async fn memberships(&self, email: &str) -> Result<Vec<Membership>, StoreError> {
        let key = email_key(email);
        let state = self.state();
        Ok(state.members.iter().filter(|member| email_key(&member.email) == key).cloned().collect())
    }

    async fn add_login_link(
        &self,
        business: &BusinessId,
        link: &LoginLink,
        audit: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut state = self.state();
        if state.find_admin(business, &link.email).is_none() {
            return Ok(false);
        }
        state.links.retain(|_, (_, link)| link.expires_at > audit.at);
        state.links.insert(link.hash, (business.clone(), link.clone()));
        state.log(business, audit.clone());
        Ok(true)
    }

    async fn use_login_link(&self, link: &TokenHash, sign_in: &SignIn) -> Result<SessionStarted, StoreError> {
        let mut state = self.state();
        if state.links.get(link).is_some_and(|(business, _)| state.is_too_fast(business, sign_in.at)) {
            return Ok(SessionStarted::TooFast);
        }
        let found = state.links.remove(link).filter(|(_, link)| link.expires_at > sign_in.at);
        let member = found.and_then(|(business, link)| state.find_admin(&business, &link.email).cloned());
        Ok(state.start(member.as_ref(), sign_in))
    }

    async fn start_session(
        &self,
        business: &BusinessId,
        email: &str,
        sign_in: &SignIn,
    ) -> Result<SessionStarted, StoreError> {
        let mut state = self.state();
        if state.is_too_fast(business, sign_in.at) {
            return Ok(SessionStarted::TooFast);
        }
        let member = state.find_admin(business, email).cloned();
        Ok(state.start(member.as_ref(), sign_in))
    }

    async fn find_session(&self, hash: &TokenHash, now: Timestamp) -> Result<Option<FoundSession>, StoreError> {
        let state = self.state();
        let Some((business, session)) = state.sessions.get(hash) else { return Ok(None) };
        let member = state.find_member(business, &session.email).filter(|_| !session.has_expired(now));
        Ok(member.map(|member| FoundSession::new(session.clone(), member.clone())))
    }

    async fn use_session(&self, business: &BusinessId, id: &SessionId, at: Timestamp) -> Result<(), StoreError> {
        let mut state = self.state();
        let mut sessions = state.sessions.values_mut();
        if let Some((_, session)) = sessions.find(|(owner, session)| owner == business && session.id == *id) {
            session.last_used_at = session.last_used_at.max(at);
        }
        Ok(())
    }

    async fn sessions(&self, business: &BusinessId, now: Timestamp) -> Result<Vec<Session>, StoreError> {
        let state = self.state();
        let own = state.sessions.values().filter(|(owner, session)| owner == business && !session.has_expired(now));
        let mut sessions: Vec<Session> = own.map(|(_, session)| session.clone()).collect();
        sessions.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        Ok(sessions)
    }

    async fn end_session(
        &self,
        business: &BusinessId,
        id: &SessionId,
        at: Timestamp,
        by: &Actor,
    ) -> Result<SessionEnded, StoreError> {
        let mut state = self.state();
        let is_own = by.authority == Authority::Session(id.clone());
        if !is_own && !state.is_confirmed(business, by, at) {
            return Ok(SessionEnded::NotAllowed);
        }
        if state.find(business, id).is_none_or(|session| is_own && email_key(&session.email) != email_key(&by.email)) {
            return Ok(SessionEnded::NotFound);
        }
        state.sessions.retain(|_, (owner, session)| owner != business || session.id != *id);
        let action = if is_own { AuditAction::SignedOut } else { AuditAction::SessionEnded };
        state.log(business, AuditEntry::new(at, action, by.clone()));
        Ok(SessionEnded::Done)
    }
}
