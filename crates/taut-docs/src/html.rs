//! Converts Markdown to HTML: headings get anchors, links to other pages point to their HTML.

use crate::math;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use pulldown_latex::config::DisplayMode;

/// A heading of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    pub level: HeadingLevel,
    pub text: String,
    pub anchor: String,
}

/// A page in HTML, with its headings and the targets of its links and pictures.
#[derive(Clone, Debug)]
pub(crate) struct Rendered {
    pub html: String,
    pub headings: Vec<Heading>,
    pub links: Vec<String>,
    /// Formulas that cannot be read.
    pub formula_errors: Vec<String>,
}

/// The anchor of a heading, as GitHub and GitLab form it.
pub(crate) fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Address at which files outside `docs/` are shown.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

/// The target of a link in the site: Markdown pages become HTML, files outside `docs/` are shown in the repository.
fn in_site(page: &str, link: &str) -> String {
    if let Some(outside) = outside(page, link) {
        return format!("{REPOSITORY}{outside}");
    }
    let (path, place) = link.split_once('#').map_or((link, None), |(path, place)| (path, Some(place)));
    let path = path.strip_suffix(".md").map_or(path.to_string(), |page| format!("{page}.html"));
    place.map_or(path.clone(), |place| format!("{path}#{place}"))
}

fn is_external(link: &str) -> bool {
    link.contains("://") || link.starts_with("mailto:")
}

/// The path, from the root of the repository, of a linked file outside `docs/`.
pub(crate) fn outside(page: &str, link: &str) -> Option<String> {
    let mut up = link.split('/').take_while(|part| *part == "..").count();
    let path = link.trim_start_matches("../");
    up = up.checked_sub(page.matches('/').count())?;
    (up == 1).then(|| path.to_string())
}

/// Renders the page with this path.
pub(crate) fn render(page: &str, markdown: &str) -> Rendered {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES | Options::ENABLE_MATH;
    let mut headings: Vec<Heading> = Vec::new();
    let mut links = Vec::new();
    let mut formula_errors = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    // Start of the current heading.
    let mut open: Option<(usize, HeadingLevel)> = None;
    for event in Parser::new_ext(markdown, options) {
        let event = match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                links.push(dest_url.to_string());
                let dest_url = if is_external(&dest_url) { dest_url } else { CowStr::from(in_site(page, &dest_url)) };
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                links.push(dest_url.to_string());
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            Event::InlineMath(latex) => {
                formula_errors.extend(math::error(&latex));
                Event::InlineHtml(CowStr::from(math::mathml(&latex, DisplayMode::Inline)))
            }
            Event::DisplayMath(latex) => {
                formula_errors.extend(math::error(&latex));
                Event::InlineHtml(CowStr::from(math::mathml(&latex, DisplayMode::Block)))
            }
            other => other,
        };
        if let Event::Start(Tag::Heading { level, .. }) = event {
            open = Some((events.len(), level));
        }
        let ends = matches!(event, Event::End(TagEnd::Heading(_)));
        events.push(event);
        if let Some((start, level)) = open.filter(|_| ends) {
            let text: String = events[start..].iter().filter_map(words).collect();
            let first = anchor(&text);
            let same =
                headings.iter().filter(|h| h.anchor == first || h.anchor.starts_with(&format!("{first}-"))).count();
            let taken = headings.iter().any(|h| h.anchor == first);
            let anchor = if taken { format!("{first}-{same}") } else { first };
            if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                *id = Some(CowStr::from(anchor.clone()));
            }
            headings.push(Heading { level, text, anchor });
            open = None;
        }
    }
    let mut out = String::with_capacity(2 * markdown.len());
    html::push_html(&mut out, events.into_iter());
    Rendered { html: out, headings, links, formula_errors }
}

fn words<'a>(event: &'a Event) -> Option<&'a str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    }
}

/// The plain text of a page, for the search index.
pub(crate) fn plain(markdown: &str) -> String {
    let mut out = String::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        if let Some(text) = words(&event) {
            out.push_str(text);
            out.push(' ');
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes text for HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_get_anchors_and_links_lead_to_html() {
        let page = render(
            "p",
            "# A `b` c!\n\n## Same\n\n## Same\n\n[x](other.md#there) [y](https://a.b/c.md) ![z](p/q.svg)\n",
        );
        let anchors: Vec<&str> = page.headings.iter().map(|h| h.anchor.as_str()).collect();
        assert_eq!(anchors, ["a-b-c", "same", "same-1"]);
        assert!(page.html.contains("<h1 id=\"a-b-c\">A <code>b</code> c!</h1>"), "{}", page.html);
        assert!(page.html.contains("href=\"other.html#there\"") && page.html.contains("href=\"https://a.b/c.md\""));
        assert_eq!(page.links, ["other.md#there", "https://a.b/c.md", "p/q.svg"]);
        assert_eq!(outside("p", "../models/a.toml").as_deref(), Some("models/a.toml"));
        assert_eq!(outside("papers/p", "../papers.md"), None);
    }

    #[test]
    fn nothing_of_a_page_breaks_out_of_html() {
        assert_eq!(escape("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
        assert_eq!(plain("# T\n\n| a | b |\n|---|---|\n| `c` | d |\n"), "T a b c d");
    }
}
