//! The two versions of a form: the published version and the draft.

use super::Questionnaire;
use crate::{Ending, Field, Form, FormRecord, List, Logic, Page, Question, Rule, Settings, Theme};

/// A version of a form (contract 2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// The published version, `live_snapshot`, which visitors see. A form without a snapshot, or with an empty one
    /// (`{}`), was never published.
    Live,
    /// The version that the author is editing.
    Draft,
}

impl<'r> Questionnaire<'r> {
    /// Returns the version that was compiled. If [`Version::Live`] was requested for a form that was never published,
    /// this is [`Version::Draft`].
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str("{}")?;
    /// assert_eq!(Questionnaire::compile(&record, Version::Live, &Policy::default()).version(), Version::Draft);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn version(&self) -> Version {
        self.source.version
    }

    /// Returns whether the form accepts answers. The default is true. The host must check this setting, because a walk
    /// does not.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"is_active":false}}"#)?;
    /// assert!(!Questionnaire::compile(&record, Version::Live, &Policy::default()).is_active());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn is_active(&self) -> bool {
        self.source.form.is_none_or(|form| form.is_active.get() != Some(&false))
    }

    /// Returns the presentation settings of the compiled version.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r##"{"form":{"theme":{"bgColor":"#FFFFFF"}}}"##)?;
    /// let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
    /// assert_eq!(form.theme().and_then(|theme| theme.bg_color.as_str()), Some("#FFFFFF"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn theme(&self) -> Option<&'r Theme> {
        self.source.theme
    }

    /// Returns the settings of the compiled version.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"settings":{"allowBack":false}}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
    /// assert_eq!(form.settings().and_then(|settings| settings.allow_back.get()), Some(&false));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn settings(&self) -> Option<&'r Settings> {
        self.source.settings
    }

    /// Returns the locale that selects the language of texts and the formats of answers: the
    /// [locale of the policy](crate::Policy::locale), or else the `locale` of the form, or else the first of the form's
    /// `languages`.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"languages":["de","en"]}}"#)?;
    /// let mut policy = Policy::default();
    /// assert_eq!(Questionnaire::compile(&record, Version::Live, &policy).locale(), Some("de"));
    /// policy.locale = Some("en-GB".into());
    /// assert_eq!(Questionnaire::compile(&record, Version::Live, &policy).locale(), Some("en-GB"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn locale(&self) -> Option<&str> {
        self.policy.locale.as_deref()
    }
}

/// The parts of a version, regardless of where the record stores them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'r> {
    pub record: &'r FormRecord,
    pub form: Option<&'r Form>,
    pub version: Version,
    pub logic: Option<&'r Logic>,
    pub settings: Option<&'r Settings>,
    pub theme: Option<&'r Theme>,
    pub confirmation: &'r Field<String>,
    pages: Option<&'r List<Page>>,
}

impl<'r> Source<'r> {
    pub(super) fn new(record: &'r FormRecord, version: Version) -> Self {
        let form = record.form.get();
        let live = form.and_then(Form::published).filter(|_| version == Version::Live);
        let (logic, settings, theme) = match (live, form) {
            (Some(live), _) => (live.logic.get(), live.settings.get(), live.theme.get()),
            (None, Some(form)) => (form.logic.get(), form.settings.get(), form.theme.get()),
            (None, None) => (None, None, None),
        };
        Self {
            record,
            form,
            version: if live.is_some() { Version::Live } else { Version::Draft },
            logic,
            settings,
            theme,
            confirmation: live
                .map(|live| &live.confirmation_message)
                .or_else(|| form.map(|form| &form.confirmation_message))
                .unwrap_or(&Field::Absent),
            pages: live.map(|live| &live.pages).or_else(|| form.map(|form| &form.pages)),
        }
    }

    /// Returns the JSON pointer to the object that contains the version.
    pub(crate) fn pointer(&self) -> &'static str {
        match self.version {
            Version::Live => "/form/live_snapshot",
            Version::Draft => "/form",
        }
    }

    /// Returns the pages, each with its index. A form without pages but with top-level fields has a single page without
    /// an index. A snapshot contains no top-level fields, so both versions use the form's top-level fields.
    pub(crate) fn pages(&self) -> Vec<(Option<usize>, Option<&'r Page>)> {
        let pages: Vec<_> =
            self.pages.into_iter().flat_map(crate::entries).map(|(at, page)| (Some(at), Some(page))).collect();
        let fields = self.form.is_some_and(|form| form.fields.items().next().is_some());
        if pages.is_empty() && fields { vec![(None, None)] } else { pages }
    }

    /// Returns the rules, each with its index.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (usize, &'r Rule)> + use<'r> {
        self.logic.into_iter().flat_map(|logic| crate::entries(&logic.rules))
    }

    /// Returns the endings, each with its index.
    pub(crate) fn endings(&self) -> impl Iterator<Item = (usize, &'r Ending)> + use<'r> {
        self.settings.into_iter().flat_map(|settings| crate::entries(&settings.endings))
    }

    /// Returns the questions of a page, or the top-level fields.
    pub(crate) fn fields(&self, page: Option<&'r Page>) -> &'r List<Question> {
        const NONE: &List<Question> = &Field::Absent;
        page.map(|page| &page.fields).or_else(|| self.form.map(|form| &form.fields)).unwrap_or(NONE)
    }
}
