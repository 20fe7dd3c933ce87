//! The routes between pages and endings, regardless of answers.

use super::plan::{Jump, Questionnaire, Target};

/// A possible route out of a page. A walk takes it if a rule matches, or by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Route {
    /// The index of the page in [`Questionnaire::pages`].
    pub from: usize,
    /// The target of the route.
    pub to: RouteEnd,
    /// The index of the rule in the `logic.rules` of the compiled version, or `None` for the default route.
    pub rule: Option<usize>,
}

/// The target of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RouteEnd {
    /// The index of a page in [`Questionnaire::pages`].
    Page(usize),
    /// The index of an ending in [`Questionnaire::endings`], or `None` for the built-in confirmation.
    Ending(Option<usize>),
}

impl From<Target> for RouteEnd {
    fn from(target: Target) -> Self {
        match target {
            Target::Page(page) => Self::Page(page),
            Target::Ending(ending) => Self::Ending(ending),
        }
    }
}

impl<'r> Questionnaire<'r> {
    /// Iterates over the ids of the endings, in order. Yields `None` for an ending whose id is missing or a duplicate.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"settings":{"endings":[{"id":"e"},{}]}}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// assert_eq!(form.endings().collect::<Vec<_>>(), [Some("e"), None]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn endings(&self) -> impl Iterator<Item = Option<&'r str>> {
        self.endings.iter().map(|ending| ending.id)
    }

    /// Returns the routes from each page, in the order in which a walk tries them.
    ///
    /// Omits the rules that no walk follows: rules after an unconditional fallback, rules without conditions that are
    /// not the fallback, and rules whose action is unknown or whose target does not exist.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, RouteEnd, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[{"id":"a"},{"id":"b"}]}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// let routes: Vec<_> = form.routes().into_iter().map(|route| (route.from, route.to, route.rule)).collect();
    /// assert_eq!(routes, [(0, RouteEnd::Page(1), None), (1, RouteEnd::Ending(None), None)]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn routes(&self) -> Vec<Route> {
        let mut routes = Vec::new();
        for (from, page) in self.pages.iter().enumerate() {
            let mut is_left_by_rule = false;
            for rule in page.rules.iter().filter(|rule| rule.can_match()) {
                let Jump::To(target) = rule.jump else { continue };
                routes.push(Route { from, to: target.into(), rule: Some(rule.at) });
                is_left_by_rule = rule.is_unconditional();
                if is_left_by_rule {
                    break;
                }
            }
            if !is_left_by_rule {
                routes.push(Route { from, to: self.after(from).into(), rule: None });
            }
        }
        routes
    }
}
