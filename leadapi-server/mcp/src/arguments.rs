//! The arguments of a tool call.

use std::ops::RangeInclusive;

use leadapi_core::{
    id::InvalidId,
    model::{InvalidWindow, Window},
};
use serde_json::{Map, Value};

/// The default page size, small because an agent pays for each lead that it reads.
pub(crate) const DEFAULT_LIMIT: u32 = 20;
pub(crate) const MAX_LIMIT: u32 = 100;

/// The arguments that have not been read yet.
#[derive(Debug)]
pub(crate) struct Arguments(Map<String, Value>);

/// The reason the arguments of a call are refused. The agent reads the message and can correct its call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvalidArgument {
    #[error("{0} is required")]
    Missing(&'static str),
    #[error("{0} must be a string")]
    NotText(&'static str),
    #[error("{name}: {source}")]
    Id { name: &'static str, source: InvalidId },
    #[error("{name} must be an integer from {} to {}", range.start(), range.end())]
    Number { name: &'static str, range: RangeInclusive<u64> },
    #[error("unknown argument {0}")]
    Unknown(String),
}

impl Arguments {
    pub(crate) fn new(arguments: Option<Map<String, Value>>) -> Self {
        Self(arguments.unwrap_or_default())
    }

    pub(crate) fn id<T>(
        &mut self,
        name: &'static str,
        parse: fn(&str) -> Result<T, InvalidId>,
    ) -> Result<Option<T>, InvalidArgument> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => parse(&text).map(Some).map_err(|source| InvalidArgument::Id { name, source }),
            Some(_) => Err(InvalidArgument::NotText(name)),
        }
    }

    pub(crate) fn window(&mut self) -> Result<Window, InvalidArgument> {
        let limit = self.number("limit", u64::from(DEFAULT_LIMIT), 1..=u64::from(MAX_LIMIT))?;
        let offset = self.number("offset", 0, InvalidWindow::Offset.range())?;
        let limit = u32::try_from(limit).unwrap_or(MAX_LIMIT);
        Window::new(limit, offset)
            .map_err(|invalid| InvalidArgument::Number { name: invalid.field(), range: invalid.range() })
    }

    fn number(&mut self, name: &'static str, default: u64, range: RangeInclusive<u64>) -> Result<u64, InvalidArgument> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => {
                value.as_u64().filter(|number| range.contains(number)).ok_or(InvalidArgument::Number { name, range })
            }
        }
    }

    /// Returns an error if an argument has not been read. Ignoring a mistyped filter would return the wrong leads.
    pub(crate) fn finish(self) -> Result<(), InvalidArgument> {
        const MAX_CHARS: usize = 64;
        match self.0.into_iter().next() {
            Some((name, _)) => Err(InvalidArgument::Unknown(name.chars().take(MAX_CHARS).collect())),
            None => Ok(()),
        }
    }
}
