//! Records of calls, and a checker that decides whether a correct service could have given the recorded responses.
//!
//! Each lead belongs to one caller, which sends its calls one after another. The checker therefore tracks only the set
//! of states in which a lead can be. A call without a definite response may have taken effect, or may take effect
//! later.

mod calls;

use std::collections::{BTreeMap, BTreeSet};

pub use calls::Calls;

/// A call that concerns one lead. The lead's name is its idempotency key, and its value starts at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Creates the lead, or replays its creation.
    Create,
    /// Reads the lead.
    Read,
    /// Sets the value.
    Update(u64),
    /// Deletes the lead.
    Delete,
}

/// The response to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// The id of the lead, created by this call or a previous one.
    Created(String),
    /// The lead's value after a read or an update.
    Value(u64),
    /// The lead was deleted by this call.
    Deleted,
    /// There is no such lead.
    NotFound,
    /// A 500, a timeout or a broken connection.
    Unknown,
    /// A status that these calls must never receive.
    Unexpected(u16),
}

/// The calls for one lead in the order in which they were sent.
pub type History = Vec<(Call, Response)>;

/// A lead in the final list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The id.
    pub id: String,
    /// The name, which is also the idempotency key.
    pub name: String,
    /// The value.
    pub value: u64,
}

/// A violation of the service's guarantees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// The final list does not reflect the acknowledged writes to a lead.
    Lost(String),
    /// Two leads share one key, or the total differs from the number of leads.
    Doubled(String),
    /// A response that no possible state allows, or a listed lead that no caller created or whose id is wrong.
    False(String),
}

/// The value of a lead, or `None` after its deletion.
type State = Option<u64>;

/// The id and the possible states of one lead, according to its history.
#[derive(Debug, Default)]
struct Knowledge {
    /// The id from the first acknowledged create.
    id: Option<String>,
    /// The possible states once the create is acknowledged.
    possible: BTreeSet<State>,
    /// The states that calls without a definite response may still produce.
    late: BTreeSet<State>,
}

impl Knowledge {
    /// Replays one call. Returns an explanation if no possible state allows the response.
    fn replay(&mut self, call: Call, response: &Response) -> Option<String> {
        if let (Call::Create, Response::Created(id)) = (call, response) {
            return match &self.id {
                Some(first) if first != id => Some(format!("a replay returned the lead {id} instead of {first}")),
                Some(_) => None,
                None => {
                    self.id = Some(id.clone());
                    self.narrow([Some(0)]);
                    None
                }
            };
        }
        let exists = self.possible.iter().any(Option::is_some);
        let allowed = match (call, response) {
            (_, Response::Unknown) => {
                match call {
                    Call::Update(value) => drop(self.late.insert(Some(value))),
                    Call::Delete => drop(self.late.insert(None)),
                    Call::Create | Call::Read => {}
                }
                self.narrow(self.possible.clone());
                return None;
            }
            (Call::Read, Response::Value(value)) => {
                self.possible.contains(&Some(*value)).then(|| self.narrow([Some(*value)]))
            }
            (Call::Update(new), Response::Value(value)) => (exists && new == *value).then(|| self.narrow([Some(new)])),
            (Call::Delete, Response::Deleted) => exists.then(|| self.narrow([None])),
            (Call::Read | Call::Update(_) | Call::Delete, Response::NotFound) => {
                self.possible.contains(&None).then(|| self.narrow([None]))
            }
            _ => None,
        };
        allowed
            .is_none()
            .then(|| format!("{call:?} returned {response:?}, but the possible states were {:?}", self.possible))
    }

    /// Sets the possible states, and adds the states that late calls can produce from them.
    fn narrow(&mut self, states: impl IntoIterator<Item = State>) {
        self.possible = states.into_iter().collect();
        // No late call can change a deleted lead.
        if self.possible.iter().any(Option::is_some) {
            self.possible.extend(&self.late);
        }
    }
}

