//! `form paths` and `form graph`: print the paths and routes of a form.

use leadapi_form::{Path, PathEnd, Questionnaire, RouteEnd};
use serde_json::{Value, json};

use super::input::FormFile;
use crate::{
    CommandError,
    escape::{escape, escape_json},
    output::{Format, table},
};

/// The maximum number of paths to list.
const MAX_PATHS: usize = 1_000;

/// Prints at most [`MAX_PATHS`] paths through the form, with answers for each path.
pub(super) fn paths(form: &FormFile) -> Result<(), CommandError> {
    form.with(|form, format| {
        let ids: Vec<Option<&str>> = form.pages().collect();
        let id = |index: &usize| ids.get(*index).copied().flatten();
        let found = form.paths(MAX_PATHS);
        let data = found.paths.iter().map(|path| {
            let (outcome, ending, again) = match path.end {
                PathEnd::Ending(id) => ("finished", id, None),
                PathEnd::Loop(page) => ("endless", None, Some(page)),
                _ => ("unknown", None, None),
            };
            json!({
                "pages": path.pages.iter().map(id).collect::<Vec<_>>(),
                "places": path.pages,
                "outcome": outcome,
                "ending": ending,
                "again": again.as_ref().and_then(id),
                "uncertain": path.uncertain,
                "answers": path.answers,
            })
        });
        let row = |path: &Path<'_>| {
            let mut stops: Vec<String> = path.pages.iter().map(|index| name(id(index), *index)).collect();
            stops.push(match path.end {
                PathEnd::Ending(id) => format!("end:{}", escape(id.unwrap_or_default())),
                PathEnd::Loop(index) => format!("{} again", name(id(&index), index)),
                _ => String::new(),
            });
            let uncertain = if path.uncertain { " (uncertain)" } else { "" };
            let answers = serde_json::to_string(&path.answers).unwrap_or_default();
            [format!("{}{uncertain}", stops.join(" > ")), escape_json(&answers).into_owned()]
        };
        if format.is_json() {
            let data: Vec<Value> = data.collect();
            format.print(&json!({"complete": found.complete, "paths": data}), String::new)?;
        } else {
            format.print(&(), || table(["path", "answers"], found.paths.iter().map(row)))?;
        }
        if found.complete { Ok(()) } else { Err(CommandError::MorePaths) }
    })
}

/// Prints the form as a flowchart.
pub(super) fn graph(form: &FormFile) -> Result<(), CommandError> {
    form.with(|form, format| {
        let chart = form.mermaid();
        if format.is_json() {
            print_routes(form, format, &chart)
        } else {
            format.print(&(), || chart.trim_end().to_owned())
        }
    })
}

fn print_routes(form: &Questionnaire<'_>, format: Format, chart: &str) -> Result<(), CommandError> {
    let ids: Vec<Option<&str>> = form.pages().collect();
    let routes = form.routes().into_iter().map(|route| {
        let (page, ending) = match route.to {
            RouteEnd::Page(page) => (Some(page), None),
            RouteEnd::Ending(ending) => (None, ending),
            _ => (None, None),
        };
        json!({"from": route.from, "to_page": page, "to_ending": ending, "rule": route.rule})
    });
    let routes: Vec<Value> = routes.collect();
    let endings: Vec<Option<&str>> = form.endings().collect();
    format.print(&json!({"pages": ids, "endings": endings, "routes": routes, "mermaid": chart}), String::new)
}

/// Returns the name of a page: its id, or its number if it has none.
pub(super) fn name(id: Option<&str>, index: usize) -> String {
    id.map_or_else(|| format!("page {}", index + 1), |id| escape(id).into_owned())
}
