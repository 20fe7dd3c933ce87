//! The columns of files that other products export.

mod layouts;
mod usual;

use std::str::FromStr;

use self::{
    layouts::{LAYOUTS, Layout, Rest},
    usual::USUAL,
};
use crate::field::ColumnTarget;

/// A product whose exports have known columns.
///
/// ```
/// use leadapi_import::Profile;
///
/// assert_eq!("hubspot".parse::<Profile>()?, Profile::HubSpot);
/// assert_eq!(Profile::Meta.title(), "Meta Lead Ads");
/// # Ok::<(), leadapi_import::UnknownProfile>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// A download of the leads of Meta Lead Ads. The answers to all further questions go to the notes.
    Meta,
    /// A download of the leads of a Google Ads lead form. The answers to all further questions go to the notes.
    GoogleAds,
    /// An export of HubSpot contacts.
    HubSpot,
    /// A report or an export of Salesforce leads. The footer of a report is skipped.
    Salesforce,
    /// An export of Pipedrive leads, deals or people.
    Pipedrive,
    /// An export of Close leads or contacts. Custom fields go to the notes.
    Close,
    /// An export of a Mailchimp audience. Merge fields go to the notes.
    Mailchimp,
}

/// The way to understand titles that the options do not map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ProfileChoice {
    /// Detects the product from the titles. In any other file, recognizes the titles that are usual in spreadsheets.
    #[default]
    Detect,
    /// Recognizes the titles of this product's exports.
    Named(Profile),
    /// Recognizes only the names of fields.
    FieldNames,
}

/// The error for a string that is not the name of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be {}", Profile::ALL.map(Profile::name).join(", "))]
pub struct UnknownProfile;

/// The meaning of a title in a profile.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meaning {
    Target(ColumnTarget),
    /// The text becomes a line of the notes, with the title.
    Answer,
    Ignored,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 7] =
        [Self::Meta, Self::GoogleAds, Self::HubSpot, Self::Salesforce, Self::Pipedrive, Self::Close, Self::Mailchimp];

    /// Returns the name in one lower-case word.
    ///
    /// ```
    /// assert_eq!(leadapi_import::Profile::GoogleAds.name(), "google-ads");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::GoogleAds => "google-ads",
            Self::HubSpot => "hubspot",
            Self::Salesforce => "salesforce",
            Self::Pipedrive => "pipedrive",
            Self::Close => "close",
            Self::Mailchimp => "mailchimp",
        }
    }

    /// Returns the name of the product.
    ///
    /// ```
    /// assert_eq!(leadapi_import::Profile::GoogleAds.title(), "Google Ads");
    /// ```
    pub const fn title(self) -> &'static str {
        match self {
            Self::Meta => "Meta Lead Ads",
            Self::GoogleAds => "Google Ads",
            Self::HubSpot => "HubSpot",
            Self::Salesforce => "Salesforce",
            Self::Pipedrive => "Pipedrive",
            Self::Close => "Close",
            Self::Mailchimp => "Mailchimp",
        }
    }

    /// Returns the product whose exports have these titles.
    pub(crate) fn recognize<'t>(titles: impl Iterator<Item = &'t str>) -> Option<Self> {
        let titles: Vec<String> = titles.map(plain).collect();
        let has_all = |marks: &&[&str]| marks.iter().all(|mark| titles.iter().any(|title| title == mark));
        Self::ALL.into_iter().find(|profile| profile.layout().marks.iter().any(has_all))
    }

    /// Returns the meaning of a title.
    pub(crate) fn meaning(self, title: &str) -> Meaning {
        let (layout, title) = (self.layout(), plain(title));
        if let Some(target) = target(layout.targets, &title) {
            return Meaning::Target(target);
        }
        let is_answer = layout.answers.contains(&title.as_str())
            || match layout.rest {
                Rest::Answers => !layout.ignored.contains(&title.as_str()),
                Rest::Prefix(prefix) => title.starts_with(prefix),
                Rest::Ignored => false,
            };
        if is_answer { Meaning::Answer } else { Meaning::Ignored }
    }

    /// Returns whether files end with a footer: below a blank row, rows with a single field, which describe the report.
    pub(crate) fn has_footer(self) -> bool {
        self == Self::Salesforce
    }

    fn layout(self) -> &'static Layout {
        match self {
            Self::Meta => &LAYOUTS.meta,
            Self::GoogleAds => &LAYOUTS.google_ads,
            Self::HubSpot => &LAYOUTS.hubspot,
            Self::Salesforce => &LAYOUTS.salesforce,
            Self::Pipedrive => &LAYOUTS.pipedrive,
            Self::Close => &LAYOUTS.close,
            Self::Mailchimp => &LAYOUTS.mailchimp,
        }
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        Self::ALL.into_iter().find(|profile| profile.name() == name).ok_or(UnknownProfile)
    }
}

/// Returns the target of a title that is usual in spreadsheets.
pub(crate) fn usual(title: &str) -> Option<ColumnTarget> {
    target(USUAL, &plain(title))
}

fn target(targets: &[(&str, &str)], title: &str) -> Option<ColumnTarget> {
    let (_, name) = targets.iter().find(|(known, _)| *known == title)?;
    name.parse().ok()
}

fn plain(title: &str) -> String {
    title.trim().to_lowercase().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_of_a_layout_is_a_field_and_every_layout_is_recognized_by_its_marks() {
        for profile in Profile::ALL {
            let layout = profile.layout();
            for (title, name) in layout.targets {
                assert!(name.parse::<ColumnTarget>().is_ok() && plain(title) == *title, "{title}: {name}");
            }
            for marks in layout.marks {
                assert_eq!(Profile::recognize(marks.iter().copied()), Some(profile), "{marks:?}");
            }
            assert_eq!(profile.name().parse(), Ok(profile));
        }
        for (title, name) in USUAL {
            assert!(name.parse::<ColumnTarget>().is_ok() && plain(title) == *title, "{title}: {name}");
        }
        assert_eq!(Profile::recognize(["name", "email", "phone", "created_at"].into_iter()), None);
    }
}