/// Checks all histories, keyed by name, against the final list and its total.
pub fn check(histories: &BTreeMap<String, History>, listed: &[Listed], total: u64) -> Vec<Violation> {
    let mut violations = Vec::new();
    if total != listed.len() as u64 {
        violations.push(Violation::Doubled(format!("the total is {total}, but the list has {} leads", listed.len())));
    }
    let mut by_name: BTreeMap<&str, &Listed> = BTreeMap::new();
    for lead in listed {
        if by_name.insert(&lead.name, lead).is_some() {
            violations.push(Violation::Doubled(format!("two leads have the name {}", lead.name)));
        }
        if !histories.contains_key(&lead.name) {
            violations.push(Violation::False(format!("nobody created {}", lead.name)));
        }
    }
    for (name, history) in histories {
        let mut known = Knowledge::default();
        for (call, response) in history {
            let wrong = known.replay(*call, response);
            violations.extend(wrong.map(|wrong| Violation::False(format!("{name}: {wrong}"))));
        }
        // If no create was acknowledged, the lead may or may not exist.
        let Some(id) = known.id else { continue };
        let found = by_name.get(name.as_str());
        let state = found.map(|lead| lead.value);
        if !known.possible.contains(&state) {
            violations.push(Violation::Lost(format!("{name} is {state:?} instead of one of {:?}", known.possible)));
        } else if found.is_some_and(|lead| lead.id != id) {
            violations.push(Violation::False(format!("{name} has a different id than in the response")));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::{
        Call::{Create, Delete, Read, Update},
        Response::{Created, Deleted, NotFound, Unexpected, Unknown, Value},
        Violation::{Doubled, False, Lost},
        *,
    };

    fn created() -> (Call, Response) {
        (Create, Created("1".to_owned()))
    }

    fn lead(id: &str, value: u64) -> Listed {
        Listed { id: id.to_owned(), name: "a".to_owned(), value }
    }

    fn check_one(history: &[(Call, Response)], listed: &[Listed]) -> Vec<Violation> {
        check(&BTreeMap::from([("a".to_owned(), history.to_vec())]), listed, listed.len() as u64)
    }

    #[test]
    fn correct_histories_pass() {
        for (history, listed) in [
            (vec![created()], vec![lead("1", 0)]),
            (vec![(Create, Unknown), created()], vec![lead("1", 0)]),
            (vec![(Create, Unknown)], vec![]),
            (vec![(Create, Unknown)], vec![lead("7", 0)]),
            (vec![created(), created(), (Update(1), Value(1)), (Read, Value(1))], vec![lead("1", 1)]),
            (vec![created(), (Delete, Deleted), (Read, NotFound), (Delete, NotFound)], vec![]),
            (vec![created(), (Delete, Unknown), (Read, Value(0))], vec![]),
            (vec![created(), (Delete, Unknown), (Delete, NotFound), (Read, NotFound)], vec![]),
            // The update without a response takes effect after the acknowledged update.
            (vec![created(), (Update(1), Unknown), (Update(2), Value(2)), (Read, Value(1))], vec![lead("1", 1)]),
            (vec![created(), (Update(1), Unknown), (Read, Value(0))], vec![lead("1", 1)]),
        ] {
            assert_eq!(check_one(&history, &listed), [], "{history:?}");
        }
    }

    #[test]
    fn a_lost_write_is_found() {
        for (history, listed) in [
            (vec![created()], vec![]),
            (vec![(Create, Unknown), created()], vec![]),
            (vec![created(), (Update(1), Value(1))], vec![lead("1", 0)]),
            (vec![created(), (Update(1), Unknown), (Update(2), Value(2))], vec![lead("1", 0)]),
            (vec![created(), (Update(1), Unknown)], vec![]),
            (vec![created(), (Delete, Deleted)], vec![lead("1", 0)]),
            (vec![created(), (Update(1), Unknown), (Delete, Deleted)], vec![lead("1", 1)]),
        ] {
            assert!(matches!(check_one(&history, &listed)[..], [Lost(_)]), "{history:?}");
        }
    }

    #[test]
    fn a_doubled_write_is_found() {
        assert!(matches!(check_one(&[created()], &[lead("1", 0), lead("1", 0)])[..], [Doubled(_)]));
        assert!(matches!(check_one(&[(Create, Unknown)], &[lead("1", 0), lead("2", 0)])[..], [Doubled(_)]));
        let histories = BTreeMap::from([("a".to_owned(), vec![created()])]);
        assert!(matches!(check(&histories, &[lead("1", 0)], 2)[..], [Doubled(_)]));
    }

    #[test]
    fn a_false_response_is_found() {
        for (history, listed) in [
            (vec![created(), (Read, NotFound)], vec![lead("1", 0)]),
            (vec![created(), (Update(1), NotFound)], vec![lead("1", 0)]),
            (vec![created(), (Update(1), Unknown), (Delete, NotFound)], vec![lead("1", 0)]),
            (vec![created(), (Read, Value(1))], vec![lead("1", 0)]),
            (vec![created(), (Update(1), Value(1)), (Read, Value(0))], vec![lead("1", 1)]),
            (vec![created(), (Update(1), Value(0))], vec![lead("1", 0)]),
            (vec![created(), (Delete, Deleted), (Read, Value(0))], vec![]),
            (vec![created(), (Delete, Deleted), (Delete, Deleted)], vec![]),
            (vec![created(), (Create, Created("2".to_owned()))], vec![lead("1", 0)]),
            (vec![(Create, Unexpected(400)), created()], vec![lead("1", 0)]),
            (vec![created()], vec![lead("2", 0)]),
        ] {
            assert!(matches!(check_one(&history, &listed)[..], [False(_)]), "{history:?}");
        }
        assert!(matches!(check(&BTreeMap::new(), &[lead("1", 0)], 1)[..], [False(_)]));
    }
}
