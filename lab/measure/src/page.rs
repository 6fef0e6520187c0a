//! The HTML page: the built report with the session's data put in its place.

mod data;
mod plain;

use anyhow::{Result, bail};

pub use data::{Entry, Page, Traces};
pub use plain::text;

const TEMPLATE: &str = include_str!(env!("HEAPSMITH_REPORT_TEMPLATE"));
const OPENING: &str = r#"<script type="application/json" id="heapsmith-data">"#;
const TRACES: &str = r#"<script type="application/json" id="heapsmith-traces">"#;
const EMPTY: &str = "null</script>";
/// The place of the tables for readers without scripts.
const TABLES: &str = "<!-- heapsmith: tables -->";

/// Now, as RFC 3339 writes it.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

/// The page of results, of traces, or of both.
pub fn render(page: Option<&Page>, traces: Option<&Traces>) -> Result<String> {
    let mut html = TEMPLATE.to_string();
    let mut tables = String::new();
    // Only the template's own marks count: data cannot contain a `<`.
    if let Some(page) = page {
        html = fill(&html, OPENING, &escape(&serde_json::to_string(page)?))?;
        tables += &plain::render(page);
    }
    if let Some(traces) = traces {
        html = fill(&html, TRACES, &escape(&traces.json))?;
        tables += &traces.tables;
    }
    Ok(html.replacen(TABLES, &tables, 1))
}

/// Inside a script element only `<` can end the element or open a comment; in JSON it occurs in
/// strings alone, where its escape means the same.
fn escape(json: &str) -> String {
    json.replace('<', r"\u003c")
}

fn fill(template: &str, opening: &str, json: &str) -> Result<String> {
    let placeholder = [opening, EMPTY].concat();
    match template.matches(&placeholder).count() {
        1 => Ok(template.replacen(&placeholder, &[opening, json, "</script>"].concat(), 1)),
        found => bail!("the built report has {found} places for its data, not one"),
    }
}

#[cfg(test)]
mod tests {
    //! Filling and escaping; the real template must have its one place.
    use super::*;

    #[test]
    fn the_built_report_has_one_place_for_data() {
        for opening in [OPENING, TRACES] {
            let filled = fill(TEMPLATE, opening, r#"{"version":2}"#).expect("one placeholder");
            assert!(filled.contains(&[opening, r#"{"version":2}"#, "</script>"].concat()));
        }
    }

    #[test]
    fn traces_have_their_own_place() {
        let traces = Traces { json: r#"["<"]"#.into(), tables: "<p>shown</p>".into() };
        let html = render(None, Some(&traces)).expect("a page");
        assert!(html.contains(&[TRACES, r#"["\u003c"]"#, "</script>"].concat()));
        assert!(html.contains(&[OPENING, EMPTY].concat()));
        assert!(html.contains("<p>shown</p>") && !html.contains(TABLES));
    }

    #[test]
    fn the_built_report_has_one_place_for_tables() {
        assert_eq!(TEMPLATE.matches(TABLES).count(), 1);
    }

    #[test]
    fn data_cannot_end_its_element() {
        let hostile =
            serde_json::to_string("</script><script>alert(1)</script><!--").expect("json");
        let escaped = escape(&hostile);
        assert!(!escaped.contains('<'));
        let back: String = serde_json::from_str(&escaped).expect("still JSON");
        assert_eq!(back, "</script><script>alert(1)</script><!--");
    }

    #[test]
    fn a_template_without_its_place_is_an_error() {
        assert!(fill("<html></html>", OPENING, "{}").is_err());
        let twice = [OPENING, EMPTY, OPENING, EMPTY].concat();
        assert!(fill(&twice, OPENING, "{}").is_err());
    }
}
