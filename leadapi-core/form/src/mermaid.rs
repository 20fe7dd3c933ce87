//! Mermaid flowcharts of a form's pages, endings and routes.

use std::{
    collections::HashMap,
    fmt::{self, Write},
};

use leadapi_model::text::is_unsafe;

use super::{
    plan::{EndingPlan, PagePlan, Questionnaire, RulePlan},
    route::RouteEnd,
};

impl Questionnaire<'_> {
    /// Returns a [Mermaid](https://mermaid.js.org) flowchart of the pages, the endings and the routes between them.
    ///
    /// The route of a rule is labeled with the name of the rule. Default routes and the routes of fallbacks have no
    /// label. [`routes`](Self::routes) returns the same routes as data.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{
    ///     "pages":[{"id":"a","title":"Who?","fields":[{"id":"q"}]},{"id":"b"}],
    ///     "logic":{"rules":[{"name":"said nothing","fromPageId":"a","then":{"kind":"jump","target":"end:e"},
    ///         "groups":[{"op":"AND","conds":[{"fieldId":"q","op":"equals","value":"-"}]}],"outerOp":"OR"}]},
    ///     "settings":{"endings":[{"id":"e","title":"Thanks"}]}}}"#)?;
    /// let chart = Questionnaire::compile(&record, Version::Draft, &Policy::default()).mermaid();
    /// assert_eq!(chart, r#"flowchart TD
    ///     page1["Who?"]
    ///     page2["b"]
    ///     end1(["Thanks"])
    ///     page1 -->|"said nothing"| end1
    ///     page1 --> page2
    ///     page2 --> end1
    /// "#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn mermaid(&self) -> String {
        let mut chart = String::new();
        // Writing to a string cannot fail.
        self.write_mermaid(&mut chart).unwrap_or_default();
        chart
    }

    fn write_mermaid(&self, chart: &mut String) -> fmt::Result {
        writeln!(chart, "flowchart TD")?;
        for (page, index) in self.pages.iter().zip(1..) {
            writeln!(chart, "    page{index}[\"{}\"]", Quoted(page_label(page)))?;
        }
        for (ending, index) in self.endings.iter().zip(1..) {
            writeln!(chart, "    end{index}([\"{}\"])", Quoted(ending_label(ending)))?;
        }
        if self.endings.is_empty() {
            writeln!(chart, "    end([\"confirmation\"])")?;
        }
        let rules = self.pages.iter().flat_map(|page| &page.rules).map(|rule| (rule.at, rule));
        let rules: HashMap<usize, &RulePlan<'_>> = rules.collect();
        for route in self.routes() {
            let (from, to) = (route.from + 1, NodeId(route.to));
            let rule = route.rule.and_then(|at| rules.get(&at)).filter(|rule| !rule.fallback);
            match rule.and_then(|rule| rule.record.name.as_str()).filter(|name| !name.is_empty()) {
                Some(name) => writeln!(chart, "    page{from} -->|\"{}\"| {to}", Quoted(name))?,
                None => writeln!(chart, "    page{from} --> {to}")?,
            }
        }
        Ok(())
    }
}

fn page_label<'p>(page: &'p PagePlan<'_>) -> &'p str {
    if page.title.is_empty() { page.id.unwrap_or("page") } else { &page.title }
}

fn ending_label<'p>(ending: &'p EndingPlan<'_>) -> &'p str {
    let names = [ending.title.as_deref(), ending.heading.as_deref(), ending.id];
    names.into_iter().flatten().find(|name| !name.is_empty()).unwrap_or("ending")
}

/// The id of a page's or an ending's node in the chart.
struct NodeId(RouteEnd);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            RouteEnd::Page(index) => write!(f, "page{}", index + 1),
            RouteEnd::Ending(Some(index)) => write!(f, "end{}", index + 1),
            RouteEnd::Ending(None) => f.write_str("end"),
        }
    }
}

/// A quoted label. Characters with a special meaning in Mermaid or HTML are written as numeric entities.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            c if c.is_control() => f.write_char(' '),
            // Unsafe characters are escaped too, because people may read the chart's source in a terminal.
            c if is_unsafe(c) || matches!(c, '"' | '#' | '&' | '<' | '>' | '`' | ';') => {
                write!(f, "#{};", u32::from(c))
            }
            c => f.write_char(c),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{FormRecord, Policy, Questionnaire, Version};

    fn chart(form: &str) -> String {
        let record: FormRecord = serde_json::from_str(form).unwrap();
        Questionnaire::compile(&record, Version::Draft, &Policy::default()).mermaid()
    }

    #[test]
    fn titles_are_escaped() {
        let hostile = r#"{"form":{"pages":[{"title":"a\"]\nend1 --> b; <b>&#`"}]}}"#;
        assert_eq!(
            chart(hostile),
            "flowchart TD\n    page1[\"a#34;] end1 --#62; b#59; #60;b#62;#38;#35;#96;\"]\n    end([\"confirmation\"])\n    page1 --> end\n"
        );
    }

    #[test]
    fn bidirectional_controls_are_escaped() {
        let chart = chart(r#"{"form":{"pages":[{"title":"a\u202eb\u2066"}]}}"#);
        assert!(chart.contains("page1[\"a#8238;b#8294;\"]"), "{chart}");
    }

    #[test]
    fn unreachable_and_dangling_routes_are_omitted() {
        let form = r#"{"form":{"pages":[{"id":"a"},{"id":"b"},{"id":"c"}],"logic":{"rules":[
            {"name":"__fallback__","fromPageId":"a","then":{"kind":"jump","target":"c"},"groups":[],"outerOp":"OR"},
            {"name":"nowhere","fromPageId":"b","then":{"kind":"jump","target":"x"},
             "groups":[{"op":"AND","conds":[{"fieldId":"q","op":"is_filled"}]}],"outerOp":"OR"}]}}}"#;
        let routes: Vec<_> =
            chart(form).lines().filter(|line| line.contains("-->")).map(|route| route.trim().to_owned()).collect();
        assert_eq!(routes, ["page1 --> page3", "page2 --> page3", "page3 --> end"]);
    }
}
