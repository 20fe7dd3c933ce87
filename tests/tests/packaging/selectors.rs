//! Finds the metrics and labels in `PromQL` expressions. Supports only the parts of the language that the packaged
//! files use; promtool checks the syntax of these files.

/// A metric and its label matchers: label, operator and value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) name: String,
    pub(crate) matchers: Vec<(String, String, String)>,
}

/// Returns the selectors of leadapi's own metrics, of recorded series and of `up`.
pub(crate) fn selectors(expression: &str) -> Vec<Selector> {
    let is_name = |byte: char| byte.is_ascii_alphanumeric() || byte == '_' || byte == ':';
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(start) = rest.find(is_name) {
        let word = &rest[start..];
        let end = word.find(|byte| !is_name(byte)).unwrap_or(word.len());
        let (name, after) = word.split_at(end);
        rest = after;
        if !(name.starts_with("leadapi_") || name.contains(":leadapi_") || name == "up") {
            continue;
        }
        let braces = after.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        if let Some((_, behind)) = braces {
            rest = behind;
        }
        let matchers = braces.map_or("", |(inside, _)| inside).split(',').filter_map(matcher);
        found.push(Selector { name: name.to_owned(), matchers: matchers.collect() });
    }
    found
}

/// Parses a matcher such as `status="5xx"` or `instance=~"$instance"`.
fn matcher(text: &str) -> Option<(String, String, String)> {
    let (label, value) = text.split_once('"')?;
    let label = label.trim();
    let operator = label.trim_start_matches(|byte: char| byte.is_ascii_alphanumeric() || byte == '_');
    let name = label.trim_end_matches(['=', '!', '~']);
    Some((name.to_owned(), operator.to_owned(), value.trim_end_matches(['"', ' ']).to_owned()))
}

/// Returns the labels in each `by (…)`.
pub(crate) fn grouping_labels(expression: &str) -> Vec<String> {
    let groups = expression.split("by (").skip(1).filter_map(|rest| rest.split_once(')'));
    groups.flat_map(|(labels, _)| labels.split(',')).map(|label| label.trim().to_owned()).collect()
}

/// Returns the names of the series that rules record.
pub(crate) fn recorded(rules: &str) -> Vec<String> {
    rules.lines().filter_map(|line| line.trim().strip_prefix("- record: ")).map(str::to_owned).collect()
}

#[test]
fn selectors_and_grouping_labels_are_found() {
    let expression =
        r#"sum by (job, le) (rate(leadapi_a_total{job="x", wait!="y"}[5m])) / leadapi_b > job:leadapi_c:rate1h"#;
    let matchers = [("job", "=", "x"), ("wait", "!=", "y")];
    let matchers = matchers.map(|(label, operator, value)| (label.into(), operator.into(), value.into())).into();
    let plain = |name: &str| Selector { name: name.into(), matchers: Vec::new() };
    let expected =
        [Selector { name: "leadapi_a_total".into(), matchers }, plain("leadapi_b"), plain("job:leadapi_c:rate1h")];
    assert_eq!(selectors(expression), expected);
    assert_eq!(grouping_labels(expression), ["job", "le"]);
}
