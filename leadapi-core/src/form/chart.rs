//! The pages of a form and the jumps between them, as a picture.

use std::fmt;

use super::{
    plan::{Jump, Questionnaire, Target},
    walk::one_line,
};

impl Questionnaire<'_> {
    /// The pages, the endings and the ways between them, as a flowchart for Mermaid: each rule is an arrow with its
    /// name, and the way that a page leads by itself is one without.
    ///
    /// ```
    /// use leadapi_core::form::{FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[{"id":"a"},{"id":"b"}],
    ///     "logic":{"rules":[{"name":"__fallback__","fromPageId":"a","then":{"kind":"jump","target":"end:e"}}]},
    ///     "settings":{"endings":[{"id":"e"}]}}}"#)?;
    /// let form = record.compile(Version::Draft, &Policy::default());
    /// let lines = ["flowchart TD", r#"  p0["a"]"#, r#"  p1["b"]"#, r#"  e0(["end:e"])"#, "  p0 --> e0", "  p1 --> e0"];
    /// assert_eq!(form.mermaid(), lines.join("\n"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn mermaid(&self) -> String {
        let mut lines = vec!["flowchart TD".to_owned()];
        for (index, page) in self.pages.iter().enumerate() {
            lines.push(format!("  {}[\"{}\"]", Target::Page(index), quoted(page.id.unwrap_or(page.title))));
        }
        for (index, ending) in self.endings.iter().enumerate() {
            lines.push(format!(
                "  {}([\"end:{}\"])",
                Target::Ending(Some(index)),
                quoted(ending.id.unwrap_or_default())
            ));
        }
        if self.endings.is_empty() {
            lines.push(format!("  {}([\"end\"])", Target::Ending(None)));
        }
        for (index, page) in self.pages.iter().enumerate() {
            let from = Target::Page(index);
            let jumps = page.rules.iter().filter_map(|rule| match rule.jump {
                Jump::To(target) => Some((rule, target)),
                Jump::Missing | Jump::Unknown => None,
            });
            let certain = jumps.clone().find(|(rule, _)| rule.is_certain()).map(|(_, target)| target);
            for (rule, target) in jumps.filter(|(rule, _)| !rule.groups.is_empty()) {
                let name = quoted(rule.record.name.as_str().unwrap_or_default());
                lines.push(format!("  {from} -->|\"{name}\"| {target}"));
            }
            lines.push(format!("  {from} --> {}", certain.unwrap_or_else(|| self.after(index))));
        }
        lines.join("\n")
    }
}

/// A text between quotes, where a quote would end it.
fn quoted(text: &str) -> String {
    one_line(text).replace('#', "#35;").replace('"', "#quot;")
}

/// The name of a node.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page(index) => write!(f, "p{index}"),
            Self::Ending(Some(index)) => write!(f, "e{index}"),
            Self::Ending(None) => f.write_str("e"),
        }
    }
}
