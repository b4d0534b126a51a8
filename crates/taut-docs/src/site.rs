//! The site: all pages, and how they are written.

use crate::contents::CONTENTS;
use crate::html::{Rendered, escape, render};
use crate::links::{BrokenLink, check};
use crate::{content, names, search, text};
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

const STYLE: &str = include_str!("../assets/site.css");
const SCRIPT: &str = include_str!("../assets/site.js");

/// A page in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Path without extension: `tutorial`, `reference/commands`.
    pub path: String,
    /// Its text.
    pub markdown: String,
}

impl Page {
    /// A generated page.
    pub fn new(path: &str, markdown: String) -> Page {
        Page { path: path.to_string(), markdown }
    }

    /// Its first heading.
    pub fn title(&self) -> &str {
        self.markdown.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(&self.path)
    }
}

/// The pages of the contents.
#[derive(Clone, Debug)]
pub struct Site {
    pages: Vec<Page>,
}

impl Site {
    /// The pages of `docs/` and those generated, in the order of the contents. Pages of the contents that are neither are left
    /// out; [`missing`](Site::missing) names them.
    pub fn new(generated: Vec<Page>) -> Site {
        let find = |path: &str| {
            let written = text(&format!("{path}.md")).map(|markdown| Page::new(path, markdown));
            written.or_else(|| generated.iter().find(|page| page.path == path).cloned())
        };
        Site { pages: CONTENTS.iter().flat_map(|section| section.pages).filter_map(|path| find(path)).collect() }
    }

    /// Its pages.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// Pages of the contents that do not exist, and pages of `docs/` that are not in the contents.
    pub fn missing(&self) -> Vec<String> {
        let listed: Vec<&str> = CONTENTS.iter().flat_map(|section| section.pages).copied().collect();
        let absent = listed.iter().filter(|path| !self.pages.iter().any(|page| page.path == **path));
        let written = names().filter_map(|name| name.strip_suffix(".md"));
        let unlisted = written.filter(|path| !listed.contains(path));
        absent.copied().chain(unlisted).map(str::to_string).collect()
    }

    /// Broken links. `in_project` tells whether a file outside `docs/`, given by its path from the root of the project, exists.
    pub fn broken_links(&self, in_project: impl Fn(&str) -> bool) -> Vec<BrokenLink> {
        let pages: BTreeMap<String, Rendered> =
            self.pages.iter().map(|page| (page.path.clone(), render(&page.path, &page.markdown))).collect();
        check(&pages, |file| match file.strip_prefix("../") {
            Some(outside) => in_project(outside),
            None => names().any(|name| name == file),
        })
    }

    /// Formulas that cannot be read, each with its page.
    pub fn formula_errors(&self) -> Vec<String> {
        let of = |page: &Page| {
            let errors = render(&page.path, &page.markdown).formula_errors;
            errors.into_iter().map(|error| format!("{}: {error}", page.path)).collect::<Vec<_>>()
        };
        self.pages.iter().flat_map(of).collect()
    }

    /// Writes all pages and files to a folder; `index.html` is the first page.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let put = |path: &str, content: &[u8]| {
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, content)
        };
        for page in &self.pages {
            put(&format!("{}.html", page.path), self.html(page).as_bytes())?;
        }
        for name in names().filter(|name| !name.ends_with(".md")) {
            put(name, &content(name).unwrap_or_default())?;
        }
        put("site.css", STYLE.as_bytes())?;
        put("site.js", SCRIPT.as_bytes())?;
        put("search-index.js", search::index(&self.pages).as_bytes())
    }

    /// One page with the table of contents.
    fn html(&self, page: &Page) -> String {
        let root = "../".repeat(page.path.matches('/').count());
        let mut contents = String::new();
        for section in CONTENTS {
            contents += &format!("<h2>{}</h2><ul>", escape(section.title));
            for other in self.pages.iter().filter(|other| section.pages.contains(&other.path.as_str())) {
                let here = if other.path == page.path { " aria-current=\"page\"" } else { "" };
                contents +=
                    &format!("<li><a href=\"{root}{}.html\"{here}>{}</a></li>", other.path, escape(other.title()));
            }
            contents += "</ul>";
        }
        let body = render(&page.path, &page.markdown).html;
        let title = escape(page.title());
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>{title} · Taut</title><link rel=\"stylesheet\" href=\"{root}site.css\"></head>\n\
             <body data-root=\"{root}\"><nav><a class=\"home\" href=\"{root}index.html\">Taut</a>\
             <input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\">\
             <ol id=\"found\"></ol><div id=\"contents\">{contents}</div></nav>\n<main>{body}</main>\n\
             <script src=\"{root}search-index.js\"></script><script src=\"{root}site.js\"></script></body></html>\n"
        )
    }
}
