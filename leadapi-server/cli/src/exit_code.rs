//! The exit codes of failed commands.

use leadapi_core::{
    admin::{AdminError, AdminRefusal},
    tokens::TokenError,
};

use super::CommandError;

/// A command failed, or reported findings.
const FAILURE: u8 = 1;
/// A setting or an argument is invalid. clap uses this code for the errors that it finds. A service manager must not
/// restart a server that exits with it, because a setting does not become valid on its own.
const USAGE: u8 = 2;
/// A form record or an answers file cannot be read or parsed.
const UNREADABLE: u8 = 4;

impl CommandError {
    /// Returns the exit code for this error. Scripts can distinguish an invalid command line from a failure, an
    /// unreadable file from findings, and refused rows from a failed import.
    #[must_use]
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::ReadForm { .. } | Self::Form { .. } | Self::Answers { .. } => UNREADABLE,
            Self::Csv(error) => error.exit_code(),
            other if other.is_usage() => USAGE,
            _ => FAILURE,
        }
    }

    /// Returns whether the cause is a setting or an argument.
    fn is_usage(&self) -> bool {
        match self {
            Self::InsecureHttp(_)
            | Self::InsecureOps(_)
            | Self::InsecureAdmin(_)
            | Self::AdminUrl
            | Self::HalfTls
            | Self::Tls(_)
            | Self::Log(_)
            | Self::BasePath(_)
            | Self::SecretsExist(_)
            | Self::NotGiven(_)
            | Self::Window(_)
            | Self::Scope(_)
            | Self::Setting(_) => true,
            #[cfg(feature = "acme")]
            Self::AcmeOptions(_) => true,
            #[cfg(feature = "otlp")]
            Self::Traces(_) => true,
            #[cfg(feature = "redis")]
            Self::LimiterServers => true,
            #[cfg(feature = "mcp")]
            Self::NoMcpToken => true,
            Self::Token(error) => matches!(error, TokenError::Name(_) | TokenError::Expired | TokenError::Overlap),
            Self::Admin(AdminError::Refused(refusal)) => matches!(
                refusal,
                AdminRefusal::Name(_)
                    | AdminRefusal::Email(_)
                    | AdminRefusal::NoStages
                    | AdminRefusal::Position { .. }
                    | AdminRefusal::SameStage
            ),
            Self::Lookup(error) => error.is_usage(),
            _ => false,
        }
    }
}
