//! Findings as a SARIF 2.1.0 log, which code scanning services and editors display.

use std::path::{Component, Path};

use leadapi_form::{Code, Severity};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::location::Located;

/// The characters to percent-encode in a path segment of a URI: all except the unreserved characters of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns a log with one run. Its rules are the codes that occur.
pub(super) fn log(path: &Path, findings: &[Located]) -> Value {
    let occurs = |code: &&Code| findings.iter().any(|found| found.finding.code == **code);
    let codes: Vec<Code> = Code::ALL.iter().filter(occurs).copied().collect();
    let repository = env!("CARGO_PKG_REPOSITORY");
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "leadapi",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": repository,
                "rules": codes.iter().map(|code| rule(*code, repository)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(|found| result(&uri(path), found, &codes)).collect::<Vec<_>>(),
        }],
    })
}

fn rule(code: Code, repository: &str) -> Value {
    let severity = if code.severity() == Severity::Note { "recommendation" } else { code.severity().as_str() };
    json!({
        "id": code.as_str(),
        "shortDescription": {"text": code.meaning().split_inclusive(". ").next().map(str::trim_end)},
        "fullDescription": {"text": code.meaning()},
        "help": {"text": code.fix(), "markdown": code.fix()},
        "helpUri": format!("{repository}/blob/main/leadapi-core/form/FINDINGS.md"),
        "defaultConfiguration": {"level": code.severity().as_str()},
        // GitHub shows this severity and filters by it.
        "properties": {"problem.severity": severity},
    })
}

fn result(uri: &str, found: &Located, codes: &[Code]) -> Value {
    let finding = &found.finding;
    let (start, end) = (found.region.start, found.region.end);
    json!({
        "ruleId": finding.code.as_str(),
        "ruleIndex": codes.iter().position(|code| *code == finding.code),
        "level": finding.severity().as_str(),
        "message": {"text": format!("{}. {}", finding.message, finding.fix)},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri},
                "region": {
                    "startLine": start.line,
                    "startColumn": start.column,
                    "endLine": end.line,
                    "endColumn": end.column,
                },
            },
            "logicalLocations": [{"fullyQualifiedName": finding.pointer}],
        }],
        "properties": {"fix": finding.fix, "witness": finding.witness, "count": finding.count},
    })
}

/// Returns the path as a URI reference: relative to the current folder, or a `file` URI for an absolute path.
fn uri(path: &Path) -> String {
    if path == Path::new("-") {
        return "stdin".to_owned();
    }
    let segment = |component: Component<'_>| match component {
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        Component::ParentDir => Some("..".to_owned()),
        Component::Normal(name) => Some(utf8_percent_encode(&name.to_string_lossy(), SEGMENT).to_string()),
    };
    let segments = path.components().filter_map(segment).collect::<Vec<_>>().join("/");
    if path.is_absolute() { format!("file:///{segments}") } else { segments }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uri_references() {
        for (path, expected) in [
            ("form.json", "form.json"),
            ("./a b/ü.json", "a%20b/%C3%BC.json"),
            ("../x/50%#?.json", "../x/50%25%23%3F.json"),
            ("/srv/a:b.json", "file:///srv/a%3Ab.json"),
            ("-", "stdin"),
        ] {
            assert_eq!(uri(Path::new(path)), expected);
        }
    }
}
