//! The lines and columns of findings in the text of a record.

use std::collections::HashMap;

use leadapi_form::Finding;
use serde::Serialize;
use serde_json::value::RawValue;

/// A position in the text. Lines and columns count from 1, and columns count Unicode code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Position {
    pub line: usize,
    pub column: usize,
}

/// The start and the end of a value. The end is the position after its last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Region {
    #[serde(flatten)]
    pub start: Position,
    #[serde(skip)]
    pub end: Position,
}

/// A finding and its location in the text.
#[derive(Serialize)]
pub(super) struct Located {
    #[serde(flatten)]
    pub finding: Finding,
    #[serde(flatten)]
    pub region: Region,
}

impl Located {
    /// Adds the location to each finding, and sorts the findings by severity and location.
    pub(super) fn all(findings: Vec<Finding>, text: &str) -> Vec<Self> {
        let regions = locate(text, findings.iter().map(|finding| finding.pointer.as_str()));
        let located = findings.into_iter().zip(regions).map(|(finding, region)| Self { finding, region });
        let mut located: Vec<Self> = located.collect();
        located.sort_by_key(|found| (found.finding.severity(), found.region.start.line, found.region.start.column));
        located
    }
}

/// Returns the region of each pointer, in the order of the pointers. If a pointer leads to an absent value, its region
/// is that of the innermost value that exists.
///
/// Each level of the text is parsed once for all pointers, so the time is proportional to the size of the text times
/// the depth of the deepest pointer.
fn locate<'p>(text: &str, pointers: impl IntoIterator<Item = &'p str>) -> Vec<Region> {
    let mut root = Node::default();
    let mut count = 0;
    for pointer in pointers {
        let mut node = &mut root;
        for token in pointer.split('/').skip(1) {
            node = node.children.entry(token.replace("~1", "/").replace("~0", "~")).or_default();
        }
        node.pointers.push(count);
        count += 1;
    }
    let mut spans = vec![(0, 0); count];
    root.visit(text, text.trim(), &mut spans);
    let positions = positions(text, spans.iter().flat_map(|(start, end)| [*start, *end]).collect());
    let position = |offset: usize| {
        let at = positions.binary_search_by_key(&offset, |(offset, _)| *offset);
        at.ok().and_then(|at| positions.get(at)).map_or(Position { line: 1, column: 1 }, |(_, position)| *position)
    };
    spans.iter().map(|(start, end)| Region { start: position(*start), end: position(*end) }).collect()
}

/// A tree of the pointers, with one level for each of their reference tokens.
#[derive(Default)]
struct Node {
    children: HashMap<String, Node>,
    /// The indices of the pointers that end here.
    pointers: Vec<usize>,
}

impl Node {
    /// Sets the spans of all pointers to this value and to values inside it. `value` must be a slice of `text`.
    fn visit(&self, text: &str, value: &str, spans: &mut [(usize, usize)]) {
        let start = value.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        self.set((start, start + value.len()), spans);
        if self.children.is_empty() {
            return;
        }
        // A repeated name stands for its last value, as in a form record.
        if let Ok(members) = serde_json::from_str::<HashMap<String, &RawValue>>(value) {
            for (name, child) in &self.children {
                if let Some(member) = members.get(name) {
                    child.visit(text, member.get(), spans);
                }
            }
        } else if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(value) {
            for (index, child) in &self.children {
                if let Some(element) = index.parse().ok().and_then(|index: usize| elements.get(index)) {
                    child.visit(text, element.get(), spans);
                }
            }
        }
    }

    /// Sets the span of all pointers in this subtree. `visit` then replaces it for each inner value that exists.
    fn set(&self, span: (usize, usize), spans: &mut [(usize, usize)]) {
        for pointer in &self.pointers {
            if let Some(known) = spans.get_mut(*pointer) {
                *known = span;
            }
        }
        self.children.values().for_each(|child| child.set(span, spans));
    }
}

/// Converts byte offsets to positions in one pass over the text. Returns both, sorted by offset.
fn positions(text: &str, mut offsets: Vec<usize>) -> Vec<(usize, Position)> {
    offsets.sort_unstable();
    offsets.dedup();
    let (mut done, mut position) = (0, Position { line: 1, column: 1 });
    let convert = |offset: usize| {
        for c in text.get(done..offset).unwrap_or_default().chars() {
            position = if c == '\n' {
                Position { line: position.line + 1, column: 1 }
            } else {
                Position { line: position.line, column: position.column + 1 }
            };
        }
        done = offset;
        (offset, position)
    };
    offsets.into_iter().map(convert).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        " {\n  \"a\": [1, \"é😀\", {\"b/c\": {}}], \"a~\": true,\n  \"x\": 1, \"x\": {\n    \"y\": null }\n}\n";

    /// Returns the text of each pointer's region.
    fn values(pointers: &[&str]) -> Vec<String> {
        let lines: Vec<Vec<char>> = TEXT.split('\n').map(|line| line.chars().collect()).collect();
        let at = |position: Position| {
            lines[..position.line - 1].iter().map(|line| line.len() + 1).sum::<usize>() + position.column - 1
        };
        let regions = locate(TEXT, pointers.iter().copied());
        let text = |region: Region| TEXT.chars().take(at(region.end)).skip(at(region.start)).collect();
        regions.into_iter().map(text).collect()
    }

    #[test]
    fn each_pointer_has_the_region_of_its_value() {
        let pointers = ["/a/1", "/a/2/b~1c", "/a~0", "/x/y", "/a/0", "/a/1", "/x"];
        let expected = ["\"é😀\"", "{}", "true", "null", "1", "\"é😀\"", "{\n    \"y\": null }"];
        assert_eq!(values(&pointers), expected);
        assert_eq!(values(&[""]), [TEXT.trim()]);
    }

    #[test]
    fn an_absent_value_has_the_region_of_the_innermost_value_that_exists() {
        let pointers = ["/a/2/none", "/a/7", "/a/0/b", "/none/none", "/x/y/z/z"];
        let expected = ["{\"b/c\": {}}", "[1, \"é😀\", {\"b/c\": {}}]", "1", TEXT.trim(), "null"];
        assert_eq!(values(&pointers), expected);
    }

    #[test]
    fn columns_count_code_points() {
        let start = |pointer| locate(TEXT, [pointer])[0].start;
        assert_eq!(start("/a/2"), Position { line: 2, column: 18 });
        assert_eq!(start("/x"), Position { line: 3, column: 16 });
    }
}
