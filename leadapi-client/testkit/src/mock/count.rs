//! How many times an answer is expected to be used.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    AtLeastOnce,
    Exactly(u64),
    Any,
}

impl Count {
    /// Returns whether the answer may be used again after it has been used `met` times.
    pub(super) const fn allows_more(self, met: u64) -> bool {
        match self {
            Self::AtLeastOnce | Self::Any => true,
            Self::Exactly(count) => met < count,
        }
    }

    pub(super) const fn is_met(self, met: u64) -> bool {
        match self {
            Self::AtLeastOnce => met > 0,
            Self::Exactly(count) => met == count,
            Self::Any => true,
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeastOnce => f.write_str("at least once"),
            Self::Any => f.write_str("any number of times"),
            Self::Exactly(count) => write!(f, "exactly {}", times(*count)),
        }
    }
}

/// Formats a count in words, such as "twice".
pub(super) fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}

/// Formats in words how many times an answer was used.
pub(super) fn met(count: u64) -> String {
    if count == 0 { "never met".to_owned() } else { format!("met {}", times(count)) }
}
