//! The options for ACME, the protocol by which the server obtains its own certificate.

use std::{fmt, path::PathBuf, str::FromStr};

use clap::Args;
use http::{Uri, uri::Scheme};
use rustls::pki_types::DnsName;

use super::super::{CommandError, value::email};
use leadapi_tls::{AcmeSettings, LETS_ENCRYPT, LETS_ENCRYPT_STAGING};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Certificates from Let's Encrypt (ACME)")]
#[allow(clippy::struct_field_names, reason = "the fields have the names of their options")]
pub(super) struct AcmeOptions {
    /// The domain names for which the server obtains and renews its own certificate, in place of --tls-cert and
    /// --tls-key. Let's Encrypt connects to port 443 of each name, so these connections must reach --listen.
    #[arg(long, env = "LEADAPI_ACME_DOMAIN", value_name = "DOMAIN", value_delimiter = ',')]
    acme_domain: Vec<Domain>,
    /// Agree to the terms of service of Let's Encrypt, or of the --acme-directory. Required for --acme-domain.
    #[arg(long, env = "LEADAPI_ACME_AGREE_TOS")]
    acme_agree_tos: bool,
    /// A folder for the key of the ACME account and the certificate with its key. The server creates it, and needs it
    /// at each start, because Let's Encrypt limits how often a certificate may be ordered. Required for --acme-domain.
    #[arg(long, env = "LEADAPI_ACME_CACHE", value_name = "FOLDER")]
    acme_cache: Option<PathBuf>,
    /// The e-mail address of the ACME account.
    #[arg(long, env = "LEADAPI_ACME_EMAIL", value_name = "EMAIL", value_parser = email)]
    acme_email: Option<String>,
    /// Order from the staging environment of Let's Encrypt, which has high limits and whose certificates no browser
    /// trusts.
    #[arg(long, env = "LEADAPI_ACME_STAGING")]
    acme_staging: bool,
    /// The directory of another ACME server. The system must trust its HTTPS certificate.
    #[arg(long, env = "LEADAPI_ACME_DIRECTORY", value_name = "URL")]
    acme_directory: Option<DirectoryUrl>,
}

/// A domain name in lower case.
#[derive(Debug, Clone)]
struct Domain(String);

#[derive(Debug, thiserror::Error)]
#[error("must be a domain name such as leads.example.org; wildcards and IP addresses are not possible")]
struct InvalidDomain;

impl FromStr for Domain {
    type Err = InvalidDomain;

    fn from_str(text: &str) -> Result<Self, InvalidDomain> {
        let is_absolute = text.ends_with('.');
        let name = DnsName::try_from(text).ok().filter(|_| !is_absolute).ok_or(InvalidDomain)?;
        Ok(Self(name.as_ref().to_ascii_lowercase()))
    }
}

/// The HTTPS URL of an ACME directory.
#[derive(Debug, Clone)]
struct DirectoryUrl(Uri);

#[derive(Debug, thiserror::Error)]
#[error("must be an https URL such as {LETS_ENCRYPT}")]
struct InvalidDirectory;

impl FromStr for DirectoryUrl {
    type Err = InvalidDirectory;

    fn from_str(text: &str) -> Result<Self, InvalidDirectory> {
        let url: Uri = text.parse().map_err(|_| InvalidDirectory)?;
        if url.scheme() == Some(&Scheme::HTTPS) { Ok(Self(url)) } else { Err(InvalidDirectory) }
    }
}

impl fmt::Display for DirectoryUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The reason the options are inconsistent or incomplete. clap cannot check this, because its rules for combinations of
/// options ignore the values from a settings file.
#[derive(Debug, thiserror::Error)]
enum InvalidOptions {
    #[error("--acme-domain cannot be used with --tls-cert and --tls-key: the server has one certificate")]
    Files,
    #[error("--acme-staging cannot be used with --acme-directory: the server orders from one directory")]
    Directories,
    #[error("--acme-domain needs --acme-agree-tos: read the terms of service that {0} names, and pass it if you agree")]
    Terms(String),
    #[error("--acme-domain needs --acme-cache: without this folder, each start would order another certificate")]
    Cache,
}

impl AcmeOptions {
    /// Returns the settings, or `None` without a domain. Fails if the options are inconsistent or incomplete.
    pub(super) fn settings(&self, has_files: bool) -> Result<Option<AcmeSettings>, CommandError> {
        if self.acme_domain.is_empty() {
            return Ok(None);
        }
        self.checked(has_files).map(Some).map_err(|error| CommandError::AcmeOptions(error.into()))
    }

    fn checked(&self, has_files: bool) -> Result<AcmeSettings, InvalidOptions> {
        let directory = match (&self.acme_directory, self.acme_staging) {
            (Some(_), true) => return Err(InvalidOptions::Directories),
            (Some(url), false) => url.to_string(),
            (None, true) => LETS_ENCRYPT_STAGING.to_owned(),
            (None, false) => LETS_ENCRYPT.to_owned(),
        };
        if has_files {
            return Err(InvalidOptions::Files);
        }
        if !self.acme_agree_tos {
            return Err(InvalidOptions::Terms(directory));
        }
        let domains = self.acme_domain.iter().map(|Domain(name)| name.clone()).collect();
        let mut settings = AcmeSettings::new(domains, self.acme_cache.clone().ok_or(InvalidOptions::Cache)?);
        settings.email.clone_from(&self.acme_email);
        settings.directory = directory;
        Ok(settings)
    }
}
